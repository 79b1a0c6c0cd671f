package main

import (
	"fmt"
	"strings"

	"hcomm/plan"
)

// someRanks are those that the tables have.
var someRanks = []int{2, 3, 4, 5, 8, 16, 32, 64}

// inWords is "direct up to 8 KiB, ring above".
func inWords(all []plan.Choice) string {
	if len(all) == 1 {
		return "`" + all[0].Builder.Name + "`"
	}
	words := make([]string, len(all))
	for i, s := range all {
		words[i] = fmt.Sprintf("`%s` up to %s", s.Builder.Name, size(s.Class))
	}
	words[len(all)-1] = fmt.Sprintf("`%s` above", all[len(all)-1].Builder.Name)
	return strings.Join(words, ", ")
}

// size writes 2^class bytes.
func size(class int) string {
	return fmt.Sprintf("%d %s", 1<<(class%10), []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}[class/10])
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
	text := inWords(plan.Choices(c, plan.AnyOrder, plan.Host, ranks))
	if !c.Reduces() {
		return text
	}
	fold := inWords(plan.Choices(c, plan.LeftFold, plan.Host, ranks))
	if fold == text {
		fold = "the same"
	}
	return text + " | " + fold
}

// everChosen says whether a builder is in the table.
func everChosen(b plan.Builder) bool {
	return strings.Contains(table(b.Collective), "`"+b.Name+"`")
}
