/* The calls of yardstick.c, by hcomm. */
#include <hcomm.h>

enum { WAYS = 1 };
static const char *const ways[WAYS] = {""};
static int way_fits(int way, size_t bytes) { return (void)way, (void)bytes, 1; }
static void set_way(int way) { (void)way; }

static hcommComm_t comm;
static hcommStream_t stream;

static void check(int failed, const char *call) {
  if (!failed) return;
  fprintf(stderr, "%s: %s\n", call, hcommGetLastError(NULL));
  exit(1);
}
#define CHECK(call) check((call) != hcommSuccess, #call)

static void start(int *argc, char ***argv) {
  (void)argc, (void)argv;
  CHECK(hcommCommInitEnv(&comm));
  CHECK(hcommCommUserRank(comm, &rank));
  CHECK(hcommCommCount(comm, &size));
  CHECK(hcommStreamCreate(&stream));
}

static void stop(void) {
  CHECK(hcommStreamDestroy(stream));
  CHECK(hcommCommDestroy(comm));
}

static void *memory(size_t bytes, enum kind kind, void **handle) {
  void *p = NULL;
  if (kind == ALLOC) CHECK(hcommMemAlloc(&p, bytes));
  else p = malloc(bytes);
  if (!p) fail("memory");
  memset(p, 0, bytes);
  if (kind == REGISTER) CHECK(hcommCommRegister(comm, p, bytes, handle));
  return p;
}

static void give_back(void *p, enum kind kind, void *handle) {
  if (kind == REGISTER) CHECK(hcommCommDeregister(comm, handle));
  if (kind == ALLOC) CHECK(hcommMemFree(p));
  else free(p);
}

static void barrier(void) { CHECK(hcommBarrier(comm, NULL)); }

static double largest(double x) {
  double all = x;
  CHECK(hcommAllReduce(&x, &all, 1, hcommFloat64, hcommMax, comm, NULL));
  return all;
}

/* n: floats in a block */
static void collective(enum collective c, float *in, float *out, size_t n) {
  switch (c) {
  case ALLREDUCE: CHECK(hcommAllReduce(in, out, n, hcommFloat32, hcommSum, comm, NULL)); break;
  case IALLREDUCE:
    CHECK(hcommAllReduce(in, out, n, hcommFloat32, hcommSum, comm, stream));
    CHECK(hcommStreamSynchronize(stream));
    break;
  case REDUCE: CHECK(hcommReduce(in, out, n, hcommFloat32, hcommSum, 0, comm, NULL)); break;
  case BROADCAST: CHECK(hcommBroadcast(rank ? out : in, rank ? out : in, n, hcommFloat32, 0, comm, NULL)); break;
  case ALLGATHER: CHECK(hcommAllGather(in, out, n, hcommFloat32, comm, NULL)); break;
  case REDUCESCATTER: CHECK(hcommReduceScatter(in, out, n, hcommFloat32, hcommSum, comm, NULL)); break;
  case ALLTOALL: CHECK(hcommAlltoAll(in, out, n, hcommFloat32, comm, NULL)); break;
  default: barrier();
  }
}

static void there_and_back(float *in, float *out, size_t n) {
  if (rank == 0) CHECK(hcommSend(in, n, hcommFloat32, 1, comm, NULL));
  CHECK(hcommRecv(out, n, hcommFloat32, 1 - rank, comm, NULL));
  if (rank == 1) CHECK(hcommSend(in, n, hcommFloat32, 0, comm, NULL));
}
