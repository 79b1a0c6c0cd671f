/* A program under a profiler, which is preloaded: before the library that serves collectives, or after it. The profiler sees
 * each call of the program once, and no others.
 *
 * needs: libprofiler.c
 * flags: -rdynamic -ldl
 * run: 1 before=libprofiler.so %p
 * run: 2 before=libprofiler.so %p
 * run: 2 after=libprofiler.so %p
 * run openmpi: 3 after=libprofiler.so %p
 * serves: allreduce bcast gather barrier iallreduce
 */
#include "check.h"

#include <dlfcn.h>

struct seen { /* as in libprofiler.c */
  const char *name;
  int calls;
};

enum { ROUNDS = 20 };

static int count_of(const char *name) {
  struct seen *(*find)(void) = (struct seen * (*)(void)) dlsym(RTLD_DEFAULT, "profiler_seen");
  if (!find) FAIL("there is no profiler");
  for (struct seen *s = find(); s->name; s++)
    if (!strcmp(s->name, name)) return s->calls;
  FAIL("%s is not counted", name);
}

static void expect(const char *name, int calls) {
  int seen = count_of(name);
  if (seen != calls) FAIL("the profiler has seen %d calls of %s, not %d", seen, name, calls);
}

static void work(MPI_Comm comm) {
  static int x[1000], y[1000];
  int word = rank == 0 ? 7 : 0, all[16], done;
  MPI_Request q[2];
  for (int i = 0; i < 1000; i++) x[i] = rank + i;
  OK(MPI_Allreduce(x, y, 1000, MPI_INT, MPI_SUM, comm));
  CHECK(y[5] == size * 5 + size * (size - 1) / 2);
  OK(MPI_Bcast(&word, 1, MPI_INT, 0, comm));
  CHECK(word == 7);
  OK(MPI_Gather(&rank, 1, MPI_INT, all, 1, MPI_INT, 0, comm));
  if (rank == 0) CHECK(all[size - 1] == size - 1);
  OK(MPI_Iallreduce(x, y, 1000, MPI_INT, MPI_MAX, comm, &q[0]));
  OK(MPI_Wait(&q[0], MPI_STATUS_IGNORE));
  CHECK(y[7] == size - 1 + 7);
  for (int i = 0; i < 2; i++) OK(MPI_Iallreduce(&x[i], &y[i], 1, MPI_INT, MPI_MIN, comm, &q[i]));
  OK(MPI_Waitall(2, q, MPI_STATUSES_IGNORE));
  CHECK(y[1] == 1);
  q[0] = MPI_REQUEST_NULL;
  OK(MPI_Test(&q[0], &done, MPI_STATUS_IGNORE));
  OK(MPI_Barrier(comm));
}

int main(void) {
  MPI_Comm comm;
  void *memory;
  begin();
  CHECK(size <= 16);
  OK(MPI_Comm_dup(WORLD, &comm));
  OK(MPI_Alloc_mem(100000, MPI_INFO_NULL, &memory));
  for (int i = 0; i < ROUNDS; i++) work(comm);
  OK(MPI_Free_mem(memory));
  OK(MPI_Comm_free(&comm));
  if (rank == 0 && size > 1) OK(MPI_Send(&size, 1, MPI_INT, 1, 1, WORLD));
  if (rank == 1) OK(MPI_Recv(&size, 1, MPI_INT, 0, 1, WORLD, MPI_STATUS_IGNORE));
  end();
  expect("Init", 1), expect("Finalize", 1), expect("Comm_dup", 1), expect("Comm_free", 1);
  expect("Alloc_mem", 1), expect("Free_mem", 1);
  expect("Allreduce", ROUNDS), expect("Bcast", ROUNDS), expect("Gather", ROUNDS), expect("Barrier", ROUNDS);
  expect("Iallreduce", 3 * ROUNDS), expect("Wait", ROUNDS), expect("Waitall", ROUNDS), expect("Test", ROUNDS);
  expect("Send", rank == 0 && size > 1), expect("Recv", rank == 1);
}
