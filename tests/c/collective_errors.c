/* Bad input to the collectives that have a block for each rank or a root: each rule of hcomm.h gives its code and a sentence
 * that names the argument, its value and the rule, nothing is done, and the communicator works on. What all calls have in
 * common is in errors.c, too.
 *
 * flags: -pthread
 * run: hcomm run -n 1 %p
 * run: hcomm run -n 2 %p
 * run: hcomm run -n 3 %p
 * run: %p threads 2
 * timeout: 60
 */
#include "call.h"
#include "ranks.h"

enum { COUNT = 7, RANKS = 4 };

/* Each rank has its own. */
static int32_t buffers[RANKS][2][1 << 12];

struct setting {
  struct rank *me;
  enum collective c;
  const char *count_name; /* as the function calls it */
  struct shape shape;
  int32_t *x, *y; /* apart, with room for all blocks and more */
};

static hcommResult_t with(const struct setting *s, const void *send, void *recv, size_t count, int type, int op, int root) {
  return make_call(s->c, send, recv, count, (hcommDataType_t)type, (hcommRedOp_t)op, root, s->me->comm);
}

/* works says that the communicator does, and that all ranks are at the same call. */
static void works(struct rank *me) {
  int32_t one[300], n = me->number == 0 ? 1 : 300; /* by the way for small calls and by the general one */
  for (n = 1; n <= 300; n += 299) {
    for (int i = 0; i < n; i++) one[i] = i + 1;
    OK(hcommAllReduce(one, one, (size_t)n, hcommInt32, hcommSum, me->comm, NULL));
    for (int i = 0; i < n; i++) CHECK(one[i] == (i + 1) * me->size);
  }
}

/* The sentence begins with the function's name. */
static void begins(const struct setting *s) {
  char name[64];
  snprintf(name, sizeof name, "hcomm%s: ", collectives[s->c].title);
  if (strncmp(hcommGetLastError(NULL), name, strlen(name))) FAIL("it does not begin with %s: %s", name, hcommGetLastError(NULL));
}

#define REFUSED(words, call)                  \
  do {                                        \
    FAILS(hcommInvalidArgument, words, call); \
    begins(s);                                \
    works(s->me);                             \
  } while (0)

/* A call is refused for an overlap that is not in place. */
static void refuse_overlap(const struct setting *s, void *send, void *recv) {
  char words[64];
  snprintf(words, sizeof words, "recvbuff (%p;overlaps sendbuff (%p", recv, send);
  REFUSED(words, with(s, send, recv, COUNT, hcommInt32, hcommSum, s->me->number));
}

/* As root, so that a rank has whatever buffers there are. */
static void bad_buffers(const struct setting *s) {
  int root = s->me->number, in = s->shape.send * COUNT, out = s->shape.recv * COUNT;
  int32_t *x = s->x, *y = s->y;
  void *end = (void *)(UINTPTR_MAX - 15);
  char words[64];
  snprintf(words, sizeof words, "sendbuff is NULL;%s is %d;0", s->count_name, COUNT);
  REFUSED(words, with(s, NULL, y, COUNT, hcommInt32, hcommSum, root));
  snprintf(words, sizeof words, "recvbuff is NULL;%s is %d;0", s->count_name, COUNT);
  REFUSED(words, with(s, x, NULL, COUNT, hcommInt32, hcommSum, root));
  REFUSED("sendbuff is 0x10", with(s, (void *)16, y, COUNT, hcommInt32, hcommSum, root));
  REFUSED("recvbuff is 0x1", with(s, x, (void *)1, COUNT, hcommInt32, hcommSum, root));
  REFUSED("sendbuff is 0x;end of the address space", with(s, end, y, COUNT, hcommInt32, hcommSum, root));
  REFUSED("recvbuff is 0x;end of the address space", with(s, x, end, COUNT, hcommInt32, hcommSum, root));
  TRYING("%s: overlap", collectives[s->c].name);
  refuse_overlap(s, x, (char *)x + 1);
  refuse_overlap(s, (char *)x + 1, x);
  refuse_overlap(s, x, x + in - 1);
  refuse_overlap(s, x + out - 1, x);
  if (s->me->size > 1 && in != out) { /* in place, but at another rank's block */
    int at = (s->me->number + 1) % s->me->size * COUNT;
    if (in < out) refuse_overlap(s, x + at, x);
    else refuse_overlap(s, x, x + at);
  }
  TRYING("%s: side by side, and of nothing", collectives[s->c].name);
  OK(with(s, x, x + in, COUNT, hcommInt32, hcommSum, 0));
  OK(with(s, x + out, x, COUNT, hcommInt32, hcommSum, 0));
  OK(with(s, NULL, NULL, 0, hcommInt32, hcommSum, 0));
  OK(with(s, x, x + 1, 0, hcommInt32, hcommSum, 0));
  works(s->me);
}

/* A buffer that a rank does not have is not looked at. */
static void unread_buffers(const struct setting *s) {
  struct shape shape = shape_of(s->c, s->me->number, 0, s->me->size);
  void *send = shape.send ? (void *)s->x : (void *)16, *recv = shape.recv ? (void *)s->y : (void *)16;
  TRYING("%s: buffers that are not read", collectives[s->c].name);
  OK(with(s, send, recv, COUNT, hcommInt32, hcommSum, 0));
  OK(with(s, shape.send ? s->x : s->y, shape.recv ? s->y : s->x, COUNT, hcommInt32, hcommSum, 0));
  OK(with(s, shape.send ? s->x : NULL, shape.recv ? s->y : NULL, COUNT, hcommInt32, hcommSum, 0));
  works(s->me);
}

static void bad_types(const struct setting *s) {
  static const int none[] = {-1, 12, 63, 66, 255, 256, 263, 256 + 64, 0x7fffffff, (int)0x80000000u};
  char words[64];
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    TRYING("%s: datatype %d", collectives[s->c].name, none[i]);
    snprintf(words, sizeof words, "datatype is %d", none[i]);
    REFUSED(words, with(s, s->x, s->y, 1, none[i], hcommSum, 0));
    REFUSED(words, with(s, s->x, s->y, 0, none[i], hcommSum, 0));
  }
}

static void bad_counts(const struct setting *s) {
  const size_t size = (size_t)s->me->size;
  const struct {
    hcommDataType_t type;
    size_t count;
  } too_many[] = {
      {hcommInt8, SIZE_MAX}, {hcommFloat32, SIZE_MAX / 4 + 2}, {hcommFloat64, SIZE_MAX / 8 + 2}, {hcommFloat64, SIZE_MAX},
      {hcommFloat16, (size_t)1 << 63}, {hcommInt32, (size_t)1 << 62}, {hcommInt64, ((size_t)1 << 61) + 1},
      {hcommFloat64, SIZE_MAX / 8 / size + 1}, {hcommInt8, SIZE_MAX / size + 1}, /* 8 or ranks too many times */
  };
  char words[64];
  for (size_t i = 0; i < sizeof too_many / sizeof *too_many; i++) {
    TRYING("%s: count %zu", collectives[s->c].name, too_many[i].count);
    if (s->me->size == 1 && too_many[i].count == 0) continue; /* SIZE_MAX + 1 */
    snprintf(words, sizeof words, "%s is %zu;can be addressed", s->count_name, too_many[i].count);
    REFUSED(words, with(s, s->x, s->y, too_many[i].count, too_many[i].type, hcommSum, 0));
    REFUSED(words, with(s, s->x, s->x, too_many[i].count, too_many[i].type, hcommSum, 0));
  }
}

static void bad_ops(const struct setting *s) {
  static const int none[] = {-1, 5, 63, 70, 255, 256, 256 + 64, 0x7fffffff, (int)0x80000000u};
  static const int floats[] = {hcommFloat16, hcommFloat32, hcommFloat64, hcommBfloat16, hcommFloat8e4m3, hcommFloat8e5m2};
  char words[64];
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    TRYING("%s: op %d", collectives[s->c].name, none[i]);
    snprintf(words, sizeof words, "op is %d", none[i]);
    REFUSED(words, with(s, s->x, s->y, 1, hcommFloat32, none[i], 0));
    REFUSED(words, with(s, s->x, s->y, 1, hcommInt8, none[i], 0));
    REFUSED(words, with(s, s->x, s->y, 0, hcommInt8, none[i], 0));
  }
  for (int o = hcommBitAnd; o <= hcommLogicalXor; o++)
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
      TRYING("%s: op %d of type %d", collectives[s->c].name, o, floats[i]);
      REFUSED("op is ;float;integers", with(s, s->x, s->y, 1, floats[i], o, 0));
    }
}

static void bad_roots(const struct setting *s) {
  const int none[] = {-1, s->me->size, s->me->size + 1, 0x7fffffff, (int)0x80000000u, 1 << 16, 1 << 24};
  char words[64];
  for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
    TRYING("%s: root %d", collectives[s->c].name, none[i]);
    snprintf(words, sizeof words, "root is %d;0 to %d", none[i], s->me->size - 1);
    REFUSED(words, with(s, s->x, s->y, 1, hcommFloat32, hcommSum, none[i]));
    REFUSED(words, with(s, NULL, NULL, 0, hcommFloat32, hcommSum, none[i]));
  }
}

static hcommResult_t on_stream(const struct setting *s, hcommStream_t stream) {
  hcommComm_t c = s->me->comm;
  switch (s->c) {
  case ALLREDUCE: return hcommAllReduce(s->x, s->y, 1, hcommInt8, hcommSum, c, stream);
  case REDUCE: return hcommReduce(s->x, s->y, 1, hcommInt8, hcommSum, 0, c, stream);
  case REDUCESCATTER: return hcommReduceScatter(s->x, s->y, 1, hcommInt8, hcommSum, c, stream);
  case BROADCAST: return hcommBroadcast(s->x, s->y, 1, hcommInt8, 0, c, stream);
  case ALLGATHER: return hcommAllGather(s->x, s->y, 1, hcommInt8, c, stream);
  case ALLTOALL: return hcommAlltoAll(s->x, s->y, 1, hcommInt8, c, stream);
  case GATHER: return hcommGather(s->x, s->y, 1, hcommInt8, 0, c, stream);
  case SCATTER: return hcommScatter(s->x, s->y, 1, hcommInt8, 0, c, stream);
  default: return hcommBarrier(c, stream);
  }
}

static void bad_handles(const struct setting *s) {
  hcommComm_t alone, on_stack;
  uintptr_t own = (uintptr_t)s->me->comm;
  OK(hcommCommInitAll(&alone, 1, NULL));
  OK(hcommCommDestroy(alone));
  const uintptr_t bad[] = {0, 0x101, (uintptr_t)&on_stack, UINTPTR_MAX, own ^ 1 << 20, (uintptr_t)alone};
  char words[64];
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    TRYING("%s: handle %#lx", collectives[s->c].name, (unsigned long)bad[i]);
    if (bad[i]) snprintf(words, sizeof words, "comm is %#lx", (unsigned long)bad[i]);
    else snprintf(words, sizeof words, "comm is NULL");
    REFUSED(words, make_call(s->c, s->x, s->y, 1, hcommInt8, hcommSum, 0, (hcommComm_t)bad[i]));
  }
  TRYING("%s: stream", collectives[s->c].name);
  REFUSED("stream is 0x7", on_stream(s, (hcommStream_t)7));
  REFUSED("stream is 0x", on_stream(s, (hcommStream_t)(void *)s->x));
}

static void body(struct rank *me) {
  rank_open(me);
  CHECK(me->size <= RANKS);
  for (int c = 0; c < BARRIER; c++) {
    struct setting s = {me, (enum collective)c, "count", shape_of((enum collective)c, me->number, me->number, me->size),
                        buffers[me->number][0], buffers[me->number][1]};
    if (c == ALLGATHER) s.count_name = "sendcount";
    if (c == REDUCESCATTER) s.count_name = "recvcount";
    TRYING("%s", collectives[c].name);
    bad_buffers(&s);
    if (collectives[c].rooted) unread_buffers(&s);
    bad_types(&s);
    bad_counts(&s);
    if (collectives[c].reduces) bad_ops(&s);
    if (collectives[c].rooted) bad_roots(&s);
    bad_handles(&s);
  }
  TRYING("destroy");
  rank_close(me);
}

int main(int argc, char **argv) {
  ranks_run(ranks_wanted(&argc, argv), body);
  return 0;
}
