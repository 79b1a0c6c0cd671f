/* yardstick.c: times a collective, or a message, in the same way on hcomm, on any MPI, and on bare shared memory.
 *
 *   mpicc -O3 yardstick.c -o yard_mpi                        mpirun -n 2 ./yard_mpi allreduce 8 33554432
 *   cc -O3 -DHCOMM yardstick.c -lhcomm -o yard_hcomm         hcomm run -n 2 ./yard_hcomm allreduce 8 33554432 [MEMORY]
 *   cc -O3 -march=native -DDIRECT yardstick.c -o yard_direct YARD_RANKS=2 ./yard_direct allreduce 8 33554432
 *
 * Each iteration rewrites the input, synchronises, times the call and reads the output, so that no figure rests on data
 * that lay unmodified in a cache. A row is the median over the iterations of the time from the last rank's entry to the
 * last rank's return; all ranks share one host's clock. Results are verified before and after. For allgather,
 * reducescatter and alltoall "bytes" are those of one rank's block, for the others those of the whole buffer.
 *   iallreduce  an allreduce that is begun, and at once waited for
 *   message     half of the time from rank 0's send to its receive of the answer, which has as many bytes
 *   pingpong    the same, but a hundred go there and back with nothing in between
 * MEMORY: malloc; alloc: buffers from hcommMemAlloc or MPI_Alloc_mem; register: malloc and hcommCommRegister.
 * Output, CSV: collective,ranks,bytes,median_us,min_us,p99_us; calls/direct.h adds the way in which it was done; if the
 * variable YARD_FLAGS is set, there are three more: that way or nothing, and the nanoseconds of a flag before and after
 * (flags.h; 0 if YARD_FLAGS is empty). YARD_SECONDS is the time for each size (0.4).
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_ITERATIONS = 20000, WARM_UP = 3, LEAST_ITERATIONS = 7, HASTY_ITERATIONS = 3, HASTY = 5, BATCH = 100 };
enum collective { ALLREDUCE, REDUCE, BROADCAST, ALLGATHER, REDUCESCATTER, ALLTOALL, BARRIER, IALLREDUCE, MESSAGE, PINGPONG, COLLECTIVES };
static const char *const names[COLLECTIVES] = {"allreduce", "reduce",  "broadcast",  "allgather", "reducescatter",
                                               "alltoall",  "barrier", "iallreduce", "message",   "pingpong"};
enum kind { MALLOC, ALLOC, REGISTER, KINDS };
static const char *const kinds[KINDS] = {"malloc", "alloc", "register"};

static int rank, size;

static void fail(const char *what) {
  perror(what);
  exit(1);
}

/* Each of these files has: ways, way_fits, set_way, start, stop, memory, give_back, barrier, largest (of all ranks' x),
 * collective, and there_and_back. */
#if defined HCOMM
#include "calls/hcomm.h"
#elif defined DIRECT
#include "calls/direct.h"
#else
#include "calls/mpi.h"
#endif

/* How many blocks each buffer holds. */
static size_t blocks_in(enum collective c) { return c == REDUCESCATTER || c == ALLTOALL ? (size_t)size : 1; }
static size_t blocks_out(enum collective c) { return c == ALLGATHER || c == ALLTOALL ? (size_t)size : 1; }

/* Small integers, so that every sum is exact, and such that no two ranks or iterations look alike. */
static float input(int r, size_t i, int iteration) {
  return (float)(int)(((uint32_t)i * 2654435761u >> 7 & 255) + 37u * (unsigned)(r * r) % 251 + ((unsigned)iteration & 7));
}

/* What element i of the result must be. */
static float expected(enum collective c, size_t i, size_t n, int iteration) {
  size_t own = n * (size_t)rank;
  float sum = 0;
  switch (c) {
  case BROADCAST: return input(0, i, iteration);
  case ALLGATHER: return input((int)(i / n), i % n, iteration);
  case ALLTOALL: return input((int)(i / n), i % n + own, iteration);
  case MESSAGE:
  case PINGPONG: return input(1 - rank, i, iteration);
  default:
    for (int r = 0; r < size; r++) sum += input(r, c == REDUCESCATTER ? own + i : i, iteration);
    return sum;
  }
}

static void verify(enum collective c, const float *out, size_t n, int iteration) {
  size_t all = n * blocks_out(c);
  if (c == BARRIER || (c == REDUCE && rank) || (c == BROADCAST && !rank)) return;
  for (size_t i = 0; i < all; i++) {
    float want = expected(c, i, n, iteration);
    if (out[i] != want) {
      fprintf(stderr, "WRONG: %s of %zu bytes, rank %d, element %zu of %zu: %g, not %g\n", names[c], n * sizeof *out, rank, i,
              all, out[i], want);
      exit(3);
    }
  }
}

static void rewrite(float *in, size_t n, int iteration) {
  int r = rank;
  for (size_t i = 0; i < n; i++) in[i] = input(r, i, iteration);
}

/* As integers, for a sum of floats would have to be made one by one. */
static uint32_t read_all(const float *out, size_t n) {
  uint32_t sum = 0, bits;
  for (size_t i = 0; i < n; i++) {
    memcpy(&bits, out + i, sizeof bits);
    sum += bits;
  }
  return sum;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* once does an iteration and returns the time that counts; *clock becomes the time at its end, the same on all ranks. */
static double once(enum collective c, float *in, float *out, size_t n, int iteration, double *clock) {
  int message = c == MESSAGE || c == PINGPONG, batch = c == PINGPONG ? BATCH : 1;
  rewrite(in, n * blocks_in(c), iteration);
  barrier();
  double begun = now();
  if (message)
    for (int i = 0; i < batch; i++) there_and_back(in, out, n);
  else
    collective(c, in, out, n);
  double ended = now();
  /* A message begins with rank 0, whoever came first. */
  begun = largest(message && rank ? 0 : begun), *clock = largest(ended);
  volatile uint32_t sink = read_all(out, n * blocks_out(c));
  (void)sink;
  return (*clock - begun) / (message ? 2 * batch : 1);
}

/* Whether the time is over; where a call takes long, a few must do. */
static int enough(int count, double spent, double seconds) {
  return count == MOST_ITERATIONS || (spent >= seconds && count >= LEAST_ITERATIONS) ||
         (spent >= HASTY * seconds && count >= HASTY_ITERATIONS);
}

#include "flags.h"

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* One size. All ranks do as many iterations, for they look at the same clock. */
static void measure(enum collective c, float *in, float *out, size_t n, double seconds, struct flags *flags, const char *way) {
  static double took[MOST_ITERATIONS];
  double before = flag_time(flags), first = largest(now()), clock = first;
  int count = 0, i = 0;
  while (i < WARM_UP && (i < 1 || clock - first < seconds)) {
    once(c, in, out, n, i, &clock);
    verify(c, out, n, i++);
  }
  first = largest(now());
  do took[count++] = once(c, in, out, n, i++, &clock);
  while (!enough(count, clock - first, seconds));
  verify(c, out, n, i - 1);
  double after = flag_time(flags);
  qsort(took, (size_t)count, sizeof *took, ascending);
  if (rank) return;
  printf("%s,%d,%zu,%.3f,%.3f,%.3f", names[c], size, n * sizeof *in, took[count / 2] * 1e6, took[0] * 1e6,
         took[(int)(count * 0.99)] * 1e6);
  if (getenv("YARD_FLAGS")) printf(",%s,%.1f,%.1f\n", way, before, after);
  else printf("%s%s\n", *way ? "," : "", way);
  fflush(stdout);
}

static int usage(void) {
  fprintf(stderr, "usage: yardstick COLLECTIVE [LEAST [MOST [malloc|alloc|register]]] (bytes); COLLECTIVE is one of\n");
  for (int c = 0; c < COLLECTIVES; c++) fprintf(stderr, "  %s\n", names[c]);
  return 2;
}

int main(int argc, char **argv) {
  const char *name = argc > 1 ? argv[1] : "allreduce", *seconds = getenv("YARD_SECONDS");
  size_t least = argc > 2 ? strtoull(argv[2], NULL, 0) : 8, most = argc > 3 ? strtoull(argv[3], NULL, 0) : 32 << 20;
  int c = 0, k = 0;
  void *handles[2] = {NULL, NULL};
  while (c < COLLECTIVES && strcmp(names[c], name)) c++;
  while (argc > 4 && k < KINDS && strcmp(kinds[k], argv[4])) k++;
  if (c == COLLECTIVES || k == KINDS || least < sizeof(float) || most < least || most > (size_t)1 << 30) return usage();
  start(&argc, &argv);
  if (size != 2 && (c == MESSAGE || c == PINGPONG)) return usage();
  struct flags *flags = open_flags(getenv("YARD_FLAGS"));
  float *in = memory(most * blocks_in((enum collective)c), (enum kind)k, &handles[0]);
  float *out = memory(most * blocks_out((enum collective)c), (enum kind)k, &handles[1]);
  for (size_t bytes = least; bytes <= most; bytes *= 4) {
    for (int way = 0; way < WAYS; way++) {
      if (!way_fits(way, bytes * blocks_in((enum collective)c)) || (c == BARRIER && way)) continue;
      set_way(way);
      measure((enum collective)c, in, out, bytes / sizeof *in, seconds ? atof(seconds) : 0.4, flags, ways[way]);
    }
    if (c == BARRIER) break;
  }
  give_back(in, (enum kind)k, handles[0]);
  give_back(out, (enum kind)k, handles[1]);
  stop();
  return 0;
}
