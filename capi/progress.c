/* progress.c: the program's function that is called while calls wait; engine/foreign.go says when. */
#include <pthread.h>

#include "_cgo_export.h"

/* The function and its argument belong together. Who reads them may meet a thread that changes them: version is odd
 * meanwhile, and another one after it. */
static struct {
  uint32_t version;
  hcommProgress_t function;
  void *arg;
} progress;
static pthread_mutex_t setting = PTHREAD_MUTEX_INITIALIZER;

int has_progress(void) { return __atomic_load_n(&progress.function, __ATOMIC_RELAXED) != NULL; }

void call_progress(void) {
  hcommProgress_t function;
  void *arg;
  uint32_t version;
  do {
    while ((version = __atomic_load_n(&progress.version, __ATOMIC_ACQUIRE)) & 1)
      ;
    function = __atomic_load_n(&progress.function, __ATOMIC_RELAXED);
    arg = __atomic_load_n(&progress.arg, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
  } while (__atomic_load_n(&progress.version, __ATOMIC_RELAXED) != version);
  if (function) function(arg);
}

hcommResult_t hcommSetProgress(hcommProgress_t function, void *arg) {
  if (refuse_fork("hcommSetProgress")) return hcommInvalidUsage;
  pthread_mutex_lock(&setting);
  __atomic_store_n(&progress.version, progress.version + 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  __atomic_store_n(&progress.function, function, __ATOMIC_RELAXED);
  __atomic_store_n(&progress.arg, arg, __ATOMIC_RELAXED);
  __atomic_store_n(&progress.version, progress.version + 1, __ATOMIC_RELEASE);
  goSetProgress(function != NULL);
  pthread_mutex_unlock(&setting);
  return hcommSuccess;
}
