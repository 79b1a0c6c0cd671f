/* The end of a rank in the middle of a loop of any collective, or of messages round a ring: the others are told, by name.
 *
 *   death_each CALL BYTES    CALL: a collective, or ring. The last rank but one kills itself with SIGKILL after a few
 *                            milliseconds
 *
 * tests/death_each.sh does it for each collective and builder.
 *
 * flags: -pthread
 * run: tests/death_each.sh %p
 * timeout: 120
 */
#include "call.h"
#include "ranks.h"

#include <signal.h>

static int rank, size;

static void *kill_self(void *unused) {
  (void)unused;
  uint64_t random = (uint64_t)getpid();
  pause_ms(3 + (double)(next_random(&random) % 5000) * 1e-3);
  kill(getpid(), SIGKILL);
  return NULL;
}

/* ring passes a message on to the next rank; rank 0 begins. */
static hcommResult_t ring(float *send, float *recv, size_t count, hcommComm_t comm) {
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  for (int turn = 0; turn < 2; turn++) {
    hcommResult_t r = (rank == 0) == (turn == 0) ? hcommSend(send, count, hcommFloat32, next, comm, NULL)
                                                 : hcommRecv(recv, count, hcommFloat32, before, comm, NULL);
    if (r != hcommSuccess) return r;
  }
  return hcommSuccess;
}

int main(int argc, char **argv) {
  hcommComm_t comm;
  CHECK(argc > 2);
  enum collective c = collective_named(argv[1]);
  CHECK(c < COLLECTIVES || !strcmp(argv[1], "ring"));
  size_t count = (size_t)atol(argv[2]) / sizeof(float);
  OK(hcommCommInitEnv(&comm));
  OK(hcommCommUserRank(comm, &rank));
  OK(hcommCommCount(comm, &size));
  check_rank = rank;
  float *send = calloc(count * size, sizeof *send), *recv = calloc(count * size, sizeof *recv);
  CHECK(send && recv);
  pthread_t id;
  hcommResult_t r = hcommBarrier(comm, NULL); /* who is slow to leave it may be told here */
  if (rank == size - 2) CHECK(r == hcommSuccess && !pthread_create(&id, NULL, kill_self, NULL));
  for (long i = 0; r == hcommSuccess; i++)
    r = c == COLLECTIVES ? ring(send, recv, count, comm)
                         : make_call(c, send, recv, count, hcommFloat32, hcommSum, (int)(i % size), comm);
  if (rank == size - 2)
    for (;;) pause();
  char words[64];
  snprintf(words, sizeof words, "rank %d (host ;pid ;died", size - 2);
  FAILS(hcommRemoteError, words, r);
  OK(hcommCommDestroy(comm));
  printf("rank %d was told\n", rank);
  free(send);
  free(recv);
  return 0;
}
