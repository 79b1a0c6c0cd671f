/* mpi_p2p.c: point to point in the HCOMM_* half of hcomm.h. */
#include "_cgo_export.h"
#include "message.h"

#define GUARD(name) \
  if (refuse_fork(name)) return HCOMM_ERR_OTHER

/* is_side makes a side of a call of arguments that are right as far as can be seen here; Go says what is wrong. */
static int is_side(struct message *m, const void *buf, HCOMM_Count count, HCOMM_Datatype datatype, int peer, int tag) {
  uint64_t size = mpi_size(NUMBER(datatype));
  if (!size || count < 0 || count > (HCOMM_Count)1 << 40 || tag < 0) return 0;
  *m = (struct message){buf, (uint64_t)count * size, TAGGED_MESSAGE(tag), WHOLE_SIGNATURE, peer, 0};
  return 1;
}

static int is_receive(struct message *m, void *buf, HCOMM_Count count, HCOMM_Datatype datatype, int source, int tag) {
  int any = tag == HCOMM_ANY_TAG;
  if (!is_side(m, buf, count, datatype, source, any ? 0 : tag)) return 0;
  if (any) m->mask = ANY_TAG_SIGNATURE;
  return 1;
}

static int are_apart(const struct message *a, const struct message *b) {
  return NUMBER(a->buf) + a->bytes <= NUMBER(b->buf) || NUMBER(b->buf) + b->bytes <= NUMBER(a->buf);
}

/* do_small does a call, if it can. */
static enum message_result do_small(HCOMM_Comm comm, const struct message *send, const struct message *receive,
                                    HCOMM_Status *status) {
  struct arrived got;
  uint64_t handle = handle_of(comm);
  if (!handle || (status && NUMBER(status) < 4096)) return MESSAGE_NOT_TAKEN;
  enum message_result result = small_message(handle, send, receive, &got);
  if (status && result == MESSAGE_DONE) {
    status->HCOMM_SOURCE = (int)receive->peer, status->HCOMM_TAG = TAG_OF(got.signature);
    status->HCOMM_internal[0] = (int)got.bytes;
    for (int i = 1; i < 5; i++) status->HCOMM_internal[i] = 0;
  }
  return result;
}

int HCOMM_Send_c(const void *buf, HCOMM_Count count, HCOMM_Datatype datatype, int dest, int tag, HCOMM_Comm comm) {
  GUARD("HCOMM_Send");
  struct message m;
  if (is_side(&m, buf, count, datatype, dest, tag) && do_small(comm, &m, NULL, NULL) == MESSAGE_DONE) return HCOMM_SUCCESS;
  return goMPISend(NUMBER(buf), count, NUMBER(datatype), dest, tag, NUMBER(comm), NULL);
}

int HCOMM_Send(const void *buf, int count, HCOMM_Datatype datatype, int dest, int tag, HCOMM_Comm comm) {
  return HCOMM_Send_c(buf, count, datatype, dest, tag, comm);
}

int HCOMM_Recv_c(void *buf, HCOMM_Count count, HCOMM_Datatype datatype, int source, int tag, HCOMM_Comm comm,
                 HCOMM_Status *status) {
  GUARD("HCOMM_Recv");
  struct message m;
  if (is_receive(&m, buf, count, datatype, source, tag) && do_small(comm, NULL, &m, status) == MESSAGE_DONE)
    return HCOMM_SUCCESS;
  return goMPIRecv(NUMBER(buf), count, NUMBER(datatype), source, tag, NUMBER(comm), NUMBER(status), 0);
}

int HCOMM_Recv(void *buf, int count, HCOMM_Datatype datatype, int source, int tag, HCOMM_Comm comm,
               HCOMM_Status *status) {
  return HCOMM_Recv_c(buf, count, datatype, source, tag, comm, status);
}

int HCOMM_Sendrecv_c(const void *sendbuf, HCOMM_Count sendcount, HCOMM_Datatype sendtype, int dest, int sendtag,
                     void *recvbuf, HCOMM_Count recvcount, HCOMM_Datatype recvtype, int source, int recvtag,
                     HCOMM_Comm comm, HCOMM_Status *status) {
  GUARD("HCOMM_Sendrecv");
  struct message s, r;
  if (is_side(&s, sendbuf, sendcount, sendtype, dest, sendtag) && s.bytes <= INLINE_BYTES &&
      is_receive(&r, recvbuf, recvcount, recvtype, source, recvtag) && are_apart(&s, &r))
    switch (do_small(comm, &s, &r, status)) {
    case MESSAGE_DONE: return HCOMM_SUCCESS;
    case MESSAGE_SENT:
      return goMPIRecv(NUMBER(recvbuf), recvcount, NUMBER(recvtype), source, recvtag, NUMBER(comm), NUMBER(status), 1);
    case MESSAGE_NOT_TAKEN: break;
    }
  return goMPISendrecv(NUMBER(sendbuf), sendcount, NUMBER(sendtype), dest, sendtag, NUMBER(recvbuf), recvcount,
                       NUMBER(recvtype), source, recvtag, NUMBER(comm), NUMBER(status));
}

int HCOMM_Sendrecv(const void *sendbuf, int sendcount, HCOMM_Datatype sendtype, int dest, int sendtag, void *recvbuf,
                   int recvcount, HCOMM_Datatype recvtype, int source, int recvtag, HCOMM_Comm comm,
                   HCOMM_Status *status) {
  return HCOMM_Sendrecv_c(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,
                          comm, status);
}

/* The functions whose send or receive is a request. */
#define REQUEST(name, buffer, counts, peer, call, persistent)                                                   \
  int HCOMM_##name(buffer buf, counts count, HCOMM_Datatype datatype, int peer, int tag, HCOMM_Comm comm,       \
                   HCOMM_Request *request) {                                                                    \
    GUARD("HCOMM_" #name);                                                                                      \
    struct form form = {persistent, NUMBER(HCOMM_INFO_NULL), NUMBER(request)};                                  \
    return call(NUMBER(buf), count, NUMBER(datatype), peer, tag, NUMBER(comm), &form);                          \
  }

REQUEST(Isend, const void *, int, dest, goMPISend, 0)
REQUEST(Isend_c, const void *, HCOMM_Count, dest, goMPISend, 0)
REQUEST(Send_init, const void *, int, dest, goMPISend, 1)
REQUEST(Send_init_c, const void *, HCOMM_Count, dest, goMPISend, 1)
REQUEST(Irecv, void *, int, source, goMPIIrecv, 0)
REQUEST(Irecv_c, void *, HCOMM_Count, source, goMPIIrecv, 0)
REQUEST(Recv_init, void *, int, source, goMPIIrecv, 1)
REQUEST(Recv_init_c, void *, HCOMM_Count, source, goMPIIrecv, 1)

int HCOMM_Probe(int source, int tag, HCOMM_Comm comm, HCOMM_Status *status) {
  GUARD("HCOMM_Probe");
  return goMPIProbe(source, tag, NUMBER(comm), NUMBER(status));
}

int HCOMM_Iprobe(int source, int tag, HCOMM_Comm comm, int *flag, HCOMM_Status *status) {
  GUARD("HCOMM_Iprobe");
  return goMPIIprobe(source, tag, NUMBER(comm), NUMBER(flag), NUMBER(status));
}

int HCOMM_Get_count(const HCOMM_Status *status, HCOMM_Datatype datatype, int *count) {
  GUARD("HCOMM_Get_count");
  return goMPIGetCount(NUMBER(status), NUMBER(datatype), NUMBER(count), 0);
}

int HCOMM_Get_count_c(const HCOMM_Status *status, HCOMM_Datatype datatype, HCOMM_Count *count) {
  GUARD("HCOMM_Get_count");
  return goMPIGetCount(NUMBER(status), NUMBER(datatype), NUMBER(count), 1);
}
