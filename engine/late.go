package engine

import (
	"fmt"
	"os"
	"strings"

	"hcomm/link"
	"hcomm/plan"
)

// awaited is what a rank waits for.
type awaited struct {
	what  string // the call that it is in
	op    uint64 // the number of the collective that all must come to; 0 if it is none
	peers []int  // whose doing the next thing is
}

func (o *operation) awaits() awaited {
	a := awaited{what: describe(o.header), op: o.header.Op}
	seen := map[int]bool{}
	add := func(q int) {
		if !seen[q] {
			seen[q] = true
			a.peers = append(a.peers, q)
		}
	}
	port := o.comm.port
	for i := o.first; i < len(o.steps); i++ {
		s, p := &o.program.Steps[i], &o.steps[i]
		if p.done == o.slices || !o.free(i) {
			continue
		}
		for _, x := range s.Operands {
			if x.Place == plan.Message && !port.Arrived(x.From, x.Channel) {
				add(x.From)
			}
		}
		for _, t := range s.To {
			if !port.Room(s.To, s.Channel, false) {
				add(t)
			}
		}
	}
	return a
}

func (x *exchange) awaits() awaited {
	switch {
	case x.receive != nil && x.receive.stage != finished:
		return x.p.awaitsReceive(x.receive)
	case x.send != nil && x.send.stage != finished:
		return x.p.awaitsSend(x.send)
	case x.probe != nil:
		return awaited{what: x.probe.describe("Probe for a message"), peers: x.p.sources(x.probe.source)}
	}
	return awaited{what: "a message"}
}

func (p *pointToPoint) awaitsReceive(r *receive) awaited {
	source := r.source
	if r.stage != waiting {
		source = r.got.source
	}
	return awaited{what: r.describe(), peers: p.sources(source)}
}

func (p *pointToPoint) awaitsSend(s *send) awaited {
	return awaited{what: s.describe(), peers: []int{s.to}}
}

// sources are the ranks that a receive waits for.
func (p *pointToPoint) sources(source int) []int {
	if source != AnySource {
		return []int{source}
	}
	var all []int
	for _, q := range p.ranks {
		if q != p.comm.rank {
			all = append(all, q)
		}
	}
	return all
}

func (a *awaiting) awaits() awaited {
	if a.comm.isRunning() {
		return a.comm.op.awaits()
	}
	for _, t := range a.tasks {
		switch {
		case t.isFinished():
		case t.receive != nil && t.receive.stage != finished:
			return a.comm.messages.awaitsReceive(t.receive)
		case t.send != nil && t.send.stage != finished:
			return a.comm.messages.awaitsSend(t.send)
		default:
			return awaited{what: "a call that waits for those before it in its stream"}
		}
	}
	return awaited{what: "a call"}
}

// lateness is whom a wait is for, and why.
type lateness struct {
	ranks     []int
	one, many string // what is said of one of them, or of several
}

// late says, in a clause, who keeps others waiting, and what he does.
func (c *Comm) late(a awaited) string { return c.lateHere(a).say(c, c.doingOf) }

// lateHere is lateness as it is seen now.
func (c *Comm) lateHere(a awaited) lateness {
	return c.lateness(a, func(is func(int) bool) func(int) bool { return is })
}

// lateness finds out whom a wait is for. asking makes a question about a rank one that the caller may ask.
func (c *Comm) lateness(a awaited, asking func(is func(rank int) bool) func(rank int) bool) lateness {
	if a.op > 0 {
		missing := c.ranksThat(asking(func(q int) bool { return !c.hasCome(q, a.op) }))
		if len(missing) > 0 {
			return lateness{missing, "has not called it", "have not called it"}
		}
	}
	if halted := c.ranksThat(asking(c.isStopped)); len(halted) > 0 {
		return lateness{halted, "does not go on", "do not go on"}
	}
	return lateness{a.peers, "is waited for", "are waited for"}
}

// say is the clause; doing says what a rank does.
func (l lateness) say(c *Comm, doing func(rank int) string) string {
	if len(l.ranks) == 0 {
		return "nobody is late"
	}
	return c.tellOf(l.ranks, l.one, l.many, doing)
}

func (c *Comm) ranksThat(is func(rank int) bool) []int {
	var list []int
	for q := range c.members {
		if q != c.rank && is(q) {
			list = append(list, q)
		}
	}
	return list
}

// hasCome says whether a rank has called a collective.
func (c *Comm) hasCome(rank int, op uint64) bool {
	h, _ := c.port.Activity(rank)
	return h.Op >= op
}

// mostTold bounds the ranks that a sentence names.
const mostTold = 3

// tell says of each of some ranks what it does.
func (c *Comm) tell(ranks []int, one, many string) string {
	return c.tellOf(ranks, one, many, c.doingOf)
}

func (c *Comm) tellOf(ranks []int, one, many string, doing func(rank int) string) string {
	var each []string
	for _, q := range ranks[:min(len(ranks), mostTold)] {
		each = append(each, c.who(q))
	}
	text := strings.Join(each, ", ")
	if n := len(ranks) - mostTold; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	verb := one
	if len(ranks) > 1 {
		verb = many
	}
	return fmt.Sprintf("%s %s: %s", text, verb, doAll(ranks, doing))
}

// doAll says what ranks do.
func doAll(ranks []int, doing func(rank int) string) string {
	var all []string
	for _, q := range ranks[:min(len(ranks), mostTold)] {
		if text := doing(q); len(all) == 0 || all[len(all)-1] != text {
			all = append(all, text)
		}
	}
	return strings.Join(all, "; ")
}

// doingOf says what a rank does, as far as it has told.
func (c *Comm) doingOf(q int) string {
	text := ""
	h, inside := c.port.Activity(q)
	switch intent := c.port.Intent(q); {
	case isMessageWait(intent):
		text = "it waits in " + describeWait(intent)
	case inside:
		text = "it is in " + describe(h)
	case h.Op > 0:
		text = "it was last in " + describe(h)
	default:
		text = "it has called no collective yet"
	}
	text += c.elsewhere(q)
	if c.isStopped(q) {
		text += ", and its process is stopped (by a signal or a debugger)"
	}
	return text
}

// waitMark in an intent's number says that it is no operation's: the rank waits for a message.
const waitMark = 1 << 63

func isMessageWait(h link.Header) bool { return h.Op&waitMark != 0 }

// intent is what the others are told of this wait.
func (x *exchange) intent() link.Header {
	switch {
	case x.receive != nil && x.receive.stage != finished:
		return x.receive.intent()
	case x.send != nil:
		return x.send.intent()
	case x.probe != nil:
		p := packet{kind: complete, envelope: envelope{space: x.probe.space, tag: x.probe.tag}}
		return link.Header{Op: waitMark | uint64(uint32(x.probe.source)), Signature: p.signature()}
	}
	return link.Header{}
}

func (r *receive) intent() link.Header {
	p := packet{kind: grant, envelope: envelope{space: r.space, typ: r.typ, tag: r.tag}}
	return link.Header{Op: waitMark | uint64(uint32(r.source)), Count: uint64(len(r.data)), Signature: p.signature()}
}

func (s *send) intent() link.Header {
	return link.Header{Op: waitMark | uint64(uint32(s.to)), Count: s.packet.bytes, Signature: s.packet.signature()}
}

// describeWait names the wait of an intent that another rank has told.
func describeWait(h link.Header) string {
	s := h.Signature
	e := envelope{space: space(s.Op()), tag: int32(s.Root()), bytes: h.Count}
	peer := int(int32(uint32(h.Op)))
	amount := fmt.Sprintf("%d bytes", h.Count)
	switch packetKind(s.Collective()) {
	case grant:
		w := pattern{space: e.space, source: peer, tag: e.tag}
		return w.describe("Recv of up to " + amount)
	case complete:
		w := pattern{space: e.space, source: peer, tag: e.tag}
		return w.describe("Probe for a message")
	}
	return fmt.Sprintf("Send of %s to rank %d%s", amount, peer, e.tagged())
}

// isStopped says whether a rank's process is stopped, as far as /proc tells.
func (c *Comm) isStopped(rank int) bool {
	port, ok := c.port.(interface{ Process(peer int) int })
	if !ok {
		return false
	}
	pid := port.Process(rank)
	if pid <= 0 {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	at := strings.LastIndexByte(string(stat), ')')
	return at >= 0 && at+2 < len(stat) && (stat[at+2] == 'T' || stat[at+2] == 't')
}
