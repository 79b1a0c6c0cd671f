/* waiting.c: what a rank does with its processor while it waits for a late one: it spins if it has one of its own, and
 * sleeps if the ranks are more than the processors, also where a progress function must be called now and then.
 *
 * run: taskset -c 0,1 hcomm run -n 2 --bind core %p spins
 * run: taskset -c 0,1 hcomm run -n 4 --bind none %p sleeps
 * run: taskset -c 0,1 hcomm run -n 4 --bind none %p sleeps progress
 */
#define _GNU_SOURCE
#include "check.h"

#include <sys/resource.h>

enum { ROUNDS = 100, DELAY_MS = 5 };

/* How often this thread has gone to sleep: sched_yield does not count. */
static long sleeps(void) {
  struct rusage u;
  getrusage(RUSAGE_THREAD, &u);
  return u.ru_nvcsw;
}

static double processor_ms(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-3;
}

static int called;
static void progress(void *unused) {
  (void)unused;
  called++;
}

int main(int argc, char **argv) {
  hcommComm_t comm;
  int rank;
  CHECK(argc == 2 || (argc == 3 && !strcmp(argv[2], "progress")));
  OK(hcommCommInitEnv(&comm));
  OK(hcommCommUserRank(comm, &rank));
  check_rank = rank;
  if (argc == 3) OK(hcommSetProgress(progress, NULL));
  OK(hcommBarrier(comm, NULL));
  double used = processor_ms(), begun = now();
  long slept = sleeps();
  for (int i = 0; i < ROUNDS; i++) {
    if (rank == 0) pause_ms(DELAY_MS);
    float x = 1, sum;
    OK(hcommAllReduce(&x, &sum, 1, hcommFloat32, hcommSum, comm, NULL));
  }
  double share = (processor_ms() - used) / (now() - begun);
  if (rank) {
    slept = sleeps() - slept;
    printf("rank %d waited %d times about %d ms for rank 0, slept %ld times, and used %.0f %% of a processor\n", rank, ROUNDS,
           DELAY_MS, slept, share * 100);
    if (argc == 3) printf("rank %d called its progress function %d times\n", rank, called);
    if (!strcmp(argv[1], "spins")) CHECK(slept < ROUNDS / 4);
    else CHECK(share < 0.2); /* where others want the processor too, a yield may be all that is needed */
  }
  OK(hcommCommDestroy(comm));
  return 0;
}
