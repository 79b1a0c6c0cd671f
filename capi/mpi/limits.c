/* limits.c: what the runtime of libhcomm.so needs to start. It ends the process if it does not get that, so this is tried
 * before: it may be limited (ulimit -v, -n, -u; a control group). */
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shim.h"

enum { DESCRIPTORS = 16, THREADS = 8 };
static const size_t address_space = (size_t)2 << 30; /* what the runtime reserves, its threads' stacks, the ranks' memory */

static int has_descriptors(void) {
  int fds[DESCRIPTORS], n = 0;
  while (n < DESCRIPTORS && (fds[n] = epoll_create1(EPOLL_CLOEXEC)) >= 0) n++;
  for (int i = 0; i < n; i++) close(fds[i]);
  return n == DESCRIPTORS;
}

static int has_address_space(void) {
  void *at = mmap(NULL, address_space, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at != MAP_FAILED) munmap(at, address_space);
  return at != MAP_FAILED;
}

static void *wait_for(void *gate) {
  pthread_mutex_lock(gate);
  pthread_mutex_unlock(gate);
  return NULL;
}

static int has_threads(void) {
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER; /* holds them, so that there are so many at a time */
  pthread_t threads[THREADS];
  int n = 0;
  pthread_mutex_lock(&gate);
  while (n < THREADS && !pthread_create(&threads[n], NULL, wait_for, &gate)) n++;
  pthread_mutex_unlock(&gate);
  for (int i = 0; i < n; i++) pthread_join(threads[i], NULL);
  return n == THREADS;
}

const char *limited(void) {
  if (!has_descriptors()) return "this process may open too few files (ulimit -n)";
  if (!has_address_space()) return "this process may have too little address space: hcomm takes 2 GiB of it (ulimit -v)";
  return has_threads() ? NULL : "this process may have too few threads (ulimit -u, or its control group's pids.max)";
}
