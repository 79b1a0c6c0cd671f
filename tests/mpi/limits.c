/* Where a process may have less than libhcomm.so needs to start, the job goes on with the MPI alone.
 *
 * run: 2 prlimit --as=1000000000 %p
 * run openmpi: 2 prlimit --nofile=20 %p
 */
#include "check.h"

int main(void) {
  begin();
  for (int i = 0; i < 20; i++) {
    int sum = -1;
    OK(MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, WORLD));
    CHECK(sum == size * i);
  }
  end();
}
