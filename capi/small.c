/* small.c: the exchange of a small allreduce in C. */
#include "queue.h"

#include <string.h>

struct small *small_paths[MAX_COMMS];

enum { MAX_RANKS = 8 };

/* Elements do not depend on each other, though to may be a. */
#define EACH(type, expression)                     \
  do {                                             \
    _Pragma("GCC ivdep")                           \
    for (size_t i = 0; i < count; i++) {           \
      type p = x[i], q = y[i];                     \
      to[i] = (expression);                        \
    }                                              \
  } while (0)

#define INTEGERS(type, wide)                                     \
  static int reduce_##type(type *to, const type *x, const type *y, size_t count, int op) { \
    switch (op) {                                                \
    case hcommSum: EACH(type, (type)((wide)p + (wide)q)); break; \
    case hcommProd: EACH(type, (type)((wide)p * (wide)q)); break; \
    case hcommMax: EACH(type, p > q ? p : q); break;             \
    case hcommMin: EACH(type, p < q ? p : q); break;             \
    }                                                            \
    return 1;                                                    \
  }

#define EACH_FLOAT(type, expression, is_nan)       \
  do {                                             \
    _Pragma("GCC ivdep")                           \
    for (size_t i = 0; i < count; i++) {           \
      type p = x[i], q = y[i], r = (expression);   \
      to[i] = r;                                   \
      nan |= (is_nan);                             \
    }                                              \
  } while (0)

/* A program that takes subnormal numbers for zero (gcc -ffast-math) gets a zero where one is an extreme, as from the
 * kernels of Go: only then does a comparison find that it is one. */
#define FLUSH(type, bits)                                                                                      \
  static inline type flush_##type(type x) {                                                                    \
    bits b, sign = (bits)1 << (8 * sizeof b - 1);                                                              \
    memcpy(&b, &x, sizeof b);                                                                                  \
    b &= x == 0 ? sign : ~(bits)0;                                                                             \
    memcpy(&x, &b, sizeof b);                                                                                  \
    return x;                                                                                                  \
  }

/* A sum or product with a NaN is one; a maximum need not be. Of equal zeros the maximum is the positive one. */
#define FLOATS(type, signbit)                                                                                  \
  static int reduce_##type(type *to, const type *x, const type *y, size_t count, int op) {                     \
    int nan = 0;                                                                                               \
    switch (op) {                                                                                              \
    case hcommSum: EACH_FLOAT(type, p + q, r != r); break;                                                     \
    case hcommProd: EACH_FLOAT(type, p * q, r != r); break;                                                    \
    case hcommMax:                                                                                             \
      EACH_FLOAT(type, flush_##type(q > p || (q == p && !signbit(q)) ? q : p), (p != p) | (q != q));           \
      break;                                                                                                   \
    case hcommMin:                                                                                             \
      EACH_FLOAT(type, flush_##type(q < p || (q == p && signbit(q)) ? q : p), (p != p) | (q != q));            \
      break;                                                                                                   \
    }                                                                                                          \
    return !nan;                                                                                               \
  }

INTEGERS(int32_t, uint32_t)
INTEGERS(uint32_t, uint32_t)
INTEGERS(int64_t, uint64_t)
INTEGERS(uint64_t, uint64_t)
FLUSH(float, uint32_t)
FLUSH(double, uint64_t)
FLOATS(float, __builtin_signbitf)
FLOATS(double, __builtin_signbit)

/* reduce stores a op b in to, which may be a. It returns 0 for what it leaves to Go: other types and operators, and
 * results that are NaN, whose bits have rules of their own. */
static int reduce(void *to, const void *a, const void *b, size_t count, int datatype, int op) {
  switch (datatype) {
  case hcommInt32: return reduce_int32_t(to, a, b, count, op);
  case hcommUint32: return reduce_uint32_t(to, a, b, count, op);
  case hcommInt64: return reduce_int64_t(to, a, b, count, op);
  case hcommUint64: return reduce_uint64_t(to, a, b, count, op);
  case hcommFloat32: return reduce_float(to, a, b, count, op);
  case hcommFloat64: return reduce_double(to, a, b, count, op);
  }
  return 0;
}

static size_t element_size(int datatype) {
  switch (datatype) {
  case hcommInt32: case hcommUint32: case hcommFloat32: return 4;
  case hcommInt64: case hcommUint64: case hcommFloat64: return 8;
  }
  return 0;
}

/* What the messages of one operation have in common. */
struct header {
  uint64_t op, count, signature;
  uint32_t length;
};

/* began tells the peers which operation this rank is in, as Port.Began of link/shm does. */
static void began(struct shared *s, const struct header *h) {
  __atomic_store_n(&s->activity->count, h->count, __ATOMIC_RELAXED);
  __atomic_store_n(&s->activity->signature, h->signature, __ATOMIC_RELAXED);
  __atomic_store_n(&s->activity->op, 2 * h->op + 1, __ATOMIC_RELEASE);
}

/* room says whether every peer's inbox takes one more message. */
static int room(struct shared *s) {
  for (uint32_t p = 0; p < s->ranks; p++)
    if (p != s->rank && !takes(out(s, p))) return 0;
  return 1;
}

/* Where the ranks' processors share no cache, a payload of 1 KiB or more that was stored past the caches is read faster
 * than one in the other's cache; where they share one it is the other way round (2 ranks, 2 KiB: 1.0 instead of 1.25 us,
 * and 0.8 instead of 0.55). Nothing in the system says for sure which it is. So at least every 64th long message is
 * written through the cache, and how long such a one takes to reduce shows it: 5 to 20 ticks a line where a cache is
 * shared, 25 to 75 where none is (AMD EPYC of family 25, 2026-11). */
enum { LONG_BYTES = 1024, PROBE_EVERY = 64, FAR_TICKS_PER_LINE = 22, CERTAIN = 3 };
#if defined(__x86_64__)
#include <x86intrin.h>

static inline uint64_t ticks(void) { return __rdtsc(); }

/* fill_past writes a payload past the caches; to is aligned to a cache line. */
static void fill_past(unsigned char *to, const unsigned char *from, size_t n) {
  size_t i = 0;
  for (; i + 16 <= n; i += 16) _mm_stream_si128((__m128i *)(to + i), _mm_loadu_si128((const __m128i *)(from + i)));
  memcpy(to + i, from + i, n - i);
  _mm_sfence();
}
#else
static inline uint64_t ticks(void) { return 0; }

static void fill_past(unsigned char *to, const unsigned char *from, size_t n) { memcpy(to, from, n); }
#endif

/* kind_of_next says how a message is to be written. */
static inline uint32_t kind_of_next(struct shared *s, uint32_t length) {
  if (length < LONG_BYTES) return INLINE;
  return ++s->longs % PROBE_EVERY && s->far >= CERTAIN ? STREAMED : INLINE;
}

static void post(struct shared *s, const struct header *like, const void *payload) {
  uint32_t kind = kind_of_next(s, like->length);
  for (uint32_t i = 1; i < s->ranks; i++) {
    struct out_queue *q = out(s, (s->rank + i) % s->ranks);
    struct entry *e = &q->ring[q->posted % RING_ENTRIES];
    if (kind == STREAMED) fill_past(e->behind, payload, like->length);
    else memcpy(payload_of(e, like->length), payload, like->length);
    e->op = like->op, e->count = like->count, e->signature = like->signature;
    e->length = like->length, e->kind = kind;
    publish(s, &e->flag, ++q->posted, q->bell);
  }
  for (uint32_t i = 1; i < s->ranks && s->far < CERTAIN; i++) {
    struct out_queue *q = out(s, (s->rank + i) % s->ranks);
    own(&q->ring[q->posted % RING_ENTRIES], like->length);
  }
}

/* gather waits a little for everybody's message; operands gets where they lie, by rank; *cached becomes 0 if one was
 * stored past the caches. It releases none. */
static int gather(struct shared *s, uint64_t handle, const struct header *like, const void *own,
                  const void **operands, int *cached) {
  uint32_t looks = 0;
  struct timespec since = {0, 0};
  for (uint32_t p = 0; p < s->ranks; p++) {
    operands[p] = own;
    if (p == s->rank) continue;
    struct in_queue *q = in(s, p);
    struct entry *e = head(q);
    while (__atomic_load_n(&e->flag, __ATOMIC_ACQUIRE) != q->released + 1)
      if (!patient(s, handle, looks++, &since)) return 0;
    if (e->op != like->op || e->count != like->count || e->signature != like->signature ||
        e->length != like->length || (e->kind != INLINE && e->kind != STREAMED))
      return 0;
    if (e->kind == STREAMED) *cached = 0;
    operands[p] = payload_of(e, like->length);
  }
  return 1;
}

/* fold reduces the operands in rank order. If asked, it finds out from the time that takes whether the peers are far. */
static int fold(struct shared *s, const struct header *like, void *sum, const void *const *operands, int datatype,
                int op, int probe) {
  uint64_t begun = probe ? ticks() : 0;
  const void *left = operands[0];
  for (uint32_t p = 1; p < s->ranks; p++, left = sum)
    if (!reduce(sum, left, operands[p], like->count, datatype, op)) return 0;
  if (probe) {
    int slow = ticks() - begun > (uint64_t)FAR_TICKS_PER_LINE * (s->ranks - 1) * (like->length / 64);
    s->far = !slow ? 0 : s->far < CERTAIN ? s->far + 1 : CERTAIN;
  }
  return 1;
}

static void release(struct shared *s) {
  for (uint32_t p = 0; p < s->ranks; p++) {
    if (p == s->rank) continue;
    struct in_queue *q = in(s, p);
    q->released++;
    publish(s, q->ack, q->released, q->bell);
  }
}

enum small_result small_allreduce(const void *sendbuff, void *recvbuff, size_t count, int datatype, int op,
                                  uint64_t handle) {
  size_t size = element_size(datatype);
  if (!size || count - 1 >= INLINE_BYTES / size || op < hcommSum || op > hcommMin) return SMALL_NOT_TAKEN;
  uintptr_t from = (uintptr_t)sendbuff, to = (uintptr_t)recvbuff, length = count * size;
  if (from < 4096 || to < 4096 || (from | to) >> 56 || (from != to && from < to + length && to < from + length))
    return SMALL_NOT_TAKEN;

  struct shared *s = claim(handle);
  if (!s) return SMALL_NOT_TAKEN;
  if (s->queued || s->ranks < 2 || s->ranks > MAX_RANKS || length > s->most || !room(s)) {
    leave(s, handle);
    return SMALL_NOT_TAKEN;
  }
  struct header like = {.op = ++s->sequence, .count = count, .length = (uint32_t)length,
                        .signature = 1 | (uint64_t)op << 8 | (uint64_t)datatype << 16};
  union { unsigned char bytes[INLINE_BYTES]; uint64_t align; } sum, aligned;
  if (from % size) sendbuff = memcpy(aligned.bytes, sendbuff, length); /* C wants its operands aligned */
  began(s, &like);
  post(s, &like, sendbuff);
  const void *operands[MAX_RANKS];
  void *result = from == to || to % size ? sum.bytes : recvbuff; /* Go may need the input once more */
  int cached = length >= LONG_BYTES;
  if (!gather(s, handle, &like, sendbuff, operands, &cached) ||
      !fold(s, &like, result, operands, datatype, op, cached && (s->far || s->longs % 8 == 0)))
    return SMALL_BEGUN;
  if (result != recvbuff) memcpy(recvbuff, result, length);
  release(s);
  __atomic_store_n(&s->activity->op, 2 * like.op, __ATOMIC_RELAXED);
  leave(s, handle);
  return SMALL_DONE;
}
