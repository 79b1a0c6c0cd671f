package meet

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
)

// ID is a job's unique id (hcommUniqueId): one process makes it, passes it to the others by its own means, and all meet where it says.
//
//	0..6   magic        7  version
//	8..23  socket name  24..55  secret
//	56..59 CRC-32C of all the rest    60..127  zero
type ID [128]byte

const (
	idMagic   = "hcommID"
	idVersion = 1
)

// NewID makes an id that nobody else has.
func NewID() (ID, error) {
	var id ID
	copy(id[:], idMagic)
	id[7] = idVersion
	if _, err := rand.Read(id[8:56]); err != nil {
		return ID{}, failf(ErrSystem, "no random bytes for a unique id: %v", err)
	}
	binary.LittleEndian.PutUint32(id[56:], id.sum())
	return id, nil
}

// Point is where the ranks that hold the id meet.
func (id ID) Point() (Point, error) {
	switch {
	case string(id[:7]) != idMagic:
		return Point{}, failf(ErrUsage, "these 128 bytes are not a unique id: they begin with % x, a unique id with %q; make one with hcommGetUniqueId and copy all of it to every rank", id[:7], idMagic)
	case id[7] != idVersion:
		return Point{}, failf(ErrUsage, "this is not a unique id for this library: its version is %d, this library's is %d; all ranks must load the same libhcomm", id[7], idVersion)
	case binary.LittleEndian.Uint32(id[56:]) != id.sum():
		return Point{}, failf(ErrUsage, "these 128 bytes are not a unique id any more: the checksum does not fit; copy all 128 bytes, as bytes, to every rank")
	}
	return Point{
		Socket: socketPrefix + hex.EncodeToString(id[8:24]),
		Secret: append([]byte(nil), id[24:56]...),
	}, nil
}

// sum is the checksum over everything but itself.
func (id ID) sum() uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	return crc32.Update(crc32.Checksum(id[:56], table), table, id[60:])
}

// socketPrefix begins the name of every socket of ours, so that `ss -x` shows whose it is.
const socketPrefix = "hcomm-"

// randomName is a socket name that nobody else has.
func randomName() (string, error) {
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", failf(ErrSystem, "no random bytes for a socket name: %v", err)
	}
	return socketPrefix + hex.EncodeToString(b[:]), nil
}
