/* Memory from hcommMemAlloc is read by the other ranks where it lies. A rank whose call has failed may change it at once: so
 * no other rank may then report success with what it has read since. And an abort ends a long read soon.
 *
 * flags: -pthread
 * run: hcomm run -n 3 %p
 * run: %p threads 3
 * timeout: 120
 */
#include "ranks.h"

enum { LONG = 192 << 20, SHORT = 8 * 32768, ONE = 0x38, TWO = 0x40 /* of float8 e4m3 */ };

struct abortion {
  hcommComm_t comm;
  double after, at;
};

static void *abort_later(void *p) {
  struct abortion *a = p;
  pause_ms(slowly(a->after));
  a->at = now();
  OK(hcommCommAbort(a->comm));
  return NULL;
}

static size_t unlike(const uint8_t *b, size_t n, uint8_t right) {
  size_t wrong = 0;
  for (size_t i = 0; i < n; i++) wrong += b[i] != right;
  return wrong;
}

/* sends has rank 1 send to rank 0, while the given rank aborts. */
static void sends(struct rank *me, int aborter, uint8_t *lent, uint8_t *own) {
  rank_open(me);
  struct abortion a = {me->comm, 8, 0};
  pthread_t id;
  memset(lent, 1, LONG);
  memset(own, 0, LONG);
  rank_gate(me, aborter);
  if (me->number == aborter) CHECK(!pthread_create(&id, NULL, abort_later, &a));
  hcommResult_t r = hcommSuccess;
  if (me->number == 1) {
    r = hcommSend(lent, LONG, hcommInt8, 0, me->comm, NULL);
    if (r != hcommSuccess) memset(lent, 2, LONG);
  } else if (me->number == 0) {
    r = hcommRecv(own, LONG, hcommInt8, 1, me->comm, NULL);
    if (r == hcommSuccess) CHECK(unlike(own, LONG, 1) == 0);
  }
  double end = now();
  if (me->number == aborter) pthread_join(id, NULL);
  if (me->number == aborter && r != hcommSuccess && end - a.at > slowly(500)) FAIL("the call ended %.0f ms after the abort", end - a.at);
  if (me->number != aborter) hcommCommDestroy(me->comm);
}

/* reduces has all ranks' inputs read by rank 0, while rank 2 aborts. */
static void reduces(struct rank *me, double after, uint8_t *lent, uint8_t *own) {
  rank_open(me);
  struct abortion a = {me->comm, after, 0};
  pthread_t id;
  memset(lent, ONE, SHORT);
  OK(hcommReduce(lent, own, SHORT, hcommFloat8e4m3, hcommSum, 0, me->comm, NULL));
  uint8_t right = own[0];
  rank_gate(me, 2);
  if (me->number == 2) CHECK(!pthread_create(&id, NULL, abort_later, &a));
  hcommResult_t r = hcommReduce(lent, own, SHORT, hcommFloat8e4m3, hcommSum, 0, me->comm, NULL);
  if (me->number == 0 && r == hcommSuccess) CHECK(unlike(own, SHORT, right) == 0);
  if (me->number != 0 && r != hcommSuccess) memset(lent, TWO, SHORT);
  if (me->number == 2) pthread_join(id, NULL);
  else hcommCommDestroy(me->comm);
}

static void body(struct rank *me) {
  uint8_t *lent, *own = malloc(LONG);
  OK(hcommMemAlloc((void **)&lent, LONG));
  CHECK(own);
  for (int aborter = 0; aborter < 3; aborter++) {
    TRYING("a long message, rank %d aborts", aborter);
    sends(me, aborter, lent, own);
  }
  uint64_t random = 1;
  for (int try = 0; try < 60; try++) {
    TRYING("reduce, try %d", try);
    reduces(me, 0.2 + (double)(next_random(&random) % 2500) * 1e-3, lent, own);
  }
  OK(hcommMemFree(lent));
  free(own);
}

int main(int argc, char **argv) {
  setenv("HCOMM_ALGO", "reduce:flat", 1);
  ranks_run(ranks_wanted(&argc, argv), body);
  return 0;
}
