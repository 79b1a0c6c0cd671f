package measure

import (
	"context"
	"fmt"
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
	env           []string
}

// Title names the library and the variant.
func (l *Library) Title() string { return results.Name(l.Name, l.Variant) }

// tuned has glibc keep large buffers: as it is, it gives them back at every free, and both MPIs pay for the page faults of
// their temporaries.
const tuned = "GLIBC_TUNABLES=glibc.malloc.mmap_threshold=1073741824:glibc.malloc.trim_threshold=4294967296"

const (
	source  = "bench/yardstick.c"
	folder  = "build/bench"
	compile = "-O3"
)

func hcomm() Library {
	return Library{
		Name:    results.Hcomm,
		Version: version("build/bin/hcomm", "version"),
		program: folder + "/hcomm",
		build: []string{"gcc", compile, "-DHCOMM", "-Ibuild/include", source, "-o", folder + "/hcomm", "-Lbuild/lib", "-lhcomm",
			"-Wl,-rpath,$ORIGIN/../lib"},
		start: func(ranks int, _ bool) []string { return []string{"build/bin/hcomm", "run", "-n", strconv.Itoa(ranks)} },
	}
}

func direct() Library {
	return Library{
		Name:    results.Direct,
		program: folder + "/direct",
		build:   []string{"gcc", compile, "-march=native", "-DDIRECT", source, "-o", folder + "/direct"},
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
		build: []string{"mpicc." + m.name, compile, source, "-o", program}}
	return []Library{l, l.tuned("tuned")}, ""
}

// inside is what runs a command in the newer Debian, which sees the folder as /bench.
const inside = "bench/trixie.sh"

// newer are the variants of an MPI in a newer Debian.
func (m *mpi) newer() []Library {
	program := "/bench/" + m.name + "-trixie"
	start := func(ranks int, bound bool) []string { return append([]string{inside, "in"}, m.start(ranks, bound)...) }
	l := Library{Name: m.name, Variant: "trixie", program: program, start: start,
		Version: version(inside, "in", "mpirun."+m.name, "--version"),
		build:   []string{inside, "in", "mpicc." + m.name, compile, "/source/yardstick.c", "-o", program}}
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

// Build compiles the library's program.
func (l *Library) Build(ctx context.Context) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, l.build[0], l.build[1:]...)
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(l.build, " "), err, strings.TrimSpace(string(said)))
	}
	return nil
}

// Find finds the libraries: hcomm, each of these peers in all its variants, and the direct one at last. What is missing is
// said.
func Find(ctx context.Context, peers []string, newer bool, say func(string)) (list []Library, err error) {
	list = []Library{hcomm()}
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
	list = append(list, direct())
	built := map[string]bool{}
	for _, l := range list {
		if !built[l.program] {
			built[l.program] = true
			if err := l.Build(ctx); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}
