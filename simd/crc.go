package simd

import "hash/crc32"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// CRC32C continues a CRC-32C (Castagnoli, RFC 3720, section 12.1) over b; the first crc is 0. It is that of the standard library, which uses the processors' own instructions and knows no level.
func CRC32C(crc uint32, b []byte) uint32 { return crc32.Update(crc, castagnoli, b) }
