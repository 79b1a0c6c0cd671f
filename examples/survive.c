/* Goes on when ranks die. In each step they add up the numbers of a batch, each rank its share; in step 3 the last rank is
 * killed, in step 6 the last but one, and the others share among them what these would have done.
 *
 *   make
 *   gcc -O2 -Ibuild/include -o build/survive examples/survive.c -Lbuild/lib -lhcomm -Wl,-rpath,"$PWD/build/lib"
 *   build/bin/hcomm run -n 4 --no-kill build/survive
 *
 * Without --no-kill, hcomm run would end the others a few seconds after the first has died. Its status is that of the
 * first that failed, here 137, for SIGKILL.
 */
#include <hcomm.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#define OK(call)                                      \
  do {                                                \
    if ((call) != hcommSuccess) {                     \
      fprintf(stderr, "%s\n", hcommGetLastError(NULL)); \
      exit(1);                                        \
    }                                                 \
  } while (0)

enum { STEPS = 10, BATCH = 1000 };

static hcommComm_t comm;
static int rank, ranks;

static void join(hcommComm_t to) {
  comm = to;
  OK(hcommCommUserRank(comm, &rank));
  OK(hcommCommCount(comm, &ranks));
}

static hcommResult_t add_up(int step, long *sum) {
  *sum = 0;
  for (int i = rank; i < BATCH; i += ranks) *sum += (long)step * BATCH + i;
  return hcommAllReduce(sum, sum, 1, hcommInt64, hcommSum, comm, NULL);
}

/* After an error because of a dead rank: a communicator of those that live. Shrinking tells if more have died. */
static void go_on_without_the_dead(void) {
  static int dead[4096]; /* a communicator has no more ranks */
  hcommComm_t smaller;
  hcommResult_t result;
  do {
    int count = 4096;
    OK(hcommCommGetFailedRanks(comm, dead, &count));
    for (int i = 0; rank == 0 && i < count; i++) printf("rank %d of %d has died\n", dead[i], ranks);
    result = hcommCommShrink(comm, dead, count, &smaller, NULL, HCOMM_SHRINK_DEFAULT);
  } while (result == hcommRemoteError);
  OK(result);
  OK(hcommCommDestroy(comm));
  join(smaller);
}

int main(void) {
  hcommComm_t world;
  long total[STEPS + 1] = {0}; /* before each step, for one may have to be done again */
  OK(hcommCommInitEnv(&world));
  join(world);
  int name = ranks - rank; /* it stays, where rank may change */

  for (int step = 0; step < STEPS;) {
    long sum;
    if ((step == 3 && name == 1) || (step == 6 && name == 2)) raise(SIGKILL);
    hcommResult_t result = add_up(step, &sum);
    if (result == hcommRemoteError) {
      go_on_without_the_dead();
      /* A rank that had all it needed has done the step that failed on others: all begin with the earliest. */
      OK(hcommAllReduce(&step, &step, 1, hcommInt32, hcommMin, comm, NULL));
      continue;
    }
    OK(result);
    total[step + 1] = total[step] + sum;
    step++;
  }

  long want = (long)STEPS * BATCH * (STEPS * BATCH - 1) / 2;
  if (rank == 0) printf("%d of the ranks have added up %ld\n", ranks, total[STEPS]);
  OK(hcommCommDestroy(comm));
  return total[STEPS] != want;
}
