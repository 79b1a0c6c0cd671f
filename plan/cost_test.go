package plan

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// within is how far, as a factor, a cost may be from what the simulation says.
const within = 2.5

// TestCostIsNearSimulation: the formulas know as much as one needs to choose.
func TestCostIsNearSimulation(t *testing.T) {
	for _, b := range builders {
		for _, ranks := range []int{1, 2, 3, 4, 5, 7, 8, 9, 16, 24} {
			for root := 0; root < (subject{Builder: b}).roots(ranks); root += max(ranks/2, 1) {
				programs := b.Programs(ranks, root)
				for _, bytes := range []float64{8, 1 << 10, 8 << 10, 64 << 10, 1 << 20} {
					if b.Collective == Barrier {
						bytes = 0
					}
					cost, seconds := b.Cost(Host, ranks, bytes), Simulate(programs, b.Collective, bytes, Host)
					if cost > within*seconds || seconds > within*cost {
						t.Errorf("%v/%s, %d ranks, root %d, %g bytes: estimated %.3g µs, simulated %.3g µs",
							b.Collective, b.Name, ranks, root, bytes, cost*1e6, seconds*1e6)
					}
				}
			}
		}
	}
}

// TestCheapestIsFast: who chooses by cost loses little to who would simulate them all.
func TestCheapestIsFast(t *testing.T) {
	const loss = 1.5
	for _, c := range Collectives() {
		for _, ranks := range []int{2, 3, 4, 5, 7, 8, 9, 16} {
			for _, bytes := range []float64{8, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 1 << 20} {
				cheapest, chosen, fastest := math.Inf(1), 0.0, math.Inf(1)
				for _, b := range Builders(c) {
					seconds := Simulate(b.Programs(ranks, 0), c, bytes, Host)
					if cost := b.Cost(Host, ranks, bytes); cost < cheapest {
						cheapest, chosen = cost, seconds
					}
					fastest = min(fastest, seconds)
				}
				if chosen > loss*fastest {
					t.Errorf("%v, %d ranks, %g bytes: the cheapest takes %.3g µs, the fastest %.3g µs",
						c, ranks, bytes, chosen*1e6, fastest*1e6)
				}
			}
		}
	}
}

// TestFormulasAreCosts: what people read is what is computed.
func TestFormulasAreCosts(t *testing.T) {
	for _, b := range builders {
		path, traffic, ok := strings.Cut(b.Formula, ", at least ")
		if !ok {
			t.Errorf("%v/%s: %q has no bound", b.Collective, b.Name, b.Formula)
			continue
		}
		for _, ranks := range []int{2, 3, 8, 21} {
			for _, bytes := range []float64{0, 8, 100e3, 5e6} {
				n := float64(ranks)
				slices, w := Host.Slices(bytes / float64(b.Programs(ranks, 0)[0].Parts))
				letters := map[string]float64{
					"α": Host.Latency, "o": Host.Overhead, "β": Host.Copy, "γ": Host.Reduce, "δ": Host.Memory,
					"n": n, "m": bytes, "L": math.Ceil(math.Log2(n)), "K": slices, "w": w,
				}
				want := max(evaluate(t, path, letters), evaluate(t, traffic, letters))
				if have := b.Cost(Host, ranks, bytes); math.Abs(have-want) > 1e-9*want {
					t.Errorf("%v/%s, %d ranks, %g bytes: %s is %g, the cost is %g", b.Collective, b.Name, ranks, bytes, b.Formula, want, have)
				}
			}
		}
	}
}

// evaluate computes a formula in which letters are quantities and products need no sign.
func evaluate(t *testing.T, formula string, letters map[string]float64) float64 {
	var text strings.Builder
	var last rune
	for _, c := range formula {
		if c == ' ' {
			continue
		}
		factor := unicode.IsLetter(last) || unicode.IsDigit(last) || last == ')'
		if factor && (unicode.IsLetter(c) || c == '(') {
			text.WriteByte('*')
		}
		if c == '²' {
			text.WriteString("*" + string(last))
			continue
		}
		text.WriteRune(c)
		last = c
	}
	expr, err := parser.ParseExpr(text.String())
	if err != nil {
		t.Fatalf("%q: %v", formula, err)
	}
	return quantity(t, expr, letters)
}

func quantity(t *testing.T, expr ast.Expr, letters map[string]float64) float64 {
	switch x := expr.(type) {
	case *ast.ParenExpr:
		return quantity(t, x.X, letters)
	case *ast.Ident:
		v, ok := letters[x.Name]
		if !ok {
			t.Fatalf("%s is no quantity", x.Name)
		}
		return v
	case *ast.BasicLit:
		v, err := strconv.ParseFloat(x.Value, 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	case *ast.BinaryExpr:
		a, b := quantity(t, x.X, letters), quantity(t, x.Y, letters)
		switch x.Op {
		case token.ADD:
			return a + b
		case token.SUB:
			return a - b
		case token.MUL:
			return a * b
		case token.QUO:
			return a / b
		}
	}
	t.Fatal(fmt.Sprintf("a formula with %T", expr))
	return 0
}
