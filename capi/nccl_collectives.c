/* nccl_collectives.c: the collectives of the hcomm* half of hcomm.h that are in Go from end to end. */
#include "_cgo_export.h"

#define GUARD(name) \
  if (refuse_fork(name)) return hcommInvalidUsage

hcommResult_t hcommReduce(const void *sendbuff, void *recvbuff, size_t count, hcommDataType_t datatype, hcommRedOp_t op,
                          int root, hcommComm_t comm, hcommStream_t stream) {
  GUARD("hcommReduce");
  return (hcommResult_t)goReduce(NUMBER(sendbuff), NUMBER(recvbuff), count, (int)datatype, (int)op, root, TARGET(comm, stream));
}

hcommResult_t hcommAllGather(const void *sendbuff, void *recvbuff, size_t sendcount, hcommDataType_t datatype,
                             hcommComm_t comm, hcommStream_t stream) {
  GUARD("hcommAllGather");
  return (hcommResult_t)goAllGather(NUMBER(sendbuff), NUMBER(recvbuff), sendcount, (int)datatype, TARGET(comm, stream));
}

hcommResult_t hcommReduceScatter(const void *sendbuff, void *recvbuff, size_t recvcount, hcommDataType_t datatype,
                                 hcommRedOp_t op, hcommComm_t comm, hcommStream_t stream) {
  GUARD("hcommReduceScatter");
  return (hcommResult_t)goReduceScatter(NUMBER(sendbuff), NUMBER(recvbuff), recvcount, (int)datatype, (int)op,
                                        TARGET(comm, stream));
}

hcommResult_t hcommAlltoAll(const void *sendbuff, void *recvbuff, size_t count, hcommDataType_t datatype,
                            hcommComm_t comm, hcommStream_t stream) {
  GUARD("hcommAlltoAll");
  return (hcommResult_t)goAlltoAll(NUMBER(sendbuff), NUMBER(recvbuff), count, (int)datatype, TARGET(comm, stream));
}

hcommResult_t hcommGather(const void *sendbuff, void *recvbuff, size_t count, hcommDataType_t datatype, int root,
                          hcommComm_t comm, hcommStream_t stream) {
  GUARD("hcommGather");
  return (hcommResult_t)goGather(NUMBER(sendbuff), NUMBER(recvbuff), count, (int)datatype, root, TARGET(comm, stream));
}

hcommResult_t hcommScatter(const void *sendbuff, void *recvbuff, size_t count, hcommDataType_t datatype, int root,
                           hcommComm_t comm, hcommStream_t stream) {
  GUARD("hcommScatter");
  return (hcommResult_t)goScatter(NUMBER(sendbuff), NUMBER(recvbuff), count, (int)datatype, root, TARGET(comm, stream));
}
