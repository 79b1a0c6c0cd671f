/* mpi_p2p.c: point to point in the HCOMM_* half of hcomm.h. */
#include "_cgo_export.h"

#define GUARD(name) \
  if (refuse_fork(name)) return HCOMM_ERR_OTHER

#define NUMBER(pointer) ((uintptr_t)(pointer))

int HCOMM_Send_c(const void *buf, HCOMM_Count count, HCOMM_Datatype datatype, int dest, int tag, HCOMM_Comm comm) {
  GUARD("HCOMM_Send");
  return goMPISend(NUMBER(buf), count, NUMBER(datatype), dest, tag, NUMBER(comm));
}

int HCOMM_Send(const void *buf, int count, HCOMM_Datatype datatype, int dest, int tag, HCOMM_Comm comm) {
  return HCOMM_Send_c(buf, count, datatype, dest, tag, comm);
}

int HCOMM_Recv_c(void *buf, HCOMM_Count count, HCOMM_Datatype datatype, int source, int tag, HCOMM_Comm comm,
                 HCOMM_Status *status) {
  GUARD("HCOMM_Recv");
  return goMPIRecv(NUMBER(buf), count, NUMBER(datatype), source, tag, NUMBER(comm), NUMBER(status));
}

int HCOMM_Recv(void *buf, int count, HCOMM_Datatype datatype, int source, int tag, HCOMM_Comm comm,
               HCOMM_Status *status) {
  return HCOMM_Recv_c(buf, count, datatype, source, tag, comm, status);
}

int HCOMM_Sendrecv_c(const void *sendbuf, HCOMM_Count sendcount, HCOMM_Datatype sendtype, int dest, int sendtag,
                     void *recvbuf, HCOMM_Count recvcount, HCOMM_Datatype recvtype, int source, int recvtag,
                     HCOMM_Comm comm, HCOMM_Status *status) {
  GUARD("HCOMM_Sendrecv");
  return goMPISendrecv(NUMBER(sendbuf), sendcount, NUMBER(sendtype), dest, sendtag, NUMBER(recvbuf), recvcount,
                       NUMBER(recvtype), source, recvtag, NUMBER(comm), NUMBER(status));
}

int HCOMM_Sendrecv(const void *sendbuf, int sendcount, HCOMM_Datatype sendtype, int dest, int sendtag, void *recvbuf,
                   int recvcount, HCOMM_Datatype recvtype, int source, int recvtag, HCOMM_Comm comm,
                   HCOMM_Status *status) {
  return HCOMM_Sendrecv_c(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,
                          comm, status);
}

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
  return goMPIGetCount(NUMBER(status), NUMBER(datatype), NUMBER(count));
}

int HCOMM_Get_count_c(const HCOMM_Status *status, HCOMM_Datatype datatype, HCOMM_Count *count) {
  GUARD("HCOMM_Get_count");
  return goMPIGetCountC(NUMBER(status), NUMBER(datatype), NUMBER(count));
}
