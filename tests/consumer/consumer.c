/* A program of another project: says the versions of the header and of the library, and adds up the ranks' numbers. */
#include <hcomm.h>
#include <stdio.h>

int main(void) {
  hcommComm_t comm;
  int version, rank, ranks, sum;
  if (hcommGetVersion(&version) != hcommSuccess || hcommCommInitEnv(&comm) != hcommSuccess ||
      hcommCommUserRank(comm, &rank) != hcommSuccess || hcommCommCount(comm, &ranks) != hcommSuccess ||
      hcommAllReduce(&rank, &sum, 1, hcommInt32, hcommSum, comm, NULL) != hcommSuccess) {
    fprintf(stderr, "%s\n", hcommGetLastError(NULL));
    return 1;
  }
  if (rank == 0)
    printf("header %d.%d.%d, library %d, %d ranks, sum %d\n", HCOMM_MAJOR, HCOMM_MINOR, HCOMM_PATCH, version, ranks, sum);
  return hcommCommDestroy(comm) != hcommSuccess;
}
