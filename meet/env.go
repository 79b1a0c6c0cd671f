package meet

import (
	"hash/fnv"
	"net"
	"os"
	"strconv"
	"strings"
)

// environment is a getenv with the questions that launchers' rules ask.
type environment func(string) string

// launcher is one way in which a process can have been told its place.
type launcher struct {
	source string
	vars   []string // what must be there for the rule to apply; "A|B" means one of them
	place  func(environment) (Job, error)
}

// launchers in the order in which they are asked: the nearest word wins.
var launchers = []launcher{
	{"torchrun", []string{"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}, fromTorchrun},
	{"Slurm", []string{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS|SLURM_NTASKS", "SLURM_JOB_ID", "SLURM_STEP_ID"}, fromSlurm},
	{"Open MPI", []string{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, fromOpenMPI},
	{"MPICH", []string{"PMI_RANK", "PMI_SIZE"}, fromHydra},
}

// FromEnv reads the place from the environment; getenv returns "" for unset.
//
// HCOMM_RANK, HCOMM_SIZE and HCOMM_ROOT come first, then torchrun, Slurm, Open MPI and MPICH's Hydra.
// HCOMM_SECRET counts whoever told the place. Without any of them there is an error, never a job of one rank.
func FromEnv(getenv func(string) string) (Job, error) {
	env := environment(getenv)
	job, err := env.place()
	if err != nil {
		return Job{}, err
	}
	if secret := env("HCOMM_SECRET"); secret != "" {
		job.At.Secret = []byte(secret)
	}
	return job, nil
}

func (env environment) place() (Job, error) {
	if env("HCOMM_RANK") != "" || env("HCOMM_SIZE") != "" {
		return fromHCOMM(env)
	}
	for _, l := range launchers {
		if _, missing := env.have(l.vars); missing != "" || l.source == "Slurm" && env.nested() {
			continue
		}
		job, err := l.place(env)
		job.Source = l.source
		return job, err
	}
	return Job{}, env.nowhere()
}

// have says how many of vars are set and which one is missing first.
func (env environment) have(vars []string) (set int, missing string) {
	for _, v := range vars {
		found := false
		for name := range strings.SplitSeq(v, "|") {
			found = found || env(name) != ""
		}
		if found {
			set++
		} else if missing == "" {
			missing = strings.ReplaceAll(v, "|", " or ")
		}
	}
	return set, missing
}

// nested says whether an mpirun or mpiexec inside the Slurm step started this process. Such ranks inherit the SLURM_ variables of
// the step that holds the launcher, the same for all, so these say nothing about the rank. (srun --mpi=pmi2 sets PMI_RANK too, but not MPI_LOCALNRANKS.)
func (env environment) nested() bool {
	return env("OMPI_COMM_WORLD_RANK") != "" || env("PMI_RANK") != "" && env("MPI_LOCALNRANKS") != ""
}

// nowhere is the error when nobody told the place.
func (env environment) nowhere() error {
	var sources []string
	for _, l := range launchers {
		if set, missing := env.have(l.vars); set > 0 && missing != "" {
			return failf(ErrUsage, "this process was not told its rank: of %s's variables %s is missing (needed: %s)",
				l.source, missing, strings.ReplaceAll(strings.Join(l.vars, ", "), "|", " or "))
		}
		sources = append(sources, l.source)
	}
	return failf(ErrUsage, "this process was not told its rank: start it with `hcomm run -n N PROGRAM`, or set HCOMM_RANK, HCOMM_SIZE and HCOMM_ROOT=host:port (alone: HCOMM_RANK=0 HCOMM_SIZE=1); the variables of %s are not there either",
		strings.Join(sources, ", "))
}

// number reads a decimal number in lo..hi from the variable.
func (env environment) number(name string, lo, hi int) (int, error) {
	value := env(name)
	if value == "" {
		return 0, failf(ErrUsage, "%s is not set", name)
	}
	n, err := strconv.ParseUint(value, 10, 31)
	if err != nil {
		return 0, failf(ErrUsage, "%s=%s is not a decimal number", name, value)
	}
	if int(n) < lo || int(n) > hi {
		return 0, failf(ErrUsage, "%s=%s is outside %d..%d", name, value, lo, hi)
	}
	return int(n), nil
}

// seat reads rank and size.
func (env environment) seat(rankVar, sizeVar string) (job Job, err error) {
	for _, name := range []string{rankVar, sizeVar} {
		if env(name) == "" {
			return Job{}, failf(ErrUsage, "%s is not set, though %s is: both are needed", name, other(name, rankVar, sizeVar))
		}
	}
	if job.Size, err = env.number(sizeVar, 1, MaxRanks); err != nil {
		return Job{}, err
	}
	if job.Rank, err = env.number(rankVar, 0, MaxRanks-1); err != nil {
		return Job{}, err
	}
	if job.Rank >= job.Size {
		return Job{}, failf(ErrUsage, "%s=%d must be less than %s=%d", rankVar, job.Rank, sizeVar, job.Size)
	}
	return job, nil
}

func other(name, a, b string) string {
	if name == a {
		return b
	}
	return a
}

func fromHCOMM(env environment) (Job, error) {
	job, err := env.seat("HCOMM_RANK", "HCOMM_SIZE")
	if err != nil {
		return Job{}, err
	}
	job.Source = "HCOMM_RANK"
	root := env("HCOMM_ROOT")
	if root == "" {
		if job.Size > 1 {
			return Job{}, failf(ErrUsage, "HCOMM_ROOT is not set: with HCOMM_SIZE=%d it must be host:port, where rank 0 waits for the others", job.Size)
		}
		return job, nil
	}
	if _, _, err := splitHostPort("HCOMM_ROOT", root); err != nil {
		return Job{}, err
	}
	job.At.TCP = root
	return job, nil
}

// Ports derived from a torchrun job's name are firstPort..lastPort.
const firstPort, lastPort = 20000, 59999

// fromTorchrun never meets at MASTER_PORT: torch's own store listens there.
func fromTorchrun(env environment) (Job, error) {
	job, err := env.seat("RANK", "WORLD_SIZE")
	if err != nil {
		return Job{}, err
	}
	master, err := parsePort("MASTER_PORT", env("MASTER_PORT"))
	if err != nil {
		return Job{}, err
	}
	port := derivedPort(env, master)
	if text := env("HCOMM_PORT"); text != "" {
		if port, err = parsePort("HCOMM_PORT", text); err != nil {
			return Job{}, err
		}
		if port == master {
			return Job{}, failf(ErrUsage, "HCOMM_PORT=%d is MASTER_PORT, where torch's own store listens: choose another, or unset HCOMM_PORT", port)
		}
	}
	job.At.TCP = net.JoinHostPort(strings.Trim(env("MASTER_ADDR"), "[]"), strconv.Itoa(port))
	return job, nil
}

// derivedPort is the same for all ranks of one start of one job, and probably another for any other. The run id alone would not do:
// it is "none" for every job that was started without --rdzv-id.
func derivedPort(env environment, master int) int {
	h := fnv.New64a()
	for _, v := range []string{env("TORCHELASTIC_RUN_ID"), env("MASTER_ADDR"), env("MASTER_PORT"), env("TORCHELASTIC_RESTART_COUNT"), strconv.Itoa(os.Geteuid())} {
		h.Write([]byte(v + "\x00"))
	}
	port := firstPort + int(h.Sum64()%(lastPort-firstPort+1))
	if port != master {
		return port
	}
	if port == lastPort {
		return firstPort
	}
	return port + 1
}
