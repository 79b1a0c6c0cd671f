package launch

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"hcomm/processors"
)

// Binding says whether each rank gets a CPU of its own.
type Binding string

const (
	BindAuto Binding = ""     // BindCore if there are enough CPUs, BindNone otherwise
	BindCore Binding = "core" // rank i runs on the i-th CPU that this process may use
	BindNone Binding = "none" // ranks run wherever this process may
)

// places gives the CPU of each rank, nil when ranks are not bound.
func (j *Job) places() ([]int, error) {
	if j.Bind == BindNone {
		return nil, nil
	}
	var mask unix.CPUSet
	if err := unix.SchedGetaffinity(0, &mask); err != nil {
		return nil, fmt.Errorf("cannot read the affinity mask: %w", err)
	}
	return place(j.Bind, j.Ranks, cpus(&mask), processors.Quota(os.DirFS("/")))
}

func place(how Binding, ranks int, cpus []int, quota float64) ([]int, error) {
	switch {
	case ranks <= len(cpus) && float64(ranks) <= quota:
		return cpus[:ranks], nil
	case how == BindAuto:
		return nil, nil
	case ranks > len(cpus):
		return nil, fmt.Errorf("--bind core needs a CPU for each of the %d ranks, and this process may use %d", ranks, len(cpus))
	default:
		return nil, fmt.Errorf("--bind core needs a CPU for each of the %d ranks, and this process's control group may use the time of %.4g", ranks, quota)
	}
}

func cpus(mask *unix.CPUSet) []int {
	var list []int
	for cpu := range len(mask) * 64 {
		if mask.IsSet(cpu) {
			list = append(list, cpu)
		}
	}
	return list
}

// bindThread binds the calling thread, and with it what it starts from now on.
func bindThread(cpu int) error {
	var mask unix.CPUSet
	mask.Set(cpu)
	if err := unix.SchedSetaffinity(0, &mask); err != nil {
		return fmt.Errorf("cannot bind a rank to CPU %d: %w", cpu, err)
	}
	return nil
}
