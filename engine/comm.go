package engine

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"hcomm/link"
	"hcomm/meet"
	"hcomm/plan"
	"hcomm/settings"
	"hcomm/simd"
)

// Comm is one rank of a communicator.
type Comm struct {
	name    string // for people; may be empty
	values  settings.Values
	rank    int
	members []member // by rank
	port    link.Port
	wait    policy

	shared  *Shared // the claim and the sequence number, among others
	pins    pinned
	aborted atomic.Bool
	reason  atomic.Pointer[string] // of the abort; nil: none was given
	freeing sync.RWMutex           // held while the port is freed, and for reading by those who use it without a claim
	flag    *uint64                // is token when the waiting call is to end; set without entering Go
	token   uint64

	limits     limits
	yields     uint         // so far
	polls      int          // looks of a program that does not wait
	still      waiter       // of whoever has the claim
	stillSince atomic.Int64 // since when nothing has moved, in nanoseconds since 1970, for others to read; 0: it moves
	turns      turns        // of whoever waits with the claim
	aside      atomic.Bool  // calls are not made by their caller's thread

	queue   []*task      // collectives in line; the first may have begun
	started []*task      // messages that have begun
	held    []*task      // messages that wait for what is before them in their stream
	tasks   atomic.Int32 // how many of all these
	worker  worker

	streamed atomic.Int32 // how many of the tasks are in streams
	shown    string       // what other communicators' peers were told of a wait here
	shownIn  []*Comm      // those communicators
	showing  sync.Mutex   // held while they are told
	shownFor *Comm        // whose wait this communicator's peers were told of

	rules    rules
	shelves  [len(plan.Names)]shelf // by collective
	op       operation
	messages pointToPoint
	shrunk   map[int]meet.ID // the notes with which ranks agreed on the last shrink: what stands there still is of that
	onClose  func()

	beforeFree func()
}

// member is what everybody knows of a rank.
type member struct {
	host string
	pid  int
	id   uint64 // of the rank in this process, the same in communicators made of others
}

// The words of Shared.Use: nobody, a caller, or the worker has the claim; closed: nobody will any more.
const (
	idle uint32 = iota
	inCall
	closed
	inWorker
	completed // only to be destroyed
)

// newComm makes a rank of a communicator; close runs when it is freed.
func newComm(rank int, members []member, port link.Port, wait policy, r rules, onClose func()) *Comm {
	c := &Comm{rank: rank, members: members, port: port, wait: wait, rules: r, shared: new(Shared), flag: new(uint64), token: 1, onClose: onClose}
	c.op.comm, c.op.cuts = c, cutsFor(len(members), r.crowded)
	c.op.inPlaceFrom = max(copiedBelow, uint64(port.InlineBytes())+1)
	c.op.cacheBytes = simd.CacheBytes()
	c.op.piece.message = make([]byte, port.InlineBytes())
	c.op.went = make([]link.Presence, len(members))
	c.messages.init(c)
	c.worker.init(c)
	return c
}

// Rank is this rank's number; Size is how many there are.
func (c *Comm) Rank() int { return c.rank }
func (c *Comm) Size() int { return len(c.members) }

// Crowded says whether the ranks are more than the processors that they may use.
func (c *Comm) Crowded() bool { return c.rules.crowded }

// SlotBytes are how many bytes a slice has at most.
func (c *Comm) SlotBytes() int { return c.port.SlotBytes() }

// who names a rank for people.
func (c *Comm) who(rank int) string {
	m := c.members[rank]
	return fmt.Sprintf("rank %d (host %s, pid %d)", rank, m.host, m.pid)
}

// AbortOn ends a waiting call when *flag becomes token. For capi, whose Abort sets it before it enters Go.
func (c *Comm) AbortOn(flag *uint64, token uint64) { c.flag, c.token = flag, token }

// abortedHere says whether this process has aborted the communicator.
func (c *Comm) abortedHere() bool { return c.aborted.Load() || atomic.LoadUint64(c.flag) == c.token }

// State is the word of shared memory that says that this rank has left, for a process's exit; nil if there is none.
func (c *Comm) State() *uint32 {
	if p, ok := c.port.(interface{ State() *uint32 }); ok {
		return p.State()
	}
	return nil
}

func (c *Comm) using() uint32 { return atomic.LoadUint32(&c.shared.Use) }

// enter claims the communicator for a call.
func (c *Comm) enter() *Error {
	if atomic.CompareAndSwapUint32(&c.shared.Use, idle, inCall) || c.worker.cede(inCall) {
		return nil
	}
	switch c.using() {
	case closed:
		return errorf(InvalidUsage, "the communicator was destroyed or aborted")
	case completed:
		return errorf(InvalidUsage, "the communicator was finalized: only hcommCommDestroy and queries remain")
	}
	return errorf(InvalidUsage, "another thread is in a call on this communicator: one at a time may use it").on("two-threads")
}

// leave ends the claim. If the communicator was aborted meanwhile, it is freed here.
func (c *Comm) leave() {
	busy := c.tasks.Load() > 0
	c.letCallsPass()
	atomic.StoreUint32(&c.shared.Use, idle)
	if c.aborted.Load() {
		c.close()
	} else if busy {
		c.worker.takeOver()
	}
}

// letCallsPass tells the path in C what it must not pass by.
func (c *Comm) letCallsPass() {
	c.shared.Pending, c.shared.Queued = c.messages.pending()+uint32(len(c.held)), uint32(len(c.queue))
}

// leaveUnless ends the claim of a call that panics; it is deferred.
func (c *Comm) leaveUnless(returned *bool) {
	if !*returned {
		c.leave()
	}
}

// close frees the communicator if nobody is in a call.
func (c *Comm) close() bool { return c.closeFrom(false) }

// closeFrom is close; byWorker says that it is the worker who calls it.
func (c *Comm) closeFrom(byWorker bool) bool {
	if !atomic.CompareAndSwapUint32(&c.shared.Use, idle, closed) &&
		!atomic.CompareAndSwapUint32(&c.shared.Use, completed, closed) && !c.worker.cede(closed) {
		return false
	}
	if c.tasks.Load() > 0 {
		c.failTasks(errorf(InvalidUsage, "the communicator was destroyed or aborted while the call was under way"))
	}
	if !byWorker {
		c.worker.stop()
	}
	c.strike()
	c.hideElsewhere()
	c.freeing.Lock()
	defer c.freeing.Unlock()
	if c.beforeFree != nil {
		c.beforeFree()
	}
	c.port.Leave()
	c.pins.Unpin()
	if c.onClose != nil {
		c.onClose()
	}
	return true
}

// rouse has whoever waits in this communicator look again.
func (c *Comm) rouse() {
	c.unclaimed(c.port.Wake)
	c.worker.takeOver()
}

// Destroy leaves the communicator. It does not wait for the others, but for what this rank has put in streams. Requests
// under way are an error.
func (c *Comm) Destroy() error {
	if e := c.drain(); e != nil {
		return e
	}
	if !c.close() {
		if c.using() == closed {
			return errorf(InvalidUsage, "the communicator was destroyed or aborted before")
		}
		return errorf(InvalidUsage, "another thread is in a call on this communicator: wait for it, or end it with hcommCommAbort").on("two-threads")
	}
	return nil
}

// Freed says whether the communicator is, or is being, freed.
func (c *Comm) Freed() bool { return c.using() == closed }

// BeforeFree has f run before the communicator is freed. It must be called before the communicator is used.
func (c *Comm) BeforeFree(f func()) { c.beforeFree = f }

// Abort ends all calls on the communicator, on all ranks, and frees this one's end, or leaves that to the call that is
// under way. It may be called from any goroutine.
func (c *Comm) Abort() { c.AbortBecause("") }

// AbortBecause is Abort with a reason for the others, "" for none.
func (c *Comm) AbortBecause(why string) {
	if why != "" {
		c.reason.CompareAndSwap(nil, &why) // before aborted, which may let the call that is under way tell the others
	}
	if c.tellAbort() {
		c.close()
	}
}

// AbortAtEnd is AbortBecause for a process that ends at once: it frees nothing, so that this process ends before others do
// because of the abort.
func (c *Comm) AbortAtEnd(why string) {
	if why != "" {
		c.reason.CompareAndSwap(nil, &why)
	}
	c.tellAbort()
}

// tellAbort tells all ranks; false if that was done before.
func (c *Comm) tellAbort() bool {
	if c.aborted.Swap(true) {
		return false
	}
	c.unclaimed(func() {
		c.port.Sync()
		c.condemn(c.abortion())
	})
	return true
}

// AwaitCulprits waits until those for whom the communicator was given up have ended, or for d: who looks at the processes of a
// job then finds that these ended first.
func (c *Comm) AwaitCulprits(d time.Duration) {
	for began := time.Now(); time.Since(began) < d; time.Sleep(time.Millisecond) {
		alive := false
		c.unclaimed(func() {
			if c.port.Condemned() {
				for _, q := range c.port.Verdict().Culprits {
					alive = alive || q != c.rank && c.port.Presence(q) == link.Alive
				}
			}
		})
		if !alive {
			return
		}
	}
}

// abortion is the error that an abort here is for the others.
func (c *Comm) abortion() *Error {
	e := errorf(RemoteError, "%s aborted %s", c.who(c.rank), c.itself()).on("aborted").by(c.rank)
	if why := c.reason.Load(); why != nil {
		e.Text += ": " + *why
	}
	return e
}

// unclaimed runs f, which uses the port, unless that is freed.
func (c *Comm) unclaimed(f func()) {
	c.freeing.RLock()
	defer c.freeing.RUnlock()
	if c.using() != closed {
		f()
	}
}

// Poison makes the communicator unusable on all ranks after a mistake in hcomm itself.
func (c *Comm) Poison(text string) {
	c.unclaimed(func() { c.condemn(errorf(InternalError, "%s: %s", c.who(c.rank), text)) })
}

// Condemned says whether the communicator has become unusable.
func (c *Comm) Condemned() (yes bool) {
	c.unclaimed(func() { yes = c.port.Condemned() })
	return yes
}

// condemn gives up the communicator on all ranks, and returns the error that all of them get.
func (c *Comm) condemn(e *Error) *Error {
	c.port.Condemn(link.Verdict{Code: int(e.Code), Text: e.Error(), Culprits: e.Culprits})
	return c.verdict()
}

// verdict is why the communicator is unusable.
func (c *Comm) verdict() *Error {
	v := c.port.Verdict()
	e := &Error{Code: Code(v.Code), Text: v.Text}
	switch e.Code {
	case SystemError, InternalError, Mismatch, Timeout:
	default:
		e.Code = RemoteError // also for what no rank of ours writes
	}
	return e
}

func hostName() string {
	name, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return name
}
