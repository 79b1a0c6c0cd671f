/* What one rank sees alone is an error on all, and nobody waits for ever: the root of a gather or scatter sends itself a
 * block of another size than it receives from itself. MPI forbids it, but does not say what comes of it: so it is tried only
 * where the calls are served.
 *
 * run: 2 %p
 * run: 3 %p
 * run openmpi: 4 %p
 * serves: allreduce
 */
#include "check.h"

static int x[64], y[64], handled;

static void handler(MPI_Comm *c, int *code, ...) {
  (void)c, (void)code;
  handled++;
}

static int call(int what, int root, MPI_Comm comm, MPI_Request *q) {
  int odd = rank == root ? 2 : 1;
  switch (what) {
  case 0: return MPI_Gather(x, odd, MPI_INT, y, 1, MPI_INT, root, comm);
  case 1: return MPI_Scatter(x, 1, MPI_INT, y, odd, MPI_INT, root, comm);
  case 2: return MPI_Igather(x, odd, MPI_INT, y, 1, MPI_INT, root, comm, q);
  default: return MPI_Iscatter(x, 1, MPI_INT, y, odd, MPI_INT, root, comm, q);
  }
}

/* fails: the error has a sentence, and the handler was called with it. */
static void fails(int result) {
  char text[MPI_MAX_ERROR_STRING];
  int n;
  CHECK(result != MPI_SUCCESS && handled == 1);
  OK(MPI_Error_string(result, text, &n));
  CHECK(!strncmp(text, "hcomm: ", 7));
}

static void try(int what, int root) {
  MPI_Comm comm;
  MPI_Errhandler made;
  MPI_Request q = MPI_REQUEST_NULL;
  int sum, result;
  TRYING("call %d, root %d", what, root);
  OK(MPI_Comm_dup(WORLD, &comm));
  OK(MPI_Comm_create_errhandler(handler, &made));
  OK(MPI_Comm_set_errhandler(comm, made));
  for (int i = 0; i < 3; i++) OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
  OK(MPI_Barrier(WORLD)); /* a rank still in one of those would fail, too; an abort of comm does not reach WORLD */
  handled = 0;
  result = call(what, root, comm, &q);
  if (rank == root) fails(result);
  /* A rank that only sends has no part in what fails, and may not see it; it does in a call that all must take part in. */
  if (q != MPI_REQUEST_NULL && result == MPI_SUCCESS) result = MPI_Wait(&q, MPI_STATUS_IGNORE);
  if (result == MPI_SUCCESS) result = MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  if (rank != root) fails(result);
  OK(MPI_Errhandler_free(&made));
  OK(MPI_Comm_free(&comm));
}

int main(void) {
  begin();
  for (int what = 0; what < 4 && served; what += 3) try(what, what % size);
  end();
}
