package simd

import (
	"bytes"
	"encoding/hex"
	"math/rand/v2"
	"testing"
)

// crcBitwise is the definition: the remainder by the polynomial 0x1edc6f41, bits reflected, ones put before and added after.
func crcBitwise(crc uint32, b []byte) uint32 {
	crc = ^crc
	for _, x := range b {
		crc ^= uint32(x)
		for range 8 {
			crc = crc>>1 ^ 0x82f63b78*(crc&1)
		}
	}
	return ^crc
}

func TestCRC32C(t *testing.T) {
	up, down := make([]byte, 32), make([]byte, 32)
	for i := range up {
		up[i], down[31-i] = byte(i), byte(i)
	}
	read, err := hex.DecodeString("01c00000" + "00000000" + "00000000" + "00000000" + "14000000" + "00000400" + "00000014" + "00000018" + "28000000" + "00000000" + "02000000" + "00000000")
	if err != nil {
		t.Fatal(err)
	}
	// RFC 3720, B.4; the last is the usual check value.
	for _, c := range []struct {
		of   []byte
		want uint32
	}{
		{make([]byte, 32), 0x8a9136aa}, {bytes.Repeat([]byte{0xff}, 32), 0x62a8ab43}, {up, 0x46dd794e}, {down, 0x113fdb5c}, {read, 0xd9963a56},
		{nil, 0}, {[]byte("123456789"), 0xe3069283},
	} {
		if got := CRC32C(0, c.of); got != c.want || crcBitwise(0, c.of) != c.want {
			t.Errorf("of %x: %#x, bit by bit %#x, want %#x", c.of, got, crcBitwise(0, c.of), c.want)
		}
	}

	rng := rand.New(rand.NewPCG(29, 31))
	memory := aligned(9000)
	for i := range memory {
		memory[i] = byte(rng.Uint32())
	}
	for n := range 600 {
		length := n
		if n >= 580 {
			length = 400 * (n - 580)
		}
		b := memory[n%64:][:length]
		start := rng.Uint32()
		want := crcBitwise(start, b)
		if got := CRC32C(start, b); got != want {
			t.Fatalf("%d bytes at offset %d: %#x, want %#x", length, n%64, got, want)
		}
		cut := rng.IntN(length + 1)
		if got := CRC32C(CRC32C(start, b[:cut]), b[cut:]); got != want {
			t.Fatalf("%d bytes in two parts, the first of %d: %#x, want %#x", length, cut, got, want)
		}
	}
}
