/* The calls of yardstick.c, by MPI, whose errors end the program by themselves. */
#include <mpi.h>

enum { WAYS = 1 };
static const char *const ways[WAYS] = {""};
static int way_fits(int way, size_t bytes) { return (void)way, (void)bytes, 1; }
static void set_way(int way) { (void)way; }

static void start(int *argc, char ***argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
}

static void stop(void) { MPI_Finalize(); }

static void *memory(size_t bytes, enum kind kind, void **handle) {
  void *p = NULL;
  (void)handle;
  if (kind == ALLOC) MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &p);
  else p = malloc(bytes);
  if (!p) fail("memory");
  memset(p, 0, bytes);
  return p;
}

static void give_back(void *p, enum kind kind, void *handle) {
  (void)handle;
  if (kind == ALLOC) MPI_Free_mem(p);
  else free(p);
}

static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }

static double largest(double x) {
  double all = x;
  MPI_Allreduce(&x, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

/* n: floats in a block */
static void collective(enum collective c, float *in, float *out, size_t n) {
  int m = (int)n;
  MPI_Request request;
  switch (c) {
  case ALLREDUCE: MPI_Allreduce(in, out, m, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); break;
  case IALLREDUCE:
    MPI_Iallreduce(in, out, m, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    break;
  case REDUCE: MPI_Reduce(in, out, m, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD); break;
  case BROADCAST: MPI_Bcast(rank ? out : in, m, MPI_FLOAT, 0, MPI_COMM_WORLD); break;
  case ALLGATHER: MPI_Allgather(in, m, MPI_FLOAT, out, m, MPI_FLOAT, MPI_COMM_WORLD); break;
  case REDUCESCATTER: MPI_Reduce_scatter_block(in, out, m, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); break;
  case ALLTOALL: MPI_Alltoall(in, m, MPI_FLOAT, out, m, MPI_FLOAT, MPI_COMM_WORLD); break;
  default: barrier();
  }
}

static void there_and_back(float *in, float *out, size_t n) {
  int m = (int)n;
  if (rank == 0) MPI_Send(in, m, MPI_FLOAT, 1, 1, MPI_COMM_WORLD);
  MPI_Recv(out, m, MPI_FLOAT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank == 1) MPI_Send(in, m, MPI_FLOAT, 0, 1, MPI_COMM_WORLD);
}
