/* nccl_register.c: the calls of the hcomm* half of hcomm.h that register memory. */
#include "_cgo_export.h"

#define GUARD(name) \
  if (refuse_fork(name)) return hcommInvalidUsage

hcommResult_t hcommCommRegister(const hcommComm_t comm, void *buff, size_t size, void **handle) {
  if (handle) *handle = NULL;
  GUARD("hcommCommRegister");
  return (hcommResult_t)goCommRegister(NUMBER(comm), NUMBER(buff), size, NUMBER(handle));
}

hcommResult_t hcommCommDeregister(const hcommComm_t comm, void *handle) {
  GUARD("hcommCommDeregister");
  return (hcommResult_t)goCommDeregister(NUMBER(comm), NUMBER(handle));
}
