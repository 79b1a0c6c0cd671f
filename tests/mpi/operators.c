/* Operators of the program's own, commutative and not, on basic and derived types, freed as soon as the call has returned:
 * they get the type and the elements that they must, and ranks are combined in order where that matters. Between them are
 * MPI's own operators on the same types, whose results must not be mistaken for them.
 *
 *   operators ROUNDS
 *
 * run: 1 %p 20
 * run: 2 %p 100
 * run openmpi: 3 %p 30
 * run openmpi: 4 %p 10
 * run mpich: 3 %p 2
 * slow mpich: 4 %p 10
 * serves: allreduce
 */
#include "check.h"

#include <stddef.h>

enum { MOST = 3000, MOST_RANKS = 4 };

/* map is x -> a*x + b, of numbers modulo 2^64; one after the other is an operation that does not commute. */
struct map {
  uint64_t a, b;
};

struct mixed {
  int key;
  double value;
};

static MPI_Datatype map_type, mixed_type, expected;
static MPI_Op counted;
static int calls;

/* seen: what an operator is called with. */
static void seen(const int *n, const MPI_Datatype *t) {
  calls++;
  if (*t != expected || *n < 0 || *n > MOST) FAIL("an operator is called with %d elements, or with another type", *n);
}

/* In MPI, the result goes to the right side, and the left one is that of the lower rank. */
static void compose(void *left, void *right, int *n, MPI_Datatype *t) {
  struct map *f = (struct map *)left, *g = (struct map *)right;
  seen(n, t);
  for (int i = 0; i < *n; i++) g[i] = (struct map){f[i].a * g[i].a, f[i].b * g[i].a + g[i].b};
}

static void greatest_size(void *left, void *right, int *n, MPI_Datatype *t) {
  int *a = (int *)left, *b = (int *)right;
  seen(n, t);
  for (int i = 0; i < *n; i++) b[i] = abs(a[i]) > abs(b[i]) ? abs(a[i]) : abs(b[i]);
}

static void leftmost(void *left, void *right, int *n, MPI_Datatype *t) {
  seen(n, t);
  memcpy(right, left, (size_t)*n * sizeof(int));
}

static void add_same_keys(void *left, void *right, int *n, MPI_Datatype *t) {
  struct mixed *a = (struct mixed *)left, *b = (struct mixed *)right;
  seen(n, t);
  for (int i = 0; i < *n; i++) {
    if (a[i].key != b[i].key) FAIL("elements %d and %d are combined", a[i].key, b[i].key);
    b[i].value += a[i].value;
  }
}

/* elements: any of the types. */
union elements {
  int ints[MOST];
  struct map maps[MOST];
  struct mixed mixed[MOST];
};
static union elements sent[MOST_RANKS], received, want;

enum { COMPOSE, GREATEST_SIZE, LEFTMOST, ADD_SAME_KEYS, CASES };
static const struct user {
  const char *name;
  MPI_User_function *function;
  int commutes;
  size_t size;
} users[CASES] = {{"compose", compose, 0, sizeof(struct map)},
                  {"greatest_size", greatest_size, 1, sizeof(int)},
                  {"leftmost", leftmost, 0, sizeof(int)},
                  {"add_same_keys", add_same_keys, 1, sizeof(struct mixed)}};

static MPI_Datatype type_of(int c) { return c == COMPOSE ? map_type : c == ADD_SAME_KEYS ? mixed_type : MPI_INT; }

static void give(int c, void *to, int from, int n) {
  for (int i = 0; i < n; i++) {
    uint64_t x = mix((uint64_t)(from * MOST + i));
    if (c == COMPOSE) ((struct map *)to)[i] = (struct map){x | 1, x >> 7};
    else if (c == ADD_SAME_KEYS) ((struct mixed *)to)[i] = (struct mixed){i, (double)(x % 100)};
    else ((int *)to)[i] = (int)(x % 2001) - 1000;
  }
}

/* combine is the oracle, from rank 0 on. */
static void combine(int c, int block, int n) {
  static union elements next;
  memset(&want, 0, sizeof want);
  for (int r = 0; r < size; r++) {
    give(c, r ? &next : &want, r * 8 + block, n);
    for (int i = 0; r && i < n; i++) {
      if (c == COMPOSE) {
        struct map f = want.maps[i], g = next.maps[i];
        want.maps[i] = (struct map){g.a * f.a, g.a * f.b + g.b};
      } else if (c == GREATEST_SIZE) {
        want.ints[i] = abs(next.ints[i]) > abs(want.ints[i]) ? abs(next.ints[i]) : abs(want.ints[i]);
      } else if (c == ADD_SAME_KEYS) {
        want.mixed[i].value += next.mixed[i].value;
      }
    }
  }
}

static void check_all(int c, int n) {
  for (int i = 0; i < n; i++) {
    if (c == COMPOSE) CHECK(received.maps[i].a == want.maps[i].a && received.maps[i].b == want.maps[i].b);
    else if (c == ADD_SAME_KEYS) CHECK(received.mixed[i].key == i && received.mixed[i].value == want.mixed[i].value);
    else CHECK(received.ints[i] == want.ints[i]);
  }
}

enum { ALLREDUCE, REDUCE, REDUCE_SCATTER_BLOCK, SCAN, IALLREDUCE, IREDUCE, IREDUCE_SCATTER_BLOCK, WAYS };

static int reduce(int way, const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, int root, MPI_Request *q) {
  switch (way) {
  case ALLREDUCE: return MPI_Allreduce(s, r, n, t, op, WORLD);
  case REDUCE: return MPI_Reduce(s, r, n, t, op, root, WORLD);
  case REDUCE_SCATTER_BLOCK: return MPI_Reduce_scatter_block(s, r, n, t, op, WORLD);
  case SCAN: return MPI_Scan(s, r, n, t, op, WORLD);
  case IALLREDUCE: return MPI_Iallreduce(s, r, n, t, op, WORLD, q);
  case IREDUCE: return MPI_Ireduce(s, r, n, t, op, root, WORLD, q);
  default: return MPI_Ireduce_scatter_block(s, r, n, t, op, WORLD, q);
  }
}

static void one(int c, int way, int n, int root) {
  const struct user *u = &users[c];
  int scattered = way == REDUCE_SCATTER_BLOCK || way == IREDUCE_SCATTER_BLOCK, result = rank == root, all = size;
  MPI_Request q = MPI_REQUEST_NULL;
  MPI_Op op;
  TRYING("%s, way %d, of %d, to rank %d", u->name, way, n, root);
  expected = type_of(c);
  for (int b = 0; b < (scattered ? size : 1); b++) give(c, (char *)sent + (size_t)(b * n) * u->size, rank * 8 + b, n);
  memset(&received, 0xa5, sizeof received);
  OK(MPI_Op_create(u->function, u->commutes, &op));
  OK(reduce(way, sent, &received, n, type_of(c), op, root, &q));
  OK(MPI_Op_free(&op));
  if (way > SCAN) OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
  if (way == SCAN) {
    result = rank == size - 1; /* which has all of them */
  } else if (way != REDUCE && way != IREDUCE) {
    result = 1;
  }
  if (result && (size > 1 || c != GREATEST_SIZE)) {
    combine(c, scattered ? rank : 0, n);
    check_all(c, n);
  }
  OK(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_SUM, WORLD));
  CHECK(all == size * size);
}

/* in_place: and the operator is kept. */
static void in_place(int n) {
  TRYING("in place, of %d", n);
  expected = MPI_INT;
  give(GREATEST_SIZE, &received, rank * 8, n);
  OK(MPI_Allreduce(MPI_IN_PLACE, &received, n, MPI_INT, counted, WORLD));
  if (size == 1) return;
  combine(GREATEST_SIZE, 0, n);
  check_all(GREATEST_SIZE, n);
}

static void types(void) {
  static const int lengths[] = {1, 1};
  const MPI_Aint begins[] = {offsetof(struct mixed, key), offsetof(struct mixed, value)};
  const MPI_Datatype parts[] = {MPI_INT, MPI_DOUBLE};
  MPI_Datatype packed;
  OK(MPI_Type_contiguous(2, MPI_UINT64_T, &map_type));
  OK(MPI_Type_create_struct(2, lengths, begins, parts, &packed));
  OK(MPI_Type_create_resized(packed, 0, sizeof(struct mixed), &mixed_type));
  OK(MPI_Type_free(&packed));
  OK(MPI_Type_commit(&map_type));
  OK(MPI_Type_commit(&mixed_type));
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 10;
  static const int counts[] = {1, 5, 100, 700};
  begin();
  CHECK(size <= MOST_RANKS);
  types();
  OK(MPI_Op_create(greatest_size, 1, &counted));
  for (int round = 0; round < rounds; round++) {
    for (int i = 0; i < CASES * WAYS; i++) one(i % CASES, i / CASES, counts[(round + i) % 4], round % size);
    in_place(counts[round % 4]);
  }
  CHECK(size == 1 || calls > 0);
  OK(MPI_Op_free(&counted));
  OK(MPI_Type_free(&map_type));
  OK(MPI_Type_free(&mixed_type));
  end();
}
