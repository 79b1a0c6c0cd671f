/* A communicator is served when that is likely to be worth what it costs: after a few large collectives, or many small ones,
 * and never for what is passed on anyway. Each collective here is on a communicator of its own.
 *
 * run: 2 before=libprocessor.so TEST_PROCESSOR_EACH=1 HCOMM_MPI_AFTER= HCOMM_MPI_ALWAYS=0 %p
 * serves: allreduce gather bcast
 * passes: barrier reduce alltoall
 * needs: libprocessor.c
 */
#include "check.h"

enum { LARGE = 1 << 20, SMALL_CALLS = 2500, FEW = 100 };

static void concat(void *in, void *out, int *count, MPI_Datatype *type) {
  (void)in, (void)out, (void)count, (void)type;
}

/* Some ranks describe their data in another way. */
static void large_gathers(MPI_Comm comm) {
  MPI_Datatype row;
  char *block = calloc(1, LARGE), *all = malloc((size_t)size * LARGE);
  OK(MPI_Type_contiguous(LARGE / 4, MPI_INT, &row));
  OK(MPI_Type_commit(&row));
  for (int i = 0; i < 12; i++) {
    TRYING("gather %d", i);
    if (rank == 0) OK(MPI_Gather(MPI_IN_PLACE, 0, MPI_INT, all, LARGE / 4, MPI_INT, 0, comm));
    else OK(MPI_Gather(block, 1, row, NULL, 0, MPI_INT, 0, comm));
  }
  OK(MPI_Type_free(&row));
  free(all), free(block);
}

static void large_reductions(MPI_Comm comm) {
  int *x = calloc(LARGE, 1), *y = malloc(LARGE);
  for (int i = 0; i < 12; i++) OK(MPI_Allreduce(x, y, LARGE / 4, MPI_INT, MPI_SUM, comm));
  free(x), free(y);
}

static void own_operators(MPI_Comm comm) {
  MPI_Op op;
  int *x = calloc(LARGE, 1), *y = malloc(LARGE);
  OK(MPI_Op_create(concat, 1, &op));
  for (int i = 0; i < 50; i++) OK(MPI_Reduce(x, y, LARGE / 4, MPI_INT, op, 0, comm));
  OK(MPI_Op_free(&op));
  for (int i = 0; i < FEW; i++) OK(MPI_Reduce(x, y, 1, MPI_INT, MPI_SUM, 0, comm));
  free(x), free(y);
}

int main(void) {
  MPI_Comm comms[6];
  int x = 0, to[64], from[64] = {0};
  begin();
  for (int i = 0; i < 6; i++) OK(MPI_Comm_dup(WORLD, &comms[i]));
  large_gathers(comms[0]);
  large_reductions(comms[1]);
  own_operators(comms[2]);
  for (int i = 0; i < FEW; i++) OK(MPI_Barrier(comms[3]));
  for (int i = 0; i < FEW; i++) OK(MPI_Alltoall(from, 1, MPI_INT, to, 1, MPI_INT, comms[4]));
  for (int i = 0; i < SMALL_CALLS; i++) OK(MPI_Bcast(&x, 1, MPI_INT, 0, comms[5]));
  for (int i = 0; i < 6; i++) OK(MPI_Comm_free(&comms[i]));
  end();
}
