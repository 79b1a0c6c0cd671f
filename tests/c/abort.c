/* hcommCommAbort from another thread of a rank that waits: the waiting call ends within 10 ms, and so do the others'
 * calls, which name the rank that aborted. Then aborts that come while calls end.
 *
 * A busy machine may run a thread late. So of ELEVEN tries the median must be below 10 ms, and each below 200 ms.
 *
 * flags: -pthread
 * run: hcomm run -n 3 %p
 * run: %p threads 3
 * run: %p races
 * timeout: 120
 */
#include "held.h"
#include "ranks.h"

enum { ELEVEN = 11, RACES = 2000, SMALL = 1, LARGE = 1 << 18 };
enum { BARRIER = 0, BROADCAST = -1, RECEIVE = -2, SEND = -3, MESSAGE = -4, LONG_MESSAGE = -5 }; /* instead of a count */

static const struct {
  const char *name;
  int floats;
} waits[] = {
    {"allreduce of 8 bytes", SMALL}, {"allreduce of 1 MiB", LARGE}, {"barrier", BARRIER}, {"broadcast", BROADCAST},
    {"receive", RECEIVE}, {"send of 1 MiB", SEND},
};

/* To the other of two ranks, and back. */
static hcommResult_t there_and_back(hcommComm_t comm, size_t count, float *x) {
  int rank;
  hcommResult_t r = hcommCommUserRank(comm, &rank);
  for (int turn = 0; turn < 2 && r == hcommSuccess; turn++)
    if (rank == turn) r = hcommSend(x, count, hcommFloat32, 1 - rank, comm, NULL);
    else r = hcommRecv(x, count, hcommFloat32, 1 - rank, comm, NULL);
  return r;
}

static hcommResult_t call(hcommComm_t comm, int floats, float *x) {
  if (floats == BARRIER) return hcommBarrier(comm, NULL);
  if (floats == BROADCAST) return hcommBroadcast(x, x, 1000, hcommFloat32, 2, comm, NULL);
  if (floats == RECEIVE) return hcommRecv(x, 1, hcommFloat32, 2, comm, NULL);
  if (floats == SEND) return hcommSend(x, LARGE, hcommFloat32, 2, comm, NULL);
  if (floats == MESSAGE || floats == LONG_MESSAGE) return there_and_back(comm, floats == MESSAGE ? 50 : 2000, x);
  if (floats == SMALL) return hcommAllReduce(x, x, 1, hcommFloat64, hcommSum, comm, NULL);
  return hcommAllReduce(x, x, (size_t)floats, hcommFloat32, hcommSum, comm, NULL);
}

/* Everything on an aborted handle is refused. */
static void refused(hcommComm_t comm) {
  float x[2] = {0};
  int n;
  FAILS(hcommInvalidArgument, "comm is 0x;aborted", call(comm, SMALL, x));
  FAILS(hcommInvalidArgument, "comm is 0x;aborted", call(comm, BARRIER, x));
  FAILS(hcommInvalidArgument, "comm is 0x;aborted", hcommCommCount(comm, &n));
  FAILS(hcommInvalidArgument, "comm is 0x;aborted", hcommCommDestroy(comm));
  FAILS(hcommInvalidArgument, "comm is 0x;aborted", hcommCommAbort(comm));
}

struct aborter {
  hcommComm_t comm;
  double after, at;
};

static void *abort_after(void *aborter) {
  struct aborter *a = aborter;
  check_rank = -2;
  pause_ms(a->after);
  a->at = now();
  OK(hcommCommAbort(a->comm));
  double took = now() - a->at;
  if (took > slowly(200)) FAIL("hcommCommAbort took %.1f ms", took);
  refused(a->comm);
  return NULL;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Rank 0 is aborted while it waits with rank 1 for rank 2. A second communicator brings rank 1 the time of that. */
static void ends(struct rank *me, const char *name, int floats, float *x) {
  double took[ELEVEN];
  int late = 0;
  for (int try = 0; try < ELEVEN; try++) {
    struct rank other = *me;
    struct aborter a = {.after = slowly(25) + try};
    pthread_t id;
    TRYING("%s, try %d", name, try);
    rank_open(me);
    rank_open(&other);
    rank_gate(me, 0);
    double end = 0;
    if (me->number == 0) {
      a.comm = me->comm;
      CHECK(!pthread_create(&id, NULL, abort_after, &a));
      hcommResult_t r = call(me->comm, floats, x);
      int is_late = r == hcommInvalidArgument; /* it did not wait yet */
      late += is_late;
      FAILS(is_late ? hcommInvalidArgument : hcommInvalidUsage, "aborted", r);
      end = now();
      pthread_join(id, NULL);
      refused(me->comm);
    } else {
      if (me->number == 2) OK(hcommBroadcast(&a.at, &a.at, 1, hcommFloat64, 0, other.comm, NULL)); /* after the abort */
      FAILS(hcommRemoteError, "rank 0 (host ;aborted", call(me->comm, floats, x));
      end = now();
      FAILS(hcommRemoteError, "rank 0 (host ;aborted", call(me->comm, SMALL, x));
      int n;
      OK(hcommCommCount(me->comm, &n));
      OK(hcommCommDestroy(me->comm));
    }
    if (me->number != 2) OK(hcommBroadcast(&a.at, &a.at, 1, hcommFloat64, 0, other.comm, NULL));
    took[try] = end - a.at;
    rank_close(&other);
  }
  qsort(took, ELEVEN, sizeof *took, ascending);
  if (me->number == 2) return;
  printf("%s, rank %d: %.2f ms in the middle, %.2f ms at most\n", name, me->number, took[ELEVEN / 2], took[ELEVEN - 1]);
  if (took[ELEVEN / 2] > slowly(10) || took[ELEVEN - 1] > slowly(200)) FAIL("too late");
  if (late > ELEVEN / 2) FAIL("%d of %d calls did not wait", late, ELEVEN);
}

static void body(struct rank *me) {
  float *x = calloc(LARGE, sizeof *x);
  CHECK(x);
  for (size_t w = 0; w < sizeof waits / sizeof *waits; w++) ends(me, waits[w].name, waits[w].floats, x);
  free(x);
}

/* Two threads are in one call after the other while a third aborts. */
struct caller {
  hcommComm_t comm;
  int floats;
  hcommResult_t result;
  char text[512];
};

static void *call_on(void *caller) {
  struct caller *c = caller;
  static __thread float x[2000];
  while ((c->result = call(c->comm, c->floats, x)) == hcommSuccess) continue;
  snprintf(c->text, sizeof c->text, "%s", hcommGetLastError(NULL));
  return NULL;
}

static void *abort_too(void *comm) {
  return (void *)(intptr_t)hcommCommAbort(comm);
}

static void race(int number) {
  static const int floats[] = {SMALL, 500, BARRIER, 2000, MESSAGE, LONG_MESSAGE};
  hcommComm_t comms[2];
  struct caller callers[2];
  pthread_t ids[2];
  TRYING("race %d", number);
  OK(hcommCommInitAll(comms, 2, NULL));
  for (int i = 0; i < 2; i++) {
    callers[i] = (struct caller){.comm = comms[i], .floats = floats[number % 6]};
    CHECK(!pthread_create(&ids[i], NULL, call_on, &callers[i]));
  }
  uint64_t random = (uint64_t)number;
  pause_ms((double)(next_random(&random) % 200) * 1e-3);
  void *other = NULL;
  pthread_t another;
  int two = number % 3 == 0; /* threads abort at once: one of them does it */
  if (two) CHECK(!pthread_create(&another, NULL, abort_too, comms[0]));
  int own = hcommCommAbort(comms[0]);
  if (two) pthread_join(another, &other);
  if (two && own != hcommSuccess) CHECK(own == hcommInvalidArgument && (intptr_t)other == hcommSuccess);
  else CHECK(own == hcommSuccess && (!two || (intptr_t)other == hcommInvalidArgument));
  FAILS(hcommInvalidArgument, "aborted", hcommCommAbort(comms[0]));
  for (int i = 0; i < 2; i++) pthread_join(ids[i], NULL);
  hcommResult_t r = callers[0].result;
  if (r != hcommInvalidUsage && r != hcommInvalidArgument) FAIL("rank 0: %d, %s", (int)r, callers[0].text);
  if (callers[1].result != hcommRemoteError || !strstr(callers[1].text, "rank 0 (host "))
    FAIL("rank 1: %d, %s", (int)callers[1].result, callers[1].text);
  OK(hcommCommDestroy(comms[1]));
}

/* One thread destroys what another aborts: one of them does it. The last handle of the communicator is freed. */
static void race_with_destroy(int number) {
  hcommComm_t comms[2];
  pthread_t id;
  void *other;
  TRYING("race with hcommCommDestroy %d", number);
  OK(hcommCommInitAll(comms, 2, NULL));
  OK(hcommCommDestroy(comms[1]));
  CHECK(!pthread_create(&id, NULL, abort_too, comms[0]));
  uint64_t random = (uint64_t)number;
  pause_ms((double)(next_random(&random) % 60) * 1e-3);
  int own = hcommCommDestroy(comms[0]);
  pthread_join(id, &other);
  int aborted = (int)(intptr_t)other;
  if (own != hcommSuccess && own != hcommInvalidUsage && own != hcommInvalidArgument) FAIL("hcommCommDestroy: %d", own);
  if (aborted != hcommSuccess && aborted != hcommInvalidArgument) FAIL("hcommCommAbort: %d", aborted);
  CHECK(own == hcommSuccess || aborted == hcommSuccess);
  FAILS(hcommInvalidArgument, "comm is 0x", hcommCommAbort(comms[0]));
}

int main(int argc, char **argv) {
  int threads = ranks_wanted(&argc, argv);
  if (argc > 1) {
    int before = 0;
    for (int i = 0; i < RACES; i++) {
      if (i == 20) before = descriptors();
      race(i);
      race_with_destroy(i);
    }
    if (descriptors() > before) FAIL("%d descriptors, and %d before", descriptors(), before);
    if (segments() > 0) FAIL("%d segments are still there after all communicators were aborted or destroyed", segments());
    return 0;
  }
  ranks_run(threads, body);
  return 0;
}
