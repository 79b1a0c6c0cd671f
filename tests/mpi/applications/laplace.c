/* laplace.c: PETSc solves a Laplacian in two dimensions by conjugate gradients, some times. Each step adds up three numbers
 * over all ranks.
 *
 * Usage: laplace -n POINTS (on a side) -times TIMES
 */
#include <petscksp.h>

static PetscErrorCode fill(Mat a, PetscInt n) {
  PetscInt first, last;
  PetscCall(MatGetOwnershipRange(a, &first, &last));
  for (PetscInt row = first; row < last; row++) {
    PetscInt i = row / n, j = row % n;
    PetscCall(MatSetValue(a, row, row, 4, INSERT_VALUES));
    if (i > 0) PetscCall(MatSetValue(a, row, row - n, -1, INSERT_VALUES));
    if (i < n - 1) PetscCall(MatSetValue(a, row, row + n, -1, INSERT_VALUES));
    if (j > 0) PetscCall(MatSetValue(a, row, row - 1, -1, INSERT_VALUES));
    if (j < n - 1) PetscCall(MatSetValue(a, row, row + 1, -1, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
  return 0;
}

int main(int argc, char **argv) {
  PetscInt n = 100, times = 1, steps;
  PetscReal length;
  Mat a;
  Vec x, b, ones;
  KSP solver;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-times", &times, NULL));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, n * n, n * n, 5, NULL, 2, NULL, &a));
  PetscCall(fill(a, n));
  PetscCall(MatCreateVecs(a, &ones, &b));
  PetscCall(VecDuplicate(b, &x));
  PetscCall(VecSet(ones, 1));
  PetscCall(MatMult(a, ones, b));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &solver));
  PetscCall(KSPSetOperators(solver, a, a));
  PetscCall(KSPSetType(solver, KSPCG));
  PetscCall(KSPSetTolerances(solver, 1e-12, PETSC_DEFAULT, PETSC_DEFAULT, 100000));
  PetscCall(KSPSetFromOptions(solver));
  double since = MPI_Wtime();
  for (PetscInt i = 0; i < times; i++) {
    PetscCall(VecSet(x, 0));
    PetscCall(KSPSolve(solver, b, x));
  }
  double seconds = MPI_Wtime() - since;
  PetscCall(VecNorm(x, NORM_2, &length));
  PetscCall(KSPGetIterationNumber(solver, &steps));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "result: %d steps, length %.9f\nseconds: %.3f\n", (int)steps, (double)length, seconds));
  PetscCall(PetscFinalize());
  return 0;
}
