/* Collectives that are served, and such as are passed on because hcomm does them no faster, in turns and at once: some are
 * begun, and others are called before they are waited for. Each has the right result, and no mix waits for ever.
 *
 * run: 2 HCOMM_MPI_ALWAYS=0 %p
 * run: 2 %p
 * run openmpi: 4 HCOMM_MPI_ALWAYS=0 %p
 * run mpich: 4 HCOMM_MPI_ALWAYS=0 %p 30
 * slow: 2 HCOMM_MPI_ALWAYS=0 %p 3000
 * slow openmpi: 4 HCOMM_MPI_ALWAYS=0 %p 3000
 * serves: allreduce reduce iallreduce ireduce
 */
#include "check.h"

enum what { ALLREDUCE, REDUCE, BCAST, ALLGATHER, ALLTOALL, REDUCE_SCATTER_BLOCK, GATHER, SCATTER, BARRIER, WHATS };
enum { MOST_RANKS = 4, AT_ONCE = 5, MOST = 1 << 18 }; /* ints in a block */

static const int counts[] = {1, 2, 100, 1023, 1024, 3000, 1 << 14, MOST};
static const int rarer[] = {1, 1, 1, 1, 1, 2, 8, 40};

struct call {
  enum what what;
  int n, root, key;
  int *send, *recv;
};
static struct call calls[AT_ONCE];

static int in_blocks(const struct call *c) {
  return c->what == ALLTOALL || c->what == REDUCE_SCATTER_BLOCK || c->what == SCATTER ? size : 1;
}

static int out_blocks(const struct call *c) { return c->what == ALLGATHER || c->what == ALLTOALL || c->what == GATHER ? size : 1; }

static int value(int key, int from, int i) { return (int)(mix((uint64_t)key << 40 | (uint64_t)from << 32 | (uint64_t)i) & 0xffff); }

static int summed(const struct call *c, int i) {
  int sum = 0;
  for (int r = 0; r < size; r++) sum += value(c->key, r, i);
  return sum;
}

static int expected(const struct call *c, int i) {
  int block = i / c->n, at = i % c->n;
  switch (c->what) {
  case ALLREDUCE: case REDUCE: return summed(c, i);
  case REDUCE_SCATTER_BLOCK: return summed(c, rank * c->n + i);
  case BCAST: return value(c->key, c->root, i);
  case SCATTER: return value(c->key, c->root, rank * c->n + i);
  case ALLTOALL: return value(c->key, block, rank * c->n + at);
  default: return value(c->key, block, at);
  }
}

/* The same on all ranks. */
static void draw(struct call *c, int key) {
  uint64_t r = mix((uint64_t)key);
  int k;
  do r = mix(r), k = (int)(r % (sizeof counts / sizeof *counts));
  while (r / 64 % (uint64_t)rarer[k]);
  c->key = key, c->n = counts[k], c->what = (enum what)(mix(r) % WHATS), c->root = (int)(mix(r + 1) % (uint64_t)size);
  for (int i = 0; i < c->n * in_blocks(c); i++) c->send[i] = value(key, rank, i);
  memset(c->recv, 0xff, sizeof(int) * (size_t)c->n * (size_t)out_blocks(c));
  if (c->what == BCAST && rank == c->root) memcpy(c->recv, c->send, sizeof(int) * (size_t)c->n);
}

static void verify(const struct call *c) {
  if (c->what == BARRIER || ((c->what == REDUCE || c->what == GATHER) && rank != c->root)) return;
  for (int i = 0; i < c->n * out_blocks(c); i++)
    if (c->recv[i] != expected(c, i)) FAIL("collective %d of %d ints: element %d is %d, not %d", c->what, c->n, i, c->recv[i], expected(c, i));
}

static void block(struct call *c) {
  int n = c->n;
  switch (c->what) {
  case ALLREDUCE: OK(MPI_Allreduce(c->send, c->recv, n, MPI_INT, MPI_SUM, WORLD)); break;
  case REDUCE: OK(MPI_Reduce(c->send, c->recv, n, MPI_INT, MPI_SUM, c->root, WORLD)); break;
  case BCAST: OK(MPI_Bcast(c->recv, n, MPI_INT, c->root, WORLD)); break;
  case ALLGATHER: OK(MPI_Allgather(c->send, n, MPI_INT, c->recv, n, MPI_INT, WORLD)); break;
  case ALLTOALL: OK(MPI_Alltoall(c->send, n, MPI_INT, c->recv, n, MPI_INT, WORLD)); break;
  case REDUCE_SCATTER_BLOCK: OK(MPI_Reduce_scatter_block(c->send, c->recv, n, MPI_INT, MPI_SUM, WORLD)); break;
  case GATHER: OK(MPI_Gather(c->send, n, MPI_INT, c->recv, n, MPI_INT, c->root, WORLD)); break;
  case SCATTER: OK(MPI_Scatter(c->send, n, MPI_INT, c->recv, n, MPI_INT, c->root, WORLD)); break;
  default: OK(MPI_Barrier(WORLD));
  }
}

static void begun(struct call *c, MPI_Request *q) {
  int n = c->n;
  switch (c->what) {
  case ALLREDUCE: OK(MPI_Iallreduce(c->send, c->recv, n, MPI_INT, MPI_SUM, WORLD, q)); break;
  case REDUCE: OK(MPI_Ireduce(c->send, c->recv, n, MPI_INT, MPI_SUM, c->root, WORLD, q)); break;
  case BCAST: OK(MPI_Ibcast(c->recv, n, MPI_INT, c->root, WORLD, q)); break;
  case ALLGATHER: OK(MPI_Iallgather(c->send, n, MPI_INT, c->recv, n, MPI_INT, WORLD, q)); break;
  case ALLTOALL: OK(MPI_Ialltoall(c->send, n, MPI_INT, c->recv, n, MPI_INT, WORLD, q)); break;
  case REDUCE_SCATTER_BLOCK: OK(MPI_Ireduce_scatter_block(c->send, c->recv, n, MPI_INT, MPI_SUM, WORLD, q)); break;
  case GATHER: OK(MPI_Igather(c->send, n, MPI_INT, c->recv, n, MPI_INT, c->root, WORLD, q)); break;
  case SCATTER: OK(MPI_Iscatter(c->send, n, MPI_INT, c->recv, n, MPI_INT, c->root, WORLD, q)); break;
  default: OK(MPI_Ibarrier(WORLD, q));
  }
}

/* Ranks begin in the same order, but wait each in its own. */
static void wait_for_all(MPI_Request *q, int count, uint64_t r) {
  int index;
  switch (r % 3) {
  case 0: OK(MPI_Waitall(count, q, MPI_STATUSES_IGNORE)); break;
  case 1:
    for (int i = 0; i < count; i++) OK(MPI_Waitany(count, q, &index, MPI_STATUS_IGNORE));
    break;
  default:
    for (int i = 0; i < count; i++) OK(MPI_Wait(&q[(i + rank) % count], MPI_STATUS_IGNORE));
  }
}

static void mix_some(int number) {
  MPI_Request q[AT_ONCE];
  int begun_so_far = 0;
  uint64_t r = mix((uint64_t)number + 77);
  for (int i = 0; i < AT_ONCE; i++) {
    TRYING("mix %d, call %d", number, i);
    draw(&calls[i], number * AT_ONCE + i);
    if ((r >> i & 3) == 3 || begun_so_far == AT_ONCE - 1) block(&calls[i]);
    else begun(&calls[i], &q[begun_so_far++]);
  }
  TRYING("mix %d, at its end", number);
  wait_for_all(q, begun_so_far, mix(r + (uint64_t)rank));
  for (int i = 0; i < AT_ONCE; i++) verify(&calls[i]);
}

int main(int argc, char **argv) {
  int mixes = argc > 1 ? atoi(argv[1]) : 120;
  begin();
  CHECK(size <= MOST_RANKS);
  for (int i = 0; i < AT_ONCE; i++) {
    calls[i].send = room(sizeof(int) * MOST * MOST_RANKS);
    calls[i].recv = room(sizeof(int) * MOST * MOST_RANKS);
  }
  for (int i = 0; i < 10; i++) OK(MPI_Barrier(WORLD)); /* from here on it is served */
  for (int i = 0; i < mixes; i++) mix_some(i);
  for (int i = 0; i < AT_ONCE; i++) free(calls[i].send), free(calls[i].recv);
  end();
}
