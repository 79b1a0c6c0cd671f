/* Random calls on any memory and with any bits: every rank gets the same, and the same again when the call is repeated
 * with all buffers from malloc.
 *
 *   memory [--seed S] [--cases N] [--case K] [threads N]
 *
 * Rank 0's seed, which is printed, is everyone's. --case does case K alone.
 *
 * flags: -pthread
 * run: hcomm run -n 2 %p
 * run: hcomm run -n 3 %p
 * run: hcomm run -n 4 %p
 * run: hcomm run -n 8 %p
 * run: %p threads 3
 * run: %p threads 8
 * run: env HCOMM_SLOT_BYTES=4096 HCOMM_SLOTS=1 hcomm run -n 2 %p
 * run: env HCOMM_SLOT_BYTES=4096 HCOMM_SLOTS=1 hcomm run -n 3 %p
 * run: env HCOMM_SLOT_BYTES=4096 HCOMM_SLOTS=1 hcomm run -n 8 %p
 * run: env HCOMM_SLOT_BYTES=4096 HCOMM_SLOTS=1 %p threads 4
 * timeout: 120
 */
#include "oracle.h"
#include "ranks.h"

enum { MOST = 200000, GUARD = 64, GUARD_BYTE = 0xa5 };

static uint64_t wanted_seed;
static long cases = 500, only = -1;

/* What all ranks know of a case. */
struct call {
  uint64_t seed;
  size_t count;
  const struct type *type;
  const struct op *op; /* NULL: a broadcast */
  int root;
};

static struct call choose(uint64_t seed, int size) {
  struct call c = {.seed = seed};
  uint64_t bits = next_random(&seed) % 18;
  c.count = next_random(&seed) % ((uint64_t)2 << bits);
  if (c.count > MOST) c.count = MOST;
  c.type = &types[next_random(&seed) % TYPES];
  c.op = &ops[next_random(&seed) % (uint64_t)ops_of(c.type)];
  c.root = (int)(next_random(&seed) % (uint64_t)size);
  if (next_random(&seed) % 6 == 0) c.op = NULL;
  return c;
}

/* Any bits; of floats, many from the neighbourhood of 1, where sums are inexact, and many of the special ones. */
static uint64_t input(const struct type *t, uint64_t *random) {
  uint64_t h = next_random(random), bits = narrow(t, next_random(random)), sign = sign_bit(t);
  uint64_t below_one = ((uint64_t)1 << t->mantissa) - 1;
  if (t->kind != FLOATING || h % 4 == 0) return bits;
  switch (h / 4 % 32) {
  case 0: return bits & sign;                                           /* zeros */
  case 1: return (bits & sign) | (greatest(t) + 1);                     /* infinities, or NaN */
  case 2: return (bits & sign) | (greatest(t) + 1) | (bits & below_one); /* NaNs */
  case 3: return bits & (sign | below_one);                             /* subnormal numbers */
  case 4: return (bits & sign) | greatest(t);
  default: return (bits & (sign | (below_one << 1 | 1))) | (uint64_t)(bias(t) - 1) << t->mantissa;
  }
}

/* A buffer: count elements of anything at any place, with guards. */
struct buffer {
  char *block, *data;
  size_t bytes;
  int shared;
};

static struct buffer new_buffer(size_t bytes, uint64_t place) {
  struct buffer b = {.bytes = bytes, .shared = (int)(place & 1)};
  size_t shift = place & 2 ? 1 + (place >> 2) % 63 : 0, all = bytes + 2 * GUARD + shift;
  void *block = NULL;
  if (b.shared) OK(hcommMemAlloc(&block, all));
  else block = malloc(all);
  CHECK(block);
  if (b.shared)
    for (size_t i = 0; i < all; i++)
      if (((char *)block)[i]) FAIL("byte %zu of %zu from hcommMemAlloc is not 0", i, all);
  memset(block, GUARD_BYTE, all);
  b.block = block;
  b.data = b.block + GUARD + shift;
  return b;
}

static void free_buffer(struct buffer *b) {
  for (int i = 0; i < GUARD; i++)
    if ((unsigned char)b->data[-1 - i] != GUARD_BYTE || (unsigned char)b->data[b->bytes + (size_t)i] != GUARD_BYTE)
      FAIL("a byte %d outside the buffer was written", i + 1);
  if (b->shared) OK(hcommMemFree(b->block));
  else free(b->block);
}

/* perform makes the call with buffers where place says, and returns the result, which the caller frees. */
static char *perform(struct rank *me, const struct call *c, const char *in, uint64_t place) {
  size_t bytes = c->count * c->type->size;
  int in_place = place >> 32 & 1, reads = c->op || me->number == c->root;
  struct buffer recv = new_buffer(bytes, place), send = in_place ? recv : new_buffer(bytes, place >> 16);
  if (reads) memcpy(send.data, in, bytes);
  if (c->op) OK(hcommAllReduce(send.data, recv.data, c->count, c->type->code, c->op->code, me->comm, NULL));
  else OK(hcommBroadcast(send.data, recv.data, c->count, c->type->code, c->root, me->comm, NULL));
  char *out = malloc(bytes + 1);
  CHECK(out);
  memcpy(out, recv.data, bytes);
  if (!in_place) {
    if (reads) CHECK(!memcmp(send.data, in, bytes));
    free_buffer(&send);
  }
  free_buffer(&recv);
  return out;
}

static void try_case(struct rank *me, uint64_t seed, long number) {
  struct call c = choose(mix(seed) + (uint64_t)number * 1000, me->size);
  size_t bytes = c.count * c.type->size;
  uint64_t random = mix(c.seed + (uint64_t)me->number), place = next_random(&random);
  TRYING("--seed %llu --case %ld: %s of %zu %s%s%s", (unsigned long long)seed, number, c.op ? "allreduce" : "broadcast",
         c.count, c.type->name, c.op ? " with " : "", c.op ? c.op->name : "");
  char *in = malloc(bytes + 1);
  CHECK(in);
  for (size_t i = 0; i < c.count; i++) store(c.type, in, i, input(c.type, &random));
  char *out = perform(me, &c, in, place), *again = perform(me, &c, in, 0);
  for (size_t i = 0; i < c.count; i++)
    if (load(c.type, out, i) != load(c.type, again, i))
      FAIL("element %zu is %#llx; with all buffers from malloc it is %#llx", i, (unsigned long long)load(c.type, out, i),
           (unsigned long long)load(c.type, again, i));
  if (!all_same(me, hash_bytes(out, bytes))) FAIL("ranks have different results; the one here is %016llx",
                                                  (unsigned long long)hash_bytes(out, bytes));
  free(in), free(out), free(again);
}

static void body(struct rank *me) {
  rank_open(me);
  uint64_t seed = wanted_seed;
  OK(hcommBroadcast(&seed, &seed, 1, hcommUint64, 0, me->comm, NULL));
  if (me->number == 0) printf("--seed %llu\n", (unsigned long long)seed), fflush(stdout);
  if (only >= 0) try_case(me, seed, only);
  else
    for (long k = 0; k < cases; k++) try_case(me, seed, k);
  TRYING("destroy");
  rank_close(me);
}

int main(int argc, char **argv) {
  int threads = ranks_wanted(&argc, argv);
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  wanted_seed = mix((uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec) % 1000000000;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!strcmp(argv[i], "--seed")) wanted_seed = strtoull(argv[i + 1], NULL, 10);
    else if (!strcmp(argv[i], "--cases")) cases = atol(argv[i + 1]);
    else if (!strcmp(argv[i], "--case")) only = atol(argv[i + 1]);
    else FAIL("%s is not among --seed, --cases, --case", argv[i]);
  }
  ranks_run(threads, body);
  return 0;
}
