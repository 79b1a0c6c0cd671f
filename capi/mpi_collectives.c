/* mpi_collectives.c: the collectives of the HCOMM_* half of hcomm.h. Their rules are in Go.
 *
 * Each has three forms, and each of these has counts of int and of HCOMM_Count. The macros below make the functions of a
 * collective from its parameters, a macro that takes the type of counts, and from what Go is given of them. */
#include "_cgo_export.h"
#include "message.h"

#define GUARD(name) \
  if (refuse_fork(name)) return HCOMM_ERR_OTHER

#define BLOCKING(name, PARAMETERS, call, ...)                       \
  int HCOMM_##name(PARAMETERS) {                                    \
    GUARD("HCOMM_" #name);                                          \
    return call(__VA_ARGS__, NULL);                                 \
  }

#define BEGUN(name, PARAMETERS, call, ...)                          \
  int HCOMM_##name(PARAMETERS, HCOMM_Request *request) {            \
    GUARD("HCOMM_" #name);                                          \
    struct form form = {0, NUMBER(HCOMM_INFO_NULL), NUMBER(request)}; \
    return call(__VA_ARGS__, &form);                                \
  }

#define PERSISTENT(name, PARAMETERS, call, ...)                     \
  int HCOMM_##name(PARAMETERS, HCOMM_Info info, HCOMM_Request *request) { \
    GUARD("HCOMM_" #name);                                          \
    struct form form = {1, NUMBER(info), NUMBER(request)};          \
    return call(__VA_ARGS__, &form);                                \
  }

#define REQUESTS(begun, persistent, PARAMETERS, ...)                \
  BEGUN(begun, PARAMETERS(int), __VA_ARGS__)                        \
  BEGUN(begun##_c, PARAMETERS(HCOMM_Count), __VA_ARGS__)            \
  PERSISTENT(persistent, PARAMETERS(int), __VA_ARGS__)              \
  PERSISTENT(persistent##_c, PARAMETERS(HCOMM_Count), __VA_ARGS__)

#define FORMS(name, begun, PARAMETERS, ...)                         \
  BLOCKING(name, PARAMETERS(int), __VA_ARGS__)                      \
  BLOCKING(name##_c, PARAMETERS(HCOMM_Count), __VA_ARGS__)          \
  REQUESTS(begun, name##_init, PARAMETERS, __VA_ARGS__)

#define REDUCTION(counts) \
  const void *sendbuf, void *recvbuf, counts count, HCOMM_Datatype datatype, HCOMM_Op op, HCOMM_Comm comm
#define ROOTED_REDUCTION(counts) \
  const void *sendbuf, void *recvbuf, counts count, HCOMM_Datatype datatype, HCOMM_Op op, int root, HCOMM_Comm comm
#define BROADCAST(counts) void *buffer, counts count, HCOMM_Datatype datatype, int root, HCOMM_Comm comm
#define MOVEMENT(counts)                                                                                   \
  const void *sendbuf, counts sendcount, HCOMM_Datatype sendtype, void *recvbuf, counts recvcount,         \
      HCOMM_Datatype recvtype, HCOMM_Comm comm
#define ROOTED_MOVEMENT(counts)                                                                            \
  const void *sendbuf, counts sendcount, HCOMM_Datatype sendtype, void *recvbuf, counts recvcount,         \
      HCOMM_Datatype recvtype, int root, HCOMM_Comm comm
#define SIDES \
  NUMBER(sendbuf), sendcount, NUMBER(sendtype), NUMBER(recvbuf), recvcount, NUMBER(recvtype)
#define REDUCED NUMBER(sendbuf), NUMBER(recvbuf), count, NUMBER(datatype), NUMBER(op)

FORMS(Bcast, Ibcast, BROADCAST, goMPIBcast, NUMBER(buffer), count, NUMBER(datatype), root, NUMBER(comm))
FORMS(Reduce, Ireduce, ROOTED_REDUCTION, goMPIReduce, REDUCED, root, NUMBER(comm))
FORMS(Reduce_scatter_block, Ireduce_scatter_block, REDUCTION, goMPIReduceScatterBlock, REDUCED, NUMBER(comm))
FORMS(Allgather, Iallgather, MOVEMENT, goMPIAllgather, SIDES, NUMBER(comm))
FORMS(Alltoall, Ialltoall, MOVEMENT, goMPIAlltoall, SIDES, NUMBER(comm))
FORMS(Gather, Igather, ROOTED_MOVEMENT, goMPIGather, SIDES, root, NUMBER(comm))
FORMS(Scatter, Iscatter, ROOTED_MOVEMENT, goMPIScatter, SIDES, root, NUMBER(comm))
BLOCKING(Barrier, HCOMM_Comm comm, goMPIBarrier, NUMBER(comm))
BEGUN(Ibarrier, HCOMM_Comm comm, goMPIBarrier, NUMBER(comm))
PERSISTENT(Barrier_init, HCOMM_Comm comm, goMPIBarrier, NUMBER(comm))
REQUESTS(Iallreduce, Allreduce_init, REDUCTION, goMPIAllreduce, REDUCED, NUMBER(comm))

int small_type(uintptr_t datatype) {
  switch (datatype) {
  case 0x209: case 0x250: return hcommInt32;
  case 0x20d: case 0x251: return hcommUint32;
  case 0x201: case 0x202: case 0x203: case 0x20a: case 0x20b: case 0x258: return hcommInt64;
  case 0x20e: case 0x20f: case 0x259: return hcommUint64;
  case 0x210: return hcommFloat32;
  case 0x214: return hcommFloat64;
  }
  return -1;
}

int small_op(uintptr_t op) {
  switch (op) {
  case 0x21: return hcommSum;
  case 0x22: return hcommMin;
  case 0x23: return hcommMax;
  case 0x24: return hcommProd;
  }
  return -1;
}

int HCOMM_Allreduce_c(REDUCTION(HCOMM_Count)) {
  GUARD("HCOMM_Allreduce");
  uint64_t handle = handle_of(comm);
  const void *from = sendbuf == HCOMM_IN_PLACE ? recvbuf : sendbuf;
  int type = small_type(NUMBER(datatype)), as = small_op(NUMBER(op));
  if (handle && sendbuf != recvbuf)
    switch (small_allreduce(from, recvbuf, (size_t)count, type, as, handle)) {
    case SMALL_DONE: return HCOMM_SUCCESS;
    case SMALL_BEGUN:
      return goMPIResumeAllreduce(NUMBER(from), NUMBER(recvbuf), (size_t)count, type, as, NUMBER(comm), handle);
    case SMALL_NOT_TAKEN: break;
    }
  return goMPIAllreduce(REDUCED, NUMBER(comm), NULL);
}

int HCOMM_Allreduce(REDUCTION(int)) { return HCOMM_Allreduce_c(sendbuf, recvbuf, count, datatype, op, comm); }
