/* Groups: nothing is done before they end; sends and receives need no order; one thread makes, uses and splits all ranks;
 * the rules for errors; a thread that ends within one.
 *
 * flags: -pthread
 * run: hcomm run -n 1 %p
 * run: hcomm run -n 2 %p
 * run: hcomm run -n 4 %p
 * timeout: 60
 */
#include "check.h"

#include <pthread.h>

static hcommComm_t comm, own; /* of the job; of this process alone */
static int rank, size;
enum { LONG = 100000 };
static int32_t x[LONG], y[LONG];

static void works(void) {
  for (int n = 1; n <= LONG; n *= 10) {
    for (int i = 0; i < n; i++) x[i] = i + rank;
    OK(hcommAllReduce(x, y, (size_t)n, hcommInt32, hcommSum, comm, NULL));
    for (int i = 0; i < n; i++) CHECK(y[i] == i * size + size * (size - 1) / 2);
  }
}

static void nothing_before_its_end(void) {
  TRYING("a group that has not ended");
  for (int depth = 1; depth <= 3; depth++) {
    int32_t a = 1, b = -1, c = -1;
    for (int i = 0; i < depth; i++) OK(hcommGroupStart());
    OK(hcommAllReduce(&a, &b, 1, hcommInt32, hcommSum, comm, NULL));
    OK(hcommSend(&a, 1, hcommInt32, (rank + 1) % size, comm, NULL));
    OK(hcommRecv(&c, 1, hcommInt32, (rank + size - 1) % size, comm, NULL));
    for (int i = 1; i < depth; i++) OK(hcommGroupEnd());
    CHECK(b == -1 && c == -1);
    a = rank + 10;
    OK(hcommGroupEnd());
    CHECK(b == 10 * size + size * (size - 1) / 2 && c == 10 + (rank + size - 1) % size);
  }
  OK(hcommGroupStart());
  OK(hcommGroupEnd());
}

/* Every rank sends to every rank before it receives, in one stream or none: long messages wait for their receives. */
static void exchange(hcommStream_t stream) {
  static int32_t from[8][LONG / 10];
  const size_t n = LONG / 10;
  TRYING("an exchange, %s", stream ? "in a stream" : "blocking");
  for (size_t i = 0; i < n; i++) x[i] = (int32_t)i * 3 + rank;
  OK(hcommGroupStart());
  for (int q = 0; q < size; q++) OK(hcommSend(x, n, hcommInt32, q, comm, stream));
  for (int q = 0; q < size; q++) OK(hcommRecv(from[q], n, hcommInt32, q, comm, stream));
  OK(hcommGroupEnd());
  if (stream) {
    OK(hcommBarrier(comm, stream)); /* follows all of them */
    OK(hcommStreamSynchronize(stream));
  }
  for (int q = 0; q < size; q++)
    for (size_t i = 0; i < n; i++) CHECK(from[q][i] == (int32_t)i * 3 + q);
}

/* After the bad call in a group. */
static void ends_with(hcommResult_t code, const char *words, int32_t untouched) {
  FAILS(code, words, hcommGroupEnd());
  CHECK(untouched == -1);
  works();
}

static void mistakes(void) {
  int32_t a = 1, b = -1, list[1] = {rank};
  hcommComm_t made = comm;
  hcommUniqueId id;
  hcommStream_t stream;
  TRYING("mistakes");
  FAILS(hcommInvalidUsage, "hcommGroupEnd;no group;hcommGroupStart", hcommGroupEnd());
  OK(hcommGroupStart());
  OK(hcommGroupEnd());
  FAILS(hcommInvalidUsage, "no group", hcommGroupEnd());

  OK(hcommGroupStart());
  OK(hcommAllReduce(&a, &b, 1, hcommInt32, hcommSum, comm, NULL));
  FAILS(hcommInvalidArgument, "hcommAllReduce: op is 99", hcommAllReduce(&a, &b, 1, hcommInt32, (hcommRedOp_t)99, comm, NULL));
  FAILS(hcommInvalidArgument, "peer is -4", hcommSend(&a, 1, hcommInt32, -4, comm, NULL));
  OK(hcommBarrier(comm, NULL));
  ends_with(hcommInvalidArgument, "hcommGroupEnd: ;nothing was done;hcommAllReduce: op is 99", b);

  OK(hcommGroupStart()); /* the inner end says nothing of it */
  OK(hcommAllReduce(&a, &b, 1, hcommInt32, hcommSum, comm, NULL));
  OK(hcommGroupStart());
  FAILS(hcommInvalidArgument, "comm is NULL", hcommBarrier(NULL, NULL));
  OK(hcommGroupEnd());
  ends_with(hcommInvalidArgument, "nothing was done;hcommBarrier: comm is NULL", b);

  static const struct {
    const char *words;
    int which;
  } each[] = {{"stream is 0x7", 0}, {"datatype is 99", 1}, {"sendbuff is NULL", 2}, {"root is 77", 3}, {"peer is 77", 4},
              {"comm is NULL", 5}, {"nranks is 0", 6}, {"rank is 2", 7}, {"color is -2", 8}, {"newcomm is NULL", 9},
              {"excludeRanksCount is -1", 10}, {"shrinkFlags is 2", 11}, {"config->blocking is 2", 12}};
  for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
    hcommConfig_t config = HCOMM_CONFIG_INITIALIZER;
    hcommResult_t r = hcommSuccess;
    config.blocking = 2;
    TRYING("%s in a group", each[i].words);
    OK(hcommGetUniqueId(&id));
    OK(hcommGroupStart());
    OK(hcommAllReduce(&a, &b, 1, hcommInt32, hcommSum, comm, NULL));
    switch (each[i].which) {
    case 0: r = hcommBarrier(comm, (hcommStream_t)7); break;
    case 1: r = hcommAllGather(&a, &b, 1, (hcommDataType_t)99, comm, NULL); break;
    case 2: r = hcommAlltoAll(NULL, y, 1, hcommInt32, comm, NULL); break;
    case 3: r = hcommScatter(x, y, 1, hcommInt32, 77, comm, NULL); break;
    case 4: r = hcommRecv(&b, 1, hcommInt32, 77, comm, NULL); break;
    case 5: r = hcommCommFinalize(NULL); break;
    case 6: r = hcommCommInitRank(&made, 0, id, 0); break;
    case 7: r = hcommCommInitRankConfig(&made, 2, id, 2, NULL); break;
    case 8: r = hcommCommSplit(own, -2, 0, &made, NULL); break;
    case 9: r = hcommCommDup(own, NULL); break;
    case 10: r = hcommCommShrink(own, list, -1, &made, NULL, 0); break;
    case 11: r = hcommCommShrink(own, NULL, 0, &made, NULL, 2); break;
    case 12: r = hcommCommInitRankConfig(&made, 1, id, 0, &config); break;
    }
    FAILS(hcommInvalidArgument, each[i].words, r);
    ends_with(hcommInvalidArgument, each[i].words, b);
  }

  TRYING("a split behind other calls");
  OK(hcommGroupStart());
  OK(hcommAllReduce(&a, &b, 1, hcommInt32, hcommSum, comm, NULL));
  FAILS(hcommInvalidUsage, "hcommCommDup;calls on comm already", hcommCommDup(comm, &made));
  ends_with(hcommInvalidUsage, "nothing was done;hcommCommDup", b);

  TRYING("what is gone when the group ends");
  OK(hcommCommInitAll(&made, 1, NULL));
  OK(hcommGroupStart());
  OK(hcommAllReduce(&a, &b, 1, hcommInt32, hcommSum, comm, NULL));
  OK(hcommBarrier(made, NULL));
  OK(hcommCommDestroy(made));
  ends_with(hcommInvalidUsage, "hcommGroupEnd;destroyed or aborted", b);
  OK(hcommStreamCreate(&stream));
  OK(hcommGroupStart());
  OK(hcommAllReduce(&a, &b, 1, hcommInt32, hcommSum, comm, NULL));
  OK(hcommBarrier(own, stream));
  OK(hcommStreamDestroy(stream));
  ends_with(hcommInvalidUsage, "hcommGroupEnd;stream 0x;destroyed", b);
}

static void *in_no_group(void *result) {
  check_rank = rank;
  int32_t a = 5, b = 0;
  FAILS(hcommInvalidUsage, "no group", hcommGroupEnd());
  OK(hcommAllReduce(&a, &b, 1, hcommInt32, hcommSum, own, NULL));
  CHECK(b == 5);
  return result;
}

static void *ends_within(void *result) {
  check_rank = rank;
  OK(hcommGroupStart());
  for (int i = 0; i < 200; i++) OK(hcommAllReduce(x, y, LONG, hcommInt32, hcommSum, own, NULL));
  return result;
}

static void run_thread(void *(*body)(void *)) {
  pthread_t id;
  CHECK(!pthread_create(&id, NULL, body, NULL) && !pthread_join(id, NULL));
}

static long resident_kib(void) {
  long pages = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  CHECK(f && fscanf(f, "%*s %ld", &pages) == 1 && !fclose(f));
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* A group is its thread's; and goes with it. */
static void threads(void) {
  TRYING("threads");
  OK(hcommGroupStart());
  run_thread(in_no_group);
  OK(hcommGroupEnd());
  memset(y, 0, sizeof y);
  for (int i = 0; i < 200; i++) run_thread(ends_within);
  long before = resident_kib();
  for (int i = 0; i < 1000; i++) run_thread(ends_within); /* 200,000 calls */
  long grown = resident_kib() - before;
  if (grown > 24 << 10) FAIL("threads that end within a group leave memory behind: %ld KiB", grown);
  for (int i = 0; i < LONG; i++) CHECK(!y[i]);
}

/* One thread has all ranks of a communicator, from their making to their end. */
static void alone(int ranks) {
  hcommComm_t all[8], half[8], copy[8];
  hcommUniqueId id;
  int32_t in[8], out[8];
  TRYING("%d ranks of one thread", ranks);
  OK(hcommGetUniqueId(&id));
  OK(hcommGroupStart());
  for (int i = ranks; i-- > 0;) {
    OK(hcommCommInitRank(&all[i], ranks, id, i));
    CHECK(!all[i]);
  }
  OK(hcommGroupEnd());
  OK(hcommGroupStart());
  for (int i = 0; i < ranks; i++) {
    int n = -1;
    OK(hcommCommUserRank(all[i], &n));
    CHECK(n == i);
    in[i] = i + 1;
    OK(hcommCommSplit(all[i], i == 0 ? HCOMM_SPLIT_NOCOLOR : i % 2, -i, &half[i], NULL));
    OK(hcommCommDup(all[i], &copy[i])); /* after the split, on this communicator */
    OK(hcommAllReduce(&in[i], &out[i], 1, hcommInt32, hcommSum, all[i], NULL));
  }
  OK(hcommGroupEnd());
  OK(hcommGroupStart());
  for (int i = 0; i < ranks; i++) {
    int number = 0, count = 0;
    CHECK(out[i] == ranks * (ranks + 1) / 2 && !half[i] == !i);
    if (i) {
      OK(hcommCommUserRank(half[i], &number));
      OK(hcommCommCount(half[i], &count));
      CHECK(number == (ranks - 1 - i) / 2 && count == ranks / 2 + (i % 2 == 0 ? -1 + ranks % 2 : 0));
    }
    OK(hcommAllReduce(&in[i], &out[i], 1, hcommInt32, hcommMax, copy[i], NULL));
    OK(hcommCommFinalize(all[i]));
  }
  OK(hcommGroupEnd());
  for (int i = 0; i < ranks; i++) {
    CHECK(out[i] == ranks);
    FAILS(hcommInvalidUsage, "finalized", hcommBarrier(all[i], NULL));
    OK(hcommCommDestroy(all[i]));
    OK(hcommCommDestroy(copy[i]));
    if (i) OK(hcommCommDestroy(half[i]));
  }
}

/* A communicator that cannot be made: the group says so, the others are there, and the calls are not made. */
static void not_made(void) {
  hcommComm_t good = NULL, bad = comm;
  hcommUniqueId id, other;
  int32_t a = 1, b = -1;
  TRYING("a communicator that cannot be made");
  OK(hcommGetUniqueId(&id));
  OK(hcommGetUniqueId(&other));
  setenv("HCOMM_INIT_TIMEOUT", "0.2", 1);
  OK(hcommGroupStart());
  OK(hcommCommInitRank(&bad, 2, id, 0));
  OK(hcommCommInitRank(&good, 1, other, 0));
  OK(hcommAllReduce(&a, &b, 1, hcommInt32, hcommSum, own, NULL));
  FAILS(hcommTimeout, "hcommGroupEnd: hcommCommInitRank: ;rank 1", hcommGroupEnd());
  unsetenv("HCOMM_INIT_TIMEOUT");
  CHECK(!bad && good && b == -1);
  OK(hcommBarrier(good, NULL));
  OK(hcommCommDestroy(good));
}

int main(void) {
  hcommStream_t stream;
  OK(hcommCommInitEnv(&comm));
  OK(hcommCommInitAll(&own, 1, NULL));
  OK(hcommCommUserRank(comm, &rank));
  OK(hcommCommCount(comm, &size));
  check_rank = rank;
  OK(hcommStreamCreate(&stream));
  works();
  nothing_before_its_end();
  for (int i = 0; i < 20; i++) {
    exchange(NULL);
    exchange(stream);
  }
  mistakes();
  threads();
  for (int ranks = 1; ranks <= 6; ranks++) alone(ranks);
  not_made();
  works();
  OK(hcommStreamDestroy(stream));
  OK(hcommCommDestroy(own));
  OK(hcommCommDestroy(comm));
  return 0;
}
