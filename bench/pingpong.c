/* pingpong.c: times messages between two ranks in the same way on hcomm and on any MPI.
 *
 *   mpicc -O2 pingpong.c -o ping_mpi                   mpirun -n 2 ./ping_mpi message 8 33554432
 *   cc -O2 -DHCOMM pingpong.c -lhcomm -o ping_hcomm    hcomm run -n 2 ./ping_hcomm message 8 33554432 [alloc]
 *
 * A row is half of the time from rank 0's send to its receive of the answer, which has as many bytes.
 *   message   each iteration rewrites what it sends and, after the time that counts, reads what it has received; the row
 *             is the median of the iterations
 *   pingpong  a hundred go there and back with nothing in between; the row is the median of such hundreds
 * The first messages and the last are verified. "alloc": buffers from hcommMemAlloc or MPI_Alloc_mem instead of malloc.
 * Output, CSV: name,ranks,bytes,median_us,min_us,p99_us; YARD_SECONDS is the time for each size (0.4).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef HCOMM
#include <hcomm.h>
#define MPI_Init HCOMM_Init
#define MPI_Comm_rank HCOMM_Comm_rank
#define MPI_Barrier HCOMM_Barrier
#define MPI_Bcast HCOMM_Bcast
#define MPI_Send HCOMM_Send
#define MPI_Recv HCOMM_Recv
#define MPI_Finalize HCOMM_Finalize
#define MPI_COMM_WORLD HCOMM_COMM_WORLD
#define MPI_BYTE HCOMM_BYTE
#define MPI_INT HCOMM_INT
#define MPI_STATUS_IGNORE HCOMM_STATUS_IGNORE
#else
#include <mpi.h>
#endif

enum { MOST_ITERATIONS = 20000, WARM_UP = 5, BATCH = 100 };

static int rank;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void check(int failed) {
  if (!failed) return;
#ifdef HCOMM
  fprintf(stderr, "%s\n", hcommGetLastError(NULL));
#endif
  exit(1);
}

static void *memory(size_t bytes, int shared) {
  void *p = NULL;
  if (!shared) p = malloc(bytes);
#ifdef HCOMM
  else check(hcommMemAlloc(&p, bytes));
#else
  else MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &p);
#endif
  if (!p) exit(1);
  memset(p, 0, bytes);
  return p;
}

/* What a rank sends in an iteration. */
static void put(uint8_t *x, size_t n, int iteration) {
  memset(x, iteration & 127, n);
  x[n - 1] = (uint8_t)(rank + 200);
}

static uint64_t get(const uint8_t *x, size_t n) {
  uint64_t sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i];
  return sum;
}

static void verify(const uint8_t *x, size_t n, int iteration) {
  for (size_t i = 0; i < n; i++)
    if (x[i] != (i + 1 < n ? iteration & 127 : 1 - rank + 200)) {
      fprintf(stderr, "WRONG: rank %d, byte %zu of %zu\n", rank, i, n);
      exit(3);
    }
}

static void there_and_back(const uint8_t *out, uint8_t *in, size_t n) {
  if (rank == 0) check(MPI_Send(out, (int)n, MPI_BYTE, 1, 1, MPI_COMM_WORLD));
  check(MPI_Recv(in, (int)n, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  if (rank == 1) check(MPI_Send(out, (int)n, MPI_BYTE, 0, 1, MPI_COMM_WORLD));
}

/* once is the time of one message, or of one in a batch. */
static double once(uint8_t *out, uint8_t *in, size_t n, int iteration, int batch) {
  put(out, n, iteration);
  check(MPI_Barrier(MPI_COMM_WORLD));
  double begun = now();
  for (int i = 0; i < batch; i++) there_and_back(out, in, n);
  double ended = now();
  volatile uint64_t sink = get(in, n);
  (void)sink;
  return (ended - begun) / 2 / batch;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static void measure(const char *name, uint8_t *out, uint8_t *in, size_t n, int batch, double seconds) {
  static double took[MOST_ITERATIONS];
  int iterations = MOST_ITERATIONS, count = 0;
  double shortest = 1e9;
  for (int i = -WARM_UP; i < iterations; i++) {
    double begun = now(), time = once(out, in, n, i, batch), whole = now() - begun;
    if (i >= 0) took[count++] = time;
    if (i < 0 || i == iterations - 1) verify(in, n, i);
    if (i < 0 && whole < shortest) shortest = whole;
    if (i != -1) continue;
    iterations = seconds / shortest < MOST_ITERATIONS ? (int)(seconds / shortest) : MOST_ITERATIONS;
    if (iterations < 7) iterations = 7;
    check(MPI_Bcast(&iterations, 1, MPI_INT, 0, MPI_COMM_WORLD));
  }
  qsort(took, (size_t)count, sizeof *took, ascending);
  if (rank == 0)
    printf("%s,2,%zu,%.3f,%.3f,%.3f\n", name, n, took[count / 2] * 1e6, took[0] * 1e6, took[(int)(count * 0.99)] * 1e6);
  fflush(stdout);
}

int main(int argc, char **argv) {
  check(MPI_Init(&argc, &argv));
  check(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
  const char *name = argc > 1 ? argv[1] : "message", *seconds = getenv("YARD_SECONDS");
  size_t least = argc > 2 ? strtoull(argv[2], NULL, 0) : 8, most = argc > 3 ? strtoull(argv[3], NULL, 0) : 32 << 20;
  int shared = argc > 4 && !strcmp(argv[4], "alloc"), batch = strcmp(name, "pingpong") ? 1 : BATCH;
  if (least < 1 || most < least || most > 1 << 30) {
    fprintf(stderr, "usage: pingpong message|pingpong [LEAST [MOST [alloc]]] (bytes)\n");
    return 2;
  }
  uint8_t *out = memory(most, shared), *in = memory(most, shared);
  for (size_t n = least; n <= most; n *= 4) measure(name, out, in, n, batch, seconds ? atof(seconds) : 0.4);
  check(MPI_Finalize());
  return 0;
}
