/* mpi_comms.c: communicators made of others, in the HCOMM_* half of hcomm.h. */
#include "_cgo_export.h"

#define GUARD(name) \
  if (refuse_fork(name)) return HCOMM_ERR_OTHER

int HCOMM_Comm_dup(HCOMM_Comm comm, HCOMM_Comm *newcomm) {
  GUARD("HCOMM_Comm_dup");
  mend_signal_handlers();
  return goMPICommDup(NUMBER(comm), NUMBER(newcomm));
}

int HCOMM_Comm_split(HCOMM_Comm comm, int color, int key, HCOMM_Comm *newcomm) {
  GUARD("HCOMM_Comm_split");
  mend_signal_handlers();
  return goMPICommSplit(NUMBER(comm), color, key, NUMBER(newcomm));
}

int HCOMM_Comm_split_type(HCOMM_Comm comm, int split_type, int key, HCOMM_Info info, HCOMM_Comm *newcomm) {
  GUARD("HCOMM_Comm_split_type");
  mend_signal_handlers();
  return goMPICommSplitType(NUMBER(comm), split_type, key, NUMBER(info), NUMBER(newcomm));
}

int HCOMM_Comm_free(HCOMM_Comm *comm) {
  GUARD("HCOMM_Comm_free");
  return goMPICommFree(NUMBER(comm));
}

int HCOMM_Comm_compare(HCOMM_Comm comm1, HCOMM_Comm comm2, int *result) {
  GUARD("HCOMM_Comm_compare");
  return goMPICommCompare(NUMBER(comm1), NUMBER(comm2), NUMBER(result));
}
