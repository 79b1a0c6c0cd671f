/* hcomm.h: collective communication for C, C++ and whatever can call C.
 *
 * The library is used through either half of this header, or both at once:
 *
 *   hcomm*   the NCCL-style half: the signatures and the numbers of nccl.h (2.30).
 *   HCOMM_*  the MPI-style half: the signatures of mpi.h and the values of the MPI 5.0 ABI.
 *
 * Numbers that neither of them has start at 64.
 *
 * Ranks are processes of one host, or threads of one process (hcommCommInitAll). Every rank of a communicator makes
 * the same collective calls in the same order. Programs are compiled with -lhcomm and started by `hcomm run`, torchrun,
 * srun or an mpirun; examples/ has some to start from.
 *
 * ERRORS. Each call returns a code; hcommGetLastError gives the sentence that says what was wrong. Two kinds:
 *   - found before anything was sent (a bad argument): the call had no effect, the communicator stays usable;
 *   - found later (a rank died, left or was not in time, ranks disagree, an abort): all ranks of the communicator get it,
 *     naming the same culprit, though not all in the same call: one that had all it needed is done with a call that fails on
 *     others. The communicator is poisoned: every later call on it returns the same error, except
 *     hcommCommShrink, which makes a new one of the ranks that remain, hcommCommAbort, hcommCommDestroy,
 *     hcommCommRevoke, hcommCommRegister, hcommCommDeregister, and the queries hcommCommGetAsyncError,
 *     hcommCommGetFailedRanks, hcommCommCount and hcommCommUserRank.
 *
 * CLOCKS. A rank that died, and a disagreement, are errors at once. For one that is only late there are three settings,
 * in seconds: after HCOMM_WARN_AFTER (10) without progress a line on standard error says who is late, and the wait goes
 * on; after HCOMM_TIMEOUT (1800; 0: never) the wait is an error, hcommTimeout, and the communicator is poisoned; a
 * communicator must be made within HCOMM_INIT_TIMEOUT (120). hcommConfig_t has the second for one communicator.
 *
 * RESULTS. All ranks get the same bits; so does every run with the same number of ranks, count, type, operation and
 * settings, whatever kind of memory the buffers are in. With HCOMM_DETERMINISTIC=1 every reduction is
 * ((x0 op x1) op x2)… in the order of ranks, and sums and products of 16- and 8-bit floats are made in float32 and
 * rounded once; without it the order depends on the algorithm that is chosen for the size (docs/collectives.md), and such
 * floats are rounded at each step. Rounding is to nearest even. Integers wrap. NaN propagates through min and max.
 * Floats are computed in the floating-point environment of the calling thread: where it flushes subnormal numbers
 * (gcc -ffast-math) or rounds otherwise, so do reductions; ranks must then all have the same. An exception that it traps
 * may end the call with hcommInternalError, or the process; min and max of numbers raise none.
 *
 * THREADS. Different communicators may be used by different threads at once. One communicator used by two threads at
 * once is an error (hcommInvalidUsage), except that hcommCommAbort, hcommCommRevoke and the queries may be called from any
 * thread at any time. A stream may be used by any threads. A group belongs to the thread that has started it.
 *
 * ORDER. The calls on one communicator are done in the order in which they were made, be it with the NULL stream, in other
 * streams or in a group; a group's calls count as made when it ends. Messages have an order of their own, which
 * hcommSend tells.
 *
 * STREAMS. With the NULL stream a call returns when it is done. With one from hcommStreamCreate it returns at once: its
 * arguments have been checked, and it will be done after what was put into the stream before, while the program does
 * something else; then another thread's floating-point environment may be the one that counts. Until
 * hcommStreamSynchronize, or hcommStreamQuery with hcommSuccess, its buffers must stay where they are: what is sent must
 * not be written, what is received neither read nor written.
 *
 * GROUPS. Between hcommGroupStart and hcommGroupEnd a thread's calls are checked and kept, and hcommGroupEnd makes them
 * all together: see there.
 *
 * SIGNALS. A call may be interrupted by the program's handlers. One that was installed after the first communicator was
 * made and needs more than 8 KiB of stack must ask for the alternate stack (SA_ONSTACK).
 *
 * FORK. In a process that was forked after the library was loaded every call returns hcommInvalidUsage
 * (HCOMM_ERR_OTHER) until it calls exec, but for hcommGetVersion, those that give strings, HCOMM_Error_class and HCOMM_Wtime.
 */
#ifndef HCOMM_H
#define HCOMM_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A program works with the library it was built for and with later ones of the same MAJOR; while that is 0, of the same
 * MINOR. */
#define HCOMM_MAJOR 0
#define HCOMM_MINOR 4
#define HCOMM_PATCH 0
#define HCOMM_VERSION(major, minor, patch) ((major) * 10000 + (minor) * 100 + (patch))
#define HCOMM_VERSION_CODE HCOMM_VERSION(HCOMM_MAJOR, HCOMM_MINOR, HCOMM_PATCH)

/* ------------------------------------------------------------------------------------------ NCCL-style half ---- */

/* A communicator of one rank: from hcommCommInit* to hcommCommDestroy or hcommCommAbort. The value is a number, not an
 * address; one that is not, or no longer, a communicator is refused with hcommInvalidArgument. */
typedef struct hcommComm *hcommComm_t;

/* A queue of calls: NULL, or from hcommStreamCreate to hcommStreamDestroy. Any other value is refused with
 * hcommInvalidArgument. */
typedef struct hcommStream *hcommStream_t;

/* What the ranks of one communicator share to find each other. Made by one rank with hcommGetUniqueId and brought to
 * the others by the caller's own means. It holds a secret: who knows it can join. */
#define HCOMM_UNIQUE_ID_BYTES 128
typedef struct {
  char internal[HCOMM_UNIQUE_ID_BYTES];
} hcommUniqueId;

typedef enum {
  hcommSuccess = 0,
  hcommUnhandledCudaError = 1, /* never returned; NCCL's number */
  hcommSystemError = 2,        /* the operating system refused something: memory, descriptors, a socket */
  hcommInternalError = 3,      /* a mistake in hcomm itself; the communicator is poisoned */
  hcommInvalidArgument = 4,    /* an argument breaks a rule of this header; nothing was done */
  hcommInvalidUsage = 5,       /* a call at a wrong time or from a wrong place; nothing was done */
  hcommRemoteError = 6,        /* another rank died, left or aborted; the communicator is poisoned */
  hcommInProgress = 7,         /* no error: what was begun goes on */
  hcommTimeout = 8,            /* ranks did not come in time; the communicator is poisoned */
  hcommMismatch = 64           /* ranks called different collectives or disagree on settings; poisoned */
} hcommResult_t;

typedef enum {
  hcommInt8 = 0,
  hcommChar = 0,
  hcommUint8 = 1,
  hcommInt32 = 2,
  hcommInt = 2,
  hcommUint32 = 3,
  hcommInt64 = 4,
  hcommUint64 = 5,
  hcommFloat16 = 6, /* IEEE 754 binary16 */
  hcommHalf = 6,
  hcommFloat32 = 7,
  hcommFloat = 7,
  hcommFloat64 = 8,
  hcommDouble = 8,
  hcommBfloat16 = 9,
  hcommFloat8e4m3 = 10, /* OCP FP8 E4M3 */
  hcommFloat8e5m2 = 11, /* OCP FP8 E5M2 */
  hcommInt16 = 64,
  hcommUint16 = 65
} hcommDataType_t;

typedef enum {
  hcommSum = 0,
  hcommProd = 1,
  hcommMax = 2,
  hcommMin = 3,
  hcommAvg = 4,    /* floats: each operand is multiplied by 1/ranks, then summed; integers: the sum, which wraps, is
                      divided toward zero */
  hcommBitAnd = 64, /* the operators from 64 on are for integers only */
  hcommBitOr = 65,
  hcommBitXor = 66,
  hcommLogicalAnd = 67, /* 1 or 0; with one rank, what it gave */
  hcommLogicalOr = 68,
  hcommLogicalXor = 69
} hcommRedOp_t;

/* How a communicator is to be made, where it is to be otherwise than the settings say. It is initialized with
 * HCOMM_CONFIG_INITIALIZER, which leaves every field unset, and then changed. A program that was built with an older
 * header, whose struct had less fields, has the others unset. */
#define HCOMM_CONFIG_UNDEF_INT INT_MIN
#define HCOMM_CONFIG_MAGIC 0x68636f6d
typedef struct {
  size_t size;         /* not to be changed, as the next two */
  unsigned int magic;
  unsigned int version;
  int blocking;        /* 1: the call returns when the communicator is made, as it does if this is unset. 0: it returns
                          hcommInProgress, see hcommCommInitRankConfig */
  int timeout_ms;      /* instead of HCOMM_TIMEOUT; 0: never */
  int deterministic;   /* instead of HCOMM_DETERMINISTIC: 0 or 1; the same on all ranks */
  int lanes;           /* 1; there are no more in this version */
  const char *name;    /* for people: in warnings and errors; up to 127 bytes, no control characters. NULL: none. Copied */
} hcommConfig_t;
#define HCOMM_CONFIG_INITIALIZER                                                                             \
  {                                                                                                          \
    sizeof(hcommConfig_t), HCOMM_CONFIG_MAGIC, HCOMM_VERSION_CODE, HCOMM_CONFIG_UNDEF_INT,                   \
        HCOMM_CONFIG_UNDEF_INT, HCOMM_CONFIG_UNDEF_INT, HCOMM_CONFIG_UNDEF_INT, NULL                         \
  }

/* As color of hcommCommSplit: no communicator for this rank. */
#define HCOMM_SPLIT_NOCOLOR (-1)

/* Flags of hcommCommShrink. */
#define HCOMM_SHRINK_DEFAULT 0
#define HCOMM_SHRINK_ABORT 1 /* end first what is under way, on all ranks */

/* hcommGetVersion: *version gets the library's HCOMM_VERSION_CODE.
 * Errors: hcommInvalidArgument (version is NULL). */
hcommResult_t hcommGetVersion(int *version);

/* hcommGetErrorString: a few words for a code, such as "invalid argument". Static; never NULL; works in any state. */
const char *hcommGetErrorString(hcommResult_t result);

/* hcommGetLastError: the sentence for the calling thread's last error in either half, "" if there was none.
 * Valid until the thread's next hcomm call that fails. comm is not read and may be NULL. */
const char *hcommGetLastError(hcommComm_t comm);

/* hcommGetUniqueId: makes a fresh id for one communicator. It opens nothing; the meeting point is opened by rank 0
 * when it joins.
 * Errors: hcommInvalidArgument (id is NULL), hcommSystemError (no random bytes). */
hcommResult_t hcommGetUniqueId(hcommUniqueId *id);

/* hcommCommInitRank: joins as one of nranks ranks; returns when all are there. The ranks are processes, or threads, of
 * one host and user, in any order of starting.
 *
 * comm:   gets the communicator.
 * nranks: 1 to 4096; rank: 0 to nranks-1, each once.
 * id:     the same on all ranks.
 * Errors: hcommInvalidArgument; hcommTimeout (not all ranks came within HCOMM_INIT_TIMEOUT seconds, 120 if unset; says
 * who is missing); hcommMismatch (two ranks with one number, another nranks, other settings, another build);
 * hcommRemoteError (a rank died meanwhile); hcommSystemError. *comm is then NULL and nothing is left behind. */
hcommResult_t hcommCommInitRank(hcommComm_t *comm, int nranks, hcommUniqueId id, int rank);

/* hcommCommInitRankConfig: hcommCommInitRank with a config, which may be NULL.
 *
 * With config->blocking 0 it checks its arguments and returns hcommInProgress; the communicator is made while the program
 * goes on. *comm can be given to hcommCommGetAsyncError, which tells when it is there, and to hcommCommAbort, which ends
 * the making; every other call on it returns hcommInvalidUsage until then. If the making fails, they return its error,
 * and hcommCommDestroy frees *comm. In a group see hcommGroupEnd.
 * Errors: as hcommCommInitRank; hcommInvalidArgument (config was not initialized, or a field breaks its rule). */
hcommResult_t hcommCommInitRankConfig(hcommComm_t *comm, int nranks, hcommUniqueId id, int rank,
                                      hcommConfig_t *config);

/* hcommCommInitAll: makes all ndev ranks of one communicator in this process. It does so at once in a group, too.
 *
 * comms:   gets ndev communicators, by rank.
 * ndev:    1 to 256.
 * devlist: NCCL's list of devices; not read, may be NULL.
 * With the NULL stream a call returns when it is done, so that each rank needs a thread of its own; or one thread calls
 * for all of them in a group, or with streams.
 * Errors: hcommInvalidArgument, hcommSystemError; nothing is left behind. */
hcommResult_t hcommCommInitAll(hcommComm_t *comms, int ndev, const int *devlist);

/* hcommCommInitEnv: joins the job that the environment describes. The first of these that is there counts:
 *   HCOMM_RANK, HCOMM_SIZE, HCOMM_ROOT=host:port (rank 0 listens there; not needed for one rank);
 *   torchrun's RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT (all four; the ranks meet at HCOMM_PORT or at a port derived
 *   from the job's variables, never at MASTER_PORT itself, which is torch's own);
 *   Slurm's, Open MPI's or MPICH's variables.
 * HCOMM_SECRET, if set, must be the same on all ranks. Where nothing is set it is an error, not a job of one rank;
 * HCOMM_RANK=0 HCOMM_SIZE=1 makes one.
 * Errors: as hcommCommInitRank; hcommInvalidArgument names the variable and its value. */
hcommResult_t hcommCommInitEnv(hcommComm_t *comm);

/* hcommCommSplit: makes one communicator for each color, of the ranks of comm that give it. All ranks call it, as a
 * collective.
 *
 * color:   0 or more, or HCOMM_SPLIT_NOCOLOR.
 * key:     the new ranks are in the order of their keys, those with equal keys in the order of comm.
 * newcomm: gets the new communicator; NULL for HCOMM_SPLIT_NOCOLOR.
 * config:  may be NULL. What it leaves unset is as in comm, but for blocking, which is 1 then. With blocking 0 comm is in
 *          a call until newcomm is made; a rank with HCOMM_SPLIT_NOCOLOR waits all the same.
 * Errors: as hcommAllReduce, and as hcommCommInitRank for the new communicator; the latter leave comm usable. */
hcommResult_t hcommCommSplit(hcommComm_t comm, int color, int key, hcommComm_t *newcomm, hcommConfig_t *config);

/* hcommCommDup: makes a communicator of the same ranks, whose calls are apart from those of comm. All ranks call it, as a
 * collective. Errors: as hcommCommSplit. */
hcommResult_t hcommCommDup(hcommComm_t comm, hcommComm_t *newcomm);

/* hcommCommShrink: makes a communicator without some ranks of comm, the others keeping their order. Those that remain
 * call it, all with the same ranks in the list; it works when comm is poisoned, too, and then is the way to go on. comm
 * stays as it is, to be destroyed by the caller.
 *
 * excludeRanksList:  excludeRanksCount ranks of comm, each once, in any order, without the caller's. May be NULL when the
 *                    count is 0. Who has died or is late stands in the sentence of the error: it names that rank first.
 * newcomm, config:   as for hcommCommSplit.
 * shrinkFlags:       HCOMM_SHRINK_DEFAULT: calls that are under way on comm, in streams or requests, are an error.
 *                    HCOMM_SHRINK_ABORT: they are ended first, as hcommCommRevoke does.
 * Errors: hcommInvalidArgument; hcommInvalidUsage (calls are under way); hcommMismatch (the lists differ; the sentence
 * tells two); hcommRemoteError (a rank that is not excluded died or left; exclude it and call again); hcommTimeout (a rank
 * has not called it within HCOMM_INIT_TIMEOUT); hcommSystemError. */
hcommResult_t hcommCommShrink(hcommComm_t comm, int *excludeRanksList, int excludeRanksCount, hcommComm_t *newcomm,
                              hcommConfig_t *config, int shrinkFlags);

/* hcommCommFinalize: waits until all that this rank has begun on comm is done, and then until all ranks have come here.
 * After it only hcommCommDestroy, hcommCommAbort and queries remain. It is not necessary before hcommCommDestroy, but
 * nobody can then find that another rank has left early. Errors: as hcommAllReduce, also those of calls in streams. */
hcommResult_t hcommCommFinalize(hcommComm_t comm);

/* hcommCommRevoke: ends every call on the communicator, on all ranks, and poisons it, as an error would; the sentence
 * names this rank. hcommCommShrink can then make another. May be called from any thread; returns at once.
 * revokeFlags: 0. Errors: hcommInvalidArgument. */
hcommResult_t hcommCommRevoke(hcommComm_t comm, int revokeFlags);

/* hcommCommGetFailedRanks: the ranks without which comm can be shrunk: those that have died or left, and those for which it
 * was given up, since they did not come in time or aborted. It does not wait and may be called from any thread. After an
 * error of comm all ranks have its culprit in the list; one that fails later may be in one rank's list earlier than in
 * another's. On a rank that was too late itself the list has that rank: the others go on without it.
 *
 * ranks: gets them, in ascending order. May be NULL when *count is 0.
 * count: before, for how many there is room; after, how many there are, which may be more.
 * Errors: hcommInvalidArgument. */
hcommResult_t hcommCommGetFailedRanks(hcommComm_t comm, int *ranks, int *count);

/* hcommCommGetAsyncError: *asyncError gets hcommSuccess if comm is usable, hcommInProgress while it is being made, otherwise
 * the error that has poisoned it or for which it could not be made; hcommGetLastError then has its sentence. It does not
 * wait and may be called from any thread.
 * Errors: hcommInvalidArgument (a bad comm, or asyncError is NULL). */
hcommResult_t hcommCommGetAsyncError(hcommComm_t comm, hcommResult_t *asyncError);

/* hcommCommDestroy: this rank leaves; comm is no longer valid. It waits for what this rank has put into streams, but not
 * for the others: what this rank has sent stays readable for them, and a collective that still needs this rank fails
 * there, naming it as "left". A process that returns from main or calls exit leaves its communicators, too, without
 * waiting; one that is killed or calls _exit has died. In a group it is done at once.
 * Errors: hcommInvalidArgument; hcommInvalidUsage (another thread is in a call on comm, or requests are under way). */
hcommResult_t hcommCommDestroy(hcommComm_t comm);

/* hcommCommAbort: ends every call on the communicator, on all ranks, and frees this rank's comm. May be called from
 * any thread while others wait in a call; returns at once. The others get hcommRemoteError, this rank's waiting call and
 * its calls in streams hcommInvalidUsage. For a communicator that is being made it ends that.
 * Errors: hcommInvalidArgument. */
hcommResult_t hcommCommAbort(hcommComm_t comm);

/* hcommCommCount, hcommCommUserRank: the number of ranks, and this rank's number.
 * Errors: hcommInvalidArgument (a bad comm, or a NULL pointer). */
hcommResult_t hcommCommCount(hcommComm_t comm, int *count);
hcommResult_t hcommCommUserRank(hcommComm_t comm, int *rank);

/* hcommStreamCreate: *stream gets a new stream; any number may be there. Errors: hcommInvalidArgument. */
hcommResult_t hcommStreamCreate(hcommStream_t *stream);

/* hcommStreamDestroy: waits for the calls in the stream; it is then no longer valid. Returns the error that
 * hcommStreamSynchronize would, and destroys the stream all the same. Errors also: hcommInvalidArgument. */
hcommResult_t hcommStreamDestroy(hcommStream_t stream);

/* hcommStreamSynchronize: waits for the calls that are in the stream. Calls that a group has not made yet are not.
 *
 * A call in a stream may fail after it has returned. Its error is returned by the next calls on the stream, which then do
 * nothing, by hcommStreamQuery, and by hcommStreamSynchronize, which clears it: of several errors the first. Calls that were
 * in the stream behind the one that failed are done all the same, unless they are on a poisoned communicator.
 * Errors: that one; hcommInvalidArgument. */
hcommResult_t hcommStreamSynchronize(hcommStream_t stream);

/* hcommStreamQuery: hcommSuccess if all calls in the stream are done, hcommInProgress if not; or the error of one that has
 * failed, which it leaves there. It does not wait, but does in the calling thread what can be done at once: a program that asks
 * until they are done has them about as soon as by a call that waits. Errors also: hcommInvalidArgument. */
hcommResult_t hcommStreamQuery(hcommStream_t stream);

/* hcommStreamWait: what is put into stream from now on waits for all that is in other now. It returns at once. The errors
 * of other's calls stay there. Errors: hcommInvalidArgument (one is no stream, or NULL). */
hcommResult_t hcommStreamWait(hcommStream_t stream, hcommStream_t other);

/* hcommSetProgress: has every call of this process that waits call progress(arg) now and then, in the thread that made the
 * call. This is for a program in which another library must go on meanwhile, such as an MPI whose messages a peer needs before
 * it comes to the same call. It counts for all communicators, and for both halves.
 *
 * progress: called when a call has lasted for about 20 us, and then again about every 20 us while it spins or moves data, every
 *           0.05 to 1 ms while it sleeps; less often where ranks take turns on processors. A call that is done at once does not
 *           call it. It must return soon. Threads that wait at the same time call it at the same time. It must call no function
 *           of hcomm but hcommGetVersion, those that give strings, HCOMM_Wtime, and the queries that are named under ERRORS.
 *           NULL: none, which is how it begins.
 * Calls that are under way may still call the earlier one when this has returned, each once at most.
 * Errors: hcommInvalidUsage (in a forked child). */
typedef void (*hcommProgress_t)(void *arg);
hcommResult_t hcommSetProgress(hcommProgress_t progress, void *arg);

/* hcommGroupStart: this thread's calls below are kept until hcommGroupEnd. Groups may lie within each other; the outermost
 * counts. Errors: hcommSystemError. */
hcommResult_t hcommGroupStart(void);

/* hcommGroupEnd: makes the calls of the group, and returns when those with the NULL stream are done.
 *
 * A group may have collectives, sends and receives on any communicators and streams; and hcommCommInitRank,
 * hcommCommInitRankConfig, hcommCommSplit, hcommCommDup, hcommCommShrink and hcommCommFinalize. All other calls in it,
 * those of the MPI-style half too, are made at once. No call of a group waits for another one, in the same stream neither,
 * but for collectives, which keep their order on a communicator. So one thread can make calls for several ranks, and sends
 * and receives of a group need no order; and no call may need what another one of the group receives or computes.
 *
 * The calls that make or finalize communicators come first, whatever their place; on one communicator they must not
 * follow other calls of the group (hcommInvalidUsage). *comm and *newcomm are set, and may be used, when hcommGroupEnd has
 * returned; the places must be there until then. If one of these calls fails, the others are done, but not the rest of
 * the group.
 *
 * A call in a group returns hcommSuccess, or the error of a rule that it breaks. hcommGroupEnd then returns the first such
 * error, and nothing was done. If the group has a call with config->blocking 0 it returns hcommInProgress.
 * Errors: hcommInvalidUsage (this thread is in no group; a communicator or stream of the group was destroyed meanwhile, or
 * another thread is in a call on one: nothing was done); those of the calls: the first. */
hcommResult_t hcommGroupEnd(void);

/* hcommMemAlloc: size bytes of zeroed memory that the other ranks of this host can read directly, which makes large
 * collectives up to about twice as fast where the ranks' processors share a cache; where they share none, it may make
 * them slower. Needs no communicator; page-aligned; freed by hcommMemFree only. size 0 gives NULL. The memory is shared
 * with a forked child.
 * Errors: hcommInvalidArgument (ptr is NULL), hcommSystemError (out of memory). */
hcommResult_t hcommMemAlloc(void **ptr, size_t size);

/* hcommMemFree: frees what hcommMemAlloc gave. NULL is allowed.
 * Errors: hcommInvalidArgument (ptr is not the start of such a piece, or was freed already). */
hcommResult_t hcommMemFree(void *ptr);

/* hcommCommRegister: makes the caller's own memory such that the other ranks of this host can read it directly, like what
 * hcommMemAlloc gives. Its address and its bytes stay the same. Each rank registers or not, as it likes.
 *
 * buff, size: bytes of memory as from malloc, mmap with MAP_PRIVATE|MAP_ANONYMOUS, or of a static variable that begins
 *             as zeros: readable, writable and neither executable nor locked (mlock). Their whole pages are replaced by
 *             shared ones; what shares its page with something else is not, and is sent like any other memory. The more
 *             of the pages are whole, the better (posix_memalign). Where there is no whole page, where the memory is
 *             from hcommMemAlloc, or where the system cannot do it (Linux before 5.7; no memfd; files may not have any
 *             size, ulimit -f), nothing is done, and that is a success, too.
 * handle:     gets a number for hcommCommDeregister.
 * The same buff and size may be registered many times, also on several communicators; other overlaps are refused.
 *
 * During this call and hcommCommDeregister nobody may write to the memory or read it. From the first to the last
 *   - no collective, send or receive may be at work on it while either is called;
 *   - it must not be freed or reallocated, nor its mapping changed (munmap, mprotect, mremap, madvise, mlock). Where that
 *     was done, hcommCommDeregister says so as far as it can see it, and leaves the addresses alone;
 *   - a child that is forked, and does not call exec, shares it as it does memory from hcommMemAlloc: what one writes the
 *     other reads, up to hcommCommDeregister; after that, what the child finds there is undefined. It must not free it;
 *   - nobody else may hold its pages from before to after one of the calls (io_uring, RDMA, O_DIRECT);
 *   - its pages are ordinary ones, if they were huge.
 * Errors: hcommInvalidArgument (the sentence says which page is no such memory, and why; or an overlap),
 * hcommSystemError: nothing was done, *handle is NULL.
 * Cost: each of the two calls copies the memory once; 0.1 to 0.2 ms for a few pages. It needs up to 16 MiB more memory
 * while it works, and size twice in addresses. It pays for buffers that are used many times. */
hcommResult_t hcommCommRegister(const hcommComm_t comm, void *buff, size_t size, void **handle);

/* hcommCommDeregister: undoes hcommCommRegister. The last one of a buffer gives it private pages again, with the bytes of
 * this moment and the attributes of then (madvise).
 *
 * comm, handle: those of the call of hcommCommRegister. To be called before hcommCommDestroy or hcommCommAbort, but it
 *               works after them, too, and on a communicator that is poisoned. Those leave the memory as it is, so that
 *               nobody who uses it is disturbed, but it is no longer read in place.
 * Safe right after an error: other ranks that may still read the memory can do no harm.
 * Errors: hcommInvalidArgument (handle is none of comm's, or was deregistered before); hcommInvalidUsage (the memory was
 * unmapped or replaced meanwhile: nothing is given back, and handle is done with; or its access was changed with
 * mprotect: it is still registered); hcommSystemError (no memory: still registered). */
hcommResult_t hcommCommDeregister(const hcommComm_t comm, void *handle);

/* hcommAllReduce: every rank gets op over all ranks' sendbuff.
 *
 * sendbuff, recvbuff: count elements of datatype each, at any alignment; in place when equal; otherwise they must not
 *                     overlap. May be NULL when count is 0.
 * op:                 hcommAvg and the first four for every type; those from 64 on for integers.
 * stream:             NULL, or from hcommStreamCreate; then the error of an earlier call there may be returned.
 * Errors: hcommInvalidArgument, hcommInvalidUsage (nothing done; comm stays usable); hcommMismatch, hcommRemoteError,
 * hcommInternalError (comm is poisoned, the contents of recvbuff are undefined).
 * Cost: up to some KiB every rank reads everyone's count elements; above, 2*(ranks-1)/ranks*count are read and written.
 */
hcommResult_t hcommAllReduce(const void *sendbuff, void *recvbuff, size_t count, hcommDataType_t datatype,
                             hcommRedOp_t op, hcommComm_t comm, hcommStream_t stream);

/* hcommBroadcast: every rank's recvbuff gets rank root's sendbuff.
 *
 * sendbuff: count elements on root; not read elsewhere, where it may be NULL.
 * recvbuff: count elements on every rank; on root, in place when equal to sendbuff, otherwise they must not overlap.
 * root:     0 to ranks-1, the same on all ranks.
 * Errors: as hcommAllReduce. The root may return before the others have their data. */
hcommResult_t hcommBroadcast(const void *sendbuff, void *recvbuff, size_t count, hcommDataType_t datatype, int root,
                             hcommComm_t comm, hcommStream_t stream);

/* hcommReduce: rank root's recvbuff gets op over all ranks' sendbuff.
 *
 * sendbuff: count elements of datatype on every rank.
 * recvbuff: count elements on root; not looked at elsewhere, where it may be NULL. On root, in place when equal to
 *           sendbuff, otherwise they must not overlap.
 * op:       as for hcommAllReduce. root: 0 to ranks-1, the same on all ranks.
 * Errors: as hcommAllReduce. Other ranks than root may return before it has its result.
 * Cost: small ones: the root reads ranks-1 times count elements; larger ones: a few times count on each rank, see
 * docs/collectives.md. */
hcommResult_t hcommReduce(const void *sendbuff, void *recvbuff, size_t count, hcommDataType_t datatype, hcommRedOp_t op,
                          int root, hcommComm_t comm, hcommStream_t stream);

/* hcommAllGather: block r of every rank's recvbuff gets rank r's sendbuff.
 *
 * sendbuff: sendcount elements of datatype.
 * recvbuff: ranks*sendcount elements; in place when sendbuff is recvbuff + rank*sendcount elements, otherwise they must
 *           not overlap.
 * Errors: as hcommAllReduce.
 * Cost: each rank reads the (ranks-1)*sendcount elements of the others. */
hcommResult_t hcommAllGather(const void *sendbuff, void *recvbuff, size_t sendcount, hcommDataType_t datatype,
                             hcommComm_t comm, hcommStream_t stream);

/* hcommReduceScatter: rank r's recvbuff gets op over block r of all ranks' sendbuff.
 *
 * sendbuff: ranks*recvcount elements of datatype.
 * recvbuff: recvcount elements; in place when it is sendbuff + rank*recvcount elements, otherwise they must not
 *           overlap. In place, the other blocks keep what they had.
 * op:       as for hcommAllReduce.
 * Errors: as hcommAllReduce.
 * Cost: each rank reads and reduces the (ranks-1)*recvcount elements of the others. */
hcommResult_t hcommReduceScatter(const void *sendbuff, void *recvbuff, size_t recvcount, hcommDataType_t datatype,
                                 hcommRedOp_t op, hcommComm_t comm, hcommStream_t stream);

/* hcommAlltoAll: block q of rank r's recvbuff gets block r of rank q's sendbuff.
 *
 * sendbuff, recvbuff: ranks*count elements of datatype each; in place when equal, otherwise they must not overlap.
 * Errors: as hcommAllReduce.
 * Cost: each rank reads the (ranks-1)*count elements that are for it; in place, they are copied once more. */
hcommResult_t hcommAlltoAll(const void *sendbuff, void *recvbuff, size_t count, hcommDataType_t datatype,
                            hcommComm_t comm, hcommStream_t stream);

/* hcommGather: block r of rank root's recvbuff gets rank r's sendbuff.
 *
 * sendbuff: count elements of datatype on every rank.
 * recvbuff: ranks*count elements on root; not looked at elsewhere, where it may be NULL. On root, in place when
 *           sendbuff is recvbuff + root*count elements, otherwise they must not overlap.
 * root:     0 to ranks-1, the same on all ranks.
 * Errors: as hcommAllReduce. Other ranks than root may return before it has their data.
 * Cost: the root reads the (ranks-1)*count elements of the others. */
hcommResult_t hcommGather(const void *sendbuff, void *recvbuff, size_t count, hcommDataType_t datatype, int root,
                          hcommComm_t comm, hcommStream_t stream);

/* hcommScatter: rank r's recvbuff gets block r of rank root's sendbuff.
 *
 * sendbuff: ranks*count elements of datatype on root; not read elsewhere, where it may be NULL.
 * recvbuff: count elements on every rank; on root, in place when it is sendbuff + root*count elements, otherwise they
 *           must not overlap.
 * root:     0 to ranks-1, the same on all ranks.
 * Errors: as hcommAllReduce. The root may return before the others have their data.
 * Cost: each rank reads its count elements. */
hcommResult_t hcommScatter(const void *sendbuff, void *recvbuff, size_t count, hcommDataType_t datatype, int root,
                           hcommComm_t comm, hcommStream_t stream);

/* hcommBarrier: returns when every rank has called it. Errors: as hcommAllReduce. */
hcommResult_t hcommBarrier(hcommComm_t comm, hcommStream_t stream);

/* hcommSend, hcommRecv: count elements of datatype go from the caller of hcommSend to the caller of hcommRecv. The first
 * message that a rank sends to another goes to the other's first receive from it, and so on. Messages of the MPI-style
 * half are apart from these.
 *
 * sendbuff, recvbuff: count elements, at any alignment. May be NULL when count is 0, which is a message, too.
 * count, datatype:    the same on both sides.
 * peer:               the other rank, 0 to ranks-1. What a rank sends to itself is kept until it receives it, up to
 *                     64 MiB in all.
 * With the NULL stream hcommSend returns when sendbuff may be used again, which for a message of more than 2240 bytes,
 * or after a good many smaller ones that nobody has received, is when the peer receives it. Two ranks that send to each other before they
 * receive, be it in a stream, may therefore wait for ever: put both calls in a group, or let one rank receive first.
 * Errors: hcommInvalidArgument; hcommInvalidUsage (as hcommAllReduce, or the call would wait for ever: a receive from
 * this rank itself of what it has not sent); nothing is done, comm stays usable. hcommMismatch (type or count differ;
 * the sentence names both sides; a sender that has returned gets it from its next call), hcommRemoteError (the peer died
 * or left, and what it sent before has been received), hcommInternalError: comm is poisoned.
 * Cost: up to 2240 bytes one message; above, three more and two copies, or one if sendbuff is from hcommMemAlloc or
 * registered. */
hcommResult_t hcommSend(const void *sendbuff, size_t count, hcommDataType_t datatype, int peer, hcommComm_t comm,
                        hcommStream_t stream);
hcommResult_t hcommRecv(void *recvbuff, size_t count, hcommDataType_t datatype, int peer, hcommComm_t comm,
                        hcommStream_t stream);

/* ------------------------------------------------------------------------------------------- MPI-style half ---- */

/* A HCOMM_Comm other than the constants and a hcommComm_t of the same value are the same communicator, and may be used in
 * both halves by a cast: what hcommCommInit* has made between HCOMM_Init and HCOMM_Finalize, and what HCOMM_Comm_dup has. */
typedef struct HCOMM_ABI_Comm *HCOMM_Comm;
typedef struct HCOMM_ABI_Datatype *HCOMM_Datatype;
typedef struct HCOMM_ABI_Op *HCOMM_Op;
typedef struct HCOMM_ABI_Request *HCOMM_Request;
typedef struct HCOMM_ABI_Errhandler *HCOMM_Errhandler;
typedef struct HCOMM_ABI_Info *HCOMM_Info;
typedef int64_t HCOMM_Count;

#define HCOMM_COMM_NULL ((HCOMM_Comm)0x100)
#define HCOMM_COMM_WORLD ((HCOMM_Comm)0x101) /* from HCOMM_Init to HCOMM_Finalize */
#define HCOMM_COMM_SELF ((HCOMM_Comm)0x102)  /* this process alone */

#define HCOMM_REQUEST_NULL ((HCOMM_Request)0x180)
#define HCOMM_INFO_NULL ((HCOMM_Info)0x130) /* the only one that there is */

#define HCOMM_ERRORS_ARE_FATAL ((HCOMM_Errhandler)0x141) /* see HCOMM_Comm_set_errhandler */
#define HCOMM_ERRORS_ABORT ((HCOMM_Errhandler)0x142)
#define HCOMM_ERRORS_RETURN ((HCOMM_Errhandler)0x143)

#define HCOMM_OP_NULL ((HCOMM_Op)0x20)
#define HCOMM_SUM ((HCOMM_Op)0x21)
#define HCOMM_MIN ((HCOMM_Op)0x22)
#define HCOMM_MAX ((HCOMM_Op)0x23)
#define HCOMM_PROD ((HCOMM_Op)0x24)
#define HCOMM_BAND ((HCOMM_Op)0x28)
#define HCOMM_BOR ((HCOMM_Op)0x29)
#define HCOMM_BXOR ((HCOMM_Op)0x2a)
#define HCOMM_LAND ((HCOMM_Op)0x30)
#define HCOMM_LOR ((HCOMM_Op)0x31)
#define HCOMM_LXOR ((HCOMM_Op)0x32)

#define HCOMM_DATATYPE_NULL ((HCOMM_Datatype)0x200)
#define HCOMM_AINT ((HCOMM_Datatype)0x201)
#define HCOMM_COUNT ((HCOMM_Datatype)0x202)
#define HCOMM_OFFSET ((HCOMM_Datatype)0x203)
#define HCOMM_SHORT ((HCOMM_Datatype)0x208)
#define HCOMM_INT ((HCOMM_Datatype)0x209)
#define HCOMM_LONG ((HCOMM_Datatype)0x20a)
#define HCOMM_LONG_LONG ((HCOMM_Datatype)0x20b)
#define HCOMM_UNSIGNED_SHORT ((HCOMM_Datatype)0x20c)
#define HCOMM_UNSIGNED ((HCOMM_Datatype)0x20d)
#define HCOMM_UNSIGNED_LONG ((HCOMM_Datatype)0x20e)
#define HCOMM_UNSIGNED_LONG_LONG ((HCOMM_Datatype)0x20f)
#define HCOMM_FLOAT ((HCOMM_Datatype)0x210)
#define HCOMM_DOUBLE ((HCOMM_Datatype)0x214)
#define HCOMM_C_BOOL ((HCOMM_Datatype)0x238)
#define HCOMM_INT8_T ((HCOMM_Datatype)0x240)
#define HCOMM_UINT8_T ((HCOMM_Datatype)0x241)
#define HCOMM_CHAR ((HCOMM_Datatype)0x243)
#define HCOMM_SIGNED_CHAR ((HCOMM_Datatype)0x244)
#define HCOMM_UNSIGNED_CHAR ((HCOMM_Datatype)0x245)
#define HCOMM_BYTE ((HCOMM_Datatype)0x247)
#define HCOMM_INT16_T ((HCOMM_Datatype)0x248)
#define HCOMM_UINT16_T ((HCOMM_Datatype)0x249)
#define HCOMM_INT32_T ((HCOMM_Datatype)0x250)
#define HCOMM_UINT32_T ((HCOMM_Datatype)0x251)
#define HCOMM_INT64_T ((HCOMM_Datatype)0x258)
#define HCOMM_UINT64_T ((HCOMM_Datatype)0x259)

#define HCOMM_IN_PLACE ((void *)1) /* as sendbuf: the input is in recvbuf; see each call */

#define HCOMM_ANY_SOURCE (-1)
#define HCOMM_ANY_TAG (-2)
#define HCOMM_PROC_NULL (-3) /* as dest or source: the call does nothing */
#define HCOMM_UNDEFINED (-32766)
#define HCOMM_MAX_ERROR_STRING 512
#define HCOMM_TAG_UB 2147483647 /* the largest tag; the smallest is 0 */

/* What HCOMM_Comm_compare finds, and a way to split. */
enum {
  HCOMM_IDENT = 201,
  HCOMM_CONGRUENT = 202,
  HCOMM_SIMILAR = 203,
  HCOMM_UNEQUAL = 204,
  HCOMM_COMM_TYPE_SHARED = 221
};

/* What a receive or probe tells of its message; see HCOMM_Recv. The empty status has HCOMM_ANY_SOURCE, HCOMM_ANY_TAG,
 * HCOMM_SUCCESS and no bytes. */
typedef struct {
  int HCOMM_SOURCE;
  int HCOMM_TAG;
  int HCOMM_ERROR; /* written in the empty status, with HCOMM_ERR_IN_STATUS, and by HCOMM_Request_get_status of a failure */
  int HCOMM_internal[5];
} HCOMM_Status;

#define HCOMM_STATUS_IGNORE ((HCOMM_Status *)0)
#define HCOMM_STATUSES_IGNORE ((HCOMM_Status *)0)

/* Error classes. The MPI-style calls return these if the error handler of the communicator is HCOMM_ERRORS_RETURN, which is
 * not the default: see HCOMM_Comm_set_errhandler. hcommGetLastError(NULL) has the sentence. */
enum {
  HCOMM_SUCCESS = 0,
  HCOMM_ERR_BUFFER = 1, /* NULL with a count, or an overlap that is not in place */
  HCOMM_ERR_COUNT = 2,  /* negative, too large to address, or another size for receiving than for sending */
  HCOMM_ERR_TYPE = 3,
  HCOMM_ERR_TAG = 4,
  HCOMM_ERR_COMM = 5,
  HCOMM_ERR_RANK = 6,    /* dest or source */
  HCOMM_ERR_REQUEST = 7, /* none, or completed or freed; or it cannot be started */
  HCOMM_ERR_ROOT = 8,
  HCOMM_ERR_OP = 10, /* unknown, or not defined for the type */
  HCOMM_ERR_ARG = 13,
  HCOMM_ERR_TRUNCATE = 15,     /* a message is longer than the buffer of its receive */
  HCOMM_ERR_OTHER = 16,        /* called before HCOMM_Init, after HCOMM_Finalize, in a forked child, by two threads;
                                  or the call would wait for ever */
  HCOMM_ERR_INTERN = 17,       /* a mistake in hcomm itself */
  HCOMM_ERR_PENDING = 18,      /* in a status: the request is not complete, but another one has failed */
  HCOMM_ERR_IN_STATUS = 19,    /* of several requests one has failed: each one's class is in its status */
  HCOMM_ERR_INFO = 34,         /* not HCOMM_INFO_NULL */
  HCOMM_ERR_NO_MEM = 39,       /* the operating system refused something */
  HCOMM_ERR_PROC_ABORTED = 58, /* a rank died, left or aborted; the communicator is poisoned */
  HCOMM_ERR_ERRHANDLER = 61,
  HCOMM_ERR_MISMATCH = 64, /* ranks called different collectives or disagree on settings; poisoned */
  HCOMM_ERR_TIMEOUT = 65   /* ranks did not come in time */
};

/* HCOMM_Init: joins the job that the environment describes (see hcommCommInitEnv) as HCOMM_COMM_WORLD. argc and argv
 * are not read and may be NULL.
 * Errors, which are always returned: HCOMM_ERR_OTHER (called before, with or without HCOMM_Finalize since), and those of
 * hcommCommInitEnv; after such an error it may be called again. */
int HCOMM_Init(int *argc, char ***argv);

/* HCOMM_Initialized: *flag is 1 from a successful HCOMM_Init on, also after HCOMM_Finalize; otherwise 0. */
int HCOMM_Initialized(int *flag);

/* HCOMM_Finalize: leaves HCOMM_COMM_WORLD after all its ranks have called it, and frees the communicators that HCOMM_Comm_dup
 * and its kin have made and the handles of requests. Requests that are complete or inactive need not be freed before.
 * Errors: HCOMM_ERR_OTHER (not between Init and Finalize; or requests are under way, which are to be completed or freed
 * first: nothing was done, and it may be called again); those of HCOMM_Barrier (a rank died, or called something else; it
 * is left all the same). A communicator that was poisoned before is left without waiting, without an error. */
int HCOMM_Finalize(void);

/* HCOMM_Abort: aborts comm on all ranks, as hcommCommAbort does, and ends this process with status errorcode (1 if its
 * low 8 bits are 0). Returns only on an error: HCOMM_ERR_COMM, HCOMM_ERR_OTHER. */
int HCOMM_Abort(HCOMM_Comm comm, int errorcode);

/* HCOMM_Comm_rank, HCOMM_Comm_size: this rank's number, and how many there are. */
int HCOMM_Comm_rank(HCOMM_Comm comm, int *rank);
int HCOMM_Comm_size(HCOMM_Comm comm, int *size);

/* HCOMM_Comm_set_errhandler: says what the MPI-style calls on comm do about errors from now on, in this process:
 *   HCOMM_ERRORS_ARE_FATAL  a line on standard error says what was wrong; comm and HCOMM_COMM_WORLD are aborted on all their
 *                           ranks, which are told the same; the process ends as by HCOMM_Abort, with the error class for
 *                           its status. This is the default.
 *   HCOMM_ERRORS_ABORT      the same, but that HCOMM_COMM_WORLD is not aborted
 *   HCOMM_ERRORS_RETURN     the call returns the error class
 * An error that concerns no communicator, such as a bad handle, is HCOMM_COMM_SELF's. Before HCOMM_Init, by HCOMM_Init, and
 * after HCOMM_Finalize errors are returned. A request's errors are those of the communicator that it was made with. The calls
 * of the NCCL-style half return theirs always.
 * Errors: HCOMM_ERR_COMM, _ERRHANDLER, _OTHER. */
int HCOMM_Comm_set_errhandler(HCOMM_Comm comm, HCOMM_Errhandler errhandler);

/* HCOMM_Comm_get_errhandler: *errhandler gets what was set last, or the default.
 * Errors: HCOMM_ERR_COMM, _ARG (a NULL pointer), _OTHER. */
int HCOMM_Comm_get_errhandler(HCOMM_Comm comm, HCOMM_Errhandler *errhandler);

/* HCOMM_Error_class: *errorclass is errorcode, for each code is a class. HCOMM_Error_string: string, of
 * HCOMM_MAX_ERROR_STRING characters, gets a class's name and a few words, *resultlen their length. hcommGetLastError has the
 * sentence of an error. Both work at any time. Errors: HCOMM_ERR_ARG. */
int HCOMM_Error_class(int errorcode, int *errorclass);
int HCOMM_Error_string(int errorcode, char *string, int *resultlen);

/* HCOMM_Comm_dup: a communicator of the same ranks, apart from comm: messages and collectives of the two never meet. All
 * ranks of comm call it, as they call a collective.
 *
 * newcomm: gets the communicator, with comm's error handler; HCOMM_COMM_NULL on an error. It is freed by HCOMM_Comm_free, or
 *          by HCOMM_Finalize.
 * Errors: those of HCOMM_Barrier; HCOMM_ERR_ARG; HCOMM_ERR_TIMEOUT, _NO_MEM: comm stays usable.
 * Cost: as a start of so many ranks, some ms; memory for each pair of ranks. */
int HCOMM_Comm_dup(HCOMM_Comm comm, HCOMM_Comm *newcomm);

/* HCOMM_Comm_split: a communicator for each color, of the ranks that give it, in the order of their keys, and of their ranks
 * in comm where keys are equal. All ranks of comm call it.
 *
 * color: 0 or more, or HCOMM_UNDEFINED: newcomm is then HCOMM_COMM_NULL.
 * Errors, cost: as HCOMM_Comm_dup; HCOMM_ERR_ARG also for the color. */
int HCOMM_Comm_split(HCOMM_Comm comm, int color, int key, HCOMM_Comm *newcomm);

/* HCOMM_Comm_split_type: HCOMM_Comm_split of the ranks that share memory, which are all, for a communicator is on one host.
 *
 * split_type: HCOMM_COMM_TYPE_SHARED, or HCOMM_UNDEFINED: newcomm is then HCOMM_COMM_NULL.
 * info:       HCOMM_INFO_NULL.
 * Errors, cost: as HCOMM_Comm_dup; HCOMM_ERR_ARG also for split_type; HCOMM_ERR_INFO. */
int HCOMM_Comm_split_type(HCOMM_Comm comm, int split_type, int key, HCOMM_Info info, HCOMM_Comm *newcomm);

/* HCOMM_Comm_free: this rank leaves *comm, which becomes HCOMM_COMM_NULL; it is hcommCommDestroy. It does not wait for the
 * others, but for sends and collectives whose requests were freed while they were under way.
 * Errors: HCOMM_ERR_COMM (also: HCOMM_COMM_WORLD or _SELF); HCOMM_ERR_OTHER (requests are under way on it: complete or free
 * them first; or another thread is in a call on it): nothing was done. */
int HCOMM_Comm_free(HCOMM_Comm *comm);

/* HCOMM_Comm_compare: *result is HCOMM_IDENT for the same communicator, HCOMM_CONGRUENT for another one of the same ranks in
 * the same order, HCOMM_SIMILAR in another order, otherwise HCOMM_UNEQUAL. Errors: HCOMM_ERR_COMM, _ARG, _OTHER. */
int HCOMM_Comm_compare(HCOMM_Comm comm1, HCOMM_Comm comm2, int *result);

/* HCOMM_Wtime: seconds on a clock that never goes back; differences mean something only within one host. */
double HCOMM_Wtime(void);

/* HCOMM_Allreduce: hcommAllReduce on count elements of datatype. sendbuf may be HCOMM_IN_PLACE; otherwise it must not
 * overlap recvbuf. HCOMM_C_BOOL and HCOMM_BYTE are reduced as uint8. Errors: the classes above. */
int HCOMM_Allreduce(const void *sendbuf, void *recvbuf, int count, HCOMM_Datatype datatype, HCOMM_Op op,
                    HCOMM_Comm comm);
int HCOMM_Allreduce_c(const void *sendbuf, void *recvbuf, HCOMM_Count count, HCOMM_Datatype datatype, HCOMM_Op op,
                      HCOMM_Comm comm);

/* HCOMM_Bcast: count elements of datatype go from root's buffer into everyone's. */
int HCOMM_Bcast(void *buffer, int count, HCOMM_Datatype datatype, int root, HCOMM_Comm comm);
int HCOMM_Bcast_c(void *buffer, HCOMM_Count count, HCOMM_Datatype datatype, int root, HCOMM_Comm comm);

/* The collectives below have the rules of their namesakes above, and these. In place is said with HCOMM_IN_PLACE, where
 * it is allowed, and with nothing else. What MPI does not call significant on a rank is not read. Where a rank has both
 * a sendcount and a recvcount these must come to the same number of bytes (HCOMM_ERR_COUNT); both are of one block.
 * What one rank sends and another receives must be the same basic type, such as int32 for HCOMM_INT and HCOMM_INT32_T.
 * Errors: the classes above. */

/* HCOMM_Reduce: hcommReduce. On root, sendbuf may be HCOMM_IN_PLACE: its input is then in recvbuf. */
int HCOMM_Reduce(const void *sendbuf, void *recvbuf, int count, HCOMM_Datatype datatype, HCOMM_Op op, int root,
                 HCOMM_Comm comm);
int HCOMM_Reduce_c(const void *sendbuf, void *recvbuf, HCOMM_Count count, HCOMM_Datatype datatype, HCOMM_Op op,
                   int root, HCOMM_Comm comm);

/* HCOMM_Allgather: hcommAllGather. sendbuf may be HCOMM_IN_PLACE, on all ranks: the input is then in this rank's block
 * of recvbuf, and sendcount and sendtype are not read. */
int HCOMM_Allgather(const void *sendbuf, int sendcount, HCOMM_Datatype sendtype, void *recvbuf, int recvcount,
                    HCOMM_Datatype recvtype, HCOMM_Comm comm);
int HCOMM_Allgather_c(const void *sendbuf, HCOMM_Count sendcount, HCOMM_Datatype sendtype, void *recvbuf,
                      HCOMM_Count recvcount, HCOMM_Datatype recvtype, HCOMM_Comm comm);

/* HCOMM_Reduce_scatter_block: hcommReduceScatter. sendbuf may be HCOMM_IN_PLACE, on all ranks: the input, which is
 * ranks*recvcount elements, is then in recvbuf, whose first recvcount elements get the result; what the others hold
 * after is undefined. */
int HCOMM_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, HCOMM_Datatype datatype, HCOMM_Op op,
                               HCOMM_Comm comm);
int HCOMM_Reduce_scatter_block_c(const void *sendbuf, void *recvbuf, HCOMM_Count recvcount, HCOMM_Datatype datatype,
                                 HCOMM_Op op, HCOMM_Comm comm);

/* HCOMM_Alltoall: hcommAlltoAll. sendbuf may be HCOMM_IN_PLACE, on all ranks: the input is then in recvbuf, and
 * sendcount and sendtype are not read. */
int HCOMM_Alltoall(const void *sendbuf, int sendcount, HCOMM_Datatype sendtype, void *recvbuf, int recvcount,
                   HCOMM_Datatype recvtype, HCOMM_Comm comm);
int HCOMM_Alltoall_c(const void *sendbuf, HCOMM_Count sendcount, HCOMM_Datatype sendtype, void *recvbuf,
                     HCOMM_Count recvcount, HCOMM_Datatype recvtype, HCOMM_Comm comm);

/* HCOMM_Gather: hcommGather. recvbuf, recvcount and recvtype are for root. On root, sendbuf may be HCOMM_IN_PLACE: its
 * block is then in recvbuf, and sendcount and sendtype are not read. */
int HCOMM_Gather(const void *sendbuf, int sendcount, HCOMM_Datatype sendtype, void *recvbuf, int recvcount,
                 HCOMM_Datatype recvtype, int root, HCOMM_Comm comm);
int HCOMM_Gather_c(const void *sendbuf, HCOMM_Count sendcount, HCOMM_Datatype sendtype, void *recvbuf,
                   HCOMM_Count recvcount, HCOMM_Datatype recvtype, int root, HCOMM_Comm comm);

/* HCOMM_Scatter: hcommScatter. sendbuf, sendcount and sendtype are for root. On root, recvbuf may be HCOMM_IN_PLACE:
 * its block then stays in sendbuf, and recvcount and recvtype are not read. */
int HCOMM_Scatter(const void *sendbuf, int sendcount, HCOMM_Datatype sendtype, void *recvbuf, int recvcount,
                  HCOMM_Datatype recvtype, int root, HCOMM_Comm comm);
int HCOMM_Scatter_c(const void *sendbuf, HCOMM_Count sendcount, HCOMM_Datatype sendtype, void *recvbuf,
                    HCOMM_Count recvcount, HCOMM_Datatype recvtype, int root, HCOMM_Comm comm);

/* HCOMM_Barrier: returns when every rank has called it. */
int HCOMM_Barrier(HCOMM_Comm comm);

/* HCOMM_Send: sends count elements of datatype to rank dest, with a tag.
 *
 * buf:  count elements, at any alignment. May be NULL when count is 0, which is a message, too.
 * dest: 0 to ranks-1, or HCOMM_PROC_NULL. What a rank sends to itself is kept until it receives it, up to 64 MiB in all.
 * tag:  0 to HCOMM_TAG_UB.
 * It returns when buf may be used again. A message of at most 2240 bytes is on its way then, unless many before it wait
 * for a receive: the receiver keeps up to 1 MiB of a peer's (less among more than 256 ranks). For a longer one it returns
 * when the peer receives it. Two ranks that send long messages to each other before they receive wait for ever;
 * HCOMM_Sendrecv does not.
 * Errors: HCOMM_ERR_BUFFER, _COUNT, _TYPE, _RANK, _TAG, _COMM; HCOMM_ERR_OTHER (also: more than 64 MiB to this rank
 * itself): nothing is done, comm stays usable. HCOMM_ERR_PROC_ABORTED (dest died or left), HCOMM_ERR_INTERN: comm is
 * poisoned.
 * Cost: as hcommSend. */
int HCOMM_Send(const void *buf, int count, HCOMM_Datatype datatype, int dest, int tag, HCOMM_Comm comm);
int HCOMM_Send_c(const void *buf, HCOMM_Count count, HCOMM_Datatype datatype, int dest, int tag, HCOMM_Comm comm);

/* HCOMM_Recv: receives a message from rank source with a tag: of those that match, the one that its sender sent first.
 *
 * buf:    room for count elements of datatype. The message may be shorter; sizes are compared in bytes, types are not.
 * source: 0 to ranks-1, HCOMM_ANY_SOURCE, or HCOMM_PROC_NULL, which gives an empty message from HCOMM_PROC_NULL with
 *         HCOMM_ANY_TAG.
 * tag:    0 to HCOMM_TAG_UB, or HCOMM_ANY_TAG.
 * status: gets the message's source and tag; HCOMM_Get_count tells its size. May be HCOMM_STATUS_IGNORE.
 * Errors: those of HCOMM_Send. HCOMM_ERR_TRUNCATE (the message is longer than buf; the sentence says by how much): the
 * message is gone, buf is unchanged, status is filled in, the sender has success, comm stays usable.
 * HCOMM_ERR_OTHER also if no such message can come: from this rank itself, which has not sent it; or from a peer, or any,
 * whose earlier messages, which no receive has matched, fill the room for them. HCOMM_ERR_PROC_ABORTED: source died or left,
 * and no such message of it is there; with HCOMM_ANY_SOURCE, any rank died, or all others left. */
int HCOMM_Recv(void *buf, int count, HCOMM_Datatype datatype, int source, int tag, HCOMM_Comm comm,
               HCOMM_Status *status);
int HCOMM_Recv_c(void *buf, HCOMM_Count count, HCOMM_Datatype datatype, int source, int tag, HCOMM_Comm comm,
                 HCOMM_Status *status);

/* HCOMM_Sendrecv: HCOMM_Send and HCOMM_Recv at once, in whatever order the others come to it. The buffers must not
 * overlap. When the receive fails with HCOMM_ERR_TRUNCATE the message has been sent all the same. */
int HCOMM_Sendrecv(const void *sendbuf, int sendcount, HCOMM_Datatype sendtype, int dest, int sendtag, void *recvbuf,
                   int recvcount, HCOMM_Datatype recvtype, int source, int recvtag, HCOMM_Comm comm,
                   HCOMM_Status *status);
int HCOMM_Sendrecv_c(const void *sendbuf, HCOMM_Count sendcount, HCOMM_Datatype sendtype, int dest, int sendtag,
                     void *recvbuf, HCOMM_Count recvcount, HCOMM_Datatype recvtype, int source, int recvtag,
                     HCOMM_Comm comm, HCOMM_Status *status);

/* HCOMM_Probe: waits until there is a message that HCOMM_Recv with these arguments would receive, and leaves it there.
 * Errors: those of HCOMM_Recv but for HCOMM_ERR_TRUNCATE. */
int HCOMM_Probe(int source, int tag, HCOMM_Comm comm, HCOMM_Status *status);

/* HCOMM_Iprobe: *flag is 1 if there is such a message now, otherwise 0, and then status is unchanged. It does not wait.
 * Errors: as HCOMM_Probe, so that no program asks for ever for what a rank that is gone would have to send; but that
 * other messages fill the room is none: the program may receive those next. */
int HCOMM_Iprobe(int source, int tag, HCOMM_Comm comm, int *flag, HCOMM_Status *status);

/* HCOMM_Get_count: *count is how many elements of datatype the message of a status has: HCOMM_UNDEFINED if that is no
 * whole number, or more than *count can hold. status is one that a call above has filled in.
 * Errors: HCOMM_ERR_ARG (a NULL pointer), HCOMM_ERR_TYPE. */
int HCOMM_Get_count(const HCOMM_Status *status, HCOMM_Datatype datatype, int *count);
int HCOMM_Get_count_c(const HCOMM_Status *status, HCOMM_Datatype datatype, HCOMM_Count *count);

/* REQUESTS. The calls below are begun and return at once; what they have begun goes on while the program computes. Each gives
 * a request, and has the arguments and the rules of the call whose name it has without the I; a wrong argument is found at
 * once, *request is then HCOMM_REQUEST_NULL, and nothing was done.
 *
 * The buffers belong to the library until the request is complete: what is sent must not be changed, and what is received not
 * be touched, until HCOMM_Wait or one of its kin has said so. Buffers of different requests that are under way must not
 * overlap, unless all of them are only read.
 * Collectives, begun or not, are done in the order of their calls on a communicator, which must be the same on all ranks; as
 * in MPI, one that is begun does not match one that is not: all ranks begin it, or none. (hcomm does not tell these apart.)
 * Sends and receives match in the order of their calls, begun or not.
 * Errors: those of the call for the arguments; HCOMM_ERR_ARG (request is NULL). What is found later is the result of the
 * request.
 * Cost: about 1 us more than the call; a thread of the library that wakes up while the program computes.
 *
 * A HCOMM_Request is a number. One that was completed or freed is refused with HCOMM_ERR_REQUEST. Its communicator may be in
 * one thread's calls at a time. */

/* HCOMM_Isend, HCOMM_Irecv: HCOMM_Send and HCOMM_Recv. A receive from a rank that has died or left fails once it is waited
 * for. Up to 64 MiB of sends to this rank itself are kept; more is HCOMM_ERR_OTHER. */
int HCOMM_Isend(const void *buf, int count, HCOMM_Datatype datatype, int dest, int tag, HCOMM_Comm comm,
                HCOMM_Request *request);
int HCOMM_Isend_c(const void *buf, HCOMM_Count count, HCOMM_Datatype datatype, int dest, int tag, HCOMM_Comm comm,
                  HCOMM_Request *request);
int HCOMM_Irecv(void *buf, int count, HCOMM_Datatype datatype, int source, int tag, HCOMM_Comm comm,
                HCOMM_Request *request);
int HCOMM_Irecv_c(void *buf, HCOMM_Count count, HCOMM_Datatype datatype, int source, int tag, HCOMM_Comm comm,
                  HCOMM_Request *request);

/* The collectives. */
int HCOMM_Iallreduce(const void *sendbuf, void *recvbuf, int count, HCOMM_Datatype datatype, HCOMM_Op op,
                     HCOMM_Comm comm, HCOMM_Request *request);
int HCOMM_Iallreduce_c(const void *sendbuf, void *recvbuf, HCOMM_Count count, HCOMM_Datatype datatype, HCOMM_Op op,
                       HCOMM_Comm comm, HCOMM_Request *request);
int HCOMM_Ibcast(void *buffer, int count, HCOMM_Datatype datatype, int root, HCOMM_Comm comm, HCOMM_Request *request);
int HCOMM_Ibcast_c(void *buffer, HCOMM_Count count, HCOMM_Datatype datatype, int root, HCOMM_Comm comm,
                   HCOMM_Request *request);
int HCOMM_Ireduce(const void *sendbuf, void *recvbuf, int count, HCOMM_Datatype datatype, HCOMM_Op op, int root,
                  HCOMM_Comm comm, HCOMM_Request *request);
int HCOMM_Ireduce_c(const void *sendbuf, void *recvbuf, HCOMM_Count count, HCOMM_Datatype datatype, HCOMM_Op op,
                    int root, HCOMM_Comm comm, HCOMM_Request *request);
int HCOMM_Iallgather(const void *sendbuf, int sendcount, HCOMM_Datatype sendtype, void *recvbuf, int recvcount,
                     HCOMM_Datatype recvtype, HCOMM_Comm comm, HCOMM_Request *request);
int HCOMM_Iallgather_c(const void *sendbuf, HCOMM_Count sendcount, HCOMM_Datatype sendtype, void *recvbuf,
                       HCOMM_Count recvcount, HCOMM_Datatype recvtype, HCOMM_Comm comm, HCOMM_Request *request);
int HCOMM_Ireduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, HCOMM_Datatype datatype,
                                HCOMM_Op op, HCOMM_Comm comm, HCOMM_Request *request);
int HCOMM_Ireduce_scatter_block_c(const void *sendbuf, void *recvbuf, HCOMM_Count recvcount, HCOMM_Datatype datatype,
                                  HCOMM_Op op, HCOMM_Comm comm, HCOMM_Request *request);
int HCOMM_Ialltoall(const void *sendbuf, int sendcount, HCOMM_Datatype sendtype, void *recvbuf, int recvcount,
                    HCOMM_Datatype recvtype, HCOMM_Comm comm, HCOMM_Request *request);
int HCOMM_Ialltoall_c(const void *sendbuf, HCOMM_Count sendcount, HCOMM_Datatype sendtype, void *recvbuf,
                      HCOMM_Count recvcount, HCOMM_Datatype recvtype, HCOMM_Comm comm, HCOMM_Request *request);
int HCOMM_Igather(const void *sendbuf, int sendcount, HCOMM_Datatype sendtype, void *recvbuf, int recvcount,
                  HCOMM_Datatype recvtype, int root, HCOMM_Comm comm, HCOMM_Request *request);
int HCOMM_Igather_c(const void *sendbuf, HCOMM_Count sendcount, HCOMM_Datatype sendtype, void *recvbuf,
                    HCOMM_Count recvcount, HCOMM_Datatype recvtype, int root, HCOMM_Comm comm, HCOMM_Request *request);
int HCOMM_Iscatter(const void *sendbuf, int sendcount, HCOMM_Datatype sendtype, void *recvbuf, int recvcount,
                   HCOMM_Datatype recvtype, int root, HCOMM_Comm comm, HCOMM_Request *request);
int HCOMM_Iscatter_c(const void *sendbuf, HCOMM_Count sendcount, HCOMM_Datatype sendtype, void *recvbuf,
                     HCOMM_Count recvcount, HCOMM_Datatype recvtype, int root, HCOMM_Comm comm,
                     HCOMM_Request *request);
int HCOMM_Ibarrier(HCOMM_Comm comm, HCOMM_Request *request);

/* Persistent requests: HCOMM_Start begins the call as often as one likes, each time when it is complete. It reads what is then
 * in the buffers. The request is inactive before, in between and after, until HCOMM_Request_free. The ranks of a communicator
 * start those of collectives in the same order as their other collectives. Making one sends nothing.
 *
 * info: HCOMM_INFO_NULL; else HCOMM_ERR_INFO. */
int HCOMM_Send_init(const void *buf, int count, HCOMM_Datatype datatype, int dest, int tag, HCOMM_Comm comm,
                    HCOMM_Request *request);
int HCOMM_Send_init_c(const void *buf, HCOMM_Count count, HCOMM_Datatype datatype, int dest, int tag, HCOMM_Comm comm,
                      HCOMM_Request *request);
int HCOMM_Recv_init(void *buf, int count, HCOMM_Datatype datatype, int source, int tag, HCOMM_Comm comm,
                    HCOMM_Request *request);
int HCOMM_Recv_init_c(void *buf, HCOMM_Count count, HCOMM_Datatype datatype, int source, int tag, HCOMM_Comm comm,
                      HCOMM_Request *request);
int HCOMM_Allreduce_init(const void *sendbuf, void *recvbuf, int count, HCOMM_Datatype datatype, HCOMM_Op op,
                         HCOMM_Comm comm, HCOMM_Info info, HCOMM_Request *request);
int HCOMM_Allreduce_init_c(const void *sendbuf, void *recvbuf, HCOMM_Count count, HCOMM_Datatype datatype, HCOMM_Op op,
                           HCOMM_Comm comm, HCOMM_Info info, HCOMM_Request *request);
int HCOMM_Bcast_init(void *buffer, int count, HCOMM_Datatype datatype, int root, HCOMM_Comm comm, HCOMM_Info info,
                     HCOMM_Request *request);
int HCOMM_Bcast_init_c(void *buffer, HCOMM_Count count, HCOMM_Datatype datatype, int root, HCOMM_Comm comm,
                       HCOMM_Info info, HCOMM_Request *request);
int HCOMM_Reduce_init(const void *sendbuf, void *recvbuf, int count, HCOMM_Datatype datatype, HCOMM_Op op, int root,
                      HCOMM_Comm comm, HCOMM_Info info, HCOMM_Request *request);
int HCOMM_Reduce_init_c(const void *sendbuf, void *recvbuf, HCOMM_Count count, HCOMM_Datatype datatype, HCOMM_Op op,
                        int root, HCOMM_Comm comm, HCOMM_Info info, HCOMM_Request *request);
int HCOMM_Allgather_init(const void *sendbuf, int sendcount, HCOMM_Datatype sendtype, void *recvbuf, int recvcount,
                         HCOMM_Datatype recvtype, HCOMM_Comm comm, HCOMM_Info info, HCOMM_Request *request);
int HCOMM_Allgather_init_c(const void *sendbuf, HCOMM_Count sendcount, HCOMM_Datatype sendtype, void *recvbuf,
                           HCOMM_Count recvcount, HCOMM_Datatype recvtype, HCOMM_Comm comm, HCOMM_Info info,
                           HCOMM_Request *request);
int HCOMM_Reduce_scatter_block_init(const void *sendbuf, void *recvbuf, int recvcount, HCOMM_Datatype datatype,
                                    HCOMM_Op op, HCOMM_Comm comm, HCOMM_Info info, HCOMM_Request *request);
int HCOMM_Reduce_scatter_block_init_c(const void *sendbuf, void *recvbuf, HCOMM_Count recvcount,
                                      HCOMM_Datatype datatype, HCOMM_Op op, HCOMM_Comm comm, HCOMM_Info info,
                                      HCOMM_Request *request);
int HCOMM_Alltoall_init(const void *sendbuf, int sendcount, HCOMM_Datatype sendtype, void *recvbuf, int recvcount,
                        HCOMM_Datatype recvtype, HCOMM_Comm comm, HCOMM_Info info, HCOMM_Request *request);
int HCOMM_Alltoall_init_c(const void *sendbuf, HCOMM_Count sendcount, HCOMM_Datatype sendtype, void *recvbuf,
                          HCOMM_Count recvcount, HCOMM_Datatype recvtype, HCOMM_Comm comm, HCOMM_Info info,
                          HCOMM_Request *request);
int HCOMM_Gather_init(const void *sendbuf, int sendcount, HCOMM_Datatype sendtype, void *recvbuf, int recvcount,
                      HCOMM_Datatype recvtype, int root, HCOMM_Comm comm, HCOMM_Info info, HCOMM_Request *request);
int HCOMM_Gather_init_c(const void *sendbuf, HCOMM_Count sendcount, HCOMM_Datatype sendtype, void *recvbuf,
                        HCOMM_Count recvcount, HCOMM_Datatype recvtype, int root, HCOMM_Comm comm, HCOMM_Info info,
                        HCOMM_Request *request);
int HCOMM_Scatter_init(const void *sendbuf, int sendcount, HCOMM_Datatype sendtype, void *recvbuf, int recvcount,
                       HCOMM_Datatype recvtype, int root, HCOMM_Comm comm, HCOMM_Info info, HCOMM_Request *request);
int HCOMM_Scatter_init_c(const void *sendbuf, HCOMM_Count sendcount, HCOMM_Datatype sendtype, void *recvbuf,
                         HCOMM_Count recvcount, HCOMM_Datatype recvtype, int root, HCOMM_Comm comm, HCOMM_Info info,
                         HCOMM_Request *request);
int HCOMM_Barrier_init(HCOMM_Comm comm, HCOMM_Info info, HCOMM_Request *request);

/* HCOMM_Start, HCOMM_Startall: begin a persistent request that is not under way, or count of them, in their order.
 * Errors: HCOMM_ERR_REQUEST (HCOMM_REQUEST_NULL, not persistent, or under way: none is begun); HCOMM_ERR_COUNT, _ARG; those of
 * the call. */
int HCOMM_Start(HCOMM_Request *request);
int HCOMM_Startall(int count, HCOMM_Request requests[]);

/* HCOMM_Wait: waits until a request is complete. A receive's status tells of its message; others, and HCOMM_REQUEST_NULL and
 * inactive requests, which are complete, have the empty one. *request is then HCOMM_REQUEST_NULL, or inactive if it is
 * persistent, also when the call has failed.
 * status may be HCOMM_STATUS_IGNORE.
 * Errors: HCOMM_ERR_REQUEST, _ARG (a NULL pointer), _OTHER (before HCOMM_Init); otherwise those of the call that was begun. The
 * sentence names both functions. */
int HCOMM_Wait(HCOMM_Request *request, HCOMM_Status *status);

/* HCOMM_Test: *flag is 1 if the request is complete, and then it does what HCOMM_Wait does; otherwise 0. It does not wait. */
int HCOMM_Test(HCOMM_Request *request, int *flag, HCOMM_Status *status);

/* HCOMM_Waitall: HCOMM_Wait for count requests. statuses has one for each, or is HCOMM_STATUSES_IGNORE.
 * Errors: as HCOMM_Wait, but that what became of the requests is HCOMM_ERR_IN_STATUS if one has failed: HCOMM_ERROR of each
 * status is then its class, HCOMM_SUCCESS, or HCOMM_ERR_PENDING for one that is not complete and may never be; it stays as it
 * was. The sentence is that of the first failure. */
int HCOMM_Waitall(int count, HCOMM_Request requests[], HCOMM_Status *statuses);

/* HCOMM_Testall: *flag is 1 if all requests are complete, and then it does what HCOMM_Waitall does; otherwise 0, and no request
 * is touched, unless one has failed: then it is as HCOMM_Waitall. */
int HCOMM_Testall(int count, HCOMM_Request requests[], int *flag, HCOMM_Status *statuses);

/* HCOMM_Waitany: HCOMM_Wait for one of count requests, the first in the array of those that are complete. *index gets its
 * place, HCOMM_UNDEFINED if none of them is under way: status is then the empty one. */
int HCOMM_Waitany(int count, HCOMM_Request requests[], int *index, HCOMM_Status *status);

/* HCOMM_Testany: *flag is 1 if HCOMM_Waitany would not wait, and then it does what that does; otherwise 0, and *index is
 * HCOMM_UNDEFINED. */
int HCOMM_Testany(int count, HCOMM_Request requests[], int *index, int *flag, HCOMM_Status *status);

/* HCOMM_Waitsome: HCOMM_Wait for at least one of incount requests, and for all others that are complete then. *outcount gets
 * their number, HCOMM_UNDEFINED if none of them is under way; the first places of indices and statuses get their places, in
 * ascending order, and statuses. Both have room for incount; statuses may be HCOMM_STATUSES_IGNORE.
 * HCOMM_Testsome does not wait, and may find 0.
 * Errors: as HCOMM_Waitall. */
int HCOMM_Waitsome(int incount, HCOMM_Request requests[], int *outcount, int indices[], HCOMM_Status *statuses);
int HCOMM_Testsome(int incount, HCOMM_Request requests[], int *outcount, int indices[], HCOMM_Status *statuses);

/* HCOMM_Request_get_status: HCOMM_Test that leaves the request as it is. It returns no failure of the call that was begun:
 * HCOMM_ERROR of the status is then its class, and HCOMM_Wait returns it. */
int HCOMM_Request_get_status(HCOMM_Request request, int *flag, HCOMM_Status *status);

/* HCOMM_Request_free: *request becomes HCOMM_REQUEST_NULL. What is under way goes on, and nobody is told what comes of it; its
 * buffers must stay until then, which a receive never tells: it ends with its communicator at the latest.
 * Errors: HCOMM_ERR_REQUEST, _ARG, _OTHER. */
int HCOMM_Request_free(HCOMM_Request *request);

#ifdef __cplusplus
}
#endif

#endif
