/* oracle.h: what a reduction must give, one element at a time and in other ways than the library's: integers in 64 bits,
 * floats as doubles that are rounded to their type by the formula of the format. Elements are kept as their bits. */
#ifndef ORACLE_H
#define ORACLE_H

#include "check.h"

enum kind { SIGNED, UNSIGNED, FLOATING };

struct type {
  hcommDataType_t code;
  const char *name;
  size_t size;
  enum kind kind;
  int exponent, mantissa; /* bits, of a float */
};

static const struct type types[] = {
    {hcommInt8, "int8", 1, SIGNED, 0, 0},
    {hcommUint8, "uint8", 1, UNSIGNED, 0, 0},
    {hcommInt16, "int16", 2, SIGNED, 0, 0},
    {hcommUint16, "uint16", 2, UNSIGNED, 0, 0},
    {hcommInt32, "int32", 4, SIGNED, 0, 0},
    {hcommUint32, "uint32", 4, UNSIGNED, 0, 0},
    {hcommInt64, "int64", 8, SIGNED, 0, 0},
    {hcommUint64, "uint64", 8, UNSIGNED, 0, 0},
    {hcommFloat8e4m3, "float8e4m3", 1, FLOATING, 4, 3},
    {hcommFloat8e5m2, "float8e5m2", 1, FLOATING, 5, 2},
    {hcommFloat16, "float16", 2, FLOATING, 5, 10},
    {hcommBfloat16, "bfloat16", 2, FLOATING, 8, 7},
    {hcommFloat32, "float32", 4, FLOATING, 8, 23},
    {hcommFloat64, "float64", 8, FLOATING, 11, 52},
};
enum { TYPES = sizeof types / sizeof *types };

struct op {
  hcommRedOp_t code;
  const char *name;
};

/* The first FLOAT_OPS are for every type, the others for integers. */
static const struct op ops[] = {
    {hcommSum, "sum"}, {hcommProd, "prod"}, {hcommMax, "max"}, {hcommMin, "min"}, {hcommAvg, "avg"},
    {hcommBitAnd, "bit and"}, {hcommBitOr, "bit or"}, {hcommBitXor, "bit xor"},
    {hcommLogicalAnd, "logical and"}, {hcommLogicalOr, "logical or"}, {hcommLogicalXor, "logical xor"},
};
enum { OPS = sizeof ops / sizeof *ops, FLOAT_OPS = 5 };

static inline int ops_of(const struct type *t) { return t->kind == FLOATING ? FLOAT_OPS : OPS; }

static inline uint64_t load(const struct type *t, const void *p, size_t i) {
  uint64_t bits = 0;
  memcpy(&bits, (const char *)p + i * t->size, t->size);
  return bits;
}

static inline void store(const struct type *t, void *p, size_t i, uint64_t bits) {
  memcpy((char *)p + i * t->size, &bits, t->size);
}

static inline double as_double(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static inline uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

/* power is 2^e, a normal number. */
static inline double power(int e) { return as_double((uint64_t)(e + 1023) << 52); }

static inline int bias(const struct type *t) { return (1 << (t->exponent - 1)) - 1; }
static inline uint64_t sign_bit(const struct type *t) { return (uint64_t)1 << (8 * t->size - 1); }

/* Codes without their sign, in order: the finite numbers up to greatest, infinity where the type has one, NaNs. */
static inline uint64_t greatest(const struct type *t) {
  if (t->code == hcommFloat8e4m3) return 0x7e;
  return ((((uint64_t)1 << t->exponent) - 1) << t->mantissa) - 1;
}

static inline int is_nan(const struct type *t, uint64_t bits) {
  return (bits & ~sign_bit(t)) > greatest(t) + (t->code != hcommFloat8e4m3);
}

static inline double decode(const struct type *t, uint64_t bits) {
  uint64_t code = bits & ~sign_bit(t);
  double x;
  if (is_nan(t, bits)) return __builtin_nan("");
  if (t->code == hcommFloat64) return as_double(bits);
  int e = (int)(code >> t->mantissa);
  uint64_t m = code & (((uint64_t)1 << t->mantissa) - 1);
  if (code > greatest(t)) x = __builtin_inf();
  else if (e == 0) x = (double)m * power(1 - bias(t) - t->mantissa);
  else x = (double)(m | (uint64_t)1 << t->mantissa) * power(e - bias(t) - t->mantissa);
  return bits & sign_bit(t) ? -x : x;
}

/* encode rounds to nearest, ties to even. */
static inline uint64_t encode(const struct type *t, double x) {
  uint64_t sign = __builtin_signbit(x) ? sign_bit(t) : 0;
  double magnitude = sign ? -x : x;
  if (t->code == hcommFloat64) return bits_of(x);
  if (x != x) return greatest(t) + 1 + (t->code != hcommFloat8e4m3);
  if (magnitude > power(bias(t) + 2)) return sign | (greatest(t) + 1);
  int e = (int)(bits_of(magnitude) >> 52) - 1023;
  if (e < 1 - bias(t)) e = 1 - bias(t); /* that of the smallest normal number is the one of all below it, too */
  double units = magnitude * power(-e) * power(t->mantissa); /* of the last place */
  units = (units + 0x1p52) - 0x1p52; /* the processor rounds */
  uint64_t code = ((uint64_t)(e - 1 + bias(t)) << t->mantissa) + (uint64_t)units;
  return sign | (code > greatest(t) ? greatest(t) + 1 : code);
}

/* The value of an integer type in 64 bits. */
static inline int64_t widen(const struct type *t, uint64_t bits) {
  int unused = 64 - 8 * (int)t->size;
  return t->kind == SIGNED ? (int64_t)(bits << unused) >> unused : (int64_t)bits;
}

static inline uint64_t narrow(const struct type *t, uint64_t x) {
  return t->size == 8 ? x : x & (((uint64_t)1 << 8 * t->size) - 1);
}

/* combine is a op b; for avg it is the sum. */
static inline uint64_t combine(const struct type *t, hcommRedOp_t op, uint64_t a, uint64_t b) {
  if (t->kind == FLOATING) {
    double x = decode(t, a), y = decode(t, b);
    if (x != x) return a;
    if (y != y) return b;
    switch (op) {
    case hcommSum: case hcommAvg: return encode(t, x + y);
    case hcommProd: return encode(t, x * y);
    case hcommMax: return x > y ? a : b;
    case hcommMin: return x < y ? a : b;
    default: FAIL("no oracle for %d", (int)op);
    }
  }
  int64_t x = widen(t, a), y = widen(t, b);
  int less = t->kind == SIGNED ? x < y : (uint64_t)x < (uint64_t)y;
  switch (op) {
  case hcommSum: case hcommAvg: return narrow(t, (uint64_t)x + (uint64_t)y);
  case hcommProd: return narrow(t, (uint64_t)x * (uint64_t)y);
  case hcommMax: return less ? b : a;
  case hcommMin: return less ? a : b;
  case hcommBitAnd: return a & b;
  case hcommBitOr: return a | b;
  case hcommBitXor: return a ^ b;
  case hcommLogicalAnd: return x && y;
  case hcommLogicalOr: return x || y;
  case hcommLogicalXor: return !x != !y;
  }
  FAIL("no oracle for %d", (int)op);
}

/* divide is what makes an average of integers of their sum. */
static inline uint64_t divide(const struct type *t, uint64_t sum, int ranks) {
  int64_t x = widen(t, sum);
  return narrow(t, t->kind == SIGNED ? (uint64_t)(x / ranks) : (uint64_t)x / (uint64_t)ranks);
}

#endif
