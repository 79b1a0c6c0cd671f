package engine

import "unsafe"

// names are what the header calls the arguments of one side of a call.
type names struct{ buffer, count, datatype, peer, tag string }

var (
	namesOfSend     = names{"buf", "count", "datatype", "dest", "tag"}
	namesOfReceive  = names{"buf", "count", "datatype", "source", "tag"}
	namesOfSendrecv = [2]names{
		{"sendbuf", "sendcount", "sendtype", "dest", "sendtag"},
		{"recvbuf", "recvcount", "recvtype", "source", "recvtag"},
	}
	namesOfTyped = [2]names{
		{"sendbuff", "count", "datatype", "peer", ""},
		{"recvbuff", "count", "datatype", "peer", ""},
	}
)

// checkMessage applies the rules for the buffer of a message, and returns its size in bytes.
func checkMessage(m *Message, n *names) (uint64, *Error) {
	if !m.Type.Valid() {
		return 0, badArgument(n.datatype, "%s is %d, which is none of hcommDataType_t", n.datatype, m.Type)
	}
	size := uint64(m.Type.Size())
	if m.Count > addresses/size {
		return 0, badArgument(n.count, "%s is %d (as a signed number %d): so many %s are more bytes than can be addressed",
			n.count, m.Count, int64(m.Count), m.Type)
	}
	bytes := m.Count * size
	switch {
	case bytes == 0:
	case m.Buffer == nil:
		return 0, badArgument(n.buffer, "%s is NULL, but %s is %d: only a count of 0 allows it", n.buffer, n.count, m.Count)
	case uint64(uintptr(m.Buffer)) > addresses-bytes:
		return 0, badArgument(n.buffer, "%s is %p, and %d bytes from there run over the end of the address space", n.buffer, m.Buffer, bytes)
	}
	return bytes, nil
}

func (c *Comm) checkSend(m *Message, n *names) (uint64, *Error) {
	bytes, e := checkMessage(m, n)
	switch {
	case e != nil:
		return 0, e
	case (m.Peer < 0 || m.Peer >= c.Size()) && m.Peer != ProcNull:
		return 0, badArgument(n.peer, "%s is %d, but the communicator has ranks 0 to %d (or HCOMM_PROC_NULL)", n.peer, m.Peer, c.Size()-1)
	case m.Tag < 0 || m.Tag > TagUB:
		return 0, badArgument(n.tag, "%s is %d; it must be 0 to %d", n.tag, m.Tag, TagUB)
	}
	return bytes, nil
}

func (c *Comm) checkReceive(m *Message, n *names) (uint64, *Error) {
	bytes, e := checkMessage(m, n)
	if e == nil {
		e = c.checkPattern(m.Peer, m.Tag, n)
	}
	return bytes, e
}

func (c *Comm) checkPattern(source, tag int, n *names) *Error {
	if (source < 0 || source >= c.Size()) && source != ProcNull && source != AnySource {
		return badArgument(n.peer, "%s is %d, but the communicator has ranks 0 to %d (or HCOMM_ANY_SOURCE, or HCOMM_PROC_NULL)",
			n.peer, source, c.Size()-1)
	}
	if (tag < 0 || tag > TagUB) && tag != AnyTag {
		return badArgument(n.tag, "%s is %d; it must be 0 to %d (or HCOMM_ANY_TAG)", n.tag, tag, TagUB)
	}
	return nil
}

func (c *Comm) checkTyped(m *Message, n *names) (uint64, *Error) {
	bytes, e := checkMessage(m, n)
	if e == nil && (m.Peer < 0 || m.Peer >= c.Size()) {
		e = badArgument(n.peer, "%s is %d, but the communicator has ranks 0 to %d", n.peer, m.Peer, c.Size()-1)
	}
	return bytes, e
}

// apart checks that the two buffers of a call have no byte in common.
func apart(send unsafe.Pointer, sent uint64, recv unsafe.Pointer, room uint64) *Error {
	s, r := uint64(uintptr(send)), uint64(uintptr(recv))
	if sent > 0 && room > 0 && s < r+room && r < s+sent {
		return badArgument("recvbuf", "recvbuf (%p, %d bytes) overlaps sendbuf (%p, %d bytes): they must be apart", recv, room, send, sent)
	}
	return nil
}
