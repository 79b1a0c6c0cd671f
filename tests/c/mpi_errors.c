/* Bad input to the MPI-style half: the class of each error, the sentence, and that HCOMM_COMM_WORLD works on.
 *
 * run: hcomm run -n 1 %p
 * run: hcomm run -n 3 %p
 * timeout: 60
 */
#include "check.h"
#include "mpi_refused.h"

static int32_t x[5000], y[5000];

/* Every call but HCOMM_Init, out of its time. */
static void not_now(const char *when) {
  int n = 4711;
  FAILS(HCOMM_ERR_OTHER, when, HCOMM_Comm_rank(HCOMM_COMM_WORLD, &n));
  FAILS(HCOMM_ERR_OTHER, when, HCOMM_Comm_size(HCOMM_COMM_SELF, &n));
  FAILS(HCOMM_ERR_OTHER, when, HCOMM_Allreduce(x, y, 1, HCOMM_INT, HCOMM_SUM, HCOMM_COMM_WORLD));
  FAILS(HCOMM_ERR_OTHER, when, HCOMM_Allreduce_c(x, y, 1, HCOMM_INT, HCOMM_SUM, HCOMM_COMM_SELF));
  FAILS(HCOMM_ERR_OTHER, when, HCOMM_Bcast(x, 1, HCOMM_INT, 0, HCOMM_COMM_WORLD));
  FAILS(HCOMM_ERR_OTHER, when, HCOMM_Bcast_c(x, 1, HCOMM_INT, 0, HCOMM_COMM_WORLD));
  FAILS(HCOMM_ERR_OTHER, when, HCOMM_Barrier(HCOMM_COMM_WORLD));
  FAILS(HCOMM_ERR_OTHER, when, HCOMM_Abort(HCOMM_COMM_WORLD, 3));
  FAILS(HCOMM_ERR_OTHER, when, HCOMM_Finalize());
  CHECK(n == 4711);
}

static void allreduce(void) {
  const HCOMM_Comm w = HCOMM_COMM_WORLD;
  const HCOMM_Count huge = INT64_MAX;
  TRYING("HCOMM_Allreduce");
  REFUSED(HCOMM_ERR_BUFFER, "HCOMM_Allreduce: ;sendbuf is NULL;count is 2", HCOMM_Allreduce(NULL, x, 2, HCOMM_INT, HCOMM_SUM, w));
  REFUSED(HCOMM_ERR_BUFFER, "recvbuf is NULL;count is 2", HCOMM_Allreduce(x, NULL, 2, HCOMM_INT, HCOMM_SUM, w));
  REFUSED(HCOMM_ERR_BUFFER, "is NULL;count is 2", HCOMM_Allreduce(HCOMM_IN_PLACE, NULL, 2, HCOMM_INT, HCOMM_SUM, w));
  REFUSED(HCOMM_ERR_BUFFER, "recvbuf is HCOMM_IN_PLACE (0x1)", HCOMM_Allreduce(x, HCOMM_IN_PLACE, 2, HCOMM_INT, HCOMM_SUM, w));
  REFUSED(HCOMM_ERR_BUFFER, "0x1", HCOMM_Allreduce(HCOMM_IN_PLACE, HCOMM_IN_PLACE, 2, HCOMM_INT, HCOMM_SUM, w));
  REFUSED(HCOMM_ERR_BUFFER, "sendbuf;recvbuf;HCOMM_IN_PLACE", HCOMM_Allreduce(x, x, 2, HCOMM_INT, HCOMM_SUM, w));
  REFUSED(HCOMM_ERR_BUFFER, "recvbuf;overlaps sendbuf", HCOMM_Allreduce(x, x + 1, 2, HCOMM_INT, HCOMM_SUM, w));
  REFUSED(HCOMM_ERR_BUFFER, "recvbuf;overlaps sendbuf", HCOMM_Allreduce_c(x + 4000, x, 4001, HCOMM_INT, HCOMM_SUM, w));
  REFUSED(HCOMM_ERR_COUNT, "count is -1", HCOMM_Allreduce(x, y, -1, HCOMM_INT, HCOMM_SUM, w));
  REFUSED(HCOMM_ERR_COUNT, "count is -2147483648", HCOMM_Allreduce(x, y, (int)0x80000000u, HCOMM_INT, HCOMM_SUM, w));
  REFUSED(HCOMM_ERR_COUNT, "count is -5", HCOMM_Allreduce_c(x, y, -5, HCOMM_INT, HCOMM_SUM, w));
  REFUSED(HCOMM_ERR_COUNT, "count is 9223372036854775807", HCOMM_Allreduce_c(x, y, huge, HCOMM_DOUBLE, HCOMM_SUM, w));
  REFUSED(HCOMM_ERR_COUNT, "count is 9223372036854775807", HCOMM_Allreduce_c(x, y, huge, HCOMM_CHAR, HCOMM_SUM, w));
  REFUSED(HCOMM_ERR_TYPE, "datatype is 0x200", HCOMM_Allreduce(x, y, 2, HCOMM_DATATYPE_NULL, HCOMM_SUM, w));
  REFUSED(HCOMM_ERR_TYPE, "datatype is 0x7", HCOMM_Allreduce(x, y, 2, (HCOMM_Datatype)hcommFloat32, HCOMM_SUM, w));
  REFUSED(HCOMM_ERR_TYPE, "datatype is 0x0", HCOMM_Allreduce(x, y, 2, NULL, HCOMM_SUM, w));
  REFUSED(HCOMM_ERR_OP, "op is 0x20", HCOMM_Allreduce(x, y, 2, HCOMM_INT, HCOMM_OP_NULL, w));
  REFUSED(HCOMM_ERR_OP, "op is 0x0", HCOMM_Allreduce(x, y, 2, HCOMM_INT, NULL, w));
  REFUSED(HCOMM_ERR_OP, "op is ;integers", HCOMM_Allreduce(x, y, 2, HCOMM_FLOAT, HCOMM_BAND, w));
  REFUSED(HCOMM_ERR_OP, "op is ;integers", HCOMM_Allreduce(x, y, 2, HCOMM_DOUBLE, HCOMM_LXOR, w));
  FAILS(HCOMM_ERR_COMM, "comm is 0x100", HCOMM_Allreduce(x, y, 2, HCOMM_INT, HCOMM_SUM, HCOMM_COMM_NULL));
  FAILS(HCOMM_ERR_COMM, "comm is 0x0", HCOMM_Allreduce(x, y, 2, HCOMM_INT, HCOMM_SUM, NULL));
  FAILS(HCOMM_ERR_COMM, "comm is 0x", HCOMM_Allreduce(x, y, 2, HCOMM_INT, HCOMM_SUM, (HCOMM_Comm)(void *)x));
  TRYING("HCOMM_Allreduce of nothing");
  OK(HCOMM_Allreduce(NULL, NULL, 0, HCOMM_INT, HCOMM_SUM, w));
  OK(HCOMM_Allreduce(HCOMM_IN_PLACE, NULL, 0, HCOMM_INT, HCOMM_SUM, w));
  works();
}

static void others(void) {
  const HCOMM_Comm w = HCOMM_COMM_WORLD;
  char words[64];
  int n = 4711;
  TRYING("HCOMM_Bcast");
  REFUSED(HCOMM_ERR_BUFFER, "HCOMM_Bcast: ;buffer is NULL;count is 2", HCOMM_Bcast(NULL, 2, HCOMM_INT, 0, w));
  REFUSED(HCOMM_ERR_BUFFER, "buffer is 0x1", HCOMM_Bcast(HCOMM_IN_PLACE, 2, HCOMM_INT, 0, w));
  REFUSED(HCOMM_ERR_COUNT, "count is -1", HCOMM_Bcast(x, -1, HCOMM_INT, 0, w));
  REFUSED(HCOMM_ERR_COUNT, "count is 9223372036854775807", HCOMM_Bcast_c(x, INT64_MAX, HCOMM_INT, 0, w));
  REFUSED(HCOMM_ERR_TYPE, "datatype is 0x200", HCOMM_Bcast(x, 1, HCOMM_DATATYPE_NULL, 0, w));
  snprintf(words, sizeof words, "root is %d;%d", size, size - 1);
  REFUSED(HCOMM_ERR_ROOT, words, HCOMM_Bcast(x, 1, HCOMM_INT, size, w));
  REFUSED(HCOMM_ERR_ROOT, "root is -1", HCOMM_Bcast(x, 1, HCOMM_INT, -1, w));
  REFUSED(HCOMM_ERR_ROOT, "root is 1;0 to 0", HCOMM_Bcast(x, 1, HCOMM_INT, 1, HCOMM_COMM_SELF));
  FAILS(HCOMM_ERR_COMM, "comm is 0x103", HCOMM_Bcast(x, 1, HCOMM_INT, 0, (HCOMM_Comm)0x103));
  OK(HCOMM_Bcast(NULL, 0, HCOMM_INT, 0, w));
  TRYING("the others");
  FAILS(HCOMM_ERR_COMM, "HCOMM_Barrier: ;comm is 0x100", HCOMM_Barrier(HCOMM_COMM_NULL));
  FAILS(HCOMM_ERR_COMM, "HCOMM_Abort: ;comm is 0x100", HCOMM_Abort(HCOMM_COMM_NULL, 3));
  FAILS(HCOMM_ERR_COMM, "comm is 0x55", HCOMM_Comm_rank((HCOMM_Comm)0x55, &n));
  FAILS(HCOMM_ERR_COMM, "comm is 0x55", HCOMM_Comm_size((HCOMM_Comm)0x55, &n));
  FAILS(HCOMM_ERR_ARG, "rank is NULL", HCOMM_Comm_rank(w, NULL));
  FAILS(HCOMM_ERR_ARG, "size is NULL", HCOMM_Comm_size(w, NULL));
  FAILS(HCOMM_ERR_ARG, "flag is NULL", HCOMM_Initialized(NULL));
  CHECK(n == 4711);
  works();
}

static int initialized(void) {
  int flag = -1;
  OK(HCOMM_Initialized(&flag));
  return flag;
}

int main(void) {
  char *right = getenv("HCOMM_RANK"), *kept = strdup(right);
  TRYING("before HCOMM_Init");
  CHECK(initialized() == 0);
  not_now("before HCOMM_Init");
  TRYING("HCOMM_Init with a wrong rank, then with the right one");
  setenv("HCOMM_RANK", "17x", 1);
  FAILS(HCOMM_ERR_ARG, "HCOMM_Init: ;HCOMM_RANK=17x", HCOMM_Init(NULL, NULL));
  CHECK(initialized() == 0);
  not_now("before HCOMM_Init");
  setenv("HCOMM_RANK", kept, 1);
  OK(HCOMM_Init(NULL, NULL));
  errors_return();
  CHECK(initialized() == 1);
  OK(HCOMM_Comm_rank(HCOMM_COMM_WORLD, &rank));
  OK(HCOMM_Comm_size(HCOMM_COMM_WORLD, &size));
  check_rank = rank;
  works();
  TRYING("HCOMM_Init again");
  REFUSED(HCOMM_ERR_OTHER, "HCOMM_Init: ;once", HCOMM_Init(NULL, NULL));
  CHECK(initialized() == 1);
  allreduce();
  others();
  TRYING("after HCOMM_Finalize");
  OK(HCOMM_Finalize());
  CHECK(initialized() == 1);
  not_now("after HCOMM_Finalize");
  FAILS(HCOMM_ERR_OTHER, "HCOMM_Init: ;HCOMM_Finalize", HCOMM_Init(NULL, NULL));
  free(kept);
  return 0;
}
