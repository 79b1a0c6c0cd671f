/* shim.h: libhcomm_mpi.so, which is preloaded under an unchanged MPI program and has libhcomm.so serve its collectives.
 *
 * The library is C alone and has no MPI in it: of each binary interface (MPICH's, Open MPI's, MPI 5.0's) it knows a few
 * constants, which tests/mpi/constants.c compares with the real headers. For each function that it wraps it exports
 * MPI_X and PMPI_X. PMPI_X is where it serves, or passes on to the host MPI's PMPI_X; MPI_X goes to a profiler's MPI_X
 * behind it, if there is one, whose PMPI_X is then this one: so a profiler sees each call once, and the Fortran
 * layers, of which one calls MPI_X and the other PMPI_X, are served as well.
 *
 *   functions.h    the functions that are wrapped, and those of the host MPI that are called
 *   doors.c        MPI_X and PMPI_X
 *   host.c         which MPI is in the process, and where its functions are
 *   abi.c          the constants of the three interfaces; types.c, which of them mean what to hcomm
 *   job.c          from MPI_Init to MPI_Finalize; roll.c, whether all processes of the job have this library
 *   comm.c         what is known of a communicator; worth.c, when it comes to be served; setup.c, how
 *   slower.c       what of it hcomm does no better than the host MPI
 *   call.c         a collective: may it be served, where are its blocks; layout.c, types with gaps
 *   collectives.c  what is then done; requests.c, in I-forms; wait.c, MPI_Wait and its kin
 *   memory.c       MPI_Alloc_mem
 *   library.c      libhcomm.so; limits.c, whether it can start; settings.c; report.c; errors.c
 *
 * A handle of the host MPI is an int or a pointer. Both travel in registers or in stack slots of eight bytes (System V's
 * convention on x86-64; on arm64 that of Linux, where no function here has more than its last pointer on the stack), so a
 * handle is passed on as it came, and only narrowed before it is compared. */
#ifndef HCOMM_MPI_SHIM_H
#define HCOMM_MPI_SHIM_H

#include <pthread.h>
#include <stdint.h>
#include <stddef.h>

#include "../../include/hcomm.h"

typedef uintptr_t handle;

#include "functions.h"

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

enum { MPI_OK = 0 }; /* in all interfaces */

/* ---- host.c, abi.c ---- */

/* host has the host MPI's PMPI functions, next those MPI functions of a profiler that stand between this library and it. */
extern struct functions host, next;
extern int host_found;
void find_host(void *caller);

/* absent ends the process: the program asked for a function by a name that only this library has. */
__attribute__((noreturn)) int absent(const char *name);

enum family { UNKNOWN, MPICH, OPEN_MPI, STANDARD };

/* abi is what is known of the host MPI's binary interface. */
struct abi {
  enum family family;
  const char *name; /* for people */
  int of_mpich;     /* or its kin, whatever the interface */
  int narrow;       /* handles are ints */
  const void *in_place;
  int err_other;
  int combiner_named;
  handle comm_null, comm_world, comm_self, datatype_null;
  handle byte, int32, int64, sum, min, bor;
};
extern struct abi abi;

/* identify finds out the interface of the host MPI; 0 if it is none of those that are known. */
int identify(void);

/* symbol is the address of an object of Open MPI. */
void *symbol(const char *name);

static inline handle narrowed(handle h) { return abi.narrow ? (uint32_t)h : h; }
static inline handle load_handle(const void *at, size_t i) {
  return abi.narrow ? ((const uint32_t *)at)[i] : ((const handle *)at)[i];
}
static inline void store_handle(void *at, handle h) {
  if (abi.narrow) *(uint32_t *)at = (uint32_t)h;
  else *(handle *)at = h;
}

/* ---- types.c ---- */

/* What an element of a predefined type is. */
struct element {
  handle type;
  uint8_t size;
  int8_t datatype;    /* of hcomm, as which it is reduced, or -1 */
  uint8_t components; /* 2 for a complex number */
  uint8_t operators;  /* sets of those that MPI defines for it */
};

void learn_types(void);

/* element_of says what a predefined type is; NULL if it is no such, or one that is laid out with gaps. */
const struct element *element_of(handle type);

/* operator_of is hcomm's number for a predefined operator on an element, -1 if there is none. */
int operator_of(handle op, const struct element *e);
int is_predefined(handle op);

/* ---- settings.c ---- */

enum collective { ALLREDUCE, REDUCE, BCAST, ALLGATHER, ALLTOALL, REDUCE_SCATTER_BLOCK, GATHER, SCATTER, BARRIER, COLLECTIVES };
extern const char *const collective_names[COLLECTIVES];

/* settings are the HCOMM_MPI_* variables, the same in the whole job on this host: those of who held the roll call. */
struct settings {
  uint32_t collectives; /* a bit for each that may be served */
  uint32_t after;       /* blocking collectives before a communicator is served; 0: see worth.c */
  uint32_t report;
  uint32_t always; /* what hcomm does no faster is served, too */
  uint64_t min_bytes, max_bytes; /* of a block */
};
extern struct settings settings;

/* read_settings reads them, and warns of what is wrong; switched_off says whether the library is to do nothing. */
void read_settings(void);
int switched_off(void);

/* ---- job.c, roll.c ---- */

/* serving is 1 while collectives may be served: all processes of the job on this host take part. */
extern int serving;

/* here has the ranks in MPI_COMM_WORLD of the processes that answered the roll call, in ascending order, and how many
 * processors they may run on together. */
struct ranks {
  int count, processors;
  int *ranks;
};
extern struct ranks here;
extern int world_rank, world_size;

/* roll_call finds out whether all processes of the job on this host have this library; the leader's settings are then
 * everyone's. Exactly one process warns if not. */
int roll_call(void);
void end_roll(void);

/* progress lets the host MPI go on, if this thread is in a call of this library: no other may call it. */
void progress(void *unused);
extern __thread int in_call;

/* ---- library.c ---- */

/* lib has libhcomm.so's functions. */
extern struct library {
#define LIBRARY(result, name, params) result(*name) params;
#include "library.h"
#undef LIBRARY
} lib;

/* limited says what the process has too little of for it; NULL if it has enough. */
const char *limited(void);

/* load_library loads libhcomm.so, once; if that fails it returns why. */
const char *load_library(void);

/* ---- report.c ---- */

/* Why a call was passed on, or is an error. */
enum why {
  SERVED,
  NOT_SERVING,       /* as was warned, or before MPI_Init is done */
  NOT_YET,           /* too few blocking collectives on the communicator so far */
  SWITCHED_OFF,      /* by HCOMM_MPI_COLLECTIVES */
  OUT_OF_LIMITS,     /* by HCOMM_MPI_MIN_BYTES or _MAX_BYTES */
  INTERCOMMUNICATOR,
  ONE_RANK,
  OTHER_HOSTS,
  NOT_STARTED,       /* hcomm could not start, as was warned */
  USER_OPERATOR,     /* or MINLOC, MAXLOC */
  NO_MATCH,          /* of types */
  SLOWER,            /* hcomm does it no better */
  WRONG_ARGUMENT,    /* what the host MPI makes of it */
  TOO_LONG,
  NO_MEMORY,         /* here, while the other ranks are served: an error */
  UNEQUAL,           /* a root's block for itself has two sizes: the same */
  WHYS
};
static inline int is_error(enum why why) { return why >= NO_MEMORY; }

/* count_call notes a call: of which collective, begun or not, how many bytes a block, why it was passed on, and how long
 * it took. */
void count_call(enum collective c, int begun, uint64_t bytes, enum why why, uint64_t nanoseconds);
uint64_t report_clock(void); /* nanoseconds, 0 without a report */
void print_report(void);

/* ---- errors.c ---- */

__attribute__((format(printf, 1, 2))) void warn(const char *format, ...);

/* failed tells the program of an error of hcomm by the error handler of its communicator, and returns the code. refused
 * does so for a call that this rank cannot make; the others get an error, too. */
struct comm;
int failed(struct comm *c, hcommResult_t result);
int refused(struct comm *c, enum why why);

/* ---- comm.c, worth.c, setup.c, slower.c ---- */

/* range is the sizes of blocks from one up to below another. */
struct range {
  uint64_t from, below;
};

/* comm is what is known of a communicator. */
struct comm {
  handle handle;
  hcommComm_t hcomm;  /* NULL while it is not served */
  enum why why;       /* it is not */
  int rank, size;
  struct range faster[COLLECTIVES][2]; /* the sizes that hcomm does faster, blocking and begun */
  uint32_t calls;     /* blocking collectives that were passed on */
  uint64_t saved;     /* nearly, had they been served: see worth.c */
  uint32_t under_way; /* requests that are not complete */
  int freed;          /* by the program, and kept for those */
  void *scratch[2];
  size_t scratch_bytes[2];
};

/* comm_of finds it; NULL if the handle is no communicator. */
struct comm *comm_of(handle comm);
int prepare_comms(void);
void leave_comms(void); /* all of them, before the host MPI ends */
void release_comm(struct comm *c);

/* end_request counts a request that is complete. It returns 1 if it was the last one of a communicator that the program
 * has freed, which is then to be released. */
int end_request(struct comm *c);

/* scratch is room that belongs to the communicator, until it is asked for again; NULL if there is no memory. */
void *scratch(struct comm *c, int which, size_t bytes);

/* find_faster fills that in: what it does must be the same on all ranks. */
void find_faster(struct comm *c);

/* sharing is how many ranks of the communicator a processor has, for all that is known before it is served. */
static inline int sharing(const struct comm *c) { return (c->size + here.processors - 1) / here.processors; }

/* is_worth counts a blocking collective that was passed on, and says whether it is time to have the communicator served. It
 * says the same on all ranks. */
struct call;
int is_worth(struct comm *c, const struct call *call);

/* set_up has all ranks of a communicator agree on whether it is served, after one of its blocking collectives. */
void set_up(struct comm *c);

/* ---- call.c ---- */

/* call is a collective as the program wants it. What is not significant on a rank is not read. */
struct call {
  enum collective collective;
  int begun; /* by an I-form */
  const void *send;
  void *recv; /* Bcast: buffer */
  int64_t send_count, recv_count; /* one of them for reductions and Bcast: recv_count */
  handle send_type, recv_type, op, comm;
  int root;
};

/* block_of is how many bytes a block has of a call that the host MPI has done, however this rank describes it. */
uint64_t block_of(const struct call *c);

/* layout is how so many elements of a type lie in memory: see layout.h. */
struct layout {
  handle type;
  int64_t count;
  int64_t size, extent; /* of an element */
  int has_gaps;         /* or another order than that of the addresses */
};

/* plan is how it is served: a call of hcomm, and what must be done before and after with types that have gaps. */
struct plan {
  struct comm *comm;
  const void *send;
  void *recv;
  size_t count, bytes; /* of a block */
  hcommDataType_t datatype;
  hcommRedOp_t op;
  void *unpack_from; /* NULL if nothing is to be unpacked */
  int unpack_blocks;
  struct layout unpack_as;
  handle kept_type;  /* by a request: the program may free its own meanwhile; 0 if there is none */
  void *move_to; /* NULL, or where the result goes that lies at recv */
  void *owned[2]; /* by a request, to be freed */
};

/* make_plan says why it cannot be served; SERVED if it can. */
enum why make_plan(const struct call *c, struct plan *p);

/* finish_plan does what is left when hcomm is done, 0 if the host MPI refuses that; drop_plan only frees what is owned. */
int finish_plan(const struct call *c, struct plan *p);
void drop_plan(struct plan *p);

/* run_plan has hcomm do it, at once or in a stream. */
hcommResult_t run_plan(const struct call *c, const struct plan *p, hcommStream_t stream);

/* ---- requests.c ---- */

/* begin serves an I-form: *request gets a generalised request of the host MPI. It returns an error code. */
int begin(const struct call *c, struct plan *p, void *request);

/* outstanding counts the requests that the program has and that are not complete yet. */
extern uint32_t outstanding;

/* advance goes on with those of count requests that are hcomm's, and returns how many of them are not complete yet. */
int advance(const void *requests, int count);

/* outcome is what a call of MPI_Wait or its kin returns, when the host MPI's has returned result: the error of a request of
 * hcomm that it was told of. */
int outcome(int result);

#endif
