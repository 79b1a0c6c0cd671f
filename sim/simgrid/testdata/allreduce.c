/* One allreduce of argv[1] bytes, for SMPI. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int n = argc > 1 ? atoi(argv[1]) / (int)sizeof(float) : 0;
  float *send = calloc(n, sizeof *send), *receive = calloc(n, sizeof *receive);
  MPI_Allreduce(send, receive, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  free(send);
  free(receive);
  return MPI_Finalize();
}
