/* loops.h: the loops that hcomm's kernels are measured against. */
#ifndef LOOPS_H
#define LOOPS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A loop stores n elements in dst, each computed from those of a and of b at the same place; some take no b. */
typedef void loop_t(void *restrict dst, const void *restrict a, const void *restrict b, size_t n);

/* Names are those that package simd has for types and operators; others are "scale", "widen" and "narrow" of a type of
 * float, "copy" and "crc32c" of "bytes". */
struct entry {
  const char *type, *operator;
  loop_t *loop;
};

/* Each of these lists ends with an entry of NULLs. */
extern const struct entry integer_loops[], float_loops[], plain_loops[], float16_loops[], bfloat16_loops[], float8_loops[],
    byte_loops[], intrinsic_loops[];

/* What "scale" divides by. */
enum { SCALE_BY = 3 };

/* BINARY defines a loop of two operands: expression computes an element from x and y. */
#define BINARY(name, T, expression)                                                                      \
  static void name(void *restrict dst, const void *restrict a, const void *restrict b, size_t n) {       \
    T *restrict d = dst;                                                                                 \
    const T *restrict p = a, *restrict q = b;                                                            \
    for (size_t i = 0; i < n; i++) {                                                                     \
      T x = p[i], y = q[i];                                                                              \
      d[i] = (T)(expression);                                                                            \
    }                                                                                                    \
  }

/* UNARY defines a loop of one operand, of any type. */
#define UNARY(name, D, T, expression)                                                                    \
  static void name(void *restrict dst, const void *restrict a, const void *restrict b, size_t n) {       \
    (void)b;                                                                                             \
    D *restrict d = dst;                                                                                 \
    const T *restrict p = a;                                                                             \
    for (size_t i = 0; i < n; i++) {                                                                     \
      T x = p[i];                                                                                        \
      d[i] = (D)(expression);                                                                            \
    }                                                                                                    \
  }

static inline uint32_t bits32(float f) {
  uint32_t u;
  memcpy(&u, &f, sizeof u);
  return u;
}

static inline float float_of(uint32_t u) {
  float f;
  memcpy(&f, &u, sizeof f);
  return f;
}

static inline uint64_t bits64(double f) {
  uint64_t u;
  memcpy(&u, &f, sizeof u);
  return u;
}

static inline double double_of(uint64_t u) {
  double f;
  memcpy(&f, &u, sizeof f);
  return f;
}

#endif
