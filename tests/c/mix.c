/* Random mixes of collectives and messages on two communicators, in groups, in streams, in both and in neither, against
 * an oracle.
 *
 *   mix SEEDS              of this rank of a job
 *   mix SEEDS alone N      one thread drives all N ranks
 *
 * run: %p 200 alone 1
 * run: %p 200 alone 2
 * run: %p 200 alone 3
 * run: %p 200 alone 6
 * run: hcomm run -n 1 %p 200
 * run: hcomm run -n 2 %p 200
 * run: hcomm run -n 3 %p 200
 * run: hcomm run -n 4 %p 200
 * run: hcomm run -n 6 %p 100
 * slow: %p 2000 alone 5
 * slow: hcomm run -n 2 %p 3000
 * slow: hcomm run -n 5 %p 2000
 * timeout: 30
 */
#include "call.h"

enum { MOST_RANKS = 6, MOST_CALLS = 12, MOST_COUNT = 60000, COMMS = 2, STREAMS = 2 };

/* What a seed asks of all ranks alike. MESSAGE: each rank sends to the one that is shift further, and receives. */
enum { MESSAGE = COLLECTIVES };
struct wish {
  int what, comm, root, shift;
  size_t count;
  const struct type *type;
  hcommRedOp_t op;
};

/* One rank, and what it has under way. */
struct member {
  int number;
  hcommComm_t comms[COMMS];
  hcommStream_t streams[STREAMS];
  char *sent[MOST_CALLS], *received[MOST_CALLS];
};

static int size, here; /* all ranks; those of this process */
static struct member members[MOST_RANKS];

static uint64_t element(uint64_t seed, int call, int rank, int block, size_t i, const struct type *t) {
  return narrow(t, mix(mix(seed * 64 + (uint64_t)call) + (uint64_t)rank * 1000003 + (uint64_t)block * 101 + i * 7919));
}

static struct wish wish(uint64_t *random) {
  static const hcommRedOp_t some[] = {hcommSum, hcommMax, hcommBitXor, hcommMin};
  struct wish w = {(int)(next_random(random) % (COLLECTIVES + 3)), (int)(next_random(random) % COMMS), 0, 0, 0, NULL, 0};
  if (w.what > MESSAGE) w.what = MESSAGE;
  w.root = (int)(next_random(random) % (uint64_t)size);
  w.shift = (int)(next_random(random) % (uint64_t)size);
  w.type = &types[next_random(random) % 8]; /* integers: any order gives the same */
  w.count = next_random(random) % 4 ? next_random(random) % 40 : next_random(random) % (next_random(random) % 8 ? 3000 : MOST_COUNT);
  w.op = some[next_random(random) % 4];
  return w;
}

/* The blocks that a rank gives, and gets. */
static struct shape shape(const struct wish *w, int rank) {
  if (w->what == MESSAGE) return (struct shape){1, 1};
  return shape_of((enum collective)w->what, rank, w->root, size);
}

static uint64_t folded(uint64_t seed, int call, const struct wish *w, int block, size_t i) {
  uint64_t sum = element(seed, call, 0, block, i, w->type);
  for (int q = 1; q < size; q++) sum = combine(w->type, w->op, sum, element(seed, call, q, block, i, w->type));
  return sum;
}

static uint64_t wanted(uint64_t seed, int call, const struct wish *w, int rank, int block, size_t i) {
  switch (w->what) {
  case ALLREDUCE: case REDUCE: return folded(seed, call, w, 0, i);
  case REDUCESCATTER: return folded(seed, call, w, rank, i);
  case BROADCAST: return element(seed, call, w->root, 0, i, w->type);
  case ALLGATHER: case GATHER: return element(seed, call, block, 0, i, w->type);
  case ALLTOALL: return element(seed, call, block, rank, i, w->type);
  case SCATTER: return element(seed, call, w->root, rank, i, w->type);
  default: return element(seed, call, (rank - w->shift + size) % size, 0, i, w->type);
  }
}

static void prepare(struct member *m, uint64_t seed, int call, const struct wish *w) {
  struct shape s = shape(w, m->number);
  m->sent[call] = malloc((size_t)s.send * w->count * w->type->size + 1);
  m->received[call] = malloc((size_t)s.recv * w->count * w->type->size + 1);
  CHECK(m->sent[call] && m->received[call]);
  for (int b = 0; b < s.send; b++)
    for (size_t i = 0; i < w->count; i++)
      store(w->type, m->sent[call], (size_t)b * w->count + i, element(seed, call, m->number, b, i, w->type));
  memset(m->received[call], 0x5a, (size_t)s.recv * w->count * w->type->size + 1);
}

static void verify(struct member *m, uint64_t seed, int call, const struct wish *w) {
  struct shape s = shape(w, m->number);
  TRYING("seed %llu, call %d (%d), count %zu, rank %d of %d", (unsigned long long)seed, call, w->what, w->count, m->number, size);
  for (int b = 0; b < s.recv; b++)
    for (size_t i = 0; i < w->count; i++)
      CHECK(load(w->type, m->received[call], (size_t)b * w->count + i) == wanted(seed, call, w, m->number, b, i));
  CHECK(m->received[call][(size_t)s.recv * w->count * w->type->size] == 0x5a);
  free(m->sent[call]), free(m->received[call]);
}

/* A send may last until its message is received. So its receive is in another stream, unless they are in a group; or the
 * message is a short one. */
static void start(struct member *m, int call, const struct wish *w, hcommStream_t stream, hcommStream_t other,
                  int receive_first) {
  hcommComm_t c = m->comms[w->comm];
  int to = (m->number + w->shift) % size, from = (m->number - w->shift + size) % size;
  if (w->what != MESSAGE) {
    OK(make_call_in((enum collective)w->what, m->sent[call], m->received[call], w->count, w->type->code, w->op, w->root, c,
                    stream));
    return;
  }
  for (int i = 0; i < 2; i++)
    if (i == receive_first) OK(hcommSend(m->sent[call], w->count, w->type->code, to, c, stream));
    else OK(hcommRecv(m->received[call], w->count, w->type->code, from, c, other));
}

/* How the calls of a seed are made. */
enum way { BLOCKING, GROUP, STREAM, WAYS };

static void run(uint64_t seed) {
  uint64_t shared = mix(seed), own = mix(seed + 77 * (uint64_t)(members[0].number + 1)); /* own: each process's choice */
  struct wish wishes[MOST_CALLS];
  int calls = 1 + (int)(next_random(&shared) % MOST_CALLS);
  int may_block = next_random(&shared) % 2 && here == 1; /* one thread cannot wait for itself */
  enum way way = (enum way)(next_random(&own) % WAYS);
  if (way == BLOCKING && !may_block) way = GROUP;
  for (int i = 0; i < calls; i++) {
    wishes[i] = wish(&shared);
    if (wishes[i].what == MESSAGE && may_block && wishes[i].count > 200) wishes[i].count = 200;
    for (int r = 0; r < here; r++) prepare(&members[r], seed, i, &wishes[i]);
  }
  TRYING("seed %llu", (unsigned long long)seed);
  int depth = way == GROUP ? 1 + (int)(next_random(&own) % 2) : 0;
  for (int d = 0; d < depth; d++) OK(hcommGroupStart());
  for (int i = 0; i < calls; i++)
    for (int k = 0, first = (int)(next_random(&own) % (uint64_t)here); k < here; k++) {
      struct member *m = &members[(first + k) % here];
      uint64_t pick = next_random(&own);
      hcommStream_t stream = way == STREAM || (way == GROUP && pick % 3) ? m->streams[pick / 3 % STREAMS] : NULL;
      hcommStream_t other = way == STREAM ? m->streams[(pick / 3 + 1) % STREAMS] : stream;
      start(m, i, &wishes[i], stream, other, way == GROUP && pick / 6 % 2);
    }
  for (int d = 0; d < depth; d++) OK(hcommGroupEnd());
  for (int r = 0; r < here; r++)
    for (int s = 0; s < STREAMS; s++) OK(hcommStreamSynchronize(members[r].streams[s]));
  for (int i = 0; i < calls; i++)
    for (int r = 0; r < here; r++) verify(&members[r], seed, i, &wishes[i]);
}

int main(int argc, char **argv) {
  int alone = argc > 3 ? atoi(argv[3]) : 0;
  uint64_t seeds = (uint64_t)atoll(argv[1]);
  here = alone ? alone : 1;
  for (int c = 0; c < COMMS; c++) {
    hcommComm_t made[MOST_RANKS];
    if (alone) OK(hcommCommInitAll(made, alone, NULL));
    else OK(hcommCommInitEnv(made));
    for (int r = 0; r < here; r++) members[r].comms[c] = made[r];
  }
  for (int r = 0; r < here; r++) {
    OK(hcommCommUserRank(members[r].comms[0], &members[r].number));
    for (int s = 0; s < STREAMS; s++) OK(hcommStreamCreate(&members[r].streams[s]));
  }
  OK(hcommCommCount(members[0].comms[0], &size));
  check_rank = alone ? -1 : members[0].number;
  for (uint64_t seed = 0; seed < seeds; seed++) run(seed);
  for (int r = 0; r < here; r++) {
    for (int s = 0; s < STREAMS; s++) OK(hcommStreamDestroy(members[r].streams[s]));
    for (int c = 0; c < COMMS; c++) OK(hcommCommDestroy(members[r].comms[c]));
  }
  return 0;
}
