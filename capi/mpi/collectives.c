/* collectives.c: a collective is served, or passed on. */
#include "shim.h"

/* served does a blocking collective, or has an error of it; otherwise it says why not. */
static enum why served(const struct call *c, int *result) {
  struct plan p;
  enum why why = LIKELY(serving) ? make_plan(c, &p) : NOT_SERVING;
  if (UNLIKELY(is_error(why))) {
    *result = refused(p.comm, why);
    return SERVED;
  }
  if (why != SERVED) return why;
  uint64_t since = report_clock();
  in_call++;
  hcommResult_t r = run_plan(c, &p, NULL);
  in_call--;
  *result = LIKELY(r == hcommSuccess) ? MPI_OK : failed(p.comm, r);
  if (!finish_plan(c, &p) && !*result) *result = abi.err_other;
  if (UNLIKELY(settings.report)) count_call(c->collective, 0, p.bytes, SERVED, report_clock() - since);
  return SERVED;
}

uint64_t block_of(const struct call *c) {
  int from_send = c->collective == GATHER ? c->send != abi.in_place : c->collective == SCATTER && c->recv == abi.in_place;
  int64_t count = from_send ? c->send_count : c->recv_count;
  int size = 0;
  if (count <= 0 || host.Type_size(from_send ? c->send_type : c->recv_type, &size) != MPI_OK) return 0;
  return (uint64_t)count * (uint64_t)size;
}

/* reported is the block for the report: arguments of what has failed, or of an intercommunicator's ranks, may mean nothing. */
static uint64_t reported(const struct call *c, enum why why, int result) {
  return result == MPI_OK && why != INTERCOMMUNICATOR ? block_of(c) : 0;
}

/* passed_on counts a blocking collective that the host MPI has done. After some of them it is a good time to have the
 * communicator served: all ranks are here. */
static int passed_on(const struct call *c, enum why why, int result, uint64_t since) {
  if (!serving) return result;
  if (UNLIKELY(settings.report)) count_call(c->collective, 0, reported(c, why, result), why, report_clock() - since);
  struct comm *comm;
  if (result != MPI_OK || why != NOT_YET || !(comm = comm_of(c->comm))) return result;
  if (is_worth(comm, c)) set_up(comm);
  return result;
}

/* Each function makes a call of its arguments. */
#define BLOCKING(name, params, args, ...)                                          \
  int shim_##name params {                                                         \
    const struct call c = {.comm = comm, __VA_ARGS__};                             \
    int result;                                                                    \
    enum why why = served(&c, &result);                                            \
    if (LIKELY(why == SERVED)) return result;                                      \
    uint64_t since = report_clock();                                               \
    return passed_on(&c, why, host.name ? host.name args : absent(#name), since);  \
  }

#define BEGUN(name, params, args, ...)                                             \
  int shim_##name params {                                                         \
    const struct call c = {.comm = comm, .begun = 1, __VA_ARGS__};                 \
    struct plan p;                                                                 \
    int result;                                                                    \
    uint64_t since = report_clock();                                               \
    enum why why = LIKELY(serving) ? make_plan(&c, &p) : NOT_SERVING;              \
    if (is_error(why)) result = refused(p.comm, why);                              \
    else if (why == SERVED) result = begin(&c, &p, request);                       \
    else result = host.name ? host.name args : absent(#name);                      \
    if (UNLIKELY(settings.report) && serving)                                      \
      count_call(c.collective, 1, why == SERVED ? p.bytes : reported(&c, why, result), why, report_clock() - since); \
    return result;                                                                 \
  }

#define REDUCES .send = send, .recv = recv, .recv_count = count, .recv_type = type, .op = op
#define MOVES                                                                      \
  .send = send, .send_count = send_count, .send_type = send_type, .recv = recv, .recv_count = recv_count, .recv_type = recv_type

#define SERVE_Allreduce .collective = ALLREDUCE, REDUCES
#define SERVE_Reduce .collective = REDUCE, REDUCES, .root = root
#define SERVE_Bcast .collective = BCAST, .recv = buffer, .recv_count = count, .recv_type = type, .root = root
#define SERVE_Allgather .collective = ALLGATHER, MOVES
#define SERVE_Alltoall .collective = ALLTOALL, MOVES
#define SERVE_Reduce_scatter_block .collective = REDUCE_SCATTER_BLOCK, REDUCES
#define SERVE_Gather .collective = GATHER, MOVES, .root = root
#define SERVE_Scatter .collective = SCATTER, MOVES, .root = root
#define SERVE_Barrier .collective = BARRIER
#define SERVE_Iallreduce SERVE_Allreduce
#define SERVE_Ireduce SERVE_Reduce
#define SERVE_Ibcast SERVE_Bcast
#define SERVE_Iallgather SERVE_Allgather
#define SERVE_Ialltoall SERVE_Alltoall
#define SERVE_Ireduce_scatter_block SERVE_Reduce_scatter_block
#define SERVE_Igather SERVE_Gather
#define SERVE_Iscatter SERVE_Scatter
#define SERVE_Ibarrier SERVE_Barrier
#define SERVE_Allreduce_c SERVE_Allreduce
#define SERVE_Iallreduce_c SERVE_Allreduce
#define SERVE_Reduce_c SERVE_Reduce
#define SERVE_Ireduce_c SERVE_Reduce
#define SERVE_Bcast_c SERVE_Bcast
#define SERVE_Ibcast_c SERVE_Bcast
#define SERVE_Allgather_c SERVE_Allgather
#define SERVE_Iallgather_c SERVE_Allgather
#define SERVE_Alltoall_c SERVE_Alltoall
#define SERVE_Ialltoall_c SERVE_Alltoall
#define SERVE_Reduce_scatter_block_c SERVE_Reduce_scatter_block
#define SERVE_Ireduce_scatter_block_c SERVE_Reduce_scatter_block
#define SERVE_Gather_c SERVE_Gather
#define SERVE_Igather_c SERVE_Gather
#define SERVE_Scatter_c SERVE_Scatter
#define SERVE_Iscatter_c SERVE_Scatter

#define BLOCK(name, params, args) BLOCKING(name, params, args, SERVE_##name)
#define BEGIN(name, params, args) BEGUN(name, params, args, SERVE_##name)
BLOCKING_COLLECTIVES(BLOCK, , int)
BLOCKING_COLLECTIVES(BLOCK, _c, int64_t)
BLOCK(Barrier, (handle comm), (comm))
BEGUN_COLLECTIVES(BEGIN, , int)
BEGUN_COLLECTIVES(BEGIN, _c, int64_t)
BEGIN(Ibarrier, (handle comm, void *request), (comm, request))
