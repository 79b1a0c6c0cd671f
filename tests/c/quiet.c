/* After an error, quiet: a rank is stopped in the middle of an allreduce of 32 MiB that lies in memory of hcommMemAlloc,
 * which the ranks read in place. The others get hcommTimeout, shrink, work on without it, and fill their buffers anew.
 * Then the stopped rank is woken, and ends its call. Not one byte of the others' buffers may have changed.
 *
 * run: hcomm run -n 3 %p 2
 * slow: hcomm run -n 3 %p 20
 * slow: hcomm run -n 3 %p 10 malloc
 * flags: -pthread
 * timeout: 300
 */
#include "check.h"

#include <pthread.h>
#include <signal.h>

enum { RANKS = 3, STOPPED = 2, COUNT = 8 << 20, BYTES = COUNT * 4, FEW = 1000 };

#define MUST(condition, ...) \
  do { \
    if (!(condition)) FAIL(__VA_ARGS__); \
  } while (0)

static int rank;

static float *memory(int from_malloc) {
  void *p = NULL;
  if (from_malloc) MUST((p = malloc(BYTES)), "no memory");
  else OK(hcommMemAlloc(&p, BYTES));
  return p;
}

static void release(int from_malloc, float *p) {
  if (from_malloc) free(p);
  else OK(hcommMemFree(p));
}

/* The rank to be stopped, and when. */
struct stopper {
  pid_t pid;
  long microseconds;
};

static void *stop_later(void *arg) {
  struct stopper *s = arg;
  struct timespec t = {0, s->microseconds * 1000};
  nanosleep(&t, NULL);
  MUST(kill(s->pid, SIGSTOP) == 0, "SIGSTOP");
  return NULL;
}

/* Allreduces until one fails: the one in which the rank was stopped. */
static void run_until_stopped(hcommComm_t comm, float *send, float *recv) {
  hcommResult_t r = hcommSuccess;
  while (r == hcommSuccess) r = hcommAllReduce(send, recv, COUNT, hcommFloat32, hcommSum, comm, NULL);
  MUST(r == hcommTimeout, "the allreduce returned %d: %s", (int)r, hcommGetLastError(comm));
  const char *text = hcommGetLastError(comm);
  MUST(strstr(text, "hcommAllReduce: rank 2 (") && strstr(text, "is stopped"), "the culprit: %s", text);
}

/* The others go on without the stopped rank. */
static void go_on(hcommComm_t comm, float *x) {
  int list[RANKS], count = RANKS, size;
  hcommComm_t small;
  OK(hcommCommGetFailedRanks(comm, list, &count));
  MUST(count == 1 && list[0] == STOPPED, "%d ranks have failed, the first is %d", count, list[0]);
  OK(hcommCommShrink(comm, list, count, &small, NULL, HCOMM_SHRINK_DEFAULT));
  OK(hcommCommCount(small, &size));
  MUST(size == RANKS - 1, "%d ranks are left", size);
  for (int i = 0; i < FEW; i++) x[i] = (float)(i + rank);
  OK(hcommAllReduce(x, x, FEW, hcommFloat32, hcommSum, small, NULL));
  for (int i = 0; i < FEW; i++) MUST(x[i] == (float)(2 * i + 1), "the smaller communicator's sum: %g at %d", x[i], i);
  OK(hcommCommDestroy(small));
}

static void fill(unsigned char *p, unsigned char seed) {
  for (size_t i = 0; i < BYTES; i++) p[i] = (unsigned char)(i * 7 + seed);
}

static void check(const unsigned char *p, unsigned char seed, const char *name) {
  for (size_t i = 0; i < BYTES; i++)
    MUST(p[i] == (unsigned char)(i * 7 + seed), "byte %zu of %s has changed", i, name);
}

static void round_of(hcommComm_t world, int turn, const int *pids, float *send, float *recv) {
  hcommUniqueId id;
  hcommComm_t comm;
  hcommConfig_t config = HCOMM_CONFIG_INITIALIZER;
  config.timeout_ms = (int)slowly(1000);
  if (rank == 0) OK(hcommGetUniqueId(&id));
  OK(hcommBroadcast(&id, &id, sizeof id, hcommUint8, 0, world, NULL));
  OK(hcommCommInitRankConfig(&comm, RANKS, id, rank, &config));
  for (int i = 0; i < COUNT; i++) send[i] = 1;
  OK(hcommBarrier(world, NULL)); /* on this one, a rank that is stopped before it has left the call is waited for */
  pthread_t thread;
  struct stopper s = {pids[STOPPED], 2000 + 3100L * turn};
  if (rank == 0) MUST(pthread_create(&thread, NULL, stop_later, &s) == 0, "pthread_create");
  run_until_stopped(comm, send, recv);
  if (rank != STOPPED) {
    fill((unsigned char *)send, 1), fill((unsigned char *)recv, 2);
    go_on(comm, (float *)malloc(FEW * sizeof(float)));
  }
  if (rank == 0) {
    pthread_join(thread, NULL);
    MUST(kill(s.pid, SIGCONT) == 0, "SIGCONT");
  }
  OK(hcommBarrier(world, NULL)); /* the woken rank has ended its call */
  if (rank != STOPPED) check((unsigned char *)send, 1, "sendbuff"), check((unsigned char *)recv, 2, "recvbuff");
  OK(hcommCommDestroy(comm));
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1, from_malloc = argc > 2 && !strcmp(argv[2], "malloc");
  hcommComm_t world;
  OK(hcommCommInitEnv(&world));
  OK(hcommCommUserRank(world, &rank));
  check_rank = rank;
  int pids[RANKS], pid = (int)getpid();
  OK(hcommAllGather(&pid, pids, 1, hcommInt32, world, NULL));
  float *send = memory(from_malloc), *recv = memory(from_malloc);
  for (int turn = 0; turn < rounds; turn++) round_of(world, turn, pids, send, recv);
  release(from_malloc, send), release(from_malloc, recv);
  OK(hcommCommDestroy(world));
  if (rank == 0) printf("%d of %d rounds: no byte has changed\n", rounds, rounds);
  return 0;
}
