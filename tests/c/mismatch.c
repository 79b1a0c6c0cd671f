/* Ranks that call different collectives, or the same with other arguments: all get hcommMismatch, in the same words, which
 * name two ranks and what each called, and soon; the communicator is poisoned.
 *
 * flags: -pthread
 * run: hcomm run -n 2 %p
 * run: hcomm run -n 3 %p
 * run: hcomm run -n 5 %p
 * run: %p threads 3
 * timeout: 120
 */
#include "call.h"
#include "ranks.h"

enum { FEW = 2, SEVERAL = 500, MANY = 20000, RANKS = 8, SOON = 10000 /* ms */ };

struct call {
  enum collective what;
  size_t count;
  hcommDataType_t type;
  hcommRedOp_t op;
  int root;
};

/* Buffers of all ranks' blocks. */
static const size_t room = (size_t)MANY * RANKS * 8;

struct buffers {
  char *send, *recv;
};

static hcommResult_t make(const struct call *c, hcommComm_t comm, const struct buffers *b) {
  return make_call(c->what, b->send, b->recv, c->count, c->type, c->op, c->root, comm);
}

static const char *name_of(hcommDataType_t code) {
  for (int i = 0; i < TYPES; i++)
    if (types[i].code == code) return types[i].name;
  FAIL("no type %d", (int)code);
}

static const char *name_of_op(hcommRedOp_t code) {
  for (int i = 0; i < OPS; i++)
    if (ops[i].code == code) return ops[i].name;
  FAIL("no operator %d", (int)code);
}

/* says whether the sentence tells of this call, or of the barrier that a rank came to when it had done its part. */
static int says(const char *sentence, const struct call *c) {
  char text[128];
  int n = snprintf(text, sizeof text, "called %s #1", collectives[c->what].title);
  if (c->what != BARRIER) n += snprintf(text + n, sizeof text - (size_t)n, " of %zu %s", c->count, name_of(c->type));
  if (collectives[c->what].reduces) n += snprintf(text + n, sizeof text - (size_t)n, " with %s", name_of_op(c->op));
  if (collectives[c->what].rooted)
    snprintf(text + n, sizeof text - (size_t)n, " %s root %d", c->what == REDUCE || c->what == GATHER ? "to" : "from", c->root);
  return strstr(sentence, text) || strstr(sentence, "called Barrier #2") || strstr(sentence, "called Barrier #3");
}

static void disagree(struct rank *me, const char *name, const struct call *one, const struct call *other,
                     const struct buffers *b, const struct rank *side) {
  char sentence[512];
  double begun = now();
  TRYING("%s: %s of %zu and %s of %zu", name, collectives[one->what].name, one->count, collectives[other->what].name,
         other->count);
  rank_open(me);
  hcommResult_t r = make(me->number == me->size - 1 ? other : one, me->comm, b);
  /* Who has got all that it needs may learn of it in the next call, or, from others that learn it there, after that. */
  for (int i = 0; i < 2 && r == hcommSuccess; i++) r = hcommBarrier(me->comm, NULL);
  FAILS(hcommMismatch, "ranks disagree: rank ;called ;(host ", r);
  memset(sentence, 0, sizeof sentence);
  snprintf(sentence, sizeof sentence, "%s", strchr(hcommGetLastError(NULL), ':'));
  if (!says(sentence, one) || !says(sentence, other)) FAIL("not both are named: %s", sentence);
  FAILS(hcommMismatch, sentence, hcommBarrier(me->comm, NULL));
  FAILS(hcommMismatch, sentence, make(one, me->comm, b));
  OK(hcommCommDestroy(me->comm));
  if (now() - begun > slowly(SOON)) FAIL("it took %.0f ms", now() - begun);
  if (!all_same(side, hash_bytes(sentence, sizeof sentence))) FAIL("ranks were told different things, this one: %s", sentence);
}

static void both_ways(struct rank *me, const char *name, struct call one, struct call other, const struct buffers *b,
                      const struct rank *side) {
  disagree(me, name, &one, &other, b, side);
  disagree(me, name, &other, &one, b, side);
}

/* Every collective with every other. */
static void collectives_differ(struct rank *me, const struct buffers *b, const struct rank *side) {
  static const size_t counts[][2] = {{FEW, FEW}, {MANY, MANY}, {FEW, MANY}};
  for (int c = 0; c < COLLECTIVES; c++)
    for (int d = c + 1; d < COLLECTIVES; d++)
      for (int i = 0; i < 3; i++)
        both_ways(me, "collective", (struct call){(enum collective)c, counts[i][0], hcommInt32, hcommSum, 0},
                  (struct call){(enum collective)d, counts[i][1], hcommInt32, hcommSum, 0}, b, side);
}

/* Every collective with itself, but for one argument. */
static void arguments_differ(struct rank *me, const struct buffers *b, const struct rank *side) {
  static const size_t counts[] = {FEW, SEVERAL, MANY};
  for (int c = 0; c < BARRIER; c++)
    for (int i = 0; i < 3; i++) {
      struct call one = {(enum collective)c, counts[i], hcommInt32, hcommSum, 0}, other = one;
      other.count--;
      both_ways(me, "count", one, other, b, side);
      other.count = counts[(i + 1) % 3];
      both_ways(me, "count", one, other, b, side);
      other.count = 0;
      if (!i) both_ways(me, "count", one, other, b, side);
      other = one, other.type = hcommFloat32;
      both_ways(me, "type of the same size", one, other, b, side);
      other = one, other.type = hcommInt64;
      both_ways(me, "type of another size", one, other, b, side);
      other = one, other.op = i ? hcommAvg : hcommMax;
      if (collectives[c].reduces) both_ways(me, "operator", one, other, b, side);
      other = one, other.root = 1;
      if (collectives[c].rooted) both_ways(me, "root", one, other, b, side);
    }
}

static void body(struct rank *me) {
  struct rank side = *me;
  struct buffers b = {calloc(room, 1), calloc(room, 1)};
  CHECK(b.send && b.recv);
  rank_open(&side);
  CHECK(side.size <= RANKS);
  collectives_differ(me, &b, &side);
  arguments_differ(me, &b, &side);
  rank_close(&side);
  free(b.send), free(b.recv);
}

int main(int argc, char **argv) {
  ranks_run(ranks_wanted(&argc, argv), body);
  return 0;
}
