/* What can go wrong with requests: each bad argument gives its class and a sentence, nothing is done, and HCOMM_COMM_WORLD
 * works on; handles that are no longer, or not yet, what a call wants; statuses, also of failures; HCOMM_Finalize while
 * requests are under way; and a rank that dies.
 *
 * run: hcomm run -n 1 %p
 * run: hcomm run -n 2 %p
 * run: hcomm run -n 3 %p
 * run: tests/expect.sh 137 rank_0_was_told hcomm run -n 2 --no-kill %p dies
 * run: tests/expect.sh 137 rank_0_was_told hcomm run -n 3 --no-kill %p dies
 * timeout: 60
 */
#include "check.h"
#include "mpi_refused.h"

#include <signal.h>

#define WORLD HCOMM_COMM_WORLD
#define INFO HCOMM_INFO_NULL
#define NONE HCOMM_REQUEST_NULL

static int x[4096], y[4096 * 8];

/* BAD(class, words, call with q): the call is refused, and there is no request. */
#define BAD(class, words, ...)        \
  do {                                \
    q = (HCOMM_Request)4711;          \
    REFUSED(class, words, __VA_ARGS__); \
    CHECK(q == NONE);                 \
  } while (0)

static void arguments(void) {
  HCOMM_Request q;
  const HCOMM_Info info = (HCOMM_Info)0x131;
  TRYING("the arguments of what is begun");
  BAD(HCOMM_ERR_COUNT, "HCOMM_Isend: ;count is -1", HCOMM_Isend(x, -1, HCOMM_INT, 0, 0, WORLD, &q));
  BAD(HCOMM_ERR_COUNT, "HCOMM_Isend: ;count is 9223372036854775807", HCOMM_Isend_c(x, INT64_MAX, HCOMM_INT, 0, 0, WORLD, &q));
  BAD(HCOMM_ERR_TAG, "HCOMM_Irecv: ;tag is -7", HCOMM_Irecv(x, 1, HCOMM_INT, 0, -7, WORLD, &q));
  BAD(HCOMM_ERR_RANK, "HCOMM_Irecv: ;source is 99", HCOMM_Irecv_c(x, 1, HCOMM_INT, 99, 0, WORLD, &q));
  BAD(HCOMM_ERR_OP, "HCOMM_Iallreduce: ;op is 0x20", HCOMM_Iallreduce(x, y, 1, HCOMM_INT, HCOMM_OP_NULL, WORLD, &q));
  BAD(HCOMM_ERR_BUFFER, "HCOMM_Iallreduce: ;said with HCOMM_IN_PLACE", HCOMM_Iallreduce_c(x, x, 1, HCOMM_INT, HCOMM_SUM, WORLD, &q));
  BAD(HCOMM_ERR_ROOT, "HCOMM_Ibcast: ;root is -1", HCOMM_Ibcast(x, 1, HCOMM_INT, -1, WORLD, &q));
  BAD(HCOMM_ERR_TYPE, "HCOMM_Ibcast: ;datatype is 0x200", HCOMM_Ibcast_c(x, 1, HCOMM_DATATYPE_NULL, 0, WORLD, &q));
  BAD(HCOMM_ERR_ROOT, "HCOMM_Ireduce: ;root is 77", HCOMM_Ireduce(x, y, 1, HCOMM_INT, HCOMM_SUM, 77, WORLD, &q));
  BAD(HCOMM_ERR_COUNT, "HCOMM_Ireduce: ;count is -1", HCOMM_Ireduce_c(x, y, -1, HCOMM_INT, HCOMM_SUM, 0, WORLD, &q));
  BAD(HCOMM_ERR_COUNT, "HCOMM_Iallgather: ;sendcount is 3;recvcount is 2", HCOMM_Iallgather(x, 3, HCOMM_INT, y, 2, HCOMM_INT, WORLD, &q));
  BAD(HCOMM_ERR_COUNT, "HCOMM_Iallgather: ;recvcount is 1152921504606846976",
      HCOMM_Iallgather_c(HCOMM_IN_PLACE, 0, NULL, y, (HCOMM_Count)1 << 60, HCOMM_INT, WORLD, &q));
  BAD(HCOMM_ERR_COUNT, "HCOMM_Ireduce_scatter_block: ;recvcount is -1", HCOMM_Ireduce_scatter_block(x, y, -1, HCOMM_INT, HCOMM_SUM, WORLD, &q));
  BAD(HCOMM_ERR_COUNT, "recvcount is 9223372036854775807", HCOMM_Ireduce_scatter_block_c(x, y, INT64_MAX, HCOMM_INT, HCOMM_SUM, WORLD, &q));
  BAD(HCOMM_ERR_BUFFER, "HCOMM_Ialltoall: ;sendbuf is NULL", HCOMM_Ialltoall(NULL, 1, HCOMM_INT, y, 1, HCOMM_INT, WORLD, &q));
  BAD(HCOMM_ERR_BUFFER, "HCOMM_Ialltoall: ;recvbuf is NULL", HCOMM_Ialltoall_c(x, 1, HCOMM_INT, NULL, 1, HCOMM_INT, WORLD, &q));
  BAD(HCOMM_ERR_TYPE, "HCOMM_Igather: ;sendtype is 0x0", HCOMM_Igather(x, 1, NULL, y, 1, HCOMM_INT, (rank + 1) % size, WORLD, &q));
  BAD(HCOMM_ERR_ROOT, "HCOMM_Igather: ;root is -5", HCOMM_Igather_c(x, 1, HCOMM_INT, y, 1, HCOMM_INT, -5, WORLD, &q));
  BAD(HCOMM_ERR_ROOT, "HCOMM_Iscatter: ;root is -5", HCOMM_Iscatter(x, 1, HCOMM_INT, y, 1, HCOMM_INT, -5, WORLD, &q));
  BAD(HCOMM_ERR_TYPE, "HCOMM_Iscatter: ;sendtype is 0x7", HCOMM_Iscatter_c(x, 1, (HCOMM_Datatype)7, y, 1, HCOMM_INT, rank, WORLD, &q));
  BAD(HCOMM_ERR_COMM, "HCOMM_Ibarrier: ;comm is 0x100", HCOMM_Ibarrier(HCOMM_COMM_NULL, &q));
  FAILS(HCOMM_ERR_ARG, "HCOMM_Ibarrier: request is NULL", HCOMM_Ibarrier(WORLD, NULL));
  FAILS(HCOMM_ERR_ARG, "request is 0x7", HCOMM_Isend(x, 1, HCOMM_INT, rank, 0, WORLD, (HCOMM_Request *)7));
  TRYING("the arguments of persistent requests");
  BAD(HCOMM_ERR_COUNT, "HCOMM_Send_init: ;count is -1", HCOMM_Send_init(x, -1, HCOMM_INT, 0, 0, WORLD, &q));
  BAD(HCOMM_ERR_RANK, "HCOMM_Send_init: ;dest is -1", HCOMM_Send_init_c(x, 1, HCOMM_INT, HCOMM_ANY_SOURCE, 0, WORLD, &q));
  BAD(HCOMM_ERR_TAG, "HCOMM_Recv_init: ;tag is -1", HCOMM_Recv_init(x, 1, HCOMM_INT, 0, -1, WORLD, &q));
  BAD(HCOMM_ERR_BUFFER, "HCOMM_Recv_init: ;buf is NULL", HCOMM_Recv_init_c(NULL, 1, HCOMM_INT, 0, 0, WORLD, &q));
  BAD(HCOMM_ERR_OP, "HCOMM_Allreduce_init: ;op is 0x0", HCOMM_Allreduce_init(x, y, 1, HCOMM_INT, NULL, WORLD, INFO, &q));
  BAD(HCOMM_ERR_INFO, "HCOMM_Allreduce_init: ;info is 0x131", HCOMM_Allreduce_init_c(x, y, 1, HCOMM_INT, HCOMM_SUM, WORLD, info, &q));
  BAD(HCOMM_ERR_ROOT, "HCOMM_Bcast_init: ;root is 9", HCOMM_Bcast_init(x, 1, HCOMM_INT, 9, WORLD, INFO, &q));
  BAD(HCOMM_ERR_BUFFER, "HCOMM_Bcast_init: ;buffer is NULL", HCOMM_Bcast_init_c(NULL, 1, HCOMM_INT, 0, WORLD, INFO, &q));
  BAD(HCOMM_ERR_OP, "HCOMM_Reduce_init: ;op is ;integers", HCOMM_Reduce_init(x, y, 1, HCOMM_FLOAT, HCOMM_BAND, 0, WORLD, INFO, &q));
  BAD(HCOMM_ERR_COUNT, "HCOMM_Reduce_init: ;count is -3", HCOMM_Reduce_init_c(x, y, -3, HCOMM_INT, HCOMM_SUM, 0, WORLD, INFO, &q));
  BAD(HCOMM_ERR_TYPE, "HCOMM_Allgather_init: ;recvtype is 0x7", HCOMM_Allgather_init(x, 1, HCOMM_INT, y, 1, (HCOMM_Datatype)7, WORLD, INFO, &q));
  BAD(HCOMM_ERR_BUFFER, "HCOMM_Allgather_init: ;recvbuf is NULL", HCOMM_Allgather_init_c(x, 1, HCOMM_INT, NULL, 1, HCOMM_INT, WORLD, INFO, &q));
  BAD(HCOMM_ERR_COUNT, "HCOMM_Reduce_scatter_block_init: ;recvcount is -1",
      HCOMM_Reduce_scatter_block_init(x, y, -1, HCOMM_INT, HCOMM_SUM, WORLD, INFO, &q));
  BAD(HCOMM_ERR_BUFFER, "HCOMM_Reduce_scatter_block_init: ;sendbuf is NULL;recvcount is 1",
      HCOMM_Reduce_scatter_block_init_c(NULL, y, 1, HCOMM_INT, HCOMM_SUM, WORLD, INFO, &q));
  BAD(HCOMM_ERR_COUNT, "HCOMM_Alltoall_init: ;sendcount is -1", HCOMM_Alltoall_init(x, -1, HCOMM_INT, y, 1, HCOMM_INT, WORLD, INFO, &q));
  BAD(HCOMM_ERR_COUNT, "HCOMM_Alltoall_init: ;recvcount is -1", HCOMM_Alltoall_init_c(x, 1, HCOMM_INT, y, -1, HCOMM_INT, WORLD, INFO, &q));
  BAD(HCOMM_ERR_ROOT, "HCOMM_Gather_init: ;root is 9", HCOMM_Gather_init(x, 1, HCOMM_INT, y, 1, HCOMM_INT, 9, WORLD, INFO, &q));
  BAD(HCOMM_ERR_COUNT, "HCOMM_Gather_init: ;recvcount is -1", HCOMM_Gather_init_c(x, 1, HCOMM_INT, y, -1, HCOMM_INT, rank, WORLD, INFO, &q));
  BAD(HCOMM_ERR_ROOT, "HCOMM_Scatter_init: ;root is 9", HCOMM_Scatter_init(x, 1, HCOMM_INT, y, 1, HCOMM_INT, 9, WORLD, INFO, &q));
  BAD(HCOMM_ERR_COUNT, "HCOMM_Scatter_init: ;sendcount is -1", HCOMM_Scatter_init_c(y, -1, HCOMM_INT, x, 1, HCOMM_INT, rank, WORLD, INFO, &q));
  FAILS(HCOMM_ERR_ARG, "HCOMM_Barrier_init: request is NULL", HCOMM_Barrier_init(WORLD, INFO, NULL));
}

/* Each call that completes requests, with handles that are none. */
static void bad_handles(HCOMM_Request q, const char *words) {
  HCOMM_Request two[2] = {NONE, q};
  int flag = 7, n = 7, at[2] = {7, 7};
  FAILS(HCOMM_ERR_REQUEST, words, HCOMM_Wait(&q, HCOMM_STATUS_IGNORE));
  FAILS(HCOMM_ERR_REQUEST, words, HCOMM_Test(&q, &flag, HCOMM_STATUS_IGNORE));
  FAILS(HCOMM_ERR_REQUEST, words, HCOMM_Waitall(2, two, HCOMM_STATUSES_IGNORE));
  FAILS(HCOMM_ERR_REQUEST, words, HCOMM_Testall(2, two, &flag, HCOMM_STATUSES_IGNORE));
  FAILS(HCOMM_ERR_REQUEST, words, HCOMM_Waitany(2, two, &n, HCOMM_STATUS_IGNORE));
  FAILS(HCOMM_ERR_REQUEST, words, HCOMM_Testany(2, two, &n, &flag, HCOMM_STATUS_IGNORE));
  FAILS(HCOMM_ERR_REQUEST, words, HCOMM_Waitsome(2, two, &n, at, HCOMM_STATUSES_IGNORE));
  FAILS(HCOMM_ERR_REQUEST, words, HCOMM_Testsome(2, two, &n, at, HCOMM_STATUSES_IGNORE));
  FAILS(HCOMM_ERR_REQUEST, words, HCOMM_Request_get_status(q, &flag, HCOMM_STATUS_IGNORE));
  FAILS(HCOMM_ERR_REQUEST, words, HCOMM_Request_free(&q));
  FAILS(HCOMM_ERR_REQUEST, words, HCOMM_Start(&q));
  FAILS(HCOMM_ERR_REQUEST, words, HCOMM_Startall(1, &two[1]));
  CHECK(flag == 7 && n == 7 && at[0] == 7 && two[0] == NONE && two[1] == q);
}

static void handles(void) {
  HCOMM_Request q = NONE, copy, none = NONE;
  char words[64];
  TRYING("handles that are none");
  bad_handles((HCOMM_Request)0x4711, "request is 0x4711, which is none, or was completed or freed");
  bad_handles(NULL, "request is NULL");
  bad_handles((HCOMM_Request)(intptr_t)-1, "request is 0xffffffffffffffff");
  TRYING("handles that were completed");
  OK(HCOMM_Ibarrier(WORLD, &q));
  copy = q;
  OK(HCOMM_Wait(&q, HCOMM_STATUS_IGNORE));
  CHECK(q == NONE);
  snprintf(words, sizeof words, "request is 0x%lx, which is none", (unsigned long)(uintptr_t)copy);
  bad_handles(copy, words);
  OK(HCOMM_Ibarrier(WORLD, &q)); /* takes its place, with another number */
  CHECK(q != copy);
  bad_handles(copy, words);
  OK(HCOMM_Wait(&q, HCOMM_STATUS_IGNORE));
  TRYING("HCOMM_REQUEST_NULL where it cannot be");
  FAILS(HCOMM_ERR_REQUEST, "HCOMM_Request_free: request is HCOMM_REQUEST_NULL", HCOMM_Request_free(&none));
  FAILS(HCOMM_ERR_REQUEST, "HCOMM_Start: request is HCOMM_REQUEST_NULL", HCOMM_Start(&none));
  TRYING("a start of what cannot be started");
  OK(HCOMM_Irecv(x, 1, HCOMM_INT, rank, 5, WORLD, &q));
  FAILS(HCOMM_ERR_REQUEST, "HCOMM_Start: request is 0x;which HCOMM_Irecv has begun already", HCOMM_Start(&q));
  OK(HCOMM_Send(y, 1, HCOMM_INT, rank, 5, WORLD));
  OK(HCOMM_Wait(&q, HCOMM_STATUS_IGNORE));
  OK(HCOMM_Recv_init(x, 1, HCOMM_INT, rank, 5, WORLD, &q));
  OK(HCOMM_Start(&q));
  FAILS(HCOMM_ERR_REQUEST, "HCOMM_Start: request is 0x;HCOMM_Recv_init;under way", HCOMM_Start(&q));
  OK(HCOMM_Send(y, 1, HCOMM_INT, rank, 5, WORLD));
  OK(HCOMM_Wait(&q, HCOMM_STATUS_IGNORE));
  OK(HCOMM_Request_free(&q));
  works();
}

static void pointers(void) {
  HCOMM_Request q = NONE;
  HCOMM_Status *const bad = (HCOMM_Status *)9;
  int flag, n, at[1];
  TRYING("pointers and counts");
  FAILS(HCOMM_ERR_ARG, "HCOMM_Wait: request is NULL", HCOMM_Wait(NULL, HCOMM_STATUS_IGNORE));
  FAILS(HCOMM_ERR_ARG, "HCOMM_Wait: status is 0x9", HCOMM_Wait(&q, bad));
  FAILS(HCOMM_ERR_ARG, "HCOMM_Test: flag is NULL", HCOMM_Test(&q, NULL, HCOMM_STATUS_IGNORE));
  FAILS(HCOMM_ERR_ARG, "HCOMM_Waitall: requests is NULL", HCOMM_Waitall(1, NULL, HCOMM_STATUSES_IGNORE));
  FAILS(HCOMM_ERR_ARG, "HCOMM_Waitall: statuses is 0x9", HCOMM_Waitall(1, &q, bad));
  FAILS(HCOMM_ERR_COUNT, "HCOMM_Waitall: count is -1", HCOMM_Waitall(-1, &q, HCOMM_STATUSES_IGNORE));
  FAILS(HCOMM_ERR_ARG, "HCOMM_Testall: flag is NULL", HCOMM_Testall(1, &q, NULL, HCOMM_STATUSES_IGNORE));
  FAILS(HCOMM_ERR_ARG, "HCOMM_Waitany: index is NULL", HCOMM_Waitany(1, &q, NULL, HCOMM_STATUS_IGNORE));
  FAILS(HCOMM_ERR_ARG, "HCOMM_Testany: flag is NULL", HCOMM_Testany(1, &q, &n, NULL, HCOMM_STATUS_IGNORE));
  FAILS(HCOMM_ERR_ARG, "HCOMM_Testany: index is NULL", HCOMM_Testany(1, &q, NULL, &flag, HCOMM_STATUS_IGNORE));
  FAILS(HCOMM_ERR_ARG, "HCOMM_Waitsome: outcount is NULL", HCOMM_Waitsome(1, &q, NULL, at, HCOMM_STATUSES_IGNORE));
  FAILS(HCOMM_ERR_ARG, "HCOMM_Testsome: indices is NULL", HCOMM_Testsome(1, &q, &n, NULL, HCOMM_STATUSES_IGNORE));
  FAILS(HCOMM_ERR_ARG, "HCOMM_Request_get_status: flag is NULL", HCOMM_Request_get_status(q, NULL, HCOMM_STATUS_IGNORE));
  FAILS(HCOMM_ERR_ARG, "HCOMM_Request_free: request is NULL", HCOMM_Request_free(NULL));
  FAILS(HCOMM_ERR_ARG, "HCOMM_Start: request is NULL", HCOMM_Start(NULL));
  FAILS(HCOMM_ERR_COUNT, "HCOMM_Startall: count is -2", HCOMM_Startall(-2, &q));
  OK(HCOMM_Waitall(0, NULL, HCOMM_STATUSES_IGNORE));
  OK(HCOMM_Startall(0, NULL));
}

static int is_empty(const HCOMM_Status *s) {
  int n;
  OK(HCOMM_Get_count(s, HCOMM_BYTE, &n));
  return s->HCOMM_SOURCE == HCOMM_ANY_SOURCE && s->HCOMM_TAG == HCOMM_ANY_TAG && s->HCOMM_ERROR == HCOMM_SUCCESS && n == 0;
}

/* Nothing, and what is inactive, is complete, with the empty status. */
static void nothing(void) {
  HCOMM_Request q[2] = {NONE, NONE}, kept;
  HCOMM_Status s[2];
  int flag = 0, n = 0, at[2];
  OK(HCOMM_Barrier_init(WORLD, INFO, &kept));
  for (int persistent = 0; persistent < 2; persistent++) {
    TRYING("%s requests", persistent ? "inactive" : "no");
    if (persistent) q[1] = kept;
#define GIVES(call, k, condition)                                   \
  do {                                                              \
    memset(s, 0x55, sizeof s);                                      \
    OK(call);                                                       \
    CHECK((condition) && (k < 0 || is_empty(&s[k < 0 ? 0 : k])));   \
    CHECK(q[1] == (persistent ? kept : NONE));                      \
  } while (0)
    GIVES(HCOMM_Wait(&q[1], s), 0, 1);
    GIVES(HCOMM_Test(&q[1], &flag, s), 0, flag == 1);
    GIVES(HCOMM_Request_get_status(q[1], &flag, s), 0, flag == 1);
    GIVES(HCOMM_Waitall(2, q, s), 1, is_empty(&s[0]));
    GIVES(HCOMM_Testall(2, q, &flag, s), 1, flag == 1 && is_empty(&s[0]));
    GIVES(HCOMM_Waitany(2, q, &n, s), 0, n == HCOMM_UNDEFINED);
    GIVES(HCOMM_Testany(2, q, &n, &flag, s), 0, n == HCOMM_UNDEFINED && flag == 1);
    GIVES(HCOMM_Waitsome(2, q, &n, at, s), -1, n == HCOMM_UNDEFINED);
    GIVES(HCOMM_Testsome(2, q, &n, at, s), -1, n == HCOMM_UNDEFINED);
  }
  OK(HCOMM_Startall(1, &kept));
  OK(HCOMM_Waitall(1, &kept, s));
  CHECK(is_empty(&s[0]));
  OK(HCOMM_Request_free(&kept));
  CHECK(kept == NONE);
}

/* A receive whose message is too long, beside others: from this rank itself, so that every rank can try. */
static void truncation(void) {
  HCOMM_Request q[3], kept;
  HCOMM_Status s[3];
  int flag, n, at[3], got[3] = {1, 2, 3};
  const char *words = "HCOMM_Waitall (HCOMM_Irecv): ;8 bytes";
  TRYING("HCOMM_ERR_IN_STATUS");
  OK(HCOMM_Irecv(&got[0], 1, HCOMM_INT, rank, 1, WORLD, &q[0]));
  OK(HCOMM_Irecv(&got[1], 1, HCOMM_INT, rank, 2, WORLD, &q[1]));
  OK(HCOMM_Irecv(&got[2], 1, HCOMM_INT, rank, 3, WORLD, &q[2])); /* nothing comes yet */
  OK(HCOMM_Send(x, 1, HCOMM_INT, rank, 1, WORLD));
  OK(HCOMM_Send(x, 2, HCOMM_INT, rank, 2, WORLD));
  OK(HCOMM_Request_get_status(q[1], &flag, &s[0]));
  OK(HCOMM_Get_count(&s[0], HCOMM_INT, &n));
  CHECK(flag == 1 && s[0].HCOMM_ERROR == HCOMM_ERR_TRUNCATE && s[0].HCOMM_TAG == 2 && n == 2);
  memset(s, 0x55, sizeof s);
  FAILS(HCOMM_ERR_IN_STATUS, words, HCOMM_Waitall(3, q, s));
  CHECK(s[0].HCOMM_ERROR == HCOMM_SUCCESS && s[1].HCOMM_ERROR == HCOMM_ERR_TRUNCATE && s[2].HCOMM_ERROR == HCOMM_ERR_PENDING);
  CHECK(s[1].HCOMM_SOURCE == rank && s[1].HCOMM_TAG == 2 && got[1] == 2 && got[0] == x[0]);
  CHECK(q[0] == NONE && q[1] == NONE && q[2] != NONE);
  TRYING("HCOMM_ERR_IN_STATUS by the other calls");
  OK(HCOMM_Irecv(&got[1], 1, HCOMM_INT, rank, 2, WORLD, &q[1]));
  OK(HCOMM_Testall(3, q, &flag, s));
  CHECK(!flag && q[1] != NONE);
  OK(HCOMM_Send(x, 2, HCOMM_INT, rank, 2, WORLD));
  FAILS(HCOMM_ERR_IN_STATUS, "HCOMM_Testall (HCOMM_Irecv): ", HCOMM_Testall(3, q, &flag, HCOMM_STATUSES_IGNORE));
  CHECK(!flag && q[1] == NONE && q[2] != NONE);
  OK(HCOMM_Irecv(&got[1], 1, HCOMM_INT, rank, 2, WORLD, &q[1]));
  OK(HCOMM_Testsome(3, q, &n, at, s));
  CHECK(n == 0);
  OK(HCOMM_Send(x, 2, HCOMM_INT, rank, 2, WORLD));
  FAILS(HCOMM_ERR_IN_STATUS, "HCOMM_Waitsome (HCOMM_Irecv): ", HCOMM_Waitsome(3, q, &n, at, s));
  CHECK(n == 1 && at[0] == 1 && s[0].HCOMM_ERROR == HCOMM_ERR_TRUNCATE && q[1] == NONE);
  TRYING("the class itself");
  OK(HCOMM_Irecv(&got[1], 1, HCOMM_INT, rank, 2, WORLD, &q[1]));
  OK(HCOMM_Send(x, 2, HCOMM_INT, rank, 2, WORLD));
  FAILS(HCOMM_ERR_TRUNCATE, "HCOMM_Waitany (HCOMM_Irecv): ", HCOMM_Waitany(3, q, &n, s));
  CHECK(n == 1 && q[1] == NONE);
  OK(HCOMM_Recv_init(&got[1], 1, HCOMM_INT, rank, 2, WORLD, &kept));
  for (int i = 0; i < 2; i++) { /* a failure leaves it inactive */
    OK(HCOMM_Start(&kept));
    OK(HCOMM_Send(x, 2, HCOMM_INT, rank, 2, WORLD));
    if (i == 0) FAILS(HCOMM_ERR_TRUNCATE, "HCOMM_Wait (HCOMM_Recv_init): ", HCOMM_Wait(&kept, s));
    else FAILS(HCOMM_ERR_TRUNCATE, "HCOMM_Test (HCOMM_Recv_init): ", HCOMM_Test(&kept, &flag, s));
  }
  OK(HCOMM_Request_free(&kept));
  TRYING("the request that was pending");
  x[0] = 77;
  OK(HCOMM_Send(x, 1, HCOMM_INT, rank, 3, WORLD));
  OK(HCOMM_Waitall(3, q, s));
  CHECK(got[2] == 77 && s[2].HCOMM_TAG == 3);
  works();
}

/* A wait for all ends with the first failure that comes, for what else is waited for may never come then. */
static void first_failure(void) {
  HCOMM_Request q[2];
  HCOMM_Status s[2];
  int got[2];
  TRYING("a failure while others are waited for");
  if (size > 1 && rank == 0) {
    OK(HCOMM_Irecv(&got[0], 1, HCOMM_INT, 1, 1, WORLD, &q[0]));
    OK(HCOMM_Irecv(&got[1], 1, HCOMM_INT, HCOMM_ANY_SOURCE, 2, WORLD, &q[1]));
    FAILS(HCOMM_ERR_IN_STATUS, "HCOMM_Waitall (HCOMM_Irecv): ", HCOMM_Waitall(2, q, s));
    CHECK(s[0].HCOMM_ERROR == HCOMM_ERR_PENDING && s[1].HCOMM_ERROR == HCOMM_ERR_TRUNCATE && s[1].HCOMM_SOURCE == 1);
    OK(HCOMM_Send(x, 1, HCOMM_INT, 1, 3, WORLD));
    OK(HCOMM_Waitall(2, q, s));
  } else if (rank == 1) {
    pause_ms(20); /* so that it is waited for */
    OK(HCOMM_Send(x, 2, HCOMM_INT, 0, 2, WORLD));
    OK(HCOMM_Recv(got, 1, HCOMM_INT, 0, 3, WORLD, HCOMM_STATUS_IGNORE));
    OK(HCOMM_Send(x, 1, HCOMM_INT, 0, 1, WORLD));
  }
  works();
}

/* One handle twice in an array is a mistake, but one without harm. */
static void twice(void) {
  HCOMM_Request q[2];
  TRYING("a handle twice");
  OK(HCOMM_Ibarrier(WORLD, &q[0]));
  q[1] = q[0];
  OK(HCOMM_Waitall(2, q, HCOMM_STATUSES_IGNORE));
  CHECK(q[0] == NONE && q[1] == NONE);
  works();
}

/* Requests that are under way hold HCOMM_Finalize and HCOMM_Comm_free back, and nothing is lost. */
static void finalize(void) {
  HCOMM_Comm dup;
  HCOMM_Request q, own, kept;
  HCOMM_Status s;
  TRYING("HCOMM_Comm_free while a request is under way");
  OK(HCOMM_Comm_dup(WORLD, &dup));
  OK(HCOMM_Irecv(y, 1, HCOMM_INT, rank, 1, dup, &q));
  HCOMM_Comm copy = dup;
  FAILS(HCOMM_ERR_OTHER, "HCOMM_Comm_free: ;1 requests are under way;complete them first", HCOMM_Comm_free(&dup));
  CHECK(dup == copy);
  TRYING("HCOMM_Finalize while requests are under way");
  OK(HCOMM_Irecv(y + 1, 1, HCOMM_INT, rank, 1, WORLD, &own));
  FAILS(HCOMM_ERR_OTHER, "HCOMM_Finalize: 2 requests are under way;HCOMM_Irecv;HCOMM_Waitall;HCOMM_Request_free", HCOMM_Finalize());
  works();
  x[0] = 4711 + rank;
  OK(HCOMM_Send(x, 1, HCOMM_INT, rank, 1, dup));
  OK(HCOMM_Wait(&q, &s));
  CHECK(y[0] == 4711 + rank && s.HCOMM_SOURCE == rank);
  OK(HCOMM_Request_free(&own)); /* the message never comes */
  TRYING("HCOMM_Finalize with what was let go of, and what is complete or inactive");
  memset(y, 0, sizeof y);
  for (int i = 0; i < 4096; i++) x[i] = i + rank;
  int to = (rank + 1) % size, from = (rank + size - 1) % size;
  if (size > 1) {
    OK(HCOMM_Irecv(y, 4096, HCOMM_INT, from, 9, WORLD, &q));
    OK(HCOMM_Isend(x, 4096, HCOMM_INT, to, 9, WORLD, &own));
    OK(HCOMM_Request_free(&own));
    OK(HCOMM_Wait(&q, &s));
    for (int i = 0; i < 4096; i++) CHECK(y[i] == i + from);
  }
  OK(HCOMM_Isend(x, 4096, HCOMM_INT, rank, 10, dup, &own));
  OK(HCOMM_Barrier_init(dup, INFO, &kept));
  OK(HCOMM_Finalize());
  FAILS(HCOMM_ERR_OTHER, "HCOMM_Wait: ;after HCOMM_Finalize", HCOMM_Wait(&own, &s));
  FAILS(HCOMM_ERR_OTHER, "HCOMM_Start: ;after HCOMM_Finalize", HCOMM_Start(&kept));
  FAILS(HCOMM_ERR_OTHER, "HCOMM_Ibarrier: ;after HCOMM_Finalize", HCOMM_Ibarrier(WORLD, &q));
}

/* The last rank dies while the others wait for requests that need it. */
static void dies(void) {
  HCOMM_Request q[3];
  HCOMM_Status s[3];
  char words[64];
  OK(HCOMM_Irecv(y, 1, HCOMM_INT, size - 1, 1, WORLD, &q[0]));
  OK(HCOMM_Iallreduce(x, y + 8, 100, HCOMM_INT, HCOMM_SUM, WORLD, &q[1]));
  OK(HCOMM_Ibarrier(WORLD, &q[2]));
  if (rank == size - 1) { /* after the others have begun, and the allreduce may be done */
    for (int q = 0; q < rank; q++) OK(HCOMM_Recv(y + 200, 1, HCOMM_INT, q, 2, WORLD, HCOMM_STATUS_IGNORE));
    pause_ms(50); /* they may be waiting by then */
    kill(getpid(), SIGKILL);
  }
  GATE(HCOMM_ERR_PROC_ABORTED, HCOMM_Send(x, 1, HCOMM_INT, size - 1, 2, WORLD));
  snprintf(words, sizeof words, "rank %d (host ;) died", size - 1);
  FAILS(HCOMM_ERR_IN_STATUS, words, HCOMM_Waitall(3, q, s));
  CHECK(s[0].HCOMM_ERROR == HCOMM_ERR_PROC_ABORTED && q[0] == NONE);
  HCOMM_Request late;
  FAILS(HCOMM_ERR_PROC_ABORTED, words, HCOMM_Ibarrier(WORLD, &late));
  OK(HCOMM_Ibarrier(HCOMM_COMM_SELF, &late));
  OK(HCOMM_Wait(&late, HCOMM_STATUS_IGNORE));
  OK(HCOMM_Finalize());
  printf("rank %d was told\n", rank);
}

int main(int argc, char **argv) {
  HCOMM_Request q = (HCOMM_Request)0x4711;
  HCOMM_Comm made = NULL;
  TRYING("before HCOMM_Init");
  FAILS(HCOMM_ERR_OTHER, "HCOMM_Ibarrier: ;before HCOMM_Init", HCOMM_Ibarrier(WORLD, &q));
  FAILS(HCOMM_ERR_OTHER, "HCOMM_Wait: ;before HCOMM_Init", HCOMM_Wait(&q, HCOMM_STATUS_IGNORE));
  FAILS(HCOMM_ERR_OTHER, "HCOMM_Request_free: ;before HCOMM_Init", HCOMM_Request_free(&q));
  FAILS(HCOMM_ERR_OTHER, "HCOMM_Comm_dup: ;before HCOMM_Init", HCOMM_Comm_dup(WORLD, &made));
  FAILS(HCOMM_ERR_OTHER, "before HCOMM_Init", HCOMM_Comm_set_errhandler(WORLD, HCOMM_ERRORS_RETURN));
  OK(HCOMM_Init(&argc, &argv));
  OK(HCOMM_Comm_rank(WORLD, &rank));
  OK(HCOMM_Comm_size(WORLD, &size));
  errors_return();
  check_rank = rank;
  if (argc > 1) {
    dies();
    return 0;
  }
  arguments();
  handles();
  pointers();
  nothing();
  truncation();
  first_failure();
  twice();
  finalize();
  return 0;
}
