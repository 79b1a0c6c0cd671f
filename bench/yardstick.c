/* yardstick.c: times a collective in the same way on hcomm and on any MPI.
 *
 *   mpicc -O2 yardstick.c -o yard_mpi                       mpirun -n 2 ./yard_mpi allreduce 8 33554432
 *   cc -O2 -DHCOMM yardstick.c -lhcomm -o yard_hcomm        hcomm run -n 2 ./yard_hcomm allreduce 8 33554432 [alloc]
 *
 * Each iteration rewrites the input, synchronises, times the call and reads the output, so that no figure rests on data
 * that lay unmodified in a cache. A row is the median over the iterations of the time from the last rank's entry to the
 * last rank's return; all ranks share one host's clock. Results are verified before and after.
 * "alloc": buffers from hcommMemAlloc or MPI_Alloc_mem instead of malloc.
 * Output, CSV: collective,ranks,bytes,median_us,min_us,p99_us; YARD_SECONDS is the time for each size (0.4).
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef HCOMM
#include <hcomm.h>
static hcommComm_t comm;
#define CHECK(call)                                                                     \
  do {                                                                                  \
    if ((call) != hcommSuccess) {                                                       \
      fprintf(stderr, "%s: %s\n", #call, hcommGetLastError(NULL));                      \
      exit(1);                                                                          \
    }                                                                                   \
  } while (0)
#else
#include <mpi.h>
#endif

enum { MOST_ITERATIONS = 20000, WARM_UP = 3 };
enum collective { ALLREDUCE, BROADCAST, BARRIER, COLLECTIVES };
static const char *const names[COLLECTIVES] = {"allreduce", "broadcast", "barrier"};

static int rank, size;

static void start(int *argc, char ***argv) {
#ifdef HCOMM
  (void)argc, (void)argv;
  CHECK(hcommCommInitEnv(&comm));
  CHECK(hcommCommUserRank(comm, &rank));
  CHECK(hcommCommCount(comm, &size));
#else
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
#endif
}

static void stop(void) {
#ifdef HCOMM
  CHECK(hcommCommDestroy(comm));
#else
  MPI_Finalize();
#endif
}

static void *memory(size_t bytes, int shared) {
  void *p = NULL;
  if (!shared) p = malloc(bytes);
#ifdef HCOMM
  else CHECK(hcommMemAlloc(&p, bytes));
#else
  else MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &p);
#endif
  if (!p) {
    perror("memory");
    exit(1);
  }
  memset(p, 0, bytes);
  return p;
}

static void barrier(void) {
#ifdef HCOMM
  CHECK(hcommBarrier(comm, NULL));
#else
  MPI_Barrier(MPI_COMM_WORLD);
#endif
}

/* The largest of all ranks' x. */
static double largest(double x) {
  double all = x;
#ifdef HCOMM
  CHECK(hcommAllReduce(&x, &all, 1, hcommFloat64, hcommMax, comm, NULL));
#else
  MPI_Allreduce(&x, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
#endif
  return all;
}

static void call(enum collective c, float *in, float *out, size_t n) {
#ifdef HCOMM
  if (c == ALLREDUCE) CHECK(hcommAllReduce(in, out, n, hcommFloat32, hcommSum, comm, NULL));
  else if (c == BROADCAST) CHECK(hcommBroadcast(in, out, n, hcommFloat32, 0, comm, NULL));
#else
  if (c == ALLREDUCE) MPI_Allreduce(in, out, (int)n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  else if (c == BROADCAST) MPI_Bcast(rank ? out : in, (int)n, MPI_FLOAT, 0, MPI_COMM_WORLD);
#endif
  else barrier();
}

/* Small integers, so that every sum is exact, and such that no two ranks or iterations look alike. */
static float input(int r, size_t i, int iteration) {
  return (float)(((uint32_t)i * 2654435761u >> 7 & 255) + 37u * (unsigned)(r * r) % 251 + ((unsigned)iteration & 7));
}

static void verify(enum collective c, const float *out, size_t n, int iteration) {
  if (c == BARRIER || (c == BROADCAST && rank == 0)) return;
  for (size_t i = 0; i < n; i++) {
    float want = 0;
    for (int r = 0; r < (c == BROADCAST ? 1 : size); r++) want += input(r, i, iteration);
    if (out[i] != want) {
      fprintf(stderr, "WRONG: %s, rank %d, element %zu of %zu: %g, not %g\n", names[c], rank, i, n, out[i], want);
      exit(3);
    }
  }
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

/* One size: warm up, find out how many iterations the time allows, the same on all ranks, and print the row. */
static void measure(enum collective c, float *in, float *out, size_t n, double seconds) {
  static double took[MOST_ITERATIONS];
  int count = 0, iterations = MOST_ITERATIONS;
  double shortest = 1e9;
  for (int i = -WARM_UP; i < iterations; i++) {
    for (size_t k = 0; k < n; k++) in[k] = input(rank, k, i);
    barrier();
    double begun = now();
    call(c, in, out, n);
    double ended = now(), time = largest(ended) - largest(begun);
    volatile float sink = 0;
    for (size_t k = 0; k < n; k++) sink += out[k];
    if (i >= 0) took[count++] = time;
    if (i < 0 || i == iterations - 1) verify(c, out, n, i);
    if (i < 0) {
      double whole = largest(now() - begun);
      if (whole < shortest) shortest = whole;
    }
    if (i == -1) {
      iterations = seconds / shortest < MOST_ITERATIONS ? (int)(seconds / shortest) : MOST_ITERATIONS;
      if (iterations < 7) iterations = 7;
    }
  }
  qsort(took, (size_t)count, sizeof *took, ascending);
  if (rank == 0)
    printf("%s,%d,%zu,%.2f,%.2f,%.2f\n", names[c], size, n * sizeof *in, took[count / 2] * 1e6, took[0] * 1e6,
           took[(int)(count * 0.99)] * 1e6);
  fflush(stdout);
}

int main(int argc, char **argv) {
  start(&argc, &argv);
  const char *name = argc > 1 ? argv[1] : "allreduce", *seconds = getenv("YARD_SECONDS");
  size_t least = argc > 2 ? strtoull(argv[2], NULL, 0) : 8, most = argc > 3 ? strtoull(argv[3], NULL, 0) : 32 << 20;
  int shared = argc > 4 && !strcmp(argv[4], "alloc"), c = 0;
  while (c < COLLECTIVES && strcmp(names[c], name)) c++;
  if (c == COLLECTIVES || least < sizeof(float) || most < least) {
    fprintf(stderr, "usage: yardstick allreduce|broadcast|barrier [LEAST [MOST [alloc]]] (bytes)\n");
    return 2;
  }
  float *in = memory(most, shared), *out = memory(most, shared);
  for (size_t bytes = least; bytes <= most; bytes *= 4) {
    measure((enum collective)c, in, out, bytes / sizeof *in, seconds ? atof(seconds) : 0.4);
    if (c == BARRIER) break;
  }
  stop();
  return 0;
}
