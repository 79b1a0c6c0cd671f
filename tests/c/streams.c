/* Streams: calls return at once and are done in order; one stream waits for another; where errors arrive; what ends with
 * calls in a stream.
 *
 * flags: -pthread
 * run: hcomm run -n 2 %p
 * run: hcomm run -n 3 %p
 * run: hcomm run -n 5 %p
 * timeout: 60
 */
#include "check.h"

#include <pthread.h>

enum { LONG = 300000, SHORT = 4, CALLS = 10 };

static hcommComm_t comm, other; /* of the same ranks */
static hcommStream_t s, t;
static int rank, size, right, left; /* in the ring */
static int32_t x[LONG], y[LONG], z[LONG], many[CALLS][LONG / CALLS];

static void works(hcommComm_t c, hcommStream_t stream) {
  int32_t a = rank, b = -1;
  OK(hcommAllReduce(&a, &b, 1, hcommInt32, hcommSum, c, stream));
  if (stream) OK(hcommStreamSynchronize(stream));
  CHECK(b == size * (size - 1) / 2);
}

static void meet(void) { OK(hcommBarrier(other, NULL)); }

static void returns_at_once(void) {
  for (int n = SHORT; n <= LONG; n += LONG - SHORT) {
    TRYING("%d elements", n);
    for (int i = 0; i < n; i++) x[i] = i + rank, y[i] = -1;
    OK(hcommStreamQuery(s));
    if (rank == 0) {
      meet(); /* the others are in meet() only when their calls have returned */
      CHECK(y[0] == -1);
    }
    OK(hcommAllReduce(x, y, (size_t)n, hcommInt32, hcommSum, comm, s));
    OK(hcommSend(x, (size_t)n, hcommInt32, right, comm, s));
    OK(hcommRecv(z, (size_t)n, hcommInt32, left, comm, t));
    if (rank) {
      CHECK(hcommStreamQuery(s) == hcommInProgress && hcommStreamQuery(t) == hcommInProgress);
      meet();
    }
    OK(hcommStreamSynchronize(s));
    OK(hcommStreamSynchronize(t));
    OK(hcommStreamQuery(s));
    for (int i = 0; i < n; i++) CHECK(y[i] == i * size + size * (size - 1) / 2 && z[i] == i + left);
  }
}

/* Nobody calls the library while the calls are done, but to ask. */
static void ends_without_a_wait(void) {
  TRYING("a stream that is asked");
  OK(hcommAllReduce(x, y, LONG, hcommInt32, hcommMax, comm, s));
  double since = now();
  while (hcommStreamQuery(s) == hcommInProgress)
    if (now() - since > slowly(20000)) FAIL("it does not end");
  OK(hcommStreamQuery(s));
  TRYING("a stream that is left alone");
  memset(y, 0, sizeof y);
  for (int i = 0; i < LONG; i++) x[i] = 1;
  OK(hcommAllReduce(x, y, LONG, hcommInt32, hcommSum, comm, s));
  since = now();
  while (__atomic_load_n(&y[LONG - 1], __ATOMIC_ACQUIRE) != size)
    if (now() - since > slowly(20000)) FAIL("it does not end");
  OK(hcommStreamSynchronize(s));
}

static void order(void) {
  TRYING("the order of calls in streams and out of them");
  for (int i = 0; i < SHORT; i++) x[i] = 1;
  OK(hcommAllReduce(x, x, SHORT, hcommInt32, hcommSum, comm, s));
  OK(hcommAllReduce(x, x, SHORT, hcommInt32, hcommSum, comm, t));
  OK(hcommAllReduce(x, x, SHORT, hcommInt32, hcommSum, comm, NULL));
  CHECK(x[0] == size * size * size);
  OK(hcommAllReduce(x, x, SHORT, hcommInt32, hcommMin, comm, s));
  OK(hcommAllReduce(x, x, SHORT, hcommInt32, hcommSum, other, s)); /* follows, though on another communicator */
  OK(hcommStreamSynchronize(s));
  CHECK(x[0] == size * size * size * size);
}

/* Each rank passes on what it receives; rank 0 begins when all have put their calls in. */
static void dependency(void) {
  for (int round = 0; round < 20; round++) {
    size_t n = round % 2 ? LONG : SHORT;
    TRYING("a stream that waits for another, %zu elements", n);
    for (size_t i = 0; i < n; i++) x[i] = (int32_t)i + round, y[i] = -1;
    if (rank) {
      OK(hcommRecv(y, n, hcommInt32, left, comm, s));
      OK(hcommStreamWait(t, s));
      OK(hcommSend(y, n, hcommInt32, right, comm, t));
      meet();
    } else {
      meet();
      OK(hcommSend(x, n, hcommInt32, right, comm, NULL));
      OK(hcommRecv(y, n, hcommInt32, left, comm, NULL));
    }
    OK(hcommStreamSynchronize(t));
    for (size_t i = 0; i < n; i++) CHECK(y[i] == (int32_t)i + round);
    OK(hcommStreamSynchronize(s));
  }
  OK(hcommStreamWait(s, s));
  works(comm, s);
}

static hcommComm_t another(void) {
  hcommComm_t c;
  OK(hcommCommInitEnv(&c));
  return c;
}

/* Ranks disagree on a call on c, which nobody begins before all have made it. behind is made with it, in a group. */
static void disagree(hcommComm_t c, hcommStream_t stream, int32_t *behind) {
  OK(hcommRecv(z, 1, hcommInt32, left, comm, stream));
  OK(hcommGroupStart());
  OK(hcommAllReduce(x, y, SHORT, hcommInt32, rank ? hcommSum : hcommMax, c, stream));
  if (behind) OK(hcommAllReduce(behind, behind, 1, hcommInt32, hcommSum, other, stream));
  OK(hcommGroupEnd());
  OK(hcommBarrier(comm, NULL));
  OK(hcommSend(x, 1, hcommInt32, right, comm, NULL));
}

static void errors(void) {
  hcommComm_t bad = another(), worse = another();
  hcommStream_t u;
  hcommResult_t now_known, r;
  int32_t a = 3, b = -1;
  TRYING("an error in a stream");
  disagree(bad, s, NULL);
  while ((r = hcommStreamQuery(s)) == hcommInProgress) continue;
  FAILS(hcommMismatch, "hcommStreamQuery;AllReduce;rank 0", r);
  for (int i = 0; i < 2; i++) {
    FAILS(hcommMismatch, "hcommAllReduce;rank 0", hcommAllReduce(&a, &b, 1, hcommInt32, hcommSum, other, s));
    FAILS(hcommMismatch, "hcommSend;rank 0", hcommSend(&a, 1, hcommInt32, right, other, s));
    OK(hcommGroupStart());
    FAILS(hcommMismatch, "hcommBarrier;rank 0", hcommBarrier(other, s));
    FAILS(hcommMismatch, "nothing was done;hcommBarrier", hcommGroupEnd());
    FAILS(hcommMismatch, "hcommStreamQuery;rank 0", hcommStreamQuery(s));
    works(other, t); /* another stream */
    works(other, NULL);
  }
  CHECK(b == -1);
  FAILS(hcommMismatch, "hcommStreamSynchronize;rank 0", hcommStreamSynchronize(s));
  OK(hcommStreamSynchronize(s));
  OK(hcommStreamQuery(s));
  works(other, s);
  TRYING("calls on what is poisoned");
  FAILS(hcommMismatch, "hcommBarrier;rank 0", hcommBarrier(bad, NULL));
  FAILS(hcommMismatch, "hcommBarrier;rank 0", hcommBarrier(bad, s));
  OK(hcommStreamSynchronize(s)); /* its caller has been told */
  OK(hcommCommGetAsyncError(bad, &now_known));
  CHECK(now_known == hcommMismatch && strstr(hcommGetLastError(NULL), "hcommCommGetAsyncError"));
  OK(hcommCommGetAsyncError(other, &now_known));
  CHECK(now_known == hcommSuccess);

  TRYING("a stream that is destroyed with an error in it");
  OK(hcommStreamCreate(&u));
  disagree(worse, u, &a);
  FAILS(hcommMismatch, "hcommStreamDestroy;rank 0", hcommStreamDestroy(u));
  CHECK(a == 3 * size);
  FAILS(hcommInvalidArgument, "stream is 0x;destroyed", hcommStreamSynchronize(u));
  OK(hcommCommDestroy(bad));
  OK(hcommCommDestroy(worse));
}

static void ends(void) {
  hcommComm_t two[2], c = another();
  hcommStream_t u;
  TRYING("a stream that is destroyed with calls in it");
  OK(hcommStreamCreate(&u));
  for (int i = 0; i < CALLS; i++) {
    for (int j = 0; j < LONG / CALLS; j++) many[i][j] = i + j + rank;
    OK(hcommAllReduce(many[i], many[i], LONG / CALLS, hcommInt32, hcommMax, c, u));
  }
  OK(hcommStreamDestroy(u));
  for (int i = 0; i < CALLS; i++)
    for (int j = 0; j < LONG / CALLS; j++) CHECK(many[i][j] == i + j + size - 1);
  TRYING("a communicator that is destroyed with calls in streams");
  for (int i = 0; i < CALLS; i++)
    OK(hcommAllReduce(many[i], many[i], LONG / CALLS, hcommInt32, hcommSum, c, i % 2 ? s : t));
  OK(hcommCommDestroy(c));
  for (int i = 0; i < CALLS; i++)
    for (int j = 0; j < LONG / CALLS; j++) CHECK(many[i][j] == (i + j + size - 1) * size);
  OK(hcommStreamSynchronize(s));
  OK(hcommStreamSynchronize(t));
  TRYING("a communicator that is finalized with calls in streams");
  c = another();
  for (int i = 0; i < SHORT; i++) x[i] = 1;
  OK(hcommAllReduce(x, x, SHORT, hcommInt32, hcommSum, c, s));
  OK(hcommAllReduce(x, x, SHORT, hcommInt32, hcommSum, c, s));
  OK(hcommCommFinalize(c));
  CHECK(x[0] == size * size);
  FAILS(hcommInvalidUsage, "finalized", hcommBarrier(c, s));
  OK(hcommCommDestroy(c));
  TRYING("a communicator that is aborted with calls in streams");
  OK(hcommCommInitAll(two, 2, NULL));
  OK(hcommRecv(x, SHORT, hcommInt32, 1, two[0], s));
  OK(hcommBarrier(two[0], t));
  CHECK(hcommStreamQuery(s) == hcommInProgress && hcommStreamQuery(t) == hcommInProgress);
  OK(hcommCommAbort(two[0]));
  FAILS(hcommInvalidUsage, "aborted", hcommStreamSynchronize(s));
  FAILS(hcommInvalidUsage, "aborted", hcommStreamSynchronize(t));
  FAILS(hcommRemoteError, "aborted", hcommBarrier(two[1], NULL));
  OK(hcommCommDestroy(two[1]));
  works(comm, s);
}

#define REFUSED(words, call)                  \
  do {                                        \
    FAILS(hcommInvalidArgument, words, call); \
    works(comm, s);                           \
  } while (0)

static void refused(void) {
  hcommStream_t gone;
  char words[64];
  OK(hcommStreamCreate(&gone));
  OK(hcommStreamDestroy(gone));
  const hcommStream_t none[] = {NULL, (hcommStream_t)7, gone, (hcommStream_t)(void *)comm, (hcommStream_t)(void *)x,
                                (hcommStream_t)UINTPTR_MAX};
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    TRYING("stream %p", (void *)none[i]);
    if (none[i]) snprintf(words, sizeof words, "stream is %p", (void *)none[i]);
    else snprintf(words, sizeof words, "stream is NULL");
    REFUSED(words, hcommStreamDestroy(none[i]));
    REFUSED(words, hcommStreamSynchronize(none[i]));
    REFUSED(words, hcommStreamQuery(none[i]));
    REFUSED(words, hcommStreamWait(none[i], s));
    if (none[i]) REFUSED(words, hcommBarrier(comm, none[i]));
    if (none[i]) REFUSED(words, hcommSend(x, 1, hcommInt8, right, comm, none[i]));
    REFUSED(none[i] ? "other is 0x" : "other is NULL", hcommStreamWait(s, none[i]));
  }
  TRYING("arguments");
  REFUSED("hcommStreamCreate: stream is NULL", hcommStreamCreate(NULL));
  REFUSED("datatype is 99", hcommAllReduce(x, y, 1, (hcommDataType_t)99, hcommSum, comm, s));
  REFUSED("recvbuff is NULL", hcommRecv(NULL, 1, hcommInt8, left, comm, s));
  REFUSED("overlaps", hcommAllReduce(x, x + 1, 3, hcommInt32, hcommSum, comm, s));
}

/* Threads with a communicator each put calls into one stream. */
static void *puts_calls(void *unused) {
  hcommComm_t c;
  int32_t in[64], out[64];
  check_rank = rank;
  OK(hcommCommInitAll(&c, 1, NULL));
  for (int round = 0; round < 50; round++) {
    for (int i = 0; i < 64; i++) {
      in[i] = i * round;
      OK(hcommAllReduce(&in[i], &out[i], 1, hcommInt32, hcommSum, c, s));
    }
    OK(hcommStreamSynchronize(s));
    for (int i = 0; i < 64; i++) CHECK(out[i] == i * round);
  }
  OK(hcommCommDestroy(c));
  return unused;
}

static void threads(void) {
  pthread_t ids[4];
  TRYING("threads");
  for (int i = 0; i < 4; i++) CHECK(!pthread_create(&ids[i], NULL, puts_calls, NULL));
  for (int i = 0; i < 4; i++) pthread_join(ids[i], NULL);
}

int main(void) {
  OK(hcommCommInitEnv(&comm));
  OK(hcommCommInitEnv(&other));
  OK(hcommCommUserRank(comm, &rank));
  OK(hcommCommCount(comm, &size));
  check_rank = rank, right = (rank + 1) % size, left = (rank + size - 1) % size;
  OK(hcommStreamCreate(&s));
  OK(hcommStreamCreate(&t));
  CHECK(s != t);
  returns_at_once();
  ends_without_a_wait();
  order();
  dependency();
  errors();
  ends();
  refused();
  threads();
  works(comm, NULL);
  OK(hcommStreamDestroy(s));
  OK(hcommStreamDestroy(t));
  OK(hcommCommDestroy(comm));
  OK(hcommCommDestroy(other));
  return 0;
}
