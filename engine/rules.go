package engine

import (
	"fmt"
	"strings"

	"hcomm/plan"
	"hcomm/tune"
)

// rules decide which builder a call takes, and its slices. They are the same on all ranks.
type rules struct {
	deterministic bool
	forced        map[plan.Collective]plan.Builder
	table         tune.Table
	crowded       bool // the ranks are more than the processors that they may use
}

// newRules reads HCOMM_ALGO, collective:algorithm,…
func newRules(algo string, deterministic bool) (rules, error) {
	r := rules{deterministic: deterministic, forced: map[plan.Collective]plan.Builder{}}
	if algo == "" {
		return r, nil
	}
	bad := func(format string, a ...any) (rules, error) {
		return rules{}, badArgument("HCOMM_ALGO", "HCOMM_ALGO=%s: %s", printable(algo), fmt.Sprintf(format, a...)).on("bad-setting")
	}
	for _, choice := range strings.Split(algo, ",") {
		name, builder, ok := strings.Cut(strings.TrimSpace(choice), ":")
		if !ok {
			return bad("%q must be collective:algorithm", choice)
		}
		k, err := plan.ParseCollective(name)
		if err != nil {
			return bad("%v", err)
		}
		if _, twice := r.forced[k]; twice {
			return bad("%.80q is there twice", name)
		}
		b, err := plan.Find(k, builder)
		if err != nil {
			return bad("%v", err)
		}
		if deterministic && k.Reduces() && b.Order < plan.LeftFold {
			return bad("%s adds in %s, which HCOMM_DETERMINISTIC=1 does not admit; it admits %s",
				printable(choice), b.Order, strings.Join(admitted(k), ", "))
		}
		r.forced[k] = b
	}
	return r, nil
}

// printable is text for a sentence: short, and without what a terminal would act on.
func printable(text string) string {
	return strings.Trim(fmt.Sprintf("%.200q", text), `"`)
}

// admitted lists the builders of a collective that HCOMM_DETERMINISTIC=1 admits.
func admitted(k plan.Collective) []string {
	var all []string
	for _, b := range plan.Builders(k) {
		if b.Order >= plan.LeftFold {
			all = append(all, b.Name)
		}
	}
	return all
}

// choice picks the builder for blocks of a size class, and how many bytes a slice has at most, 0 for a slot's: the forced
// one, or what the table says, or the model of the host. narrow says that floats narrower than float32 must be rounded
// once.
func (r *rules) choice(k plan.Collective, ranks, class int, narrow bool) (b plan.Builder, slice int) {
	least := plan.AnyOrder
	if k.Reduces() && r.deterministic {
		least = plan.LeftFold
	}
	if narrow {
		least = plan.OneFold
	}
	if b, ok := r.forced[k]; ok && b.Order >= least {
		return b, 0
	}
	b, slice, _ = r.table.Choose(tune.Key{Collective: k, Ranks: ranks, Crowded: r.crowded}, class, least)
	return b, slice
}

// below is the size from which on, at most limit, blocks of a collective do not take this builder as one slice; 0: none
// does.
func (r *rules) below(k plan.Collective, builder string, ranks, limit int) int {
	below := 0
	for class := 0; below < limit; class++ {
		if b, slice := r.choice(k, ranks, class, false); b.Name != builder || slice > 0 && slice < 1<<class {
			break
		}
		below = min(1<<class+1, limit)
	}
	return below
}
