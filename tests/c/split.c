/* Communicators made of others: random splits against an oracle, copies, shrinking after a revoke and after a death,
 * lists that differ, finalizing; and that many of them leave nothing behind.
 *
 *   split                     all but the last
 *   split many COMMS ROUNDS   so many communicators split off and destroyed, that many times
 *
 * run: hcomm run -n 1 %p
 * run: hcomm run -n 2 %p
 * run: hcomm run -n 3 %p
 * run: hcomm run -n 6 %p
 * run: tests/expect.sh 137 the_others_went_on hcomm run -n 3 --no-kill %p death
 * run: hcomm run -n 2 %p many 20 6
 * slow: hcomm run -n 2 %p many 100 100
 * timeout: 60
 */
#include "held.h"

#include <signal.h>

static hcommComm_t job;
static int rank, size;

enum { MOST = 16 };

/* is says that a communicator has these ranks of the job, in this order, and works. */
static void is(hcommComm_t comm, const int *ranks, int n) {
  int number = -1, count = -1;
  int32_t all[MOST], sum = rank + 1, want = 0;
  hcommResult_t r;
  OK(hcommCommUserRank(comm, &number));
  OK(hcommCommCount(comm, &count));
  CHECK(count == n && number >= 0 && number < n && ranks[number] == rank);
  OK(hcommAllGather(&rank, all, 1, hcommInt32, comm, NULL));
  for (int i = 0; i < n; i++) CHECK(all[i] == ranks[i]);
  for (int i = 0; i < n; i++) want += ranks[i] + 1;
  OK(hcommAllReduce(&sum, &sum, 1, hcommInt32, hcommSum, comm, NULL));
  CHECK(sum == want);
  OK(hcommCommGetAsyncError(comm, &r));
  CHECK(r == hcommSuccess);
}

static void random_splits(void) {
  uint64_t random = 5;
  for (int round = 0; round < 40; round++) {
    int colors[MOST], keys[MOST], mine[MOST], n = 0;
    hcommComm_t made = job;
    hcommConfig_t config = HCOMM_CONFIG_INITIALIZER;
    TRYING("split %d", round);
    for (int q = 0; q < size; q++) {
      colors[q] = (int)(next_random(&random) % 4) - 1; /* -1 is HCOMM_SPLIT_NOCOLOR */
      keys[q] = (int)(next_random(&random) % 3) - 1;
      if (colors[q] == 2) colors[q] = INT_MAX;
    }
    OK(hcommCommSplit(job, colors[rank], keys[rank], &made, round % 2 ? &config : NULL));
    CHECK(!made == (colors[rank] == HCOMM_SPLIT_NOCOLOR));
    if (!made) continue;
    for (int key = -1; key <= 1; key++)
      for (int q = 0; q < size; q++)
        if (colors[q] == colors[rank] && keys[q] == key) mine[n++] = q;
    is(made, mine, n);
    if (round % 3 == 0) { /* of this one, another, the other way round */
      hcommComm_t again;
      int reversed[MOST];
      for (int i = 0; i < n; i++) reversed[i] = mine[n - 1 - i];
      int number;
      OK(hcommCommUserRank(made, &number));
      OK(hcommCommSplit(made, 7, -number, &again, NULL));
      OK(hcommCommDestroy(made));
      is(again, reversed, n);
      made = again;
    }
    OK(hcommCommDestroy(made));
  }
}

/* What is sent on one is not received on the other. */
static void copies(void) {
  hcommComm_t copy;
  int everyone[MOST];
  int32_t a = 1, b = 2, got[2] = {0, 0}, right = (rank + 1) % size, left = (rank + size - 1) % size;
  TRYING("a copy");
  for (int q = 0; q < size; q++) everyone[q] = q;
  OK(hcommCommDup(job, &copy));
  CHECK(copy && copy != job);
  is(copy, everyone, size);
  OK(hcommSend(&a, 1, hcommInt32, right, job, NULL));
  OK(hcommSend(&b, 1, hcommInt32, right, copy, NULL));
  OK(hcommRecv(&got[1], 1, hcommInt32, left, copy, NULL));
  OK(hcommRecv(&got[0], 1, hcommInt32, left, job, NULL));
  CHECK(got[0] == 1 && got[1] == 2);
  OK(hcommCommFinalize(copy));
  FAILS(hcommInvalidUsage, "finalized;hcommCommDestroy", hcommBarrier(copy, NULL));
  FAILS(hcommInvalidUsage, "finalized", hcommAllReduce(&a, &b, 1, hcommInt32, hcommSum, copy, NULL));
  FAILS(hcommInvalidUsage, "finalized", hcommCommFinalize(copy));
  OK(hcommCommCount(copy, &a));
  CHECK(a == size);
  OK(hcommCommDestroy(copy));
}

/* The ranks without the last one, which has no call to make. */
static void shrink(void) {
  int out[] = {size - 1}, rest[MOST];
  hcommComm_t copy, small = job;
  hcommStream_t stream;
  hcommResult_t r = hcommSuccess;
  int32_t x = 1;
  for (int q = 0; q < size; q++) rest[q] = q;
  OK(hcommStreamCreate(&stream));
  for (int round = 0; round < 4; round++) {
    TRYING("shrink, case %d", round);
    OK(hcommCommDup(job, &copy));
    if (round == 1 && rank == size - 1) OK(hcommCommRevoke(copy, 0));
    if (round == 1 && rank < size - 1) FAILS(hcommRemoteError, "revoked", hcommBarrier(copy, NULL));
    if (round == 1) {
      OK(hcommCommGetAsyncError(copy, &r));
      CHECK(r == hcommRemoteError && strstr(hcommGetLastError(NULL), "revoked the communicator"));
      FAILS(hcommRemoteError, "revoked", hcommCommDup(copy, &small));
    }
    if (round == 2 && rank < size - 1) { /* the last rank does not come, so this is under way */
      OK(hcommAllReduce(&x, &x, 1, hcommInt32, hcommSum, copy, stream));
      FAILS(hcommInvalidUsage, "under way;HCOMM_SHRINK_ABORT", hcommCommShrink(copy, out, 1, &small, NULL, HCOMM_SHRINK_DEFAULT));
    }
    if (round == 2) OK(hcommBarrier(job, NULL));
    if (rank < size - 1) {
      OK(hcommCommShrink(copy, out, 1, &small, NULL, round == 2 ? HCOMM_SHRINK_ABORT : HCOMM_SHRINK_DEFAULT));
      is(small, rest, size - 1);
      OK(hcommCommDestroy(small));
    }
    if (round == 2 && rank < size - 1) FAILS(hcommRemoteError, "revoked", hcommStreamSynchronize(stream));
    if (round == 3) {
      OK(hcommBarrier(job, NULL));
      OK(hcommCommShrink(copy, NULL, 0, &small, NULL, HCOMM_SHRINK_DEFAULT));
      is(small, rest, size);
      OK(hcommCommDestroy(small));
    }
    OK(hcommBarrier(job, NULL));
    OK(hcommCommDestroy(copy));
  }
  OK(hcommStreamDestroy(stream));
  if (size < 4) return;
  TRYING("lists that differ");
  int other[] = {rank < 2 ? size - 1 : size - 2};
  OK(hcommCommDup(job, &copy));
  if (rank < size - 2) {
    FAILS(hcommMismatch, "whom to exclude;the same list", hcommCommShrink(copy, other, 1, &small, NULL, 0));
    CHECK(!small);
  }
  OK(hcommBarrier(job, NULL));
  OK(hcommCommDestroy(copy));
}

static void refused(void) {
  hcommComm_t made = job;
  int twice[] = {(rank + 1) % size, (rank + 1) % size}, far[] = {size}, below[] = {-1}, self[] = {rank};
  TRYING("arguments");
  FAILS(hcommInvalidArgument, "color is -2;HCOMM_SPLIT_NOCOLOR", hcommCommSplit(job, -2, 0, &made, NULL));
  FAILS(hcommInvalidArgument, "newcomm is NULL", hcommCommSplit(job, 0, 0, NULL, NULL));
  FAILS(hcommInvalidArgument, "newcomm is NULL", hcommCommDup(job, NULL));
  FAILS(hcommInvalidArgument, "newcomm is NULL", hcommCommShrink(job, NULL, 0, NULL, NULL, 0));
  FAILS(hcommInvalidArgument, "comm is NULL", hcommCommSplit(NULL, 0, 0, &made, NULL));
  FAILS(hcommInvalidArgument, "comm is NULL", hcommCommDup(NULL, &made));
  FAILS(hcommInvalidArgument, "comm is NULL", hcommCommShrink(NULL, NULL, 0, &made, NULL, 0));
  FAILS(hcommInvalidArgument, "comm is NULL", hcommCommFinalize(NULL));
  FAILS(hcommInvalidArgument, "comm is NULL", hcommCommRevoke(NULL, 0));
  FAILS(hcommInvalidArgument, "revokeFlags is 1;0", hcommCommRevoke(job, 1));
  FAILS(hcommInvalidArgument, "shrinkFlags is 2;HCOMM_SHRINK_ABORT", hcommCommShrink(job, NULL, 0, &made, NULL, 2));
  FAILS(hcommInvalidArgument, "excludeRanksCount is -1", hcommCommShrink(job, far, -1, &made, NULL, 0));
  FAILS(hcommInvalidArgument, "excludeRanksCount is 99", hcommCommShrink(job, far, 99, &made, NULL, 0));
  if (size > 1) {
    FAILS(hcommInvalidArgument, "excludeRanksList is NULL;count", hcommCommShrink(job, NULL, 1, &made, NULL, 0));
    FAILS(hcommInvalidArgument, "excludeRanksList is 0x3", hcommCommShrink(job, (int *)3, 1, &made, NULL, 0));
    FAILS(hcommInvalidArgument, "excludeRanksList[0] is -1", hcommCommShrink(job, below, 1, &made, NULL, 0));
    FAILS(hcommInvalidArgument, "excludeRanksList[0] is", hcommCommShrink(job, far, 1, &made, NULL, 0));
    FAILS(hcommInvalidArgument, "which is this one", hcommCommShrink(job, self, 1, &made, NULL, 0));
  }
  if (size > 2) FAILS(hcommInvalidArgument, "twice", hcommCommShrink(job, twice, 2, &made, NULL, 0));
  CHECK(!made);
}

/* The last rank is killed; the others shrink and go on. */
static void death(void) {
  int out[] = {size - 1}, rest[MOST];
  hcommComm_t small;
  for (int q = 0; q < size; q++) rest[q] = q;
  if (rank == size - 1) raise(SIGKILL);
  FAILS(hcommRemoteError, "rank 2;died", hcommBarrier(job, NULL));
  FAILS(hcommRemoteError, "rank 2;died", hcommCommShrink(job, NULL, 0, &small, NULL, 0));
  OK(hcommCommShrink(job, out, 1, &small, NULL, HCOMM_SHRINK_ABORT));
  is(small, rest, size - 1);
  if (rank == 0) puts("the others went on");
  OK(hcommCommFinalize(small));
  OK(hcommCommDestroy(small));
  OK(hcommCommDestroy(job));
  exit(0);
}

struct usage {
  int descriptors, threads, mappings;
  long kib;
};

static struct usage usage(void) {
  struct usage u = {entries("/proc/self/fd"), entries("/proc/self/task"), 0, 0};
  char line[4096];
  FILE *f = fopen("/proc/self/maps", "r");
  CHECK(f);
  while (fgets(line, sizeof line, f)) u.mappings++;
  fclose(f);
  f = fopen("/proc/self/statm", "r");
  CHECK(f && fscanf(f, "%*s %ld", &u.kib) == 1);
  fclose(f);
  u.kib *= sysconf(_SC_PAGESIZE) / 1024;
  return u;
}

static void many(int comms, int rounds) {
  hcommComm_t *made = calloc((size_t)comms, sizeof *made);
  struct usage before = {0}, after;
  int everyone[MOST];
  CHECK(made);
  for (int q = 0; q < size; q++) everyone[q] = q;
  for (int round = 0; round < rounds; round++) {
    if (round == (rounds + 2) / 3) before = usage(); /* the heap has its size by then */
    for (int i = 0; i < comms; i++) OK(hcommCommSplit(job, 0, rank, &made[i], NULL));
    is(made[round % comms], everyone, size);
    for (int i = 0; i < comms; i++) OK(hcommCommDestroy(made[i]));
  }
  after = usage();
  printf("rank %d: descriptors %d to %d, threads %d to %d, mappings %d to %d, resident %ld to %ld KiB\n", rank,
         before.descriptors, after.descriptors, before.threads, after.threads, before.mappings, after.mappings, before.kib,
         after.kib);
  if (after.descriptors > before.descriptors || after.threads > before.threads + 8 ||
      after.mappings > before.mappings + 24 || after.kib > before.kib + (16 << 10))
    FAIL("they grow");
  free(made);
}

int main(int argc, char **argv) {
  OK(hcommCommInitEnv(&job));
  OK(hcommCommUserRank(job, &rank));
  OK(hcommCommCount(job, &size));
  check_rank = rank;
  if (argc > 1 && !strcmp(argv[1], "death")) death();
  if (argc > 3) {
    many(atoi(argv[2]), atoi(argv[3]));
  } else {
    random_splits();
    copies();
    if (size > 1) shrink();
    refused();
  }
  int everyone[MOST];
  for (int q = 0; q < size; q++) everyone[q] = q;
  is(job, everyone, size);
  OK(hcommCommDestroy(job));
  return 0;
}
