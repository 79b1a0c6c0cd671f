package main

import (
	"fmt"
	"math"
	"strings"

	"hcomm/plan"
)

// someRanks are those that the tables have.
var someRanks = []int{2, 3, 4, 5, 8, 16, 32, 64}

// classes of sizes go up to 2^40 bytes here; what is chosen for that is chosen for more.
const classes = 41

// span is a range of sizes for which one builder is chosen.
type span struct {
	builder string
	class   int // the last, of blocks of up to 2^class bytes
}

// choices lists what the engine chooses, from the smallest block to the largest: the cheapest builder by the model of the
// host among those that keep the order.
func choices(c plan.Collective, least plan.Order, ranks int) []span {
	var all []span
	for class := range classes {
		name := plan.Cheapest(c, least, plan.Host, ranks, math.Exp2(float64(class))).Name
		if n := len(all); n > 0 && all[n-1].builder == name {
			all[n-1].class = class
		} else {
			all = append(all, span{name, class})
		}
		if c == plan.Barrier { // it has no bytes
			all[0].class = classes - 1
			break
		}
	}
	return all
}

// inWords is "direct up to 8 KiB, ring above".
func inWords(all []span) string {
	if len(all) == 1 {
		return "`" + all[0].builder + "`"
	}
	words := make([]string, len(all))
	for i, s := range all {
		words[i] = fmt.Sprintf("`%s` up to %s", s.builder, size(s.class))
	}
	words[len(all)-1] = fmt.Sprintf("`%s` above", all[len(all)-1].builder)
	return strings.Join(words, ", ")
}

// size writes 2^class bytes.
func size(class int) string {
	return fmt.Sprintf("%d %s", 1<<(class%10), []string{"B", "KiB", "MiB", "GiB", "TiB"}[class/10])
}

// table says what is chosen, in Markdown; rows that say the same are one.
func table(c plan.Collective) string {
	var b strings.Builder
	head, rule := "| ranks | chosen |", "|---|---|"
	if c.Reduces() {
		head, rule = head+" with HCOMM_DETERMINISTIC=1 |", rule+"---|"
	}
	fmt.Fprintf(&b, "%s\n%s\n", head, rule)
	var ranks []string
	for i, n := range someRanks {
		ranks = append(ranks, fmt.Sprint(n))
		if i+1 < len(someRanks) && row(c, n) == row(c, someRanks[i+1]) {
			continue
		}
		fmt.Fprintf(&b, "| %s | %s |\n", strings.Join(ranks, ", "), row(c, n))
		ranks = nil
	}
	return b.String()
}

func row(c plan.Collective, ranks int) string {
	text := inWords(choices(c, plan.AnyOrder, ranks))
	if !c.Reduces() {
		return text
	}
	fold := inWords(choices(c, plan.LeftFold, ranks))
	if fold == text {
		fold = "the same"
	}
	return text + " | " + fold
}

// everChosen says whether a builder is in the table.
func everChosen(b plan.Builder) bool {
	return strings.Contains(table(b.Collective), "`"+b.Name+"`")
}
