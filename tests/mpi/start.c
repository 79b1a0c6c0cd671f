/* A job may be started within one of another MPI, and then has the variables of that one's launcher, too.
 *
 * run mpich: 3 PMIX_NAMESPACE=other OMPI_COMM_WORLD_LOCAL_SIZE=2 %p
 * run openmpi: 3 PMI_FD=5 MPI_LOCALNRANKS=2 %p
 * serves: allreduce
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
