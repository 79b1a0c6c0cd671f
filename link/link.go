package link

import "time"

// Header travels with every message. Ranks that run the same collective with the same arguments send equal headers up
// to Length; a differing one is how a disagreement is found.
type Header struct {
	Op        uint64    // number of the operation on its communicator, from 1
	Count     uint64    // elements of a block; for messages from point to point see engine/packet.go
	Signature Signature // what is done to them
	Length    uint32    // bytes of this message
}

// Signature packs collective, operator, type and root.
type Signature uint64

// Sign makes a signature.
func Sign(collective, op, typ uint8, root int) Signature {
	return Signature(collective) | Signature(op)<<8 | Signature(typ)<<16 | Signature(uint32(root))<<32
}

// Collective, Op, Type and Root unpack it.
func (s Signature) Collective() uint8 { return uint8(s) }
func (s Signature) Op() uint8         { return uint8(s >> 8) }
func (s Signature) Type() uint8       { return uint8(s >> 16) }
func (s Signature) Root() int         { return int(int32(s >> 32)) }

// Presence is what is known of a peer's life.
type Presence uint32

// The presences. Left means that it went in an orderly way.
const (
	Alive Presence = iota
	Left
	Dead
)

// Verdict says why a communicator is unusable. The first one that a rank finds is everyone's.
type Verdict struct {
	Code     int    // the engine's error code
	Text     string // one sentence that names the culprit
	Culprits []int  // whom it names, if that is known
}

// Port is one rank's end of its message queues to all other ranks over one transport. There is one queue for each
// direction, peer and channel, first in, first out. Nothing in it blocks or allocates, but for Sleep. It is used by one
// goroutine at a time, except for Wake, Condemn and Leave.
type Port interface {
	Sender
	Receiver
	Bell

	// Presence of a peer. A message that arrived before a peer went stays readable, so look for one after this.
	Presence(peer int) Presence
	// Gone counts the peers that are not alive, so that nothing else need be looked at while it is 0.
	Gone() int
	// Intend tells all what this rank waits in; Intent is what a peer has told last, operation 0 if nothing.
	Intend(h Header)
	Intent(peer int) Header
	// Began and Ended tell all of this rank's operations; Activity is the one that a rank is in, or was in last.
	Began(h *Header)
	Ended()
	Activity(peer int) (h Header, inside bool)
	// Condemned says whether a verdict stands; Verdict returns it.
	Condemned() bool
	Verdict() Verdict
	// Condemn makes v the verdict unless there is one already, tells all ranks and wakes them.
	Condemn(v Verdict)
	// Leave marks this rank as left and frees its end. What it has sent stays readable for its peers.
	Leave()
}

// Board is what a Port may have beside: where each rank says, once its communicator is given up, whom to leave behind.
type Board interface {
	// Propose says it; Withdraw takes it back, but if visible leaves it to be seen as an old one.
	Propose(p Proposal)
	Withdraw(visible bool)
	// Proposal is what a rank has said.
	Proposal(peer int) (Proposal, Stage)
	// Now is the time on a clock that all ranks share.
	Now() time.Duration
}

// Display is what a Port may have beside: a line that each rank shows the others. Any goroutine may read; one at a time may
// write.
type Display interface {
	Show(text string) // "" takes it down
	Shown(peer int) string
}

// Proposal is whom a rank would leave behind, by rank, and a note of its own.
type Proposal struct {
	Out  []bool
	Note [128]byte
	Made time.Duration // on the clock of [Board.Now]
}

// Stage of a proposal.
type Stage uint32

// The stages: an old one is of an attempt that has failed.
const (
	NoProposal Stage = iota
	OpenProposal
	OldProposal
)

// Sender is the outgoing half of a Port.
type Sender interface {
	// SlotBytes is what messages in slots usually have at most, LargeBytes what they can have; messages of at most
	// InlineBytes need no slot.
	SlotBytes() int
	LargeBytes() int
	InlineBytes() int
	// Room says whether one message can be posted now to all of to on a channel; slot says that it needs a slot.
	Room(to []int, channel int, slot bool) bool
	// Slot is the memory to fill for the next PostSlot on the channel, to the same ranks; valid after Room returned true
	// for it. stream says that it had better be stored past the caches.
	Slot(to []int, channel int) (slot []byte, stream bool)
	// PostInline sends payload, PostSlot the filled slot, PostWindow the bytes at offset of this rank's window, and
	// PostRemote memory that is none of all these, if the peers can fetch from there. What lies in the window or remote
	// must stay unchanged until Released says that it was read. All want Room first.
	PostInline(to []int, channel int, h *Header, payload []byte)
	PostSlot(to []int, channel int, h *Header)
	// fresh says that they may still be in this processor's caches.
	PostWindow(to []int, channel int, h *Header, offset uint64, fresh bool)
	PostRemote(to []int, channel int, h *Header, memory []byte)
	// Far says whether one of these ranks, by what is known, shares no cache with this one.
	Far(to []int, channel int) bool
	// Posted counts the messages posted to a peer on a channel so far, Released those of them that it has released.
	Posted(to, channel int) uint64
	Released(to, channel int) uint64
	// Refused is the number, as Posted counts, of the remote message that a peer has refused and waits for, 0 if there is
	// none; what a peer says is to be checked. Instead sends its bytes in a slot, to this one rank; false if none is free.
	Refused(to, channel int) uint64
	Instead(to []int, channel int, number uint64, memory []byte) bool
}

// Receiver is the incoming half of a Port.
type Receiver interface {
	// Arrived says whether a message from a peer is at the head of its queue.
	Arrived(from, channel int) bool
	// Receive returns the message at the head, after Arrived: its header, and its bytes where they lie. The error says
	// that the header points outside the memory it may point to. Those of a remote message are to be fetched.
	Receive(from, channel int) (Header, []byte, error)
	// Remote says, after Arrived, whether the message at the head lies in the peer's own memory; Fetch copies its bytes,
	// as many as to has room for. The error says why they cannot be read; the peer may have ended.
	Remote(from, channel int) bool
	Fetch(from, channel int, to []byte) error
	// Refuse asks for that message in another form. Until it is there, it has not arrived.
	Refuse(from, channel int)
	// Lent says, after Arrived, whether the message at the head lies in the window of the peer, whose user may change it
	// once the communicator is condemned.
	Lent(from, channel int) bool
	// Window is n bytes at offset of the window that a peer sends from; an error if they do not lie in it.
	Window(from int, offset, n uint64) ([]byte, error)
	// Release takes the message off the queue; its bytes may be overwritten from then on.
	Release(from, channel int)
}

// Bell is how a rank sleeps until somebody has something for it.
type Bell interface {
	// Arm announces the sleep. After it, the rank must look once more at everything it waits for; then Sleep or Disarm.
	Arm()
	// Sleep returns when woken, or after d at the latest; the bell is no longer armed.
	Sleep(d time.Duration)
	Disarm()
	// Doze is Sleep beside somebody who may sleep, too: it leaves the bell as it is.
	Doze(d time.Duration)
	// Sync orders what this rank has stored before what it loads after, also as seen by ranks that use no barrier.
	Sync()
	// Wake ends the sleep of this rank, from any goroutine.
	Wake()
}
