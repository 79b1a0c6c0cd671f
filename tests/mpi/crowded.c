/* What hcomm does no faster among ranks that share a processor is passed on: with Open MPI broadcasts and scatters.
 *
 * run openmpi: 2 before=libprocessor.so HCOMM_MPI_ALWAYS=0 %p
 * serves: allreduce
 * passes: bcast scatter
 * needs: libprocessor.c
 */
#include "check.h"

int main(void) {
  int sum, mine, each[64];
  begin();
  for (int i = 0; i < 20; i++) {
    TRYING("turn %d", i);
    sum = rank ? -1 : i;
    OK(MPI_Bcast(&sum, 1, MPI_INT, 0, WORLD));
    CHECK(sum == i);
    for (int r = 0; r < size; r++) each[r] = r + i;
    OK(MPI_Scatter(each, 1, MPI_INT, &mine, 1, MPI_INT, 0, WORLD));
    CHECK(mine == rank + i);
    OK(MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, WORLD));
    CHECK(sum == size * i);
  }
  end();
}
