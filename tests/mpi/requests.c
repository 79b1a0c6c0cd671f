/* Requests of collectives in several communicators, of messages, persistent ones, generalised ones, cancelled and null ones,
 * all in one array, in an order that is each rank's own, and completed by each of the calls that do so.
 *
 *   requests ROUNDS MANY     MANY: how many collectives are begun before the first is waited for, at the end
 *
 * run: 1 %p 50 500
 * run: 2 %p 200 500
 * run openmpi: 3 %p 50 500
 * run openmpi: 4 %p 50 100
 * run mpich: 3 %p 2 20
 * slow openmpi: 4 %p 3000 2000
 * slow mpich: 2 %p 5000 2000
 * slow mpich: 4 %p 50 200
 * serves: iallreduce ireduce ibcast iallgather ialltoall ireduce_scatter_block igather iscatter ibarrier
 */
#include "check.h"

enum { ITEMS = 24, REQUESTS = 2 * ITEMS, LONG = 3000, SHORT = 9, MOST_RANKS = 4, COMMS = 3 };

enum kind { IALLREDUCE, IREDUCE, IBCAST, IALLGATHER, IALLTOALL, IREDUCE_SCATTER_BLOCK, IGATHER, ISCATTER, IBARRIER,
            MESSAGE, PERSISTENT, INACTIVE, GENERALISED, CANCELLED, NOTHING, KINDS };

enum way { WAIT, TEST, WAITALL, WAITANY, WAITSOME, TESTALL, TESTANY, TESTSOME, GET_STATUS, WAYS };

static MPI_Comm comms[COMMS];
static int queried, freed;

struct item {
  enum kind kind;
  MPI_Comm comm;
  int me, ranks, root, n, requests; /* of that many */
  MPI_Request original;             /* a persistent or a generalised one */
  int in[LONG * MOST_RANKS], out[LONG * MOST_RANKS];
};
static struct item items[ITEMS];
static MPI_Request q[REQUESTS];
static MPI_Status statuses[REQUESTS];
static int place[REQUESTS], used;

/* at is where the next request goes. */
static MPI_Request *at(struct item *i) {
  i->requests++;
  return &q[place[used++]];
}

static int value(int round, int item, int from, int to, int i) {
  return (int)(mix((uint64_t)(((round * ITEMS + item) * 8 + from) * 8 + to) + ((uint64_t)i << 40)) % 100000);
}

/* world is the rank in MPI_COMM_WORLD of one in the item's communicator: the last of these has the even or the odd ones. */
static int world(const struct item *i, int r) { return i->comm == comms[COMMS - 1] ? 2 * r + rank % 2 : r; }

static int query(void *extra, MPI_Status *status) {
  (void)extra;
  queried++;
  OK(MPI_Status_set_elements(status, MPI_INT, 7));
  OK(MPI_Status_set_cancelled(status, 0));
  status->MPI_SOURCE = 3, status->MPI_TAG = 5;
  return MPI_SUCCESS;
}

static int release(void *extra) {
  (void)extra;
  freed++;
  return MPI_SUCCESS;
}

static int no_cancel(void *extra, int complete) {
  (void)extra, (void)complete;
  return MPI_SUCCESS;
}

static void begin_collective(struct item *i) {
  MPI_Request *to = at(i);
  switch (i->kind) {
  case IALLREDUCE: OK(MPI_Iallreduce(i->in, i->out, i->n, MPI_INT, MPI_SUM, i->comm, to)); break;
  case IREDUCE: OK(MPI_Ireduce(i->in, i->out, i->n, MPI_INT, MPI_SUM, i->root, i->comm, to)); break;
  case IBCAST: OK(MPI_Ibcast(i->me == i->root ? i->in : i->out, i->n, MPI_INT, i->root, i->comm, to)); break;
  case IALLGATHER: OK(MPI_Iallgather(i->in, i->n, MPI_INT, i->out, i->n, MPI_INT, i->comm, to)); break;
  case IALLTOALL: OK(MPI_Ialltoall(i->in, i->n, MPI_INT, i->out, i->n, MPI_INT, i->comm, to)); break;
  case IREDUCE_SCATTER_BLOCK: OK(MPI_Ireduce_scatter_block(i->in, i->out, i->n, MPI_INT, MPI_SUM, i->comm, to)); break;
  case IGATHER: OK(MPI_Igather(i->in, i->n, MPI_INT, i->out, i->n, MPI_INT, i->root, i->comm, to)); break;
  case ISCATTER: OK(MPI_Iscatter(i->in, i->n, MPI_INT, i->out, i->n, MPI_INT, i->root, i->comm, to)); break;
  default: OK(MPI_Ibarrier(i->comm, to));
  }
}

/* Messages go round: each item's number is its tag. */
static void begin_item(struct item *i) {
  int tag = (int)(i - items), next = (i->me + 1) % i->ranks, before = (i->me + i->ranks - 1) % i->ranks;
  MPI_Request *to;
  switch (i->kind) {
  case MESSAGE:
    OK(MPI_Isend(i->in, i->n, MPI_INT, next, tag, i->comm, at(i)));
    OK(MPI_Irecv(i->out, i->n, MPI_INT, tag % 3 ? before : MPI_ANY_SOURCE, tag, i->comm, at(i)));
    break;
  case PERSISTENT:
    OK(MPI_Recv_init(i->out, i->n, MPI_INT, before, tag, i->comm, to = at(i)));
    i->original = *to;
    OK(MPI_Start(to));
    OK(MPI_Isend(i->in, i->n, MPI_INT, next, tag, i->comm, at(i)));
    break;
  case INACTIVE:
    OK(MPI_Send_init(i->in, i->n, MPI_INT, next, tag, i->comm, to = at(i)));
    i->original = *to;
    break;
  case GENERALISED:
    OK(MPI_Grequest_start(query, release, no_cancel, NULL, to = at(i)));
    OK(MPI_Grequest_complete(*to));
    break;
  case CANCELLED:
    OK(MPI_Irecv(i->out, i->n, MPI_INT, before, 1000 + tag, i->comm, to = at(i)));
    OK(MPI_Cancel(to));
    break;
  case NOTHING: *at(i) = MPI_REQUEST_NULL; break;
  default: begin_collective(i);
  }
}

static void check_message_status(const struct item *i, const MPI_Status *s) {
  int n;
  OK(MPI_Get_count(s, MPI_INT, &n));
  CHECK(s->MPI_TAG == i - items && s->MPI_SOURCE == (i->me + i->ranks - 1) % i->ranks && n == i->n);
}

/* check_status: slot is the number of the request among those of its item. */
static void check_status(const struct item *i, int slot, const MPI_Status *s) {
  int flag, n;
  if ((i->kind == MESSAGE && slot == 1) || (i->kind == PERSISTENT && slot == 0)) check_message_status(i, s);
  OK(MPI_Test_cancelled(s, &flag));
  CHECK(flag == (i->kind == CANCELLED));
  if (i->kind == GENERALISED) {
    OK(MPI_Get_elements(s, MPI_INT, &n));
    CHECK(n == 7 && s->MPI_SOURCE == 3 && s->MPI_TAG == 5);
  }
  if (i->kind == NOTHING || i->kind == INACTIVE) CHECK(s->MPI_SOURCE == MPI_ANY_SOURCE && s->MPI_TAG == MPI_ANY_TAG);
}

/* check_result: what came, in the order of the ranks. */
static void check_result_of(const struct item *i, int round) {
  int number = (int)(i - items), rooted = i->kind == IREDUCE || i->kind == IGATHER;
  int blocks = i->kind == IALLGATHER || i->kind == IALLTOALL || i->kind == IGATHER ? i->ranks : 1;
  if (i->kind == IBARRIER || i->kind > PERSISTENT || (rooted && i->me != i->root) || (i->kind == IBCAST && i->me == i->root)) return;
  int to = i->kind == IALLTOALL || i->kind == ISCATTER || i->kind == IREDUCE_SCATTER_BLOCK ? i->me : 0;
  for (int b = 0; b < blocks; b++)
    for (int e = 0; e < i->n; e++) {
      int want = 0, from = i->kind == IBCAST || i->kind == ISCATTER ? i->root : b;
      if (i->kind == MESSAGE || i->kind == PERSISTENT) from = (i->me + i->ranks - 1) % i->ranks;
      if (i->kind == IALLREDUCE || i->kind == IREDUCE || i->kind == IREDUCE_SCATTER_BLOCK)
        for (int r = 0; r < i->ranks; r++) want += value(round, number, world(i, r), to, e);
      else want = value(round, number, world(i, from), to, e);
      int got = i->out[b * i->n + e];
      if (got != want) FAIL("item %d of kind %d: element %d of block %d is %d, not %d", number, (int)i->kind, e, b, got, want);
    }
}

/* The ways to complete. done is told of each request's place, once. */
static char complete[REQUESTS];

static void done(int p) {
  CHECK(p >= 0 && p < used && !complete[p]);
  complete[p] = 1;
}

static void complete_all(enum way way, uint64_t seed) {
  int n = used, flag = 0, some, indices[REQUESTS];
  for (int k = 0; (way == WAIT || way == GET_STATUS) && k < n; k++) {
    int p = (int)((seed + (uint64_t)k) % (uint64_t)n);
    for (flag = way == WAIT; !flag;) OK(MPI_Request_get_status(q[p], &flag, &statuses[p]));
    OK(MPI_Wait(&q[p], &statuses[p]));
    done(p);
  }
  for (int left = n, p = 0; way == TEST && left; p = (p + 1) % n) {
    if (complete[p]) continue;
    OK(MPI_Test(&q[p], &flag, &statuses[p]));
    if (flag) done(p), left--;
  }
  if (way == WAITALL) OK(MPI_Waitall(n, q, statuses));
  while (way == TESTALL && !flag) OK(MPI_Testall(n, q, &flag, statuses));
  for (int p = 0; (way == WAITALL || way == TESTALL) && p < n; p++) done(p);
  while (way == WAITANY || way == TESTANY) {
    MPI_Status s;
    int p;
    if (way == WAITANY) OK(MPI_Waitany(n, q, &p, &s));
    else
      for (flag = 0; !flag;) OK(MPI_Testany(n, q, &p, &flag, &s));
    if (p == MPI_UNDEFINED) return;
    done(p);
    statuses[p] = s;
  }
  while (way == WAITSOME || way == TESTSOME) {
    static MPI_Status got[REQUESTS];
    if (way == WAITSOME) OK(MPI_Waitsome(n, q, &some, indices, got));
    else OK(MPI_Testsome(n, q, &some, indices, got));
    if (some == MPI_UNDEFINED) return;
    CHECK(some > 0 || way == TESTSOME);
    for (int k = 0; k < some; k++) done(indices[k]), statuses[indices[k]] = got[k];
  }
}

static void prepare(struct item *i, int round) {
  int number = (int)(i - items);
  uint64_t x = mix((uint64_t)(round * ITEMS + number));
  i->kind = (enum kind)(x % KINDS);
  i->comm = comms[x / 64 % COMMS];
  i->n = x / 1024 % 6 ? SHORT : LONG;
  i->requests = 0;
  OK(MPI_Comm_rank(i->comm, &i->me));
  OK(MPI_Comm_size(i->comm, &i->ranks));
  i->root = number % i->ranks;
  for (int b = 0; b < i->ranks; b++)
    for (int e = 0; e < i->n; e++) i->in[b * i->n + e] = value(round, number, rank, b, e), i->out[b * i->n + e] = -1;
}

static void shuffle(uint64_t seed) {
  for (int p = 0; p < REQUESTS; p++) place[p] = p, q[p] = MPI_REQUEST_NULL;
  for (int p = REQUESTS - 1; p > 0; p--) {
    int other = (int)(mix(seed + (uint64_t)p) % (uint64_t)(p + 1)), kept = place[p];
    place[p] = place[other], place[other] = kept;
  }
}

/* one round; the way may differ between ranks. */
static void one(int round) {
  enum way way = (enum way)((round + rank) % WAYS);
  int first = 0, generalised = 0;
  TRYING("round %d, way %d", round, (int)way);
  shuffle((uint64_t)(round * MOST_RANKS + rank) << 8);
  memset(complete, 0, sizeof complete);
  used = queried = freed = 0;
  for (struct item *i = items; i < items + ITEMS; i++) prepare(i, round), begin_item(i);
  int begun = used;
  used = REQUESTS; /* those that are not used are null */
  complete_all(way, (uint64_t)round);
  for (struct item *i = items; i < items + ITEMS; i++) {
    int any = way == WAITANY || way == WAITSOME || way == TESTANY || way == TESTSOME;
    for (int s = 0; s < i->requests; s++, first++) {
      int p = place[first], idle = i->kind == NOTHING || i->kind == INACTIVE, kept = i->kind == INACTIVE || (i->kind == PERSISTENT && !s);
      if (!any || !idle) check_status(i, s, &statuses[p]);
      CHECK(complete[p] == !(any && idle) && q[p] == (kept ? i->original : MPI_REQUEST_NULL));
      if (kept) OK(MPI_Request_free(&q[p]));
    }
    check_result_of(i, round);
    generalised += i->kind == GENERALISED;
  }
  CHECK(first == begun && freed == generalised && queried >= generalised);
}

/* outstanding: very many at a time, waited for in turns from both ends. */
static void outstanding(int many) {
  MPI_Request *all = (MPI_Request *)room((size_t)many * sizeof *all);
  int *in = (int *)room((size_t)many * sizeof *in), *out = (int *)room((size_t)many * sizeof *out);
  TRYING("%d outstanding", many);
  for (int i = 0; i < many; i++) {
    in[i] = i + rank;
    OK(MPI_Iallreduce(&in[i], &out[i], 1, MPI_INT, MPI_SUM, comms[i % 2], &all[i]));
  }
  for (int i = 0; i < many; i++) OK(MPI_Wait(&all[i % 2 ? i / 2 : many - 1 - i / 2], MPI_STATUS_IGNORE));
  for (int i = 0; i < many; i++) CHECK(all[i] == MPI_REQUEST_NULL && out[i] == size * i + size * (size - 1) / 2);
  free(all), free(in), free(out);
}

int main(int argc, char **argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 20;
  begin();
  CHECK(size <= MOST_RANKS);
  comms[0] = WORLD;
  OK(MPI_Comm_dup(WORLD, &comms[1]));
  OK(MPI_Comm_split(WORLD, rank % 2, rank, &comms[2]));
  for (int i = 0; i < COMMS; i++) OK(MPI_Barrier(comms[i])); /* from then on they are served */
  for (int round = 0; round < rounds; round++) one(round);
  outstanding(argc > 2 ? atoi(argv[2]) : 500);
  OK(MPI_Comm_free(&comms[1]));
  OK(MPI_Comm_free(&comms[2]));
  end();
}
