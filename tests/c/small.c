/* Small collectives, whose messages are exchanged in C (capi/small.c), mixed at random with the same ones in Go: of sizes at
 * which an exchange does something else, from every root, in place and not, at any address, against the oracle of inputs.h. A
 * rank comes late now and then, so that others hand over to Go what they have begun in C.
 *
 *   small ROUNDS [traced] [threads N]     traced: the process of rank 0 writes a trace, for which it does all in Go
 *
 * flags: -pthread
 * run: hcomm run -n 2 %p 3000
 * run: hcomm run -n 3 %p 3000
 * run: hcomm run -n 8 %p 500
 * run: hcomm run -n 9 %p 300
 * run: hcomm run -n 2 %p 2000 traced
 * run: hcomm run -n 4 %p 1000 traced
 * run: env HCOMM_SPIN=0 hcomm run -n 2 %p 2000
 * run: env HCOMM_SPIN=0 hcomm run -n 5 %p 1000
 * run: env HCOMM_DETERMINISTIC=1 hcomm run -n 3 %p 1000
 * run: %p 1000 threads 3
 * slow: hcomm run -n 2 %p 100000
 * slow: hcomm run -n 8 %p 20000
 * timeout: 60
 */
#include "inputs.h"
#include "ranks.h"

enum { GUARD = 16, GUARD_BYTE = 0xa5, SHIFTS = 16, MOST = 2248, ROOM = INPUT_RANKS * MOST + 2 * GUARD + SHIFTS };

/* The bytes of a block: what fits the line of a message's flag and what does not; long; what fits an entry and what does
 * not. */
static const size_t sizes[] = {8, 16, 24, 32, 64, 1016, 1024, 2048, 2240, MOST};

enum way { AT_ONCE, LATE, IN_STREAM, IN_GROUP, WAYS };

/* What all ranks do together. */
struct round {
  enum collective what;
  const struct type *type;
  const struct op *op;
  size_t count;
  int root, late;
};

struct buffers {
  char send[ROOM], recv[ROOM];
};

static long rounds;

static struct round next_round(uint64_t *random, int size) {
  struct round r = {.what = (enum collective)(next_random(random) % COLLECTIVES)};
  r.type = &types[next_random(random) % TYPES];
  int some = next_random(random) % 2 ? 4 : ops_of(r.type); /* what the exchange can do is more likely */
  r.op = &ops[collectives[r.what].reduces ? next_random(random) % (uint64_t)some : 0];
  r.count = next_random(random) % 4 ? sizes[next_random(random) % (sizeof sizes / sizeof *sizes)] / r.type->size
                                    : next_random(random) % (MOST / r.type->size);
  r.root = (int)(next_random(random) % (uint64_t)size);
  r.late = (int)(next_random(random) % (uint64_t)size);
  return r;
}

static void make(struct rank *me, const struct round *r, enum way way, const char *send, char *recv, hcommStream_t stream) {
  hcommStream_t in = way == IN_STREAM ? stream : NULL;
  if (way == IN_GROUP) OK(hcommGroupStart());
  OK(make_call_in(r->what, send, recv, r->count, r->type->code, r->op->code, r->root, me->comm, in));
  if (way == IN_GROUP) OK(hcommGroupEnd());
  if (in) OK(hcommStreamSynchronize(in));
}

static void check_guards(const char *p, size_t bytes) {
  for (int i = 0; i < GUARD; i++)
    if ((unsigned char)p[-1 - i] != GUARD_BYTE || (unsigned char)p[bytes + (size_t)i] != GUARD_BYTE)
      FAIL("a byte %d outside the buffer was written", i + 1);
}

/* do_round is one collective on this rank, which does it in its own way. */
static void do_round(struct rank *me, const struct round *r, struct inputs *x, struct buffers *b, uint64_t *own,
                     hcommStream_t stream) {
  struct shape shape = shape_of(r->what, me->number, r->root, me->size);
  size_t block = r->count * r->type->size, sent = (size_t)shape.send * block, received = (size_t)shape.recv * block;
  int in_place = shape.send && shape.recv && next_random(own) % 2;
  enum way way = next_random(own) % 3 ? AT_ONCE : (enum way)(next_random(own) % WAYS);
  char *send = b->send + GUARD + next_random(own) % SHIFTS, *recv = b->recv + GUARD + next_random(own) % SHIFTS;
  memset(b, GUARD_BYTE, sizeof *b);
  if (in_place) { /* the smaller is in the larger */
    size_t at = (size_t)block_in_place(shape, me->number) * block;
    if (sent < received) send = recv + at;
    else recv = send + at;
  }
  if (shape.send) fill(r->type, send, x->of[me->number], 0, (size_t)shape.send * r->count);
  if (way == LATE && r->late == me->number) pause_ms(0.1); /* longer than an exchange waits */
  make(me, r, way, send, recv, stream);
  if (shape.recv) verify(x, me->number, r->what, recv, r->count, r->root);
  if (shape.send && !in_place) compare(x, send, x->of[me->number], 0, (size_t)shape.send * r->count, 0, "the input");
  if (shape.recv) check_guards(sent > received && in_place ? send : recv, sent > received && in_place ? sent : received);
}

static void body(struct rank *me) {
  struct inputs x;
  hcommStream_t stream;
  struct buffers *b = malloc(sizeof *b);
  CHECK(b);
  rank_open(me);
  inputs_open(&x, me->size);
  OK(hcommStreamCreate(&stream));
  uint64_t shared = 1, own = 1000 + (uint64_t)me->number;
  for (long i = 0; i < rounds; i++) {
    struct round r = next_round(&shared, me->size);
    TRYING("round %ld, %s of %zu %s with %s, root %d", i, collectives[r.what].name, r.count, r.type->name, r.op->name, r.root);
    inputs_set(&x, r.type, r.op, me->size, r.count * (size_t)me->size, (uint64_t)i);
    inputs_make(&x);
    do_round(me, &r, &x, b, &own, stream);
  }
  OK(hcommStreamDestroy(stream));
  inputs_close(&x);
  free(b);
  rank_close(me);
}

int main(int argc, char **argv) {
  int threads = ranks_wanted(&argc, argv);
  const char *number = getenv("HCOMM_RANK");
  CHECK(argc > 1);
  rounds = atol(argv[1]);
  if (argc > 2 && !strcmp(argv[2], "traced") && number && !atoi(number)) {
    setenv("HCOMM_DEBUG", "trace", 1);
    setenv("HCOMM_DEBUG_FILE", "/dev/null", 1);
  }
  ranks_run(threads, body);
  return 0;
}
