package tune

import (
	"encoding/binary"
	"errors"
	"fmt"

	"hcomm/plan"
)

// MostEncoded is how many bytes a table may have on its way: it goes with a rank's card, see package meet.
const MostEncoded = 3000

// sliceUnit is what slices are counted in on the way.
const sliceUnit = LeastSlice

// checkRoom says what is wrong with a table that is too long to go to other ranks.
func (t Table) checkRoom() error {
	if n := len(t.Encode()); n > MostEncoded {
		return fmt.Errorf("the table takes %d bytes on its way to other ranks, and there is room for %d: leave out some sections", n, MostEncoded)
	}
	return nil
}

// Encode gives the short form: a list of names, and for each section its key and its rows.
func (t Table) Encode() []byte {
	names := map[string]int{}
	var list, body []byte
	for _, s := range t {
		body = append(body, byte(s.Collective), byte(number(s.Crowded)))
		body = binary.LittleEndian.AppendUint16(body, uint16(s.Ranks))
		body = append(body, byte(len(s.Rows)))
		for _, r := range s.Rows {
			i, known := names[r.Algorithm]
			if !known {
				i = len(names)
				names[r.Algorithm] = i
				list = append(append(list, byte(len(r.Algorithm))), r.Algorithm...)
			}
			body = append(body, byte(r.First), byte(r.Last), byte(i))
			body = binary.LittleEndian.AppendUint16(body, uint16(r.Slice/sliceUnit))
		}
	}
	return append(append([]byte{byte(len(names))}, list...), body...)
}

// Decode reads the short form, which somebody else has written.
func Decode(b []byte) (Table, error) {
	if len(b) > MostEncoded {
		return nil, fmt.Errorf("the table has %d bytes, and at most %d are right", len(b), MostEncoded)
	}
	d := decoder{left: b}
	names := make([]string, d.byte())
	for i := range names {
		names[i] = string(d.take(int(d.byte())))
	}
	t := Table{}
	for len(d.left) > 0 && !d.short {
		s, err := d.section(names)
		if err != nil {
			return nil, err
		}
		if n := len(t); n > 0 && t[n-1].compare(s.Key) >= 0 {
			return nil, fmt.Errorf("the table has %v out of order", s.Key)
		}
		t = append(t, s)
	}
	if d.short {
		return nil, errors.New("the table ends in the middle")
	}
	return t, nil
}

func (d *decoder) section(names []string) (Section, error) {
	s := Section{Key: Key{Collective: plan.Collective(d.byte())}}
	crowded := d.byte()
	s.Crowded, s.Ranks = crowded == 1, d.word()
	rows := d.byte()
	if !d.short && (len(plan.Builders(s.Collective)) == 0 || crowded > 1 || s.Ranks < 2 || s.Ranks > MostRanks || rows > plan.Classes) {
		return s, fmt.Errorf("the table has a section that cannot be: %v", s.Key)
	}
	last := -1
	for range rows {
		r := Row{First: int(d.byte()), Last: int(d.byte())}
		name := int(d.byte())
		if r.Slice = d.word() * sliceUnit; d.short {
			break
		}
		if name >= len(names) {
			return s, fmt.Errorf("the table names algorithm %d of %d", name, len(names))
		}
		r.Algorithm = names[name]
		if f := r.check(s.Collective, last); f != nil {
			return s, fmt.Errorf("the table has, in %v, %v", s.Key, f)
		}
		last = r.Last
		s.Rows = append(s.Rows, r)
	}
	return s, nil
}

// decoder takes bytes from the front, and zeros where there are too few.
type decoder struct {
	left  []byte
	short bool
}

func (d *decoder) take(n int) []byte {
	if n > len(d.left) {
		d.short = true
		return make([]byte, n)
	}
	b := d.left[:n]
	d.left = d.left[n:]
	return b
}

func (d *decoder) byte() byte { return d.take(1)[0] }
func (d *decoder) word() int  { return int(binary.LittleEndian.Uint16(d.take(2))) }
