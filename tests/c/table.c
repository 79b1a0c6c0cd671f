/* The table: every type, operator and count, in place and not, against an oracle that knows one element at a time. The
 * inputs are such that every sum and product is exact in its type, in whatever order it is made.
 *
 * flags: -pthread
 * run: hcomm run -n 1 %p
 * run: hcomm run -n 2 %p
 * run: hcomm run -n 3 %p
 * run: hcomm run -n 4 %p
 * run: hcomm run -n 5 %p
 * run: hcomm run -n 8 %p
 * run: hcomm run -n 16 %p
 * run: %p threads 1
 * run: %p threads 2
 * run: %p threads 3
 * run: %p threads 4
 * run: %p threads 5
 * run: %p threads 8
 * run: %p threads 16
 * timeout: 120
 */
#include "oracle.h"
#include "ranks.h"

enum { LARGE = 300000, GUARD = 64, GUARD_BYTE = 0xa5 };

/* A buffer with guards on both sides. */
static char *new_buffer(size_t bytes) {
  char *p = malloc(bytes + 2 * GUARD);
  CHECK(p);
  memset(p, GUARD_BYTE, bytes + 2 * GUARD);
  return p + GUARD;
}

static void free_buffer(char *p, size_t bytes) {
  for (size_t i = 0; i < GUARD; i++)
    if ((unsigned char)p[-1 - (int)i] != GUARD_BYTE || (unsigned char)p[bytes + i] != GUARD_BYTE)
      FAIL("a byte %zu outside the buffer was written", i + 1);
  free(p - GUARD);
}

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
  uint64_t h = mix(i * 64 + (uint64_t)rank);
  return t->kind == FLOATING ? float_input(t, op, rank, size, i, h) : integer_input(t, op, h);
}

/* An average of floats may be off by the rounding of each factor and each sum; magnitudes is the sum of the absolute
 * values of the operands. Nothing is rounded where the number of ranks is a power of two. */
static int average_fits(const struct type *t, uint64_t got, uint64_t sum, double magnitudes, int size) {
  double difference = decode(t, got) - decode(t, sum) / size, allowed = 0;
  if (size & (size - 1)) allowed = magnitudes / size * (size + 1) * power(-t->mantissa - 1);
  return difference <= allowed && -difference <= allowed;
}

static double magnitude(const struct type *t, uint64_t bits) {
  return t->kind == FLOATING ? decode(t, bits & ~sign_bit(t)) : 0;
}

static void verify_element(const struct type *t, hcommRedOp_t op, int size, size_t i, uint64_t got) {
  uint64_t want = input(t, op, 0, size, i);
  double magnitudes = magnitude(t, want);
  for (int r = 1; r < size; r++) {
    uint64_t next = input(t, op, r, size, i);
    want = combine(t, op, want, next);
    magnitudes += magnitude(t, next);
  }
  int fits;
  if (t->kind != FLOATING) {
    if (op == hcommAvg) want = divide(t, want, size);
    fits = got == want;
  } else if (op == hcommAvg) {
    fits = average_fits(t, got, want, magnitudes, size);
  } else {
    fits = is_nan(t, want) ? is_nan(t, got) : decode(t, got) == decode(t, want);
  }
  if (!fits) FAIL("element %zu is %#llx, not %#llx", i, (unsigned long long)got, (unsigned long long)want);
}

static void allreduce(struct rank *me, const struct type *t, const struct op *op, size_t count, int in_place, int verifier) {
  size_t bytes = count * t->size;
  char *recv = new_buffer(bytes), *send = in_place ? recv : new_buffer(bytes);
  TRYING("allreduce of %zu %s with %s%s", count, t->name, op->name, in_place ? ", in place" : "");
  for (size_t i = 0; i < count; i++) store(t, send, i, input(t, op->code, me->number, me->size, i));
  OK(hcommAllReduce(send, recv, count, t->code, op->code, me->comm, NULL));
  if (verifier < 0 || verifier == me->number)
    for (size_t i = 0; i < count; i++) verify_element(t, op->code, me->size, i, load(t, recv, i));
  if (verifier >= 0) CHECK(all_same(me, hash_bytes(recv, bytes)));
  if (!in_place) {
    for (size_t i = 0; i < count; i++) CHECK(load(t, send, i) == input(t, op->code, me->number, me->size, i));
    free_buffer(send, bytes);
  }
  free_buffer(recv, bytes);
}

static void broadcast(struct rank *me, const struct type *t, size_t count, int root, int in_place) {
  size_t bytes = count * t->size;
  char *recv = new_buffer(bytes), *send = NULL;
  TRYING("broadcast of %zu %s from %d%s", count, t->name, root, in_place ? ", in place" : "");
  if (me->number == root) {
    send = in_place ? recv : new_buffer(bytes);
    for (size_t i = 0; i < bytes; i++) send[i] = (char)mix(i + (size_t)root);
  }
  OK(hcommBroadcast(send, recv, count, t->code, root, me->comm, NULL));
  for (size_t i = 0; i < bytes; i++)
    if (recv[i] != (char)mix(i + (size_t)root)) FAIL("byte %zu is %d", i, recv[i]);
  if (send && !in_place) {
    for (size_t i = 0; i < bytes; i++) CHECK(send[i] == (char)mix(i + (size_t)root));
    free_buffer(send, bytes);
  }
  free_buffer(recv, bytes);
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

static void body(struct rank *me) {
  static const size_t counts[] = {0, 1, 3, 1000};
  rank_open(me);
  for (int k = 0; k < TYPES; k++) {
    for (int o = 0; o < ops_of(&types[k]); o++)
      for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int in_place = 0; in_place < 2; in_place++) allreduce(me, &types[k], &ops[o], counts[c], in_place, -1);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
      for (int root = 0; root < me->size; root++) broadcast(me, &types[k], counts[c], root, (root + k) % 2);
  }
  /* the large ones: one operator for each type, another with another number of ranks, and one rank to verify it */
  for (int k = 0; k < TYPES; k++) {
    int o = (k + me->size) % ops_of(&types[k]);
    allreduce(me, &types[k], &ops[o], LARGE, (k + o) % 2, k % me->size);
    broadcast(me, &types[k], LARGE, k % me->size, k % 2);
  }
  for (int i = 0; i < 2; i++) allreduce(me, &types[TYPES - 2], &ops[0], LARGE, i, i % me->size);
  for (int i = 0; i < me->size + 3; i++) barrier(me, i % me->size);
  TRYING("destroy");
  rank_close(me);
}

int main(int argc, char **argv) {
  ranks_run(ranks_wanted(&argc, argv), body);
  return 0;
}
