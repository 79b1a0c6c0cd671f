/* A job ends, with the status that its launcher gives to such an end, when one rank does while the others are in collectives.
 *
 *   abort abort I     the last rank calls MPI_Abort with status 7
 *   abort kill I      it is killed
 *   abort exit I      it returns without MPI_Finalize, with status 3
 *
 * I is 1 if the others wait in an I-form.
 *
 * run: 1 status=7 %p abort 0
 * run: 2 status=7 %p abort 0
 * run: 3 status=7 %p abort 1
 * run openmpi: 3 status=137 %p kill 0
 * run openmpi: 2 status=137 %p kill 1
 * run openmpi: 2 status=3 %p exit 0
 * run mpich: 2 status=9 %p kill 0
 * run mpich: 2 status=9 %p kill 1
 * run mpich: 2 status=3 %p exit 0
 * timeout: 10
 */
#include "check.h"

static void fall(const char *how) {
  if (!strcmp(how, "abort")) MPI_Abort(WORLD, 7);
  if (!strcmp(how, "kill")) raise(SIGKILL);
  _exit(3);
}

int main(int argc, char **argv) {
  int sum;
  CHECK(argc == 3);
  begin();
  for (int i = 0;; i++) {
    MPI_Request q;
    OK(MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, WORLD));
    CHECK(sum == size * i);
    if (i == 20 && rank == size - 1) fall(argv[1]);
    if (atoi(argv[2]) == 0) continue;
    OK(MPI_Iallreduce(&i, &sum, 1, MPI_INT, MPI_MAX, WORLD, &q));
    OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
  }
}
