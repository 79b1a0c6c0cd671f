package main

import "hcomm/plan"

// What plan list --json and plan show --json write. Fields are added, but neither renamed nor removed.

type listedBuilder struct {
	Collective string `json:"collective"`
	Builder    string `json:"algorithm"`
	Order      string `json:"order,omitempty"` // of a reduction
	About      string `json:"about"`
	Formula    string `json:"formula"`
	Source     string `json:"source"`
}

func listed(all []plan.Builder) []listedBuilder {
	list := make([]listedBuilder, len(all))
	for i, b := range all {
		list[i] = listedBuilder{lower(b.Collective), b.Name, orderWord(b), b.About, b.Formula, b.Source}
	}
	return list
}

// orderWord is a word for what a reduction keeps.
func orderWord(b plan.Builder) string {
	if !b.Collective.Reduces() {
		return ""
	}
	return map[plan.Order]string{
		plan.AnyOrder: "any", plan.RankOrder: "rank", plan.LeftFold: "left-fold", plan.OneFold: "one-fold",
	}[b.Order]
}

type shownDocument struct {
	Collective string         `json:"collective"`
	Builder    string         `json:"algorithm"`
	Order      string         `json:"order,omitempty"` // of a reduction
	Ranks      int            `json:"ranks"`
	Root       *int           `json:"root,omitempty"` // of a rooted collective
	InPlace    bool           `json:"in_place"`
	Average    string         `json:"average,omitempty"`
	Programs   []shownProgram `json:"programs"`
}

type shownProgram struct {
	Rank    int         `json:"rank"`
	Parts   int         `json:"parts"`   // of each block
	Scratch int         `json:"scratch"` // blocks
	Apart   bool        `json:"apart"`   // it is only for input and output that are different memory
	Steps   []shownStep `json:"steps"`
}

type shownStep struct {
	Part     int            `json:"part"`
	Operands []shownOperand `json:"operands"`
	Store    *shownLocation `json:"store"`
	To       []int          `json:"to"` // ranks
	Channel  int            `json:"channel"`
	Eager    bool           `json:"eager"`
	After    []shownAfter   `json:"after"`
}

// shownOperand is a message, which has From and Channel, or memory, which has Block.
type shownOperand struct {
	Place   string `json:"place"`
	Block   *int   `json:"block,omitempty"`
	From    *int   `json:"from,omitempty"`
	Channel *int   `json:"channel,omitempty"`
	Map     string `json:"map,omitempty"`
}

type shownLocation struct {
	Place string `json:"place"`
	Block int    `json:"block"`
}

type shownAfter struct {
	Step int  `json:"step"`
	Lag  int  `json:"lag"`
	Read bool `json:"read"`
}

func (s *shown) document() shownDocument {
	d := shownDocument{
		Collective: lower(s.builder.Collective), Builder: s.builder.Name, Order: orderWord(s.builder),
		Ranks: len(s.programs), InPlace: s.inPlace, Average: s.average,
	}
	if s.builder.Collective.Rooted() {
		d.Root = &s.root
	}
	for r, p := range s.programs {
		if s.only >= 0 && s.only != r {
			continue
		}
		steps := make([]shownStep, len(p.Steps))
		for j := range p.Steps {
			steps[j] = showStep(&p.Steps[j])
		}
		d.Programs = append(d.Programs, shownProgram{r, p.Parts, p.Scratch, p.Apart, steps})
	}
	return d
}

func showStep(s *plan.Step) shownStep {
	out := shownStep{Part: s.Part, To: append([]int{}, s.To...), Channel: s.Channel, Eager: s.Eager, After: []shownAfter{}}
	for i := range s.Operands {
		out.Operands = append(out.Operands, showOperand(&s.Operands[i]))
	}
	if s.Store.Place != plan.Nowhere {
		out.Store = &shownLocation{s.Store.Place.String(), s.Store.Block}
	}
	for _, d := range s.After {
		out.After = append(out.After, shownAfter{d.Step, d.Lag, d.Read})
	}
	return out
}

func showOperand(x *plan.Operand) shownOperand {
	o := shownOperand{Place: x.Place.String()}
	if x.Place == plan.Message {
		o.From, o.Channel = &x.From, &x.Channel
	} else {
		o.Block = &x.Block
	}
	switch x.Map {
	case plan.Scale:
		o.Map = "scale"
	case plan.Divide:
		o.Map = "divide"
	}
	return o
}
