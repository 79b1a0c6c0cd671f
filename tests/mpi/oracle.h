/* oracle.h: the predefined types and operators, what ranks contribute of each type, and what a reduction of it must give,
 * by plain loops in C. All of it is exact, in whatever order ranks are combined. */
#ifndef ORACLE_H
#define ORACLE_H

#include "check.h"

#include <complex.h>

/* What an operator wants of a type, and what a type allows. */
enum { ARITHMETIC = 1, ORDER = 2, BITS = 4, LOGIC = 8, PLACE = 16 };

enum operation { SUM, PROD, MIN, MAX, BAND, BOR, BXOR, LAND, LOR, LXOR, MINLOC, MAXLOC, OPS };

static const struct op {
  const char *name;
  MPI_Op handle;
  int wants;
} ops[OPS] = {
    {"sum", MPI_SUM, ARITHMETIC},  {"prod", MPI_PROD, ARITHMETIC}, {"min", MPI_MIN, ORDER},       {"max", MPI_MAX, ORDER},
    {"band", MPI_BAND, BITS},      {"bor", MPI_BOR, BITS},         {"bxor", MPI_BXOR, BITS},      {"land", MPI_LAND, LOGIC},
    {"lor", MPI_LOR, LOGIC},       {"lxor", MPI_LXOR, LOGIC},      {"minloc", MPI_MINLOC, PLACE}, {"maxloc", MPI_MAXLOC, PLACE},
};

static inline uint64_t random_of(int key, int i) { return mix(((uint64_t)key << 32) + (uint64_t)i); }

/* Numbers from -3 or 0 to 3: the sum and the product of those of four ranks fit each type. What becomes of greater ones is
 * each MPI's own (Open MPI's sum of MPI_UINT8_T stops at 255 on some processors). */
static inline int small_of(uint64_t x) { return (int)(x % 7) - 3; }
#define SMALL(T, x) ((T)-1 > (T)0 ? (T)((x) % 4) : (T)small_of(x))

/* For each C type T: fill_T has what a rank contributes, of which key is the number; combine_T is a[i] = a[i] op b[i];
 * differs_T is the first element that is different, or -1. */
#define FILL(T, value)                                                           \
  static void fill_##T(void *to, int key, int n, enum operation op) {            \
    T *x = (T *)to;                                                              \
    for (int i = 0; i < n; i++) {                                                \
      uint64_t r = random_of(key, i);                                            \
      value;                                                                     \
    }                                                                            \
    (void)op;                                                                    \
  }
#define DIFFERS(T, condition)                                                    \
  static int differs_##T(const void *one, const void *other, int n) {            \
    const T *a = (const T *)one, *b = (const T *)other;                          \
    for (int i = 0; i < n; i++)                                                  \
      if (condition) return i;                                                   \
    return -1;                                                                   \
  }
#define LOOP(expression)                                                         \
  for (int i = 0; i < n; i++) a[i] = expression;                                 \
  break
#define COMBINE(T, ...)                                                          \
  static void combine_##T(void *into, const void *from, int n, enum operation op) { \
    T *a = (T *)into;                                                            \
    const T *b = (const T *)from;                                                \
    switch (op) {                                                                \
      __VA_ARGS__                                                                \
    default: FAIL("no oracle for %s", ops[op].name);                             \
    }                                                                            \
  }
#define COMBINE_ARITHMETIC(T)                                                    \
  case SUM: LOOP((T)(a[i] + b[i]));                                              \
  case PROD: LOOP((T)(a[i] * b[i]));
#define COMBINE_ORDER                                                            \
  case MIN: LOOP(a[i] < b[i] ? a[i] : b[i]);                                     \
  case MAX: LOOP(a[i] > b[i] ? a[i] : b[i]);
#define COMBINE_BITS                                                             \
  case BAND: LOOP(a[i] & b[i]);                                                  \
  case BOR: LOOP(a[i] | b[i]);                                                   \
  case BXOR: LOOP(a[i] ^ b[i]);
#define COMBINE_LOGIC                                                            \
  case LAND: LOOP(a[i] && b[i]);                                                 \
  case LOR: LOOP(a[i] || b[i]);                                                  \
  case LXOR: LOOP(!a[i] != !b[i]);

/* Some zeros for the logical operators. */
#define ANY(T, r) ((T)((r) % 3 ? (r) : 0))
/* Open MPI 4.1 and MPICH 4.0 compare some unsigned integers as if they were signed, and Open MPI MPI_OFFSET as if it were
 * unsigned. */
#define ORDERED(T, r) ((T)(served ? (r) : (r) & 0x7f7f7f7f7f7f7f7f))

#define INTEGER(T)                                                               \
  FILL(T, x[i] = op == SUM || op == PROD ? SMALL(T, r) : op == MIN || op == MAX ? ORDERED(T, r) : ANY(T, r)) \
  DIFFERS(T, a[i] != b[i])                                                       \
  COMBINE(T, COMBINE_ARITHMETIC(T) COMBINE_ORDER COMBINE_BITS COMBINE_LOGIC)
#define FLOATING(T)                                                              \
  FILL(T, x[i] = (T)small_of(r); if (op == MIN || op == MAX) x[i] += (T)1 / (T)(r % 97 + 2)) \
  DIFFERS(T, a[i] != b[i])                                                       \
  COMBINE(T, COMBINE_ARITHMETIC(T) COMBINE_ORDER)
#define COMPLEX(T)                                                               \
  FILL(T, x[i] = (T)(small_of(r) + small_of(r / 7) * I))                         \
  DIFFERS(T, a[i] != b[i])                                                       \
  COMBINE(T, COMBINE_ARITHMETIC(T))
#define TRUTH(T)                                                                 \
  FILL(T, x[i] = r % 3 != 0)                                                     \
  DIFFERS(T, a[i] != b[i])                                                       \
  COMBINE(T, COMBINE_LOGIC)
/* Of equal values, MPI_MINLOC and MPI_MAXLOC give the lower place. */
#define BETTER(sign) (a[i].value sign b[i].value || (a[i].value == b[i].value && a[i].place < b[i].place) ? a[i] : b[i])
#define PAIR(T, V)                                                               \
  typedef struct { V value; int place; } T;                                      \
  FILL(T, x[i].value = (V)small_of(r); x[i].place = key)                         \
  DIFFERS(T, a[i].value != b[i].value || a[i].place != b[i].place)               \
  COMBINE(T, case MINLOC: LOOP(BETTER(<)); case MAXLOC: LOOP(BETTER(>));)

typedef signed char schar;
typedef unsigned char uchar;
typedef unsigned short ushort_;
typedef unsigned int uint_;
typedef unsigned long ulong_;
typedef long long llong;
typedef unsigned long long ullong;
typedef long double ldouble;
typedef float _Complex fcomplex;
typedef double _Complex dcomplex;
typedef long double _Complex lcomplex;
typedef _Bool boolean;
typedef int logical; /* Fortran's: it is 0 or 1 */

INTEGER(schar) INTEGER(uchar) INTEGER(short) INTEGER(ushort_) INTEGER(int) INTEGER(uint_) INTEGER(long) INTEGER(ulong_)
INTEGER(llong) INTEGER(ullong) FLOATING(float) FLOATING(double) FLOATING(ldouble)
COMPLEX(fcomplex) COMPLEX(dcomplex) COMPLEX(lcomplex) TRUTH(boolean) TRUTH(logical)
PAIR(float_int, float) PAIR(double_int, double) PAIR(long_int, long) PAIR(int_int, int) PAIR(short_int, short)
PAIR(ldouble_int, ldouble)

enum { WHOLE = ARITHMETIC | ORDER | BITS | LOGIC, REAL = ARITHMETIC | ORDER };

static const struct type {
  const char *name;
  MPI_Datatype handle;
  size_t size;
  int allows;
  void (*fill)(void *to, int key, int n, enum operation op);
  int (*differs)(const void *one, const void *other, int n);
  void (*combine)(void *into, const void *from, int n, enum operation op);
} types[] = {
#define TYPE(handle, T, allows) {#handle, handle, sizeof(T), allows, fill_##T, differs_##T, combine_##T}
    TYPE(MPI_INT, int, WHOLE),
    TYPE(MPI_FLOAT, float, REAL),
    TYPE(MPI_DOUBLE, double, REAL),
    TYPE(MPI_SIGNED_CHAR, schar, WHOLE),
    TYPE(MPI_UNSIGNED_CHAR, uchar, WHOLE),
    TYPE(MPI_SHORT, short, WHOLE),
    TYPE(MPI_UNSIGNED_SHORT, ushort_, WHOLE),
    TYPE(MPI_UNSIGNED, uint_, WHOLE),
    TYPE(MPI_LONG, long, WHOLE),
    TYPE(MPI_UNSIGNED_LONG, ulong_, WHOLE),
    TYPE(MPI_LONG_LONG_INT, llong, WHOLE),
    TYPE(MPI_UNSIGNED_LONG_LONG, ullong, WHOLE),
    TYPE(MPI_INT8_T, schar, WHOLE),
    TYPE(MPI_UINT8_T, uchar, WHOLE),
    TYPE(MPI_INT16_T, short, WHOLE),
    TYPE(MPI_UINT16_T, ushort_, WHOLE),
    TYPE(MPI_INT32_T, int, WHOLE),
    TYPE(MPI_UINT32_T, uint_, WHOLE),
    TYPE(MPI_INT64_T, long, WHOLE),
    TYPE(MPI_UINT64_T, ulong_, WHOLE),
    TYPE(MPI_AINT, long, WHOLE),
    TYPE(MPI_OFFSET, llong, WHOLE),
    TYPE(MPI_COUNT, llong, WHOLE),
    TYPE(MPI_CHAR, schar, 0),
    TYPE(MPI_WCHAR, int, 0),
    TYPE(MPI_BYTE, uchar, BITS),
    TYPE(MPI_LONG_DOUBLE, ldouble, REAL),
    TYPE(MPI_C_FLOAT_COMPLEX, fcomplex, ARITHMETIC),
    TYPE(MPI_C_DOUBLE_COMPLEX, dcomplex, ARITHMETIC),
    TYPE(MPI_C_LONG_DOUBLE_COMPLEX, lcomplex, ARITHMETIC),
    TYPE(MPI_C_BOOL, boolean, LOGIC),
    TYPE(MPI_INTEGER, int, REAL | BITS),
    TYPE(MPI_INTEGER8, long, REAL | BITS),
    TYPE(MPI_REAL, float, REAL),
    TYPE(MPI_DOUBLE_PRECISION, double, REAL),
    TYPE(MPI_REAL8, double, REAL),
    TYPE(MPI_COMPLEX, fcomplex, ARITHMETIC),
    TYPE(MPI_DOUBLE_COMPLEX, dcomplex, ARITHMETIC),
    TYPE(MPI_LOGICAL, logical, LOGIC),
    TYPE(MPI_FLOAT_INT, float_int, PLACE),
    TYPE(MPI_DOUBLE_INT, double_int, PLACE),
    TYPE(MPI_LONG_INT, long_int, PLACE),
    TYPE(MPI_2INT, int_int, PLACE),
    TYPE(MPI_SHORT_INT, short_int, PLACE),
    TYPE(MPI_LONG_DOUBLE_INT, ldouble_int, PLACE),
};
enum { TYPES = sizeof types / sizeof *types, LARGEST_TYPE = 32 };

/* certain: reductions of it are served. */
static inline int certain(const struct type *t) { return served && t->allows & ORDER && t->size <= 8; }

/* check_elements compares what came with what had to. */
static inline void check_elements(const struct type *t, const char *which, const void *got, const void *want, int n) {
  int i = t->differs(got, want, n);
  if (i < 0) return;
  char text[2][2 * LARGEST_TYPE + 1];
  for (size_t b = 0; b < t->size; b++) {
    snprintf(text[0] + 2 * b, 3, "%02x", ((const unsigned char *)got)[(size_t)i * t->size + b]);
    snprintf(text[1] + 2 * b, 3, "%02x", ((const unsigned char *)want)[(size_t)i * t->size + b]);
  }
  FAIL("element %d of %d of %s has the bytes %s, not %s", i, n, which, text[0], text[1]);
}

#endif
