/* Messages and collectives let each other go on, in whatever order the ranks of a correct program wait for them:
 *
 *   sent before       rank 0 begins to send a long message to rank 1 and waits in a collective; rank 1 receives it before it
 *                     comes to the collective
 *   begun before      all begin an allreduce of 8 MiB; rank 0 waits for it and meets the others only then, in messages or in
 *                     collective calls; the others meet rank 0 first, and wait for the allreduce after that
 *   left to the MPI   all begin a collective that the MPI does in several steps; rank 0 waits for it, and the others come
 *                     to another collective first
 *
 * run: 2 %p
 * run: 3 %p
 * run openmpi: 4 %p
 * serves: allreduce reduce bcast allgather alltoall reduce_scatter_block gather scatter barrier
 * serves: iallreduce ireduce ibcast iallgather ialltoall ireduce_scatter_block igather iscatter ibarrier
 */
#include "check.h"

enum { LONGEST = 16 << 20, BLOCK = 8192, REDUCED = 1 << 20 /* doubles */, LIMIT = 5 /* seconds */ };

enum what { ALLREDUCE, REDUCE, BCAST, ALLGATHER, ALLTOALL, REDUCE_SCATTER_BLOCK, GATHER, SCATTER, BARRIER, WHATS };

static char *message;
static int *x, *y; /* a block for each rank */
static double *summand, *sum;
static MPI_Comm other;

/* in_time calls a test, and says so if it took long, even though it did not hang. */
static void in_time(void (*test)(int, int), int i, int j) {
  double begun = MPI_Wtime();
  test(i, j);
  double took = MPI_Wtime() - begun;
  if (took > slowly(LIMIT)) FAIL("it took %.1f s", took);
}

static void send_message(int bytes, MPI_Request *q) {
  memset(message, bytes / 3 + 1, (size_t)bytes);
  OK(MPI_Isend(message, bytes, MPI_CHAR, 1, 7, WORLD, q));
}

static void receive_message(int bytes) {
  MPI_Status status;
  memset(message, 0, (size_t)bytes);
  OK(MPI_Recv(message, bytes, MPI_CHAR, 0, 7, WORLD, &status));
  for (int i = 0; i < bytes; i++) CHECK(message[i] == (char)(bytes / 3 + 1));
}

static void collective(enum what what, int n, int root) {
  switch (what) {
  case ALLREDUCE: OK(MPI_Allreduce(x, y, n, MPI_INT, MPI_SUM, WORLD)); break;
  case REDUCE: OK(MPI_Reduce(x, y, n, MPI_INT, MPI_SUM, root, WORLD)); break;
  case BCAST: OK(MPI_Bcast(rank == root ? x : y, n, MPI_INT, root, WORLD)); break;
  case ALLGATHER: OK(MPI_Allgather(x, n, MPI_INT, y, n, MPI_INT, WORLD)); break;
  case ALLTOALL: OK(MPI_Alltoall(x, n, MPI_INT, y, n, MPI_INT, WORLD)); break;
  case REDUCE_SCATTER_BLOCK: OK(MPI_Reduce_scatter_block(x, y, n, MPI_INT, MPI_SUM, WORLD)); break;
  case GATHER: OK(MPI_Gather(x, n, MPI_INT, y, n, MPI_INT, root, WORLD)); break;
  case SCATTER: OK(MPI_Scatter(x, n, MPI_INT, y, n, MPI_INT, root, WORLD)); break;
  default: OK(MPI_Barrier(WORLD));
  }
}

static void begun(enum what what, int n, int root, MPI_Request *q) {
  switch (what) {
  case ALLREDUCE: OK(MPI_Iallreduce(x, y, n, MPI_INT, MPI_SUM, WORLD, q)); break;
  case REDUCE: OK(MPI_Ireduce(x, y, n, MPI_INT, MPI_SUM, root, WORLD, q)); break;
  case BCAST: OK(MPI_Ibcast(rank == root ? x : y, n, MPI_INT, root, WORLD, q)); break;
  case ALLGATHER: OK(MPI_Iallgather(x, n, MPI_INT, y, n, MPI_INT, WORLD, q)); break;
  case ALLTOALL: OK(MPI_Ialltoall(x, n, MPI_INT, y, n, MPI_INT, WORLD, q)); break;
  case REDUCE_SCATTER_BLOCK: OK(MPI_Ireduce_scatter_block(x, y, n, MPI_INT, MPI_SUM, WORLD, q)); break;
  case GATHER: OK(MPI_Igather(x, n, MPI_INT, y, n, MPI_INT, root, WORLD, q)); break;
  case SCATTER: OK(MPI_Iscatter(x, n, MPI_INT, y, n, MPI_INT, root, WORLD, q)); break;
  default: OK(MPI_Ibarrier(WORLD, q));
  }
}

/* The first element of the result, where there is one; each rank gives its number plus one. */
static void check_result_of(enum what what, int root) {
  int all = size * (size + 1) / 2;
  if (what == ALLREDUCE || what == REDUCE_SCATTER_BLOCK || (what == REDUCE && rank == root)) CHECK(y[0] == all);
  if (what == BCAST && rank != root) CHECK(y[0] == root + 1);
  if (what == SCATTER) CHECK(y[0] == root + 1);
  if (what == ALLGATHER || what == ALLTOALL || (what == GATHER && rank == root)) CHECK(y[0] == 1);
}

/* sent_before: the root is the rank that all wait for, so that nobody gets by without rank 1. */
static void sent_before(int what, int form) {
  int bytes = form & 1 ? LONGEST : 1 << 20, n = form & 2 ? BLOCK : 2, blocking = form & 4;
  int root = what == BCAST || what == SCATTER;
  MPI_Request sent, q;
  TRYING("%d bytes sent before collective %d of %d, %sblocking", bytes, what, n, blocking ? "" : "not ");
  if (rank == 0) send_message(bytes, &sent);
  if (rank == 1) receive_message(bytes);
  y[0] = -1;
  if (blocking) {
    collective((enum what)what, n, root);
  } else {
    begun((enum what)what, n, root, &q);
    OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
  }
  check_result_of((enum what)what, root);
  if (rank == 0) OK(MPI_Wait(&sent, MPI_STATUS_IGNORE));
}

/* The ways of ranks to meet. In those before TOGETHER the ranks but 0 and 1 take no part. */
enum { RECV, PROBE, MPROBE, SSEND, SENDRECV, WAITANY, TEST, IPROBE, TOGETHER,
       DUP = TOGETHER, SPLIT, OTHER_BARRIER, OTHER_ALLREDUCE, SAME_ALLREDUCE, ALLTOALLV, SCAN, WINDOW, WAYS };

static void meet_message(int way, int peer) {
  int got = -1, done = 0, index;
  MPI_Request q;
  MPI_Message m;
  if (way == SENDRECV) {
    OK(MPI_Sendrecv(&rank, 1, MPI_INT, peer, 8, &got, 1, MPI_INT, peer, 8, WORLD, MPI_STATUS_IGNORE));
  } else if (way == SSEND) {
    if (rank) OK(MPI_Ssend(&rank, 1, MPI_INT, peer, 8, WORLD));
    else OK(MPI_Recv(&got, 1, MPI_INT, peer, 8, WORLD, MPI_STATUS_IGNORE));
    if (rank) return;
  } else if (rank == 0) {
    OK(MPI_Send(&rank, 1, MPI_INT, peer, 8, WORLD));
    return;
  } else if (way == MPROBE) {
    OK(MPI_Mprobe(peer, 8, WORLD, &m, MPI_STATUS_IGNORE));
    OK(MPI_Mrecv(&got, 1, MPI_INT, &m, MPI_STATUS_IGNORE));
  } else if (way == WAITANY || way == TEST) {
    OK(MPI_Irecv(&got, 1, MPI_INT, peer, 8, WORLD, &q));
    if (way == WAITANY) OK(MPI_Waitany(1, &q, &index, MPI_STATUS_IGNORE));
    else
      while (!done) OK(MPI_Test(&q, &done, MPI_STATUS_IGNORE));
  } else {
    while (way == IPROBE && !done) OK(MPI_Iprobe(peer, 8, WORLD, &done, MPI_STATUS_IGNORE));
    if (way == PROBE) OK(MPI_Probe(peer, 8, WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Recv(&got, 1, MPI_INT, peer, 8, WORLD, MPI_STATUS_IGNORE));
  }
  CHECK(got == peer);
}

static void meet_together(int way) {
  static int one[8] = {1, 1, 1, 1, 1, 1, 1, 1}, places[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  int got[8] = {-1};
  MPI_Comm made;
  MPI_Win window;
  switch (way) {
  case DUP: OK(MPI_Comm_dup(WORLD, &made)), OK(MPI_Comm_free(&made)); break;
  case SPLIT: OK(MPI_Comm_split(WORLD, rank % 2, 0, &made)), OK(MPI_Comm_free(&made)); break;
  case OTHER_BARRIER: OK(MPI_Barrier(other)); break;
  case OTHER_ALLREDUCE: OK(MPI_Allreduce(one, got, 1, MPI_INT, MPI_SUM, other)); break;
  case SAME_ALLREDUCE: OK(MPI_Allreduce(one, got, 1, MPI_INT, MPI_SUM, WORLD)); break;
  case ALLTOALLV: OK(MPI_Alltoallv(one, one, places, MPI_INT, got, one, places, MPI_INT, WORLD)); break;
  case SCAN: OK(MPI_Scan(one, got, 1, MPI_INT, MPI_SUM, WORLD)); break;
  default:
    OK(MPI_Win_create(got, sizeof got, sizeof *got, MPI_INFO_NULL, WORLD, &window));
    OK(MPI_Win_fence(0, window));
    OK(MPI_Win_free(&window));
  }
  if (way == OTHER_ALLREDUCE || way == SAME_ALLREDUCE) CHECK(got[0] == size);
  if (way == ALLTOALLV) CHECK(got[0] == 1 && got[size - 1] == 1);
  if (way == SCAN) CHECK(got[0] == rank + 1);
}

static void meet(int way) {
  if (way >= TOGETHER) meet_together(way);
  else if (rank < 2) meet_message(way, 1 - rank);
}

static void begun_before(int way, int unused) {
  MPI_Request q;
  (void)unused;
  TRYING("begun before it meets in way %d", way);
  for (int i = 0; i < REDUCED; i++) summand[i] = i % 1000 + rank, sum[i] = -1;
  OK(MPI_Iallreduce(summand, sum, REDUCED, MPI_DOUBLE, MPI_SUM, WORLD, &q));
  if (rank == 0) OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
  meet(way);
  if (rank != 0) OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
  for (int i = 0; i < REDUCED; i++) CHECK(sum[i] == size * (i % 1000) + size * (size - 1) / 2);
}

enum left { IALLTOALLV, IALLGATHERV, ISCAN, LEFT };

/* left_to_mpi: the first collective is done by whoever is in the second. */
static void left_to_mpi(int which, int form) {
  static int counts[8], places[8];
  enum what what = (enum what)(form / 2);
  int n = form & 1 ? BLOCK : 1;
  MPI_Request q;
  TRYING("%d of %d ints begun before collective %d", which, n, (int)what);
  for (int i = 0; i < size; i++) counts[i] = n, places[i] = i * n;
  int *out = (int *)room(sizeof *out * (size_t)(n * size));
  if (which == IALLTOALLV) OK(MPI_Ialltoallv(x, counts, places, MPI_INT, out, counts, places, MPI_INT, WORLD, &q));
  if (which == IALLGATHERV) OK(MPI_Iallgatherv(x, n, MPI_INT, out, counts, places, MPI_INT, WORLD, &q));
  if (which == ISCAN) OK(MPI_Iscan(x, out, n, MPI_INT, MPI_SUM, WORLD, &q));
  if (rank == 0) OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
  collective(what, 2, 0);
  if (rank != 0) OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
  if (which == ISCAN) CHECK(out[n - 1] == (rank + 1) * (rank + 2) / 2);
  else
    for (int i = 0; i < size; i++) CHECK(out[i * n] == i + 1 && out[i * n + n - 1] == i + 1);
  free(out);
}

int main(void) {
  begin();
  CHECK(size >= 2 && size <= 8);
  message = room(LONGEST), x = room(sizeof *x * BLOCK * 8), y = room(sizeof *y * BLOCK * 8);
  summand = room(sizeof *summand * REDUCED), sum = room(sizeof *sum * REDUCED);
  OK(MPI_Comm_dup(WORLD, &other));
  for (int i = 0; i < BLOCK * 8; i++) x[i] = rank + 1;
  for (int what = 0; what < WHATS; what++)
    for (int form = 0; form < 8; form++) in_time(sent_before, what, form);
  for (int way = 0; way < WAYS; way++) in_time(begun_before, way, 0);
  for (int which = 0; which < LEFT; which++)
    for (int form = 0; form < 2 * WHATS; form++) in_time(left_to_mpi, which, form);
  OK(MPI_Comm_free(&other));
  free(message), free(x), free(y), free(summand), free(sum);
  end();
}
