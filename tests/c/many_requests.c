/* 100,000 requests of a rank at once: what a call costs must not grow with how many there are.
 *
 * run: hcomm run -n 2 %p
 * timeout: 60
 */
#include "check.h"

enum { MANY = 100000 };

static HCOMM_Request requests[2 * MANY];
static int32_t x[MANY], y[MANY];
static int rank;

static void collectives(void) {
  TRYING("collectives");
  for (int i = 0; i < MANY; i++) {
    x[i] = i + rank, y[i] = -1;
    OK(HCOMM_Iallreduce(x + i, y + i, 1, HCOMM_INT32_T, HCOMM_SUM, HCOMM_COMM_WORLD, requests + i));
  }
  OK(HCOMM_Waitall(MANY, requests, HCOMM_STATUSES_IGNORE));
  for (int i = 0; i < MANY; i++) CHECK(y[i] == 2 * i + 1);
}

/* Rank 0 posts all receives before the first message comes, and the messages come in their order. */
static void receives_first(void) {
  TRYING("receives, then messages");
  if (rank == 0) {
    for (int i = 0; i < MANY; i++) OK(HCOMM_Irecv(y + i, 1, HCOMM_INT32_T, 1, i, HCOMM_COMM_WORLD, requests + i));
    OK(HCOMM_Barrier(HCOMM_COMM_WORLD));
    OK(HCOMM_Waitall(MANY, requests, HCOMM_STATUSES_IGNORE));
    for (int i = 0; i < MANY; i++) CHECK(y[i] == i + 1 && requests[i] == HCOMM_REQUEST_NULL);
  } else {
    OK(HCOMM_Barrier(HCOMM_COMM_WORLD));
    for (int i = 0; i < MANY; i++) OK(HCOMM_Send(x + i, 1, HCOMM_INT32_T, 0, i, HCOMM_COMM_WORLD));
  }
}

static void both_ways(void) {
  TRYING("messages both ways");
  for (int i = 0; i < MANY; i++) {
    OK(HCOMM_Irecv(y + i, 1, HCOMM_INT32_T, 1 - rank, i, HCOMM_COMM_WORLD, requests + i));
    OK(HCOMM_Isend(x + i, 1, HCOMM_INT32_T, 1 - rank, i, HCOMM_COMM_WORLD, requests + MANY + i));
  }
  OK(HCOMM_Waitall(2 * MANY, requests, HCOMM_STATUSES_IGNORE));
  for (int i = 0; i < MANY; i++) CHECK(y[i] == i + 1 - rank);
}

int main(void) {
  OK(HCOMM_Init(NULL, NULL));
  OK(HCOMM_Comm_rank(HCOMM_COMM_WORLD, &rank));
  check_rank = rank;
  collectives();
  receives_first();
  both_ways();
  OK(HCOMM_Finalize());
  return 0;
}
