/* progress.c: hcommSetProgress: another progress engine lives beside calls that wait, whatever they wait in.
 *
 * flags: -pthread
 * run: hcomm run -n 2 %p
 * run: taskset -c 0 hcomm run -n 2 --bind none %p
 * run: taskset -c 0,1 hcomm run -n 4 --bind none %p
 * run: taskset -c 0,1 hcomm run -n 8 --bind none %p
 */
#define _GNU_SOURCE
#include "check.h"

#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { SMALL = 1, LARGE = 1 << 18, HUGE_COUNT = 1 << 22, LATE_MS = 100, SOON_MS = 500, PATIENCE_S = 20 };

static hcommComm_t comm, other; /* of the same ranks, as HCOMM_COMM_WORLD is */
static int rank, size;
static int32_t *x, *y; /* HUGE_COUNT elements */
static hcommUniqueId id;

/* The progress engine: a socket whose peers need an answer. */
static int engine;
static struct sockaddr_un server; /* rank 0's */
static socklen_t server_length = sizeof server;

static __thread int inside; /* a call of this thread may wait */
static int called;

static void open_engine(void) {
  struct sockaddr_un any = {.sun_family = AF_UNIX};
  struct timeval patience = {PATIENCE_S, 0};
  engine = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  CHECK(engine >= 0 && !bind(engine, (struct sockaddr *)&any, sizeof any.sun_family)); /* the system finds a name */
  CHECK(!setsockopt(engine, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience));
  CHECK(!getsockname(engine, (struct sockaddr *)&server, &server_length));
  OK(hcommBroadcast(&server, &server, sizeof server, hcommUint8, 0, comm, NULL));
  OK(hcommBroadcast(&server_length, &server_length, sizeof server_length, hcommUint8, 0, comm, NULL));
}

/* answer is the progress function: it answers whoever asks. */
static void answer(void *arg) {
  struct sockaddr_un from;
  socklen_t length = sizeof from;
  char word;
  if (!inside) FAIL("the progress function is called in a thread that is in no call");
  CHECK(arg == &called);
  called++;
  while (recvfrom(engine, &word, 1, MSG_DONTWAIT, (struct sockaddr *)&from, &length) == 1) {
    CHECK(sendto(engine, &word, 1, 0, (struct sockaddr *)&from, length) == 1);
    length = sizeof from;
  }
  CHECK(errno == EAGAIN);
}

/* ask returns when rank 0 has answered. */
static void ask(void) {
  char word = 'a';
  CHECK(sendto(engine, &word, 1, 0, (struct sockaddr *)&server, server_length) == 1);
  ssize_t got;
  do got = recv(engine, &word, 1, 0);
  while (got < 0 && errno == EINTR);
  if (got != 1) FAIL("rank 0 waits, and its progress function is not called");
}

static void allreduce_small(void) { OK(hcommAllReduce(x, y, SMALL, hcommInt32, hcommSum, comm, NULL)); }
static void allreduce_large(void) { OK(hcommAllReduce(x, y, LARGE, hcommInt32, hcommSum, comm, NULL)); }
static void barrier(void) { OK(hcommBarrier(comm, NULL)); }

static void receive(int count) {
  if (rank == 0) OK(hcommRecv(y, (size_t)count, hcommInt32, 1, comm, NULL));
  if (rank == 1) OK(hcommSend(x, (size_t)count, hcommInt32, 0, comm, NULL));
}
static void receive_small(void) { receive(SMALL); }
static void receive_large(void) { receive(LARGE); }

static void send_large(void) {
  if (rank == 0) OK(hcommSend(x, LARGE, hcommInt32, 1, comm, NULL));
  if (rank == 1) OK(hcommRecv(y, LARGE, hcommInt32, 0, comm, NULL));
}

static void group(void) {
  OK(hcommGroupStart());
  OK(hcommAllReduce(x, y, SMALL, hcommInt32, hcommSum, comm, NULL));
  OK(hcommGroupEnd());
}

static void group_of_two(void) {
  OK(hcommGroupStart());
  OK(hcommAllReduce(x, y, SMALL, hcommInt32, hcommSum, comm, NULL));
  OK(hcommAllReduce(x, y + SMALL, SMALL, hcommInt32, hcommSum, other, NULL));
  OK(hcommGroupEnd());
}

static void stream(int synchronize) {
  hcommStream_t s;
  OK(hcommStreamCreate(&s));
  OK(hcommAllReduce(x, y, SMALL, hcommInt32, hcommSum, comm, s));
  if (synchronize) OK(hcommStreamSynchronize(s));
  OK(hcommStreamDestroy(s));
}
static void stream_synchronize(void) { stream(1); }
static void stream_destroy(void) { stream(0); }

static void mpi_wait(void) {
  HCOMM_Request request;
  OK(HCOMM_Iallreduce(x, y, SMALL, HCOMM_INT, HCOMM_SUM, HCOMM_COMM_WORLD, &request));
  OK(HCOMM_Wait(&request, HCOMM_STATUS_IGNORE));
}

static void mpi_waitall(void) {
  HCOMM_Request requests[2];
  OK(HCOMM_Ibarrier(HCOMM_COMM_WORLD, &requests[0]));
  OK(HCOMM_Ibarrier((HCOMM_Comm)comm, &requests[1]));
  OK(HCOMM_Waitall(2, requests, HCOMM_STATUSES_IGNORE));
}

static void mpi_probe(void) {
  if (rank == 0) OK(HCOMM_Probe(1, 7, HCOMM_COMM_WORLD, HCOMM_STATUS_IGNORE));
  if (rank == 0) OK(HCOMM_Recv(y, 1, HCOMM_INT, 1, 7, HCOMM_COMM_WORLD, HCOMM_STATUS_IGNORE));
  if (rank == 1) OK(HCOMM_Send(x, 1, HCOMM_INT, 0, 7, HCOMM_COMM_WORLD));
}

static void init_rank(void) {
  hcommComm_t made;
  OK(hcommCommInitRank(&made, size, id, rank));
  OK(hcommCommDestroy(made));
}

static void dup_of_comm(void) {
  hcommComm_t made;
  OK(hcommCommDup(comm, &made));
  OK(hcommCommDestroy(made));
}

static void dup_in_group(void) {
  hcommComm_t made;
  OK(hcommGroupStart());
  OK(hcommCommDup(comm, &made));
  OK(hcommGroupEnd());
  OK(hcommCommDestroy(made));
}

static void shrink(void) {
  hcommComm_t made;
  OK(hcommCommShrink(comm, NULL, 0, &made, NULL, HCOMM_SHRINK_DEFAULT));
  OK(hcommCommDestroy(made));
}

static void finalize(void) {
  hcommComm_t made = comm;
  hcommSetProgress(NULL, NULL); /* the making is no wait of this case */
  OK(hcommCommDup(other, &made));
  if (rank == 0) OK(hcommSetProgress(answer, &called));
  if (rank) ask();
  OK(hcommCommFinalize(made));
  OK(hcommCommDestroy(made));
}

static void mpi_dup(void) {
  HCOMM_Comm made;
  OK(HCOMM_Comm_dup(HCOMM_COMM_WORLD, &made));
  OK(HCOMM_Comm_free(&made));
}

static const struct {
  const char *name;
  void (*call)(void);
} waits[] = {
#define A(function) {#function, function}
    A(allreduce_small), A(allreduce_large), A(barrier), A(receive_small), A(receive_large), A(send_large), A(group),
    A(group_of_two), A(stream_synchronize), A(stream_destroy), A(mpi_wait), A(mpi_waitall), A(mpi_probe), A(init_rank),
    A(dup_of_comm), A(dup_in_group), A(shrink), A(mpi_dup),
#undef A
};

/* come has rank 0 in a wait, and the others come to it after something else. */
static void come(void (*call)(void), void (*before)(void)) {
  if (rank == 0) OK(hcommGetUniqueId(&id));
  OK(hcommBroadcast(&id, &id, sizeof id, hcommUint8, 0, other, NULL));
  if (rank) before();
  called = 0;
  inside = 1;
  call();
  inside = 0;
}

/* A rank that sleeps until somebody comes sleeps for longer. */
static void be_late(void) {
  pause_ms(LATE_MS);
  double since = now();
  ask();
  if (now() - since > slowly(SOON_MS)) FAIL("rank 0 answered after %.0f ms", now() - since);
}

static void be_a_little_late(void) { pause_ms(LATE_MS / 10); }

static void nothing(void) {}

/* Those who are needed elsewhere first are answered. */
static void answers(void) {
  if (rank == 0) OK(hcommSetProgress(answer, &called));
  for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
    TRYING("%s, asked", waits[i].name);
    come(waits[i].call, ask);
    if (rank == 0) CHECK(called > 0);
  }
  TRYING("finalize, asked");
  come(finalize, nothing);
  OK(hcommSetProgress(NULL, NULL));
}

/* It is called often, or never. */
static void comes_often(void) {
  for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
    TRYING("%s, late", waits[i].name);
    if (rank == 0) OK(hcommSetProgress(answer, &called));
    come(waits[i].call, be_late);
    if (rank == 0 && called < 3) FAIL("it was called %d times", called); /* other processes may want the processor, too */
    OK(hcommSetProgress(NULL, &called));
    come(waits[i].call, be_a_little_late);
    CHECK(!called);
  }
}

static double processor_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* It is called while data move; not by calls that are done at once. */
static void comes_in_between(void) {
  TRYING("long calls");
  OK(hcommSetProgress(answer, &called));
  called = 0, inside = 1;
  double used = processor_us();
  for (int i = 0; i < 5; i++) OK(hcommAllReduce(x, y, HUGE_COUNT, hcommInt32, hcommSum, comm, NULL));
  used = processor_us() - used;
  if (called < used / slowly(size > 2 ? 1000 : 200)) FAIL("it was called %d times in %.0f us", called, used);
  TRYING("short calls");
  called = 0;
  for (int i = 0; i < 1000; i++) OK(HCOMM_Allreduce(x, y, SMALL, HCOMM_INT, HCOMM_SUM, HCOMM_COMM_SELF));
  CHECK(!called);
  inside = 0;
  OK(hcommSetProgress(NULL, NULL));
}

/* Who has a communicator made, and goes on, is not in a call. */
static void not_without_a_call(void) {
  TRYING("a communicator that is made meanwhile");
  hcommConfig_t config = HCOMM_CONFIG_INITIALIZER;
  hcommComm_t made;
  hcommResult_t result = hcommInProgress;
  config.blocking = 0;
  OK(hcommSetProgress(answer, &called));
  if (rank) pause_ms(LATE_MS);
  CHECK(hcommCommSplit(comm, 0, rank, &made, &config) == hcommInProgress);
  while (result == hcommInProgress) OK(hcommCommGetAsyncError(made, &result));
  OK(result);
  OK(hcommCommDestroy(made));
  OK(hcommSetProgress(NULL, NULL));
}

static int one, two, changing;
static void first(void *arg) { CHECK(arg == &one); }
static void second(void *arg) { CHECK(arg == &two); }

static void *change(void *unused) {
  while (__atomic_load_n(&changing, __ATOMIC_RELAXED)) {
    OK(hcommSetProgress(first, &one));
    OK(hcommSetProgress(second, &two));
    OK(hcommSetProgress(NULL, &changing));
    OK(hcommSetProgress(second, &two));
  }
  return unused;
}

/* Another thread changes it while calls wait. */
static void changes(void) {
  TRYING("a function that changes");
  pthread_t thread;
  changing = 1;
  if (rank < 2) CHECK(!pthread_create(&thread, NULL, change, NULL));
  for (int i = 0; i < 400 / size; i++) OK(hcommAllReduce(x, y, HUGE_COUNT / 4, hcommInt32, hcommSum, comm, NULL));
  __atomic_store_n(&changing, 0, __ATOMIC_RELAXED);
  if (rank < 2) CHECK(!pthread_join(thread, NULL));
  OK(hcommSetProgress(NULL, NULL));
}

int main(void) {
  HCOMM_Comm duplicate;
  OK(HCOMM_Init(NULL, NULL));
  errors_return();
  OK(HCOMM_Comm_dup(HCOMM_COMM_WORLD, &duplicate));
  comm = (hcommComm_t)duplicate;
  OK(hcommCommDup(comm, &other));
  OK(hcommCommUserRank(comm, &rank));
  OK(hcommCommCount(comm, &size));
  check_rank = rank;
  x = calloc(HUGE_COUNT, sizeof *x), y = calloc(HUGE_COUNT, sizeof *y);
  CHECK(x && y);
  open_engine();
  answers();
  comes_often();
  comes_in_between();
  not_without_a_call();
  changes();
  OK(hcommCommDestroy(other));
  OK(HCOMM_Comm_free(&duplicate));
  OK(HCOMM_Finalize());
  return 0;
}
