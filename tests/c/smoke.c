/* The shortest way through everything, in both halves of the header.
 *
 * run: hcomm run -n 1 %p
 * run: hcomm run -n 2 %p
 * run: hcomm run -n 4 %p
 * run: tests/settings.sh %p
 */
#include <hcomm.h>

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      fprintf(stderr, "rank %d, line %d: %s; last error: %s\n", rank, __LINE__, #condition, hcommGetLastError(NULL));  \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

enum { MOST = 100000 };

static int rank = -1, size;

/* small enough for every sum to be exact */
static float input(int r, int i) { return (float)(i % 1000 + r); }

static float sum(int i) { return (float)(size * (i % 1000) + size * (size - 1) / 2); }

static void nccl_style(void) {
  static float in[MOST], out[MOST];
  static const int counts[] = {0, 1, 2, 33, 1000, MOST};
  hcommComm_t comm;
  size_t c;
  int i, root;
  CHECK(hcommCommInitEnv(&comm) == hcommSuccess);
  CHECK(hcommCommUserRank(comm, &rank) == hcommSuccess);
  CHECK(hcommCommCount(comm, &size) == hcommSuccess);
  if (getenv("HCOMM_RANK")) CHECK(rank == atoi(getenv("HCOMM_RANK")) && size == atoi(getenv("HCOMM_SIZE")));
  for (c = 0; c < sizeof counts / sizeof *counts; c++) {
    size_t n = (size_t)counts[c];
    for (i = 0; i < MOST; i++) in[i] = input(rank, i), out[i] = -1;
    CHECK(hcommAllReduce(in, out, n, hcommFloat32, hcommSum, comm, NULL) == hcommSuccess);
    for (i = 0; i < MOST; i++) CHECK(in[i] == input(rank, i) && out[i] == (i < counts[c] ? sum(i) : -1));
    for (root = 0; root < size; root++) {
      for (i = 0; i < MOST; i++) out[i] = -1;
      CHECK(hcommBroadcast(rank == root ? in : NULL, out, n, hcommFloat32, root, comm, NULL) == hcommSuccess);
      for (i = 0; i < MOST; i++) CHECK(out[i] == (i < counts[c] ? input(root, i) : -1));
    }
    CHECK(hcommBarrier(comm, NULL) == hcommSuccess);
  }
  CHECK(hcommCommDestroy(comm) == hcommSuccess);
}

static void mpi_style(void) {
  double x[3] = {rank + 1.0, 2, -rank};
  int i, r, n;
  CHECK(HCOMM_Init(NULL, NULL) == HCOMM_SUCCESS);
  CHECK(HCOMM_Comm_rank(HCOMM_COMM_WORLD, &r) == HCOMM_SUCCESS && r == rank);
  CHECK(HCOMM_Comm_size(HCOMM_COMM_WORLD, &n) == HCOMM_SUCCESS && n == size);
  CHECK(HCOMM_Allreduce(HCOMM_IN_PLACE, x, 3, HCOMM_DOUBLE, HCOMM_MAX, HCOMM_COMM_WORLD) == HCOMM_SUCCESS);
  CHECK(x[0] == size && x[1] == 2 && x[2] == 0);
  i = rank == size - 1 ? 4711 : 0;
  CHECK(HCOMM_Bcast(&i, 1, HCOMM_INT, size - 1, HCOMM_COMM_WORLD) == HCOMM_SUCCESS && i == 4711);
  CHECK(HCOMM_Barrier(HCOMM_COMM_WORLD) == HCOMM_SUCCESS);
  CHECK(HCOMM_Finalize() == HCOMM_SUCCESS);
}

int main(void) {
  nccl_style();
  mpi_style();
  return 0;
}
