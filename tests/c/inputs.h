/* inputs.h: what ranks put into a collective, and what must come out. The inputs are such that every sum and product is exact
 * in its type, in whatever order it is made, so that the same result is right for every builder. They repeat after a prime
 * number of elements, which no part of a block has: what is cheap to make and to compare is still nowhere like its
 * surroundings. */
#ifndef INPUTS_H
#define INPUTS_H

#include "call.h"

enum { PERIOD = 4099, INPUT_RANKS = 64 };

/* The inputs of all ranks for one type and operator, and their reduction: the first elements of each, as many as are used. */
struct inputs {
  const struct type *type;
  const struct op *op;
  int size;
  size_t used;
  uint64_t salt; /* another one makes other inputs */
  char *of[INPUT_RANKS], *want;
  double magnitudes[PERIOD]; /* for averages: the sums of the absolute values */
};

static inline void inputs_open(struct inputs *x, int size) {
  CHECK(size <= INPUT_RANKS);
  memset(x->of, 0, sizeof x->of);
  for (int r = 0; r < size; r++) CHECK(x->of[r] = malloc(PERIOD * 8));
  CHECK(x->want = malloc(PERIOD * 8));
}

static inline void inputs_close(struct inputs *x) {
  for (int r = 0; r < INPUT_RANKS; r++) free(x->of[r]);
  free(x->want);
}

static inline uint64_t integer_input(const struct type *t, hcommRedOp_t op, uint64_t h) {
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
static inline uint64_t float_input(const struct type *t, hcommRedOp_t op, int rank, int size, size_t i, uint64_t h) {
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

static inline uint64_t input(const struct type *t, hcommRedOp_t op, int rank, int size, size_t i, uint64_t salt) {
  uint64_t h = mix((i * INPUT_RANKS + (uint64_t)rank) ^ salt);
  return t->kind == FLOATING ? float_input(t, op, rank, size, i, h) : integer_input(t, op, h);
}

static inline double magnitude(const struct type *t, uint64_t bits) {
  return t->kind == FLOATING ? decode(t, bits & ~sign_bit(t)) : 0;
}

/* inputs_set says what is to be put in; at most n elements of each rank's are needed. */
static inline void inputs_set(struct inputs *x, const struct type *t, const struct op *op, int size, size_t n, uint64_t salt) {
  x->type = t, x->op = op, x->size = size, x->used = n < PERIOD ? n : PERIOD, x->salt = salt;
}

/* inputs_make_one makes the inputs of one rank. */
static inline void inputs_make_one(struct inputs *x, int rank) {
  for (size_t i = 0; i < x->used; i++)
    store(x->type, x->of[rank], i, input(x->type, x->op->code, rank, x->size, i, x->salt));
}

/* inputs_make makes those of all ranks. */
static inline void inputs_make(struct inputs *x) {
  const struct type *t = x->type;
  hcommRedOp_t op = x->op->code;
  for (int r = 0; r < x->size; r++) inputs_make_one(x, r);
  for (size_t i = 0; i < x->used; i++) {
    uint64_t want = load(t, x->of[0], i);
    x->magnitudes[i] = magnitude(t, want);
    for (int r = 1; r < x->size; r++) {
      uint64_t bits = load(t, x->of[r], i);
      want = combine(t, op, want, bits);
      x->magnitudes[i] += magnitude(t, bits);
    }
    if (op == hcommAvg) want = t->kind == FLOATING ? encode(t, decode(t, want) / x->size) : divide(t, want, x->size);
    store(t, x->want, i, want);
  }
}

/* An average of floats may be off by the rounding of each factor and each sum, but not where the number of ranks is a power
 * of two, and by that of the oracle's quotient. */
static inline int average_fits(const struct inputs *x, size_t i, uint64_t got, uint64_t want) {
  double difference = decode(x->type, got) - decode(x->type, want), allowed = 0;
  if (x->size & (x->size - 1)) allowed = x->magnitudes[i] / x->size * (x->size + 2) * power(-x->type->mantissa - 1);
  return difference <= allowed && -difference <= allowed;
}

static inline int fits(const struct inputs *x, size_t i, uint64_t got, uint64_t want) {
  const struct type *t = x->type;
  if (got == want) return 1;
  if (t->kind != FLOATING) return 0;
  if (is_nan(t, want) || is_nan(t, got)) return is_nan(t, want) && is_nan(t, got);
  if (x->op->code == hcommAvg) return average_fits(x, i, got, want);
  return decode(t, got) == decode(t, want); /* zeros of either sign */
}

/* fill puts count elements of a pattern, from its element start on, at p. */
static inline void fill(const struct type *t, char *p, const char *pattern, size_t start, size_t count) {
  for (size_t done = 0, n; done < count; done += n) {
    size_t at = (start + done) % PERIOD;
    n = count - done < PERIOD - at ? count - done : PERIOD - at;
    memcpy(p + done * t->size, pattern + at * t->size, n * t->size);
  }
}

/* compare fails if the count elements at p are not those of the pattern from start on; reduced ones need only fit. */
static inline void compare(const struct inputs *x, const char *p, const char *pattern, size_t start, size_t count, int reduced,
                           const char *where) {
  const struct type *t = x->type;
  for (size_t done = 0, n; done < count; done += n) {
    size_t at = (start + done) % PERIOD;
    n = count - done < PERIOD - at ? count - done : PERIOD - at;
    if (!memcmp(p + done * t->size, pattern + at * t->size, n * t->size)) continue;
    for (size_t i = 0; i < n; i++) {
      uint64_t got = load(t, p, done + i), want = load(t, pattern, at + i);
      if (reduced ? !fits(x, at + i, got, want) : got != want)
        FAIL("element %zu of %s is %#llx, not %#llx", done + i, where, (unsigned long long)got, (unsigned long long)want);
    }
  }
}

/* verify compares what a rank has got. */
static inline void verify(const struct inputs *x, int rank, enum collective c, const char *recv, size_t count, int root) {
  size_t own = (size_t)rank * count, block = count * x->type->size;
  char where[32];
  switch (c) {
  case ALLREDUCE: case REDUCE: compare(x, recv, x->want, 0, count, 1, "the result"); break;
  case REDUCESCATTER: compare(x, recv, x->want, own, count, 1, "the result"); break;
  case BROADCAST: compare(x, recv, x->of[root], 0, count, 0, "the result"); break;
  case SCATTER: compare(x, recv, x->of[root], own, count, 0, "the result"); break;
  default:
    for (int q = 0; q < x->size; q++) {
      snprintf(where, sizeof where, "block %d of the result", q);
      compare(x, recv + (size_t)q * block, x->of[q], c == ALLTOALL ? own : 0, count, 0, where);
    }
  }
}

#endif
