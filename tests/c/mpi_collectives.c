/* The MPI-style collectives at work: HCOMM_Reduce to HCOMM_Scatter with every datatype, with HCOMM_IN_PLACE wherever it is
 * allowed and without, with int and HCOMM_Count, from every root, with arguments that are not significant filled with
 * nonsense, and with sendtype and recvtype that differ.
 *
 * run: hcomm run -n 1 %p
 * run: hcomm run -n 2 %p
 * run: hcomm run -n 5 %p
 * run: env HCOMM_SPIN=0 hcomm run -n 2 %p
 * timeout: 60
 */
#include "call.h"
#include "mpi_handles.h"

enum { MOST = 1500, RANKS = 8, GUARD = 16, GUARD_BYTE = 0xa5 };

static int rank, size;
static HCOMM_Comm comm; /* the world, or this process alone */

/* One call: forms are bits. */
enum { IN_PLACE = 1, LARGE_COUNT = 2 };
struct call {
  enum collective what;
  const struct datatype *datatype;
  const struct type *type;
  int count, root, form;
  HCOMM_Op op;
  hcommRedOp_t as;
};

static const struct type *type_of(hcommDataType_t code) {
  for (int i = 0; i < TYPES; i++)
    if (types[i].code == code) return &types[i];
  FAIL("no type %d", (int)code);
}

/* What a rank sends as its element i: small numbers, so that floats are exact, and some zeros. */
static uint64_t input(const struct type *t, int r, size_t i) {
  uint64_t h = mix(i * 64 + (uint64_t)r);
  return t->kind == FLOATING ? encode(t, (double)(h % 7) - 3) : h % 3 ? narrow(t, h) : 0;
}

/* The other handle of 1 or 2 bytes, in which this many of a type's elements can be named, too. */
static HCOMM_Datatype pieces(const struct type *t, int *count) {
  if (t->size == 1) return HCOMM_BYTE;
  *count *= (int)(t->size / 2);
  return HCOMM_SHORT;
}

static HCOMM_Datatype const nonsense = (HCOMM_Datatype)0xdead;
static void *const nowhere = (void *)16;

/* perform makes the call; send and recv are NULL where the rank has no such buffer. */
static int perform(const struct call *c, char *send, char *recv) {
  int n = c->count, m = n, wide = c->form & LARGE_COUNT;
  HCOMM_Datatype t = c->datatype->handle, other = pieces(c->type, &m);
  const void *from = send ? send : nowhere;
  void *to = recv ? recv : nowhere;
  if (c->form & IN_PLACE && send && recv) {
    if (c->what == SCATTER) to = HCOMM_IN_PLACE;
    else from = HCOMM_IN_PLACE;
    other = nonsense, m = -5;
  }
  switch (c->what) {
  case REDUCE:
    if (wide) return HCOMM_Reduce_c(from, to, n, t, c->op, c->root, comm);
    return HCOMM_Reduce(from, to, n, t, c->op, c->root, comm);
  case REDUCESCATTER:
    if (wide) return HCOMM_Reduce_scatter_block_c(from, to, n, t, c->op, comm);
    return HCOMM_Reduce_scatter_block(from, to, n, t, c->op, comm);
  case ALLGATHER:
    if (wide) return HCOMM_Allgather_c(from, m, other, to, n, t, comm);
    return HCOMM_Allgather(from, m, other, to, n, t, comm);
  case ALLTOALL:
    if (wide) return HCOMM_Alltoall_c(from, m, other, to, n, t, comm);
    return HCOMM_Alltoall(from, m, other, to, n, t, comm);
  case GATHER:
    if (!recv) { /* not the root */
      if (wide) return HCOMM_Gather_c(from, n, t, to, -5, nonsense, c->root, comm);
      return HCOMM_Gather(from, n, t, to, -5, nonsense, c->root, comm);
    }
    if (wide) return HCOMM_Gather_c(from, m, other, to, n, t, c->root, comm);
    return HCOMM_Gather(from, m, other, to, n, t, c->root, comm);
  default:
    if (!send) {
      if (wide) return HCOMM_Scatter_c(from, -5, nonsense, to, n, t, c->root, comm);
      return HCOMM_Scatter(from, -5, nonsense, to, n, t, c->root, comm);
    }
    if (wide) return HCOMM_Scatter_c(from, n, t, to, m, other, c->root, comm);
    return HCOMM_Scatter(from, n, t, to, m, other, c->root, comm);
  }
}

/* expected is element i of block q of this rank's result. */
static uint64_t expected(const struct call *c, int me, int ranks, int q, size_t i) {
  const struct type *t = c->type;
  size_t own = (size_t)me * (size_t)c->count + i, at = c->what == REDUCESCATTER ? own : i;
  uint64_t want;
  switch (c->what) {
  case ALLGATHER: case GATHER: return input(t, q, i);
  case ALLTOALL: return input(t, q, own);
  case SCATTER: return input(t, c->root, own);
  default:
    want = input(t, 0, at);
    for (int r = 1; r < ranks; r++) want = combine(t, c->as, want, input(t, r, at));
    return want;
  }
}

static void try_call(const struct call *c) {
  static char one[RANKS * MOST * 8 + 2 * GUARD], two[RANKS * MOST * 8 + 2 * GUARD];
  int me = comm == HCOMM_COMM_SELF ? 0 : rank, ranks = comm == HCOMM_COMM_SELF ? 1 : size;
  const struct type *t = c->type;
  struct shape shape = shape_of(c->what, me, c->root, ranks);
  int in_place = c->form & IN_PLACE && shape.send && shape.recv, wider = shape.send > shape.recv ? shape.send : shape.recv;
  size_t count = (size_t)c->count, block = count * t->size, used = (size_t)(in_place ? wider : shape.recv) * block;
  char *send = shape.send ? one + GUARD : NULL, *recv = shape.recv ? two + GUARD : NULL;
  TRYING("%s of %d of datatype %p as %s, op %d, root %d, form %d%s", collectives[c->what].name, c->count,
         (void *)c->datatype->handle, t->name, (int)c->as, c->root, c->form, ranks < size ? ", alone" : "");
  memset(two, GUARD_BYTE, sizeof two);
  if (in_place) { /* all is in one buffer, of which the input and the result are a block or all */
    char *all = two + GUARD;
    send = all + (shape.send < shape.recv ? (size_t)me * block : 0);
    recv = c->what == SCATTER ? all + (size_t)me * block : all;
  }
  for (size_t i = 0; i < (size_t)shape.send * count; i++) store(t, send, i, input(t, me, i));
  char *all = in_place ? two + GUARD : recv;
  OK(perform(c, c->what == SCATTER && in_place ? all : send, c->what == SCATTER ? recv : all));
  for (int q = 0; q < shape.recv; q++)
    for (size_t i = 0; i < count; i++) {
      uint64_t got = load(t, recv, (size_t)q * count + i), want = expected(c, me, ranks, q, i);
      if (got != want && (t->kind != FLOATING || decode(t, got) != decode(t, want)))
        FAIL("element %zu of block %d is %#llx, not %#llx", i, q, (unsigned long long)got, (unsigned long long)want);
    }
  for (size_t i = 0; i < (size_t)shape.send * count && !in_place; i++)
    if (load(t, send, i) != input(t, me, i)) FAIL("element %zu of the input was written", i);
  for (size_t i = 0; i < GUARD; i++)
    CHECK((unsigned char)two[GUARD - 1 - i] == GUARD_BYTE && (unsigned char)two[GUARD + used + i] == GUARD_BYTE);
}

/* Of all operators, counts, roots and forms, some for each datatype. */
static void with_datatype(enum collective what, size_t number) {
  static const int counts[] = {0, 1, 5, 280, 281, MOST - 1}; /* 280 elements of 8 bytes are exchanged in C */
  struct call c = {what, &datatypes[number], type_of(datatypes[number].as), 0, 0, 0, NULL, hcommSum};
  size_t ops_number = collectives[what].reduces ? c.type->kind == FLOATING ? 4 : sizeof operators / sizeof *operators : 1;
  int turn = (int)number + (int)what;
  for (size_t o = 0; o < ops_number; o++)
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
      for (c.form = 0; c.form < 4; c.form++, turn++) {
        comm = turn % 7 ? HCOMM_COMM_WORLD : HCOMM_COMM_SELF;
        c.root = comm == HCOMM_COMM_WORLD && collectives[what].rooted ? turn / 2 % size : 0;
        c.count = counts[i], c.op = operators[o].handle, c.as = operators[o].as;
        try_call(&c);
      }
}

int main(int argc, char **argv) {
  OK(HCOMM_Init(&argc, &argv));
  OK(HCOMM_Comm_rank(HCOMM_COMM_WORLD, &rank));
  OK(HCOMM_Comm_size(HCOMM_COMM_WORLD, &size));
  check_rank = rank;
  CHECK(size <= RANKS);
  for (int c = 0; c < BARRIER; c++)
    for (size_t d = 0; c != ALLREDUCE && c != BROADCAST && d < sizeof datatypes / sizeof *datatypes; d++)
      with_datatype((enum collective)c, d);
  TRYING("HCOMM_Finalize");
  OK(HCOMM_Finalize());
  return 0;
}
