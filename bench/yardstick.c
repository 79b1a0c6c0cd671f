/* yardstick.c: times a collective in the same way on hcomm and on any MPI.
 *
 *   mpicc -O2 yardstick.c -o yard_mpi                       mpirun -n 2 ./yard_mpi allreduce 8 33554432
 *   cc -O2 -DHCOMM yardstick.c -lhcomm -o yard_hcomm        hcomm run -n 2 ./yard_hcomm allreduce 8 33554432 [MEMORY]
 *
 * Each iteration rewrites the input, synchronises, times the call and reads the output, so that no figure rests on data
 * that lay unmodified in a cache. A row is the median over the iterations of the time from the last rank's entry to the
 * last rank's return; all ranks share one host's clock. Results are verified before and after. For allgather,
 * reducescatter and alltoall "bytes" are those of one rank's block, for the others those of the whole buffer.
 * MEMORY: malloc; alloc: buffers from hcommMemAlloc or MPI_Alloc_mem; register: malloc and hcommCommRegister.
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
enum collective { ALLREDUCE, REDUCE, BROADCAST, ALLGATHER, REDUCESCATTER, ALLTOALL, BARRIER, COLLECTIVES };
static const char *const names[COLLECTIVES] = {"allreduce", "reduce", "broadcast", "allgather", "reducescatter", "alltoall",
                                               "barrier"};

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

enum kind { MALLOC, ALLOC, REGISTER, KINDS };
static const char *const kinds[KINDS] = {"malloc", "alloc", "register"};

static void *memory(size_t bytes, enum kind kind, void **handle) {
  void *p = NULL;
  if (kind != ALLOC) p = malloc(bytes);
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
#ifdef HCOMM
  if (kind == REGISTER) CHECK(hcommCommRegister(comm, p, bytes, handle));
#else
  (void)handle;
#endif
  return p;
}

static void give_back(void *p, enum kind kind, void *handle) {
#ifdef HCOMM
  if (kind == REGISTER) CHECK(hcommCommDeregister(comm, handle));
  if (kind == ALLOC) CHECK(hcommMemFree(p));
#else
  (void)handle;
  if (kind == ALLOC) MPI_Free_mem(p);
#endif
  if (kind != ALLOC) free(p);
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

/* How many blocks each buffer holds. */
static size_t blocks_in(enum collective c) { return c == REDUCESCATTER || c == ALLTOALL ? (size_t)size : 1; }
static size_t blocks_out(enum collective c) { return c == ALLGATHER || c == ALLTOALL ? (size_t)size : 1; }

/* n: floats in a block */
static void call(enum collective c, float *in, float *out, size_t n) {
#ifdef HCOMM
  switch (c) {
  case ALLREDUCE: CHECK(hcommAllReduce(in, out, n, hcommFloat32, hcommSum, comm, NULL)); break;
  case REDUCE: CHECK(hcommReduce(in, out, n, hcommFloat32, hcommSum, 0, comm, NULL)); break;
  case BROADCAST: CHECK(hcommBroadcast(in, out, n, hcommFloat32, 0, comm, NULL)); break;
  case ALLGATHER: CHECK(hcommAllGather(in, out, n, hcommFloat32, comm, NULL)); break;
  case REDUCESCATTER: CHECK(hcommReduceScatter(in, out, n, hcommFloat32, hcommSum, comm, NULL)); break;
  case ALLTOALL: CHECK(hcommAlltoAll(in, out, n, hcommFloat32, comm, NULL)); break;
  default: barrier();
  }
#else
  int m = (int)n;
  switch (c) {
  case ALLREDUCE: MPI_Allreduce(in, out, m, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); break;
  case REDUCE: MPI_Reduce(in, out, m, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD); break;
  case BROADCAST: MPI_Bcast(rank ? out : in, m, MPI_FLOAT, 0, MPI_COMM_WORLD); break;
  case ALLGATHER: MPI_Allgather(in, m, MPI_FLOAT, out, m, MPI_FLOAT, MPI_COMM_WORLD); break;
  case REDUCESCATTER: MPI_Reduce_scatter_block(in, out, m, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); break;
  case ALLTOALL: MPI_Alltoall(in, m, MPI_FLOAT, out, m, MPI_FLOAT, MPI_COMM_WORLD); break;
  default: barrier();
  }
#endif
}

/* Small integers, so that every sum is exact, and such that no two ranks or iterations look alike. */
static float input(int r, size_t i, int iteration) {
  return (float)(((uint32_t)i * 2654435761u >> 7 & 255) + 37u * (unsigned)(r * r) % 251 + ((unsigned)iteration & 7));
}

/* What element i of the result must be. */
static float expected(enum collective c, size_t i, size_t n, int iteration) {
  size_t own = n * (size_t)rank;
  float sum = 0;
  switch (c) {
  case BROADCAST: return input(0, i, iteration);
  case ALLGATHER: return input((int)(i / n), i % n, iteration);
  case ALLTOALL: return input((int)(i / n), i % n + own, iteration);
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
      fprintf(stderr, "WRONG: %s, rank %d, element %zu of %zu: %g, not %g\n", names[c], rank, i, all, out[i], want);
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
    for (size_t k = 0; k < n * blocks_in(c); k++) in[k] = input(rank, k, i);
    barrier();
    double begun = now();
    call(c, in, out, n);
    double ended = now(), time = largest(ended) - largest(begun);
    volatile float sink = 0;
    for (size_t k = 0; k < n * blocks_out(c); k++) sink += out[k];
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
  int c = 0, k = 0;
  void *handles[2] = {NULL, NULL};
  while (c < COLLECTIVES && strcmp(names[c], name)) c++;
  while (argc > 4 && k < KINDS && strcmp(kinds[k], argv[4])) k++;
  if (c == COLLECTIVES || k == KINDS || least < sizeof(float) || most < least) {
    fprintf(stderr, "usage: yardstick COLLECTIVE [LEAST [MOST [malloc|alloc|register]]] (bytes); COLLECTIVE is one of\n");
    for (c = 0; c < COLLECTIVES; c++) fprintf(stderr, "  %s\n", names[c]);
    return 2;
  }
  float *in = memory(most * blocks_in((enum collective)c), (enum kind)k, &handles[0]);
  float *out = memory(most * blocks_out((enum collective)c), (enum kind)k, &handles[1]);
  for (size_t bytes = least; bytes <= most; bytes *= 4) {
    measure((enum collective)c, in, out, bytes / sizeof *in, seconds ? atof(seconds) : 0.4);
    if (c == BARRIER) break;
  }
  give_back(in, (enum kind)k, handles[0]);
  give_back(out, (enum kind)k, handles[1]);
  stop();
  return 0;
}
