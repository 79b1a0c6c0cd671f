/* Communicators made of others in the MPI-style half: who is in them and in which order, that they are apart, that both
 * halves have them, what HCOMM_Comm_compare says, mistakes, and that nothing is left of those that were freed.
 *
 *   mpi_comms            all of it
 *   mpi_comms leaks      TWO_HUNDRED times made and freed; and what is not freed goes with HCOMM_Finalize
 *
 * run: hcomm run -n 1 %p
 * run: hcomm run -n 2 %p
 * run: hcomm run -n 5 %p
 * run: hcomm run -n 3 %p leaks
 * timeout: 120
 */
#include "held.h"

#define WORLD HCOMM_COMM_WORLD
#define SELF HCOMM_COMM_SELF

enum { TWO_HUNDRED = 200, WORDS = 1000 };

static int rank, size;

static int rank_in(HCOMM_Comm c) {
  int n;
  OK(HCOMM_Comm_rank(c, &n));
  return n;
}

static int size_of(HCOMM_Comm c) {
  int n;
  OK(HCOMM_Comm_size(c, &n));
  return n;
}

/* members verifies that the communicator works, and has these ranks of the world, in this order; in all sizes of calls. */
static void members(HCOMM_Comm c, const int *who, int n) {
  static int all[64], send[WORDS], recv[WORDS];
  int me = rank_in(c), sum = 0, got = -1;
  CHECK(size_of(c) == n && who[me] == rank);
  OK(HCOMM_Allgather(&rank, 1, HCOMM_INT, all, 1, HCOMM_INT, c));
  for (int i = 0; i < n; i++) {
    if (all[i] != who[i]) FAIL("rank %d is rank %d of the world, not %d", i, all[i], who[i]);
    sum += who[i];
  }
  for (int i = 0; i < WORDS; i++) send[i] = rank + i;
  for (int count = 1; count <= WORDS; count += WORDS - 1)
    for (int half = 0; half < 2; half++) {
      if (half) OK(hcommAllReduce(send, recv, (size_t)count, hcommInt32, hcommSum, (hcommComm_t)c, NULL));
      else OK(HCOMM_Allreduce(send, recv, count, HCOMM_INT, HCOMM_SUM, c));
      for (int i = 0; i < count; i++) CHECK(recv[i] == sum + n * i);
    }
  OK(HCOMM_Sendrecv(&rank, 1, HCOMM_INT, (me + 1) % n, 3, &got, 1, HCOMM_INT, (me + n - 1) % n, 3, c, HCOMM_STATUS_IGNORE));
  CHECK(got == who[(me + n - 1) % n]);
}

static void everybody(int *who) {
  for (int i = 0; i < size; i++) who[i] = i;
}

static int compared(HCOMM_Comm a, HCOMM_Comm b) {
  int result = -1, back = -2;
  OK(HCOMM_Comm_compare(a, b, &result));
  OK(HCOMM_Comm_compare(b, a, &back));
  CHECK(result == back);
  return result;
}

static void dups(void) {
  int who[64], got[2] = {-1, -1};
  HCOMM_Comm dup, again, self;
  everybody(who);
  TRYING("HCOMM_Comm_dup");
  OK(HCOMM_Comm_dup(WORLD, &dup));
  CHECK((uintptr_t)dup >= 65536);
  members(dup, who, size);
  OK(HCOMM_Comm_dup(dup, &again));
  members(again, who, size);
  CHECK(compared(dup, dup) == HCOMM_IDENT && compared(WORLD, WORLD) == HCOMM_IDENT);
  CHECK(compared(dup, again) == HCOMM_CONGRUENT && compared(WORLD, again) == HCOMM_CONGRUENT);
  TRYING("messages of two communicators do not meet");
  OK(HCOMM_Send(&(int){1}, 1, HCOMM_INT, rank, 7, dup));
  OK(HCOMM_Send(&(int){2}, 1, HCOMM_INT, rank, 7, again));
  OK(HCOMM_Recv(&got[1], 1, HCOMM_INT, rank, 7, again, HCOMM_STATUS_IGNORE));
  OK(HCOMM_Recv(&got[0], 1, HCOMM_INT, rank, 7, dup, HCOMM_STATUS_IGNORE));
  CHECK(got[0] == 1 && got[1] == 2);
  TRYING("HCOMM_Comm_free");
  OK(HCOMM_Comm_free(&dup));
  CHECK(dup == HCOMM_COMM_NULL);
  members(again, who, size);
  OK(HCOMM_Comm_free(&again));
  TRYING("HCOMM_Comm_dup of HCOMM_COMM_SELF");
  OK(HCOMM_Comm_dup(SELF, &self));
  members(self, &rank, 1);
  CHECK(compared(self, SELF) == HCOMM_CONGRUENT && compared(self, WORLD) == (size == 1 ? HCOMM_CONGRUENT : HCOMM_UNEQUAL));
  OK(HCOMM_Comm_free(&self));
}

static void splits(void) {
  int who[64], n = 0;
  HCOMM_Comm c, all;
  everybody(who);
  TRYING("backwards");
  OK(HCOMM_Comm_split(WORLD, 0, -rank, &c));
  for (int i = 0; i < size; i++) who[i] = size - 1 - i;
  members(c, who, size);
  CHECK(compared(WORLD, c) == (size == 1 ? HCOMM_CONGRUENT : HCOMM_SIMILAR));
  OK(HCOMM_Comm_free(&c));
  TRYING("even and odd, with equal keys");
  OK(HCOMM_Comm_split(WORLD, rank % 2 ? 2147483647 : 0, 5, &c));
  for (int i = rank % 2; i < size; i += 2) who[n++] = i;
  members(c, who, n);
  CHECK(compared(c, WORLD) == (size == 1 ? HCOMM_CONGRUENT : HCOMM_UNEQUAL));
  OK(HCOMM_Comm_free(&c));
  TRYING("all but the first");
  OK(HCOMM_Comm_split(WORLD, rank ? 3 : HCOMM_UNDEFINED, 0, &c));
  CHECK((c == HCOMM_COMM_NULL) == (rank == 0));
  for (int i = 1; i < size; i++) who[i - 1] = i;
  if (rank) members(c, who, size - 1);
  if (rank) OK(HCOMM_Comm_free(&c));
  TRYING("HCOMM_Comm_split_type");
  OK(HCOMM_Comm_split_type(WORLD, HCOMM_COMM_TYPE_SHARED, rank == 0 ? 1 : 0, HCOMM_INFO_NULL, &all)); /* the first comes last */
  for (int i = 0; i < size; i++) who[i] = (i + 1) % size;
  members(all, who, size);
  OK(HCOMM_Comm_split_type(all, HCOMM_UNDEFINED, 0, HCOMM_INFO_NULL, &c));
  CHECK(c == HCOMM_COMM_NULL);
  OK(HCOMM_Comm_free(&all));
}

/* A communicator is the same in both halves. */
static void halves(void) {
  int who[64];
  HCOMM_Comm dup;
  hcommComm_t other;
  everybody(who);
  TRYING("a communicator of the NCCL-style half");
  OK(hcommCommInitEnv(&other));
  OK(HCOMM_Comm_set_errhandler((HCOMM_Comm)other, HCOMM_ERRORS_RETURN));
  members((HCOMM_Comm)other, who, size);
  OK(HCOMM_Comm_dup((HCOMM_Comm)other, &dup));
  members(dup, who, size);
  OK(HCOMM_Comm_free((HCOMM_Comm *)&other));
  CHECK((HCOMM_Comm)other == HCOMM_COMM_NULL);
  TRYING("a communicator of the MPI-style half");
  HCOMM_Comm copy = dup;
  OK(hcommCommDestroy((hcommComm_t)dup));
  FAILS(HCOMM_ERR_COMM, "HCOMM_Barrier: ;comm is 0x;freed", HCOMM_Barrier(copy));
  TRYING("the constants are of the MPI-style half only");
  FAILS(hcommInvalidArgument, "comm is 0x101", hcommBarrier((hcommComm_t)WORLD, NULL));
}

static void mistakes(void) {
  HCOMM_Comm dup, copy, none = HCOMM_COMM_NULL, world = WORLD, made = WORLD;
  int n;
  TRYING("mistakes");
  OK(HCOMM_Comm_dup(WORLD, &dup));
  copy = dup;
  FAILS(HCOMM_ERR_ARG, "HCOMM_Comm_dup: ;newcomm is NULL", HCOMM_Comm_dup(WORLD, NULL));
  FAILS(HCOMM_ERR_COMM, "HCOMM_Comm_dup: ;comm is 0x100", HCOMM_Comm_dup(HCOMM_COMM_NULL, &made));
  FAILS(HCOMM_ERR_ARG, "HCOMM_Comm_split: ;color is -1;HCOMM_UNDEFINED", HCOMM_Comm_split(WORLD, -1, 0, &made));
  CHECK(made == HCOMM_COMM_NULL);
  FAILS(HCOMM_ERR_COMM, "HCOMM_Comm_split: ;comm is 0x0", HCOMM_Comm_split(NULL, 0, 0, &made));
  FAILS(HCOMM_ERR_ARG, "HCOMM_Comm_split_type: ;split_type is 222;HCOMM_COMM_TYPE_SHARED",
        HCOMM_Comm_split_type(WORLD, 222, 0, HCOMM_INFO_NULL, &made));
  FAILS(HCOMM_ERR_INFO, "info is 0x0", HCOMM_Comm_split_type(WORLD, HCOMM_COMM_TYPE_SHARED, 0, NULL, &made));
  FAILS(HCOMM_ERR_COMM, "HCOMM_Comm_free: ;comm is 0x100", HCOMM_Comm_free(&none));
  FAILS(HCOMM_ERR_COMM, "HCOMM_Comm_free: ;comm is 0x101, HCOMM_COMM_WORLD", HCOMM_Comm_free(&world));
  FAILS(HCOMM_ERR_ARG, "HCOMM_Comm_free: ;comm is NULL", HCOMM_Comm_free(NULL));
  FAILS(HCOMM_ERR_ARG, "HCOMM_Comm_compare: ;result is NULL", HCOMM_Comm_compare(WORLD, dup, NULL));
  FAILS(HCOMM_ERR_COMM, "HCOMM_Comm_compare: ;comm is 0x100", HCOMM_Comm_compare(WORLD, none, &n));
  FAILS(HCOMM_ERR_COMM, "HCOMM_Comm_compare: ;comm is 0x100", HCOMM_Comm_compare(none, WORLD, &n));
  OK(HCOMM_Comm_free(&dup));
  TRYING("a communicator that was freed");
  FAILS(HCOMM_ERR_COMM, "HCOMM_Comm_free: ;comm is 0x;freed", HCOMM_Comm_free(&copy));
  FAILS(HCOMM_ERR_COMM, "comm is 0x;freed", HCOMM_Comm_rank(copy, &n));
  FAILS(HCOMM_ERR_COMM, "comm is 0x;freed", HCOMM_Allreduce(HCOMM_IN_PLACE, &n, 1, HCOMM_INT, HCOMM_SUM, copy));
  FAILS(HCOMM_ERR_COMM, "comm is 0x;freed", HCOMM_Send(&n, 1, HCOMM_INT, 0, 0, copy));
  OK(HCOMM_Comm_dup(WORLD, &dup)); /* takes its place, with another number */
  CHECK(dup != copy);
  FAILS(HCOMM_ERR_COMM, "comm is 0x;freed", HCOMM_Barrier(copy));
  OK(HCOMM_Comm_free(&dup));
  if (size == 1) return;
  TRYING("ranks that do not make the same call");
  OK(HCOMM_Comm_dup(WORLD, &dup));
  int class = rank == 0 ? HCOMM_Comm_dup(dup, &made) : HCOMM_Barrier(dup);
  FAILS(HCOMM_ERR_MISMATCH, "ranks disagree", class);
  CHECK(rank || made == HCOMM_COMM_NULL);
  OK(HCOMM_Comm_free(&dup));
}

static void leaks(void) {
  int descriptors = 0, mapped = 0, threads = 0, x;
  for (int i = 0; i < TWO_HUNDRED; i++) {
    HCOMM_Comm dup, half;
    HCOMM_Request q;
    TRYING("communicators %d", i);
    OK(HCOMM_Comm_dup(WORLD, &dup));
    OK(HCOMM_Comm_split(dup, rank % 2, rank, &half));
    OK(HCOMM_Iallreduce(&rank, &x, 1, HCOMM_INT, HCOMM_SUM, dup, &q));
    OK(HCOMM_Barrier(half));
    OK(HCOMM_Wait(&q, HCOMM_STATUS_IGNORE));
    CHECK(x == size * (size - 1) / 2);
    OK(HCOMM_Comm_free(&dup));
    OK(HCOMM_Comm_free(&half));
    if (i == 20) descriptors = entries("/proc/self/fd"), mapped = segments(), threads = entries("/proc/self/task");
  }
  int more = entries("/proc/self/task");
  printf("rank %d: %d descriptors, %d segments, %d threads after 20; %d, %d, %d after %d\n", rank, descriptors, mapped,
         threads, entries("/proc/self/fd"), segments(), more, TWO_HUNDRED);
  CHECK(entries("/proc/self/fd") <= descriptors && segments() <= mapped);
  CHECK(more <= threads + 8); /* Go's, of which there are some for calls that the kernel keeps */
  TRYING("what HCOMM_Finalize frees");
  for (int i = 0; i < 5; i++) {
    HCOMM_Comm dup;
    OK(HCOMM_Comm_dup(WORLD, &dup));
  }
  OK(HCOMM_Finalize());
  if (segments()) FAIL("%d segments are there after HCOMM_Finalize", segments());
}

int main(int argc, char **argv) {
  OK(HCOMM_Init(&argc, &argv));
  rank = rank_in(WORLD), size = size_of(WORLD);
  errors_return();
  check_rank = rank;
  if (argc > 1) {
    leaks();
    return 0;
  }
  dups();
  splits();
  halves();
  mistakes();
  OK(HCOMM_Finalize());
  return 0;
}
