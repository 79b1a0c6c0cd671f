/* Bad input: each rule of hcomm.h gives its code and a sentence that names the argument, its value and the rule, nothing
 * is done, and the communicator works on.
 *
 * flags: -pthread
 * run: hcomm run -n 1 %p
 * run: hcomm run -n 2 %p
 * run: hcomm run -n 3 %p
 * run: %p threads 2
 * timeout: 60
 */
#include "ranks.h"

static char memory[1 << 16] __attribute__((aligned(64)));
static float *const x = (float *)memory;

/* works says that the communicator does, and that all ranks are at the same call. */
static void works(struct rank *me) {
  int32_t one[300], n = me->number == 0 ? 1 : 300; /* by the way for small calls and by the general one */
  for (n = 1; n <= 300; n += 299) {
    for (int i = 0; i < n; i++) one[i] = i + 1;
    OK(hcommAllReduce(one, one, (size_t)n, hcommInt32, hcommSum, me->comm, NULL));
    for (int i = 0; i < n; i++) CHECK(one[i] == (i + 1) * me->size);
  }
}

#define REFUSED(words, call)                      \
  do {                                            \
    FAILS(hcommInvalidArgument, words, call);     \
    works(me);                                    \
  } while (0)

static void buffers(struct rank *me) {
  hcommComm_t c = me->comm;
  TRYING("buffers");
  REFUSED("hcommAllReduce: ;sendbuff is NULL;count is 3", hcommAllReduce(NULL, x, 3, hcommFloat32, hcommSum, c, NULL));
  REFUSED("hcommAllReduce: ;recvbuff is NULL;count is 3", hcommAllReduce(x, NULL, 3, hcommFloat32, hcommSum, c, NULL));
  REFUSED("sendbuff is NULL;count is 5000", hcommAllReduce(NULL, NULL, 5000, hcommFloat64, hcommMax, c, NULL));
  REFUSED("hcommBroadcast: ;recvbuff is NULL;count is 1", hcommBroadcast(x, NULL, 1, hcommFloat32, me->number, c, NULL));
  REFUSED("hcommBroadcast: ;sendbuff is NULL;count is 1", hcommBroadcast(NULL, x, 1, hcommFloat32, me->number, c, NULL));
  REFUSED("sendbuff is 0x10", hcommAllReduce((void *)16, x, 3, hcommFloat32, hcommSum, c, NULL));
  REFUSED("recvbuff is 0x1", hcommAllReduce(x, (void *)1, 3, hcommFloat32, hcommSum, c, NULL));
  TRYING("overlap");
  REFUSED("recvbuff;overlaps sendbuff;12 bytes", hcommAllReduce(x, x + 1, 3, hcommFloat32, hcommSum, c, NULL));
  REFUSED("recvbuff;overlaps sendbuff;12 bytes", hcommAllReduce(x + 1, x, 3, hcommFloat32, hcommSum, c, NULL));
  REFUSED("recvbuff;overlaps sendbuff", hcommAllReduce(x, memory + 1, 1, hcommFloat32, hcommSum, c, NULL));
  REFUSED("recvbuff;overlaps sendbuff", hcommAllReduce(x, x + 999, 1000, hcommFloat32, hcommSum, c, NULL));
  REFUSED("recvbuff;overlaps sendbuff", hcommBroadcast(x, x + 2, 3, hcommFloat32, me->number, c, NULL));
  TRYING("side by side");
  OK(hcommAllReduce(x, x + 3, 3, hcommFloat32, hcommSum, c, NULL));
  OK(hcommAllReduce(x + 3, x, 3, hcommFloat32, hcommSum, c, NULL));
  TRYING("nothing to send");
  OK(hcommAllReduce(NULL, NULL, 0, hcommFloat32, hcommSum, c, NULL));
  OK(hcommAllReduce(x, x + 1, 0, hcommFloat32, hcommSum, c, NULL));
  OK(hcommBroadcast(NULL, NULL, 0, hcommFloat32, 0, c, NULL));
  works(me);
}

static void numbers(struct rank *me) {
  static const int no_types[] = {-1, 12, 63, 66, 255, 256, 263, 256 + 64, 0x7fffffff, (int)0x80000000u};
  static const int no_ops[] = {-1, 5, 63, 70, 255, 256, 256 + 64, 0x7fffffff, (int)0x80000000u};
  static const struct {
    hcommDataType_t type;
    size_t count;
  } too_many[] = {
      {hcommInt8, SIZE_MAX}, {hcommFloat32, SIZE_MAX / 4 + 2}, {hcommFloat64, SIZE_MAX / 8 + 2}, {hcommFloat64, SIZE_MAX},
      {hcommFloat16, (size_t)1 << 63}, {hcommInt32, (size_t)1 << 62}, {hcommInt64, ((size_t)1 << 61) + 1},
  };
  hcommComm_t c = me->comm;
  char words[128];
  for (size_t i = 0; i < sizeof no_types / sizeof *no_types; i++) {
    hcommDataType_t t = (hcommDataType_t)no_types[i];
    TRYING("datatype %d", no_types[i]);
    snprintf(words, sizeof words, "datatype is %d", no_types[i]);
    REFUSED(words, hcommAllReduce(x, x, 1, t, hcommSum, c, NULL));
    REFUSED(words, hcommBroadcast(x, x, 1, t, 0, c, NULL));
    REFUSED(words, hcommAllReduce(x, x, 0, t, hcommSum, c, NULL));
  }
  for (size_t i = 0; i < sizeof no_ops / sizeof *no_ops; i++) {
    TRYING("op %d", no_ops[i]);
    snprintf(words, sizeof words, "op is %d", no_ops[i]);
    REFUSED(words, hcommAllReduce(x, x, 1, hcommFloat32, (hcommRedOp_t)no_ops[i], c, NULL));
    REFUSED(words, hcommAllReduce(x, x, 1, hcommInt8, (hcommRedOp_t)no_ops[i], c, NULL));
    REFUSED(words, hcommAllReduce(x, x, 0, hcommInt8, (hcommRedOp_t)no_ops[i], c, NULL));
  }
  for (int o = hcommBitAnd; o <= hcommLogicalXor; o++) {
    static const int floats[] = {hcommFloat16, hcommFloat32, hcommFloat64, hcommBfloat16, hcommFloat8e4m3, hcommFloat8e5m2};
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
      TRYING("op %d of type %d", o, floats[i]);
      REFUSED("op is ;float;integers",
              hcommAllReduce(x, x, 1, (hcommDataType_t)floats[i], (hcommRedOp_t)o, c, NULL));
    }
  }
  for (size_t i = 0; i < sizeof too_many / sizeof *too_many; i++) {
    TRYING("count %zu", too_many[i].count);
    snprintf(words, sizeof words, "count is %zu", too_many[i].count);
    REFUSED(words, hcommAllReduce(x, x, too_many[i].count, too_many[i].type, hcommSum, c, NULL));
    REFUSED(words, hcommAllReduce(x, x + 1000, too_many[i].count, too_many[i].type, hcommSum, c, NULL));
    REFUSED(words, hcommBroadcast(x, x, too_many[i].count, too_many[i].type, 0, c, NULL));
  }
  const int no_roots[] = {-1, me->size, me->size + 1, 0x7fffffff, (int)0x80000000u, 1 << 16, 1 << 24};
  for (size_t i = 0; i < sizeof no_roots / sizeof *no_roots; i++) {
    TRYING("root %d", no_roots[i]);
    snprintf(words, sizeof words, "root is %d;%d", no_roots[i], me->size - 1);
    REFUSED(words, hcommBroadcast(x, x, 1, hcommFloat32, no_roots[i], c, NULL));
    REFUSED(words, hcommBroadcast(NULL, NULL, 0, hcommFloat32, no_roots[i], c, NULL));
  }
  TRYING("stream");
  REFUSED("stream is 0x7", hcommAllReduce(x, x, 1, hcommFloat32, hcommSum, c, (hcommStream_t)7));
  REFUSED("stream is 0x", hcommBroadcast(x, x, 1, hcommFloat32, 0, c, (hcommStream_t)(void *)memory));
  REFUSED("stream is 0x1", hcommBarrier(c, (hcommStream_t)1));
}

/* Every call refuses a handle that is none. */
static void refuse_handle(struct rank *me, hcommComm_t bad) {
  char words[64];
  int n = 4711;
  if (bad) snprintf(words, sizeof words, "comm is %p", (void *)bad);
  else snprintf(words, sizeof words, "comm is NULL");
  TRYING("handle %p", (void *)bad);
  FAILS(hcommInvalidArgument, words, hcommAllReduce(x, x, 1, hcommFloat32, hcommSum, bad, NULL));
  FAILS(hcommInvalidArgument, words, hcommAllReduce(x, x, 1000, hcommInt8, hcommSum, bad, NULL));
  FAILS(hcommInvalidArgument, words, hcommBroadcast(x, x, 1, hcommFloat32, 0, bad, NULL));
  FAILS(hcommInvalidArgument, words, hcommBarrier(bad, NULL));
  FAILS(hcommInvalidArgument, words, hcommCommCount(bad, &n));
  FAILS(hcommInvalidArgument, words, hcommCommUserRank(bad, &n));
  FAILS(hcommInvalidArgument, words, hcommCommDestroy(bad));
  FAILS(hcommInvalidArgument, words, hcommCommAbort(bad));
  CHECK(n == 4711);
  works(me);
}

static void handles(struct rank *me) {
  uint64_t random = 2026;
  hcommComm_t on_stack;
  uintptr_t own = (uintptr_t)me->comm;
  refuse_handle(me, NULL);
  refuse_handle(me, (hcommComm_t)(void *)&on_stack);
  refuse_handle(me, (hcommComm_t)(void *)memory);
  refuse_handle(me, (hcommComm_t)(void *)HCOMM_COMM_WORLD);
  refuse_handle(me, (hcommComm_t)UINTPTR_MAX);
  for (int bit = 0; bit < 64; bit++) /* the handle of no other rank, that is */
    if (!me->job || bit > 8) refuse_handle(me, (hcommComm_t)(own ^ (uintptr_t)1 << bit));
  for (int i = 0; i < 100; i++) refuse_handle(me, (hcommComm_t)(uintptr_t)next_random(&random));

  TRYING("a handle that was destroyed");
  hcommComm_t alone;
  OK(hcommCommInitAll(&alone, 1, NULL));
  OK(hcommAllReduce(x, x, 1, hcommFloat32, hcommSum, alone, NULL));
  OK(hcommCommDestroy(alone));
  refuse_handle(me, alone);
  TRYING("a handle that was aborted");
  OK(hcommCommInitAll(&alone, 1, NULL));
  OK(hcommCommAbort(alone));
  refuse_handle(me, alone);
}

static void places(struct rank *me) {
  hcommComm_t comm = (hcommComm_t)4711;
  hcommUniqueId id;
  TRYING("places of results");
  REFUSED("hcommGetVersion;version is NULL", hcommGetVersion(NULL));
  REFUSED("hcommGetUniqueId;id is NULL", hcommGetUniqueId(NULL));
  REFUSED("hcommCommCount;count is NULL", hcommCommCount(me->comm, NULL));
  REFUSED("hcommCommUserRank;rank is NULL", hcommCommUserRank(me->comm, NULL));
  REFUSED("hcommCommInitEnv;comm is NULL", hcommCommInitEnv(NULL));
  REFUSED("hcommCommInitAll;comms is NULL", hcommCommInitAll(NULL, 2, NULL));
  REFUSED("hcommMemAlloc;ptr is NULL", hcommMemAlloc(NULL, 8));
  OK(hcommGetUniqueId(&id));
  REFUSED("hcommCommInitRank;comm is NULL", hcommCommInitRank(NULL, 1, id, 0));
  TRYING("numbers of ranks");
  static const int no_sizes[] = {0, -1, 4097, 0x7fffffff, (int)0x80000000u};
  char words[64];
  for (size_t i = 0; i < sizeof no_sizes / sizeof *no_sizes; i++) {
    snprintf(words, sizeof words, "ndev is %d;256", no_sizes[i]);
    REFUSED(words, hcommCommInitAll(&comm, no_sizes[i], NULL));
    snprintf(words, sizeof words, "nranks is %d;4096", no_sizes[i]);
    comm = (hcommComm_t)4711;
    REFUSED(words, hcommCommInitRank(&comm, no_sizes[i], id, 0));
    CHECK(!comm);
  }
  REFUSED("rank is -1;0 to 1", hcommCommInitRank(&comm, 2, id, -1));
  REFUSED("rank is 2;0 to 1", hcommCommInitRank(&comm, 2, id, 2));
}

static void memory_pieces(struct rank *me) {
  void *p = NULL, *q = malloc(5000), *none = &p;
  char *shared;
  TRYING("hcommMemFree");
  OK(hcommMemFree(NULL));
  OK(hcommMemAlloc(&none, 0));
  CHECK(!none);
  OK(hcommMemAlloc(&p, 5000));
  shared = p;
  CHECK((uintptr_t)p % 4096 == 0);
  for (int i = 0; i < 5000; i++) CHECK(!shared[i]);
  char words[64];
  snprintf(words, sizeof words, "ptr is %p", (void *)(shared + 4096));
  REFUSED(words, hcommMemFree(shared + 4096));
  REFUSED("hcommMemFree;ptr is", hcommMemFree(shared + 1));
  REFUSED("ptr is", hcommMemFree(q));
  REFUSED("ptr is", hcommMemFree(&p));
  REFUSED("ptr is 0x1", hcommMemFree((void *)1));
  REFUSED("ptr is 0xffffffffffffffff", hcommMemFree((void *)UINTPTR_MAX));
  memset(p, 1, 5000);
  OK(hcommMemFree(p));
  REFUSED("ptr is;freed already", hcommMemFree(p));
  TRYING("hcommMemAlloc of too much");
  none = memory;
  FAILS(hcommSystemError, "hcommMemAlloc;18446744073709551615 bytes", hcommMemAlloc(&none, SIZE_MAX));
  works(me);
  FAILS(hcommSystemError, "hcommMemAlloc;1152921504606846976 bytes", hcommMemAlloc(&none, (size_t)1 << 60));
  works(me);
  free(q);
}

static void *another_thread(void *rank) {
  struct rank *me = rank;
  check_rank = me->number;
  TRYING("another thread's last error");
  CHECK(!*hcommGetLastError(NULL));
  FAILS(hcommInvalidArgument, "comm is NULL", hcommBarrier(NULL, NULL));
  return NULL;
}

static void last_error(struct rank *me) {
  pthread_t id;
  TRYING("the last error");
  FAILS(hcommInvalidArgument, "count is NULL", hcommCommCount(me->comm, NULL));
  const char *text = hcommGetLastError(me->comm);
  CHECK(!pthread_create(&id, NULL, another_thread, me));
  pthread_join(id, NULL);
  works(me);
  CHECK(text == hcommGetLastError(NULL) && strstr(text, "count is NULL"));
  for (int code = -1; code < 70; code++) CHECK(hcommGetErrorString((hcommResult_t)code));
  CHECK(!strcmp(hcommGetErrorString(hcommInvalidArgument), "invalid argument"));
}

static void body(struct rank *me) {
  rank_open(me);
  works(me);
  buffers(me);
  numbers(me);
  handles(me);
  places(me);
  memory_pieces(me);
  last_error(me);
  works(me);
  TRYING("destroy");
  rank_close(me);
  FAILS(hcommInvalidArgument, "hcommCommDestroy;comm is 0x", hcommCommDestroy(me->comm));
  FAILS(hcommInvalidArgument, "hcommBarrier;comm is 0x;destroyed", hcommBarrier(me->comm, NULL));
}

int main(int argc, char **argv) {
  ranks_run(ranks_wanted(&argc, argv), body);
  return 0;
}
