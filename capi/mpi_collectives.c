/* mpi_collectives.c: the collectives of the HCOMM_* half of hcomm.h whose rules for HCOMM_IN_PLACE are in Go. */
#include "_cgo_export.h"

#define GUARD(name) \
  if (refuse_fork(name)) return HCOMM_ERR_OTHER

int HCOMM_Reduce_c(const void *sendbuf, void *recvbuf, HCOMM_Count count, HCOMM_Datatype datatype, HCOMM_Op op,
                   int root, HCOMM_Comm comm) {
  GUARD("HCOMM_Reduce");
  return goMPIReduce(NUMBER(sendbuf), NUMBER(recvbuf), count, NUMBER(datatype), NUMBER(op), root, NUMBER(comm));
}

int HCOMM_Reduce(const void *sendbuf, void *recvbuf, int count, HCOMM_Datatype datatype, HCOMM_Op op, int root,
                 HCOMM_Comm comm) {
  return HCOMM_Reduce_c(sendbuf, recvbuf, count, datatype, op, root, comm);
}

int HCOMM_Allgather_c(const void *sendbuf, HCOMM_Count sendcount, HCOMM_Datatype sendtype, void *recvbuf,
                      HCOMM_Count recvcount, HCOMM_Datatype recvtype, HCOMM_Comm comm) {
  GUARD("HCOMM_Allgather");
  return goMPIAllgather(NUMBER(sendbuf), sendcount, NUMBER(sendtype), NUMBER(recvbuf), recvcount, NUMBER(recvtype),
                        NUMBER(comm));
}

int HCOMM_Allgather(const void *sendbuf, int sendcount, HCOMM_Datatype sendtype, void *recvbuf, int recvcount,
                    HCOMM_Datatype recvtype, HCOMM_Comm comm) {
  return HCOMM_Allgather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

int HCOMM_Reduce_scatter_block_c(const void *sendbuf, void *recvbuf, HCOMM_Count recvcount, HCOMM_Datatype datatype,
                                 HCOMM_Op op, HCOMM_Comm comm) {
  GUARD("HCOMM_Reduce_scatter_block");
  return goMPIReduceScatterBlock(NUMBER(sendbuf), NUMBER(recvbuf), recvcount, NUMBER(datatype), NUMBER(op),
                                 NUMBER(comm));
}

int HCOMM_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, HCOMM_Datatype datatype, HCOMM_Op op,
                               HCOMM_Comm comm) {
  return HCOMM_Reduce_scatter_block_c(sendbuf, recvbuf, recvcount, datatype, op, comm);
}

int HCOMM_Alltoall_c(const void *sendbuf, HCOMM_Count sendcount, HCOMM_Datatype sendtype, void *recvbuf,
                     HCOMM_Count recvcount, HCOMM_Datatype recvtype, HCOMM_Comm comm) {
  GUARD("HCOMM_Alltoall");
  return goMPIAlltoall(NUMBER(sendbuf), sendcount, NUMBER(sendtype), NUMBER(recvbuf), recvcount, NUMBER(recvtype),
                       NUMBER(comm));
}

int HCOMM_Alltoall(const void *sendbuf, int sendcount, HCOMM_Datatype sendtype, void *recvbuf, int recvcount,
                   HCOMM_Datatype recvtype, HCOMM_Comm comm) {
  return HCOMM_Alltoall_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

int HCOMM_Gather_c(const void *sendbuf, HCOMM_Count sendcount, HCOMM_Datatype sendtype, void *recvbuf,
                   HCOMM_Count recvcount, HCOMM_Datatype recvtype, int root, HCOMM_Comm comm) {
  GUARD("HCOMM_Gather");
  return goMPIGather(NUMBER(sendbuf), sendcount, NUMBER(sendtype), NUMBER(recvbuf), recvcount, NUMBER(recvtype), root,
                     NUMBER(comm));
}

int HCOMM_Gather(const void *sendbuf, int sendcount, HCOMM_Datatype sendtype, void *recvbuf, int recvcount,
                 HCOMM_Datatype recvtype, int root, HCOMM_Comm comm) {
  return HCOMM_Gather_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

int HCOMM_Scatter_c(const void *sendbuf, HCOMM_Count sendcount, HCOMM_Datatype sendtype, void *recvbuf,
                    HCOMM_Count recvcount, HCOMM_Datatype recvtype, int root, HCOMM_Comm comm) {
  GUARD("HCOMM_Scatter");
  return goMPIScatter(NUMBER(sendbuf), sendcount, NUMBER(sendtype), NUMBER(recvbuf), recvcount, NUMBER(recvtype), root,
                      NUMBER(comm));
}

int HCOMM_Scatter(const void *sendbuf, int sendcount, HCOMM_Datatype sendtype, void *recvbuf, int recvcount,
                  HCOMM_Datatype recvtype, int root, HCOMM_Comm comm) {
  return HCOMM_Scatter_c(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
}
