package simgrid

import (
	"bufio"
	"fmt"
	"math"
)

// envelope is the bytes that SMPI adds to every message (src/smpi/mpi/smpi_request.cpp).
const envelope = 16

// longest is the number of bytes at which SMPI's thresholds overflow.
const longest = math.MaxInt32

// trace writes what each process does: a rank, then the wires that begin at it.
func (w *wiring) trace(b *bufio.Writer) error {
	for l, lane := range w.Lanes {
		for rank := range lane.Ports {
			if err := w.traceRank(b, l, rank); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *wiring) traceRank(b *bufio.Writer, lane, rank int) error {
	process := w.process(lane, rank)
	messages := map[int][]Message{} // by wire
	line(b, "%d init", process)
	for a := range w.Lanes[lane].Actions(rank) {
		for _, m := range a.Receives {
			wire, ok := w.to[w.process(lane, m.Peer)][rank]
			if !ok {
				return fmt.Errorf("rank %d of lane %d awaits a message of rank %d, which sends it none", rank, lane, m.Peer)
			}
			line(b, "%d recv %d %d 0", process, w.ranks+wire, m.Queue)
		}
		if a.Seconds > 0 {
			line(b, "%d compute %s", process, number(a.Seconds*speed))
		}
		for _, m := range a.Sends {
			if m.Bytes > longest {
				return fmt.Errorf("rank %d of lane %d sends %.0f bytes; SMPI can have messages of %d at most", rank, lane, m.Bytes, longest)
			}
			wire := w.to[process][m.Peer]
			messages[wire] = append(messages[wire], m)
			line(b, "%d send %d %d %d", process, w.ranks+wire, m.Queue, size(m))
		}
	}
	line(b, "%d finalize", process)
	for i := w.begin[process]; i < w.begin[process+1]; i++ {
		w.traceWire(b, i, messages[i])
	}
	return nil
}

// traceWire writes what a wire does.
func (w *wiring) traceWire(b *bufio.Writer, i int, messages []Message) {
	x, process := w.all[i], w.ranks+i
	from, to := w.process(x.lane, x.from), w.process(x.lane, x.to)
	line(b, "%d init", process)
	for _, m := range messages {
		line(b, "%d recv %d %d %d", process, from, m.Queue, size(m))
		line(b, "%d send %d %d 0", process, to, m.Queue)
	}
	line(b, "%d finalize", process)
}

// size of a message as the trace has it: without its envelope, but never none, for that is word of a message.
func size(m Message) int64 { return max(1, int64(math.Round(m.Bytes))-envelope) }
