/* nccl_style.c: the hcomm* half of hcomm.h. Each call looks out for a fork and goes on in Go. */
#include "_cgo_export.h"
#include "internal.h"

#define GUARD(name) \
  if (refuse_fork(name)) return hcommInvalidUsage

hcommResult_t hcommGetVersion(int *version) {
  if (!version) {
    static const char text[] = "hcommGetVersion: version is NULL; it must point to an int (docs/errors/bad-argument.md)";
    set_error(text, sizeof text - 1);
    return hcommInvalidArgument;
  }
  *version = HCOMM_VERSION_CODE;
  return hcommSuccess;
}

const char *hcommGetErrorString(hcommResult_t result) {
  switch (result) {
  case hcommSuccess: return "no error";
  case hcommUnhandledCudaError: return "unhandled CUDA error";
  case hcommSystemError: return "system error";
  case hcommInternalError: return "internal error";
  case hcommInvalidArgument: return "invalid argument";
  case hcommInvalidUsage: return "invalid usage";
  case hcommRemoteError: return "a remote rank died, left or aborted";
  case hcommInProgress: return "in progress";
  case hcommTimeout: return "timeout";
  case hcommMismatch: return "ranks disagree";
  }
  return "unknown result code";
}

hcommResult_t hcommGetUniqueId(hcommUniqueId *id) {
  GUARD("hcommGetUniqueId");
  return (hcommResult_t)goGetUniqueId(NUMBER(id));
}

hcommResult_t hcommCommCount(hcommComm_t comm, int *count) {
  GUARD("hcommCommCount");
  return (hcommResult_t)goCommCount(NUMBER(comm), NUMBER(count));
}

hcommResult_t hcommCommUserRank(hcommComm_t comm, int *rank) {
  GUARD("hcommCommUserRank");
  return (hcommResult_t)goCommUserRank(NUMBER(comm), NUMBER(rank));
}

hcommResult_t hcommMemAlloc(void **ptr, size_t size) {
  GUARD("hcommMemAlloc");
  return (hcommResult_t)goMemAlloc(NUMBER(ptr), size);
}

hcommResult_t hcommMemFree(void *ptr) {
  GUARD("hcommMemFree");
  return (hcommResult_t)goMemFree(NUMBER(ptr));
}
