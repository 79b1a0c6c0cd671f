package bench

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hcomm/plan"
	"hcomm/simd"
)

func TestParseSize(t *testing.T) {
	for text, want := range map[string]uint64{
		"0": 0, "8": 8, "8B": 8, "4K": 4096, "4k": 4096, "4KB": 4096, "1M": 1 << 20, "2GiB": 2 << 30, "3mib": 3 << 20,
	} {
		if got, err := ParseSize(text); err != nil || got != want {
			t.Errorf("%q: got %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "K", "-1", "1.5M", "1T", "1KM", "1 K", "9999999999G", "0x10", "1I"} {
		if got, err := ParseSize(text); err == nil {
			t.Errorf("%q: got %d, want an error", text, got)
		}
	}
}

func TestFormatSize(t *testing.T) {
	for n, want := range map[uint64]string{0: "0 B", 8: "8 B", 1023: "1023 B", 4096: "4 KiB", 3 << 19: "1.5 MiB", 2 << 30: "2 GiB"} {
		if got := FormatSize(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
	}
}

func TestCheck(t *testing.T) {
	good := Plan{Collective: plan.AllReduce, Min: 8, Max: 1024, Type: simd.Float32, Op: simd.Sum, Seconds: 1, Format: Table}
	for _, c := range []struct {
		change func(*Plan)
		want   string // "": no error
	}{
		{func(p *Plan) {}, ""},
		{func(p *Plan) { p.Min, p.Max = 0, 0; p.Collective = plan.Barrier }, ""},
		{func(p *Plan) { p.Min = 0 }, "--min is 0 bytes"},
		{func(p *Plan) { p.Min = 6 }, "multiple of the 4 bytes of the type float32"},
		{func(p *Plan) { p.Max = 4 }, "--max is 4 bytes and --min 8"},
		{func(p *Plan) { p.Max = 1 << 60 }, "this host's memory"},
		{func(p *Plan) { p.Op = simd.Xor }, `--op is "xor", which is for integers only, but --type is float32`},
		{func(p *Plan) { p.Op = simd.Xor; p.Collective = plan.Broadcast }, ""},
		{func(p *Plan) { p.Op = simd.Xor; p.Collective = plan.ReduceScatter }, `--op is "xor"`},
		{func(p *Plan) { p.Max = 1 << 38; p.Collective = plan.AlltoAll }, "and the 2 ranks' buffers, 8 times that, need more"},
		{func(p *Plan) { p.Op, p.Type = simd.Xor, simd.Int32 }, ""},
		{func(p *Plan) { p.Seconds = 0 }, "--seconds is 0"},
		{func(p *Plan) { p.Seconds = 1e6 }, "--seconds is 1e+06"},
	} {
		p := good
		c.change(&p)
		err := p.Check(2)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %q", p, err, c.want)
		}
	}
}

func TestSizes(t *testing.T) {
	p := Plan{Collective: plan.AllReduce, Min: 8, Max: 600}
	if got := p.sizes(); !slices.Equal(got, []uint64{8, 32, 128, 512}) {
		t.Errorf("got %d", got)
	}
	p.Min, p.Max = 1<<62, 1<<63
	if got := p.sizes(); len(got) != 1 {
		t.Errorf("got %d", got)
	}
}

// reduce is the collective by the book: all ranks' inputs but those of the rank without.
func reduce(t *testing.T, p *Plan, patterns []*pattern, n, it, without int) []byte {
	t.Helper()
	var sum []byte
	op := p.Op
	if op == simd.Avg {
		op = simd.Sum
	}
	kernel := simd.KernelFor(p.Type, op)
	if kernel == nil {
		t.Fatalf("no kernel for %v of %v", op, p.Type)
	}
	for r, pattern := range patterns {
		in := make([]byte, n*p.Type.Size())
		pattern.fill(in, it)
		if p.Op == simd.Avg && isFloat(p.Type) {
			simd.Scale(p.Type)(in, in, len(patterns))
		}
		switch {
		case r == without:
		case sum == nil:
			sum = in
		default:
			kernel.Reduce(sum, sum, in)
		}
	}
	if p.Op == simd.Avg && !isFloat(p.Type) {
		simd.Divide(p.Type)(sum, sum, len(patterns))
	}
	return sum
}

// What the patterns expect is what the reduction of their inputs gives, for every type and operator; and a lost
// contribution, or a single wrong byte, shows.
func TestPattern(t *testing.T) {
	const n = 3*period + 17
	for _, typ := range simd.Types() {
		for _, op := range simd.Ops() {
			if isFloat(typ) && op >= simd.And {
				continue
			}
			t.Run(fmt.Sprintf("%v/%v", typ, op), func(t *testing.T) {
				for _, ranks := range []int{1, 2, 3, 7} {
					p := &Plan{Collective: plan.AllReduce, Type: typ, Op: op}
					var patterns []*pattern
					for r := range ranks {
						patterns = append(patterns, newPattern(p, r, ranks))
					}
					pattern := patterns[0]
					for _, it := range []int{-3, 0, 1, 5000} {
						right := reduce(t, p, patterns, n, it, -1)
						if err := pattern.check(right, it); err != nil {
							t.Errorf("%d ranks, iteration %d: %v", ranks, it, err)
						}
						if err := pattern.check(right, it+1); err == nil {
							t.Errorf("%d ranks: the result of iteration %d also passes as that of the next", ranks, it)
						}
						for without := 0; without < ranks && ranks > 1; without++ {
							if pattern.check(reduce(t, p, patterns, n, it, without), it) == nil {
								t.Errorf("%d ranks: it does not show when rank %d is left out", ranks, without)
							}
						}
						last := n*typ.Size() - 1
						right[last] ^= 1
						err := pattern.check(right, it)
						if want := fmt.Sprintf("element %d of %d is ", n-1, n); err == nil || !strings.HasPrefix(err.Error(), want) {
							t.Errorf("a wrong last byte: got %v, want %s", err, want)
						}
					}
				}
			})
		}
	}
}

// outputs is the collective by the book, on the blocks of all ranks' inputs; the root is rank 0.
func outputs(t *testing.T, p *Plan, inputs [][][]byte) [][][]byte {
	ranks := len(inputs)
	out := make([][][]byte, ranks)
	add := func(block int) []byte {
		kernel := simd.KernelFor(p.Type, p.Op)
		if kernel == nil {
			t.Fatalf("no kernel for %v of %v", p.Op, p.Type)
		}
		sum := slices.Clone(inputs[0][block])
		for _, in := range inputs[1:] {
			kernel.Reduce(sum, sum, in[block])
		}
		return sum
	}
	for r := range out {
		switch p.Collective {
		case plan.AllReduce:
			out[r] = [][]byte{add(0)}
		case plan.ReduceScatter:
			out[r] = [][]byte{add(r)}
		case plan.Broadcast:
			out[r] = [][]byte{inputs[0][0]}
		case plan.Scatter:
			out[r] = [][]byte{inputs[0][r]}
		}
		for q := range inputs {
			switch p.Collective {
			case plan.AllGather:
				out[r] = append(out[r], inputs[q][0])
			case plan.AlltoAll:
				out[r] = append(out[r], inputs[q][r])
			}
		}
	}
	switch p.Collective {
	case plan.Reduce:
		out[0] = [][]byte{add(0)}
	case plan.Gather:
		for q := range inputs {
			out[0] = append(out[0], inputs[q][0])
		}
	}
	return out
}

// What the patterns expect is what each collective gives for their inputs, and it shows when a block is in another's
// place.
func TestPatternOfEachCollective(t *testing.T) {
	const n = 2 * 70 // bytes of a block
	for _, c := range plan.Collectives() {
		if c == plan.Barrier {
			continue
		}
		for ranks := 1; ranks <= 9; ranks++ {
			p := &Plan{Collective: c, Type: simd.Int16, Op: simd.Sum}
			patterns := make([]*pattern, ranks)
			inputs := make([][][]byte, ranks)
			for r := range patterns {
				patterns[r] = newPattern(p, r, ranks)
				in, _ := p.buffers(r, ranks)
				buf := make([]byte, in*n)
				patterns[r].fill(buf, 4)
				inputs[r] = slices.Collect(slices.Chunk(buf, n))
			}
			want := outputs(t, p, inputs)
			for r, pattern := range patterns {
				if _, out := p.buffers(r, ranks); out != len(want[r]) {
					t.Fatalf("%v, rank %d of %d: it has %d blocks, want %d", c, r, ranks, out, len(want[r]))
				}
				if err := pattern.check(slices.Concat(want[r]...), 4); err != nil {
					t.Errorf("%v, rank %d of %d: %v", c, r, ranks, err)
				}
				checkMisplaced(t, pattern, want, r, fmt.Sprintf("%v, rank %d of %d", c, r, ranks))
			}
		}
	}
}

// checkMisplaced puts each block that any rank gets in the place of each that rank r gets.
func checkMisplaced(t *testing.T, p *pattern, want [][][]byte, r int, what string) {
	for b, right := range want[r] {
		for q := range want {
			for i, other := range want[q] {
				if bytes.Equal(right, other) {
					continue
				}
				wrong := slices.Clone(want[r])
				wrong[b] = other
				if err := p.check(slices.Concat(wrong...), 4); err == nil {
					t.Errorf("%s: block %d of rank %d passes for block %d", what, i, q, b)
				}
			}
		}
	}
}

// Only what is the same by definition is equal.
func TestBlocksDiffer(t *testing.T) {
	p := &Plan{Collective: plan.AlltoAll, Type: simd.Int16}
	seen := map[string]string{}
	for r := range 9 {
		buf := make([]byte, 9*140)
		newPattern(p, r, 9).fill(buf, 0)
		for b, block := range slices.Collect(slices.Chunk(buf, 140)) {
			here := fmt.Sprintf("block %d of rank %d", b, r)
			if other, ok := seen[string(block)]; ok {
				t.Errorf("%s is as %s", here, other)
			}
			seen[string(block)] = here
		}
	}
}

func TestEnvironment(t *testing.T) {
	p := &Plan{Collective: plan.ReduceScatter}
	for _, c := range []struct{ algo, set, want string }{
		{"", "", ""},
		{"", "barrier:binomial", "barrier:binomial"},
		{"ring", "", "reducescatter:ring"},
		{"ring", "barrier:binomial", "barrier:binomial,reducescatter:ring"},
	} {
		t.Setenv("HCOMM_ALGO", c.set)
		p.Algo = c.algo
		if got := p.environment("HCOMM_ALGO"); got != c.want {
			t.Errorf("%+v: got %q", c, got)
		}
	}
	t.Setenv("HCOMM_SIZE", "3")
	if got := p.environment("HCOMM_SIZE"); got != "3" {
		t.Errorf("got %q", got)
	}
}
