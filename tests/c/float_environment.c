/* The floating-point environment of the calling thread: all ranks get the same bits in any, at whatever level of
 * instructions each of them reduces, and by whatever path; and a maximum of numbers raises no exception.
 *
 *   float_environment [mixed]     mixed: each rank takes another of the levels that this processor has
 *
 * flags: -Wl,--no-as-needed -lm
 * run: hcomm run -n 2 %p
 * run: hcomm run -n 2 %p mixed
 * run: hcomm run -n 3 %p mixed
 * run: hcomm run -n 4 %p
 */
#define _GNU_SOURCE
#include "call.h"

#include <fenv.h>
#include <float.h>
#include <math.h>

/* FEW elements of any type go through the exchange in C, where the type does; MANY do not. */
enum { FEW = 100, MANY = 5000 };

static int ranks;
static hcommComm_t comm;

/* choose_level starts the program again with a level of this rank's. */
static void choose_level(char **arguments) {
  const char *levels[3] = {"generic"}, *rank = getenv("HCOMM_RANK");
  int n = 1;
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) levels[n++] = "avx2";
  if (__builtin_cpu_supports("avx512vl")) levels[n++] = "avx512";
#endif
  if (getenv("HCOMM_SIMD")) return;
  setenv("HCOMM_SIMD", levels[(rank ? atoi(rank) : 0) % n], 1);
  execv("/proc/self/exe", arguments);
  FAIL("execv");
}

/* Bits of the control word that flush subnormal numbers: results, and operands. */
static const struct { const char *name; int round; unsigned flush; } environments[] = {
    {"plain", FE_TONEAREST, 0},
    {"upward", FE_UPWARD, 0},
    {"toward zero", FE_TOWARDZERO, 0},
#ifdef __x86_64__
    {"subnormal results are zero", FE_TONEAREST, 0x8000},
    {"subnormal operands are zero", FE_TONEAREST, 0x0040},
    {"subnormal numbers are zero, upward", FE_UPWARD, 0x8040},
#endif
};

static void enter(unsigned e) {
  CHECK(!fesetround(environments[e].round));
#ifdef __x86_64__
  __builtin_ia32_ldmxcsr((__builtin_ia32_stmxcsr() & ~0x8040u) | environments[e].flush);
#endif
}

/* number is any that is not NaN, every other one subnormal, or nearly. */
static uint64_t number(const struct type *t, uint64_t *random) {
  uint64_t sign = sign_bit(t), magnitude = narrow(t, next_random(random)) & ~sign;
  if (next_random(random) % 2) magnitude &= ((uint64_t)2 << t->mantissa) - 1;
  if (magnitude > greatest(t)) magnitude = greatest(t);
  return magnitude | (next_random(random) & sign);
}

/* same_everywhere compares a result with those of the others. */
static void same_everywhere(const struct type *t, const char *out, size_t bytes) {
  char *all = malloc(bytes * (size_t)ranks);
  CHECK(all);
  OK(hcommAllGather(out, all, bytes, hcommUint8, comm, NULL));
  for (int q = 0; q < ranks; q++)
    for (size_t i = 0; i < bytes / t->size; i++)
      if (load(t, out, i) != load(t, all + (size_t)q * bytes, i))
        FAIL("element %zu is %#llx; on rank %d it is %#llx", i, (unsigned long long)load(t, out, i), q,
             (unsigned long long)load(t, all + (size_t)q * bytes, i));
  free(all);
}

/* try_case does many elements, and of those the first few: an extreme does not depend on the order of the ranks, and
 * that of two ranks is always the same. */
static void try_case(const struct type *t, const struct op *o) {
  static char in[MANY * 8], many[MANY * 8], few[FEW * 8];
  uint64_t random = mix((uint64_t)(t - types) * 1000 + (uint64_t)(o - ops)) + (uint64_t)check_rank;
  for (size_t i = 0; i < MANY; i++) store(t, in, i, number(t, &random));
  OK(hcommAllReduce(in, many, MANY, t->code, o->code, comm, NULL));
  OK(hcommAllReduce(in, few, FEW, t->code, o->code, comm, NULL));
  same_everywhere(t, many, MANY * t->size);
  same_everywhere(t, few, FEW * t->size);
  if (ranks > 2 && o->code != hcommMax && o->code != hcommMin) return;
  for (size_t i = 0; i < FEW; i++)
    if (load(t, few, i) != load(t, many, i))
      FAIL("element %zu is %#llx of few, %#llx of many", i, (unsigned long long)load(t, few, i),
           (unsigned long long)load(t, many, i));
}

/* no_exception: neither by what a kernel does on the way to a maximum, nor by what it does with the end of a vector. */
static void no_exception(size_t count) {
  static float a[MANY], b[MANY];
  static double c[MANY], d[MANY];
  for (size_t i = 0; i < count; i++) {
    a[i] = i % 2 ? FLT_MAX : -INFINITY;
    c[i] = check_rank % 2 ? INFINITY : -INFINITY;
  }
  feclearexcept(FE_ALL_EXCEPT);
  for (int op = hcommMax; op <= hcommMin; op++) {
    OK(hcommAllReduce(a, b, count, hcommFloat32, (hcommRedOp_t)op, comm, NULL));
    OK(hcommAllReduce(c, d, count, hcommFloat64, (hcommRedOp_t)op, comm, NULL));
  }
  int raised = fetestexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW);
  if (raised) FAIL("an extreme of numbers raises the exceptions %#x", (unsigned)raised);
}

int main(int count, char **arguments) {
  if (count > 1 && !strcmp(arguments[1], "mixed")) choose_level(arguments);
  OK(hcommCommInitEnv(&comm));
  OK(hcommCommUserRank(comm, &check_rank));
  OK(hcommCommCount(comm, &ranks));
  for (unsigned e = 0; e < sizeof environments / sizeof *environments; e++)
    for (int repeat = 0; repeat < 5; repeat++) /* by which path a call goes depends on the time */
      for (int t = 0; t < TYPES; t++)
        for (int o = 0; types[t].kind == FLOATING && o < ops_of(&types[t]); o++) {
          TRYING("%s: %s with %s", environments[e].name, types[t].name, ops[o].name);
          enter(e);
          try_case(&types[t], &ops[o]);
        }
  enter(0);
  TRYING("exceptions");
  no_exception(MANY);
  no_exception(FEW);
  no_exception(3);
  OK(hcommCommDestroy(comm));
  return 0;
}
