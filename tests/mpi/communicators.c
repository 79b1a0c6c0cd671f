/* Communicators of all kinds come and go, and are used.
 *
 *   communicators MANY     how many duplicates, and a fourth of that of the others
 *
 * run: 1 %p 20
 * run: 2 %p 200
 * run openmpi: 3 %p 50
 * run openmpi: 4 %p 50
 * run mpich: 3 %p 8
 * slow openmpi: 4 %p 2000
 * slow mpich: 2 %p 2000
 * slow mpich: 4 %p 20
 * serves: allreduce bcast allgather barrier iallreduce
 */
#include "check.h"

enum { LIVE = 20, MOST_RANKS = 4 };

static int many;

/* use does a few collectives in a communicator, with results that depend on who is in it. */
static void use(MPI_Comm comm) {
  int me, n, sum, all[MOST_RANKS], word;
  MPI_Request q;
  if (comm == MPI_COMM_NULL) return;
  OK(MPI_Comm_rank(comm, &me));
  OK(MPI_Comm_size(comm, &n));
  OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
  OK(MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, comm));
  for (int i = 0; i < n; i++) sum -= all[i];
  CHECK(sum == 0 && all[me] == rank);
  word = me == n - 1 ? rank + 100 : -1;
  OK(MPI_Bcast(&word, 1, MPI_INT, n - 1, comm));
  CHECK(word == all[n - 1] + 100);
  OK(MPI_Iallreduce(&me, &sum, 1, MPI_INT, MPI_MAX, comm, &q));
  OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
  CHECK(sum == n - 1);
  OK(MPI_Barrier(comm));
}

static void use_and_free(MPI_Comm comm) {
  use(comm);
  if (comm != MPI_COMM_NULL) OK(MPI_Comm_free(&comm));
}

static void duplicates(void) {
  MPI_Comm live[LIVE];
  for (int i = 0; i < many; i++) {
    TRYING("duplicate %d", i);
    if (i >= LIVE) use_and_free(live[i % LIVE]);
    if (i % 3 == 2) OK(MPI_Comm_dup(live[(i - 1) % LIVE], &live[i % LIVE]));
    else OK(MPI_Comm_dup(WORLD, &live[i % LIVE]));
    if (i % 5) use(live[i % LIVE]); /* the others are used first when they are freed */
  }
  for (int i = many > LIVE ? LIVE : many; i-- > 0;) use_and_free(live[i]);
}

static void splits(void) {
  MPI_Comm parent, part;
  OK(MPI_Comm_dup(WORLD, &parent));
  for (int i = 0; i < many / 4 + 1; i++) {
    TRYING("split %d", i);
    int parts = 1 + i % size, color = (rank + i) % parts;
    OK(MPI_Comm_split(parent, i % 4 == 3 && color == 0 ? MPI_UNDEFINED : color, i % 2 ? -rank : rank, &part));
    CHECK((part == MPI_COMM_NULL) == (i % 4 == 3 && color == 0));
    use_and_free(part);
    if (i % 7 == 6) use(parent);
    if (i % 20 == 19) { /* the next are parts of a part, if that has all ranks */
      OK(MPI_Comm_split(parent, 0, -rank, &part));
      OK(MPI_Comm_free(&parent));
      parent = part;
    }
  }
  use_and_free(parent);
}

static void groups(void) {
  MPI_Group all, some;
  MPI_Comm made;
  int members[MOST_RANKS], n;
  OK(MPI_Comm_group(WORLD, &all));
  for (int i = 0; i < many / 4 + 2; i++) {
    TRYING("group %d", i);
    n = 1 + i % size;
    for (int m = 0; m < n; m++) members[m] = (size - 1 - m + i) % size;
    OK(MPI_Group_incl(all, n, members, &some));
    OK(MPI_Comm_create(WORLD, some, &made));
    use_and_free(made);
    OK(MPI_Group_rank(some, &n));
    if (n != MPI_UNDEFINED) {
      OK(MPI_Comm_create_group(WORLD, some, i, &made));
      use_and_free(made);
    }
    OK(MPI_Group_free(&some));
  }
  OK(MPI_Group_free(&all));
}

static void others(void) {
  static const int yes[] = {1, 1}, no[] = {0, 1};
  int sides[] = {size, 1}, n;
  MPI_Comm made, row;
  MPI_Request q;
  for (int i = 0; i < many / 10 + 2; i++) {
    TRYING("another kind, %d", i);
    OK(MPI_Comm_split_type(WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &made));
    OK(MPI_Comm_size(made, &n));
    CHECK(n == size);
    use_and_free(made);
    OK(MPI_Comm_dup_with_info(WORLD, MPI_INFO_NULL, &made));
    use_and_free(made);
    OK(MPI_Comm_idup(WORLD, &made, &q));
    OK(MPI_Wait(&q, MPI_STATUS_IGNORE));
    use_and_free(made);
    OK(MPI_Cart_create(WORLD, 2, sides, yes, 1, &made));
    use(made);
    OK(MPI_Cart_sub(made, no, &row));
    use_and_free(row);
    use_and_free(made);
  }
  use(MPI_COMM_SELF);
  OK(MPI_Comm_dup(MPI_COMM_SELF, &made));
  use_and_free(made);
}

/* across does collectives between two groups. */
static void across(MPI_Comm inter, int low) {
  int there, sum, all[MOST_RANKS], root, word = 0, expected = 0;
  OK(MPI_Comm_remote_size(inter, &there));
  for (int r = 0; r < size; r++) expected += (r % 2 == 0) != low ? r : 0; /* the low group has the even ranks */
  OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter));
  CHECK(sum == expected);
  OK(MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, inter));
  for (int i = 0; i < there; i++) CHECK(all[i] == 2 * i + low);
  root = !low ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
  if (rank == 0) word = 4711;
  OK(MPI_Bcast(&word, 1, MPI_INT, root, inter));
  CHECK(word == (low && rank ? 0 : 4711));
  sum = -1;
  OK(MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_MAX, root, inter));
  CHECK(sum == (rank ? -1 : (size - 1) / 2 * 2 - 1 + (size % 2 == 0) * 2));
  OK(MPI_Barrier(inter));
}

static void intercommunicators(void) {
  MPI_Comm half, inter, merged;
  int low = rank % 2 == 0, first;
  if (size == 1) return;
  for (int i = 0; i < many / 10 + 1; i++) {
    TRYING("intercommunicator %d", i);
    OK(MPI_Comm_split(WORLD, low, rank, &half));
    use(half);
    OK(MPI_Intercomm_create(half, 0, WORLD, low, i, &inter));
    across(inter, low);
    OK(MPI_Intercomm_merge(inter, !low, &merged));
    OK(MPI_Comm_rank(merged, &first));
    CHECK((first < (size + 1) / 2) == low);
    use_and_free(merged);
    OK(MPI_Comm_free(&inter));
    use_and_free(half);
  }
}

/* pending: a communicator is freed before the calls in it are over. Then Open MPI 4.1's own ones crash. */
static void pending(void) {
  static int x[2000], sum[2000];
  MPI_Request q[2];
  MPI_Comm made;
#ifdef OPEN_MPI
  if (!served) return;
#endif
  for (int i = 0; i < many / 4 + 1; i++) {
    TRYING("pending %d", i);
    for (int j = 0; j < 2000; j++) x[j] = rank + j + i;
    OK(MPI_Comm_dup(WORLD, &made));
    if (served || i % 2) OK(MPI_Barrier(made)); /* from then on it is served */
    OK(MPI_Iallreduce(x, sum, i % 3 ? 2000 : 1, MPI_INT, MPI_SUM, made, &q[0]));
    OK(MPI_Ibarrier(made, &q[1]));
    OK(MPI_Comm_free(&made));
    CHECK(made == MPI_COMM_NULL);
    if (i % 5 == 0) use(WORLD);
    OK(MPI_Waitall(2, q, MPI_STATUSES_IGNORE));
    for (int j = 0; j < (i % 3 ? 2000 : 1); j++) CHECK(sum[j] == size * (j + i) + size * (size - 1) / 2);
  }
}

/* The program's own attributes and error handlers. */
static int copied, deleted, handled;

static int copy(MPI_Comm comm, int key, void *extra, void *value, void *to, int *flag) {
  (void)comm, (void)key, (void)extra;
  copied++;
  *(void **)to = value, *flag = 1;
  return MPI_SUCCESS;
}

static int forget(MPI_Comm comm, int key, void *value, void *extra) {
  (void)comm, (void)key, (void)extra;
  CHECK(value == &copied);
  deleted++;
  return MPI_SUCCESS;
}

static void handler(MPI_Comm *comm, int *code, ...) {
  (void)comm, (void)code;
  handled++;
}

static void belongings(void) {
  int key, found;
  void *value;
  MPI_Errhandler own, got;
  MPI_Comm one, two;
  TRYING("attributes and error handlers");
  OK(MPI_Comm_create_keyval(copy, forget, &key, NULL));
  OK(MPI_Comm_create_errhandler(handler, &own));
  OK(MPI_Comm_dup(WORLD, &one));
  OK(MPI_Comm_set_attr(one, key, &copied));
  OK(MPI_Comm_set_errhandler(one, own));
  use(one);
  OK(MPI_Comm_dup(one, &two));
  use(two);
  OK(MPI_Comm_get_attr(two, key, &value, &found));
  CHECK(found && value == &copied && copied == 1);
  OK(MPI_Comm_get_errhandler(two, &got));
  CHECK(got == own);
  OK(MPI_Errhandler_free(&got));
  CHECK(handled == 0 && MPI_Bcast(&key, 1, MPI_INT, size, two) != MPI_SUCCESS && handled == 1);
  use(two);
  OK(MPI_Comm_free(&one));
  CHECK(deleted == 1);
  use(two);
  OK(MPI_Comm_delete_attr(two, key));
  CHECK(deleted == 2);
  OK(MPI_Comm_get_attr(two, key, &value, &found));
  CHECK(!found);
  OK(MPI_Comm_compare(two, WORLD, &found));
  CHECK(found == MPI_CONGRUENT);
  use_and_free(two);
  OK(MPI_Comm_free_keyval(&key));
  OK(MPI_Errhandler_free(&own));
}

int main(int argc, char **argv) {
  many = argc > 1 ? atoi(argv[1]) : 200;
  begin();
  CHECK(size <= MOST_RANKS);
  use(WORLD);
  duplicates();
  splits();
  groups();
  others();
  intercommunicators();
  pending();
  belongings();
  use(WORLD);
  end();
}
