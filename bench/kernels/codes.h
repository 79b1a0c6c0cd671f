/* codes.h: max and min of narrow floats, whose codes are ordered like the numbers once they have been turned around. */
#ifndef CODES_H
#define CODES_H

#include "loops.h"

/* EXTREMES defines T##_maximum and T##_minimum. A magnitude above TOP is a NaN, and QUIET makes it quiet. */
#define EXTREMES(T, U, SIGN, TOP, QUIET)                                                             \
  static inline U T##_ordinal(U c) { return c & SIGN ? (U)~c : c | SIGN; }                           \
  static inline U T##_nan_or(U x, U y, U number) {                                                   \
    U r = (y & (U)~SIGN) > TOP ? y | QUIET : number;                                                 \
    return (x & (U)~SIGN) > TOP ? x | QUIET : r;                                                     \
  }                                                                                                  \
  static inline U T##_maximum(U x, U y) {                                                            \
    return T##_nan_or(x, y, T##_ordinal(y) > T##_ordinal(x) ? y : x);                                \
  }                                                                                                  \
  static inline U T##_minimum(U x, U y) {                                                            \
    return T##_nan_or(x, y, T##_ordinal(y) < T##_ordinal(x) ? y : x);                                \
  }

#endif
