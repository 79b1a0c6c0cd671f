package meet

import (
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

// vars makes a getenv from "A=1 B=2".
func vars(text string) func(string) string {
	m := map[string]string{}
	for _, f := range strings.Fields(text) {
		k, v, _ := strings.Cut(f, "=")
		m[k] = v
	}
	return func(name string) string { return m[name] }
}

const (
	torchrun = "RANK=1 WORLD_SIZE=4 MASTER_ADDR=localhost MASTER_PORT=29500 TORCHELASTIC_RUN_ID=none TORCHELASTIC_RESTART_COUNT=0 "
	slurm    = "SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=4 SLURM_NTASKS=8 SLURM_JOB_ID=77 SLURM_STEP_ID=3 SLURM_STEP_NUM_NODES=1 SLURM_LOCALID=1 "
	ompi     = "OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_SIZE=4 "
	hydra    = "PMI_RANK=1 PMI_SIZE=4 MPI_LOCALNRANKS=4 MPI_LOCALRANKID=1 "
)

func TestFromEnv(t *testing.T) {
	uid := os.Geteuid()
	parent, err := parentName()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ env, want string }{
		{"HCOMM_RANK=1 HCOMM_SIZE=4 HCOMM_ROOT=127.0.0.1:5000", "1/4 HCOMM_RANK 127.0.0.1:5000"},
		{"HCOMM_RANK=0 HCOMM_SIZE=1", "0/1 HCOMM_RANK "},
		{"HCOMM_RANK=0 HCOMM_SIZE=2 HCOMM_ROOT=[::1]:5000 HCOMM_SECRET=x", "0/2 HCOMM_RANK [::1]:5000 x"},
		{"HCOMM_RANK=0 HCOMM_SIZE=1 " + torchrun + slurm + ompi + hydra, "0/1 HCOMM_RANK "},
		{torchrun + "HCOMM_PORT=4000 " + slurm + ompi + hydra, "1/4 torchrun localhost:4000"},
		{torchrun + "HCOMM_PORT=4000 HCOMM_SECRET=x", "1/4 torchrun localhost:4000 x"},
		{slurm, fmt.Sprintf("1/4 Slurm @hcomm-slurm-%d-77.3", uid)},
		{slurm + "PMI_RANK=1 PMI_SIZE=4", fmt.Sprintf("1/4 Slurm @hcomm-slurm-%d-77.3", uid)}, // srun --mpi=pmi2
		{strings.ReplaceAll(slurm, "SLURM_STEP_NUM_TASKS", "_"), fmt.Sprintf("1/8 Slurm @hcomm-slurm-%d-77.3", uid)},
		{slurm + ompi + "PMIX_NAMESPACE=ns", fmt.Sprintf("1/4 Open MPI @hcomm-ompi-%d-ns", uid)}, // mpirun in a Slurm job
		{slurm + hydra, fmt.Sprintf("1/4 MPICH @hcomm-mpich-%d-%s", uid, parent)},                // mpiexec in a Slurm job
		{ompi + "PMIX_NAMESPACE=prterun-host-1234@1", fmt.Sprintf("1/4 Open MPI @hcomm-ompi-%d-prterun-host-1234@1", uid)},
		{ompi + "OMPI_MCA_ess_base_jobid=991 PMIX_ID=5.1", fmt.Sprintf("1/4 Open MPI @hcomm-ompi-%d-991", uid)},
		{ompi + "PMIX_ID=a.b.1", fmt.Sprintf("1/4 Open MPI @hcomm-ompi-%d-a.b", uid)},
		{ompi, fmt.Sprintf("1/4 Open MPI @hcomm-ompi-%d-%s", uid, parent)},
		{ompi + hydra, fmt.Sprintf("1/4 Open MPI @hcomm-ompi-%d-%s", uid, parent)},
		{hydra, fmt.Sprintf("1/4 MPICH @hcomm-mpich-%d-%s", uid, parent)},
		{"PMI_RANK=0 PMI_SIZE=1", "0/1 MPICH "},
	} {
		job, err := FromEnv(vars(c.env))
		if err != nil {
			t.Errorf("%s: %v", c.env, err)
			continue
		}
		got := strings.TrimRight(fmt.Sprintf("%d/%d %s %s %s", job.Rank, job.Size, job.Source, job.At, job.At.Secret), " ")
		if got != strings.TrimRight(c.want, " ") {
			t.Errorf("%s:\ngot  %s\nwant %s", c.env, got, c.want)
		}
		if err := job.check(); err != nil {
			t.Errorf("%s: %v", c.env, err)
		}
	}
}

func TestFromEnvErrors(t *testing.T) {
	swap := func(env, from, to string) string {
		if !strings.Contains(env, from) {
			t.Fatalf("%q has no %q", env, from)
		}
		return strings.ReplaceAll(env, from, to)
	}
	for _, c := range []struct{ env, text string }{
		{"", "this process was not told its rank: start it with `hcomm run -n N PROGRAM`, or set HCOMM_RANK, HCOMM_SIZE and HCOMM_ROOT=host:port (alone: HCOMM_RANK=0 HCOMM_SIZE=1); the variables of torchrun, Slurm, Open MPI, MPICH are not there either"},
		{"SLURM_PROCID=0 SLURM_NTASKS=4 SLURM_JOB_ID=7", "of Slurm's variables SLURM_STEP_ID is missing (needed: "},
		{"SLURM_PROCID=0 SLURM_JOB_ID=7 SLURM_STEP_ID=1", "of Slurm's variables SLURM_STEP_NUM_TASKS or SLURM_NTASKS is missing"},
		{"RANK=0 WORLD_SIZE=2", "of torchrun's variables MASTER_ADDR is missing"},
		{"PMI_RANK=0", "of MPICH's variables PMI_SIZE is missing"},
		{"HCOMM_RANK=0", "HCOMM_SIZE is not set, though HCOMM_RANK is: both are needed"},
		{"HCOMM_SIZE=2", "HCOMM_RANK is not set, though HCOMM_SIZE is: both are needed"},
		{"HCOMM_RANK=0 HCOMM_SIZE=2", "HCOMM_ROOT is not set: with HCOMM_SIZE=2 it must be host:port, where rank 0 waits for the others"},
		{"HCOMM_RANK=2 HCOMM_SIZE=2", "HCOMM_RANK=2 must be less than HCOMM_SIZE=2"},
		{"HCOMM_RANK=-1 HCOMM_SIZE=2", "HCOMM_RANK=-1 is not a decimal number"},
		{"HCOMM_RANK=+1 HCOMM_SIZE=2", "HCOMM_RANK=+1 is not a decimal number"},
		{"HCOMM_RANK=0x1 HCOMM_SIZE=2", "HCOMM_RANK=0x1 is not a decimal number"},
		{"HCOMM_RANK=0 HCOMM_SIZE=0", "HCOMM_SIZE=0 is outside 1..4096"},
		{"HCOMM_RANK=0 HCOMM_SIZE=4097", "HCOMM_SIZE=4097 is outside 1..4096"},
		{"HCOMM_RANK=0 HCOMM_SIZE=99999999999999999999", "is not a decimal number"},
		{"HCOMM_RANK=0 HCOMM_SIZE=2 HCOMM_ROOT=host", "HCOMM_ROOT=host is not host:port"},
		{"HCOMM_RANK=0 HCOMM_SIZE=2 HCOMM_ROOT=:5000", "HCOMM_ROOT=:5000 is not host:port"},
		{"HCOMM_RANK=0 HCOMM_SIZE=2 HCOMM_ROOT=::1", "HCOMM_ROOT=::1 is not host:port (an IPv6 address needs brackets: [::1]:5000)"},
		{"HCOMM_RANK=0 HCOMM_SIZE=2 HCOMM_ROOT=host:70000", `HCOMM_ROOT: the port "70000" is not a number from 1 to 65535`},
		{torchrun + "HCOMM_PORT=29500", "HCOMM_PORT=29500 is MASTER_PORT, where torch's own store listens"},
		{torchrun + "HCOMM_PORT=no", `HCOMM_PORT: the port "no" is not a number from 1 to 65535`},
		{swap(torchrun, "MASTER_PORT=29500", "MASTER_PORT=x"), `MASTER_PORT: the port "x" is not a number`},
		{swap(torchrun, " WORLD_SIZE=4", " WORLD_SIZE=1"), "RANK=1 must be less than WORLD_SIZE=1"},
		{swap(slurm, "NODES=1", "NODES=2"), "SLURM_STEP_NUM_NODES=2: meeting across hosts is not built yet"},
		{swap(slurm, "NODES=1", "NODES=x"), "SLURM_STEP_NUM_NODES=x is not a decimal number"},
		{swap(slurm, "PROCID=1", "PROCID=x"), "SLURM_PROCID=x is not a decimal number"},
		{swap(ompi, "LOCAL_SIZE=4", "LOCAL_SIZE=2"), "OMPI_COMM_WORLD_LOCAL_SIZE=2 but OMPI_COMM_WORLD_SIZE=4: meeting across hosts is not built yet"},
		{swap(hydra, "LOCALNRANKS=4", "LOCALNRANKS=2"), "MPI_LOCALNRANKS=2 but PMI_SIZE=4: meeting across hosts is not built yet"},
		{swap(hydra, "LOCALNRANKS=4", "LOCALNRANKS=?"), "MPI_LOCALNRANKS=? is not a decimal number"},
	} {
		_, err := FromEnv(vars(c.env))
		if err == nil {
			t.Errorf("%s: no error", c.env)
			continue
		}
		wantError(t, err, ErrUsage, c.text)
	}
}

func TestTorchrunPort(t *testing.T) {
	port := func(change ...string) string {
		job, err := FromEnv(vars(torchrun + strings.Join(change, " ")))
		if err != nil {
			t.Fatal(err)
		}
		return job.At.TCP
	}
	usual := port()
	if other := port("RANK=3"); other != usual {
		t.Errorf("ranks meet at %s and %s", usual, other)
	}
	for _, change := range []string{"TORCHELASTIC_RUN_ID=other", "TORCHELASTIC_RESTART_COUNT=1", "MASTER_PORT=29501"} {
		if other := port(change); other == usual {
			t.Errorf("with %s they meet at %s too", change, usual)
		}
	}
	// Whatever MASTER_PORT is, the port is another and in the range.
	for master := firstPort - 1; master <= lastPort+1; master++ {
		env := environment(func(name string) string {
			if name == "MASTER_PORT" {
				return "29500"
			}
			return ""
		})
		p := derivedPort(env, master)
		if p == master || p < firstPort || p > lastPort {
			t.Fatalf("MASTER_PORT=%d: meet at %d", master, p)
		}
	}
}

// Nothing is sent to MASTER_PORT: torch's own store listens there and would be confused.
func TestNothingReachesMasterPort(t *testing.T) {
	noLeak(t)
	at := tcpPoint(t)
	l, err := net.Listen("tcp", at.TCP)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	host, port, _ := net.SplitHostPort(at.TCP)
	var rs []rank
	for i := range 3 {
		job, err := FromEnv(vars(fmt.Sprintf("RANK=%d WORLD_SIZE=3 MASTER_ADDR=%s MASTER_PORT=%s TORCHELASTIC_RUN_ID=x", i, host, port)))
		if err != nil {
			t.Fatal(err)
		}
		rs = append(rs, rank{job, long, nil})
	}
	closeSessions(mustJoin(t, rs))
	l.(*net.TCPListener).SetDeadline(time.Now()) // a connection that is in the queue is still accepted
	if c, err := l.Accept(); err == nil {
		t.Errorf("a connection from %v", c.RemoteAddr())
		c.Close()
	}
}

func TestSocketName(t *testing.T) {
	long := strings.Repeat("x", 200)
	for _, parts := range [][]string{{long}, {"a b"}, {"\x00"}, {"ü"}} {
		name := socketName("ompi", parts...)
		if len(name) > maxSocketName || strings.ContainsAny(name, " \x00ü") || !strings.HasPrefix(name, "hcomm-ompi-") {
			t.Errorf("%q: %q", parts, name)
		}
	}
	if socketName("ompi", long) == socketName("ompi", long+"x") {
		t.Error("two jobs with one name")
	}
}

func TestStartTime(t *testing.T) {
	for stat, want := range map[string]string{
		"7 (a (b) c) S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4711 9 9": "4711",
		"7 (sh": "0",
		"":      "0",
	} {
		if got := startTime(stat); got != want {
			t.Errorf("%q: %s, want %s", stat, got, want)
		}
	}
}
