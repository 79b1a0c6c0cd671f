/* Wrong arguments: the error is that of the MPI, by the program's own error handler or as a result, and everything works
 * afterwards. One buffer that is given twice, without MPI_IN_PLACE, does what it does in that MPI. What happened is printed,
 * and must be the same whether the collectives are served or not. Not with MPICH: Debian's does not look at arguments, and
 * crashes.
 *
 * run openmpi: 1 %p
 * run openmpi: 2 %p
 * run openmpi: 4 %p
 * same: result
 * serves: allreduce bcast iallreduce
 */
#include "check.h"

enum { COUNT = 6, MOST_RANKS = 4, MOST = COUNT * MOST_RANKS };

static MPI_Comm comm;
static int handled, x[MOST], y[MOST];

static void handler(MPI_Comm *c, int *code, ...) {
  CHECK(*c == comm && *code != MPI_SUCCESS);
  handled++;
}

/* works: the communicator does, and gives what it must. */
static void works(void) {
  int sum, word = rank == 0 ? 42 : 0;
  MPI_Request q;
  OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
  CHECK(sum == size * (size - 1) / 2);
  OK(MPI_Bcast(&word, 1, MPI_INT, 0, comm));
  CHECK(word == 42);
  OK(MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_MAX, comm, &q));
  OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
  CHECK(sum == size - 1);
}

/* A request that an error has left: MPI says nothing of it. */
static MPI_Request request;

/* WRONG(call): an error, of whatever class it is. */
#define WRONG(call) wrong(#call, call)

/* One rank tells, for launchers tear lines of several apart. */
static int tells(void) { return rank == size - 1; }

static void wrong(const char *call, int result) {
  int class;
  TRYING("%s", call);
  OK(MPI_Error_class(result, &class));
  if (tells()) printf("result: %s: class %d, handled %d times\n", call, class, handled);
  if (result == MPI_SUCCESS) FAIL("no error");
  handled = 0;
  works();
}

static void reductions(void) {
  WRONG(MPI_Allreduce(x, y, -1, MPI_INT, MPI_SUM, comm));
  WRONG(MPI_Allreduce(x, y, 2, MPI_DATATYPE_NULL, MPI_SUM, comm));
  WRONG(MPI_Allreduce(x, y, 2, MPI_INT, MPI_OP_NULL, comm));
  WRONG(MPI_Allreduce(x, y, 2, MPI_FLOAT, MPI_BAND, comm));
  WRONG(MPI_Allreduce(x, y, 2, MPI_DOUBLE, MPI_LXOR, comm));
  WRONG(MPI_Allreduce(x, y, 2, MPI_INT, MPI_MAXLOC, comm));
  WRONG(MPI_Allreduce(x, MPI_IN_PLACE, 2, MPI_INT, MPI_SUM, comm));
  WRONG(MPI_Allreduce(MPI_IN_PLACE, MPI_IN_PLACE, 2, MPI_INT, MPI_SUM, comm));
  WRONG(MPI_Allreduce(x, y, 2, MPI_INT, MPI_SUM, MPI_COMM_NULL));
  WRONG(MPI_Reduce(x, y, 2, MPI_INT, MPI_SUM, size, comm));
  WRONG(MPI_Reduce(x, y, 2, MPI_INT, MPI_SUM, -1, comm));
  WRONG(MPI_Reduce(x, y, -7, MPI_INT, MPI_SUM, 0, comm));
  WRONG(MPI_Reduce(x, y, 2, MPI_INT, MPI_OP_NULL, 0, comm));
  WRONG(MPI_Reduce_scatter_block(x, MPI_IN_PLACE, 2, MPI_INT, MPI_SUM, comm));
  WRONG(MPI_Reduce_scatter_block(x, y, -1, MPI_INT, MPI_SUM, comm));
  WRONG(MPI_Reduce_scatter_block(x, y, 2, MPI_DATATYPE_NULL, MPI_SUM, comm));
  WRONG(MPI_Reduce_scatter_block(x, y, 2, MPI_INT, MPI_OP_NULL, comm));
  WRONG(MPI_Iallreduce(x, y, -1, MPI_INT, MPI_SUM, comm, &request));
  WRONG(MPI_Iallreduce(x, y, 2, MPI_DATATYPE_NULL, MPI_SUM, comm, &request));
  WRONG(MPI_Iallreduce(x, y, 2, MPI_INT, MPI_OP_NULL, comm, &request));
  WRONG(MPI_Ireduce(x, y, 2, MPI_INT, MPI_SUM, size, comm, &request));
}

static void movements(void) {
  WRONG(MPI_Bcast(x, -1, MPI_INT, 0, comm));
  WRONG(MPI_Bcast(x, 2, MPI_DATATYPE_NULL, 0, comm));
  WRONG(MPI_Bcast(x, 2, MPI_INT, size, comm));
  WRONG(MPI_Bcast(x, 2, MPI_INT, -1, comm));
  WRONG(MPI_Bcast(x, 2, MPI_INT, 0, MPI_COMM_NULL));
  WRONG(MPI_Allgather(x, -1, MPI_INT, y, 2, MPI_INT, comm));
  WRONG(MPI_Allgather(x, 2, MPI_INT, y, -2, MPI_INT, comm));
  WRONG(MPI_Allgather(x, 2, MPI_INT, y, 2, MPI_DATATYPE_NULL, comm));
  WRONG(MPI_Alltoall(x, -1, MPI_INT, y, -1, MPI_INT, comm));
  WRONG(MPI_Alltoall(x, 2, MPI_DATATYPE_NULL, y, 2, MPI_DATATYPE_NULL, comm));
  WRONG(MPI_Gather(x, 2, MPI_INT, y, 2, MPI_INT, size, comm));
  WRONG(MPI_Gather(x, -1, MPI_INT, y, -1, MPI_INT, 0, comm));
  WRONG(MPI_Scatter(x, 2, MPI_INT, y, 2, MPI_INT, size + 5, comm));
  WRONG(MPI_Scatter(x, -1, MPI_INT, y, -1, MPI_INT, 0, comm));
  WRONG(MPI_Barrier(MPI_COMM_NULL));
  WRONG(MPI_Bcast(MPI_IN_PLACE, 2, MPI_INT, 0, comm));
  WRONG(MPI_Allgather(x, 2, MPI_INT, MPI_IN_PLACE, 2, MPI_INT, comm));
  WRONG(MPI_Alltoall(x, 2, MPI_INT, MPI_IN_PLACE, 2, MPI_INT, comm));
  WRONG(MPI_Ibcast(x, 2, MPI_INT, size, comm, &request));
  WRONG(MPI_Ialltoall(x, 2, MPI_INT, y, -1, MPI_INT, comm, &request));
  WRONG(MPI_Iscatter(x, 2, MPI_INT, y, 2, MPI_INT, -1, comm, &request));
}

/* alone: one rank errs while the others are in the call. */
static void alone(void) {
  for (int i = 0; i < 3 * size; i++) {
    int word = rank == 0 ? i : -1;
    TRYING("rank %d errs alone", i % size);
    if (rank == i % size) {
      CHECK(MPI_Bcast(&word, 1, MPI_INT, size, comm) != MPI_SUCCESS);
      CHECK(MPI_Allreduce(&word, y, -1, MPI_INT, MPI_SUM, comm) != MPI_SUCCESS);
    }
    OK(MPI_Bcast(&word, 1, MPI_INT, 0, comm));
    CHECK(word == i);
  }
  handled = 0;
}

static void fill(void) {
  for (int i = 0; i < MOST; i++) x[i] = rank * 100 + i, y[i] = -1;
}

/* TWICE(call, what): y is both buffers, or has the one in the other. */
#define TWICE(call, length)                            \
  do {                                                 \
    fill();                                            \
    memcpy(y, x, sizeof y);                            \
    twice(#call, call, length);                        \
  } while (0)

static void twice(const char *call, int result, int length) {
  int class;
  unsigned hash = 0;
  TRYING("%s", call);
  OK(MPI_Error_class(result, &class));
  for (int i = 0; result == MPI_SUCCESS && i < length; i++) hash = hash * 31 + (unsigned)y[i];
  if (tells()) printf("result: %s: class %d, handled %d times, %u\n", call, class, handled, hash);
  handled = 0;
}

static void aliases(void) {
  int n = COUNT, all = COUNT * size, at_0 = rank == 0;
  TWICE(MPI_Allreduce(y, y, n, MPI_INT, MPI_SUM, comm), n);
  TWICE(MPI_Iallreduce(y, y, n, MPI_INT, MPI_SUM, comm, &request), 0);
  if (handled == 0 && request != MPI_REQUEST_NULL) MPI_Wait(&request, MPI_STATUS_IGNORE);
  TWICE(MPI_Allgather(y + rank * n, n, MPI_INT, y, n, MPI_INT, comm), all);
  if (size > 1) return; /* in rooted calls the root alone may have an error, and the others wait for it */
  TWICE(MPI_Reduce(y, y, n, MPI_INT, MPI_SUM, 0, comm), at_0 ? n : 0);
  TWICE(MPI_Gather(y + rank * n, n, MPI_INT, y, n, MPI_INT, 0, comm), at_0 ? all : 0);
  TWICE(MPI_Scatter(y, n, MPI_INT, y + rank * n, n, MPI_INT, 0, comm), n);
}

static void all_of_it(void) {
  request = MPI_REQUEST_NULL;
  works();
  reductions();
  movements();
  alone();
  works();
}

int main(void) {
  MPI_Errhandler own;
  begin();
  CHECK(size <= MOST_RANKS);
  OK(MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN));
  OK(MPI_Comm_create_errhandler(handler, &own));
  comm = WORLD;
  all_of_it();
  OK(MPI_Comm_dup(WORLD, &comm));
  all_of_it();
  OK(MPI_Comm_set_errhandler(comm, own));
  all_of_it();
  aliases();
  OK(MPI_Errhandler_free(&own));
  OK(MPI_Comm_free(&comm));
  end();
}
