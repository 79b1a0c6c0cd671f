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
