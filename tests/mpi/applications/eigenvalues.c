/* eigenvalues.c: ScaLAPACK finds the eigenvalues of a symmetric matrix. BLACS, below it, broadcasts and adds up in rows and
 * columns of a grid of ranks.
 *
 * Usage: eigenvalues ORDER
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

void Cblacs_get(int, int, int *);
void Cblacs_gridinit(int *, const char *, int, int);
void Cblacs_gridinfo(int, int *, int *, int *, int *);
void Cblacs_gridexit(int);
int numroc_(const int *, const int *, const int *, const int *, const int *);
void descinit_(int *, const int *, const int *, const int *, const int *, const int *, const int *, const int *, const int *, int *);
void pdelset_(double *, const int *, const int *, const int *, const double *);
void pdsyev_(const char *, const char *, const int *, double *, const int *, const int *, const int *, double *, double *,
             const int *, const int *, const int *, double *, const int *, int *);

static void fail(const char *what) {
  fprintf(stderr, "eigenvalues: %s\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char **argv) {
  static const int zero = 0, one = 1, block = 32;
  int rank, size, dims[2] = {0, 0}, grid, row, column, rows, columns, desc[9], info;
  int n = argc > 1 ? atoi(argv[1]) : 200;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 2, dims);
  Cblacs_get(0, 0, &grid);
  Cblacs_gridinit(&grid, "Row", dims[0], dims[1]);
  Cblacs_gridinfo(grid, &rows, &columns, &row, &column);
  int high = numroc_(&n, &block, &row, &zero, &rows), wide = numroc_(&n, &block, &column, &zero, &columns);
  int leading = high > 1 ? high : 1;
  descinit_(desc, &n, &n, &block, &block, &zero, &zero, &grid, &leading, &info);
  double *a = calloc((size_t)leading * (wide ? wide : 1), sizeof *a), *values = calloc(n, sizeof *values), best;
  if (info || !a || !values) fail("no room");
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= n; j++) {
      double x = 1.0 / (1 + abs(i - j)) + (i == j ? i % 7 : 0);
      pdelset_(a, &i, &j, desc, &x);
    }
  int length = -1;
  pdsyev_("N", "U", &n, a, &one, &one, desc, values, NULL, &one, &one, desc, &best, &length, &info);
  length = (int)best + 1;
  double *work = malloc((size_t)length * sizeof *work);
  double since = MPI_Wtime();
  pdsyev_("N", "U", &n, a, &one, &one, desc, values, NULL, &one, &one, desc, work, &length, &info);
  double seconds = MPI_Wtime() - since, sum = 0;
  if (info) fail("pdsyev has failed");
  for (int i = 0; i < n; i++) sum += values[i];
  if (rank == 0) printf("result: from %.9e to %.9e, in all %.9e\nseconds: %.3f\n", values[0], values[n - 1], sum, seconds);
  Cblacs_gridexit(grid);
  MPI_Finalize();
  return 0;
}
