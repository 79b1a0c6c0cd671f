/* mpi_refused.h: calls that are refused, after each of which the communicator must still work. */
#ifndef MPI_REFUSED_H
#define MPI_REFUSED_H

#include "check.h"

static int rank, size; /* of HCOMM_COMM_WORLD */

static void works(void) {
  int32_t one = rank + 1;
  OK(HCOMM_Allreduce(HCOMM_IN_PLACE, &one, 1, HCOMM_INT, HCOMM_SUM, HCOMM_COMM_WORLD));
  CHECK(one == size * (size + 1) / 2);
}

#define REFUSED(class, words, call) \
  do {                              \
    FAILS(class, words, call);      \
    works();                        \
  } while (0)

#endif
