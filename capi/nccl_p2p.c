/* nccl_p2p.c: point to point in the hcomm* half of hcomm.h. */
#include "_cgo_export.h"
#include "message.h"

#define GUARD(name) \
  if (refuse_fork(name)) return hcommInvalidUsage

/* is_small makes a side of a call of what may fit an inbox entry. */
static int is_small(struct message *m, const void *buff, size_t count, hcommDataType_t datatype, int peer,
                    hcommStream_t stream) {
  uint64_t size = datatype_size((int)datatype);
  if (stream || thread_group.depth || !size || count > INLINE_BYTES / size) return 0;
  *m = (struct message){buff, count * size, TYPED_MESSAGE(datatype), WHOLE_SIGNATURE, peer, 1};
  return 1;
}

hcommResult_t hcommSend(const void *sendbuff, size_t count, hcommDataType_t datatype, int peer, hcommComm_t comm,
                        hcommStream_t stream) {
  GUARD("hcommSend");
  struct message m;
  if (is_small(&m, sendbuff, count, datatype, peer, stream) &&
      small_message(NUMBER(comm), &m, NULL, NULL) == MESSAGE_DONE)
    return hcommSuccess;
  return (hcommResult_t)goSend(NUMBER(sendbuff), count, (int)datatype, peer, TARGET(comm, stream));
}

hcommResult_t hcommRecv(void *recvbuff, size_t count, hcommDataType_t datatype, int peer, hcommComm_t comm,
                        hcommStream_t stream) {
  GUARD("hcommRecv");
  struct message m;
  struct arrived got;
  if (is_small(&m, recvbuff, count, datatype, peer, stream) &&
      small_message(NUMBER(comm), NULL, &m, &got) == MESSAGE_DONE)
    return hcommSuccess;
  return (hcommResult_t)goRecv(NUMBER(recvbuff), count, (int)datatype, peer, TARGET(comm, stream));
}
