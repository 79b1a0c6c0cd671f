/* Bad input to HCOMM_Reduce to HCOMM_Scatter: the class of each error, the sentence, and that HCOMM_COMM_WORLD works on.
 * What is not significant on a rank is not looked at, and not refused.
 *
 * run: hcomm run -n 1 %p
 * run: hcomm run -n 2 %p
 * run: hcomm run -n 3 %p
 * timeout: 60
 */
#include "check.h"
#include "mpi_refused.h"

enum { COUNT = 10 };

static int32_t x[4000], y[4000];

static const HCOMM_Comm w = HCOMM_COMM_WORLD;
static const HCOMM_Count huge = INT64_MAX;
static void *const in_place = HCOMM_IN_PLACE, *const no_address = (void *)16;
static HCOMM_Datatype const no_type = (HCOMM_Datatype)0xdead;

/* The rules of each call, for arguments that have a place of their own in a macro: CALL(send, recv, count, type, op, root,
 * comm), with int and with HCOMM_Count. */
#define REDUCE(s, r, n, t, op, root, comm) HCOMM_Reduce(s, r, n, t, op, root, comm)
#define REDUCE_C(s, r, n, t, op, root, comm) HCOMM_Reduce_c(s, r, n, t, op, root, comm)
#define SCATTERED(s, r, n, t, op, root, comm) HCOMM_Reduce_scatter_block(s, r, n, t, op, comm)
#define SCATTERED_C(s, r, n, t, op, root, comm) HCOMM_Reduce_scatter_block_c(s, r, n, t, op, comm)

#define REDUCTION(name, count_name, CALL, CALL_C)                                                                      \
  do {                                                                                                                 \
    TRYING(name);                                                                                                      \
    REFUSED(HCOMM_ERR_BUFFER, name ": ;sendbuf is NULL;" count_name " is 2", CALL(NULL, y, 2, HCOMM_INT, HCOMM_SUM, rank, w)); \
    REFUSED(HCOMM_ERR_BUFFER, name ": ;recvbuf is NULL;" count_name " is 2", CALL(x, NULL, 2, HCOMM_INT, HCOMM_SUM, rank, w)); \
    REFUSED(HCOMM_ERR_BUFFER, "recvbuf is NULL;" count_name " is 2", CALL(in_place, NULL, 2, HCOMM_INT, HCOMM_SUM, rank, w)); \
    REFUSED(HCOMM_ERR_BUFFER, "sendbuf is 0x10", CALL(no_address, y, 2, HCOMM_INT, HCOMM_SUM, rank, w));               \
    REFUSED(HCOMM_ERR_BUFFER, "recvbuf is HCOMM_IN_PLACE", CALL(x, in_place, 2, HCOMM_INT, HCOMM_SUM, rank, w));       \
    REFUSED(HCOMM_ERR_BUFFER, "recvbuf is HCOMM_IN_PLACE", CALL(in_place, in_place, 2, HCOMM_INT, HCOMM_SUM, rank, w)); \
    REFUSED(HCOMM_ERR_BUFFER, "sendbuf;recvbuf;said with HCOMM_IN_PLACE", CALL(x, x, 2, HCOMM_INT, HCOMM_SUM, rank, w)); \
    REFUSED(HCOMM_ERR_BUFFER, "recvbuf (0x;overlaps sendbuf (0x", CALL(x, (char *)x + 1, 2, HCOMM_INT, HCOMM_SUM, rank, w)); \
    REFUSED(HCOMM_ERR_COUNT, name ": ;" count_name " is -1", CALL(x, y, -1, HCOMM_INT, HCOMM_SUM, 0, w));              \
    REFUSED(HCOMM_ERR_COUNT, count_name " is -2147483648", CALL(x, y, (int)0x80000000u, HCOMM_INT, HCOMM_SUM, 0, w));  \
    REFUSED(HCOMM_ERR_COUNT, name ": ;" count_name " is -5", CALL_C(x, y, -5, HCOMM_INT, HCOMM_SUM, 0, w));            \
    REFUSED(HCOMM_ERR_COUNT, count_name " is 9223372036854775807", CALL_C(x, y, huge, HCOMM_CHAR, HCOMM_SUM, 0, w));   \
    REFUSED(HCOMM_ERR_COUNT, count_name " is 9223372036854775807", CALL_C(x, y, huge, HCOMM_DOUBLE, HCOMM_SUM, 0, w)); \
    REFUSED(HCOMM_ERR_TYPE, "datatype is 0x200", CALL(x, y, 2, HCOMM_DATATYPE_NULL, HCOMM_SUM, 0, w));                 \
    REFUSED(HCOMM_ERR_TYPE, "datatype is 0xdead", CALL(x, y, 0, no_type, HCOMM_SUM, 0, w));                            \
    REFUSED(HCOMM_ERR_OP, "op is 0x20", CALL(x, y, 2, HCOMM_INT, HCOMM_OP_NULL, 0, w));                                \
    REFUSED(HCOMM_ERR_OP, "op is 0x0", CALL(x, y, 2, HCOMM_INT, NULL, 0, w));                                          \
    REFUSED(HCOMM_ERR_OP, "op is ;integers;float", CALL(x, y, 2, HCOMM_FLOAT, HCOMM_BAND, 0, w));                      \
    REFUSED(HCOMM_ERR_OP, "op is ;integers;float", CALL(x, y, 2, HCOMM_DOUBLE, HCOMM_LXOR, 0, w));                     \
    REFUSED(HCOMM_ERR_COMM, name ": ;comm is 0x100", CALL(x, y, 2, HCOMM_INT, HCOMM_SUM, 0, HCOMM_COMM_NULL));         \
    REFUSED(HCOMM_ERR_COMM, "comm is 0x0", CALL(x, y, 2, HCOMM_INT, HCOMM_SUM, 0, NULL));                              \
    OK(CALL(NULL, NULL, 0, HCOMM_INT, HCOMM_SUM, 0, w));                                                               \
    works();                                                                                                           \
  } while (0)

/* As above with CALL(send, sendcount, sendtype, recv, recvcount, recvtype, root, comm). One of the two sides has a block for
 * each rank; the other may be HCOMM_IN_PLACE. All of this is at the root of a rooted call. */
#define ALLGATHER(s, n, t, r, m, u, root, comm) HCOMM_Allgather(s, n, t, r, m, u, comm)
#define ALLGATHER_C(s, n, t, r, m, u, root, comm) HCOMM_Allgather_c(s, n, t, r, m, u, comm)
#define ALLTOALL(s, n, t, r, m, u, root, comm) HCOMM_Alltoall(s, n, t, r, m, u, comm)
#define ALLTOALL_C(s, n, t, r, m, u, root, comm) HCOMM_Alltoall_c(s, n, t, r, m, u, comm)

#define MOVEMENT(name, CALL, CALL_C)                                                                                   \
  do {                                                                                                                 \
    TRYING(name);                                                                                                      \
    REFUSED(HCOMM_ERR_BUFFER, name ": ;sendbuf is NULL;count is 2", CALL(NULL, 2, HCOMM_INT, y, 2, HCOMM_INT, rank, w)); \
    REFUSED(HCOMM_ERR_BUFFER, name ": ;recvbuf is NULL;count is 2", CALL(x, 2, HCOMM_INT, NULL, 2, HCOMM_INT, rank, w)); \
    REFUSED(HCOMM_ERR_BUFFER, "sendbuf is 0x10", CALL(no_address, 2, HCOMM_INT, y, 2, HCOMM_INT, rank, w));            \
    REFUSED(HCOMM_ERR_BUFFER, "recvbuf is 0x10", CALL(x, 2, HCOMM_INT, no_address, 2, HCOMM_INT, rank, w));            \
    REFUSED(HCOMM_ERR_BUFFER, "recvbuf (0x;overlaps sendbuf (0x", CALL(x, 2, HCOMM_INT, (char *)x + 1, 2, HCOMM_INT, rank, w)); \
    REFUSED(HCOMM_ERR_COUNT, name ": ;sendcount is -1", CALL(x, -1, HCOMM_INT, y, 2, HCOMM_INT, rank, w));             \
    REFUSED(HCOMM_ERR_COUNT, name ": ;recvcount is -3", CALL(x, 2, HCOMM_INT, y, -3, HCOMM_INT, rank, w));             \
    REFUSED(HCOMM_ERR_COUNT, "count is -5", CALL_C(x, -5, HCOMM_INT, y, -5, HCOMM_INT, rank, w));                      \
    REFUSED(HCOMM_ERR_COUNT, "count is 9223372036854775807", CALL_C(x, huge, HCOMM_INT, y, huge, HCOMM_INT, rank, w)); \
    REFUSED(HCOMM_ERR_COUNT, "count is 1152921504606846976",                                                           \
            CALL_C(x, (HCOMM_Count)1 << 60, HCOMM_INT, y, (HCOMM_Count)1 << 60, HCOMM_INT, rank, w));                  \
    REFUSED(HCOMM_ERR_COUNT, "sendcount is 3 of int32;recvcount is 4 of int32", CALL(x, 3, HCOMM_INT, y, 4, HCOMM_INT, rank, w)); \
    REFUSED(HCOMM_ERR_COUNT, "sendcount is 3 of int32;recvcount is 3 of int64", CALL(x, 3, HCOMM_INT, y, 3, HCOMM_LONG, rank, w)); \
    REFUSED(HCOMM_ERR_COUNT, "sendcount is 0 of int32;recvcount is 1 of int8", CALL(x, 0, HCOMM_INT, y, 1, HCOMM_CHAR, rank, w)); \
    REFUSED(HCOMM_ERR_COUNT, "sendcount is 1152921504606846976 of int64;recvcount is 0 of int8", /* 2^63 bytes */      \
            CALL_C(x, (HCOMM_Count)1 << 60, HCOMM_LONG, y, 0, HCOMM_CHAR, rank, w));                                   \
    REFUSED(HCOMM_ERR_COUNT, "sendcount is 2305843009213693952 of int64;recvcount is 0 of int8", /* 2^64 bytes */      \
            CALL_C(x, (HCOMM_Count)1 << 61, HCOMM_LONG, y, 0, HCOMM_CHAR, rank, w));                                   \
    REFUSED(HCOMM_ERR_TYPE, "sendtype is 0x200", CALL(x, 2, HCOMM_DATATYPE_NULL, y, 2, HCOMM_INT, rank, w));           \
    REFUSED(HCOMM_ERR_TYPE, "recvtype is 0xdead", CALL(x, 2, HCOMM_INT, y, 2, no_type, rank, w));                      \
    REFUSED(HCOMM_ERR_TYPE, "type is 0x0", CALL(x, 0, NULL, y, 0, NULL, rank, w));                                     \
    REFUSED(HCOMM_ERR_COMM, name ": ;comm is 0x100", CALL(x, 2, HCOMM_INT, y, 2, HCOMM_INT, 0, HCOMM_COMM_NULL));      \
    REFUSED(HCOMM_ERR_COMM, "comm is 0x0", CALL(x, 2, HCOMM_INT, y, 2, HCOMM_INT, 0, NULL));                           \
    OK(CALL(NULL, 0, HCOMM_INT, NULL, 0, HCOMM_INT, 0, w));                                                            \
    works();                                                                                                           \
  } while (0)

static void reductions(void) {
  const int other = (rank + 1) % size;
  char words[64];
  REDUCTION("HCOMM_Reduce", "count", REDUCE, REDUCE_C);
  REDUCTION("HCOMM_Reduce_scatter_block", "recvcount", SCATTERED, SCATTERED_C);
  TRYING("HCOMM_Reduce: the root");
  snprintf(words, sizeof words, "HCOMM_Reduce: ;root is %d;0 to %d", size, size - 1);
  REFUSED(HCOMM_ERR_ROOT, words, HCOMM_Reduce(x, y, 2, HCOMM_INT, HCOMM_SUM, size, w));
  REFUSED(HCOMM_ERR_ROOT, "root is -1", HCOMM_Reduce(x, y, 2, HCOMM_INT, HCOMM_SUM, -1, w));
  REFUSED(HCOMM_ERR_ROOT, "root is 1;0 to 0", HCOMM_Reduce(x, y, 2, HCOMM_INT, HCOMM_SUM, 1, HCOMM_COMM_SELF));
  if (size > 1)
    FAILS(HCOMM_ERR_BUFFER, "HCOMM_Reduce: ;sendbuf is HCOMM_IN_PLACE",
          HCOMM_Reduce(in_place, y, 2, HCOMM_INT, HCOMM_SUM, other, w));
  works();
  OK(HCOMM_Reduce(x, rank == 0 ? y : in_place, 2, HCOMM_INT, HCOMM_SUM, 0, w));
  OK(HCOMM_Reduce(rank == 0 ? in_place : x, rank == 0 ? y : no_address, 2, HCOMM_INT, HCOMM_SUM, 0, w));
  TRYING("HCOMM_Reduce_scatter_block: this rank's block");
  REFUSED(HCOMM_ERR_BUFFER, "sendbuf;recvbuf;", HCOMM_Reduce_scatter_block(x, x + 2 * rank, 2, HCOMM_INT, HCOMM_SUM, w));
}

static void movements(void) {
  const int other = (rank + 1) % size;
  char words[64];
  MOVEMENT("HCOMM_Allgather", ALLGATHER, ALLGATHER_C);
  MOVEMENT("HCOMM_Alltoall", ALLTOALL, ALLTOALL_C);
  MOVEMENT("HCOMM_Gather", HCOMM_Gather, HCOMM_Gather_c);
  MOVEMENT("HCOMM_Scatter", HCOMM_Scatter, HCOMM_Scatter_c);

  TRYING("in place, but not said");
  REFUSED(HCOMM_ERR_BUFFER, "sendbuf (0x;said with HCOMM_IN_PLACE",
          HCOMM_Allgather(x + COUNT * rank, COUNT, HCOMM_INT, x, COUNT, HCOMM_INT, w));
  REFUSED(HCOMM_ERR_BUFFER, "sendbuf (0x;said with HCOMM_IN_PLACE",
          HCOMM_Gather(x + COUNT * rank, COUNT, HCOMM_INT, x, COUNT, HCOMM_INT, rank, w));
  REFUSED(HCOMM_ERR_BUFFER, "recvbuf (0x;said with HCOMM_IN_PLACE",
          HCOMM_Scatter(x, COUNT, HCOMM_INT, x + COUNT * rank, COUNT, HCOMM_INT, rank, w));
  REFUSED(HCOMM_ERR_BUFFER, "sendbuf (0x;said with HCOMM_IN_PLACE", HCOMM_Alltoall(x, COUNT, HCOMM_INT, x, COUNT, HCOMM_INT, w));
  TRYING("HCOMM_IN_PLACE of nothing that there is");
  REFUSED(HCOMM_ERR_BUFFER, "recvbuf is NULL;recvcount is 2", HCOMM_Allgather(in_place, 0, NULL, NULL, 2, HCOMM_INT, w));
  REFUSED(HCOMM_ERR_BUFFER, "recvbuf is NULL;recvcount is 2", HCOMM_Alltoall(in_place, 0, NULL, NULL, 2, HCOMM_INT, w));
  REFUSED(HCOMM_ERR_BUFFER, "recvbuf is NULL;recvcount is 2", HCOMM_Gather(in_place, 0, NULL, NULL, 2, HCOMM_INT, rank, w));
  REFUSED(HCOMM_ERR_BUFFER, "sendbuf is NULL;sendcount is 2", HCOMM_Scatter(NULL, 2, HCOMM_INT, in_place, 0, NULL, rank, w));
  REFUSED(HCOMM_ERR_COUNT, "recvcount is 9223372036854775807", HCOMM_Allgather_c(in_place, 0, NULL, y, huge, HCOMM_INT, w));
  TRYING("HCOMM_IN_PLACE where it is not allowed");
  REFUSED(HCOMM_ERR_BUFFER, "recvbuf is HCOMM_IN_PLACE", HCOMM_Allgather(x, 2, HCOMM_INT, in_place, 2, HCOMM_INT, w));
  REFUSED(HCOMM_ERR_BUFFER, "recvbuf is HCOMM_IN_PLACE", HCOMM_Alltoall(x, 2, HCOMM_INT, in_place, 2, HCOMM_INT, w));
  REFUSED(HCOMM_ERR_BUFFER, "recvbuf is HCOMM_IN_PLACE", HCOMM_Gather(x, 2, HCOMM_INT, in_place, 2, HCOMM_INT, rank, w));
  REFUSED(HCOMM_ERR_BUFFER, "sendbuf is HCOMM_IN_PLACE", HCOMM_Scatter(in_place, 2, HCOMM_INT, y, 2, HCOMM_INT, rank, w));
  REFUSED(HCOMM_ERR_BUFFER, "is HCOMM_IN_PLACE", HCOMM_Scatter(in_place, 2, HCOMM_INT, in_place, 2, HCOMM_INT, rank, w));
  if (size > 1) {
    FAILS(HCOMM_ERR_BUFFER, "sendbuf is HCOMM_IN_PLACE", HCOMM_Gather(in_place, 2, HCOMM_INT, y, 2, HCOMM_INT, other, w));
    FAILS(HCOMM_ERR_BUFFER, "recvbuf is HCOMM_IN_PLACE", HCOMM_Scatter(x, 2, HCOMM_INT, in_place, 2, HCOMM_INT, other, w));
    TRYING("at other ranks than the root");
    FAILS(HCOMM_ERR_COUNT, "HCOMM_Gather: ;sendcount is -1", HCOMM_Gather(x, -1, HCOMM_INT, y, 2, HCOMM_INT, other, w));
    FAILS(HCOMM_ERR_COUNT, "HCOMM_Scatter: ;recvcount is -1", HCOMM_Scatter(x, 2, HCOMM_INT, y, -1, HCOMM_INT, other, w));
    FAILS(HCOMM_ERR_COUNT, "sendcount is 9223372036854775807", HCOMM_Gather_c(x, huge, HCOMM_INT, NULL, 0, NULL, other, w));
    FAILS(HCOMM_ERR_COUNT, "recvcount is 9223372036854775807", HCOMM_Scatter_c(NULL, 0, NULL, y, huge, HCOMM_INT, other, w));
    FAILS(HCOMM_ERR_TYPE, "sendtype is 0xdead", HCOMM_Gather(x, 2, no_type, y, 2, HCOMM_INT, other, w));
    FAILS(HCOMM_ERR_TYPE, "recvtype is 0xdead", HCOMM_Scatter(x, 2, HCOMM_INT, y, 2, no_type, other, w));
    FAILS(HCOMM_ERR_BUFFER, "sendbuf is NULL;sendcount is 2", HCOMM_Gather(NULL, 2, HCOMM_INT, y, 2, HCOMM_INT, other, w));
    FAILS(HCOMM_ERR_BUFFER, "recvbuf is NULL;recvcount is 2", HCOMM_Scatter(x, 2, HCOMM_INT, NULL, 2, HCOMM_INT, other, w));
  }
  works();
  TRYING("roots");
  snprintf(words, sizeof words, "root is %d;0 to %d", size, size - 1);
  REFUSED(HCOMM_ERR_ROOT, words, HCOMM_Gather(x, 2, HCOMM_INT, y, 2, HCOMM_INT, size, w));
  REFUSED(HCOMM_ERR_ROOT, words, HCOMM_Scatter(x, 2, HCOMM_INT, y, 2, HCOMM_INT, size, w));
  REFUSED(HCOMM_ERR_ROOT, "root is -1", HCOMM_Gather_c(x, 2, HCOMM_INT, y, 2, HCOMM_INT, -1, w));
  REFUSED(HCOMM_ERR_ROOT, "root is -1", HCOMM_Scatter_c(x, 2, HCOMM_INT, y, 2, HCOMM_INT, -1, w));
  TRYING("what is not significant");
  if (rank == 0) OK(HCOMM_Gather(x, 2, HCOMM_INT, y, 2, HCOMM_INT, 0, w));
  else OK(HCOMM_Gather(x, 2, HCOMM_INT, in_place, -7, no_type, 0, w));
  if (rank == 0) OK(HCOMM_Scatter(x, 2, HCOMM_INT, y, 2, HCOMM_INT, 0, w));
  else OK(HCOMM_Scatter(in_place, -7, no_type, y, 2, HCOMM_INT, 0, w));
  OK(HCOMM_Allgather(in_place, -7, no_type, y, 2, HCOMM_INT, w));
  OK(HCOMM_Alltoall(in_place, -7, no_type, y, 2, HCOMM_INT, w));
  works();
}

/* Every call, out of its time. */
static void not_now(const char *when) {
  FAILS(HCOMM_ERR_OTHER, when, HCOMM_Reduce(x, y, 1, HCOMM_INT, HCOMM_SUM, 0, w));
  FAILS(HCOMM_ERR_OTHER, when, HCOMM_Reduce_c(x, y, 1, HCOMM_INT, HCOMM_SUM, 0, w));
  FAILS(HCOMM_ERR_OTHER, when, HCOMM_Reduce_scatter_block(x, y, 1, HCOMM_INT, HCOMM_SUM, w));
  FAILS(HCOMM_ERR_OTHER, when, HCOMM_Reduce_scatter_block_c(x, y, 1, HCOMM_INT, HCOMM_SUM, w));
  FAILS(HCOMM_ERR_OTHER, when, HCOMM_Allgather(x, 1, HCOMM_INT, y, 1, HCOMM_INT, w));
  FAILS(HCOMM_ERR_OTHER, when, HCOMM_Allgather_c(x, 1, HCOMM_INT, y, 1, HCOMM_INT, w));
  FAILS(HCOMM_ERR_OTHER, when, HCOMM_Alltoall(x, 1, HCOMM_INT, y, 1, HCOMM_INT, w));
  FAILS(HCOMM_ERR_OTHER, when, HCOMM_Alltoall_c(x, 1, HCOMM_INT, y, 1, HCOMM_INT, w));
  FAILS(HCOMM_ERR_OTHER, when, HCOMM_Gather(x, 1, HCOMM_INT, y, 1, HCOMM_INT, 0, w));
  FAILS(HCOMM_ERR_OTHER, when, HCOMM_Gather_c(x, 1, HCOMM_INT, y, 1, HCOMM_INT, 0, w));
  FAILS(HCOMM_ERR_OTHER, when, HCOMM_Scatter(x, 1, HCOMM_INT, y, 1, HCOMM_INT, 0, w));
  FAILS(HCOMM_ERR_OTHER, when, HCOMM_Scatter_c(x, 1, HCOMM_INT, y, 1, HCOMM_INT, 0, w));
}

int main(void) {
  TRYING("before HCOMM_Init");
  not_now("before HCOMM_Init");
  OK(HCOMM_Init(NULL, NULL));
  errors_return();
  OK(HCOMM_Comm_rank(w, &rank));
  OK(HCOMM_Comm_size(w, &size));
  check_rank = rank;
  works();
  reductions();
  movements();
  TRYING("after HCOMM_Finalize");
  OK(HCOMM_Finalize());
  not_now("after HCOMM_Finalize");
  return 0;
}
