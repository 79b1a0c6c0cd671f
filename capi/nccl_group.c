/* nccl_group.c: groups of the hcomm* half of hcomm.h. */
#include "_cgo_export.h"

#define GUARD(name) \
  if (refuse_fork(name)) return hcommInvalidUsage

#define REFUSE(code, text)                \
  do {                                    \
    set_error(text, sizeof(text) - 1);    \
    return code;                          \
  } while (0)

hcommResult_t hcommGroupStart(void) {
  static uint64_t groups;
  GUARD("hcommGroupStart");
  if (!thread_group.depth) {
    if (!keep_group()) REFUSE(hcommSystemError, "hcommGroupStart: the system has no more room for what belongs to a thread");
    thread_group.number = __atomic_add_fetch(&groups, 1, __ATOMIC_RELAXED);
  }
  thread_group.depth++;
  return hcommSuccess;
}

hcommResult_t hcommGroupEnd(void) {
  GUARD("hcommGroupEnd");
  if (!thread_group.depth)
    REFUSE(hcommInvalidUsage, "hcommGroupEnd: this thread is in no group: hcommGroupStart comes first");
  if (--thread_group.depth) return hcommSuccess;
  uint64_t number = thread_group.number;
  thread_group.number = 0;
  return (hcommResult_t)goGroupEnd(number);
}
