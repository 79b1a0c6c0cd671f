/* Each rank brings its number, and all of them get the sum.
 *
 *   make                                  builds build/lib/libhcomm.so, build/include/hcomm.h, build/bin/hcomm
 *   gcc -Ibuild/include -o build/hello examples/hello.c -Lbuild/lib -lhcomm -Wl,-rpath,"$PWD/build/lib"
 *   build/bin/hcomm run -n 4 build/hello
 */
#include <hcomm.h>
#include <stdio.h>

int main(void) {
  hcommComm_t comm;
  int rank, sum;
  if (hcommCommInitEnv(&comm) != hcommSuccess ||                                          /* join the job */
      hcommCommUserRank(comm, &rank) != hcommSuccess ||                                   /* who am I? */
      hcommAllReduce(&rank, &sum, 1, hcommInt32, hcommSum, comm, NULL) != hcommSuccess) { /* add up */
    fprintf(stderr, "%s\n", hcommGetLastError(NULL));
    return 1;
  }
  printf("I am rank %d, and all ranks' numbers add up to %d\n", rank, sum);
  return hcommCommDestroy(comm) != hcommSuccess;
}
