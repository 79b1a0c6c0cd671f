/* waiting.c: what a rank does with its processor while it waits for a late one: it spins if it has one of its own, and
 * sleeps if the ranks are more than the processors.
 *
 * run: taskset -c 0,1 hcomm run -n 2 --bind core %p spins
 * run: taskset -c 0,1 hcomm run -n 4 --bind none %p sleeps
 */
#include "check.h"

#include <sys/resource.h>

enum { ROUNDS = 100, DELAY_MS = 5 };

static double processor_ms(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-3;
}

int main(int argc, char **argv) {
  hcommComm_t comm;
  int rank;
  CHECK(argc == 2);
  OK(hcommCommInitEnv(&comm));
  OK(hcommCommUserRank(comm, &rank));
  check_rank = rank;
  OK(hcommBarrier(comm, NULL));
  double used = processor_ms(), begun = now();
  for (int i = 0; i < ROUNDS; i++) {
    if (rank == 0) pause_ms(DELAY_MS);
    float x = 1, sum;
    OK(hcommAllReduce(&x, &sum, 1, hcommFloat32, hcommSum, comm, NULL));
  }
  double share = (processor_ms() - used) / (now() - begun);
  if (rank) {
    printf("rank %d waited %d times about %d ms for rank 0 and used %.0f %% of a processor\n", rank, ROUNDS, DELAY_MS,
           share * 100);
    if (!strcmp(argv[1], "spins")) CHECK(share > 0.5);
    else CHECK(share < 0.2);
  }
  OK(hcommCommDestroy(comm));
  return 0;
}
