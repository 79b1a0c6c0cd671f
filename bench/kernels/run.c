/* run.c: what Go calls. */
#include "run.h"

loop_t *find_loop(const struct entry *list, const char *type, const char *operator) {
  for (; list->type; list++) {
    if (strcmp(list->type, type) == 0 && strcmp(list->operator, operator) == 0) return list->loop;
  }
  return NULL;
}

void run_loop(loop_t *loop, const struct cut *cut, size_t from, size_t count) {
  size_t i = from % cut->pieces;
  for (; count > 0; count--) {
    size_t at = i * cut->dst_bytes;
    loop(cut->dst + at, cut->a + i * cut->a_bytes, cut->b + i * cut->a_bytes, cut->elements);
    if (cut->dst2) memcpy(cut->dst2 + at, cut->dst + at, cut->dst_bytes);
    if (++i == cut->pieces) i = 0;
  }
}

/* Compiled objects may come out of a cache that was filled on another machine. */
const char *lacking(void) {
#ifdef __AVX2__
  if (!__builtin_cpu_supports("avx2")) return "AVX2";
#endif
#ifdef __AVX512F__
  if (!__builtin_cpu_supports("avx512f")) return "AVX512F";
#endif
#ifdef __AVX512BW__
  if (!__builtin_cpu_supports("avx512bw")) return "AVX512BW";
#endif
#ifdef __AVX512VL__
  if (!__builtin_cpu_supports("avx512vl")) return "AVX512VL";
#endif
#ifdef __AVX512VBMI2__
  if (!__builtin_cpu_supports("avx512vbmi2")) return "AVX512_VBMI2";
#endif
  return NULL;
}
