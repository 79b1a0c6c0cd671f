/* Memory from hcommMemAlloc, or that is registered, is read by the other ranks where it lies. A rank whose call has failed may
 * change it, or deregister it, at once: so no other rank may then report success with what it has read since. And an abort
 * ends a long read soon.
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

/* change changes memory that others may be reading, as soon as a call has failed. */
static void change(struct rank *me, uint8_t *lent, size_t n, uint8_t byte, void *handle) {
  if (handle) OK(hcommCommDeregister(me->comm, handle));
  memset(lent, byte, n);
}

/* sends has rank 1 send to rank 0, while the given rank aborts. lent is to be registered, or from hcommMemAlloc. */
static void sends(struct rank *me, int aborter, uint8_t *lent, int registered, uint8_t *own) {
  void *handle = NULL;
  rank_open(me);
  if (registered && me->number == 1) OK(hcommCommRegister(me->comm, lent, LONG, &handle));
  struct abortion a = {me->comm, 8, 0};
  pthread_t id;
  memset(lent, 1, LONG);
  memset(own, 0, LONG);
  rank_gate(me, aborter);
  if (me->number == aborter) CHECK(!pthread_create(&id, NULL, abort_later, &a));
  hcommResult_t r = hcommSuccess;
  if (me->number == 1) r = hcommSend(lent, LONG, hcommInt8, 0, me->comm, NULL);
  if (me->number == 0) r = hcommRecv(own, LONG, hcommInt8, 1, me->comm, NULL);
  double end = now();
  if (me->number == 1 && r != hcommSuccess) {
    change(me, lent, LONG, 2, handle), handle = NULL;
    CHECK(unlike(lent, LONG, 2) == 0);
  }
  if (me->number == 0 && r == hcommSuccess) CHECK(unlike(own, LONG, 1) == 0);
  if (me->number == aborter) pthread_join(id, NULL);
  if (me->number == aborter && r != hcommSuccess && end - a.at > slowly(500)) FAIL("the call ended %.0f ms after the abort", end - a.at);
  if (handle) OK(hcommCommDeregister(me->comm, handle)); /* the aborter's communicator is gone */
  if (me->number != aborter) hcommCommDestroy(me->comm);
}

/* reduces has all ranks' inputs read by rank 0, while rank 2 aborts. */
static void reduces(struct rank *me, double after, uint8_t *lent, int registered, uint8_t *own) {
  void *handle = NULL;
  rank_open(me);
  if (registered) OK(hcommCommRegister(me->comm, lent, SHORT, &handle));
  struct abortion a = {me->comm, after, 0};
  pthread_t id;
  memset(lent, ONE, SHORT);
  OK(hcommReduce(lent, own, SHORT, hcommFloat8e4m3, hcommSum, 0, me->comm, NULL));
  uint8_t right = own[0];
  rank_gate(me, 2);
  if (me->number == 2) CHECK(!pthread_create(&id, NULL, abort_later, &a));
  hcommResult_t r = hcommReduce(lent, own, SHORT, hcommFloat8e4m3, hcommSum, 0, me->comm, NULL);
  if (me->number == 0 && r == hcommSuccess) CHECK(unlike(own, SHORT, right) == 0);
  if (me->number != 0 && r != hcommSuccess) change(me, lent, SHORT, TWO, handle), handle = NULL;
  if (handle) OK(hcommCommDeregister(me->comm, handle));
  if (me->number == 2) pthread_join(id, NULL);
  else hcommCommDestroy(me->comm);
}

static void body(struct rank *me) {
  uint8_t *lent[2] = {NULL, malloc(LONG)}, *own = malloc(LONG);
  OK(hcommMemAlloc((void **)&lent[0], LONG));
  CHECK(lent[1] && own);
  for (int i = 0; i < 6; i++) {
    TRYING("a long message%s, rank %d aborts", i % 2 ? ", registered" : "", i / 2);
    sends(me, i / 2, lent[i % 2], i % 2, own);
  }
  uint64_t random = 1;
  for (int try = 0; try < 60; try++) {
    TRYING("reduce, try %d", try);
    reduces(me, 0.2 + (double)(next_random(&random) % 2500) * 1e-3, lent[try % 2], try % 2, own);
  }
  OK(hcommMemFree(lent[0]));
  free(lent[1]), free(own);
}

int main(int argc, char **argv) {
  setenv("HCOMM_ALGO", "reduce:flat", 1);
  ranks_run(ranks_wanted(&argc, argv), body);
  return 0;
}
