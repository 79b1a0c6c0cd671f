/* Random calls on any memory and with any bits: a result is the same whatever memory its buffers are in, and the same again
 * when the call is made again; ranks that all get it get the same; what only moves data moves each bit.
 *
 *   kinds [--seed S] [--cases N] [--case K] [--only COLLECTIVE] [--memory KIND] [--record] [threads N]
 *
 * Rank 0's seed, which is printed, is everyone's. --case does case K alone. --memory has every buffer of one kind, and no
 * second call. --record prints a hash of all results, for tests/deterministic.sh. Where HCOMM_DETERMINISTIC is 1,
 * reductions are compared with ((x0 op x1) op x2)..., floats of 16 and 8 bits in float32 and rounded once.
 *
 * flags: -pthread
 * run: hcomm run -n 2 %p
 * run: hcomm run -n 3 %p
 * run: hcomm run -n 4 %p
 * run: hcomm run -n 8 %p
 * run: %p threads 3
 * run: %p threads 8
 * run: env HCOMM_SLOT_BYTES=4096 HCOMM_SLOTS=1 hcomm run -n 2 %p --cases 300
 * run: env HCOMM_SLOT_BYTES=4096 HCOMM_SLOTS=1 hcomm run -n 3 %p --cases 300
 * run: env HCOMM_SLOT_BYTES=4096 HCOMM_SLOTS=1 hcomm run -n 8 %p --cases 300
 * run: env HCOMM_SLOT_BYTES=4096 HCOMM_SLOTS=1 %p threads 4 --cases 300
 * run: env HCOMM_DETERMINISTIC=1 hcomm run -n 4 %p --cases 300
 * run: env HCOMM_DETERMINISTIC=1 %p threads 7 --cases 300
 * run: tests/deterministic.sh %p 3
 * slow: tests/deterministic.sh %p 2 3 4 5 8 2t 4t 8t
 * timeout: 180
 */
#define _GNU_SOURCE
#include "call.h"
#include "ranks.h"

#include <sys/mman.h>

/* MOST: elements of a buffer, all blocks together. */
enum { MOST = 200000, RANKS = 16, GUARD = 64, GUARD_BYTE = 0xa5, SHIFTS = 64, PAGE = 65536, ROOM = MOST * 8 + 2 * GUARD + SHIFTS };

/* FIRST and LAST: beside memory that must not be read, from its first byte or to its last. */
enum memory { MALLOC, UNALIGNED, SHARED, SHARED_UNALIGNED, REGISTERED, REGISTERED_IN_PART, MAPPED, FIRST, LAST, STATIC, MEMORIES, ANY };
static const char *const memories[MEMORIES] = {"malloc", "unaligned", "shared", "shared-unaligned", "registered",
                                               "registered-in-part", "mapped", "first", "last", "static"};

static uint64_t wanted_seed;
static long cases = 1000, single = -1;
static enum collective only = COLLECTIVES;
static enum memory wanted_memory = ANY;
static int record, deterministic;

static char statics[RANKS][2][ROOM] __attribute__((aligned(64)));

/* What all ranks know of a case. */
struct call {
  uint64_t seed;
  enum collective what;
  size_t count;
  const struct type *type;
  const struct op *op;
  int root;
};

static struct call choose(uint64_t seed, int size) {
  struct call c = {.seed = seed};
  uint64_t bits = next_random(&seed) % 18;
  c.count = next_random(&seed) % ((uint64_t)2 << bits);
  c.type = &types[next_random(&seed) % TYPES];
  c.op = &ops[next_random(&seed) % (uint64_t)ops_of(c.type)];
  c.root = (int)(next_random(&seed) % (uint64_t)size);
  c.what = (enum collective)(next_random(&seed) % BARRIER);
  if (only != COLLECTIVES) c.what = only;
  struct shape s = shape_of(c.what, c.root, c.root, size);
  size_t most = MOST / (size_t)(s.send > s.recv ? s.send : s.recv);
  if (c.count > most) c.count = most;
  return c;
}

/* Any bits; of floats, many from the neighbourhood of 1, where sums are inexact, and many of the special ones. */
static uint64_t element(const struct type *t, uint64_t *random) {
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

/* input makes what a rank sends: the given number of elements. */
static char *input(const struct call *c, int rank, size_t elements) {
  char *in = malloc(elements * c->type->size + 1);
  uint64_t random = mix(c->seed + (uint64_t)rank);
  CHECK(in);
  for (size_t i = 0; i < elements; i++) store(c->type, in, i, element(c->type, &random));
  return in;
}

/* A buffer of some kind of memory, with guards. */
struct buffer {
  enum memory kind;
  char *block, *data;
  size_t bytes, all;
  size_t before, after; /* the guards */
  void *handle;         /* of registered memory */
};

static void *map_file(size_t bytes) {
  char path[] = "/tmp/hcomm-kinds-XXXXXX";
  int file = mkstemp(path);
  CHECK(file >= 0 && !unlink(path) && !ftruncate(file, (off_t)bytes));
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  CHECK(p != MAP_FAILED);
  close(file);
  return p;
}

/* map_alone maps whole pages, with one before and one behind them that cannot be accessed. */
static void *map_alone(size_t bytes) {
  char *p = mmap(NULL, bytes + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(p != MAP_FAILED && !mprotect(p + PAGE, bytes, PROT_READ | PROT_WRITE));
  return p + PAGE;
}

/* registered registers a buffer, or a random part of it. */
static void *registered(struct rank *me, char *data, size_t bytes, uint64_t random) {
  size_t from = random % (bytes + 1), n = random ? (random >> 32) % (bytes - from + 1) : bytes;
  void *handle = NULL;
  OK(hcommCommRegister(me->comm, data + from, n, &handle));
  return handle;
}

static struct buffer new_buffer(enum memory kind, size_t bytes, struct rank *me, int which, uint64_t random) {
  struct buffer b = {.kind = kind, .bytes = bytes, .before = kind == FIRST ? 0 : GUARD, .after = kind == LAST ? 0 : GUARD};
  int unaligned = kind == UNALIGNED || kind == SHARED_UNALIGNED || kind == REGISTERED || kind == REGISTERED_IN_PART;
  size_t shift = unaligned ? 1 + random % (SHIFTS - 1) : 0;
  void *block = NULL;
  b.all = bytes + 2 * GUARD + shift;
  switch (kind) {
  case SHARED: case SHARED_UNALIGNED:
    OK(hcommMemAlloc(&block, b.all));
    for (size_t i = 0; i < b.all; i++)
      if (((char *)block)[i]) FAIL("byte %zu of %zu from hcommMemAlloc is not 0", i, b.all);
    break;
  case MAPPED: block = map_file(b.all); break;
  case FIRST: case LAST:
    b.all = (bytes + GUARD + PAGE - 1) / PAGE * PAGE;
    block = map_alone(b.all);
    break;
  case STATIC: block = statics[me->number % RANKS][which]; break;
  default: CHECK(block = malloc(b.all));
  }
  memset(block, GUARD_BYTE, b.all);
  b.block = block;
  b.data = kind == LAST ? b.block + b.all - bytes : b.block + b.before + shift;
  if (kind == REGISTERED) b.handle = registered(me, b.data, bytes, 0);
  if (kind == REGISTERED_IN_PART) b.handle = registered(me, b.data, bytes, mix(random) | 1);
  return b;
}

static void free_buffer(struct buffer *b, struct rank *me) {
  if (b->handle) OK(hcommCommDeregister(me->comm, b->handle));
  for (size_t i = 0; i < GUARD; i++)
    if ((i < b->before && (unsigned char)b->data[-1 - (ptrdiff_t)i] != GUARD_BYTE) ||
        (i < b->after && (unsigned char)b->data[b->bytes + i] != GUARD_BYTE))
      FAIL("a byte %zu outside the buffer was written", i + 1);
  switch (b->kind) {
  case SHARED: case SHARED_UNALIGNED: OK(hcommMemFree(b->block)); break;
  case MAPPED: CHECK(!munmap(b->block, b->all)); break;
  case FIRST: case LAST: CHECK(!munmap(b->block - PAGE, b->all + 2 * PAGE)); break;
  case STATIC: break;
  default: free(b->block);
  }
}

static enum memory kind_of(uint64_t random) {
  return wanted_memory == ANY ? (enum memory)(random % MEMORIES) : wanted_memory;
}

/* perform makes the call in memory of random kinds, or of malloc, and returns a copy of the result, which the caller frees. */
static char *perform(struct rank *me, const struct call *c, const char *in, uint64_t random, int plain) {
  struct shape s = shape_of(c->what, me->number, c->root, me->size);
  size_t block = c->count * c->type->size, sent = (size_t)s.send * block, received = (size_t)s.recv * block;
  int in_place = s.send && s.recv && !plain && random >> 60 & 1, wide = sent > received;
  enum memory kinds[2] = {plain ? MALLOC : kind_of(random), plain ? MALLOC : kind_of(random >> 16)};
  struct buffer one = new_buffer(kinds[0], in_place && !wide ? received : sent, me, 0, random >> 32), two = {0};
  char *send = one.data, *recv = one.data;
  if (in_place) {
    size_t at = (size_t)block_in_place(s, me->number) * block;
    if (wide) recv += at;
    else send += at;
  } else {
    two = new_buffer(kinds[1], received, me, 1, random >> 40);
    recv = two.data;
  }
  if (sent) memcpy(send, in, sent);
  OK(make_call(c->what, s.send ? send : NULL, s.recv ? recv : NULL, c->count, c->type->code, c->op->code, c->root, me->comm));
  char *out = malloc(received + 1);
  CHECK(out);
  memcpy(out, recv, received);
  if (!in_place) {
    if (memcmp(send, in, sent)) FAIL("the input was written");
    free_buffer(&two, me);
  }
  free_buffer(&one, me);
  return out;
}

static float as_float(const struct type *t, uint64_t bits) { return (float)decode(t, bits); }

/* What a rank's operand is worth: of an average of floats, its share. */
static uint64_t operand(const struct call *c, const char *in, size_t i, int size) {
  const struct type *t = c->type;
  uint64_t bits = load(t, in, i);
  if (c->op->code != hcommAvg || t->kind != FLOATING || is_nan(t, bits)) return bits;
  if (t->size == 8) return bits_of(decode(t, bits) * (1.0 / size));
  return encode(t, as_float(t, bits) * (1.0f / (float)size));
}

/* left_fold is element i of ((x0 op x1) op x2)... */
static uint64_t left_fold(const struct call *c, char *const *in, size_t i, int size) {
  const struct type *t = c->type;
  uint64_t left = operand(c, in[0], i, size);
  if (t->kind != FLOATING || t->size > 2 || c->op->code == hcommMax || c->op->code == hcommMin) {
    for (int r = 1; r < size; r++) {
      uint64_t right = operand(c, in[r], i, size);
      /* of equal zeros the greater is the positive one */
      int zeros = t->kind == FLOATING && !decode(t, left) && !decode(t, right);
      if (zeros && c->op->code == hcommMax) left &= right;
      else if (zeros && c->op->code == hcommMin) left |= right;
      else left = combine(t, c->op->code, left, right);
    }
    return c->op->code == hcommAvg && t->kind != FLOATING ? divide(t, left, size) : left;
  }
  float sum = as_float(t, left);
  for (int r = 1; r < size; r++) {
    float x = as_float(t, operand(c, in[r], i, size));
    sum = c->op->code == hcommProd ? sum * x : sum + x;
  }
  return encode(t, sum);
}

/* verify compares the result with the inputs of all ranks. */
static void verify(struct rank *me, const struct call *c, char *const *in, const char *out) {
  const struct type *t = c->type;
  size_t own = (size_t)me->number * c->count, block = c->count * t->size;
  for (size_t i = 0; i < c->count && collectives[c->what].reduces && deterministic; i++) {
    uint64_t got = load(t, out, i), want = left_fold(c, in, c->what == REDUCESCATTER ? own + i : i, me->size);
    if (got != want && !(t->kind == FLOATING && is_nan(t, got) && is_nan(t, want)))
      FAIL("element %zu is %#llx; the left fold is %#llx", i, (unsigned long long)got, (unsigned long long)want);
  }
  switch (c->what) {
  case BROADCAST: CHECK(!memcmp(out, in[c->root], block)); break;
  case SCATTER: CHECK(!memcmp(out, in[c->root] + own * t->size, block)); break;
  case ALLGATHER: case GATHER:
    for (int q = 0; q < me->size; q++) CHECK(!memcmp(out + (size_t)q * block, in[q], block));
    break;
  case ALLTOALL:
    for (int q = 0; q < me->size; q++) CHECK(!memcmp(out + (size_t)q * block, in[q] + own * t->size, block));
    break;
  default: break;
  }
}

static void compare(const struct call *c, const char *out, const char *other, size_t elements, const char *when) {
  for (size_t i = 0; i < elements; i++)
    if (load(c->type, out, i) != load(c->type, other, i))
      FAIL("element %zu is %#llx; %s it is %#llx", i, (unsigned long long)load(c->type, out, i), when,
           (unsigned long long)load(c->type, other, i));
}

/* hash of a result; all NaNs are one, for which of two a sum has depends on the algorithm and on the processor. */
static uint64_t hash_of(const struct call *c, char *out, size_t elements) {
  for (size_t i = 0; i < elements && c->type->kind == FLOATING; i++)
    if (is_nan(c->type, load(c->type, out, i))) store(c->type, out, i, greatest(c->type) + 2);
  return hash_bytes(out, elements * c->type->size);
}

static uint64_t try_case(struct rank *me, uint64_t seed, long number) {
  struct call c = choose(mix(seed) + (uint64_t)number * 1000, me->size);
  struct shape s = shape_of(c.what, me->number, c.root, me->size);
  char *in[RANKS];
  uint64_t random = mix(c.seed + (uint64_t)me->number) + 1, one = next_random(&random), two = next_random(&random);
  TRYING("--seed %llu --case %ld: %s of %zu %s with %s, root %d", (unsigned long long)seed, number, collectives[c.what].name,
         c.count, c.type->name, c.op->name, c.root);
  /* one rank that gets a result verifies it, for which it needs all inputs */
  int verifier = me->number == (c.what == REDUCE || c.what == GATHER ? c.root : (int)(number % me->size));
  for (int r = 0; r < me->size; r++)
    in[r] = NULL;
  for (int r = 0; r < me->size; r++)
    if (verifier || r == me->number) in[r] = input(&c, r, (size_t)shape_of(c.what, r, c.root, me->size).send * c.count);
  char *out = perform(me, &c, in[me->number], one, 0);
  size_t elements = (size_t)s.recv * c.count;
  if (verifier) verify(me, &c, in, out);
  if (c.what == ALLREDUCE && !all_same(me, hash_bytes(out, elements * c.type->size))) FAIL("ranks have different results");
  if (wanted_memory == ANY) {
    char *again = perform(me, &c, in[me->number], two, 0), *plain = perform(me, &c, in[me->number], 0, 1);
    compare(&c, out, again, elements, "again and in other memory");
    compare(&c, out, plain, elements, "with all buffers from malloc");
    free(again), free(plain);
  }
  uint64_t hash = record ? mix(hash_of(&c, out, elements) + (uint64_t)number) : 0;
  for (int r = 0; r < me->size; r++) free(in[r]);
  free(out);
  return hash;
}

static void body(struct rank *me) {
  uint64_t seed = wanted_seed, sum = 0;
  rank_open(me);
  CHECK(me->size <= RANKS);
  OK(hcommBroadcast(&seed, &seed, 1, hcommUint64, 0, me->comm, NULL));
  if (me->number == 0 && !record) printf("--seed %llu\n", (unsigned long long)seed), fflush(stdout);
  for (long k = single < 0 ? 0 : single; k < (single < 0 ? cases : single + 1); k++) sum = mix(sum + try_case(me, seed, k));
  TRYING("the end");
  sum = mix(sum + (uint64_t)me->number);
  OK(hcommAllReduce(&sum, &sum, 1, hcommUint64, hcommSum, me->comm, NULL));
  if (me->number == 0 && record) printf("%016llx\n", (unsigned long long)sum);
  rank_close(me);
}

static int memory_named(const char *name) {
  for (int i = 0; i < MEMORIES; i++)
    if (!strcmp(memories[i], name)) return i;
  FAIL("there is no memory %s", name);
}

int main(int argc, char **argv) {
  int threads = ranks_wanted(&argc, argv);
  const char *setting = getenv("HCOMM_DETERMINISTIC");
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  wanted_seed = mix((uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec) % 1000000000;
  deterministic = setting && !strcmp(setting, "1");
  for (int i = 1; i < argc; i++) {
    const char *value = i + 1 < argc ? argv[i + 1] : "";
    if (!strcmp(argv[i], "--record") && ++record) continue;
    if (!strcmp(argv[i], "--seed")) wanted_seed = strtoull(value, NULL, 10);
    else if (!strcmp(argv[i], "--cases")) cases = atol(value);
    else if (!strcmp(argv[i], "--case")) single = atol(value);
    else if (!strcmp(argv[i], "--only")) only = collective_named(value);
    else if (!strcmp(argv[i], "--memory")) wanted_memory = (enum memory)memory_named(value);
    else FAIL("%s is not among --seed, --cases, --case, --only, --memory, --record", argv[i]);
    i++;
  }
  ranks_run(threads, body);
  return 0;
}
