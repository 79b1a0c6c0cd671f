/* Requests at work: random mixes of collectives and messages, each made, begun or persistent, on two communicators of the
 * same ranks. Every rank makes the same schedule from a seed and does its part of it; what each receive gets, wildcards or
 * not, follows from the order of the calls alone, so it is known. What is under way is tested now and then, and completed at
 * the end of a round by all the ways that there are.
 *
 * It cannot come to a standstill: in the middle of a round a call that waits needs nothing but what was begun before it.
 *
 *   mpi_requests [SEED [ROUNDS]]      a failure says with which SEED it can be seen again
 *
 * run: hcomm run -n 1 %p 1
 * run: hcomm run -n 2 %p 2
 * run: hcomm run -n 3 %p 3
 * run: hcomm run -n 4 %p 4 300
 * run: hcomm run -n 5 %p 5 300
 * slow: hcomm run -n 3 %p 100 20000
 * timeout: 120
 */
#include "check.h"

enum { RANKS = 5, OPS = 160, EVENTS = 40, MOST = 100000, SMALL = 2240, TAGS = 3, OWN_TAG = 1000 };
enum collective { ALLREDUCE, BCAST, REDUCE, ALLGATHER, BLOCK, ALLTOALL, GATHER, SCATTER, BARRIER, COLLECTIVES };
enum kind { COLLECTIVE, SEND, RECEIVE };
enum form { MADE, BEGUN, PERSISTENT };

/* One call of this rank. A message is known by its number. */
struct op {
  enum kind kind;
  enum collective what;
  enum form form;
  int number, comm, root, in_place, known, done; /* known: what must come of it */
  size_t count; /* words of a block; of a message, bytes */
  int peer, tag, source, message, real_tag; /* of a receive: as asked for, and what must come */
  unsigned char *send, *recv;
  HCOMM_Request request;
  HCOMM_Status status;
};

/* What the oracle knows: messages that no receive has got, and receives that have got none, by communicator and receiver. */
struct pending {
  int is_message, number, from, source, tag, bytes, op; /* op: of the receive, at its rank */
};
struct list {
  struct pending p[OPS];
  int count;
};

static int rank, size, number, used;
static uint64_t seed, state, own;
static HCOMM_Comm comms[2];
static struct op ops[OPS];
static struct list lists[2][RANKS];
static int counts[RANKS]; /* of receives at each rank, in this round */

static int below(int n) { return (int)(next_random(&state) % (uint64_t)n); }
static int by_myself(int n) { return (int)(next_random(&own) % (uint64_t)n); }

static unsigned word(int what, int r, size_t i) { return (unsigned)mix((uint64_t)what << 32 ^ (uint64_t)r << 24 ^ i ^ seed); }

static int any_bytes(int most) {
  static const int edges[] = {0, 1, 2240, 2241, 32768, 32769, MOST};
  int n = below(3) ? below(300) : below(3) ? edges[below(7)] : below(MOST + 1);
  return n > most ? n % (most + 1) : n;
}

static unsigned char *room(size_t bytes) {
  unsigned char *p = malloc(bytes + 1);
  CHECK(p);
  memset(p, 0xa5, bytes + 1);
  return p;
}

static struct op *new_op(enum kind kind, int comm) {
  CHECK(used < OPS);
  struct op *o = &ops[used++];
  memset(o, 0, sizeof *o);
  o->kind = kind, o->comm = comm, o->known = kind != RECEIVE, o->request = HCOMM_REQUEST_NULL;
  return o;
}

/* Messages. */

static void fill(unsigned char *x, int bytes, int message) {
  uint64_t s = mix((uint64_t)message * 77 + seed);
  for (int i = 0; i < bytes; i++) x[i] = (unsigned char)(s >> (i % 8 * 8)) ^ (unsigned char)(i >> 3);
}

static void post_send(struct op *o) {
  HCOMM_Comm c = comms[o->comm];
  int n = (int)o->count, wide = o->number % 2;
  switch (o->form) {
  case MADE: OK(HCOMM_Send(o->send, n, HCOMM_BYTE, o->peer, o->tag, c)); break;
  case BEGUN:
    if (wide) OK(HCOMM_Isend_c(o->send, n, HCOMM_BYTE, o->peer, o->tag, c, &o->request));
    else OK(HCOMM_Isend(o->send, n, HCOMM_BYTE, o->peer, o->tag, c, &o->request));
    break;
  case PERSISTENT:
    if (wide) OK(HCOMM_Send_init_c(o->send, n, HCOMM_BYTE, o->peer, o->tag, c, &o->request));
    else OK(HCOMM_Send_init(o->send, n, HCOMM_BYTE, o->peer, o->tag, c, &o->request));
    OK(HCOMM_Start(&o->request));
  }
}

static void post_receive(struct op *o) {
  HCOMM_Comm c = comms[o->comm];
  int n = MOST, wide = o->number % 2;
  switch (o->form) {
  case MADE: OK(HCOMM_Recv(o->recv, n, HCOMM_BYTE, o->source, o->tag, c, &o->status)); break;
  case BEGUN:
    if (wide) OK(HCOMM_Irecv_c(o->recv, n, HCOMM_BYTE, o->source, o->tag, c, &o->request));
    else OK(HCOMM_Irecv(o->recv, n, HCOMM_BYTE, o->source, o->tag, c, &o->request));
    break;
  case PERSISTENT:
    if (wide) OK(HCOMM_Recv_init_c(o->recv, n, HCOMM_BYTE, o->source, o->tag, c, &o->request));
    else OK(HCOMM_Recv_init(o->recv, n, HCOMM_BYTE, o->source, o->tag, c, &o->request));
    OK(HCOMM_Start(&o->request));
  }
}

static int matches(const struct pending *r, const struct pending *m) {
  return (r->source == HCOMM_ANY_SOURCE || r->source == m->from) && (r->tag == HCOMM_ANY_TAG || r->tag == m->tag);
}

static void drop(struct list *l, int at) { memmove(&l->p[at], &l->p[at + 1], (size_t)(--l->count - at) * sizeof *l->p); }

static struct op *receive_number(int n) {
  for (int i = 0; i < used; i++)
    if (ops[i].kind == RECEIVE && ops[i].root == n) return &ops[i];
  FAIL("no receive %d", n);
}

static void assign(struct op *o, const struct pending *m) {
  o->known = 1, o->message = m->number, o->peer = m->from, o->real_tag = m->tag, o->count = (size_t)m->bytes;
}

/* A message from a to b; the send waits only where it need not. */
static void send(int comm, int a, int b, int tag) {
  struct list *l = &lists[comm][b];
  struct pending m = {1, number++, a, 0, tag, any_bytes(a == b ? SMALL : MOST), 0};
  int at = 0, form = below(3);
  while (at < l->count && (l->p[at].is_message || !matches(&l->p[at], &m))) at++;
  int awaited = at < l->count;
  if (form == MADE && !awaited && m.bytes > SMALL) form = BEGUN;
  if (awaited) {
    if (rank == b) assign(receive_number(l->p[at].op), &m);
    drop(l, at);
  } else {
    l->p[l->count++] = m;
  }
  if (rank != a) return;
  struct op *o = new_op(SEND, comm);
  o->form = (enum form)form, o->number = m.number, o->count = (size_t)m.bytes, o->peer = b, o->tag = tag, o->send = room(o->count);
  fill(o->send, m.bytes, m.number);
  post_send(o);
}

/* A receive at b. It waits only for a message that was begun before. */
static void receive(int comm, int b, int source, int tag) {
  struct list *l = &lists[comm][b];
  struct pending r = {0, 0, 0, source, tag, 0, counts[b]++};
  int at = 0, form = below(3);
  while (at < l->count && (!l->p[at].is_message || !matches(&r, &l->p[at]))) at++;
  struct pending m = l->p[at < l->count ? at : 0];
  int is_there = at < l->count;
  if (is_there) drop(l, at);
  else l->p[l->count++] = r;
  if (form == MADE && !is_there) form = BEGUN;
  if (rank != b) return;
  struct op *o = new_op(RECEIVE, comm);
  o->form = (enum form)form, o->number = number, o->source = source, o->tag = tag, o->root = r.op, o->recv = room(MOST);
  if (is_there) assign(o, &m);
  post_receive(o);
}

static void message(void) {
  int comm = below(2), a = below(size), b = below(size), tag = below(TAGS);
  struct list *l = &lists[comm][b];
  int own_tag = OWN_TAG + number;
  switch (below(4)) {
  case 0: send(comm, a, b, tag); break;
  case 1: receive(comm, b, a, below(2) ? tag : HCOMM_ANY_TAG); break;
  case 2: /* from anybody, where the tag is one message's alone */
    if (below(2)) send(comm, a, b, own_tag), receive(comm, b, HCOMM_ANY_SOURCE, own_tag);
    else receive(comm, b, HCOMM_ANY_SOURCE, own_tag), send(comm, a, b, own_tag);
    break;
  default:
    for (int i = 0; i < l->count; i++)
      if (l->p[i].is_message) {
        receive(comm, b, l->p[i].from, below(2) ? l->p[i].tag : HCOMM_ANY_TAG);
        break;
      }
  }
}

/* Every message is received, and every receive has one. */
static void close_lists(void) {
  for (int c = 0; c < 2; c++)
    for (int b = 0; b < size; b++)
      while (lists[c][b].count) {
        struct pending p = lists[c][b].p[0];
        if (p.is_message) receive(c, b, p.from, p.tag);
        else send(c, p.source == HCOMM_ANY_SOURCE ? below(size) : p.source, b, p.tag == HCOMM_ANY_TAG ? below(TAGS) : p.tag);
      }
}

static void verify_receive(struct op *o) {
  int n;
  OK(HCOMM_Get_count(&o->status, HCOMM_BYTE, &n));
  if (o->status.HCOMM_SOURCE != o->peer || o->status.HCOMM_TAG != o->real_tag || n != (int)o->count)
    FAIL("from %d with tag %d came %d bytes; message %d from %d, with tag %d, has %zu", o->status.HCOMM_SOURCE,
         o->status.HCOMM_TAG, n, o->message, o->peer, o->real_tag, o->count);
  unsigned char *want = room(o->count);
  fill(want, n, o->message);
  if (memcmp(want, o->recv, o->count)) FAIL("message %d is not what was sent", o->message);
  CHECK(o->recv[o->count] == 0xa5);
  free(want);
}

/* Collectives, on words that add up without a rounding. */

#define T HCOMM_UINT32_T
#define CALLS(name, iname, ...)                                                                                      \
  do {                                                                                                               \
    if (o->form == MADE) OK(wide ? HCOMM_##name##_c(__VA_ARGS__) : HCOMM_##name(__VA_ARGS__));                       \
    else if (o->form == BEGUN)                                                                                       \
      OK(wide ? HCOMM_##iname##_c(__VA_ARGS__, q) : HCOMM_##iname(__VA_ARGS__, q));                                  \
    else                                                                                                             \
      OK(wide ? HCOMM_##name##_init_c(__VA_ARGS__, HCOMM_INFO_NULL, q) : HCOMM_##name##_init(__VA_ARGS__, HCOMM_INFO_NULL, q)); \
  } while (0)

static void call(struct op *o) {
  HCOMM_Comm c = comms[o->comm];
  HCOMM_Request *q = &o->request;
  int n = (int)o->count, wide = o->number % 2, root = o->root;
  void *s = o->in_place ? HCOMM_IN_PLACE : (void *)o->send, *r = o->recv;
  switch (o->what) {
  case ALLREDUCE: CALLS(Allreduce, Iallreduce, s, r, n, T, HCOMM_SUM, c); break;
  case BCAST: CALLS(Bcast, Ibcast, rank == root ? s : r, n, T, root, c); break;
  case REDUCE: CALLS(Reduce, Ireduce, s, r, n, T, HCOMM_SUM, root, c); break;
  case ALLGATHER: CALLS(Allgather, Iallgather, s, n, T, r, n, T, c); break;
  case BLOCK: CALLS(Reduce_scatter_block, Ireduce_scatter_block, s, r, n, T, HCOMM_SUM, c); break;
  case ALLTOALL: CALLS(Alltoall, Ialltoall, s, n, T, r, n, T, c); break;
  case GATHER: CALLS(Gather, Igather, s, n, T, r, n, T, root, c); break;
  case SCATTER: CALLS(Scatter, Iscatter, s, n, T, r, n, T, root, c); break;
  default:
    if (o->form == MADE) OK(HCOMM_Barrier(c));
    else if (o->form == BEGUN) OK(HCOMM_Ibarrier(c, q));
    else OK(HCOMM_Barrier_init(c, HCOMM_INFO_NULL, q));
  }
  if (o->form == PERSISTENT) OK(HCOMM_Start(q));
}

static void fill_words(struct op *o) {
  unsigned *s = (unsigned *)o->send;
  for (size_t i = 0; i < o->count * (size_t)size; i++) s[i] = word(o->number, rank, i);
}

static void collective(void) {
  struct op *o = new_op(COLLECTIVE, below(2));
  o->what = (enum collective)below(COLLECTIVES), o->form = (enum form)below(3), o->root = below(size);
  o->number = number++, o->count = (size_t)any_bytes(MOST) / 4 / (o->what == ALLREDUCE || o->what == BCAST ? 1 : (size_t)size);
  size_t block = o->count * 4, all = block * (size_t)size;
  o->send = room(all), o->recv = room(all);
  fill_words(o);
  o->in_place = below(2) && (o->what == ALLREDUCE || o->what == ALLGATHER || o->what == BLOCK || o->what == ALLTOALL);
  if (o->in_place && o->what == ALLGATHER) memcpy(o->recv + block * (size_t)rank, o->send, block);
  else if (o->in_place) memcpy(o->recv, o->send, o->what == ALLREDUCE ? block : all);
  call(o);
}

/* expected is word i of this rank's result. */
static unsigned expected(const struct op *o, size_t i) {
  size_t n = o->count, block = n ? i / n : 0, at = n ? i % n : 0, mine = (size_t)rank * n;
  unsigned sum = 0;
  switch (o->what) {
  case BCAST: return word(o->number, o->root, i);
  case ALLGATHER: case GATHER: return word(o->number, (int)block, at);
  case ALLTOALL: return word(o->number, (int)block, mine + at);
  case SCATTER: return word(o->number, o->root, mine + i);
  default:
    for (int r = 0; r < size; r++) sum += word(o->number, r, o->what == BLOCK ? mine + i : i);
    return sum;
  }
}

static void verify_collective(struct op *o) {
  int at_root = rank == o->root;
  size_t n = o->count, all = n * (size_t)size;
  switch (o->what) {
  case BARRIER: return;
  case BCAST: n = at_root ? 0 : n; break;
  case REDUCE: n = at_root ? n : 0; break;
  case ALLGATHER: case ALLTOALL: n = all; break;
  case GATHER: n = at_root ? all : 0; break;
  default: break;
  }
  const unsigned *r = (const unsigned *)o->recv;
  for (size_t i = 0; i < n; i++)
    if (r[i] != expected(o, i)) FAIL("collective %d (%d), form %d: word %zu is %u, not %u", o->number, (int)o->what, (int)o->form, i, r[i], expected(o, i));
  CHECK(o->recv[(o->in_place ? all : n) * 4] == 0xa5);
}

/* Persistent requests that live as long as the program: an allreduce, and a message around the ring. */
static struct {
  unsigned *in, *out, sent, got;
  HCOMM_Request requests[3];
} kept;

static void make_kept(void) {
  kept.in = malloc(5000 * 4), kept.out = malloc(5000 * 4);
  CHECK(kept.in && kept.out);
  OK(HCOMM_Allreduce_init(kept.in, kept.out, 5000, T, HCOMM_SUM, comms[0], HCOMM_INFO_NULL, &kept.requests[0]));
  OK(HCOMM_Send_init(&kept.sent, 1, T, (rank + 1) % size, 77, comms[0], &kept.requests[1]));
  OK(HCOMM_Recv_init(&kept.got, 1, T, (rank + size - 1) % size, 77, comms[0], &kept.requests[2]));
}

static void start_kept(int round) {
  for (size_t i = 0; i < 5000; i++) kept.in[i] = word(round, rank, i);
  kept.sent = word(round, rank, 0);
  OK(HCOMM_Startall(3, kept.requests));
}

static void verify_kept(int round) {
  HCOMM_Status s[3];
  OK(HCOMM_Waitall(3, kept.requests, s));
  CHECK(s[2].HCOMM_SOURCE == (rank + size - 1) % size && s[2].HCOMM_TAG == 77);
  CHECK(s[0].HCOMM_SOURCE == HCOMM_ANY_SOURCE && s[1].HCOMM_TAG == HCOMM_ANY_TAG);
  CHECK(kept.got == word(round, (rank + size - 1) % size, 0));
  for (size_t i = 0; i < 5000; i++) {
    unsigned sum = 0;
    for (int r = 0; r < size; r++) sum += word(round, r, i);
    if (kept.out[i] != sum) FAIL("the kept allreduce: word %zu is %u, not %u", i, kept.out[i], sum);
  }
}

/* completed is called for each operation when it is; its status is there. */
static void completed(struct op *o) {
  CHECK(!o->done);
  o->done = 1;
  if (o->form == PERSISTENT) OK(HCOMM_Request_free(&o->request));
  CHECK(o->request == HCOMM_REQUEST_NULL);
  if (o->kind == RECEIVE) verify_receive(o);
  if (o->kind == COLLECTIVE) verify_collective(o);
}

static void test_one(void) {
  int flag = -1, i = used ? by_myself(used) : -1;
  if (i < 0 || ops[i].done || ops[i].form == MADE || !ops[i].known) return;
  if (by_myself(2)) {
    OK(HCOMM_Request_get_status(ops[i].request, &flag, &ops[i].status));
    CHECK(flag == 0 || flag == 1);
    if (!flag) return;
  }
  OK(HCOMM_Test(&ops[i].request, &flag, &ops[i].status));
  if (flag) completed(&ops[i]);
}

/* complete does it in this rank's own way. The handles are taken into an array, and back. */
static void complete(void) {
  static HCOMM_Request array[OPS];
  static HCOMM_Status statuses[OPS];
  int indices[OPS], left = 0, n = 0, way = by_myself(8), index, flag;
  HCOMM_Status s;
  for (int i = 0; i < used; i++) {
    int waits = !ops[i].done && ops[i].form != MADE;
    array[i] = waits ? ops[i].request : HCOMM_REQUEST_NULL, left += waits;
  }
  while (left > 0) {
    n = 0;
    switch (way) {
    case 0:
      for (int i = used - 1; i >= 0; i--)
        if (array[i] != HCOMM_REQUEST_NULL) {
          OK(HCOMM_Wait(&array[i], &statuses[n]));
          indices[n++] = i;
        }
      break;
    case 1: case 2:
      flag = way == 1;
      if (way == 1) OK(HCOMM_Waitall(used, array, statuses));
      else OK(HCOMM_Testall(used, array, &flag, statuses));
      for (int i = 0; flag && i < used; i++)
        if (!ops[i].done && ops[i].form != MADE) statuses[n] = statuses[i], indices[n++] = i;
      break;
    case 3: case 4:
      flag = 1;
      if (way == 3) OK(HCOMM_Waitany(used, array, &index, &s));
      else OK(HCOMM_Testany(used, array, &index, &flag, &s));
      if (flag) statuses[0] = s, indices[n++] = index;
      else CHECK(index == HCOMM_UNDEFINED);
      break;
    case 5: OK(HCOMM_Waitsome(used, array, &n, indices, statuses)); break;
    case 6: OK(HCOMM_Testsome(used, array, &n, indices, statuses)); break;
    default:
      for (int i = 0; i < used; i++) {
        if (array[i] == HCOMM_REQUEST_NULL) continue;
        OK(HCOMM_Test(&array[i], &flag, &statuses[n]));
        if (flag) indices[n++] = i;
      }
    }
    CHECK(n >= 0 && n <= left);
    for (int k = 0; k < n; k++) {
      struct op *o = &ops[indices[k]];
      o->request = array[indices[k]], o->status = statuses[k];
      completed(o);
      array[indices[k]] = HCOMM_REQUEST_NULL;
    }
    left -= n;
  }
}

static void round_of(int round) {
  used = 0;
  memset(counts, 0, sizeof counts);
  start_kept(round);
  for (int events = 1 + below(EVENTS); events > 0; events--) {
    if (below(3)) message();
    else collective();
    if (by_myself(4) == 0) test_one();
  }
  close_lists();
  complete();
  for (int i = 0; i < used; i++) {
    if (!ops[i].done) completed(&ops[i]); /* those that were made at once */
    free(ops[i].send), free(ops[i].recv);
  }
  verify_kept(round);
}

int main(int argc, char **argv) {
  OK(HCOMM_Init(&argc, &argv));
  OK(HCOMM_Comm_rank(HCOMM_COMM_WORLD, &rank));
  OK(HCOMM_Comm_size(HCOMM_COMM_WORLD, &size));
  errors_return();
  check_rank = rank;
  CHECK(size <= RANKS);
  seed = argc > 1 ? strtoull(argv[1], NULL, 0) : (uint64_t)now();
  OK(HCOMM_Bcast(&seed, 1, HCOMM_UINT64_T, 0, HCOMM_COMM_WORLD));
  int rounds = argc > 2 ? atoi(argv[2]) : 500;
  comms[0] = HCOMM_COMM_WORLD;
  OK(HCOMM_Comm_dup(HCOMM_COMM_WORLD, &comms[1]));
  make_kept();
  own = mix(seed + 1000 + (uint64_t)rank);
  for (int i = 0; i < rounds; i++) {
    TRYING("seed %llu, round %d", (unsigned long long)seed, i);
    state = mix(seed) + (uint64_t)i * 1000003;
    round_of(i);
  }
  TRYING("the end");
  for (int i = 0; i < 3; i++) OK(HCOMM_Request_free(&kept.requests[i]));
  free(kept.in), free(kept.out);
  OK(HCOMM_Comm_free(&comms[1]));
  OK(HCOMM_Finalize());
  return 0;
}
