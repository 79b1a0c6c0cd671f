/* nccl_p2p.c: point to point in the hcomm* half of hcomm.h. */
#include "_cgo_export.h"

#define GUARD(name) \
  if (refuse_fork(name)) return hcommInvalidUsage

#define NUMBER(pointer) ((uintptr_t)(pointer))

hcommResult_t hcommSend(const void *sendbuff, size_t count, hcommDataType_t datatype, int peer, hcommComm_t comm,
                        hcommStream_t stream) {
  GUARD("hcommSend");
  return (hcommResult_t)goSend(NUMBER(sendbuff), count, (int)datatype, peer, NUMBER(comm), NUMBER(stream));
}

hcommResult_t hcommRecv(void *recvbuff, size_t count, hcommDataType_t datatype, int peer, hcommComm_t comm,
                        hcommStream_t stream) {
  GUARD("hcommRecv");
  return (hcommResult_t)goRecv(NUMBER(recvbuff), count, (int)datatype, peer, NUMBER(comm), NUMBER(stream));
}
