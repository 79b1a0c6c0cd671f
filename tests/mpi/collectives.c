/* The collectives that may be served, blocking and not, with each predefined type and operator, in place and not, over
 * communicators of several kinds, from each root, with counts from none to many; with MPI_Count, too, where there is MPI 4.
 * What is significant at the root only is nonsense elsewhere.
 *
 *   collectives N     every Nth of all cases, drawn by chance, the same each time
 *
 * run: 1 %p 100
 * run: 2 %p 30
 * run openmpi: 3 %p 30
 * run openmpi: 4 %p 50
 * run mpich: 3 %p 900
 * run mpich: 4 %p 2000
 * slow: 2 %p 1
 * slow openmpi: 4 %p 3
 * slow mpich: 3 %p 30
 * serves: allreduce reduce bcast allgather alltoall reduce_scatter_block gather scatter barrier
 * serves: iallreduce ireduce ibcast iallgather ialltoall ireduce_scatter_block igather iscatter ibarrier
 */
#include "oracle.h"

#include <time.h>

enum what { ALLREDUCE, REDUCE, REDUCE_SCATTER_BLOCK, BCAST, ALLGATHER, ALLTOALL, GATHER, SCATTER, BARRIER, WHATS };
static const char *const names[WHATS] = {"allreduce", "reduce", "reduce_scatter_block", "bcast", "allgather", "alltoall",
                                         "gather", "scatter", "barrier"};

/* Forms are bits. */
enum { NONBLOCKING = 1, IN_PLACE = 2, LARGE = 4, FORMS = MPI_VERSION >= 4 ? 8 : 4 };

static const int counts[] = {0, 1, 3, 17, 1000, 100000};
static const int rarer[] = {1, 1, 1, 1, 4, 60}; /* how much rarer such a case is than others */
enum { COUNTS = sizeof counts / sizeof *counts, MOST_RANKS = 4, GUARD = 64, GUARD_BYTE = 0xa5 };

static const char *const comm_names[] = {"the world", "a duplicate", "the world reversed", "a half", "itself"};
enum { COMMS = 5 };
static MPI_Comm comms[COMMS];

struct call {
  enum what what;
  int form, count, root, me, ranks;
  const struct type *type;
  enum operation op;
  MPI_Comm comm;
};

static int every, cases;
static char *sent, *received, *want, *scratch;

/* Blocks that this rank gives and gets. */
static int blocks_sent(const struct call *c) {
  if (c->what == ALLTOALL || c->what == REDUCE_SCATTER_BLOCK) return c->ranks;
  if (c->what == SCATTER) return c->me == c->root ? c->ranks : 0;
  return 1;
}

static int blocks_received(const struct call *c) {
  if (c->what == ALLGATHER || c->what == ALLTOALL) return c->ranks;
  if (c->what == REDUCE) return c->me == c->root;
  if (c->what == GATHER) return c->me == c->root ? c->ranks : 0;
  return 1;
}

static size_t bytes(const struct call *c, int blocks) { return (size_t)blocks * (size_t)c->count * c->type->size; }

/* give writes what the rank gives: a block for each other, or one. */
static void give(const struct call *c, char *to, int from) {
  int many = c->what == ALLTOALL || c->what == REDUCE_SCATTER_BLOCK || c->what == SCATTER;
  for (int b = 0; b < (many ? c->ranks : 1); b++)
    c->type->fill(to + bytes(c, b), from * MOST_RANKS + b, c->count, c->op);
}

/* take is what the rank must get. */
static void take(const struct call *c, char *to) {
  int n = c->count;
  for (int r = 0; r < c->ranks; r++) {
    if (c->what == ALLREDUCE || c->what == REDUCE || c->what == REDUCE_SCATTER_BLOCK) {
      int key = r * MOST_RANKS + (c->what == REDUCE_SCATTER_BLOCK ? c->me : 0);
      c->type->fill(r ? scratch : to, key, n, c->op);
      if (r) c->type->combine(to, scratch, n, c->op);
    } else if (c->what == BCAST || c->what == SCATTER) {
      c->type->fill(to, c->root * MOST_RANKS + (c->what == SCATTER ? c->me : 0), n, c->op);
    } else {
      c->type->fill(to + bytes(c, r), r * MOST_RANKS + (c->what == ALLTOALL ? c->me : 0), n, c->op);
    }
  }
}

/* All forms of a call with the same arguments. */
#if MPI_VERSION >= 4
#define FORM(name, iname, ...)                                                                                           \
  switch (c->form & (NONBLOCKING | LARGE)) {                                                                             \
  case 0: OK(MPI_##name(__VA_ARGS__)); break;                                                                            \
  case NONBLOCKING: OK(MPI_##iname(__VA_ARGS__, q)); break;                                                              \
  case LARGE: OK(MPI_##name##_c(__VA_ARGS__)); break;                                                                    \
  default: OK(MPI_##iname##_c(__VA_ARGS__, q));                                                                          \
  }                                                                                                                      \
  break
#else
#define FORM(name, iname, ...)                                                                                           \
  if (c->form & NONBLOCKING) OK(MPI_##iname(__VA_ARGS__, q));                                                            \
  else OK(MPI_##name(__VA_ARGS__));                                                                                      \
  break
#endif

static void perform(const struct call *c, MPI_Request *q) {
  int n = c->count, at_root = c->me == c->root;
  char *s = sent + GUARD, *r = received + GUARD;
  const void *in = c->form & IN_PLACE ? MPI_IN_PLACE : s;
  MPI_Datatype t = c->type->handle;
  MPI_Op op = ops[c->op].handle;
  switch (c->what) {
  case ALLREDUCE: FORM(Allreduce, Iallreduce, in, r, n, t, op, c->comm);
  case REDUCE: FORM(Reduce, Ireduce, at_root ? in : s, at_root ? r : NULL, n, t, op, c->root, c->comm);
  case REDUCE_SCATTER_BLOCK: FORM(Reduce_scatter_block, Ireduce_scatter_block, in, r, n, t, op, c->comm);
  case BCAST: FORM(Bcast, Ibcast, r, n, t, c->root, c->comm);
  case ALLGATHER: FORM(Allgather, Iallgather, in, n, t, r, n, t, c->comm);
  case ALLTOALL: FORM(Alltoall, Ialltoall, in, n, t, r, n, t, c->comm);
  case GATHER:
    FORM(Gather, Igather, at_root ? in : s, n, t, at_root ? r : NULL, at_root ? n : -1, at_root ? t : MPI_DATATYPE_NULL,
         c->root, c->comm);
  case SCATTER: {
    void *to = at_root && c->form & IN_PLACE ? MPI_IN_PLACE : r;
    FORM(Scatter, Iscatter, at_root ? s : NULL, at_root ? n : -1, at_root ? t : MPI_DATATYPE_NULL, to, n, t, c->root, c->comm);
  }
  default: FAIL("no such collective");
  }
}

/* complete does so in one of all ways. */
static void complete(MPI_Request *q, int way) {
  MPI_Status status;
  int done = 0, index = 0;
  switch (way % 6) {
  case 0: OK(MPI_Wait(q, &status)); break;
  case 1: OK(MPI_Wait(q, MPI_STATUS_IGNORE)); break;
  case 2:
    while (!done) OK(MPI_Test(q, &done, &status));
    break;
  case 3: OK(MPI_Waitall(1, q, MPI_STATUSES_IGNORE)); break;
  case 4: OK(MPI_Waitany(1, q, &index, &status)); break;
  default:
    while (!done) OK(MPI_Request_get_status(*q, &done, &status));
    OK(MPI_Wait(q, &status));
  }
  CHECK(*q == MPI_REQUEST_NULL && index == 0);
}

/* The bytes of the buffer outside of its part are as they were. */
static void check_guards(const char *buffer, size_t part) {
  for (size_t i = 0; i < GUARD; i++)
    if (buffer[i] != (char)GUARD_BYTE || buffer[GUARD + part + i] != (char)GUARD_BYTE)
      FAIL("a byte %zu before or behind the %zu bytes of the result was written", i, part);
}

static void try(const struct call *c, int way) {
  MPI_Request q = MPI_REQUEST_NULL;
  int in_place = c->form & IN_PLACE, got = blocks_received(c), gave = blocks_sent(c);
  size_t part = bytes(c, in_place && gave > got ? gave : got);
  char *in = sent + GUARD, *out = received + GUARD;
  int rooted = c->what == REDUCE || c->what == GATHER || c->what == SCATTER;
  TRYING("%s, form %d, of %d %s, %s, root %d of %d", names[c->what], c->form, c->count, c->type->name, ops[c->op].name,
         c->root, c->ranks);
  memset(received, GUARD_BYTE, part + 2 * GUARD);
  if (c->what != BCAST && (c->what != SCATTER || c->me == c->root)) give(c, in, c->me);
  if (c->what == BCAST && c->me == c->root) give(c, out, c->me);
  if (in_place && rooted && c->me != c->root) in_place = 0;
  if (in_place && c->what != SCATTER) {
    int own = c->what == ALLGATHER || c->what == GATHER;
    give(c, own ? out + bytes(c, c->me) : out, c->me);
  }
  perform(c, &q);
  if (c->form & NONBLOCKING) complete(&q, way);
  check_guards(received, part);
  if (got && !(in_place && c->what == SCATTER)) {
    take(c, want);
    check_elements(c->type, "the result", out, want, got * c->count);
  }
  if (c->what == BCAST || !gave) return;
  give(c, want, c->me);
  check_elements(c->type, "what was sent", in, want, gave * c->count);
}

/* broken: MPICH 4.0 crashes in some in-place MPI_Reduce, and loses elements of types with gaps. */
static int broken(const struct call *c) {
#ifdef MPICH_VERSION
  if (c->what == REDUCE && c->form & IN_PLACE && c->root && !certain(c->type)) return 1;
  if (c->type->allows & PLACE && (c->what == SCATTER ? c->root : c->what == ALLTOALL && c->form & IN_PLACE)) return 1;
#endif
  return c->count < 0;
}

/* drawn says whether the next of all cases is done. */
static int drawn(int rare) {
  static uint64_t number;
  int yes = mix(++number) % (uint64_t)(every * rare) == 0;
  cases += yes;
  return yes;
}

/* sweep does a collective in all forms, with a type and an operator. */
static void sweep(enum what what, const struct type *t, enum operation op) {
  int rooted = what == REDUCE || what == BCAST || what == GATHER || what == SCATTER;
  for (int form = 0; form < FORMS; form++)
    for (int m = 0; m < COMMS; m++)
      for (int n = 0; n < COUNTS; n++)
        for (int root = 0; root < (rooted ? size : 1); root++) {
          if ((what == BCAST && form & IN_PLACE) || !drawn(rarer[n])) continue;
          struct call c = {what, form, counts[n], 0, 0, 0, t, op, comms[m]};
          OK(MPI_Comm_rank(c.comm, &c.me));
          OK(MPI_Comm_size(c.comm, &c.ranks));
          c.root = root % c.ranks;
          if (!broken(&c)) try(&c, cases);
        }
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t); /* all processes of the host share it */
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* barriers: nobody leaves before the last has come. */
static void barriers(void) {
  for (int i = 0; i < COMMS * 30; i++) {
    double came, left, last, first;
    MPI_Request q;
    if (!drawn(1) && i >= 4 * COMMS) continue;
    TRYING("barrier %d, %s", i, comm_names[i % COMMS]);
    came = now();
    if (i / COMMS % 2) {
      OK(MPI_Ibarrier(comms[i % COMMS], &q));
      complete(&q, i);
    } else {
      OK(MPI_Barrier(comms[i % COMMS]));
    }
    left = now();
    OK(MPI_Allreduce(&came, &last, 1, MPI_DOUBLE, MPI_MAX, comms[i % COMMS]));
    OK(MPI_Allreduce(&left, &first, 1, MPI_DOUBLE, MPI_MIN, comms[i % COMMS]));
    if (first < last) FAIL("a rank left it %.9f s before another came", last - first);
  }
}

int main(int argc, char **argv) {
  size_t most = (size_t)counts[COUNTS - 1] * LARGEST_TYPE * MOST_RANKS + 2 * GUARD;
  every = argc > 1 ? atoi(argv[1]) : 1;
  begin();
  CHECK(size <= MOST_RANKS);
  sent = room(most), received = room(most), want = room(most), scratch = room(most);
  comms[0] = WORLD, comms[4] = MPI_COMM_SELF;
  OK(MPI_Comm_dup(WORLD, &comms[1]));
  OK(MPI_Comm_split(WORLD, 0, -rank, &comms[2]));
  OK(MPI_Comm_split(WORLD, rank % 2, rank, &comms[3]));
  barriers();
  for (const struct type *t = types; t < types + TYPES; t++) {
    for (enum what what = BCAST; what < BARRIER; what++) sweep(what, t, MIN);
    for (enum operation op = 0; op < OPS; op++)
      for (enum what what = ALLREDUCE; what < BCAST; what++)
        if (t->allows & ops[op].wants) sweep(what, t, op);
  }
  for (int i = 1; i < COMMS - 1; i++) OK(MPI_Comm_free(&comms[i]));
  if (rank == 0) printf("%d cases\n", cases);
  free(sent), free(received), free(want), free(scratch);
  end();
}
