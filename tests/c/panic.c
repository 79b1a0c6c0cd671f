/* A panic in the library's Go code becomes hcommInternalError, or HCOMM_ERR_INTERN, on all ranks; the communicator is
 * poisoned, the process lives and can make another. It needs a library that was built with the tag hcomm_provoke; see
 * tests/panic.sh.
 *
 *   panic FUNCTION     rank 0 panics in that function
 *
 * run: tests/panic.sh %p
 * timeout: 300
 */
#include "check.h"

enum { COUNT = 1000, RANKS = 3 }; /* COUNT is too many for the exchanges in C, where no panic is */

static int rank, size, mpi;
static hcommComm_t comm, aside; /* aside: its ranks meet there, for its calls are not the ones that panic */
static HCOMM_Comm mpi_aside;
static float x[COUNT * RANKS], z[COUNT * RANKS];
static int8_t y[8];

/* Around the ring, by sends and receives; rank 0 begins. */
static int ring(void) {
  int to = (rank + 1) % size, from = (rank + size - 1) % size, failed = 0;
  for (int turn = 0; turn < 2 && !failed; turn++) {
    int sends = (rank == 0) == (turn == 0);
    if (mpi && sends) failed = HCOMM_Send(x, COUNT, HCOMM_FLOAT, to, 1, HCOMM_COMM_WORLD);
    else if (mpi) failed = HCOMM_Recv(z, COUNT, HCOMM_FLOAT, from, 1, HCOMM_COMM_WORLD, HCOMM_STATUS_IGNORE);
    else if (sends) failed = hcommSend(x, COUNT, hcommFloat32, to, comm, NULL);
    else failed = hcommRecv(z, COUNT, hcommFloat32, from, comm, NULL);
  }
  return failed;
}

static int group(void) {
  OK(hcommGroupStart());
  OK(hcommAllReduce(x, x, COUNT, hcommFloat32, hcommSum, comm, NULL));
  OK(hcommBarrier(comm, NULL));
  return hcommGroupEnd();
}

static int another(int split) {
  hcommComm_t made;
  int failed = split ? hcommCommSplit(comm, 0, 0, &made, NULL) : hcommCommDup(comm, &made);
  if (!failed) OK(hcommCommDestroy(made));
  return failed;
}

static int call(const char *function) {
  if (!strcmp(function, "hcommGroupEnd")) return group();
  if (!strcmp(function, "hcommCommSplit")) return another(1);
  if (!strcmp(function, "hcommCommDup")) return another(0);
  if (strstr(function, "Sendrecv"))
    return HCOMM_Sendrecv(x, COUNT, HCOMM_FLOAT, (rank + 1) % size, 1, z, COUNT, HCOMM_FLOAT, HCOMM_ANY_SOURCE, 1,
                          HCOMM_COMM_WORLD, HCOMM_STATUS_IGNORE);
  if (strstr(function, "Send") || strstr(function, "Recv")) return ring();
  if (!strcmp(function, "hcommAllReduce")) return hcommAllReduce(x, x, COUNT, hcommFloat32, hcommSum, comm, NULL);
  if (!strcmp(function, "hcommBroadcast")) return hcommBroadcast(x, x, COUNT, hcommFloat32, 0, comm, NULL);
  if (!strcmp(function, "hcommReduce")) return hcommReduce(x, z, COUNT, hcommFloat32, hcommSum, 1, comm, NULL);
  if (!strcmp(function, "hcommAllGather")) return hcommAllGather(x, z, COUNT, hcommFloat32, comm, NULL);
  if (!strcmp(function, "hcommReduceScatter")) return hcommReduceScatter(x, z, COUNT, hcommFloat32, hcommSum, comm, NULL);
  if (!strcmp(function, "hcommAlltoAll")) return hcommAlltoAll(x, z, COUNT, hcommFloat32, comm, NULL);
  if (!strcmp(function, "hcommGather")) return hcommGather(x, z, COUNT, hcommFloat32, 0, comm, NULL);
  if (!strcmp(function, "hcommScatter")) return hcommScatter(x, z, COUNT, hcommFloat32, 0, comm, NULL);
  if (!strcmp(function, "hcommBarrier")) return hcommBarrier(comm, NULL);
  if (!strcmp(function, "HCOMM_Allreduce"))
    return HCOMM_Allreduce(HCOMM_IN_PLACE, x, COUNT, HCOMM_FLOAT, HCOMM_SUM, HCOMM_COMM_WORLD);
  if (!strcmp(function, "HCOMM_Bcast")) return HCOMM_Bcast(x, COUNT, HCOMM_FLOAT, 0, HCOMM_COMM_WORLD);
  if (!strcmp(function, "HCOMM_Reduce"))
    return HCOMM_Reduce(x, z, COUNT, HCOMM_FLOAT, HCOMM_SUM, 1, HCOMM_COMM_WORLD);
  if (!strcmp(function, "HCOMM_Allgather"))
    return HCOMM_Allgather(x, COUNT, HCOMM_FLOAT, z, COUNT, HCOMM_FLOAT, HCOMM_COMM_WORLD);
  if (!strcmp(function, "HCOMM_Reduce_scatter_block"))
    return HCOMM_Reduce_scatter_block(x, z, COUNT, HCOMM_FLOAT, HCOMM_SUM, HCOMM_COMM_WORLD);
  if (!strcmp(function, "HCOMM_Alltoall"))
    return HCOMM_Alltoall(x, COUNT, HCOMM_FLOAT, z, COUNT, HCOMM_FLOAT, HCOMM_COMM_WORLD);
  if (!strcmp(function, "HCOMM_Gather"))
    return HCOMM_Gather(x, COUNT, HCOMM_FLOAT, z, COUNT, HCOMM_FLOAT, 0, HCOMM_COMM_WORLD);
  if (!strcmp(function, "HCOMM_Scatter"))
    return HCOMM_Scatter(x, COUNT, HCOMM_FLOAT, z, COUNT, HCOMM_FLOAT, 0, HCOMM_COMM_WORLD);
  if (!strcmp(function, "HCOMM_Barrier")) return HCOMM_Barrier(HCOMM_COMM_WORLD);
  if (!strcmp(function, "HCOMM_Comm_dup")) {
    HCOMM_Comm dup;
    int failed = HCOMM_Comm_dup(HCOMM_COMM_WORLD, &dup);
    return failed ? failed : HCOMM_Comm_free(&dup);
  }
  if (!strcmp(function, "HCOMM_Iallreduce") || !strcmp(function, "HCOMM_Wait")) {
    HCOMM_Request q;
    int failed = HCOMM_Iallreduce(x, z, COUNT, HCOMM_FLOAT, HCOMM_SUM, HCOMM_COMM_WORLD, &q);
    return failed ? failed : HCOMM_Wait(&q, HCOMM_STATUS_IGNORE);
  }
  FAIL("there is no %s", function);
}

/* What else there is on the communicator. */
static int small_call(void) {
  if (mpi) return HCOMM_Allreduce(HCOMM_IN_PLACE, y, 8, HCOMM_INT8_T, HCOMM_MAX, HCOMM_COMM_WORLD);
  return hcommAllReduce(x, x, 1, hcommFloat32, hcommSum, comm, NULL);
}

/* Nobody panics before all have left the calls that must succeed: what poisons a communicator ends those calls, too. */
static void meet(void) {
  if (mpi) OK(HCOMM_Barrier(mpi_aside));
  else OK(hcommBarrier(aside, NULL));
}

int main(int argc, char **argv) {
  CHECK(argc > 1);
  mpi = !strncmp(argv[1], "HCOMM_", 6);
  const int code = mpi ? HCOMM_ERR_INTERN : hcommInternalError;
  if (mpi) {
    OK(HCOMM_Init(NULL, NULL));
    errors_return();
    OK(HCOMM_Comm_rank(HCOMM_COMM_WORLD, &rank));
    OK(HCOMM_Comm_size(HCOMM_COMM_WORLD, &size));
    OK(HCOMM_Comm_dup(HCOMM_COMM_WORLD, &mpi_aside));
  } else {
    OK(hcommCommInitEnv(&comm));
    OK(hcommCommUserRank(comm, &rank));
    OK(hcommCommCount(comm, &size));
    OK(hcommCommDup(comm, &aside));
  }
  check_rank = rank;
  for (int i = 0; i < 3; i++) {
    OK(call(argv[1]));
    OK(small_call());
  }
  meet();
  TRYING("the panic");
  if (rank == 0) setenv("HCOMM_TEST_PANIC", argv[1], 1);
  int told = call(argv[1]);
  if (!told && rank) told = small_call(); /* who needs nothing from rank 0 learns of it in the next call */
  FAILS(code, "panic;provoked", told);
  unsetenv("HCOMM_TEST_PANIC");
  if (rank == 0) CHECK(!strncmp(hcommGetLastError(NULL), argv[1], strlen(argv[1])));
  else CHECK(strstr(hcommGetLastError(NULL), "rank 0 (host "));
  TRYING("after the panic");
  for (int i = 0; i < 3; i++) {
    FAILS(code, "rank 0 (host ;panic;provoked", call(argv[1]));
    FAILS(code, "rank 0 (host ;panic;provoked", small_call());
  }
  int n = 0;
  if (mpi) {
    OK(HCOMM_Comm_size(HCOMM_COMM_WORLD, &n));
    OK(HCOMM_Allreduce(HCOMM_IN_PLACE, y, 8, HCOMM_INT8_T, HCOMM_MAX, HCOMM_COMM_SELF));
    OK(HCOMM_Comm_free(&mpi_aside));
    OK(HCOMM_Finalize());
  } else {
    OK(hcommCommCount(comm, &n));
    OK(hcommCommDestroy(aside));
    OK(hcommCommDestroy(comm));
  }
  CHECK(n == size);
  TRYING("another communicator");
  OK(hcommCommInitEnv(&comm));
  OK(hcommAllReduce(x, x, COUNT, hcommFloat32, hcommSum, comm, NULL));
  OK(hcommCommDestroy(comm));
  printf("rank %d lives\n", rank);
  return 0;
}
