/* The table: every collective with every type, operator and count, in place and not, from several roots, against an oracle
 * that knows one element at a time (inputs.h); tests/builders.sh forces each builder in turn.
 *
 *   collectives [NAME] [threads N]     NAME: this one only
 *
 * flags: -pthread
 * run: hcomm run -n 1 %p
 * run: hcomm run -n 2 %p
 * run: hcomm run -n 3 %p
 * run: hcomm run -n 4 %p
 * run: hcomm run -n 7 %p
 * run: hcomm run -n 8 %p
 * run: %p threads 1
 * run: %p threads 2
 * run: %p threads 3
 * run: %p threads 4
 * run: %p threads 7
 * run: %p threads 8
 * run: hcomm run -n 16 %p allreduce
 * run: env HCOMM_SLOT_BYTES=4096 HCOMM_SLOTS=1 hcomm run -n 3 %p
 * run: tests/builders.sh %p 3 4t 5
 * run: tests/tune.sh %p 3 4t
 * run: tests/yardstick.sh bench/yardstick.c 3
 * slow: tests/builders.sh %p 1 2 3 4 7 8 1t 2t 3t 4t 7t 8t
 * slow: tests/yardstick.sh
 * timeout: 180
 */
#include "inputs.h"
#include "ranks.h"

enum { MOST = 65537, GUARD = 64, GUARD_BYTE = 0xa5, SHIFTS = 64 };

static const size_t counts[] = {0, 1, 3, MOST};

static enum collective only = COLLECTIVES;

/* What a rank has: the inputs, and memory for its buffers, from hcommMemAlloc, from malloc, and from malloc and
 * registered. */
struct table {
  struct inputs inputs;
  char *memory[2][3];
  void *handles[2];
  uint64_t cases;
};

/* A buffer in the table's memory, at any place and with guards. */
static char *guarded(struct table *x, int which, size_t bytes, uint64_t place) {
  char *p = x->memory[which][place % 3] + GUARD + (place >> 8 & 1 ? (place >> 9) % SHIFTS : 0);
  memset(p - GUARD, GUARD_BYTE, bytes + 2 * GUARD);
  return p;
}

static void check_guards(const char *p, size_t bytes) {
  for (int i = 0; i < GUARD; i++)
    if ((unsigned char)p[-1 - i] != GUARD_BYTE || (unsigned char)p[bytes + (size_t)i] != GUARD_BYTE)
      FAIL("a byte %d outside the buffer was written", i + 1);
}

static void try_case(struct table *x, struct rank *me, enum collective c, size_t count, int root, int in_place) {
  const struct type *t = x->inputs.type;
  struct shape shape = shape_of(c, me->number, root, me->size);
  size_t block = count * t->size, sent = (size_t)shape.send * block, received = (size_t)shape.recv * block;
  uint64_t place = mix(x->cases++ * INPUT_RANKS + (uint64_t)me->number);
  char *send = NULL, *recv = NULL;
  TRYING("%s of %zu %s with %s, root %d%s", collectives[c].name, count, t->name, x->inputs.op->name, root,
         in_place ? ", in place" : "");
  if (!shape.send || !shape.recv) in_place = 0;
  if (in_place) {
    char *all = guarded(x, 0, sent > received ? sent : received, place);
    send = all + (sent < received ? (size_t)block_in_place(shape, me->number) * block : 0);
    recv = all + (received < sent ? (size_t)block_in_place(shape, me->number) * block : 0);
  } else {
    if (shape.send) send = guarded(x, 0, sent, place);
    if (shape.recv) recv = guarded(x, 1, received, place >> 32);
  }
  if (shape.send) fill(t, send, x->inputs.of[me->number], 0, (size_t)shape.send * count);
  OK(make_call(c, send, recv, count, t->code, x->inputs.op->code, root, me->comm));
  if (shape.recv) verify(&x->inputs, me->number, c, recv, count, root);
  for (int q = 0; q < shape.send; q++) /* nothing but the result may have changed */
    if (!in_place || (sent > received && q != me->number))
      compare(&x->inputs, send + (size_t)q * block, x->inputs.of[me->number], (size_t)q * count, count, 0, "the input");
  if (in_place) check_guards(sent > received ? send : recv, sent > received ? sent : received);
  if (!in_place && shape.send) check_guards(send, sent);
  if (!in_place && shape.recv) check_guards(recv, received);
  if (c == ALLREDUCE && count >= 3 && !all_same(me, hash_bytes(recv, received))) FAIL("ranks have different results");
}

/* Nobody leaves a barrier before the last one, who comes late, has entered it. */
static void barrier(struct rank *me, int late) {
  TRYING("barrier, rank %d is late", late);
  if (me->number == late) pause_ms(2);
  double times[2] = {now()};
  OK(hcommBarrier(me->comm, NULL));
  times[1] = -now();
  OK(hcommAllReduce(times, times, 2, hcommFloat64, hcommMax, me->comm, NULL));
  CHECK(times[0] <= -times[1]);
}

static void all_cases(struct table *x, struct rank *me, enum collective c) {
  int roots[3] = {0, me->size / 2, me->size - 1};
  if (only != COLLECTIVES && only != c) return;
  for (int r = 0; r < (collectives[c].rooted ? 3 : 1); r++) {
    if (r && roots[r] == roots[r - 1]) continue;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
      for (int in_place = 0; in_place < 2; in_place++) try_case(x, me, c, counts[i], roots[r], in_place);
  }
}

static void open_table(struct table *x, struct rank *me) {
  size_t room = (size_t)me->size * MOST * 8 + 2 * GUARD + SHIFTS;
  inputs_open(&x->inputs, me->size);
  for (int i = 0; i < 2; i++) {
    void *p = NULL;
    OK(hcommMemAlloc(&p, room));
    x->memory[i][0] = p;
    CHECK((x->memory[i][1] = malloc(room)) && (x->memory[i][2] = malloc(room)));
    OK(hcommCommRegister(me->comm, x->memory[i][2] + 1, room - SHIFTS, &x->handles[i]));
  }
}

static void close_table(struct table *x, struct rank *me) {
  inputs_close(&x->inputs);
  for (int i = 0; i < 2; i++) {
    OK(hcommMemFree(x->memory[i][0]));
    OK(hcommCommDeregister(me->comm, x->handles[i]));
    free(x->memory[i][1]), free(x->memory[i][2]);
  }
}

static void body(struct rank *me) {
  struct table *x = calloc(1, sizeof *x);
  CHECK(x);
  rank_open(me);
  open_table(x, me);
  for (int k = 0; k < TYPES; k++)
    for (int o = 0; o < ops_of(&types[k]); o++) {
      if (only != COLLECTIVES && !collectives[only].reduces && ops[o].code != hcommMax) continue;
      inputs_set(&x->inputs, &types[k], &ops[o], me->size, PERIOD, 0);
      inputs_make(&x->inputs);
      for (int c = 0; c < BARRIER; c++) /* what only moves data does so once for each type, with any bits */
        if (collectives[c].reduces || ops[o].code == hcommMax) all_cases(x, me, (enum collective)c);
    }
  if (only == COLLECTIVES || only == BARRIER)
    for (int i = 0; i < me->size + 3; i++) barrier(me, i % me->size);
  TRYING("destroy");
  close_table(x, me);
  free(x);
  rank_close(me);
}

int main(int argc, char **argv) {
  int threads = ranks_wanted(&argc, argv);
  if (argc > 1 && (only = collective_named(argv[1])) == COLLECTIVES) FAIL("there is no collective %s", argv[1]);
  ranks_run(threads, body);
  return 0;
}
