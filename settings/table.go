package settings

// Setting is one variable.
type Setting struct {
	Name    string
	Default string // as it would be written; "" means unset
	Range   string // for people
	Help    string // one line
	Agreed  bool   // rank 0's value is everyone's
	Place   bool   // of this process's place in its job: the environment's alone
	Secret  bool   // not to be shown

	rule rule
}

// Table is all of them. Those without a Default belong to the launcher, or may be unset.
var Table = []Setting{
	{Name: "HCOMM_RANK", Place: true, Range: "0 to HCOMM_SIZE-1", rule: whole(0, 4095, 1), Help: "this process's rank, for hcommCommInitEnv"},
	{Name: "HCOMM_SIZE", Place: true, Range: "1 to 4096", rule: whole(1, 4096, 1), Help: "how many ranks there are"},
	{Name: "HCOMM_LOCAL_RANK", Place: true, Range: "0 to HCOMM_SIZE-1", rule: whole(0, 4095, 1), Help: "set by hcomm run for programs that choose a device by it; not read by the library"},
	{Name: "HCOMM_ROOT", Place: true, Range: "host:port", Help: "where rank 0 listens and the others come to"},
	{Name: "HCOMM_PORT", Range: "1 to 65535", rule: whole(1, 65535, 1), Help: "the port to meet at under torchrun, not MASTER_PORT; otherwise derived from the job's variables"},
	{Name: "HCOMM_SECRET", Secret: true, Range: "any text", Help: "what every rank must know to be let in; without it, the same user is enough"},
	{Name: "HCOMM_LIBRARY", Place: true, Range: "a path", Help: "the libhcomm.so that the package for Python loads; not read by the library"},
	{Name: "HCOMM_INIT_TIMEOUT", Default: "120", Range: "seconds, 0.01 to 86400", rule: number(0.01, 86400),
		Help: "how long a rank waits for the others at start"},
	{Name: "HCOMM_WARN_AFTER", Default: "10", Range: "seconds, 0.01 to 2592000, or 0: never", rule: numberOrZero(0.01, 30*86400),
		Help: "after how long in one call a rank says who is late, and goes on waiting"},
	{Name: "HCOMM_TIMEOUT", Default: "1800", Range: "seconds, 0.01 to 2592000, or 0: never", rule: numberOrZero(0.01, 30*86400),
		Help: "after how long in one call a rank that waits gives up, with an error"},
	{Name: "HCOMM_SPIN", Default: "auto", Range: "auto, or microseconds, 0 to 10000000", rule: wordsOr(whole(0, 1e7, 1), "auto"),
		Help: "how long a waiting rank spins before it sleeps; auto: 20000 while every rank has a core, else it yields for 300"},
	{Name: "HCOMM_SIMD", Default: "auto", Range: "auto, generic, avx2, avx512", rule: words("auto", "generic", "avx2", "avx512"),
		Help: "the instructions that reductions use"},
	{Name: "HCOMM_SLOT_BYTES", Default: "65536", Range: "4096 to 1048576, a multiple of 4096", rule: whole(4096, 1<<20, 4096), Agreed: true,
		Help: "most bytes of a message between two ranks of a host"},
	{Name: "HCOMM_SLOTS", Default: "auto", Range: "1 to 64, or auto", rule: wordsOr(whole(1, 64, 1), "auto"), Agreed: true,
		Help: "for how many such messages a rank has room on each channel; auto: 32 shared by all ranks, but at least 4"},
	{Name: "HCOMM_CMA", Default: "auto", Range: "auto, off", rule: words("auto", "off"), Agreed: true,
		Help: "auto: ranks read each other's memory (process_vm_readv) where the kernel lets them and it is faster"},
	{Name: "HCOMM_ALGO", Range: "collective:algorithm,…", rule: rule{form: sortedChoices}, Agreed: true,
		Help: "the algorithms to use, such as allreduce:ring,reduce:chain; hcomm plan list shows all"},
	{Name: "HCOMM_TUNE_FILE", Range: "a path", Agreed: true,
		Help: "a table of algorithms and slices by size, as hcomm tune writes it; what it says comes before what is built in"},
	{Name: "HCOMM_DETERMINISTIC", Default: "0", Range: "0 or 1", rule: whole(0, 1, 1), Agreed: true,
		Help: "1: reductions are ((x0 op x1) op x2)… whatever the size and algorithm, and narrow floats are rounded once"},
	{Name: "HCOMM_DEBUG", Default: "warn", Range: "warn, info, trace", rule: words("warn", "info", "trace"),
		Help: "what is written of what goes on: warnings only, what was decided at start too, or each call too"},
	{Name: "HCOMM_DEBUG_FILE", Range: "a path; %h in it is the host's name, %p the process's number, %% is %", rule: text(isPattern),
		Help: "the file that these lines are added to, instead of standard error"},
	{Name: "HCOMM_STATUS", Default: "1", Range: "0 or 1", rule: whole(0, 1, 1), Help: "0: hcomm status is told nothing of this process"},
	{Name: "HCOMM_MPI", Place: true, Default: "on", Range: "on, off", Help: "off: libhcomm_mpi.so does nothing, and the MPI that it was loaded with works alone"},
	{Name: "HCOMM_MPI_COLLECTIVES", Place: true, Range: "collective,… or ^collective,…",
		Help: "which of MPI's collectives libhcomm_mpi.so serves, such as allreduce,bcast, or ^alltoall: all others"},
	{Name: "HCOMM_MPI_MIN_BYTES", Place: true, Default: "0", Range: "bytes", Help: "libhcomm_mpi.so passes on collectives with smaller blocks"},
	{Name: "HCOMM_MPI_MAX_BYTES", Place: true, Range: "bytes", Help: "libhcomm_mpi.so passes on collectives with larger blocks"},
	{Name: "HCOMM_MPI_ALWAYS", Place: true, Default: "0", Range: "0 or 1",
		Help: "1: libhcomm_mpi.so serves also what hcomm does no faster than the MPI that it was loaded with"},
	{Name: "HCOMM_MPI_AFTER", Place: true, Range: "1 to 1073741824",
		Help: "how many blocking collectives of a communicator libhcomm_mpi.so passes on before it has it served; without it, as many as would have saved what that costs"},
	{Name: "HCOMM_MPI_REPORT", Place: true, Default: "0", Range: "0 or 1",
		Help: "1: libhcomm_mpi.so has rank 0 print, at MPI_Finalize, what was served, what was passed on, and why"},
	{Name: "HCOMM_CONFIG", Place: true, Range: "a path", Help: "a file with settings, lines NAME=value; the environment's come before its own"},
}

// Find is the setting of that name.
func Find(name string) (Setting, bool) {
	for _, s := range Table {
		if s.Name == name {
			return s, true
		}
	}
	return Setting{}, false
}

// find is Find for names that are there.
func find(name string) Setting {
	s, ok := Find(name)
	if !ok {
		panic("settings: no such variable in the table: " + name)
	}
	return s
}
