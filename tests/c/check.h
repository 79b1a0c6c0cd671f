/* check.h: what a test says, and that it ends, when something is not as it must be. */
#ifndef CHECK_H
#define CHECK_H

#include <hcomm.h>

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* For the message: this thread's rank, -1 if it has none, and what it is trying. */
static __thread int check_rank = -1;
static __thread char check_case[256];

#define TRYING(...) ((void)snprintf(check_case, sizeof check_case, __VA_ARGS__))

/* _exit: the other threads may be in calls. */
__attribute__((noreturn, format(printf, 3, 4))) static inline void check_failed(const char *file, int line,
                                                                                const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fflush(stdout);
  fprintf(stderr, "%s:%d: rank %d%s%s: %s\n", file, line, check_rank, *check_case ? ", " : "", check_case, text);
  _exit(1);
}

#define FAIL(...) check_failed(__FILE__, __LINE__, __VA_ARGS__)
#define CHECK(condition) \
  do {                   \
    if (!(condition)) FAIL("%s; last error: %s", #condition, hcommGetLastError(NULL)); \
  } while (0)

/* OK(call): a call of either half succeeds. */
#define OK(call) check_result(__FILE__, __LINE__, #call, (int)(call), 0, "success", NULL)

/* FAILS(code, words, call): it fails with that code, and its sentence has all the words, which ';' separates. */
#define FAILS(code, words, call) check_result(__FILE__, __LINE__, #call, (int)(call), (int)(code), #code, words)

static inline void check_result(const char *file, int line, const char *call, int got, int want, const char *name,
                                const char *words) {
  const char *sentence = hcommGetLastError(NULL);
  if (got != want) check_failed(file, line, "%s: %d, not %s (%d); last error: %s", call, got, name, want, sentence);
  while (words && *words) {
    char word[128];
    size_t n = strcspn(words, ";");
    snprintf(word, sizeof word, "%.*s", (int)n, words);
    if (!strstr(sentence, word)) check_failed(file, line, "%s: '%s' is not in: %s", call, word, sentence);
    words += n + (words[n] == ';');
  }
}

/* GATE(code, call): it succeeds, or is 0 for having failed with that code. It is for the call that all come to before one of
 * them ends the communicator, by an abort or by its death: those that have not left the call by then are told there. */
#define GATE(code, call) check_gate(__FILE__, __LINE__, #call, (int)(call), (int)(code))

static inline int check_gate(const char *file, int line, const char *call, int got, int code) {
  if (got && got != code) check_failed(file, line, "%s: %d; last error: %s", call, got, hcommGetLastError(NULL));
  return !got;
}

/* errors_return has the calls of the MPI-style half return their errors. */
static inline void errors_return(void) {
  OK(HCOMM_Comm_set_errhandler(HCOMM_COMM_WORLD, HCOMM_ERRORS_RETURN));
  OK(HCOMM_Comm_set_errhandler(HCOMM_COMM_SELF, HCOMM_ERRORS_RETURN));
}

/* milliseconds on a clock that all processes of the host share */
static inline double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* slowly gives a time more room where the programs are slower than usual: TEST_SLOWNESS says how much. */
static inline double slowly(double ms) {
  const char *times = getenv("TEST_SLOWNESS");
  return times ? ms * atof(times) : ms;
}

static inline void pause_ms(double ms) {
  struct timespec t = {(time_t)(ms / 1e3), (long)((ms - 1e3 * (double)(time_t)(ms / 1e3)) * 1e6)};
  nanosleep(&t, NULL);
}

/* mix makes any two different numbers look unrelated (splitmix64). */
static inline uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

/* A stream of random numbers. */
static inline uint64_t next_random(uint64_t *state) { return mix((*state)++ * 0x9e3779b97f4a7c15u); }

/* hash of n bytes */
static inline uint64_t hash_bytes(const void *p, size_t n) {
  uint64_t h = n, word;
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    memcpy(&word, (const char *)p + i, 8);
    h = (h ^ word) * 0x9fb21c651e98df25u;
    h ^= h >> 32;
  }
  for (; i < n; i++) h = (h ^ ((const unsigned char *)p)[i]) * 0x100000001b3u;
  return mix(h);
}

#endif
