/* Preloaded, it makes a machine of any size one on which all ranks may run on one processor, or with TEST_PROCESSOR_EACH
 * each on one of its own. */
#define _GNU_SOURCE
#include <sched.h>
#include <stdlib.h>

static int own(void) {
  const char *rank = getenv("OMPI_COMM_WORLD_RANK");
  if (!rank) rank = getenv("PMI_RANK");
  return rank && getenv("TEST_PROCESSOR_EACH") ? atoi(rank) : 0;
}

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set) {
  (void)pid;
  CPU_ZERO_S(size, set);
  CPU_SET_S(own(), size, set);
  return 0;
}
