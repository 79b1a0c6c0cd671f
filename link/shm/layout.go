package shm

// Layout says where things lie in a segment. It follows from what all ranks have alike: how many they are, whether they
// are more than the processors, and settings.
type Layout struct {
	Ranks, Channels int
	SlotBytes       int
	Slots           int // for how many messages of so many bytes there is room on each channel
	LargeBytes      int // of the largest message

	inbox, acks, slots int // offsets
	Size               int
}

// The parts of a segment before the inboxes.
const (
	page        = 4096
	inboxOffset = page    // page 0 is the control page
	entrySize   = 36 * 64 // so that 2 KiB travel inline
	ringEntries = 8
	shortBytes  = 64 - 40
	inlineBytes = entrySize - 64
	ackSize     = 64 // a word; in the next two the receiver tells whether it is far: in capi/small.c, and in distance.go
)

// slotsFor is how many slots are the fastest with 64 KiB each: enough that a place is not used again while it is in the
// receiver's cache (see pool), but not so many that a rank gets all its peers' pools in its own memory (2-core Zen 4 guest
// with 1 MiB of L2 for each core, allreduce of 8 KiB to 8 MiB, 2026-11).
func slotsFor(ranks int) int { return max(32/max(ranks, 2), 4) }

// NewLayout returns the layout for a communicator of this many ranks; with 0 slots it chooses how many.
func NewLayout(ranks, channels, slotBytes, slots int) Layout {
	if slots == 0 {
		slots = slotsFor(ranks)
	}
	l := Layout{Ranks: ranks, Channels: channels, SlotBytes: slotBytes, Slots: slots}
	l.inbox = inboxOffset
	l.acks = l.inbox + ranks*channels*ringEntries*entrySize
	l.slots = roundUp(l.acks+ranks*channels*ackSize, page)
	return l.WithLarge(slotBytes)
}

// WithLarge is a layout with room for larger messages too, a few on each channel.
func (l Layout) WithLarge(bytes int) Layout {
	l.LargeBytes = max(l.SlotBytes, bytes)
	l.Size = roundUp(l.slots+l.Channels*l.slotAreaBytes(), page)
	return l
}

// larges is for how many of the largest messages there is room on a channel: few among many ranks, for each has all its
// peers' pools in its own resident memory (8 ranks: 8 MiB).
func larges(ranks int) int { return max(16/max(ranks, 2), 2) }

func (l *Layout) ring(peer, channel int) int {
	return l.inbox + (peer*l.Channels+channel)*ringEntries*entrySize
}
func (l *Layout) ack(peer, channel int) int { return l.acks + (peer*l.Channels+channel)*ackSize }

// slotArea is where all slots of a channel begin; they are slotAreaBytes long together.
func (l *Layout) slotArea(channel int) int { return l.slots + channel*l.slotAreaBytes() }
func (l *Layout) slotAreaBytes() int {
	if l.LargeBytes == l.SlotBytes {
		return l.Slots * l.SlotBytes
	}
	return max(l.Slots*l.SlotBytes, larges(l.Ranks)*l.LargeBytes)
}

func roundUp(n, to int) int { return (n + to - 1) / to * to }
