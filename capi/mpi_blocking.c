/* mpi_blocking.c: the collectives of the HCOMM_* half of hcomm.h that return when they are done. Small ones are done in C, if
 * nothing else is under way; the rest is in Go. */
#include "_cgo_export.h"
#include "mpi_collectives.h"

/* CALLS makes the two functions of a collective: is_small fills in the call and says whether the exchange in C may do it. */
#define CALLS(name, PARAMETERS, ARGUMENTS, collective, exchange, is_small, go, ...)     \
  int HCOMM_##name##_c(PARAMETERS(HCOMM_Count)) {                                       \
    GUARD("HCOMM_" #name);                                                              \
    struct small_call call = {.handle = handle_of(comm)};                               \
    if (call.handle && is_small)                                                        \
      switch (exchange(&call)) {                                                        \
      case SMALL_DONE: return HCOMM_SUCCESS;                                            \
      case SMALL_BEGUN: return goMPIResume(collective, call, NUMBER(comm));             \
      case SMALL_NOT_TAKEN: break;                                                      \
      }                                                                                 \
    return go(__VA_ARGS__, NUMBER(comm), NULL);                                         \
  }                                                                                     \
  int HCOMM_##name(PARAMETERS(int)) { return HCOMM_##name##_c ARGUMENTS; }

/* What is wrong with a call is said in Go: here it is enough that none is taken that is. */

static int is_buffer(struct small_call *c, uintptr_t send, uintptr_t recv, HCOMM_Count count, HCOMM_Datatype datatype, int root) {
  c->send = send, c->recv = recv, c->count = (uint64_t)count, c->datatype = mpi_type(NUMBER(datatype)), c->root = root;
  return 1;
}

static int is_reduction(struct small_call *c, const void *send, void *recv, HCOMM_Count count, HCOMM_Datatype datatype,
                        HCOMM_Op op) {
  c->op = mpi_op(NUMBER(op));
  return send != recv && is_buffer(c, NUMBER(send == HCOMM_IN_PLACE ? recv : send), NUMBER(recv), count, datatype, 0);
}

static int is_rooted_reduction(struct small_call *c, const void *send, void *recv, HCOMM_Count count,
                               HCOMM_Datatype datatype, HCOMM_Op op, int root) {
  int is_root = rank_of(c->handle) == root;
  if (is_root && !is_reduction(c, send, recv, count, datatype, op)) return 0;
  c->op = mpi_op(NUMBER(op));
  return is_buffer(c, is_root ? c->send : NUMBER(send), NUMBER(recv), count, datatype, root);
}

static int is_reduce_scatter(struct small_call *c, const void *send, void *recv, HCOMM_Count count,
                             HCOMM_Datatype datatype, HCOMM_Op op) {
  uint64_t own = (uint64_t)rank_of(c->handle) * (uint64_t)count * mpi_size(NUMBER(datatype));
  c->in_front = send == HCOMM_IN_PLACE;
  return NUMBER(send) + own != NUMBER(recv) && is_reduction(c, send, recv, count, datatype, op);
}

/* What a call says of sending, or of receiving. */
struct side {
  const void *buf;
  HCOMM_Count count;
  HCOMM_Datatype datatype;
};

/* are_sides is for a rank with both sides. One, whose buffer becomes *all, has a block for every rank; the other, which
 * becomes *own, may be HCOMM_IN_PLACE: then it is that block of the first. */
static int are_sides(struct small_call *c, uintptr_t *all, struct side blocks, uintptr_t *own, struct side other, int64_t block) {
  uint64_t bytes = (uint64_t)blocks.count * mpi_size(NUMBER(blocks.datatype));
  uintptr_t place = NUMBER(blocks.buf) + (uint64_t)block * bytes;
  c->count = (uint64_t)blocks.count, c->datatype = mpi_type(NUMBER(blocks.datatype));
  *all = NUMBER(blocks.buf), *own = other.buf == HCOMM_IN_PLACE ? place : NUMBER(other.buf);
  return other.buf == HCOMM_IN_PLACE ||
         (*own != place && (uint64_t)other.count <= INLINE_BYTES &&
          (uint64_t)other.count * mpi_size(NUMBER(other.datatype)) == bytes);
}

static int is_gather(struct small_call *c, struct side send, struct side recv, int root) {
  c->root = root;
  if (rank_of(c->handle) == root) return are_sides(c, &c->recv, recv, &c->send, send, root);
  return is_buffer(c, NUMBER(send.buf), 0, send.count, send.datatype, root);
}

static int is_scatter(struct small_call *c, struct side send, struct side recv, int root) {
  c->root = root;
  if (rank_of(c->handle) == root) return are_sides(c, &c->send, send, &c->recv, recv, root);
  return is_buffer(c, 0, NUMBER(recv.buf), recv.count, recv.datatype, root);
}

#define SEND_SIDE (struct side){sendbuf, sendcount, sendtype}
#define RECV_SIDE (struct side){recvbuf, recvcount, recvtype}
#define MOVED sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype

CALLS(Bcast, ROOTED_BUFFER, (buffer, count, datatype, root, comm), BROADCAST, small_broadcast,
      is_buffer(&call, NUMBER(buffer), NUMBER(buffer), count, datatype, root),
      goMPIBcast, NUMBER(buffer), count, NUMBER(datatype), root)
CALLS(Allreduce, REDUCTION, (sendbuf, recvbuf, count, datatype, op, comm), ALLREDUCE, small_allreduce,
      is_reduction(&call, sendbuf, recvbuf, count, datatype, op), goMPIAllreduce, REDUCED)
CALLS(Reduce, ROOTED_REDUCTION, (sendbuf, recvbuf, count, datatype, op, root, comm), REDUCE, small_reduce,
      is_rooted_reduction(&call, sendbuf, recvbuf, count, datatype, op, root), goMPIReduce, REDUCED, root)
CALLS(Reduce_scatter_block, REDUCTION, (sendbuf, recvbuf, count, datatype, op, comm), REDUCESCATTER, small_reducescatter,
      is_reduce_scatter(&call, sendbuf, recvbuf, count, datatype, op), goMPIReduceScatterBlock, REDUCED)
CALLS(Allgather, MOVEMENT, (MOVED, comm), ALLGATHER, small_allgather,
      are_sides(&call, &call.recv, RECV_SIDE, &call.send, SEND_SIDE, rank_of(call.handle)), goMPIAllgather, SIDES)
CALLS(Alltoall, MOVEMENT, (MOVED, comm), ALLTOALL, small_alltoall,
      are_sides(&call, &call.recv, RECV_SIDE, &call.send, SEND_SIDE, 0), goMPIAlltoall, SIDES)
CALLS(Gather, ROOTED_MOVEMENT, (MOVED, root, comm), GATHER, small_gather, is_gather(&call, SEND_SIDE, RECV_SIDE, root),
      goMPIGather, SIDES, root)
CALLS(Scatter, ROOTED_MOVEMENT, (MOVED, root, comm), SCATTER, small_scatter, is_scatter(&call, SEND_SIDE, RECV_SIDE, root),
      goMPIScatter, SIDES, root)

int HCOMM_Barrier(HCOMM_Comm comm) {
  GUARD("HCOMM_Barrier");
  struct small_call call = {.handle = handle_of(comm)};
  switch (small_barrier(&call)) {
  case SMALL_DONE: return HCOMM_SUCCESS;
  case SMALL_BEGUN: return goMPIResume(BARRIER, call, NUMBER(comm));
  case SMALL_NOT_TAKEN: break;
  }
  return goMPIBarrier(NUMBER(comm), NULL);
}
