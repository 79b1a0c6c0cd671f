/* mpi_style.c: the HCOMM_* half of hcomm.h. */
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "_cgo_export.h"

#define GUARD(name) \
  if (refuse_fork(name)) return HCOMM_ERR_OTHER

int HCOMM_Init(int *argc, char ***argv) {
  (void)argc, (void)argv;
  GUARD("HCOMM_Init");
  mend_signal_handlers();
  return goMPIInit();
}

int HCOMM_Initialized(int *flag) {
  GUARD("HCOMM_Initialized");
  return goMPIInitialized(NUMBER(flag));
}

int HCOMM_Finalize(void) {
  GUARD("HCOMM_Finalize");
  return goMPIFinalize();
}

int HCOMM_Abort(HCOMM_Comm comm, int errorcode) {
  GUARD("HCOMM_Abort");
  int refused = goMPIAbort(NUMBER(comm));
  if (refused) return refused;
  _exit(errorcode & 255 ? errorcode & 255 : 1);
}

int HCOMM_Comm_rank(HCOMM_Comm comm, int *rank) {
  GUARD("HCOMM_Comm_rank");
  return goMPICommRank(NUMBER(comm), NUMBER(rank));
}

int HCOMM_Comm_size(HCOMM_Comm comm, int *size) {
  GUARD("HCOMM_Comm_size");
  return goMPICommSize(NUMBER(comm), NUMBER(size));
}

double HCOMM_Wtime(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* HCOMM_IN_PLACE is no address, so it is replaced here. */
static const void *input(const void *sendbuf, const void *recvbuf) {
  return sendbuf == HCOMM_IN_PLACE ? recvbuf : sendbuf;
}

int HCOMM_Allreduce_c(const void *sendbuf, void *recvbuf, HCOMM_Count count, HCOMM_Datatype datatype, HCOMM_Op op,
                      HCOMM_Comm comm) {
  GUARD("HCOMM_Allreduce");
  return goMPIAllreduce(NUMBER(input(sendbuf, recvbuf)), NUMBER(recvbuf), count, NUMBER(datatype), NUMBER(op),
                        NUMBER(comm), sendbuf == HCOMM_IN_PLACE);
}

int HCOMM_Allreduce(const void *sendbuf, void *recvbuf, int count, HCOMM_Datatype datatype, HCOMM_Op op,
                    HCOMM_Comm comm) {
  return HCOMM_Allreduce_c(sendbuf, recvbuf, count, datatype, op, comm);
}

int HCOMM_Bcast_c(void *buffer, HCOMM_Count count, HCOMM_Datatype datatype, int root, HCOMM_Comm comm) {
  GUARD("HCOMM_Bcast");
  return goMPIBcast(NUMBER(buffer), count, NUMBER(datatype), root, NUMBER(comm));
}

int HCOMM_Bcast(void *buffer, int count, HCOMM_Datatype datatype, int root, HCOMM_Comm comm) {
  return HCOMM_Bcast_c(buffer, count, datatype, root, comm);
}

int HCOMM_Barrier(HCOMM_Comm comm) {
  GUARD("HCOMM_Barrier");
  return goMPIBarrier(NUMBER(comm));
}
