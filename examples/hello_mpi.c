/* hello.c with the MPI-style half of the header: each rank brings its number, and all of them get the sum.
 *
 *   gcc -Ibuild/include -o build/hello_mpi examples/hello_mpi.c -Lbuild/lib -lhcomm -Wl,-rpath,"$PWD/build/lib"
 *   build/bin/hcomm run -n 4 build/hello_mpi
 */
#include <hcomm.h>
#include <stdio.h>

int main(void) {
  int rank, sum;
  if (HCOMM_Init(NULL, NULL) != HCOMM_SUCCESS) { /* later errors end the job, with a sentence, as in MPI */
    fprintf(stderr, "%s\n", hcommGetLastError(NULL));
    return 1;
  }
  HCOMM_Comm_rank(HCOMM_COMM_WORLD, &rank);
  HCOMM_Allreduce(&rank, &sum, 1, HCOMM_INT, HCOMM_SUM, HCOMM_COMM_WORLD);
  printf("I am rank %d, and all ranks' numbers add up to %d\n", rank, sum);
  return HCOMM_Finalize() != HCOMM_SUCCESS;
}
