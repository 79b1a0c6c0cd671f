package lanes

import "math/bits"

// line is how many bytes a lane has moved after some time: none until its latency is over, then so many at its speed.
type line struct {
	bytes uint64 // that it has moved
	wait  uint64 // ns
	speed uint64 // bytes in 2^20 ns, at least 1 and at most 2^40; 0: nothing is known
}

// line is what an operation tells of a lane.
func (l *lane) line(x Sample) line {
	const most = 1 << 40
	wait := l.waits(x)
	bytes, ns := uint64(min(x.Bytes, 1<<50)), uint64(x.Nanoseconds-wait)
	v := uint64(most)
	if hi, lo := bits.Mul64(bytes, 1<<20); hi < ns {
		v, _ = bits.Div64(hi, lo, ns)
	}
	return line{bytes, uint64(wait), min(max(v, 1), most)}
}

// waits is how much of a lane's time is latency: no more than half, for an error in either weighs more the less is left.
func (l *lane) waits(x Sample) int64 { return min(l.latency, x.Nanoseconds/2) }

// meeting is the time at which the lanes would have moved all their bytes if they ended together.
func meeting(lines []line) uint64 {
	var hi, lo, speeds uint64 // of the sum of bytes and of what could be moved while waiting, in 2^-20 bytes
	add := func(x, y uint64) {
		h, l := bits.Mul64(x, y)
		var carry uint64
		lo, carry = bits.Add64(lo, l, 0)
		hi += h + carry
	}
	for _, l := range lines {
		add(l.bytes, 1<<20)
		add(l.wait, l.speed)
		speeds += l.speed
	}
	if hi >= speeds {
		return 1<<63 - 1
	}
	end, _ := bits.Div64(hi, lo, speeds)
	return end
}

// at is how many bytes have been moved.
func (l line) at(end uint64) uint64 {
	hi, lo := bits.Mul64(l.speed, max(end, l.wait)-l.wait)
	return min(hi, 1<<12)<<44 | lo>>20
}

// scale is v*of/sum without overflow; v or of is no more than sum, which is not 0.
func scale(v, of, sum uint64) uint64 {
	hi, lo := bits.Mul64(v, of)
	q, _ := bits.Div64(hi, lo, sum)
	return q
}
