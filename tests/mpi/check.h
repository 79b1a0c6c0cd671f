/* check.h: what an MPI program of these tests says, and that it ends, when something is not as it must be. For C and C++. */
#ifndef CHECK_H
#define CHECK_H

#include <mpi.h>

#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WORLD MPI_COMM_WORLD

/* In MPI_COMM_WORLD, from begin on. */
static int rank, size;

/* TEST_SERVED is set: whatever can be served is, and then the MPI's own mistakes do not come. */
static int served;

/* What this thread is trying, for the message; and the main thread's, for who is told that the time is over. */
static __thread char check_case[256];
static char *check_main_case;

#define TRYING(...) ((void)snprintf(check_case, sizeof check_case, __VA_ARGS__))

/* _exit: other threads may be in calls. The launcher ends the other ranks. */
__attribute__((noreturn, format(printf, 3, 4))) static inline void check_failed(const char *file, int line,
                                                                                const char *format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fflush(stdout);
  fprintf(stderr, "%s:%d: rank %d of %d%s%s: %s\n", file, line, rank, size, *check_case ? ", " : "", check_case, text);
  _exit(1);
}

#define FAIL(...) check_failed(__FILE__, __LINE__, __VA_ARGS__)
#define CHECK(condition)                      \
  do {                                        \
    if (!(condition)) FAIL("%s", #condition); \
  } while (0)

/* OK(call): the call succeeds. */
#define OK(call) check_result(__FILE__, __LINE__, #call, call)

static inline void check_result(const char *file, int line, const char *call, int result) {
  char text[MPI_MAX_ERROR_STRING];
  int n;
  if (result == MPI_SUCCESS) return;
  MPI_Error_string(result, text, &n);
  check_failed(file, line, "%s: %s", call, text);
}

/* slowly gives a time more room where programs are slower than usual: TEST_SLOWNESS says how much. */
static inline double slowly(double seconds) {
  const char *times = getenv("TEST_SLOWNESS");
  return times ? seconds * atof(times) : seconds;
}

static inline void check_late(int signal) {
  static char text[400];
  int n = snprintf(text, sizeof text, "rank %d of %d hangs: %s\n", rank, size, check_main_case);
  (void)signal;
  if (write(2, text, (size_t)n) < 0) _exit(2);
  _exit(1);
}

/* watched has a rank that is not done in TEST_SECONDS say what it is trying. Each rank says so itself, before the launcher's
 * time is over, so that all of them can be read. */
static inline void watched(void) {
  const char *seconds = getenv("TEST_SECONDS");
  served = getenv("TEST_SERVED") != NULL;
  check_main_case = check_case;
  signal(SIGALRM, check_late);
  if (seconds) alarm((unsigned)atoi(seconds));
}

static inline void begin_threads(int wanted) {
  int provided;
  watched();
  OK(MPI_Init_thread(NULL, NULL, wanted, &provided));
  OK(MPI_Comm_rank(WORLD, &rank));
  OK(MPI_Comm_size(WORLD, &size));
  if (provided < wanted) FAIL("it provides the thread level %d", provided);
}

static inline void begin(void) {
  watched();
  OK(MPI_Init(NULL, NULL));
  OK(MPI_Comm_rank(WORLD, &rank));
  OK(MPI_Comm_size(WORLD, &size));
}

static inline void end(void) {
  TRYING("at the end");
  OK(MPI_Finalize());
}

/* room is memory that is not 0. */
static inline void *room(size_t bytes) {
  void *x = malloc(bytes + 1);
  if (!x) FAIL("no memory");
  return memset(x, 0xa5, bytes + 1);
}

/* mix makes any two different numbers look unrelated (splitmix64). */
static inline uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

#endif
