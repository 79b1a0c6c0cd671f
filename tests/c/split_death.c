/* A rank whose process ends between the collective of hcommCommSplit and the meeting of the new ranks: the others are told at
 * once, not when their time is over, and can go on with the ranks that remain.
 *
 * run: tests/expect.sh 137 rank_2_goes_on hcomm run -n 3 --grace 30 %p 1 killed
 * run: tests/expect.sh 137 rank_2_goes_on hcomm run -n 3 --grace 30 %p 0 killed
 * run: tests/expect.sh 9 rank_2_goes_on hcomm run -n 3 --grace 30 %p 0 exits
 * timeout: 60
 */
#include "check.h"

#include <signal.h>
#include <sys/resource.h>

/* stays_outside makes this rank one that gets as far as the meeting, and not into it: it can open nothing. */
static void stays_outside(hcommComm_t comm) {
  hcommComm_t halves;
  int next = dup(0);
  CHECK(next > 0);
  close(next);
  struct rlimit before, none;
  CHECK(!getrlimit(RLIMIT_NOFILE, &before));
  none = before;
  none.rlim_cur = (rlim_t)next;
  CHECK(!setrlimit(RLIMIT_NOFILE, &none));
  CHECK(hcommCommSplit(comm, 0, 0, &halves, NULL) == hcommSystemError);
  CHECK(!setrlimit(RLIMIT_NOFILE, &before));
}

int main(int argc, char **argv) {
  CHECK(argc == 3);
  int victim = atoi(argv[1]), killed = !strcmp(argv[2], "killed"), rank, sum = 0, one = 1;
  hcommComm_t comm, halves, rest;
  OK(hcommCommInitEnv(&comm));
  OK(hcommCommUserRank(comm, &rank));
  check_rank = rank;
  OK(hcommBarrier(comm, NULL));
  if (rank == victim) {
    stays_outside(comm);
    if (killed) raise(SIGKILL);
    return 9;
  }
  char who[32];
  snprintf(who, sizeof who, "rank %d ;%s", victim, killed ? " died " : " left ");
  FAILS(hcommRemoteError, who, hcommCommSplit(comm, 0, 0, &halves, NULL));
  CHECK(!halves);
  OK(hcommCommShrink(comm, &victim, 1, &rest, NULL, HCOMM_SHRINK_DEFAULT));
  OK(hcommAllReduce(&one, &sum, 1, hcommInt32, hcommSum, rest, NULL));
  CHECK(sum == 2);
  printf("rank %d goes on\n", rank);
  OK(hcommCommDestroy(rest));
  OK(hcommCommDestroy(comm));
  return 0;
}
