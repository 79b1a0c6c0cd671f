package engine

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"hcomm/link"
	"hcomm/link/shm"
	"hcomm/observe"
	"hcomm/plan"
	"hcomm/settings"
	"hcomm/simd"
	"hcomm/tune"
)

// environ lists the environment, NAME=value.
var environ = os.Environ

// misspelt are sentences about variables that look like settings but are none. They are looked for once: a program may
// change its environment later, and must not while somebody reads it.
var misspelt = sync.OnceValue(func() []string { return settings.Unknown(environ()) })

// told are the lines about settings that have been written; each is written once.
var told sync.Map

// tell writes what people should know of the settings.
func tell(sources *settings.Sources) {
	once := func(write func(string, ...any), line string) {
		if _, again := told.LoadOrStore(line, true); !again {
			write("%s", line)
		}
	}
	for _, list := range [][]string{sources.Warnings, misspelt()} {
		for _, line := range list {
			once(observe.Warn, line)
		}
	}
	if !observe.Shows(observe.Infos) {
		return
	}
	for _, s := range settings.Table {
		value, origin := sources.Lookup(s.Name)
		switch {
		case value == "" || s.Place || settings.Same(s.Name, value, s.Default):
		case s.Secret:
			once(observe.Info, fmt.Sprintf("%s is set (%s)", s.Name, origin))
		default:
			once(observe.Info, fmt.Sprintf("%s=%s (%s)", s.Name, value, origin))
		}
	}
}

// tellMade writes what a new communicator is like.
func (c *Comm) tellMade(hosts []host, l shm.Layout, noRemotes string) {
	if !observe.Shows(observe.Infos) {
		return
	}
	waits := fmt.Sprintf("spins for %v before it sleeps", c.wait.spin)
	switch {
	case c.wait.yield > 0:
		waits = fmt.Sprintf("yields for %v before it sleeps", c.wait.yield)
	case c.wait.spin == 0:
		waits = "sleeps at once"
	}
	ordinary := "can be read by all ranks"
	if noRemotes != "" {
		ordinary = "goes through slots: " + noRemotes
	}
	observe.Info("%s is in a communicator of %d; usable processors: %d; a rank that waits %s; %d slots of %d bytes; ordinary memory %s; reductions use %s; tuning table: %s; algorithms: %s",
		c.who(c.rank), c.Size(), usable(hosts), waits, l.Slots, l.SlotBytes, ordinary, levelInUse(), c.tableName(), c.rules.describe(c.Size()))
}

func levelInUse() string {
	simdOnce.Lock()
	defer simdOnce.Unlock()
	if simdOnce.word == "auto" {
		return simd.BestLevel().String()
	}
	return simdOnce.word
}

// tableName says where the tuning table is from.
func (c *Comm) tableName() string {
	if path := c.values.Said["HCOMM_TUNE_FILE"]; path != "" {
		return fmt.Sprintf("%.200q of rank 0", path)
	}
	return tune.BuiltIn
}

// describe says which builders the rules admit.
func (r *rules) describe(ranks int) string {
	var parts []string
	for _, k := range plan.Collectives() {
		if b, ok := r.forced[k]; ok {
			parts = append(parts, strings.ToLower(k.String())+":"+b.Name)
		}
	}
	rest := fmt.Sprintf("see hcomm tune --show -n %d", ranks)
	if r.deterministic {
		rest += ", with HCOMM_DETERMINISTIC=1"
	}
	return strings.Join(append(parts, rest), ", ")
}

// trace writes what an operation is that begins.
func (c *Comm) trace(h link.Header) {
	bytes := ""
	if plan.Collective(h.Signature.Collective()) != plan.Barrier {
		bytes = fmt.Sprintf(", %d bytes", h.Count*uint64(simd.Type(h.Signature.Type()).Size()))
	}
	observe.Trace("rank %d of %d: %s%s", c.rank, c.Size(), describe(h), bytes)
}

// traceMessages writes what a send, a receive, or both are that begin.
func (c *Comm) traceMessages(s, r *Message) {
	var parts []string
	if s != nil {
		parts = append(parts, fmt.Sprintf("send of %d %s to %s", s.Count, s.Type, peerAndTag(s)))
	}
	if r != nil {
		parts = append(parts, fmt.Sprintf("receive of up to %d %s from %s", r.Count, r.Type, peerAndTag(r)))
	}
	observe.Trace("rank %d of %d: %s", c.rank, c.Size(), strings.Join(parts, " and "))
}

func peerAndTag(m *Message) string {
	peer, tag := fmt.Sprintf("rank %d", m.Peer), fmt.Sprintf("tag %d", m.Tag)
	switch m.Peer {
	case AnySource:
		peer = "any rank"
	case ProcNull:
		peer = "nobody"
	}
	if m.Tag == AnyTag {
		tag = "any tag"
	}
	return peer + ", " + tag
}
