/* monitor.c: has the monitor of Go's runtime look less often.
 *
 * The monitor is a thread that sleeps while no thread is in Go. The next one that leaves Go wakes it, and it looks around
 * every 70 us for some 4 ms, then every 10 ms. So each process that computes for 10 ms between two calls pays for 50
 * switches after each, which nobody needs: a call never leaves so few processors to Go that one must be taken from it
 * (GOMAXPROCS is more than the callers). Where ranks take turns on processors, they pay for those of all others, too: an
 * allreduce of 2 MiB among 8 ranks on 2 processors took 2.3 ms instead of 1.7.
 *
 * How late a sleep may end is a property of a thread that only this thread can change, and that it takes from the one
 * which starts it. So the monitor is started by a thread that has just set its own (the linker has all threads of this
 * library started by way of __wrap_pthread_create; see monitor.go).
 */
#include <pthread.h>
#include <sys/prctl.h>

#include "internal.h"

#define RARELY 10000000UL /* ns; as rarely as the monitor looks when nothing happens */

/* The first thread is the one in which the runtime starts, the second one is the monitor. */
enum { AFTERWARDS, BEFORE_RUNTIME, BEFORE_MONITOR };
static int stage;

void expect_runtime(void) { __atomic_store_n(&stage, BEFORE_RUNTIME, __ATOMIC_RELEASE); }

/* In a program in Go, as its tests are, the runtime starts in the main thread, after the constructors. */
void expect_no_runtime(void) {
  int was = BEFORE_RUNTIME;
  __atomic_compare_exchange_n(&stage, &was, AFTERWARDS, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
  int monitor = 0;
  switch (__atomic_load_n(&stage, __ATOMIC_ACQUIRE)) {
  case BEFORE_RUNTIME: __atomic_store_n(&stage, BEFORE_MONITOR, __ATOMIC_RELEASE); break;
  case BEFORE_MONITOR: __atomic_store_n(&stage, AFTERWARDS, __ATOMIC_RELEASE), monitor = 1; break;
  default: break;
  }
  int usual = monitor ? prctl(PR_GET_TIMERSLACK) : -1;
  if (usual > 0) prctl(PR_SET_TIMERSLACK, RARELY);
  int failed = __real_pthread_create(thread, attributes, run, argument);
  if (usual > 0) prctl(PR_SET_TIMERSLACK, (unsigned long)usual);
  return failed;
}
