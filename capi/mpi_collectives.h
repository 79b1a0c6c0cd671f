/* mpi_collectives.h: what the collectives of the HCOMM_* half of hcomm.h have in common. */
#ifndef HCOMM_MPI_COLLECTIVES_H
#define HCOMM_MPI_COLLECTIVES_H

#include "message.h"

#define GUARD(name) \
  if (refuse_fork(name)) return HCOMM_ERR_OTHER

/* The parameters of a call whose counts are of this type, and what Go is given of them. */
#define REDUCTION(counts) \
  const void *sendbuf, void *recvbuf, counts count, HCOMM_Datatype datatype, HCOMM_Op op, HCOMM_Comm comm
#define ROOTED_REDUCTION(counts) \
  const void *sendbuf, void *recvbuf, counts count, HCOMM_Datatype datatype, HCOMM_Op op, int root, HCOMM_Comm comm
#define ROOTED_BUFFER(counts) void *buffer, counts count, HCOMM_Datatype datatype, int root, HCOMM_Comm comm
#define MOVEMENT(counts)                                                                                   \
  const void *sendbuf, counts sendcount, HCOMM_Datatype sendtype, void *recvbuf, counts recvcount,         \
      HCOMM_Datatype recvtype, HCOMM_Comm comm
#define ROOTED_MOVEMENT(counts)                                                                            \
  const void *sendbuf, counts sendcount, HCOMM_Datatype sendtype, void *recvbuf, counts recvcount,         \
      HCOMM_Datatype recvtype, int root, HCOMM_Comm comm
#define SIDES \
  NUMBER(sendbuf), sendcount, NUMBER(sendtype), NUMBER(recvbuf), recvcount, NUMBER(recvtype)
#define REDUCED NUMBER(sendbuf), NUMBER(recvbuf), count, NUMBER(datatype), NUMBER(op)

#endif
