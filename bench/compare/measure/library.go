package measure

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"hcomm/bench/compare/results"
)

// A Library is one that can be measured here, in one of its variants.
type Library struct {
	Name, Variant string
	Version       string
	build         []string // a command
	program       string
	start         func(ranks int, bound bool) []string // what comes before the program
	within        []string                             // what comes before all
	env           []string
}

// Title names the library and the variant.
func (l *Library) Title() string { return results.Name(l.Name, l.Variant) }

// tuned has glibc keep large buffers: as it is, it gives them back at every free, and both MPIs pay for the page faults of
// their temporaries.
const tuned = "GLIBC_TUNABLES=glibc.malloc.mmap_threshold=1073741824:glibc.malloc.trim_threshold=4294967296"

const (
	source   = "bench/yardstick.c"
	folder   = "build/bench"
	optimise = "-O3"
)

func hcomm() Library {
	return Library{
		Name:    results.Hcomm,
		Version: version("build/bin/hcomm", "version"),
		program: folder + "/hcomm",
		build: []string{"gcc", optimise, "-DHCOMM", "-Ibuild/include", source, "-o", folder + "/hcomm", "-Lbuild/lib", "-lhcomm",
			"-Wl,-rpath,$ORIGIN/../lib"},
		start: func(ranks int, _ bool) []string { return []string{"build/bin/hcomm", "run", "-n", strconv.Itoa(ranks)} },
	}
}

func direct() Library {
	return Library{
		Name:    results.Direct,
		program: folder + "/direct",
		build:   []string{"gcc", optimise, "-march=native", "-DDIRECT", source, "-o", folder + "/direct"},
		start:   func(int, bool) []string { return nil },
	}
}

// An mpi is one of Debian's.
type mpi struct {
	name     string
	packages string // that have it
	start    func(ranks int, bound bool) []string
}

var mpis = []mpi{
	{"openmpi", "libopenmpi-dev, openmpi-bin", func(ranks int, bound bool) []string {
		return []string{"mpirun.openmpi", "--allow-run-as-root", "--oversubscribe", "-n", strconv.Itoa(ranks), "--bind-to", binding(bound)}
	}},
	{"mpich", "libmpich-dev, mpich", func(ranks int, bound bool) []string {
		return []string{"mpirun.mpich", "-n", strconv.Itoa(ranks), "-bind-to", binding(bound)}
	}},
}

func binding(bound bool) string {
	if bound {
		return "core"
	}
	return "none"
}

// Peers are the names that Options.Peers may have.
func Peers() (names []string) {
	for _, m := range mpis {
		names = append(names, m.name)
	}
	return names
}

// here are the variants of an MPI that is installed; if it is not, missing says what would have it.
func (m *mpi) here() (variants []Library, missing string) {
	for _, command := range []string{"mpicc." + m.name, "mpirun." + m.name} {
		if _, err := exec.LookPath(command); err != nil {
			return nil, fmt.Sprintf("%s is left out, for there is no %s (Debian: %s)", m.name, command, m.packages)
		}
	}
	program := folder + "/" + m.name
	l := Library{Name: m.name, program: program, start: m.start, Version: version("mpirun."+m.name, "--version"),
		build: []string{"mpicc." + m.name, optimise, source, "-o", program}}
	return []Library{l, l.tuned("tuned")}, ""
}

// inside is what runs a command in the newer Debian, which sees the folder as /bench.
const inside = "bench/trixie.sh"

// newer are the variants of an MPI in a newer Debian.
func (m *mpi) newer() []Library {
	program := "/bench/" + m.name + "-trixie"
	l := Library{Name: m.name, Variant: "trixie", program: program, start: m.start, within: []string{inside, "in"},
		Version: version(inside, "in", "mpirun."+m.name, "--version"),
		build:   []string{inside, "in", "mpicc." + m.name, optimise, "/source/yardstick.c", "-o", program}}
	return []Library{l, l.tuned("trixie-tuned")}
}

func (l Library) tuned(variant string) Library {
	l.Variant, l.env = variant, []string{tuned}
	return l
}

var number = regexp.MustCompile(`\d+\.\d+(\.\d+)*\S*`)

// version finds a version in what a command says of itself; nothing if it says none.
func version(command ...string) string {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	said, _ := exec.CommandContext(ctx, command[0], command[1:]...).Output()
	return number.FindString(string(said))
}

// compile makes the library's program.
func (l *Library) compile(ctx context.Context) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, l.build[0], l.build[1:]...)
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(l.build, " "), err, strings.TrimSpace(string(said)))
	}
	return nil
}

// A Pair is what is run in turns, one right after the other.
type Pair struct{ Mine, Other Library }

// name is what the rows have.
func (p *Pair) name() string {
	if p.Mine.Name == results.Hcomm {
		return p.Other.Title()
	}
	return p.Mine.Title()
}

// Find finds what is measured: hcomm beside each of these peers in all its variants, and the direct one at last. What is
// missing is said.
func Find(ctx context.Context, peers []string, newer bool, say func(string)) (pairs []Pair, err error) {
	mine := hcomm()
	for _, l := range append(find(ctx, peers, newer, say), direct()) {
		pairs = append(pairs, Pair{mine, l})
	}
	return pairs, build(ctx, pairs)
}

// Versions are those of the libraries, hcomm's too, by their names; a newer Debian's are variants of their own.
func Versions(pairs []Pair) map[string]string {
	versions := map[string]string{results.Hcomm: hcomm().Version}
	for _, p := range pairs {
		name, _ := strings.CutSuffix(p.Other.Title(), "tuned")
		versions[strings.TrimSuffix(name, "-")] = p.Other.Version
	}
	maps.DeleteFunc(versions, func(_, version string) bool { return version == "" })
	return versions
}

// find finds the peers.
func find(ctx context.Context, peers []string, newer bool, say func(string)) (list []Library) {
	if newer {
		cmd := exec.CommandContext(ctx, inside, "make")
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		if err := cmd.Run(); err != nil {
			say("the newer Debian is left out: " + err.Error())
			newer = false
		}
	}
	for _, m := range mpis {
		if !slices.Contains(peers, m.name) {
			continue
		}
		variants, missing := m.here()
		if missing != "" {
			say(missing)
		}
		list = append(list, variants...)
		if newer {
			list = append(list, m.newer()...)
		}
	}
	return list
}

// build compiles each program once.
func build(ctx context.Context, pairs []Pair) error {
	built := map[string]bool{}
	for _, p := range pairs {
		for _, l := range []*Library{&p.Mine, &p.Other} {
			if built[l.program] {
				continue
			}
			built[l.program] = true
			if err := l.compile(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}
