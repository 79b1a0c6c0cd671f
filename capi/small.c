/* small.c: the exchange of messages in small collectives, in C. */
#include <string.h>

#include "message.h"
#include "queue.h"
#include "small_reduce.h"

struct small *small_paths[MAX_COMMS];

enum { MAX_RANKS = 8 };

#define SPECIALISED static inline __attribute__((always_inline))

/* What is done in a collective: all that its exchange asks of it is known when that is compiled. */
struct shape {
  enum collective collective;
  enum { AMONG_ALL, FROM_ROOT, TO_ROOT } way;
  int deals;    /* each rank is sent a block of its own */
  int collects; /* each rank's message has a block of its own in the output */
  int folds;    /* the messages are reduced, not copied */
};

SPECIALISED int sends(struct shape shape, const struct shared *s, uint32_t root) {
  return shape.way == AMONG_ALL || (shape.way == FROM_ROOT) == (s->rank == root);
}

SPECIALISED int receives(struct shape shape, const struct shared *s, uint32_t root) {
  return shape.way == AMONG_ALL || (shape.way == TO_ROOT) == (s->rank == root);
}

/* Some ranks: so many, from the first on. */
struct peers {
  uint32_t first, count;
};

static inline uint32_t after(const struct shared *s, uint32_t rank) { return rank + 1 == s->ranks ? 0 : rank + 1; }

#define FOR_EACH(p, peers, s) for (uint32_t p = (peers).first, n_ = (peers).count; n_; n_--, p = after(s, p))

/* The ranks that one sends to, or receives from, if it does so at all; one_way is the way in which that is the root only. */
SPECIALISED struct peers peers_of(struct shape shape, const struct shared *s, uint32_t root, int one_way) {
  return shape.way == one_way ? (struct peers){root, 1} : (struct peers){after(s, s->rank), s->ranks - 1};
}

/* Where the blocks of a call are. */
struct blocks {
  const char *in, *own_in;
  char *out, *own_out;
  int in_place;
};

static inline int is_address(uintptr_t p) { return p >= 4096 && !(p >> 56); }

/* find says where the blocks are; 0 if the buffers may be wrong, of which Go says what it is. */
SPECIALISED int find(struct blocks *b, struct shape shape, const struct shared *s, const struct small_call *c, uint64_t length) {
  uint32_t root = (uint32_t)c->root;
  int has_in = shape.way != FROM_ROOT || s->rank == root, has_out = shape.way != TO_ROOT || s->rank == root;
  if (shape.way != AMONG_ALL && root >= s->ranks) return 0;
  if ((has_in && !is_address(c->send)) || (has_out && !is_address(c->recv))) return 0;
  b->in = (const char *)c->send, b->out = (char *)c->recv;
  b->own_in = b->in + (shape.deals ? s->rank * length : 0), b->own_out = b->out + (shape.collects ? s->rank * length : 0);
  b->in_place = has_in && has_out && (b->own_in == b->own_out || c->in_front);
  return !has_in || !has_out || b->in_place || c->send + (shape.deals ? s->ranks : 1) * length <= c->recv ||
         c->recv + (shape.collects ? s->ranks : 1) * length <= c->send;
}

/* What the messages of one operation have in common. */
struct header {
  uint64_t op, count, signature;
  uint32_t length;
};

/* began tells the peers which operation this rank is in, as Port.Began of link/shm does. */
static inline void began(struct shared *s, const struct header *h) {
  __atomic_store_n(&s->activity->count, h->count, __ATOMIC_RELAXED);
  __atomic_store_n(&s->activity->signature, h->signature, __ATOMIC_RELAXED);
  __atomic_store_n(&s->activity->op, 2 * h->op + 1, __ATOMIC_RELEASE);
}

/* Where the ranks' processors share no cache, a payload of 1 KiB or more that was stored past the caches is read faster
 * than one in the other's cache; where they share one it is the other way round (2 ranks, 2 KiB: 1.0 instead of 1.25 us,
 * and 0.8 instead of 0.55). Nothing in the system says for sure which it is. So at least every 64th long message is
 * written through the cache, and how long such a one takes to reduce shows it: 5 to 20 ticks a line where a cache is
 * shared, 25 to 75 where none is (AMD EPYC of family 25, 2026-11); to copy, 3 to 8 and 12 to 14. Who only sends is told by
 * who receives. What link/shm/distance.go finds out is no help: it looks at messages in slots, which a program of small
 * collectives does not send, and a look takes as long as a whole exchange here. */
enum { LONG_BYTES = 1024, PROBE_EVERY = 64, ASK_EVERY = 8, CERTAIN = 3 };
enum { FAR_TICKS_REDUCED = 22, FAR_TICKS_COPIED = 11 }; /* for each line */
enum { TOLD_FAR = 1 }; /* the word after the acknowledgement */
#if defined(__x86_64__)
#include <x86intrin.h>

static inline uint64_t ticks(void) { return __rdtsc(); }

/* fill_past writes a payload past the caches; to is aligned to a cache line. */
static void fill_past(unsigned char *to, const char *from, size_t n) {
  size_t i = 0;
  for (; i + 16 <= n; i += 16) _mm_stream_si128((__m128i *)(to + i), _mm_loadu_si128((const __m128i *)(from + i)));
  memcpy(to + i, from + i, n - i);
  _mm_sfence();
}
#else
static inline uint64_t ticks(void) { return 0; }

static void fill_past(unsigned char *to, const char *from, size_t n) { memcpy(to, from, n); }
#endif

/* kind_of_next says how the next message is to be written; hears is 0 or a receiver that tells. */
SPECIALISED uint32_t kind_of_next(struct shared *s, uint32_t length, const struct out_queue *hears) {
  if (length < LONG_BYTES) return INLINE;
  if (hears && s->longs % ASK_EVERY == 0) s->far = __atomic_load_n(&hears->ack[TOLD_FAR], __ATOMIC_RELAXED) ? CERTAIN : 0;
  return ++s->longs % PROBE_EVERY && s->far >= CERTAIN ? STREAMED : INLINE;
}

/* learn finds out from when reading messages began, and the ticks that are allowed, whether the peers are far. */
static inline void learn(struct shared *s, uint64_t begun, uint64_t allowed) {
  int slow = ticks() - begun > allowed;
  s->far = !slow ? 0 : s->far < CERTAIN ? s->far + 1 : CERTAIN;
}

/* room waits a little until every inbox takes one more message. */
static inline int room(struct shared *s, uint64_t handle, struct peers to) {
  struct patience w = {0};
  FOR_EACH(p, to, s)
    while (!takes(out(s, p)))
      if (!patient(s, handle, &w, 0)) return 0;
  return 1;
}

/* post sends each the block at payload, or the one of its number from there on. */
SPECIALISED void post(struct shape shape, struct shared *s, const struct header *like, const char *payload, struct peers to) {
  uint32_t kind = kind_of_next(s, like->length, shape.way == AMONG_ALL ? NULL : out(s, to.first));
  uint64_t apart = shape.deals ? like->length : 0;
  FOR_EACH(p, to, s) {
    struct out_queue *q = out(s, p);
    struct entry *e = &q->ring[q->posted % RING_ENTRIES];
    if (kind == STREAMED) fill_past(e->behind, payload + p * apart, like->length);
    else if (like->length) memcpy(payload_of(e, like->length), payload + p * apart, like->length);
    e->op = like->op, e->count = like->count, e->signature = like->signature;
    e->length = like->length, e->kind = kind;
    publish(s, &e->flag, ++q->posted, q->bell);
  }
  if (s->far >= CERTAIN) return;
  FOR_EACH(p, to, s) {
    struct out_queue *q = out(s, p);
    own(&q->ring[q->posted % RING_ENTRIES], like->length);
  }
}

static inline int has_come(struct in_queue *q) {
  return __atomic_load_n(&head(q)->flag, __ATOMIC_ACQUIRE) == q->released + 1;
}

/* are_elsewhere says whether all whose message is missing are on other processors, as far as is known. Then, if all wait
 * for all, whoever shares this one waits for the same ones. */
SPECIALISED int are_elsewhere(struct shape shape, struct shared *s, struct peers from) {
  if (!s->crowded || shape.way != AMONG_ALL) return 0;
  FOR_EACH(p, from, s)
    if (is_beside(s, in(s, p)) && !has_come(in(s, p))) return 0;
  return 1;
}

/* gather waits a little for the message of each; operands gets where they lie, by rank; *cached becomes 0 if one was
 * stored past the caches. It releases none. */
SPECIALISED int gather(struct shape shape, struct shared *s, uint64_t handle, const struct header *like, struct peers from,
                       const void **operands, int *cached) {
  struct patience w = {0};
  FOR_EACH(p, from, s) {
    struct in_queue *q = in(s, p);
    struct entry *e = head(q);
    while (!has_come(q))
      if (!patient(s, handle, &w, are_elsewhere(shape, s, from))) return 0;
    if (e->op != like->op || e->count != like->count || e->signature != like->signature ||
        e->length != like->length || (e->kind != INLINE && e->kind != STREAMED))
      return 0;
    if (e->kind == STREAMED) *cached = 0;
    operands[p] = payload_of(e, like->length);
  }
  return 1;
}

/* fold reduces the operands, of which the own one is this rank's, in rank order; 0 if that is left to Go, which may then
 * need the input once more. */
static int fold(const struct shared *s, const struct small_call *c, const struct blocks *b, const void **operands, size_t size) {
  union { unsigned char bytes[INLINE_BYTES]; uint64_t align; } sum, aligned; /* C wants its operands aligned */
  size_t length = c->count * size;
  void *result = b->in_place || (uintptr_t)b->own_out % size ? sum.bytes : (void *)b->own_out;
  operands[s->rank] = (uintptr_t)b->own_in % size ? memcpy(aligned.bytes, b->own_in, length) : b->own_in;
  const void *left = operands[0];
  for (uint32_t p = 1; p < s->ranks; p++, left = result)
    if (!reduce(result, left, operands[p], c->count, c->datatype, c->op)) return 0;
  if (result != b->own_out) memcpy(b->own_out, result, length);
  return 1;
}

/* take makes the result of the messages. */
SPECIALISED int take(struct shape shape, struct shared *s, const struct small_call *c, const struct blocks *b,
                     const void **operands, struct peers from, uint32_t length) {
  if (shape.folds) return fold(s, c, b, operands, arithmetic_size(c->datatype));
  if (length)
    FOR_EACH(p, from, s) memcpy(b->out + (shape.collects ? (uint64_t)p * length : 0), operands[p], length);
  return 1;
}

SPECIALISED void release(struct shape shape, struct shared *s, struct peers from, uint32_t length) {
  FOR_EACH(p, from, s) {
    struct in_queue *q = in(s, p);
    if (shape.way != AMONG_ALL && length >= LONG_BYTES)
      __atomic_store_n(&q->ack[TOLD_FAR], s->far >= CERTAIN, __ATOMIC_RELAXED);
    q->released++;
    publish(s, q->ack, q->released, q->bell);
  }
}

/* receive takes everybody's message; 0 if that must be resumed. */
SPECIALISED int receive(struct shape shape, struct shared *s, const struct small_call *c, const struct header *like,
                        const struct blocks *b, struct peers from) {
  const void *operands[MAX_RANKS];
  int cached = like->length >= LONG_BYTES;
  if (shape.way != AMONG_ALL && cached) s->longs++; /* of others post has counted theirs */
  if (!gather(shape, s, c->handle, like, from, operands, &cached)) return 0;
  int probe = cached && (s->far || s->longs % ASK_EVERY == 0);
  uint64_t begun = probe ? ticks() : 0;
  if (!take(shape, s, c, b, operands, from, like->length)) return 0;
  if (probe) learn(s, begun, from.count * (like->length / 64) * (shape.folds ? FAR_TICKS_REDUCED : FAR_TICKS_COPIED));
  release(shape, s, from, like->length);
  return 1;
}

SPECIALISED enum small_result exchange(struct shape shape, const struct small_call *c) {
  uint64_t size = shape.collective == BARRIER ? 0 : shape.folds ? arithmetic_size(c->datatype) : datatype_size(c->datatype);
  struct header like = {.count = shape.collective == BARRIER ? 0 : c->count, .length = (uint32_t)(c->count * size)};
  if (shape.collective != BARRIER && (!size || c->count - 1 >= INLINE_BYTES)) return SMALL_NOT_TAKEN;
  if (shape.folds && (c->op < hcommSum || c->op > hcommMin)) return SMALL_NOT_TAKEN;
  struct shared *s = claim(c->handle);
  if (!s) return SMALL_NOT_TAKEN;
  struct blocks b = {0};
  uint32_t root = shape.way == AMONG_ALL ? 0 : (uint32_t)c->root;
  struct peers to = peers_of(shape, s, root, TO_ROOT), from = peers_of(shape, s, root, FROM_ROOT);
  if (s->queued || s->ranks < 2 || s->ranks > MAX_RANKS || like.length >= s->below[shape.collective] ||
      (shape.collective != BARRIER && !find(&b, shape, s, c, like.length)) ||
      (sends(shape, s, root) && !room(s, c->handle, to))) {
    leave(s, c->handle);
    return SMALL_NOT_TAKEN;
  }
  like.op = ++s->sequence;
  like.signature = shape.collective | (shape.folds ? (uint64_t)c->op << 8 : 0) | (uint64_t)root << 32 |
                   (shape.collective == BARRIER ? 0 : (uint64_t)c->datatype << 16);
  began(s, &like);
  if (sends(shape, s, root)) post(shape, s, &like, b.in, to);
  if (!shape.folds && like.length && !b.in_place && (shape.way == AMONG_ALL || s->rank == root))
    memcpy(b.own_out, b.own_in, like.length);
  if (receives(shape, s, root) && !receive(shape, s, c, &like, &b, from)) return SMALL_BEGUN;
  __atomic_store_n(&s->activity->op, 2 * like.op, __ATOMIC_RELAXED);
  leave(s, c->handle);
  return SMALL_DONE;
}

#define EXCHANGE(name, ...) \
  enum small_result small_##name(const struct small_call *c) { return exchange((struct shape){__VA_ARGS__}, c); }

EXCHANGE(allreduce, ALLREDUCE, AMONG_ALL, .folds = 1)
EXCHANGE(broadcast, BROADCAST, FROM_ROOT)
EXCHANGE(barrier, BARRIER, AMONG_ALL)
EXCHANGE(reduce, REDUCE, TO_ROOT, .folds = 1)
EXCHANGE(allgather, ALLGATHER, AMONG_ALL, .collects = 1)
EXCHANGE(reducescatter, REDUCESCATTER, AMONG_ALL, .deals = 1, .folds = 1)
EXCHANGE(alltoall, ALLTOALL, AMONG_ALL, .deals = 1, .collects = 1)
EXCHANGE(gather, GATHER, TO_ROOT, .collects = 1)
EXCHANGE(scatter, SCATTER, FROM_ROOT, .deals = 1)
