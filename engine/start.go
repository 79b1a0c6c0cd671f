package engine

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"os"
	"runtime"
	"sync"
	"time"

	"hcomm/hmm"
	"hcomm/link/shm"
	"hcomm/meet"
	"hcomm/observe"
	"hcomm/settings"
	"hcomm/simd"
	"hcomm/tune"
)

// Environment reads a variable, "" for one that is not set. A C program's setenv is seen by C's getenv only, so the
// caller says how.
type Environment func(name string) string

// InitEnv joins the job that the environment describes.
func InitEnv(env Environment) (*Comm, error) {
	if err := enoughDescriptors(); err != nil {
		return nil, err
	}
	job, err := meet.FromEnv(settings.Open(env).Get)
	if err != nil {
		return nil, fromMeet(err)
	}
	return join(job, env, nil)
}

// InitRank joins as one of size ranks that share an id. cfg may be nil.
func InitRank(env Environment, size int, id meet.ID, rank int, cfg *Config) (*Comm, error) {
	if err := CheckRank(size, id, rank); err != nil {
		return nil, err
	}
	point, _ := id.Point()
	return join(meet.Job{Rank: rank, Size: size, At: point, Source: "hcommUniqueId"}, env, cfg)
}

// CheckRank applies the rules for the arguments of InitRank.
func CheckRank(size int, id meet.ID, rank int) error {
	if size < 1 || size > MaxRanks {
		return badArgument("nranks", "nranks is %d; it must be 1 to %d", size, MaxRanks)
	}
	if rank < 0 || rank >= size {
		return badArgument("rank", "rank is %d; with nranks %d it must be 0 to %d", rank, size, size-1)
	}
	if _, err := id.Point(); err != nil {
		return badArgument("id", "id is not from hcommGetUniqueId: %v", err)
	}
	return nil
}

// MaxRanks bounds a communicator, MaxThreads one whose ranks are all in this process: its memory grows with their square.
const MaxRanks, MaxThreads = 4096, 256

// InitAll makes all ranks of a communicator in this process.
func InitAll(env Environment, size int) ([]*Comm, error) {
	if size < 1 || size > MaxThreads {
		return nil, badArgument("ndev", "ndev is %d; it must be 1 to %d", size, MaxThreads)
	}
	values, err := load(env)
	if err != nil {
		return nil, err
	}
	rules, err := newRules(values.Algo, values.Deterministic)
	if err == nil {
		rules.table, err = loadTable(values)
	}
	if err != nil {
		return nil, err
	}
	here := thisHost()
	rules.crowded = usable([]host{here}) < size
	defer reserveCallers(size)()
	layout := newLayout(values, size, rules.crowded)
	segments := make([]*shm.Segment, 0, size)
	for rank := range size {
		s, err := shm.Create(layout, rank)
		if err != nil {
			for _, made := range segments {
				made.Release()
			}
			return nil, errorf(SystemError, "%v", err)
		}
		s.CloseFD()
		segments = append(segments, s)
	}
	mem, _ := hmm.Arena()
	members := make([]member, size)
	for i := range members {
		members[i] = member{host: here.name, pid: os.Getpid(), id: processID() + uint64(i)}
	}
	comms := make([]*Comm, size)
	wait := newPolicy(values.Spin, size, []host{here})
	fenced := !shm.Barrier()
	own := ownMemory()
	whyNot := own.refused(values, os.Getpid())
	for rank := range comms {
		peers := make([]shm.Peer, size)
		for q := range peers {
			peers[q] = shm.Peer{Segment: segments[q].Share(), Window: mem, PIDFD: -1, Process: os.Getpid()}
		}
		port, err := shm.Open(layout, rank, peers, fenced)
		if err != nil { // it watches no process here, so it does not
			return nil, errorf(SystemError, "%v", err)
		}
		comms[rank] = newComm(rank, members, port, wait, rules, reserveCallers(1))
		comms[rank].op.windows, comms[rank].op.remotes = true, whyNot == ""
		comms[rank].limits, comms[rank].values = limitsOf(values), values
	}
	for _, c := range comms {
		c.enroll()
	}
	comms[0].tellMade([]host{here}, layout, whyNot)
	for _, s := range segments {
		s.Release()
	}
	return comms, nil
}

// limitsOf are the clocks that the settings ask for.
func limitsOf(v settings.Values) limits { return limits{warn: v.WarnAfter, timeout: v.Timeout} }

// load reads the settings and does what concerns the whole process.
func load(env Environment) (settings.Values, error) {
	if err := enoughDescriptors(); err != nil {
		return settings.Values{}, err
	}
	sources := settings.Open(env)
	v, err := sources.Load()
	if err == nil {
		observe.Configure(v.Debug, v.DebugFile)
	}
	tell(sources)
	if err != nil {
		return v, &Error{Code: InvalidArgument, Text: err.Error(), Page: "bad-setting"}
	}
	return v, useSIMD(v.SIMD)
}

var simdOnce struct {
	sync.Mutex
	word string
}

// useSIMD sets the kernels' level, once for the process: kernels are chosen while other communicators may be running.
func useSIMD(word string) error {
	simdOnce.Lock()
	defer simdOnce.Unlock()
	if simdOnce.word != "" {
		return nil
	}
	simdOnce.word = word
	if word == "auto" {
		return nil
	}
	level, err := simd.ParseLevel(word)
	if err == nil {
		err = simd.Use(level)
	}
	if err != nil {
		simdOnce.word = ""
		return errorf(InvalidArgument, "HCOMM_SIMD=%s: %v", word, err).on("bad-setting")
	}
	return nil
}

// PrepareProcess is called once when the library is loaded; list gives the environment, NAME=value.
func PrepareProcess(list func() []string) {
	environ = list
	reserveCallers(0)
}

// callers is how many threads of this process may be inside the library at once.
var callers struct {
	sync.Mutex
	n int
}

// maxProcs bounds GOMAXPROCS: the collector's threads grow with it. Threads beyond it wait for their turn, as they would
// for a processor.
const maxProcs = 300

// procsFor goes in steps: each change stops the whole process for a while, 60 us on two processors.
func procsFor(callers int) int {
	if callers <= 2 {
		return 4
	}
	return min((callers+9)/8*8, maxProcs)
}

// reserveCallers makes room for n more threads to be in calls at once, and returns how to take that back. A launcher that
// binds a process to one processor makes GOMAXPROCS 1; a waiting caller would then keep everybody else of the process,
// the garbage collector too, from running.
func reserveCallers(n int) (giveBack func()) {
	change := func(n int) {
		callers.Lock()
		defer callers.Unlock()
		callers.n += n
		if want := procsFor(callers.n); runtime.GOMAXPROCS(0) < want {
			runtime.GOMAXPROCS(want)
		}
	}
	change(n)
	return sync.OnceFunc(func() { change(-n) })
}

// join meets the other ranks and opens the communicator.
func join(job meet.Job, env Environment, cfg *Config) (*Comm, error) {
	values, err := load(env)
	values = cfg.apply(values)
	if err == nil {
		_, err = newRules(values.Algo, values.Deterministic)
	}
	var table tune.Table
	if err == nil {
		table, err = loadTable(values)
	}
	if err != nil {
		refuse(job, err)
		return nil, err
	}
	return meetAndOpen(job, values, table, processID(), cfg)
}

// loadTable is the tuning table that the settings ask for.
func loadTable(v settings.Values) (tune.Table, error) {
	t, err := tune.Load(v.TuneFile)
	if err != nil {
		return nil, badArgument("HCOMM_TUNE_FILE", "HCOMM_TUNE_FILE: %v", err).on("bad-setting")
	}
	return t, nil
}

// meetAndOpen is join with the settings and the table; id is this rank's own.
func meetAndOpen(job meet.Job, values settings.Values, table tune.Table, id uint64, cfg *Config) (*Comm, error) {
	giveBack := reserveCallers(1)
	defer expect(&job, values.InitTimeout, values.Status)()
	session, err := meet.Join(job, values.InitTimeout, cfg.stop())
	if err != nil {
		giveBack()
		return nil, fromMeet(err)
	}
	defer session.Close()
	c, err := (&arrival{session: session, rank: job.Rank, size: job.Size, values: values, table: table, id: id}).open(giveBack)
	if err != nil {
		giveBack()
		return nil, err
	}
	c.name = cfg.name()
	c.enroll()
	return c, nil
}

// processID tells this process's ranks from those of others: it has room for the ranks of InitAll.
var processID = sync.OnceValue(func() uint64 {
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		return uint64(os.Getpid()) << 32
	}
	return binary.LittleEndian.Uint64(b[:]) << 16 // room for ranks
})

// fromMeet gives an error of package meet its code.
func fromMeet(err error) error {
	var own *Error
	if errors.As(err, &own) { // why it was told to stop
		return own
	}
	e := &Error{Code: SystemError, Text: err.Error(), Page: "system"}
	for _, k := range []struct {
		kind error
		code Code
		page string
	}{
		{meet.ErrTimeout, Timeout, "missing-rank"}, {meet.ErrRefused, InvalidUsage, "meeting"},
		{meet.ErrDisagree, Mismatch, "meeting"}, {meet.ErrUsage, InvalidArgument, "bad-setting"}, {meet.ErrGone, RemoteError, "dead-rank"},
	} {
		if errors.Is(err, k.kind) {
			e.Code, e.Page = k.code, k.page
		}
	}
	return e
}

// yieldCrowded is how long a rank yields before it sleeps, where ranks take turns on processors: to be woken costs more than
// some turns of the others. With 20 us instead, 8 ranks on 2 processors took 1.7 times as long for an allreduce of 8 bytes,
// 1.4 for an allgather of 8 KiB and 1.6 for a reducescatter of as many. A rank that waits for 5 ms uses 6 % of a processor.
const yieldCrowded = 300 * time.Microsecond

// newPolicy says how ranks of these hosts wait: spinning is for ranks that have a processor each.
func newPolicy(spin time.Duration, ranks int, hosts []host) policy {
	switch {
	case spin >= 0:
		return policy{spin: spin}
	case usable(hosts) >= ranks:
		return policy{spin: 20 * time.Millisecond}
	}
	return policy{yield: yieldCrowded, share: (ranks + usable(hosts) - 1) / usable(hosts)}
}
