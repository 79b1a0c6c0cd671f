/* The table: every collective with every type, operator and count, in place and not, from several roots, against an oracle
 * that knows one element at a time. The inputs are such that every sum and product is exact in its type, in whatever order
 * it is made, so that the table holds for every builder; tests/builders.sh forces each in turn.
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
 * run: tests/yardstick.sh bench/yardstick.c 3
 * slow: tests/builders.sh %p 1 2 3 4 7 8 1t 2t 3t 4t 7t 8t
 * slow: tests/yardstick.sh
 * timeout: 180
 */
#include "call.h"
#include "ranks.h"

/* Inputs repeat after a prime number of elements, which no part of a block has: what is cheap to make and to compare is
 * still nowhere like its surroundings. */
enum { PERIOD = 4099, MOST = 65537, RANKS = 64, GUARD = 64, GUARD_BYTE = 0xa5, SHIFTS = 64 };

static const size_t counts[] = {0, 1, 3, MOST};

static enum collective only = COLLECTIVES;

/* What a rank has: the inputs of all for one type and operator, their reduction, and memory for its buffers, from
 * hcommMemAlloc, from malloc, and from malloc and registered. */
struct table {
  const struct type *type;
  const struct op *op;
  char *inputs[RANKS], *want;
  double magnitudes[PERIOD]; /* for averages: the sums of the absolute values */
  char *memory[2][3];
  void *handles[2];
  uint64_t cases;
};

static uint64_t integer_input(const struct type *t, hcommRedOp_t op, uint64_t h) {
  uint64_t dense = h | mix(h) | mix(h + 1) | mix(h + 2); /* 15 of 16 bits are set */
  switch (op) {
  case hcommProd: return narrow(t, h | (h >> 60 != 0)); /* mostly odd, or all products would be 0 */
  case hcommBitAnd: return narrow(t, dense);
  case hcommBitOr: return narrow(t, ~dense);
  case hcommLogicalAnd: return h >> 60 ? narrow(t, h) : 0;
  case hcommLogicalOr: case hcommLogicalXor: return h >> 60 ? 0 : narrow(t, h);
  default: return narrow(t, h);
  }
}

/* Small whole numbers for a sum, of which an 8-bit float can only have few; powers of two and some 3 for a product. */
static uint64_t float_input(const struct type *t, hcommRedOp_t op, int rank, int size, size_t i, uint64_t h) {
  int turn = (int)((i + (size_t)rank) % (size_t)size);
  switch (op) {
  case hcommSum:
  case hcommAvg:
    if (t->size == 1 && turn > 1) return 0;
    return encode(t, (double)(h % 7) - 3);
  case hcommProd:
    if (turn == 0) return encode(t, h & 1 ? -3 : 3);
    if (turn > 3) return encode(t, h & 1 ? -1 : 1);
    return encode(t, h & 1 ? 2 : 0.5);
  default: /* any number, infinity or NaN */
    return narrow(t, h);
  }
}

static uint64_t input(const struct type *t, hcommRedOp_t op, int rank, int size, size_t i) {
  uint64_t h = mix(i * RANKS + (uint64_t)rank);
  return t->kind == FLOATING ? float_input(t, op, rank, size, i, h) : integer_input(t, op, h);
}

static double magnitude(const struct type *t, uint64_t bits) {
  return t->kind == FLOATING ? decode(t, bits & ~sign_bit(t)) : 0;
}

/* choose makes the inputs for a type and an operator. */
static void choose(struct table *x, const struct type *t, const struct op *op, int size) {
  x->type = t, x->op = op;
  for (size_t i = 0; i < PERIOD; i++) {
    uint64_t want = 0;
    for (int r = 0; r < size; r++) {
      uint64_t bits = input(t, op->code, r, size, i);
      store(t, x->inputs[r], i, bits);
      want = r ? combine(t, op->code, want, bits) : bits;
      x->magnitudes[i] = magnitude(t, bits) + (r ? x->magnitudes[i] : 0);
    }
    if (op->code == hcommAvg) want = t->kind == FLOATING ? encode(t, decode(t, want) / size) : divide(t, want, size);
    store(t, x->want, i, want);
  }
}

/* An average of floats may be off by the rounding of each factor and each sum, but not where the number of ranks is a power
 * of two, and by that of the oracle's quotient. */
static int average_fits(const struct table *x, size_t i, uint64_t got, uint64_t want, int size) {
  double difference = decode(x->type, got) - decode(x->type, want), allowed = 0;
  if (size & (size - 1)) allowed = x->magnitudes[i] / size * (size + 2) * power(-x->type->mantissa - 1);
  return difference <= allowed && -difference <= allowed;
}

static int fits(const struct table *x, size_t i, uint64_t got, uint64_t want, int size) {
  const struct type *t = x->type;
  if (got == want) return 1;
  if (t->kind != FLOATING) return 0;
  if (is_nan(t, want) || is_nan(t, got)) return is_nan(t, want) && is_nan(t, got);
  if (x->op->code == hcommAvg) return average_fits(x, i, got, want, size);
  return decode(t, got) == decode(t, want); /* zeros of either sign */
}

/* fill puts count elements of a pattern, from its element start on, at p. */
static void fill(const struct type *t, char *p, const char *pattern, size_t start, size_t count) {
  for (size_t done = 0, n; done < count; done += n) {
    size_t at = (start + done) % PERIOD;
    n = count - done < PERIOD - at ? count - done : PERIOD - at;
    memcpy(p + done * t->size, pattern + at * t->size, n * t->size);
  }
}

/* compare fails if the count elements at p are not those of the pattern from start on; reduced ones need only fit. */
static void compare(const struct table *x, const char *p, const char *pattern, size_t start, size_t count, int reduced,
                    int size, const char *where) {
  const struct type *t = x->type;
  for (size_t done = 0, n; done < count; done += n) {
    size_t at = (start + done) % PERIOD;
    n = count - done < PERIOD - at ? count - done : PERIOD - at;
    if (!memcmp(p + done * t->size, pattern + at * t->size, n * t->size)) continue;
    for (size_t i = 0; i < n; i++) {
      uint64_t got = load(t, p, done + i), want = load(t, pattern, at + i);
      if (reduced ? !fits(x, at + i, got, want, size) : got != want)
        FAIL("element %zu of %s is %#llx, not %#llx", done + i, where, (unsigned long long)got, (unsigned long long)want);
    }
  }
}

static void verify(struct table *x, struct rank *me, enum collective c, const char *recv, size_t count, int root) {
  size_t own = (size_t)me->number * count, block = count * x->type->size;
  char where[32];
  switch (c) {
  case ALLREDUCE: case REDUCE: compare(x, recv, x->want, 0, count, 1, me->size, "the result"); break;
  case REDUCESCATTER: compare(x, recv, x->want, own, count, 1, me->size, "the result"); break;
  case BROADCAST: compare(x, recv, x->inputs[root], 0, count, 0, me->size, "the result"); break;
  case SCATTER: compare(x, recv, x->inputs[root], own, count, 0, me->size, "the result"); break;
  default:
    for (int q = 0; q < me->size; q++) {
      snprintf(where, sizeof where, "block %d of the result", q);
      compare(x, recv + (size_t)q * block, x->inputs[q], c == ALLTOALL ? own : 0, count, 0, me->size, where);
    }
  }
}

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
  const struct type *t = x->type;
  struct shape shape = shape_of(c, me->number, root, me->size);
  size_t block = count * t->size, sent = (size_t)shape.send * block, received = (size_t)shape.recv * block;
  uint64_t place = mix(x->cases++ * RANKS + (uint64_t)me->number);
  char *send = NULL, *recv = NULL;
  TRYING("%s of %zu %s with %s, root %d%s", collectives[c].name, count, t->name, x->op->name, root,
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
  if (shape.send) fill(t, send, x->inputs[me->number], 0, (size_t)shape.send * count);
  OK(make_call(c, send, recv, count, t->code, x->op->code, root, me->comm));
  if (shape.recv) verify(x, me, c, recv, count, root);
  for (int q = 0; q < shape.send; q++) /* nothing but the result may have changed */
    if (!in_place || (sent > received && q != me->number))
      compare(x, send + (size_t)q * block, x->inputs[me->number], (size_t)q * count, count, 0, me->size, "the input");
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
  CHECK(me->size <= RANKS);
  for (int r = 0; r < me->size; r++) CHECK(x->inputs[r] = malloc(PERIOD * 8));
  CHECK(x->want = malloc(PERIOD * 8));
  for (int i = 0; i < 2; i++) {
    void *p = NULL;
    OK(hcommMemAlloc(&p, room));
    x->memory[i][0] = p;
    CHECK((x->memory[i][1] = malloc(room)) && (x->memory[i][2] = malloc(room)));
    OK(hcommCommRegister(me->comm, x->memory[i][2] + 1, room - SHIFTS, &x->handles[i]));
  }
}

static void close_table(struct table *x, struct rank *me) {
  for (int r = 0; r < me->size; r++) free(x->inputs[r]);
  free(x->want);
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
      choose(x, &types[k], &ops[o], me->size);
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
