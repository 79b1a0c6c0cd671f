/* Ranks that call different collectives, or the same with other arguments: all get hcommMismatch, in the same words, which
 * name two ranks and what each called; the communicator is poisoned.
 *
 * flags: -pthread
 * run: hcomm run -n 2 %p
 * run: hcomm run -n 3 %p
 * run: hcomm run -n 5 %p
 * run: %p threads 3
 * timeout: 60
 */
#include "ranks.h"

enum { MOST = 100000 };

struct call {
  char kind; /* a: allreduce, b: broadcast, B: barrier */
  size_t count;
  hcommDataType_t type;
  int how; /* operator or root */
};

struct pair {
  const char *name;
  struct call one, other;
};

static const struct pair pairs[] = {
    {"operator", {'a', 2, hcommInt32, hcommSum}, {'a', 2, hcommInt32, hcommMax}},
    {"operator, many", {'a', 20000, hcommInt32, hcommSum}, {'a', 20000, hcommInt32, hcommAvg}},
    {"type", {'a', 2, hcommInt32, hcommSum}, {'a', 2, hcommFloat32, hcommSum}},
    {"type of the same size, many", {'a', 20000, hcommUint32, hcommSum}, {'a', 20000, hcommFloat32, hcommSum}},
    {"type of another size", {'a', 2, hcommInt32, hcommSum}, {'a', 2, hcommInt64, hcommSum}},
    {"count", {'a', 2, hcommInt32, hcommSum}, {'a', 3, hcommInt32, hcommSum}},
    {"count, many", {'a', MOST / 4, hcommInt32, hcommSum}, {'a', MOST / 4 - 1, hcommInt32, hcommSum}},
    {"few and many", {'a', 2, hcommInt32, hcommSum}, {'a', MOST / 4, hcommInt32, hcommSum}},
    {"few and several", {'a', 2, hcommInt32, hcommSum}, {'a', 500, hcommInt32, hcommSum}},
    {"several and many", {'a', 500, hcommInt32, hcommSum}, {'a', MOST / 4, hcommInt32, hcommSum}},
    {"some and none", {'a', 5, hcommInt32, hcommSum}, {'a', 0, hcommInt32, hcommSum}},
    {"count of a broadcast", {'b', 100, hcommInt8, 0}, {'b', 101, hcommInt8, 0}},
    {"allreduce and barrier", {'a', 2, hcommInt32, hcommSum}, {'B', 0, 0, 0}},
    {"allreduce of many and barrier", {'a', MOST / 4, hcommInt32, hcommSum}, {'B', 0, 0, 0}},
    {"allreduce and broadcast", {'a', 2, hcommInt32, hcommSum}, {'b', 2, hcommInt32, 0}},
    /* those below may wait for each other without a message that would tell */
    {"broadcast and barrier", {'b', 2, hcommInt32, 0}, {'B', 0, 0, 0}},
    {"barrier and broadcast of many", {'B', 0, 0, 0}, {'b', MOST, hcommInt8, 0}},
    {"root", {'b', 100, hcommInt8, 0}, {'b', 100, hcommInt8, 1}},
    {"root, many", {'b', MOST, hcommInt8, 1}, {'b', MOST, hcommInt8, 0}},
};

static hcommResult_t make(const struct call *c, hcommComm_t comm, char *x) {
  switch (c->kind) {
  case 'a': return hcommAllReduce(x, x, c->count, c->type, (hcommRedOp_t)c->how, comm, NULL);
  case 'b': return hcommBroadcast(x, x, c->count, c->type, c->how, comm, NULL);
  default: return hcommBarrier(comm, NULL);
  }
}

static void disagree(struct rank *me, const struct pair *pair, int swapped, char *x, struct rank *side) {
  const struct call *one = swapped ? &pair->other : &pair->one, *other = swapped ? &pair->one : &pair->other;
  char sentence[512];
  TRYING("%s%s", pair->name, swapped ? ", the other way round" : "");
  rank_open(me);
  hcommResult_t r = make(me->number == me->size - 1 ? other : one, me->comm, x);
  /* Who only had to send may learn of it in the next call. */
  if (r == hcommSuccess) r = hcommBarrier(me->comm, NULL);
  FAILS(hcommMismatch, "ranks disagree: rank ;called ;(host ", r);
  memset(sentence, 0, sizeof sentence);
  snprintf(sentence, sizeof sentence, "%s", strchr(hcommGetLastError(NULL), ':'));
  FAILS(hcommMismatch, sentence, hcommBarrier(me->comm, NULL));
  OK(hcommCommDestroy(me->comm));
  if (!all_same(side, hash_bytes(sentence, sizeof sentence))) FAIL("ranks were told different things, this one: %s", sentence);
}

static void body(struct rank *me) {
  struct rank side = *me;
  char *x = calloc(MOST, 8);
  CHECK(x);
  rank_open(&side);
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    for (int swapped = 0; swapped < 2; swapped++) disagree(me, &pairs[i], swapped, x, &side);
  rank_close(&side);
  free(x);
}

int main(int argc, char **argv) {
  ranks_run(ranks_wanted(&argc, argv), body);
  return 0;
}
