package meet

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// acrossHosts is the error of a job that is larger than this host.
func acrossHosts(why string) error {
	return failf(ErrUsage, "%s: meeting across hosts is not built yet; start all ranks on one host", why)
}

func fromSlurm(env environment) (Job, error) {
	size := "SLURM_STEP_NUM_TASKS"
	if env(size) == "" {
		size = "SLURM_NTASKS"
	}
	job, err := env.seat("SLURM_PROCID", size)
	if err != nil {
		return Job{}, err
	}
	if env("SLURM_STEP_NUM_NODES") != "" {
		nodes, err := env.number("SLURM_STEP_NUM_NODES", 1, 1<<30)
		if err != nil {
			return Job{}, err
		}
		if nodes > 1 {
			return Job{}, acrossHosts(fmt.Sprintf("SLURM_STEP_NUM_NODES=%d", nodes))
		}
	}
	job.At.Socket = socketName("slurm", env("SLURM_JOB_ID"), env("SLURM_STEP_ID"))
	return job, nil
}

func fromOpenMPI(env environment) (Job, error) {
	job, err := env.seat("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")
	if err != nil {
		return Job{}, err
	}
	if err := env.sameHost("OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_SIZE", job.Size); err != nil {
		return Job{}, err
	}
	if job.Size == 1 {
		return job, nil
	}
	space := env("PMIX_NAMESPACE")
	if space == "" {
		space = env("OMPI_MCA_ess_base_jobid")
	}
	if space == "" { // PMIX_ID is NAMESPACE.RANK
		if id := env("PMIX_ID"); strings.LastIndexByte(id, '.') > 0 {
			space = id[:strings.LastIndexByte(id, '.')]
		}
	}
	if space == "" {
		if space, err = parentName(); err != nil {
			return Job{}, err
		}
	}
	job.At.Socket = socketName("ompi", space)
	return job, nil
}

func fromHydra(env environment) (Job, error) {
	job, err := env.seat("PMI_RANK", "PMI_SIZE")
	if err != nil {
		return Job{}, err
	}
	if err := env.sameHost("MPI_LOCALNRANKS", "PMI_SIZE", job.Size); err != nil {
		return Job{}, err
	}
	if job.Size == 1 {
		return job, nil
	}
	parent, err := parentName() // hydra_pmi_proxy, one per host
	if err != nil {
		return Job{}, err
	}
	job.At.Socket = socketName("mpich", parent)
	return job, nil
}

// sameHost refuses a job of which only some ranks are here. The launcher need not say.
func (env environment) sameHost(localVar, sizeVar string, size int) error {
	if env(localVar) == "" {
		return nil
	}
	local, err := env.number(localVar, 1, MaxRanks)
	if err != nil {
		return err
	}
	if local != size {
		return acrossHosts(fmt.Sprintf("%s=%d but %s=%d", localVar, local, sizeVar, size))
	}
	return nil
}

// socketName makes a readable socket name of the user and what is the same for all ranks of the job; parts that are long or odd are hashed.
func socketName(how string, parts ...string) string {
	tail := strings.Join(parts, ".")
	plain := strings.IndexFunc(tail, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.@:", r)
	}) < 0
	if !plain || len(tail) > 60 {
		sum := sha256.Sum256([]byte(tail))
		tail = hex.EncodeToString(sum[:16])
	}
	return socketPrefix + how + "-" + strconv.Itoa(os.Geteuid()) + "-" + tail
}

// parentName is the parent's pid with its start time, so that a pid that comes back does not bring two jobs together.
func parentName() (string, error) {
	pid := os.Getppid()
	if pid == 0 {
		return "", failf(ErrUsage, "the launcher cannot be identified (the parent is in another pid namespace): set HCOMM_RANK, HCOMM_SIZE and HCOMM_ROOT=host:port instead")
	}
	start := "0" // unreadable for one rank is unreadable for all: they have one parent and one uid
	if stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil {
		start = startTime(string(stat))
	}
	return strconv.Itoa(pid) + "-" + start, nil
}

// startTime takes the start time, field 22, out of a /proc/PID/stat line. Field 2, the program's name, may hold blanks and parentheses.
func startTime(stat string) string {
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 {
		return "0"
	}
	return fields[19]
}
