/* ahead.c: a root that has run ahead of a late rank, so that the inbox is full, goes on with a small allreduce.
 *
 * run: hcomm run -n 2 %p
 * run: hcomm run -n 3 %p
 */
#include "check.h"

enum { ROUNDS = 20, MOST_AHEAD = 12, DELAY_MS = 5 };

int main(void) {
  hcommComm_t comm;
  int rank, size;
  OK(hcommCommInitEnv(&comm));
  OK(hcommCommUserRank(comm, &rank));
  OK(hcommCommCount(comm, &size));
  check_rank = rank;
  for (int round = 0; round < ROUNDS; round++) {
    int ahead = round % (MOST_AHEAD + 1);
    TRYING("round %d, %d broadcasts ahead", round, ahead);
    if (rank) pause_ms(DELAY_MS);
    for (int i = 0; i < ahead; i++) {
      float in = (float)(100 * round + i), out = -1;
      OK(hcommBroadcast(&in, &out, 1, hcommFloat32, 0, comm, NULL));
      CHECK(out == (float)(100 * round + i));
    }
    float x = (float)(rank + round), sum = -1;
    OK(hcommAllReduce(&x, &sum, 1, hcommFloat32, hcommSum, comm, NULL));
    CHECK(sum == (float)(size * round + size * (size - 1) / 2));
  }
  OK(hcommCommDestroy(comm));
  return 0;
}
