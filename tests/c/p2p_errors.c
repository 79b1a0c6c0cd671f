/* What can go wrong with messages from point to point: each bad argument gives its class and a sentence, nothing is done,
 * and the communicator works on; a call that would wait for ever says so; and a rank that is killed ends every call that
 * waits for it, in words that name it.
 *
 *   p2p_errors                  all but the kill
 *   p2p_errors CALL             the last rank kills itself while rank 0 waits for it in that call
 *
 * run: hcomm run -n 1 %p
 * run: hcomm run -n 2 %p
 * run: hcomm run -n 3 %p
 * run: tests/expect.sh 137 rank_0_was_told hcomm run -n 2 --no-kill %p Send
 * run: tests/expect.sh 137 rank_0_was_told hcomm run -n 3 --no-kill %p Send
 * run: tests/expect.sh 137 rank_0_was_told hcomm run -n 3 --no-kill %p Recv
 * run: tests/expect.sh 137 rank_0_was_told hcomm run -n 2 --no-kill %p Recv_any
 * run: tests/expect.sh 137 rank_0_was_told hcomm run -n 3 --no-kill %p Recv_any
 * run: tests/expect.sh 137 rank_0_was_told hcomm run -n 3 --no-kill %p Recv_middle
 * run: tests/expect.sh 137 rank_0_was_told hcomm run -n 3 --no-kill %p Send_middle
 * run: tests/expect.sh 137 rank_0_was_told hcomm run -n 3 --no-kill %p Sendrecv
 * run: tests/expect.sh 137 rank_0_was_told hcomm run -n 3 --no-kill %p Probe
 * run: tests/expect.sh 137 rank_0_was_told hcomm run -n 3 --no-kill %p Iprobe
 * run: tests/expect.sh 137 rank_0_was_told hcomm run -n 3 --no-kill %p hcommSend
 * run: tests/expect.sh 137 rank_0_was_told hcomm run -n 3 --no-kill %p hcommRecv
 * timeout: 60
 */
#include "check.h"

#include <signal.h>

enum { MOST = 1 << 20 };
#define WORLD HCOMM_COMM_WORLD

static int rank, size, x[MOST], y[MOST];
static hcommComm_t comm;

/* Messages go on, in both halves. */
static void works(void) {
  int to = (rank + 1) % size, from = (rank + size - 1) % size, in = -1;
  OK(HCOMM_Sendrecv(&rank, 1, HCOMM_INT, to, 9, &in, 1, HCOMM_INT, from, 9, WORLD, HCOMM_STATUS_IGNORE));
  CHECK(in == from);
  OK(hcommSend(&rank, 1, hcommInt32, to, comm, NULL));
  OK(hcommRecv(&in, 1, hcommInt32, from, comm, NULL));
  CHECK(in == from);
}

#define REFUSED(class, words, call) \
  do {                              \
    FAILS(class, words, call);      \
    works();                        \
  } while (0)

static void sends(void) {
  char words[64];
  TRYING("HCOMM_Send");
  REFUSED(HCOMM_ERR_BUFFER, "HCOMM_Send: ;buf is NULL;count is 2", HCOMM_Send(NULL, 2, HCOMM_INT, 0, 0, WORLD));
  REFUSED(HCOMM_ERR_BUFFER, "buf is 0x1", HCOMM_Send(HCOMM_IN_PLACE, 2, HCOMM_INT, 0, 0, WORLD));
  REFUSED(HCOMM_ERR_COUNT, "count is -1", HCOMM_Send(x, -1, HCOMM_INT, 0, 0, WORLD));
  REFUSED(HCOMM_ERR_COUNT, "count is 9223372036854775807", HCOMM_Send_c(x, INT64_MAX, HCOMM_INT, 0, 0, WORLD));
  REFUSED(HCOMM_ERR_TYPE, "datatype is 0x200", HCOMM_Send(x, 1, HCOMM_DATATYPE_NULL, 0, 0, WORLD));
  snprintf(words, sizeof words, "dest is %d;0 to %d", size, size - 1);
  REFUSED(HCOMM_ERR_RANK, words, HCOMM_Send(x, 1, HCOMM_INT, size, 0, WORLD));
  REFUSED(HCOMM_ERR_RANK, "dest is -1", HCOMM_Send(x, 1, HCOMM_INT, HCOMM_ANY_SOURCE, 0, WORLD));
  REFUSED(HCOMM_ERR_RANK, "dest is -2147483648", HCOMM_Send(x, 1, HCOMM_INT, -2147483647 - 1, 0, WORLD));
  REFUSED(HCOMM_ERR_RANK, "dest is 1;0 to 0", HCOMM_Send(x, 1, HCOMM_INT, 1, 0, HCOMM_COMM_SELF));
  REFUSED(HCOMM_ERR_TAG, "tag is -1", HCOMM_Send(x, 1, HCOMM_INT, 0, -1, WORLD));
  REFUSED(HCOMM_ERR_TAG, "tag is -2;0 to 2147483647", HCOMM_Send(x, 1, HCOMM_INT, 0, HCOMM_ANY_TAG, WORLD));
  REFUSED(HCOMM_ERR_TAG, "tag is -7", HCOMM_Send(x, 1, HCOMM_INT, HCOMM_PROC_NULL, -7, WORLD));
  FAILS(HCOMM_ERR_COMM, "comm is 0x100", HCOMM_Send(x, 1, HCOMM_INT, 0, 0, HCOMM_COMM_NULL));
}

static void receives(void) {
  HCOMM_Status s = {0};
  int flag;
  TRYING("HCOMM_Recv");
  REFUSED(HCOMM_ERR_BUFFER, "HCOMM_Recv: ;buf is NULL;count is 2", HCOMM_Recv(NULL, 2, HCOMM_INT, 0, 0, WORLD, &s));
  REFUSED(HCOMM_ERR_COUNT, "count is -5", HCOMM_Recv_c(x, -5, HCOMM_INT, 0, 0, WORLD, &s));
  REFUSED(HCOMM_ERR_TYPE, "datatype is 0x0", HCOMM_Recv(x, 1, NULL, 0, 0, WORLD, &s));
  REFUSED(HCOMM_ERR_RANK, "source is -2", HCOMM_Recv(x, 1, HCOMM_INT, -2, 0, WORLD, &s));
  REFUSED(HCOMM_ERR_RANK, "source is 4711;HCOMM_ANY_SOURCE", HCOMM_Recv(x, 1, HCOMM_INT, 4711, 0, WORLD, &s));
  REFUSED(HCOMM_ERR_TAG, "tag is -1;HCOMM_ANY_TAG", HCOMM_Recv(x, 1, HCOMM_INT, 0, -1, WORLD, &s));
  REFUSED(HCOMM_ERR_TAG, "tag is -3", HCOMM_Recv(x, 1, HCOMM_INT, HCOMM_PROC_NULL, -3, WORLD, &s));
  REFUSED(HCOMM_ERR_ARG, "status is 0x7", HCOMM_Recv(x, 1, HCOMM_INT, 0, 0, WORLD, (HCOMM_Status *)7));
  FAILS(HCOMM_ERR_COMM, "comm is 0x0", HCOMM_Recv(x, 1, HCOMM_INT, 0, 0, NULL, &s));
  TRYING("HCOMM_Sendrecv");
  REFUSED(HCOMM_ERR_BUFFER, "sendbuf is NULL;sendcount is 1", HCOMM_Sendrecv(NULL, 1, HCOMM_INT, 0, 0, y, 1, HCOMM_INT, 0, 0, WORLD, &s));
  REFUSED(HCOMM_ERR_BUFFER, "recvbuf is NULL;recvcount is 1", HCOMM_Sendrecv(x, 1, HCOMM_INT, 0, 0, NULL, 1, HCOMM_INT, 0, 0, WORLD, &s));
  REFUSED(HCOMM_ERR_BUFFER, "recvbuf;overlaps sendbuf", HCOMM_Sendrecv(x, 2, HCOMM_INT, 0, 0, x + 1, 2, HCOMM_INT, 0, 0, WORLD, &s));
  REFUSED(HCOMM_ERR_BUFFER, "recvbuf;overlaps sendbuf", HCOMM_Sendrecv(x, 1, HCOMM_INT, 0, 0, x, 9, HCOMM_INT, 0, 0, WORLD, &s));
  REFUSED(HCOMM_ERR_COUNT, "sendcount is -1", HCOMM_Sendrecv(x, -1, HCOMM_INT, 0, 0, y, 1, HCOMM_INT, 0, 0, WORLD, &s));
  REFUSED(HCOMM_ERR_COUNT, "recvcount is -1", HCOMM_Sendrecv(x, 1, HCOMM_INT, 0, 0, y, -1, HCOMM_INT, 0, 0, WORLD, &s));
  REFUSED(HCOMM_ERR_COUNT, "recvcount is 922", HCOMM_Sendrecv_c(x, 1, HCOMM_INT, 0, 0, y, INT64_MAX, HCOMM_INT, 0, 0, WORLD, &s));
  REFUSED(HCOMM_ERR_TYPE, "sendtype is 0x0", HCOMM_Sendrecv(x, 1, NULL, 0, 0, y, 1, HCOMM_INT, 0, 0, WORLD, &s));
  REFUSED(HCOMM_ERR_TYPE, "recvtype is 0x0", HCOMM_Sendrecv(x, 1, HCOMM_INT, 0, 0, y, 1, NULL, 0, 0, WORLD, &s));
  REFUSED(HCOMM_ERR_RANK, "dest is -1", HCOMM_Sendrecv(x, 1, HCOMM_INT, -1, 0, y, 1, HCOMM_INT, 0, 0, WORLD, &s));
  REFUSED(HCOMM_ERR_RANK, "source is 99", HCOMM_Sendrecv(x, 1, HCOMM_INT, 0, 0, y, 1, HCOMM_INT, 99, 0, WORLD, &s));
  REFUSED(HCOMM_ERR_TAG, "sendtag is -2", HCOMM_Sendrecv(x, 1, HCOMM_INT, 0, -2, y, 1, HCOMM_INT, 0, 0, WORLD, &s));
  REFUSED(HCOMM_ERR_TAG, "recvtag is -9", HCOMM_Sendrecv(x, 1, HCOMM_INT, 0, 0, y, 1, HCOMM_INT, 0, -9, WORLD, &s));
  OK(HCOMM_Sendrecv(x, 1, HCOMM_INT, HCOMM_PROC_NULL, 0, x + 1, 1, HCOMM_INT, HCOMM_PROC_NULL, 0, WORLD, &s)); /* side by side */
  TRYING("probes");
  REFUSED(HCOMM_ERR_RANK, "HCOMM_Probe: ;source is -2", HCOMM_Probe(-2, 0, WORLD, &s));
  REFUSED(HCOMM_ERR_TAG, "HCOMM_Probe: ;tag is -1", HCOMM_Probe(0, -1, WORLD, &s));
  REFUSED(HCOMM_ERR_RANK, "HCOMM_Iprobe: ;source is -5", HCOMM_Iprobe(-5, 0, WORLD, &flag, &s));
  REFUSED(HCOMM_ERR_ARG, "flag is NULL", HCOMM_Iprobe(0, 0, WORLD, NULL, &s));
  REFUSED(HCOMM_ERR_ARG, "HCOMM_Get_count: ;status is NULL", HCOMM_Get_count(NULL, HCOMM_INT, &flag));
  REFUSED(HCOMM_ERR_ARG, "count is NULL", HCOMM_Get_count(&s, HCOMM_INT, NULL));
  REFUSED(HCOMM_ERR_TYPE, "datatype is 0x200", HCOMM_Get_count(&s, HCOMM_DATATYPE_NULL, &flag));
}

static void typed(void) {
  const hcommResult_t bad = hcommInvalidArgument;
  char words[64];
  TRYING("hcommSend and hcommRecv");
  REFUSED(bad, "hcommSend: ;sendbuff is NULL;count is 2", hcommSend(NULL, 2, hcommInt32, 0, comm, NULL));
  REFUSED(bad, "hcommRecv: ;recvbuff is NULL;count is 2", hcommRecv(NULL, 2, hcommInt32, 0, comm, NULL));
  REFUSED(bad, "sendbuff is 0x10", hcommSend((void *)16, 2, hcommInt32, 0, comm, NULL));
  REFUSED(bad, "count is 18446744073709551615", hcommSend(x, SIZE_MAX, hcommInt32, 0, comm, NULL));
  REFUSED(bad, "count is ;more bytes", hcommRecv(x, (size_t)1 << 62, hcommInt32, 0, comm, NULL));
  REFUSED(bad, "datatype is 12", hcommSend(x, 1, (hcommDataType_t)12, 0, comm, NULL));
  REFUSED(bad, "datatype is 256", hcommRecv(x, 1, (hcommDataType_t)256, 0, comm, NULL));
  snprintf(words, sizeof words, "peer is %d;0 to %d", size, size - 1);
  REFUSED(bad, words, hcommSend(x, 1, hcommInt32, size, comm, NULL));
  REFUSED(bad, "peer is -1", hcommRecv(x, 1, hcommInt32, -1, comm, NULL));
  REFUSED(bad, "peer is -3", hcommSend(x, 1, hcommInt32, HCOMM_PROC_NULL, comm, NULL));
  REFUSED(bad, "stream is 0x8", hcommSend(x, 1, hcommInt32, 0, comm, (hcommStream_t)8));
  FAILS(bad, "comm is NULL", hcommRecv(x, 1, hcommInt32, 0, NULL, NULL));
}

/* Calls that nobody but their caller, who is in them, could end. */
static void for_ever(void) {
  static char large[40 << 20];
  const char *words = "would wait for ever";
  HCOMM_Status s;
  TRYING("waits for oneself");
  REFUSED(HCOMM_ERR_OTHER, words, HCOMM_Recv(x, 1, HCOMM_INT, rank, 5, WORLD, &s));
  REFUSED(HCOMM_ERR_OTHER, words, HCOMM_Recv(x, 1, HCOMM_INT, HCOMM_ANY_SOURCE, 5, HCOMM_COMM_SELF, &s));
  REFUSED(HCOMM_ERR_OTHER, words, HCOMM_Probe(rank, HCOMM_ANY_TAG, WORLD, &s));
  REFUSED(HCOMM_ERR_OTHER, words, HCOMM_Sendrecv(x, 1, HCOMM_INT, rank, 4, y, 1, HCOMM_INT, rank, 5, WORLD, &s));
  REFUSED(hcommInvalidUsage, words, hcommRecv(x, 1, hcommInt32, rank, comm, NULL));
  OK(HCOMM_Send(large, sizeof large, HCOMM_BYTE, rank, 5, WORLD));
  REFUSED(HCOMM_ERR_OTHER, "41943040;would wait for ever;67108864", HCOMM_Send(large, sizeof large, HCOMM_BYTE, rank, 5, WORLD));
  OK(HCOMM_Recv(large, sizeof large, HCOMM_BYTE, rank, 5, WORLD, &s));
  OK(HCOMM_Send(large, sizeof large, HCOMM_BYTE, rank, 5, WORLD));
  OK(HCOMM_Recv(large, sizeof large, HCOMM_BYTE, rank, 5, WORLD, &s));
  TRYING("a receive behind too many messages");
  OK(HCOMM_Barrier(WORLD));
  if (rank == size - 1 && rank > 0) {
    for (int i = 0; i < 1000; i++) OK(HCOMM_Send(x, 500, HCOMM_INT, 0, 1, WORLD));
    OK(HCOMM_Send(x, 1, HCOMM_INT, 0, 2, WORLD));
  } else if (rank == 0 && size > 1) {
    FAILS(HCOMM_ERR_OTHER, words, HCOMM_Recv(y, 1, HCOMM_INT, size - 1, 2, WORLD, &s));
    if (size == 2) {
      FAILS(HCOMM_ERR_OTHER, words, HCOMM_Recv(y, 1, HCOMM_INT, HCOMM_ANY_SOURCE, 2, WORLD, &s));
      FAILS(HCOMM_ERR_OTHER, words, HCOMM_Probe(HCOMM_ANY_SOURCE, 2, WORLD, &s));
    }
    for (int i = 0; i < 1000; i++) OK(HCOMM_Recv(y, 500, HCOMM_INT, size - 1, 1, WORLD, &s));
    OK(HCOMM_Recv(y, 1, HCOMM_INT, size - 1, 2, WORLD, &s));
  }
  works();
}

/* A receive that wants something else than was sent: both sides are told, in the same words. */
static const struct {
  size_t sent, wanted;
  hcommDataType_t as, into;
  const char *words;
} pairs[] = {
    {3, 3, hcommInt32, hcommFloat32, "Recv of 3 float32 from rank 0;Send of 3 int32 to rank 1"},
    {3, 4, hcommInt32, hcommInt32, "Recv of 4 int32 from rank 0;Send of 3 int32 to rank 1"},
    {4, 3, hcommInt32, hcommInt32, "Recv of 3 int32 from rank 0;Send of 4 int32 to rank 1"},
    {0, 1, hcommInt8, hcommInt8, "Recv of 1 int8 from rank 0;Send of 0 int8 to rank 1"},
    {1, 2, hcommInt64, hcommInt32, "Recv of 2 int32 from rank 0;Send of 1 int64 to rank 1"},
    {MOST, 2, hcommInt32, hcommInt32, "Recv of 2 int32 from rank 0;Send of 1048576 int32 to rank 1"},
    {2, MOST, hcommInt32, hcommInt32, "Recv of 1048576 int32 from rank 0;Send of 2 int32 to rank 1"},
};

static void differ(void) {
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs && size > 1; i++) {
    hcommComm_t other;
    hcommResult_t r = hcommSuccess;
    TRYING("type and count that differ, %zu", i);
    OK(hcommCommInitEnv(&other));
    if (rank == 0) r = hcommSend(x, pairs[i].sent, pairs[i].as, 1, other, NULL);
    if (rank == 1) r = hcommRecv(y, pairs[i].wanted, pairs[i].into, 0, other, NULL);
    if (r == hcommSuccess) r = hcommBarrier(other, NULL);
    FAILS(hcommMismatch, "ranks disagree: rank 1 (host ;, rank 0 (host ;type and count", r);
    FAILS(hcommMismatch, pairs[i].words, hcommSend(x, 3, hcommInt32, 0, other, NULL));
    FAILS(hcommMismatch, pairs[i].words, hcommRecv(x, 3, hcommInt32, 0, other, NULL));
    OK(hcommCommDestroy(other));
  }
}

static void not_now(const char *when) {
  HCOMM_Status s;
  int flag;
  FAILS(HCOMM_ERR_OTHER, when, HCOMM_Send(x, 1, HCOMM_INT, 0, 0, WORLD));
  FAILS(HCOMM_ERR_OTHER, when, HCOMM_Recv(x, 1, HCOMM_INT, 0, 0, WORLD, &s));
  FAILS(HCOMM_ERR_OTHER, when, HCOMM_Sendrecv(x, 1, HCOMM_INT, 0, 0, y, 1, HCOMM_INT, 0, 0, WORLD, &s));
  FAILS(HCOMM_ERR_OTHER, when, HCOMM_Probe(0, 0, WORLD, &s));
  FAILS(HCOMM_ERR_OTHER, when, HCOMM_Iprobe(0, 0, WORLD, &flag, &s));
}

/* One call of rank 0 that needs the victim, which is not, or no longer, there. */
static int call(const char *name, int victim) {
  int flag = 0, class = 0;
  if (!strcmp(name, "Send")) return HCOMM_Send(x, MOST, HCOMM_INT, victim, 1, WORLD);
  if (!strcmp(name, "Recv")) return HCOMM_Recv(y, MOST, HCOMM_INT, victim, 1, WORLD, HCOMM_STATUS_IGNORE);
  if (!strcmp(name, "Recv_any")) return HCOMM_Recv(y, 1, HCOMM_INT, HCOMM_ANY_SOURCE, 1, WORLD, HCOMM_STATUS_IGNORE);
  if (!strcmp(name, "Sendrecv"))
    return HCOMM_Sendrecv(x, MOST, HCOMM_INT, 0, 1, y, MOST, HCOMM_INT, victim, 1, WORLD, HCOMM_STATUS_IGNORE);
  if (!strcmp(name, "Probe")) return HCOMM_Probe(victim, 1, WORLD, HCOMM_STATUS_IGNORE);
  while (!strcmp(name, "Iprobe") && !class && !flag) class = HCOMM_Iprobe(victim, 1, WORLD, &flag, HCOMM_STATUS_IGNORE);
  if (!strcmp(name, "hcommSend")) return hcommSend(x, MOST, hcommInt32, victim, comm, NULL);
  if (!strcmp(name, "hcommRecv")) return hcommRecv(y, MOST, hcommInt32, victim, comm, NULL);
  /* in the middle of long messages */
  while (!strcmp(name, "Recv_middle") && !class) class = HCOMM_Recv(y, MOST, HCOMM_INT, victim, 1, WORLD, HCOMM_STATUS_IGNORE);
  while (!strcmp(name, "Send_middle") && !class) class = HCOMM_Send(x, MOST, HCOMM_INT, victim, 1, WORLD);
  return class;
}

static void end_myself(int number) {
  (void)number;
  kill(getpid(), SIGKILL);
}

static void killed(const char *name) {
  int victim = size - 1, half = *name == 'h', code = half ? (int)hcommRemoteError : (int)HCOMM_ERR_PROC_ABORTED;
  char words[64], sentence[512];
  TRYING("%s", name);
  for (int i = 0; i < 3 && rank == victim; i++) OK(HCOMM_Send(x, 1, HCOMM_INT, 0, 7, WORLD));
  OK(hcommBarrier(comm, NULL));
  int left = GATE(HCOMM_ERR_PROC_ABORTED, HCOMM_Barrier(WORLD));
  if (rank == victim) {
    CHECK(left);
    signal(SIGALRM, end_myself);
    ualarm(20000, 0);
    for (int i = 0; strstr(name, "Send_middle"); i++) OK(HCOMM_Recv(y, MOST, HCOMM_INT, 0, 1, WORLD, HCOMM_STATUS_IGNORE));
    for (int i = 0; strstr(name, "Recv_middle"); i++) OK(HCOMM_Send(x, MOST, HCOMM_INT, 0, 1, WORLD));
    for (;;) pause();
  }
  snprintf(words, sizeof words, "rank %d (host ;) died; rank 0 (host ;was in ", victim);
  if (rank == 0) {
    /* what it sent before is there */
    OK(HCOMM_Recv(y, 1, HCOMM_INT, HCOMM_ANY_SOURCE, 7, WORLD, HCOMM_STATUS_IGNORE));
    FAILS(code, words, call(name, victim));
  } else {
    FAILS(code, words, half ? (int)hcommRecv(y, 1, hcommInt32, 0, comm, NULL) : HCOMM_Recv(y, 1, HCOMM_INT, 0, 1, WORLD, HCOMM_STATUS_IGNORE));
  }
  snprintf(sentence, sizeof sentence, "%s", strchr(hcommGetLastError(comm), ':'));
  if (half) FAILS(code, sentence, hcommSend(x, 1, hcommInt32, 0, comm, NULL));
  else FAILS(code, sentence, HCOMM_Send(x, 1, HCOMM_INT, 0, 1, WORLD));
  if (!half) OK(HCOMM_Sendrecv(x, 1, HCOMM_INT, 0, 1, y, 1, HCOMM_INT, 0, 1, HCOMM_COMM_SELF, HCOMM_STATUS_IGNORE));
  printf("rank %d was told%s\n", rank, sentence);
}

int main(int argc, char **argv) {
  not_now("before HCOMM_Init");
  OK(HCOMM_Init(&argc, &argv));
  errors_return();
  OK(hcommCommInitEnv(&comm));
  OK(HCOMM_Comm_rank(WORLD, &rank));
  OK(HCOMM_Comm_size(WORLD, &size));
  check_rank = rank;
  if (argc > 1) {
    killed(argv[1]);
    return 0;
  }
  works();
  sends();
  receives();
  typed();
  for_ever();
  differ();
  OK(hcommCommDestroy(comm));
  OK(HCOMM_Finalize());
  not_now("after HCOMM_Finalize");
  return 0;
}
