/* nccl_collectives.c: the collectives of the hcomm* half of hcomm.h. Small ones are done in C, if nothing else is under
 * way; the rest is in Go. */
#include "_cgo_export.h"
#include "small.h"

#define GUARD(name) \
  if (refuse_fork(name)) return hcommInvalidUsage

/* TRY returns if the exchange in C does the call, or begins it. */
#define TRY(exchange, collective, ...)                                               \
  if (!stream && !thread_group.depth) {                                              \
    struct small_call call = {__VA_ARGS__, .handle = NUMBER(comm)};                  \
    switch (exchange(&call)) {                                                       \
    case SMALL_DONE: return hcommSuccess;                                            \
    case SMALL_BEGUN: return (hcommResult_t)goResume(collective, call);              \
    case SMALL_NOT_TAKEN: break;                                                     \
    }                                                                                \
  }

hcommResult_t hcommAllReduce(const void *sendbuff, void *recvbuff, size_t count, hcommDataType_t datatype,
                             hcommRedOp_t op, hcommComm_t comm, hcommStream_t stream) {
  GUARD("hcommAllReduce");
  TRY(small_allreduce, ALLREDUCE, NUMBER(sendbuff), NUMBER(recvbuff), count, (int)datatype, (int)op)
  return (hcommResult_t)goAllReduce(NUMBER(sendbuff), NUMBER(recvbuff), count, (int)datatype, (int)op, TARGET(comm, stream));
}

hcommResult_t hcommBroadcast(const void *sendbuff, void *recvbuff, size_t count, hcommDataType_t datatype, int root,
                             hcommComm_t comm, hcommStream_t stream) {
  GUARD("hcommBroadcast");
  TRY(small_broadcast, BROADCAST, NUMBER(sendbuff), NUMBER(recvbuff), count, (int)datatype, .root = root)
  return (hcommResult_t)goBroadcast(NUMBER(sendbuff), NUMBER(recvbuff), count, (int)datatype, root, TARGET(comm, stream));
}

hcommResult_t hcommBarrier(hcommComm_t comm, hcommStream_t stream) {
  GUARD("hcommBarrier");
  TRY(small_barrier, BARRIER, 0)
  return (hcommResult_t)goBarrier(TARGET(comm, stream));
}

hcommResult_t hcommReduce(const void *sendbuff, void *recvbuff, size_t count, hcommDataType_t datatype, hcommRedOp_t op,
                          int root, hcommComm_t comm, hcommStream_t stream) {
  GUARD("hcommReduce");
  TRY(small_reduce, REDUCE, NUMBER(sendbuff), NUMBER(recvbuff), count, (int)datatype, (int)op, root)
  return (hcommResult_t)goReduce(NUMBER(sendbuff), NUMBER(recvbuff), count, (int)datatype, (int)op, root, TARGET(comm, stream));
}

hcommResult_t hcommAllGather(const void *sendbuff, void *recvbuff, size_t sendcount, hcommDataType_t datatype,
                             hcommComm_t comm, hcommStream_t stream) {
  GUARD("hcommAllGather");
  TRY(small_allgather, ALLGATHER, NUMBER(sendbuff), NUMBER(recvbuff), sendcount, (int)datatype)
  return (hcommResult_t)goAllGather(NUMBER(sendbuff), NUMBER(recvbuff), sendcount, (int)datatype, TARGET(comm, stream));
}

hcommResult_t hcommReduceScatter(const void *sendbuff, void *recvbuff, size_t recvcount, hcommDataType_t datatype,
                                 hcommRedOp_t op, hcommComm_t comm, hcommStream_t stream) {
  GUARD("hcommReduceScatter");
  TRY(small_reducescatter, REDUCESCATTER, NUMBER(sendbuff), NUMBER(recvbuff), recvcount, (int)datatype, (int)op)
  return (hcommResult_t)goReduceScatter(NUMBER(sendbuff), NUMBER(recvbuff), recvcount, (int)datatype, (int)op,
                                        TARGET(comm, stream));
}

hcommResult_t hcommAlltoAll(const void *sendbuff, void *recvbuff, size_t count, hcommDataType_t datatype,
                            hcommComm_t comm, hcommStream_t stream) {
  GUARD("hcommAlltoAll");
  TRY(small_alltoall, ALLTOALL, NUMBER(sendbuff), NUMBER(recvbuff), count, (int)datatype)
  return (hcommResult_t)goAlltoAll(NUMBER(sendbuff), NUMBER(recvbuff), count, (int)datatype, TARGET(comm, stream));
}

hcommResult_t hcommGather(const void *sendbuff, void *recvbuff, size_t count, hcommDataType_t datatype, int root,
                          hcommComm_t comm, hcommStream_t stream) {
  GUARD("hcommGather");
  TRY(small_gather, GATHER, NUMBER(sendbuff), NUMBER(recvbuff), count, (int)datatype, .root = root)
  return (hcommResult_t)goGather(NUMBER(sendbuff), NUMBER(recvbuff), count, (int)datatype, root, TARGET(comm, stream));
}

hcommResult_t hcommScatter(const void *sendbuff, void *recvbuff, size_t count, hcommDataType_t datatype, int root,
                           hcommComm_t comm, hcommStream_t stream) {
  GUARD("hcommScatter");
  TRY(small_scatter, SCATTER, NUMBER(sendbuff), NUMBER(recvbuff), count, (int)datatype, .root = root)
  return (hcommResult_t)goScatter(NUMBER(sendbuff), NUMBER(recvbuff), count, (int)datatype, root, TARGET(comm, stream));
}
