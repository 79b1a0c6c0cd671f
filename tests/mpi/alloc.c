/* Memory from MPI_Alloc_mem, in many sizes: it is the program's alone, keeps what is written, serves collectives, messages and
 * windows, and is given back in whatever order, after communicators that used it, or never.
 *
 *   alloc ROUNDS
 *
 * run: 1 %p 200
 * run: 2 %p 200
 * run openmpi: 4 %p 50
 * run mpich: 3 %p 5
 * serves: allreduce alltoall bcast iallreduce
 */
#include "check.h"

enum { BLOCKS = 40, LARGEST = 8 << 20, MOST_RANKS = 4, MIB = 1 << 20 };

static struct block {
  unsigned char *at;
  size_t bytes;
  int mark;
} blocks[BLOCKS];

static void take(struct block *b, uint64_t x) {
  static const size_t sizes[] = {1, 7, 64, 4095, 4096, 65537, MIB, 5 * MIB};
  b->bytes = sizes[x % 8], b->mark = (int)(x >> 20 & 255);
  OK(MPI_Alloc_mem((MPI_Aint)b->bytes, MPI_INFO_NULL, &b->at));
  CHECK(b->at && (uintptr_t)b->at % sizeof(void *) == 0);
  memset(b->at, b->mark, b->bytes);
}

static void give(struct block *b) {
  for (size_t i = 0; i < b->bytes; i += b->bytes < 100000 ? 1 : 4093) CHECK(b->at[i] == b->mark);
  CHECK(b->at[b->bytes - 1] == b->mark);
  OK(MPI_Free_mem(b->at));
  b->at = NULL;
}

static long resident_mib(void) {
  long all = 0, resident = 0;
  FILE *f = fopen("/proc/self/statm", "r");
  CHECK(f && fscanf(f, "%ld %ld", &all, &resident) == 2);
  fclose(f);
  return resident * sysconf(_SC_PAGESIZE) / MIB;
}

/* churn takes and gives in any order, and must not keep much more than what is taken. */
static void churn(int rounds) {
  long before = resident_mib();
  for (int i = 0; i < rounds * 10; i++) {
    uint64_t x = mix((uint64_t)(i * MOST_RANKS + rank)); /* ranks differ */
    struct block *b = &blocks[x % BLOCKS];
    TRYING("block %d", i);
    if (b->at) give(b);
    else take(b, x >> 8);
  }
  for (struct block *b = blocks; b < blocks + BLOCKS; b++)
    if (b->at) give(b);
  if (resident_mib() > before + 300) FAIL("it keeps %ld MiB", resident_mib() - before);
}

static void *memory(size_t bytes) {
  void *at;
  OK(MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &at));
  return at;
}

/* use does collectives and messages in such memory, on one side or on both, or in the middle of it. */
static void use(MPI_Comm comm, int n, int *x, int *y) {
  int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Request q;
  for (int i = 0; i < n; i++) x[i] = rank + i;
  OK(MPI_Allreduce(x, y, n, MPI_INT, MPI_SUM, comm));
  for (int i = 0; i < n; i++) CHECK(y[i] == size * i + size * (size - 1) / 2);
  OK(MPI_Iallreduce(x, y, n, MPI_INT, MPI_MAX, comm, &q));
  OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
  for (int i = 0; i < n; i++) CHECK(y[i] == size - 1 + i);
  OK(MPI_Alltoall(x, n / size, MPI_INT, y, n / size, MPI_INT, comm));
  for (int r = 0; r < size; r++)
    for (int i = 0; i < n / size; i++) CHECK(y[r * (n / size) + i] == r + rank * (n / size) + i);
  OK(MPI_Bcast(x, n, MPI_INT, size - 1, comm));
  for (int i = 0; i < n; i++) CHECK(x[i] == size - 1 + i);
  x[0] = rank;
  OK(MPI_Sendrecv(x, n, MPI_INT, next, 1, y, n, MPI_INT, before, 1, comm, MPI_STATUS_IGNORE));
  CHECK(y[0] == before);
}

static void used(int rounds) {
  static const int counts[] = {4, 100, 3000, 70000, LARGEST / (int)sizeof(int)};
  for (int i = 0; i < rounds / 10 + 5; i++) {
    int n = counts[i % (i < 5 ? 5 : 4)];
    TRYING("%d integers", n);
    MPI_Comm comm;
    int *x = (int *)memory((size_t)n * sizeof(int) * 2), *y = i % 3 ? x + n : (int *)room((size_t)n * sizeof(int));
    OK(MPI_Comm_dup(WORLD, &comm));
    OK(MPI_Barrier(comm));
    use(comm, n, x, y);
    use(comm, n, y, x);
    OK(MPI_Comm_free(&comm));
    if (i % 2) use(WORLD, n, x, y);
    if (i % 3 == 0) free(y);
    if (i % 7) OK(MPI_Free_mem(x)); /* the others stay */
  }
}

/* window: one-sided calls may use such memory, too. (Open MPI may have no windows of one rank.) */
static void window(void) {
  if (size == 1) return;
  int *x = (int *)memory((size_t)size * sizeof(int));
  MPI_Win w;
  TRYING("a window");
  OK(MPI_Win_create(x, (MPI_Aint)((size_t)size * sizeof(int)), sizeof(int), MPI_INFO_NULL, WORLD, &w));
  OK(MPI_Win_fence(0, w));
  for (int r = 0; r < size; r++) OK(MPI_Put(&rank, 1, MPI_INT, r, rank, 1, MPI_INT, w));
  OK(MPI_Win_fence(0, w));
  for (int r = 0; r < size; r++) CHECK(x[r] == r);
  OK(MPI_Win_free(&w));
  OK(MPI_Free_mem(x));
}

static void with_info(void) {
  MPI_Info info;
  void *none, *some;
  TRYING("an info, and no bytes");
  OK(MPI_Info_create(&info));
  OK(MPI_Info_set(info, "alloc_shared_noncontig", "true"));
  OK(MPI_Alloc_mem(1000, info, &some));
  OK(MPI_Alloc_mem(0, info, &none));
  OK(MPI_Free_mem(some));
  if (none) OK(MPI_Free_mem(none));
  OK(MPI_Info_free(&info));
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 100;
  begin();
  CHECK(size <= MOST_RANKS);
  OK(MPI_Barrier(WORLD));
  churn(rounds);
  used(rounds);
  window();
  with_info();
  end();
}
