/* nccl_streams.c: streams of the hcomm* half of hcomm.h. */
#include "_cgo_export.h"

#define GUARD(name) \
  if (refuse_fork(name)) return hcommInvalidUsage

hcommResult_t hcommStreamCreate(hcommStream_t *stream) {
  if (stream) *stream = NULL;
  GUARD("hcommStreamCreate");
  return (hcommResult_t)goStreamCreate(NUMBER(stream));
}

hcommResult_t hcommStreamDestroy(hcommStream_t stream) {
  GUARD("hcommStreamDestroy");
  return (hcommResult_t)goStreamDestroy(NUMBER(stream));
}

hcommResult_t hcommStreamSynchronize(hcommStream_t stream) {
  GUARD("hcommStreamSynchronize");
  return (hcommResult_t)goStreamSynchronize(NUMBER(stream));
}

hcommResult_t hcommStreamQuery(hcommStream_t stream) {
  GUARD("hcommStreamQuery");
  return (hcommResult_t)goStreamQuery(NUMBER(stream));
}

hcommResult_t hcommStreamWait(hcommStream_t stream, hcommStream_t other) {
  GUARD("hcommStreamWait");
  return (hcommResult_t)goStreamWait(NUMBER(stream), NUMBER(other));
}
