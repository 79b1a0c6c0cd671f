/* Random patterns of sends, receives, exchanges and probes. Every rank makes the same schedule from a seed: a list of
 * events in an order in which they can happen one after the other, even if every send waited for its receive, except that
 * small messages may be received later. So it cannot come to a standstill, and each receive's message is known: that each
 * comes, whole and in order, is verified.
 *
 *   p2p_random [SEED [PATTERNS]]      a failure says with which SEED it can be seen again
 *
 * run: hcomm run -n 2 %p 1
 * run: hcomm run -n 3 %p 2
 * run: hcomm run -n 5 %p 3 3000
 * run: hcomm run -n 8 %p 4 2000
 * timeout: 120
 */
#include "check.h"

enum { RANKS = 8, EVENTS = 24, LATE = 64, MOST = 100000, SMALL = 2240, TAGS = 4, OWN_TAG = 1000 };
enum kind { MESSAGE, LATER, TAKE, EXCHANGE, STORM, KINDS };

/* What is sent and not received, from one rank to another, in the order of sending. */
struct message {
  int bytes, tag, number;
};
struct queue {
  struct message m[LATE];
  int count;
};

static int rank, size, number; /* number: of the next message, the same on all ranks */
static uint64_t seed, state;
static struct queue queues[RANKS][RANKS];
static unsigned char *out, *in;

static int below(int n) { return (int)(next_random(&state) % (uint64_t)n); }

static int any_size(int most) {
  static const int edges[] = {0, 1, 24, 25, 2239, 2240, 2241, 4096, 32768, 32769, 65537};
  int n = below(3) ? below(300) : below(4) ? edges[below(11)] : below(MOST + 1);
  return n > most ? n % (most + 1) : n;
}

/* The bytes of a message depend on its number alone. */
static void fill(unsigned char *x, const struct message *m) {
  uint64_t s = mix((uint64_t)m->number * 77 + seed);
  for (int i = 0; i < m->bytes; i++) x[i] = (unsigned char)(s >> (i % 8 * 8)) ^ (unsigned char)(i >> 3);
}

static void verify(const unsigned char *x, const struct message *m) {
  uint64_t s = mix((uint64_t)m->number * 77 + seed);
  for (int i = 0; i < m->bytes; i++)
    if (x[i] != ((unsigned char)(s >> (i % 8 * 8)) ^ (unsigned char)(i >> 3)))
      FAIL("byte %d of message %d of %d bytes is wrong", i, m->number, m->bytes);
}

static void told(const HCOMM_Status *s, int from, const struct message *m) {
  int count;
  OK(HCOMM_Get_count(s, HCOMM_BYTE, &count));
  if (s->HCOMM_SOURCE != from || s->HCOMM_TAG != m->tag || count != m->bytes)
    FAIL("from %d with tag %d came %d bytes; message %d, from %d with tag %d, has %d", s->HCOMM_SOURCE, s->HCOMM_TAG,
         count, m->number, from, m->tag, m->bytes);
}

static struct message make(int most) {
  struct message m = {any_size(most), below(TAGS), number++};
  return m;
}

/* What a receive asks for. Anybody may be the source only where the tag is one message's alone. */
struct want {
  int source, tag;
};

static void send(int to, const struct message *m) {
  fill(out, m);
  OK(HCOMM_Send(out, m->bytes, HCOMM_BYTE, to, m->tag, HCOMM_COMM_WORLD));
}

static void receive(int from, struct want w, const struct message *m, int probe, int spare) {
  HCOMM_Status s;
  int flag = 0;
  if (probe == 1) OK(HCOMM_Probe(w.source, w.tag, HCOMM_COMM_WORLD, &s));
  while (probe == 2 && !flag) OK(HCOMM_Iprobe(w.source, w.tag, HCOMM_COMM_WORLD, &flag, &s));
  if (probe == 1 || probe == 2) told(&s, from, m);
  in[m->bytes + spare] = 0xa5;
  OK(HCOMM_Recv(in, m->bytes + spare, HCOMM_BYTE, w.source, w.tag, HCOMM_COMM_WORLD, &s));
  told(&s, from, m);
  verify(in, m);
  CHECK(in[m->bytes + spare] == 0xa5);
}

/* Two ranks; they may be the same one if that may be. */
static void pair(int *a, int *b, int same) {
  *a = below(size);
  do *b = below(size);
  while (!same && *b == *a);
}

/* take receives one of the messages that wait from a to b, and takes it off the queue: the first, or the first with some
 * tag. */
static void take(int a, int b, int probe, int spare) {
  struct queue *q = &queues[a][b];
  int at = below(q->count), by_tag = below(2);
  struct message m = q->m[at];
  struct want w = {a, m.tag};
  if (m.tag >= OWN_TAG) {
    if (below(2)) w.source = HCOMM_ANY_SOURCE;
  } else {
    if (!by_tag) w.tag = HCOMM_ANY_TAG;
    for (at = 0; by_tag && q->m[at].tag != m.tag; at++) continue;
    m = q->m[at];
  }
  memmove(&q->m[at], &q->m[at + 1], (size_t)(--q->count - at) * sizeof m);
  if (rank == b) receive(a, w, &m, probe, spare);
}

/* A message that is received at once; those before it that its receive would match are taken first. */
static void message(int probe, int spare) {
  int a, b;
  pair(&a, &b, 0);
  struct message m = make(MOST);
  struct want w = {a, m.tag};
  switch (below(3)) {
  case 0:
    m.tag = w.tag = OWN_TAG + m.number;
    w.source = HCOMM_ANY_SOURCE;
    break;
  case 1:
    while (queues[a][b].count) take(a, b, 0, 0);
    w.tag = HCOMM_ANY_TAG;
    break;
  default:
    m.tag = w.tag = TAGS + below(TAGS); /* none that waits has it */
  }
  if (rank == a) send(b, &m);
  if (rank == b) receive(a, w, &m, probe, spare);
}

static void later(void) {
  int a, b;
  pair(&a, &b, 1);
  if (queues[a][b].count == LATE) return;
  struct message m = make(SMALL);
  if (below(4) == 0) m.tag = OWN_TAG + m.number;
  queues[a][b].m[queues[a][b].count++] = m;
  if (rank == a) send(b, &m);
}

/* Some ranks, in a random order, pass a message on to the next; the first and the last may close the ring. */
static void exchange(void) {
  int order[RANKS], n, closed = below(2);
  struct message m[RANKS];
  HCOMM_Status s;
  for (int i = 0; i < size; i++) order[i] = i;
  for (int i = size - 1; i > 0; i--) {
    int j = below(i + 1), x = order[i];
    order[i] = order[j], order[j] = x;
  }
  n = 1 + below(size);
  for (int i = 0; i < n; i++) {
    m[i] = make(MOST);
    m[i].tag = OWN_TAG + m[i].number;
  }
  for (int i = 0; i < n; i++) {
    if (order[i] != rank) continue;
    int ends = !closed && i == n - 1, begins = !closed && i == 0, before = (i + n - 1) % n;
    int to = ends ? HCOMM_PROC_NULL : order[(i + 1) % n], from = begins ? HCOMM_PROC_NULL : order[before];
    fill(out, &m[i]);
    OK(HCOMM_Sendrecv(out, m[i].bytes, HCOMM_BYTE, to, m[i].tag, in, MOST, HCOMM_BYTE,
                      m[before].number % 2 && !begins ? HCOMM_ANY_SOURCE : from, m[before].tag, HCOMM_COMM_WORLD, &s));
    if (begins) continue;
    told(&s, from, &m[before]);
    verify(in, &m[before]);
  }
}

/* Everybody sends small messages to anybody, and then receives what there is, in whatever order it comes: in the order of
 * sending from each rank, and with each tag. */
static void storm(void) {
  static struct queue sent[RANKS][RANKS];
  int rounds = 1 + below(6), mine = 0;
  HCOMM_Status s;
  memset(sent, 0, sizeof sent);
  for (int a = 0; a < size; a++)
    for (int b = 0; b < size; b++)
      while (queues[a][b].count) take(a, b, 0, 0);
  OK(HCOMM_Barrier(HCOMM_COMM_WORLD));
  for (int i = 0; i < rounds; i++)
    for (int a = 0; a < size; a++) {
      int b = below(size);
      struct message m = make(SMALL);
      sent[a][b].m[sent[a][b].count++] = m;
      if (a == rank) send(b, &m);
      mine += b == rank;
    }
  uint64_t own = mix(state + (uint64_t)rank), all = state; /* each rank may choose as it likes */
  state = own;
  while (mine--) {
    int from = HCOMM_ANY_SOURCE, tag = HCOMM_ANY_TAG, at = 0;
    for (int tries = below(3); tries > 0; tries--) { /* ask for something that will come */
      int a = below(size);
      if (!sent[a][rank].count) continue;
      from = below(2) ? a : HCOMM_ANY_SOURCE;
      tag = below(2) ? sent[a][rank].m[below(sent[a][rank].count)].tag : HCOMM_ANY_TAG;
    }
    OK(HCOMM_Recv(in, MOST, HCOMM_BYTE, from, tag, HCOMM_COMM_WORLD, &s));
    CHECK(from == HCOMM_ANY_SOURCE || from == s.HCOMM_SOURCE);
    struct queue *q = &sent[s.HCOMM_SOURCE][rank];
    while (at < q->count && tag != HCOMM_ANY_TAG && q->m[at].tag != tag) at++;
    CHECK(at < q->count);
    struct message m = q->m[at];
    told(&s, s.HCOMM_SOURCE, &m);
    verify(in, &m);
    memmove(&q->m[at], &q->m[at + 1], (size_t)(--q->count - at) * sizeof m);
  }
  state = all;
  OK(HCOMM_Barrier(HCOMM_COMM_WORLD));
}

static void pattern(void) {
  for (int events = 1 + below(EVENTS); events > 0; events--) {
    int probe = below(6), spare = below(2) * below(100), a, b;
    switch ((enum kind)below(KINDS)) {
    case MESSAGE: message(probe, spare); break;
    case EXCHANGE: exchange(); break;
    case STORM:
      if (below(10) == 0) storm();
      break;
    case LATER: later(); break;
    default:
      pair(&a, &b, 1);
      if (queues[a][b].count) take(a, b, probe, spare);
    }
  }
  if (below(3)) return; /* what waits is then there in the next pattern */
  for (int a = 0; a < size; a++)
    for (int b = 0; b < size; b++)
      while (queues[a][b].count) take(a, b, 0, 0);
}

int main(int argc, char **argv) {
  OK(HCOMM_Init(&argc, &argv));
  OK(HCOMM_Comm_rank(HCOMM_COMM_WORLD, &rank));
  OK(HCOMM_Comm_size(HCOMM_COMM_WORLD, &size));
  check_rank = rank;
  CHECK(size >= 2 && size <= RANKS);
  seed = argc > 1 ? strtoull(argv[1], NULL, 0) : (uint64_t)now();
  int patterns = argc > 2 ? atoi(argv[2]) : 10000, flag;
  OK(HCOMM_Bcast(&seed, 1, HCOMM_UINT64_T, 0, HCOMM_COMM_WORLD));
  hcommComm_t alone;
  void *p, *handle = NULL;
  OK(hcommMemAlloc(&p, MOST + 200));
  OK(hcommCommInitAll(&alone, 1, NULL));
  out = rank % 3 == 1 ? p : malloc(MOST + 200);
  in = malloc(MOST + 200);
  if (rank % 3 == 0) OK(hcommCommRegister(alone, out + 3333, 60000, &handle)); /* longer messages begin and end outside */
  CHECK(out && in);
  for (int i = 0; i < patterns; i++) {
    TRYING("seed %llu, pattern %d", (unsigned long long)seed, i);
    state = mix(seed) + (uint64_t)i * 1000003;
    pattern();
  }
  TRYING("what is left");
  for (int a = 0; a < size; a++)
    for (int b = 0; b < size; b++)
      while (queues[a][b].count) take(a, b, 0, 0);
  OK(HCOMM_Barrier(HCOMM_COMM_WORLD));
  OK(HCOMM_Iprobe(HCOMM_ANY_SOURCE, HCOMM_ANY_TAG, HCOMM_COMM_WORLD, &flag, HCOMM_STATUS_IGNORE));
  CHECK(!flag);
  if (rank % 3 == 0) OK(hcommCommDeregister(alone, handle));
  OK(hcommCommDestroy(alone));
  OK(HCOMM_Finalize());
  return 0;
}
