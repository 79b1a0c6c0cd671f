/* intrinsics.c: loops for the 16-bit floats written by hand in AVX-512 intrinsics, as one would with the manual open.
 *
 * Sums and products leave the payload of a NaN to the processor, and those of bfloat16 take subnormal numbers for zeros:
 * VCVTNE2PS2BF16 does. In all else the results are those of hcomm's kernels. */
#include "run.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define AVX512_BF16 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")))

int intrinsics_run(void) {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}

int intrinsics_run_bfloat16(void) { return intrinsics_run() && __builtin_cpu_supports("avx512bf16"); }

/* Sixteen elements, and thirty-two. */
typedef __m256i half;
typedef __m512i full;

#define HALF(p) _mm256_loadu_si256((const half *)(p))
#define FULL(p) _mm512_loadu_si512(p)

AVX512 static inline __m512 wide_float16(half h) { return _mm512_cvtph_ps(h); }

AVX512 static inline full narrow_float16(__m512 low, __m512 high) {
  half l = _mm512_cvtps_ph(low, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  half h = _mm512_cvtps_ph(high, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  return _mm512_inserti64x4(_mm512_castsi256_si512(l), h, 1);
}

AVX512 static inline __m512 wide_bfloat16(half h) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(h), 16));
}

AVX512_BF16 static inline full narrow_bfloat16(__m512 low, __m512 high) { return (full)_mm512_cvtne2ps_pbh(high, low); }

/* turned maps codes to signed integers in the order of the numbers, and back: x ^ (x >> 15 & 0x7fff). */
AVX512 static inline full turned(full x) {
  return _mm512_ternarylogic_epi32(x, _mm512_srai_epi16(x, 15), _mm512_set1_epi16(0x7fff), 0x78);
}

AVX512 static inline full magnitude(full x) { return _mm512_and_si512(x, _mm512_set1_epi16(0x7fff)); }

AVX512 static inline __mmask32 above(full magnitudes, short top) {
  return _mm512_cmpgt_epi16_mask(magnitudes, _mm512_set1_epi16(top));
}

/* nan_or gives x or y where it is a NaN, a magnitude above top, made quiet; elsewhere number. */
AVX512 static inline full nan_or(full x, full y, full number, short top, short quiet) {
  if (__builtin_expect(!above(_mm512_max_epu16(magnitude(x), magnitude(y)), top), 1)) return number;
  const full q = _mm512_set1_epi16(quiet);
  number = _mm512_mask_blend_epi16(above(magnitude(y), top), number, _mm512_or_si512(y, q));
  return _mm512_mask_blend_epi16(above(magnitude(x), top), number, _mm512_or_si512(x, q));
}

AVX512 static inline full maximum(full x, full y) { return turned(_mm512_max_epi16(turned(x), turned(y))); }
AVX512 static inline full minimum(full x, full y) { return turned(_mm512_min_epi16(turned(x), turned(y))); }

#define ARITHMETIC(T, operation)                                  \
  narrow_##T(operation(wide_##T(HALF(p)), wide_##T(HALF(q))),     \
             operation(wide_##T(HALF(p + 16)), wide_##T(HALF(q + 16))))
#define EXTREME(operation, top, quiet) nan_or(FULL(p), FULL(q), operation(FULL(p), FULL(q)), top, quiet)

/* VECTORS defines a loop whose expression computes a vector from 32 elements at p and q. */
#define VECTORS(name, target, expression)                                                                     \
  target static inline void name##_whole(uint16_t *restrict d, const uint16_t *restrict p,                    \
                                         const uint16_t *restrict q, size_t n) {                              \
    for (; n >= 32; n -= 32, d += 32, p += 32, q += 32) _mm512_storeu_si512(d, expression);                   \
  }                                                                                                           \
  target static void name(void *restrict dst, const void *restrict a, const void *restrict b, size_t n) {     \
    size_t whole = n / 32 * 32, rest = (n - whole) * sizeof(uint16_t);                                        \
    name##_whole(dst, a, b, whole);                                                                           \
    if (rest == 0) return;                                                                                    \
    uint16_t d[32], x[32] = {0}, y[32] = {0};                                                                 \
    memcpy(x, (const uint16_t *)a + whole, rest);                                                             \
    memcpy(y, (const uint16_t *)b + whole, rest);                                                             \
    name##_whole(d, x, y, 32);                                                                                \
    memcpy((uint16_t *)dst + whole, d, rest);                                                                 \
  }

VECTORS(float16_sum, AVX512, ARITHMETIC(float16, _mm512_add_ps))
VECTORS(float16_prod, AVX512, ARITHMETIC(float16, _mm512_mul_ps))
VECTORS(float16_max, AVX512, EXTREME(maximum, 0x7c00, 0x0200))
VECTORS(float16_min, AVX512, EXTREME(minimum, 0x7c00, 0x0200))
VECTORS(bfloat16_sum, AVX512_BF16, ARITHMETIC(bfloat16, _mm512_add_ps))
VECTORS(bfloat16_prod, AVX512_BF16, ARITHMETIC(bfloat16, _mm512_mul_ps))
VECTORS(bfloat16_max, AVX512, EXTREME(maximum, 0x7f80, 0x0040))
VECTORS(bfloat16_min, AVX512, EXTREME(minimum, 0x7f80, 0x0040))

/* CONVERSION defines a loop of one operand; statement does 32 elements from p to d, or the rest of fewer. */
#define CONVERSION(name, target, D, T, statement, rest)                                                       \
  target static void name(void *restrict dst, const void *restrict a, const void *restrict b, size_t n) {     \
    (void)b;                                                                                                  \
    D *restrict d = dst;                                                                                      \
    const T *restrict p = a;                                                                                  \
    for (; n >= 32; n -= 32, d += 32, p += 32) statement;                                                     \
    if (n == 0) return;                                                                                       \
    D r[32];                                                                                                  \
    T x[32] = {0};                                                                                            \
    memcpy(x, p, n * sizeof(T));                                                                              \
    rest;                                                                                                     \
    memcpy(d, r, n * sizeof(D));                                                                              \
  }
#define WIDEN(T, d, p) (_mm512_storeu_ps(d, wide_##T(HALF(p))), _mm512_storeu_ps((d) + 16, wide_##T(HALF((p) + 16))))
#define NARROW(T, d, p) _mm512_storeu_si512(d, narrow_##T(_mm512_loadu_ps(p), _mm512_loadu_ps((p) + 16)))

CONVERSION(float16_widen, AVX512, float, uint16_t, WIDEN(float16, d, p), WIDEN(float16, r, x))
CONVERSION(float16_narrow, AVX512, uint16_t, float, NARROW(float16, d, p), NARROW(float16, r, x))
CONVERSION(bfloat16_widen, AVX512, float, uint16_t, WIDEN(bfloat16, d, p), WIDEN(bfloat16, r, x))
CONVERSION(bfloat16_narrow, AVX512_BF16, uint16_t, float, NARROW(bfloat16, d, p), NARROW(bfloat16, r, x))

#define ENTRIES(T)                                                                                          \
  {#T, "sum", T##_sum}, {#T, "prod", T##_prod}, {#T, "max", T##_max}, {#T, "min", T##_min},                 \
      {#T, "widen", T##_widen}, {#T, "narrow", T##_narrow}

const struct entry intrinsic_loops[] = {ENTRIES(float16), ENTRIES(bfloat16), {NULL, NULL, NULL}};

#else

int intrinsics_run(void) { return 0; }
int intrinsics_run_bfloat16(void) { return 0; }

const struct entry intrinsic_loops[] = {{NULL, NULL, NULL}};

#endif
