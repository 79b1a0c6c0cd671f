package main

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"hcomm/plan"
)

func TestPlanList(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := hcomm(t, "plan", "list")
	lines := strings.Split(strings.TrimSpace(stdout), "\n")[1:]
	for _, c := range plan.Collectives() {
		for _, b := range plan.Builders(c) {
			if len(lines) == 0 || !strings.HasPrefix(lines[0], strings.ToLower(c.String())+":"+b.Name+" ") ||
				!strings.HasSuffix(lines[0], b.About) || c.Reduces() && !strings.Contains(lines[0], b.Order.String()) {
				t.Fatalf("status %d, stderr %q: no line for %v:%s, but %q", status, stderr, c, b.Name, lines)
			}
			lines = lines[1:]
		}
	}
	if status != 0 || len(lines) > 0 {
		t.Errorf("status %d, stderr %q, and also %q", status, stderr, lines)
	}
}

func TestPlanListJSON(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := hcomm(t, "plan", "list", "--collective", "ReduceScatter", "--json")
	var list []listedBuilder
	if err := json.Unmarshal([]byte(stdout), &list); status != 0 || err != nil {
		t.Fatalf("status %d, stderr %q, %v", status, stderr, err)
	}
	for i, b := range plan.Builders(plan.ReduceScatter) {
		want := listedBuilder{"reducescatter", b.Name, orderWord(b), b.About, b.Formula, b.Source}
		if i >= len(list) || list[i] != want || list[i].Order == "" {
			t.Errorf("got %+v, want %+v", list, want)
		}
	}
}

func TestPlanShow(t *testing.T) {
	t.Parallel()
	p, err := plan.Find(plan.Reduce, "chain")
	if err != nil {
		t.Fatal(err)
	}
	all := p.Programs(3, 1)
	for args, want := range map[string]string{
		"--collective reduce --algo chain --ranks 3 --root 1": "reduce:chain, 3 ranks, root 1\n\nrank 0: " + plan.Explain(all[0]) +
			"\nrank 1: " + plan.Explain(all[1]) + "\nrank 2: " + plan.Explain(all[2]),
		"--collective REDUCE --algo Chain --ranks 3 --root 1 --rank 2 --text": "reduce:chain, 3 ranks, root 1\n\nrank 2: " +
			plan.Explain(all[2]),
		"--collective reduce --algo chain --ranks 3 --root 1 --rank 0 --average scale": "reduce:chain, 3 ranks, root 1, average of floats\n\nrank 0: " +
			plan.Explain(all[0].ScaleFirst()),
		"--collective reduce --algo chain --ranks 3 --root 1 --rank 1 --average divide": "reduce:chain, 3 ranks, root 1, average of integers\n\nrank 1: " +
			plan.Explain(all[1].DivideLast()),
	} {
		stdout, stderr, status := hcomm(t, append([]string{"plan", "show"}, strings.Fields(args)...)...)
		if status != 0 || stderr != "" || stdout != want {
			t.Errorf("%s: status %d, stderr %q, stdout:\n%s\nwant:\n%s", args, status, stderr, stdout, want)
		}
	}
}

func TestPlanShowSVG(t *testing.T) {
	t.Parallel()
	args := strings.Fields("plan show --collective alltoall --algo bruck --ranks 5 --in-place --svg")
	stdout, stderr, status := hcomm(t, args...)
	d := xml.NewDecoder(strings.NewReader(stdout))
	var err error
	for err == nil {
		_, err = d.Token()
	}
	if status != 0 || stderr != "" || !errors.Is(err, io.EOF) || !strings.Contains(stdout, "<title>alltoall:bruck, 5 ranks, in place</title>") {
		t.Errorf("status %d, stderr %q, %v, stdout %.200s", status, stderr, err, stdout)
	}
	if again, _, _ := hcomm(t, args...); again != stdout {
		t.Error("a second run draws something else")
	}
}

func TestPlanShowJSON(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := hcomm(t, strings.Fields("plan show --collective allreduce --algo ring --ranks 3 --average scale --json")...)
	var d shownDocument
	if err := json.Unmarshal([]byte(stdout), &d); status != 0 || err != nil {
		t.Fatalf("status %d, stderr %q, %v", status, stderr, err)
	}
	if d.Collective != "allreduce" || d.Builder != "ring" || d.Order != "any" || d.Ranks != 3 || d.Root != nil || d.Average != "scale" ||
		len(d.Programs) != 3 {
		t.Fatalf("got %s", stdout)
	}
	b, err := plan.Find(plan.AllReduce, "ring")
	if err != nil {
		t.Fatal(err)
	}
	for r, p := range b.Programs(3, 0) {
		p = p.ScaleFirst()
		got := d.Programs[r]
		if got.Rank != r || got.Parts != p.Parts || got.Scratch != p.Scratch || len(got.Steps) != len(p.Steps) {
			t.Fatalf("rank %d: got %+v", r, got)
		}
		for j, s := range got.Steps {
			if back := s.step(); plan.Explain(program(back)) != plan.Explain(program(p.Steps[j])) {
				t.Errorf("rank %d, step %d: got %s, want %s", r, j, plan.Explain(program(back)), plan.Explain(program(p.Steps[j])))
			}
		}
	}
}

func program(s plan.Step) plan.Program { return plan.Program{Steps: []plan.Step{s}} }

// step reads a step back.
func (s shownStep) step() plan.Step {
	places := map[string]plan.Place{"input": plan.Input, "output": plan.Output, "scratch": plan.Scratch, "message": plan.Message}
	maps := map[string]plan.Map{"": plan.Identity, "scale": plan.Scale, "divide": plan.Divide}
	out := plan.Step{Part: s.Part, To: s.To, Channel: s.Channel, Eager: s.Eager}
	for _, o := range s.Operands {
		x := plan.Operand{Location: plan.Location{Place: places[o.Place]}, Map: maps[o.Map]}
		if x.Place == plan.Message {
			x.From, x.Channel = *o.From, *o.Channel
		} else {
			x.Block = *o.Block
		}
		out.Operands = append(out.Operands, x)
	}
	if s.Store != nil {
		out.Store = plan.Location{Place: places[s.Store.Place], Block: s.Store.Block}
	}
	for _, d := range s.After {
		out.After = append(out.After, plan.Dependency{Step: d.Step, Lag: d.Lag, Read: d.Read})
	}
	return out
}

func TestPlanWrongUse(t *testing.T) {
	t.Parallel()
	ring := "show --collective allreduce --algo ring "
	for args, want := range map[string]string{
		"":                                       "say list, show or choice",
		"draw":                                   `"draw" is not known here; say list, show or choice`,
		"list all":                               `"all": only flags may follow`,
		"list --collective add":                  `--collective: "add" is no collective; there are allreduce, broadcast, barrier, reduce`,
		"show":                                   "--collective is missing (see: hcomm plan show --help)",
		"show --collective allreduce":            "--algo is missing",
		"show --collective allreduce --algo a":   "--ranks is missing",
		"show --collective a --algo a --ranks 2": `--collective: "a" is no collective; there are allreduce, broadcast`,
		"show --collective allreduce --algo a --ranks 2":                 `--algo: AllReduce has no algorithm "a"; it has direct, `,
		ring + "--ranks two":                                             `--ranks is "two"; it must be a whole number`,
		ring + "--ranks 0":                                               "--ranks is 0; it must be 1 to 300",
		ring + "--ranks 301":                                             "--ranks is 301; it must be 1 to 300",
		ring + "--ranks 65 --svg":                                        "--ranks is 65; nobody could read a picture of more than 64",
		ring + "--ranks 2 --root 0":                                      "--root has no meaning for allreduce",
		ring + "--ranks 2 --rank 2":                                      "--rank is 2; with --ranks 2 it must be 0 to 1",
		ring + "--ranks 2 --rank -1":                                     "--rank is -1; with --ranks 2 it must be 0 to 1",
		ring + "--ranks 2 --rank 1 --svg":                                "--rank has no meaning for --svg",
		ring + "--ranks 2 --svg --json":                                  "--text, --svg and --json exclude each other",
		ring + "--ranks 2 --text --json":                                 "--text, --svg and --json exclude each other",
		ring + "--ranks 2 --average half":                                `--average is "half"; it must be scale or divide`,
		"show --collective gather --algo flat --ranks 2 --root 2":        "--root is 2; with --ranks 2 it must be 0 to 1",
		"show --collective gather --algo flat --ranks 2 --average scale": "--average has no meaning for gather",
	} {
		if stdout, stderr, status := hcomm(t, append([]string{"plan"}, strings.Fields(args)...)...); status != 125 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, stderr %q, want %q", args, status, stderr, want)
		}
	}
}

func TestPlanChoice(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := hcomm(t, "plan", "choice", "--ranks", "2", "--collective", "allreduce")
	if status != 0 || !strings.Contains(stdout, "direct") || !strings.Contains(stdout, "any") {
		t.Errorf("status %d, stderr %q: %s", status, stderr, stdout)
	}
	stdout, stderr, status = hcomm(t, "plan", "choice", "--ranks", "5", "--deterministic", "--json")
	var rows []chosen
	if err := json.Unmarshal([]byte(stdout), &rows); status != 0 || err != nil {
		t.Fatalf("status %d, stderr %q, %v", status, stderr, err)
	}
	for _, r := range rows {
		c, err := plan.ParseCollective(r.Collective)
		if err != nil {
			t.Fatal(err)
		}
		b, err := plan.Find(c, r.Algorithm)
		if err != nil || c.Reduces() && b.Order < plan.LeftFold {
			t.Errorf("%+v: %v", r, err)
		}
	}
	if _, stderr, status = hcomm(t, "plan", "choice"); status != 125 || !strings.Contains(stderr, "--ranks is missing") {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
}
