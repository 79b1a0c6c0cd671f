/* THREADS threads of each rank, each with a communicator of its own, make and complete requests at once: no handle of one
 * is taken for that of another.
 *
 * flags: -pthread
 * run: hcomm run -n 1 %p
 * run: hcomm run -n 2 %p
 * run: hcomm run -n 3 %p
 * timeout: 120
 */
#include "check.h"

#include <pthread.h>

enum { THREADS = 4, ROUNDS = 2000, MESSAGES = 6 };

static int rank, size;
static HCOMM_Comm comms[THREADS];

static void *work(void *number) {
  int me = (int)(intptr_t)number, to = (rank + 1) % size, from = (rank + size - 1) % size;
  HCOMM_Comm c = comms[me];
  HCOMM_Request q[2 * MESSAGES + 1], kept;
  HCOMM_Status s[2 * MESSAGES + 1];
  int out[MESSAGES], in[MESSAGES], one, sum, root, index;
  check_rank = rank;
  OK(HCOMM_Bcast_init(&root, 1, HCOMM_INT, me % size, c, HCOMM_INFO_NULL, &kept));
  for (int round = 0; round < ROUNDS; round++) {
    TRYING("thread %d, round %d", me, round);
    int base = round * 1000 + me * 100;
    one = base + rank, root = rank == me % size ? base : -1;
    for (int i = 0; i < MESSAGES; i++) {
      out[i] = base + i, in[i] = -1;
      OK(HCOMM_Irecv(&in[i], 1, HCOMM_INT, from, i, c, &q[i]));
      OK(HCOMM_Isend(&out[i], 1, HCOMM_INT, to, i, c, &q[MESSAGES + i]));
    }
    OK(HCOMM_Iallreduce(&one, &sum, 1, HCOMM_INT, HCOMM_SUM, c, &q[2 * MESSAGES]));
    OK(HCOMM_Start(&kept));
    OK(HCOMM_Waitany(MESSAGES, q, &index, s));
    CHECK(index >= 0 && index < MESSAGES && s[0].HCOMM_TAG == index && in[index] == base + index);
    OK(HCOMM_Waitall(2 * MESSAGES + 1, q, s));
    OK(HCOMM_Wait(&kept, HCOMM_STATUS_IGNORE));
    for (int i = 0; i < MESSAGES; i++) CHECK(in[i] == base + i && (i == index || s[i].HCOMM_SOURCE == from));
    CHECK(sum == size * base + size * (size - 1) / 2 && root == base);
  }
  OK(HCOMM_Request_free(&kept));
  return NULL;
}

int main(int argc, char **argv) {
  pthread_t ids[THREADS];
  OK(HCOMM_Init(&argc, &argv));
  OK(HCOMM_Comm_rank(HCOMM_COMM_WORLD, &rank));
  OK(HCOMM_Comm_size(HCOMM_COMM_WORLD, &size));
  errors_return();
  check_rank = rank;
  for (int i = 0; i < THREADS; i++) OK(HCOMM_Comm_dup(HCOMM_COMM_WORLD, &comms[i]));
  for (int i = 0; i < THREADS; i++) CHECK(!pthread_create(&ids[i], NULL, work, (void *)(intptr_t)i));
  for (int i = 0; i < THREADS; i++) pthread_join(ids[i], NULL);
  OK(HCOMM_Finalize());
  return 0;
}
