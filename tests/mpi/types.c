/* Derived types in the collectives that move data. Each rank describes the same integers in its own way, for sending and for
 * receiving: with gaps, backwards, nested, before the address that is given, with a type of one call only, whose handle the
 * MPI may use for the next. What the receiver has in the gaps stays. And types without any bytes.
 *
 *   types ROUNDS [LARGEST]     LARGEST: how many integers a block has at most, times 60
 *
 * run: 1 %p 50
 * run openmpi: 2 %p 150
 * run openmpi: 3 %p 150
 * run openmpi: 4 %p 50
 * run mpich: 2 %p 150
 * run mpich: 3 %p 10
 * slow openmpi: 4 %p 2000 50
 * slow mpich: 2 %p 2000 50
 * slow mpich: 3 %p 100
 * serves: bcast allgather alltoall gather scatter ibcast iallgather ialltoall igather iscatter
 */
#include "check.h"

enum { UNIT = 60, BEFORE = 16 /* integers before the address */, MOST_RANKS = 4, GAP = 0x5a5a5a5a };

enum kind { INTS, INT32S, DUPLICATE, WHOLE, CHUNKS, VECTOR, DESCENDING, STRUCT, SPACED, NESTED, NEGATIVE, SUBARRAY, KINDS };
static const char *const kinds[KINDS] = {"MPI_INT", "MPI_INT32_T", "a duplicate", "one contiguous", "contiguous ones", "vectors",
                                         "descending", "structs", "spaced", "nested", "negative", "subarrays"};

/* A layout: that many of a type. Element i of it is at the integer place[i % per] + i / per * extent. */
struct layout {
  enum kind kind;
  MPI_Datatype type;
  int count, per, extent, place[12], is_new;
};

static void pattern(struct layout *l, int per, int extent, const int *place) {
  l->per = per, l->extent = extent;
  memcpy(l->place, place, (size_t)per * sizeof *place);
}

/* resized makes the extent of a type that many integers. */
static MPI_Datatype resized(MPI_Datatype t, int extent) {
  MPI_Datatype made;
  OK(MPI_Type_create_resized(t, 0, extent * (MPI_Aint)sizeof(int), &made));
  if (t != MPI_INT) OK(MPI_Type_free(&t));
  return made;
}

static void make_vector(struct layout *l) {
  static const int place[] = {0, 1, 2, 5, 6, 7, 10, 11, 12, 15, 16, 17};
  OK(MPI_Type_vector(4, 3, 5, MPI_INT, &l->type));
  pattern(l, 12, 18, place);
}

static void make_descending(struct layout *l) {
  static const int lengths[] = {1, 2, 3, 6}, begins[] = {20, 14, 8, 0};
  static const int place[] = {20, 14, 15, 8, 9, 10, 0, 1, 2, 3, 4, 5};
  OK(MPI_Type_indexed(4, lengths, begins, MPI_INT, &l->type));
  pattern(l, 12, 21, place);
}

static void make_struct(struct layout *l) {
  static const int lengths[] = {1, 2}, place[] = {0, 3, 4};
  static const MPI_Aint begins[] = {0, 3 * sizeof(int)};
  const MPI_Datatype parts[] = {MPI_INT32_T, MPI_INT};
  OK(MPI_Type_create_struct(2, lengths, begins, parts, &l->type));
  l->type = resized(l->type, 6);
  pattern(l, 3, 6, place);
}

static void make_nested(struct layout *l) {
  static const int place[] = {0, 3, 10, 13, 20, 23};
  MPI_Datatype spaced = resized(MPI_INT, 3), two;
  OK(MPI_Type_contiguous(2, spaced, &two));
  OK(MPI_Type_create_hvector(3, 1, 10 * sizeof(int), two, &l->type));
  OK(MPI_Type_free(&spaced));
  OK(MPI_Type_free(&two));
  pattern(l, 6, 26, place);
}

static void make_negative(struct layout *l) {
  static const int lengths[] = {2, 2}, place[] = {-2, -1, 2, 3};
  static const MPI_Aint begins[] = {-2 * (MPI_Aint)sizeof(int), 2 * sizeof(int)};
  OK(MPI_Type_create_hindexed(2, lengths, begins, MPI_INT, &l->type));
  pattern(l, 4, 6, place);
}

static void make_subarray(struct layout *l) {
  static const int all[] = {4, 6}, part[] = {2, 3}, begin[] = {1, 2}, place[] = {8, 9, 10, 14, 15, 16};
  OK(MPI_Type_create_subarray(2, all, part, begin, MPI_ORDER_C, MPI_INT, &l->type));
  pattern(l, 6, 24, place);
}

static void make(struct layout *l, enum kind kind, int n) {
  static const int first[] = {0};
  l->kind = kind, l->is_new = kind > INT32S;
  pattern(l, 1, 1, first);
  switch (kind) {
  case INTS: l->type = MPI_INT; break;
  case INT32S: l->type = MPI_INT32_T; break;
  case DUPLICATE: OK(MPI_Type_dup(MPI_INT, &l->type)); break;
  case WHOLE: OK(MPI_Type_contiguous(n, MPI_INT, &l->type)); break;
  case CHUNKS: OK(MPI_Type_contiguous(12, MPI_INT, &l->type)); break;
  case VECTOR: make_vector(l); break;
  case DESCENDING: make_descending(l); break;
  case STRUCT: make_struct(l); break;
  case SPACED: l->type = resized(MPI_INT, 3), l->extent = 3; break;
  case NESTED: make_nested(l); break;
  case NEGATIVE: make_negative(l); break;
  default: make_subarray(l);
  }
  l->count = kind == WHOLE ? 1 : kind == CHUNKS ? n / 12 : n / l->per;
  if (l->is_new) OK(MPI_Type_commit(&l->type));
}

static void discard(struct layout *l) {
  if (l->is_new) OK(MPI_Type_free(&l->type));
}

static size_t place_of(const struct layout *l, int n, int block, int i) {
  return (size_t)(BEFORE + (block * n + i) / l->per * l->extent + l->place[i % l->per]);
}

static int value(int round, int from, int to, int i) { return (int)mix(((uint64_t)(round * 64 + from * 8 + to) << 32) + (uint64_t)i); }

enum what { BCAST, ALLGATHER, ALLTOALL, GATHER, SCATTER, WHATS };
static const char *const names[WHATS] = {"bcast", "allgather", "alltoall", "gather", "scatter"};

static int *sent, *received, *want;
static size_t length; /* of each, in integers */

static void begin_call(enum what what, int root, const struct layout *s, const struct layout *r, MPI_Request *q) {
  int *in = sent + BEFORE, *out = received + BEFORE;
  switch (what) {
  case BCAST:
    if (rank == root) OK(MPI_Ibcast(in, s->count, s->type, root, WORLD, q));
    else OK(MPI_Ibcast(out, r->count, r->type, root, WORLD, q));
    break;
  case ALLGATHER: OK(MPI_Iallgather(in, s->count, s->type, out, r->count, r->type, WORLD, q)); break;
  case ALLTOALL: OK(MPI_Ialltoall(in, s->count, s->type, out, r->count, r->type, WORLD, q)); break;
  case GATHER: OK(MPI_Igather(in, s->count, s->type, out, r->count, r->type, root, WORLD, q)); break;
  default: OK(MPI_Iscatter(in, s->count, s->type, out, r->count, r->type, root, WORLD, q));
  }
}

static void call(enum what what, int root, const struct layout *s, const struct layout *r) {
  int *in = sent + BEFORE, *out = received + BEFORE;
  switch (what) {
  case BCAST:
    if (rank == root) OK(MPI_Bcast(in, s->count, s->type, root, WORLD));
    else OK(MPI_Bcast(out, r->count, r->type, root, WORLD));
    break;
  case ALLGATHER: OK(MPI_Allgather(in, s->count, s->type, out, r->count, r->type, WORLD)); break;
  case ALLTOALL: OK(MPI_Alltoall(in, s->count, s->type, out, r->count, r->type, WORLD)); break;
  case GATHER: OK(MPI_Gather(in, s->count, s->type, out, r->count, r->type, root, WORLD)); break;
  default: OK(MPI_Scatter(in, s->count, s->type, out, r->count, r->type, root, WORLD));
  }
}

/* prepare writes what the rank gives, and what it must have in the end. */
static void prepare(enum what what, int round, int root, int n, const struct layout *s, const struct layout *r) {
  int gives = what == ALLTOALL || what == SCATTER ? size : 1;
  int gets = what == ALLGATHER || what == ALLTOALL || what == GATHER ? size : 1;
  if ((what == GATHER && rank != root) || (what == BCAST && rank == root)) gets = 0;
  for (size_t i = 0; i < length; i++) sent[i] = -1, received[i] = want[i] = GAP;
  for (int b = 0; b < gives; b++)
    for (int i = 0; i < n; i++) sent[place_of(s, n, b, i)] = value(round, rank, b, i);
  for (int b = 0; b < gets; b++) {
    int from = what == BCAST || what == SCATTER ? root : b, to = what == ALLTOALL || what == SCATTER ? rank : 0;
    for (int i = 0; i < n; i++) want[place_of(r, n, b, i)] = value(round, from, to, i);
  }
}

static void one(enum what what, int round, int n, int form) {
  struct layout s, r;
  MPI_Request q;
  int root = round % size;
  make(&s, (enum kind)(mix((uint64_t)round * 16 + (uint64_t)rank) % KINDS), n);
  make(&r, (enum kind)(mix((uint64_t)round * 16 + (uint64_t)rank + 8) % KINDS), n);
  TRYING("round %d, %s%s of %d integers from %d, sent as %s, received as %s", round, form ? "i" : "", names[what], n, root,
         kinds[s.kind], kinds[r.kind]);
  prepare(what, round, root, n, &s, &r);
  if (form) begin_call(what, root, &s, &r, &q);
  else call(what, root, &s, &r);
  discard(&s), discard(&r);
  if (form) OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
  for (size_t i = 0; i < length; i++)
    if (received[i] != want[i]) FAIL("integer %zu is %#x, not %#x", i, (unsigned)received[i], (unsigned)want[i]);
}

/* nothing: ranks have different types of no bytes. (Where counts are 0 on some ranks only, Open MPI hangs.) */
static void nothing(void) {
  MPI_Datatype types[2], mine;
  TRYING("types of no bytes");
  OK(MPI_Type_contiguous(0, MPI_DOUBLE, &types[0]));
  OK(MPI_Type_create_struct(0, NULL, NULL, NULL, &types[1]));
  for (int i = 0; i < 2; i++) OK(MPI_Type_commit(&types[i]));
  for (int i = 0; i < 6; i++) {
    mine = types[(rank + i) % 2];
    received[0] = GAP;
    OK(MPI_Bcast(received, 5, mine, i % size, WORLD));
    OK(MPI_Allgather(sent, 3, mine, received, 3, types[i % 2], WORLD));
    OK(MPI_Alltoall(sent, 3, mine, received, 3, mine, WORLD));
    OK(MPI_Gather(sent, 2, mine, received, 2, types[i % 2], i % size, WORLD));
    OK(MPI_Scatter(sent, 2, mine, received, 2, types[i % 2], i % size, WORLD));
    CHECK(received[0] == GAP);
  }
  for (int i = 0; i < 2; i++) OK(MPI_Type_free(&types[i]));
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 100, largest = argc > 2 ? atoi(argv[2]) : 8;
  begin();
  CHECK(size <= MOST_RANKS);
  length = (size_t)(MOST_RANKS * largest * UNIT * 5 + 4 * BEFORE);
  sent = room(length * sizeof *sent), received = room(length * sizeof *received), want = room(length * sizeof *want);
  nothing();
  for (int round = 0; round < rounds; round++)
    for (enum what what = BCAST; what < WHATS; what++)
      one(what, round, UNIT * (1 + (int)(mix((uint64_t)round) % (uint64_t)largest)), (round + (int)what) % 2);
  free(sent), free(received), free(want);
  end();
}
