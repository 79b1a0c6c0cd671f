/* An MPI program that knows nothing of hcomm: conjugate gradients for A x = b, where A has 2.001 on its diagonal and -1
 * beside it, and each rank has some rows. A turn has one exchange with each neighbour and two allreduces of a number.
 *
 *   mpicc -O2 -o cg cg.c -lm
 *   mpirun -n 2 ./cg
 *
 * docs/mpi.md says how its collectives are served by hcomm. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>

enum { ROWS = 2000 }; /* of each rank */

static int before, after; /* the neighbours */

/* times computes y = A x; x has a place at both ends for what the neighbours have there. */
static void times(double *x, double *y) {
  MPI_Sendrecv(&x[1], 1, MPI_DOUBLE, before, 0, &x[ROWS + 1], 1, MPI_DOUBLE, after, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(&x[ROWS], 1, MPI_DOUBLE, after, 0, &x[0], 1, MPI_DOUBLE, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int i = 1; i <= ROWS; i++) y[i] = 2.001 * x[i] - x[i - 1] - x[i + 1];
}

static double dot(const double *x, const double *y) {
  double sum = 0;
  for (int i = 1; i <= ROWS; i++) sum += x[i] * y[i];
  MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

static double x[ROWS + 2], r[ROWS + 2], p[ROWS + 2], q[ROWS + 2];

int main(int argc, char **argv) {
  int rank, size, turns = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  before = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  after = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
  for (int i = 1; i <= ROWS; i++) r[i] = p[i] = 1; /* b, for x is 0 */
  double start = MPI_Wtime(), rr = dot(r, r);
  while (rr > 1e-12 && turns < 10000) {
    times(p, q);
    double alpha = rr / dot(p, q), last = rr;
    for (int i = 1; i <= ROWS; i++) x[i] += alpha * p[i], r[i] -= alpha * q[i];
    rr = dot(r, r);
    for (int i = 1; i <= ROWS; i++) p[i] = r[i] + rr / last * p[i];
    turns++;
  }
  if (rank == 0) printf("%d ranks: %d turns, the residual is %.1e, %.0f ms\n", size, turns, sqrt(rr), (MPI_Wtime() - start) * 1e3);
  MPI_Finalize();
  return rr > 1e-12;
}
