/* What hcomm does no faster is passed on: a barrier that is begun, and at once waited for, where each rank has a processor.
 *
 * run: 2 HCOMM_MPI_ALWAYS=0 %p
 * run: 2 before=libprocessor.so TEST_PROCESSOR_EACH=1 HCOMM_MPI_ALWAYS=0 %p
 * serves: barrier allreduce
 * passes: ibarrier
 * needs: libprocessor.c
 */
#include "check.h"

int main(void) {
  int sum;
  MPI_Request q;
  begin();
  for (int i = 0; i < 20; i++) {
    TRYING("turn %d", i);
    OK(MPI_Ibarrier(WORLD, &q));
    OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
    OK(MPI_Barrier(WORLD));
    OK(MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, WORLD));
    CHECK(sum == size * i);
  }
  end();
}
