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
 *   - found later (a rank died or left, ranks disagree, an abort): all ranks of the communicator get it, naming the
 *     same culprit, and the communicator is poisoned: every later call on it returns the same error, except
 *     hcommCommAbort, hcommCommDestroy, hcommCommCount, hcommCommUserRank, hcommCommRegister and hcommCommDeregister.
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
 * once is an error (hcommInvalidUsage), except that hcommCommAbort may be called from any thread at any time.
 *
 * SIGNALS. A call may be interrupted by the program's handlers. One that was installed after the first communicator was
 * made and needs more than 8 KiB of stack must ask for the alternate stack (SA_ONSTACK).
 *
 * FORK. In a process that was forked after the library was loaded every call returns hcommInvalidUsage
 * (HCOMM_ERR_OTHER) until it calls exec, but for hcommGetVersion, the two that give strings, and HCOMM_Wtime.
 */
#ifndef HCOMM_H
#define HCOMM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A program works with the library it was built for and with later ones of the same MAJOR; while that is 0, of the same
 * MINOR. */
#define HCOMM_MAJOR 0
#define HCOMM_MINOR 3
#define HCOMM_PATCH 0
#define HCOMM_VERSION(major, minor, patch) ((major) * 10000 + (minor) * 100 + (patch))
#define HCOMM_VERSION_CODE HCOMM_VERSION(HCOMM_MAJOR, HCOMM_MINOR, HCOMM_PATCH)

/* ------------------------------------------------------------------------------------------ NCCL-style half ---- */

/* A communicator of one rank: from hcommCommInit* to hcommCommDestroy or hcommCommAbort. The value is a number, not an
 * address; one that is not, or no longer, a communicator is refused with hcommInvalidArgument. */
typedef struct hcommComm *hcommComm_t;

/* A queue of operations. This version has only the NULL stream: the call returns when its result is complete. Any other
 * value is refused with hcommInvalidArgument. */
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
  hcommInProgress = 7,         /* not returned by this version */
  hcommTimeout = 8,            /* ranks did not come in time */
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
  hcommLogicalAnd = 67, /* 1 or 0 */
  hcommLogicalOr = 68,
  hcommLogicalXor = 69
} hcommRedOp_t;

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

/* hcommCommInitAll: makes all ndev ranks of one communicator in this process, for one thread each.
 *
 * comms:   gets ndev communicators, by rank.
 * ndev:    1 to 256.
 * devlist: NCCL's list of devices; not read, may be NULL.
 * A call returns when its result is complete, so each rank needs a thread of its own: one thread that calls for one
 * rank after the other waits for ever in its first call. There is no group call yet.
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

/* hcommCommDestroy: this rank leaves; comm is no longer valid. It does not wait for the others: what this rank has
 * sent stays readable for them, and a collective that still needs this rank fails there, naming it as "left". A process
 * that returns from main or calls exit leaves its communicators, too; one that is killed or calls _exit has died.
 * Errors: hcommInvalidArgument; hcommInvalidUsage (another thread is in a call on comm). */
hcommResult_t hcommCommDestroy(hcommComm_t comm);

/* hcommCommAbort: ends every call on the communicator, on all ranks, and frees this rank's comm. May be called from
 * any thread while others wait in a call; returns at once. The others get hcommRemoteError, this rank's waiting call
 * hcommInvalidUsage.
 * Errors: hcommInvalidArgument. */
hcommResult_t hcommCommAbort(hcommComm_t comm);

/* hcommCommCount, hcommCommUserRank: the number of ranks, and this rank's number.
 * Errors: hcommInvalidArgument (a bad comm, or a NULL pointer). */
hcommResult_t hcommCommCount(hcommComm_t comm, int *count);
hcommResult_t hcommCommUserRank(hcommComm_t comm, int *rank);

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
 * stream:             NULL.
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
 * stream:             NULL.
 * hcommSend returns when sendbuff may be used again, which for a message of more than 2240 bytes, or after a good many
 * smaller ones that nobody has received, is when the peer receives it. Two ranks that send to each other before they
 * receive may therefore wait for ever: let one of them receive first, or use HCOMM_Sendrecv, which has no such order.
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

typedef struct HCOMM_ABI_Comm *HCOMM_Comm;
typedef struct HCOMM_ABI_Datatype *HCOMM_Datatype;
typedef struct HCOMM_ABI_Op *HCOMM_Op;
typedef int64_t HCOMM_Count;

#define HCOMM_COMM_NULL ((HCOMM_Comm)0x100)
#define HCOMM_COMM_WORLD ((HCOMM_Comm)0x101) /* from HCOMM_Init to HCOMM_Finalize */
#define HCOMM_COMM_SELF ((HCOMM_Comm)0x102)  /* this process alone */

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
#define HCOMM_TAG_UB 2147483647 /* the largest tag; the smallest is 0 */

/* What a receive or probe tells of its message; see HCOMM_Recv. */
typedef struct {
  int HCOMM_SOURCE;
  int HCOMM_TAG;
  int HCOMM_ERROR; /* not written by the calls of this version */
  int HCOMM_internal[5];
} HCOMM_Status;

#define HCOMM_STATUS_IGNORE ((HCOMM_Status *)0)

/* Error classes. The MPI-style calls return these; hcommGetLastError(NULL) has the sentence. Only HCOMM_Abort ends the
 * process. */
enum {
  HCOMM_SUCCESS = 0,
  HCOMM_ERR_BUFFER = 1, /* NULL with a count, or an overlap that is not in place */
  HCOMM_ERR_COUNT = 2,  /* negative, too large to address, or another size for receiving than for sending */
  HCOMM_ERR_TYPE = 3,
  HCOMM_ERR_TAG = 4,
  HCOMM_ERR_COMM = 5,
  HCOMM_ERR_RANK = 6, /* dest or source */
  HCOMM_ERR_ROOT = 8,
  HCOMM_ERR_OP = 10, /* unknown, or not defined for the type */
  HCOMM_ERR_ARG = 13,
  HCOMM_ERR_TRUNCATE = 15,     /* a message is longer than the buffer of its receive */
  HCOMM_ERR_OTHER = 16,        /* called before HCOMM_Init, after HCOMM_Finalize, in a forked child, by two threads;
                                  or the call would wait for ever */
  HCOMM_ERR_INTERN = 17,       /* a mistake in hcomm itself */
  HCOMM_ERR_NO_MEM = 39,       /* the operating system refused something */
  HCOMM_ERR_PROC_ABORTED = 58, /* a rank died, left or aborted; the communicator is poisoned */
  HCOMM_ERR_MISMATCH = 64,     /* ranks called different collectives or disagree on settings; poisoned */
  HCOMM_ERR_TIMEOUT = 65       /* ranks did not come in time */
};

/* HCOMM_Init: joins the job that the environment describes (see hcommCommInitEnv) as HCOMM_COMM_WORLD. argc and argv
 * are not read and may be NULL.
 * Errors: HCOMM_ERR_OTHER (called before, with or without HCOMM_Finalize since), and those of hcommCommInitEnv; after
 * such an error it may be called again. */
int HCOMM_Init(int *argc, char ***argv);

/* HCOMM_Initialized: *flag is 1 from a successful HCOMM_Init on, also after HCOMM_Finalize; otherwise 0. */
int HCOMM_Initialized(int *flag);

/* HCOMM_Finalize: leaves HCOMM_COMM_WORLD after all its ranks have called it. Errors: HCOMM_ERR_OTHER (not between Init
 * and Finalize; nothing was done); those of HCOMM_Barrier (a rank died, or called something else; it is left all the
 * same). A communicator that was poisoned before is left without waiting, without an error. */
int HCOMM_Finalize(void);

/* HCOMM_Abort: aborts comm on all ranks, as hcommCommAbort does, and ends this process with status errorcode (1 if its
 * low 8 bits are 0). Returns only on an error: HCOMM_ERR_COMM, HCOMM_ERR_OTHER. */
int HCOMM_Abort(HCOMM_Comm comm, int errorcode);

/* HCOMM_Comm_rank, HCOMM_Comm_size: this rank's number, and how many there are. */
int HCOMM_Comm_rank(HCOMM_Comm comm, int *rank);
int HCOMM_Comm_size(HCOMM_Comm comm, int *size);

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

#ifdef __cplusplus
}
#endif

#endif
