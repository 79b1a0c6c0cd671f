/* nccl_comms.c: making and ending communicators in the hcomm* half of hcomm.h. */
#include "_cgo_export.h"
#include "small.h"

#define GUARD(name) \
  if (refuse_fork(name)) return hcommInvalidUsage
#define GROUP thread_group.number

hcommResult_t hcommCommInitRank(hcommComm_t *comm, int nranks, hcommUniqueId id, int rank) {
  if (comm) *comm = NULL;
  GUARD("hcommCommInitRank");
  mend_signal_handlers();
  return (hcommResult_t)goCommInitRank(NUMBER(comm), nranks, &id, rank, GROUP);
}

hcommResult_t hcommCommInitRankConfig(hcommComm_t *comm, int nranks, hcommUniqueId id, int rank,
                                      hcommConfig_t *config) {
  if (comm) *comm = NULL;
  GUARD("hcommCommInitRankConfig");
  mend_signal_handlers();
  return (hcommResult_t)goCommInitRankConfig(NUMBER(comm), nranks, &id, rank, NUMBER(config), GROUP);
}

hcommResult_t hcommCommInitAll(hcommComm_t *comms, int ndev, const int *devlist) {
  (void)devlist;
  GUARD("hcommCommInitAll");
  mend_signal_handlers();
  return (hcommResult_t)goCommInitAll(NUMBER(comms), ndev);
}

hcommResult_t hcommCommInitEnv(hcommComm_t *comm) {
  if (comm) *comm = NULL;
  GUARD("hcommCommInitEnv");
  mend_signal_handlers();
  return (hcommResult_t)goCommInitEnv(NUMBER(comm));
}

hcommResult_t hcommCommSplit(hcommComm_t comm, int color, int key, hcommComm_t *newcomm, hcommConfig_t *config) {
  if (newcomm) *newcomm = NULL;
  GUARD("hcommCommSplit");
  return (hcommResult_t)goCommSplit(NUMBER(comm), color, key, NUMBER(newcomm), NUMBER(config), GROUP);
}

hcommResult_t hcommCommDup(hcommComm_t comm, hcommComm_t *newcomm) {
  if (newcomm) *newcomm = NULL;
  GUARD("hcommCommDup");
  return (hcommResult_t)goCommDup(NUMBER(comm), NUMBER(newcomm), GROUP);
}

hcommResult_t hcommCommShrink(hcommComm_t comm, int *excludeRanksList, int excludeRanksCount, hcommComm_t *newcomm,
                              hcommConfig_t *config, int shrinkFlags) {
  if (newcomm) *newcomm = NULL;
  GUARD("hcommCommShrink");
  return (hcommResult_t)goCommShrink(NUMBER(comm), NUMBER(excludeRanksList), excludeRanksCount, NUMBER(newcomm),
                                     NUMBER(config), shrinkFlags, GROUP);
}

hcommResult_t hcommCommFinalize(hcommComm_t comm) {
  GUARD("hcommCommFinalize");
  return (hcommResult_t)goCommFinalize(NUMBER(comm), GROUP);
}

hcommResult_t hcommCommRevoke(hcommComm_t comm, int revokeFlags) {
  GUARD("hcommCommRevoke");
  return (hcommResult_t)goCommRevoke(NUMBER(comm), revokeFlags);
}

hcommResult_t hcommCommGetFailedRanks(hcommComm_t comm, int *ranks, int *count) {
  GUARD("hcommCommGetFailedRanks");
  return (hcommResult_t)goCommGetFailedRanks(NUMBER(comm), NUMBER(ranks), NUMBER(count));
}

hcommResult_t hcommCommGetAsyncError(hcommComm_t comm, hcommResult_t *asyncError) {
  GUARD("hcommCommGetAsyncError");
  return (hcommResult_t)goCommGetAsyncError(NUMBER(comm), NUMBER(asyncError));
}

hcommResult_t hcommCommDestroy(hcommComm_t comm) {
  GUARD("hcommCommDestroy");
  return (hcommResult_t)goCommDestroy(NUMBER(comm));
}

/* A thread that waits in a call sees the request whether or not Go can run this thread at once. An old handle must not
 * take the place of a request for its successor. */
hcommResult_t hcommCommAbort(hcommComm_t comm) {
  GUARD("hcommCommAbort");
  struct small *path = __atomic_load_n(&small_paths[NUMBER(comm) % MAX_COMMS], __ATOMIC_ACQUIRE);
  if (path && __atomic_load_n(&path->handle, __ATOMIC_RELAXED) == NUMBER(comm))
    __atomic_store_n(&abort_request[NUMBER(comm) % MAX_COMMS], NUMBER(comm), __ATOMIC_RELEASE);
  return (hcommResult_t)goCommAbort(NUMBER(comm));
}
