/* The calls of yardstick.c on bare shared memory, without any library: the limit that a library can come close to.
 *
 * The ranks are forked (YARD_RANKS of them), can read and write each other's buffers, and tell each other by flags: one
 * release store, and a loop with PAUSE. Nothing is checked, and nothing may go wrong. Each call is done in four ways, and
 * whoever reads the rows takes the fastest:
 *   slots           the payload goes into a slot, beside its flag; two slots take turns, for whoever writes the next
 *                   but one knows from the flags of the next that this one has been read
 *   slots-stream    the same, with stores past the caches
 *   mapped          each rank does its part of the work right between the users' buffers; flags before and after
 *   mapped-stream   the same, with stores past the caches
 */
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __x86_64__
#include <immintrin.h>
#endif

enum { WAYS = 4 };
static const char *const ways[WAYS] = {"slots", "slots-stream", "mapped", "mapped-stream"};

enum { MOST_RANKS = 64, LINE = 64, SLOT = 1 << 16, STREAM_LEAST = 2048, AHEAD = 2048, FLOATS_OF_LINE = LINE / sizeof(float), PIECE = 1024, PAGE = 4096 };
/* Of a rank; only what is touched takes memory. Not a power of two, so that the ranks' buffers do not all fall into the same
 * sets of the caches (2 MiB: 0.9 of the time). */
#define BUFFERS (((size_t)20 << 30) + 37 * PAGE)

struct slot {
  _Alignas(LINE) _Atomic uint64_t flag;
  _Alignas(32) char payload[SLOT];
};

struct shared {
  _Alignas(LINE) _Atomic uint64_t entered;
  _Alignas(LINE) _Atomic uint64_t done;
  struct slot slots[2], sync[2], mail[2]; /* of collectives, of barrier and largest, of messages */
};

static struct shared *all;
static char *buffers; /* of rank 0; the others' follow */
static size_t used;
static int in_slots, stream, crowded;
static uint64_t calls, syncs, sent, received;

#ifdef __x86_64__
enum { STREAMS = 1 };
static void relax(void) { _mm_pause(); }
static void streamed(void) { _mm_sfence(); }
#else
enum { STREAMS = 0 };
static void relax(void) {}
static void streamed(void) {}
#endif

static int way_fits(int way, size_t bytes) {
  if (way % 2 && (!STREAMS || bytes < STREAM_LEAST || bytes % ((size_t)size * LINE))) return 0;
  return way >= 2 || bytes <= SLOT;
}

static void set_way(int way) { in_slots = way < 2, stream = way % 2; }

/* ---- flags ---- */

static void tell(_Atomic uint64_t *flag, uint64_t number) { atomic_store_explicit(flag, number, memory_order_release); }

static void await(_Atomic uint64_t *flag, uint64_t number) {
  for (int looks = 1; atomic_load_explicit(flag, memory_order_acquire) < number; looks++) {
    relax();
    if (crowded && looks % 4 == 0) sched_yield();
  }
}

/* ---- the ranks ---- */

static void child_ended(int number) {
  int status;
  (void)number;
  while (waitpid(-1, &status, WNOHANG) > 0)
    if (status) _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1); /* the others go with their parent */
}

/* bind gives the rank a processor of its own if there are enough. */
static void bind_rank(void) {
  cpu_set_t allowed, one;
  if (sched_getaffinity(0, sizeof allowed, &allowed)) fail("sched_getaffinity");
  crowded = size > CPU_COUNT(&allowed);
  if (crowded) return;
  int cpu = 0;
  for (int before = rank; !CPU_ISSET(cpu, &allowed) || before--; cpu++) {}
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  if (sched_setaffinity(0, sizeof one, &one)) fail("sched_setaffinity");
}

static void *map(size_t bytes) {
  void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) fail("mmap");
  madvise(p, bytes, MADV_HUGEPAGE); /* if the system has them for shared memory */
  return p;
}

static void start(int *argc, char ***argv) {
  const char *ranks = getenv("YARD_RANKS");
  (void)argc, (void)argv;
  size = ranks ? atoi(ranks) : 2;
  if (size < 1 || size > MOST_RANKS) {
    fprintf(stderr, "YARD_RANKS is %s; it must be 1 to %d\n", ranks, MOST_RANKS);
    exit(2);
  }
  all = map((size_t)size * sizeof *all);
  buffers = map((size_t)size * BUFFERS);
  signal(SIGCHLD, child_ended);
  for (int r = 1; r < size && !rank; r++) {
    pid_t child = fork();
    if (child < 0) fail("fork");
    if (child) continue;
    rank = r;
    signal(SIGCHLD, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
  }
  bind_rank();
}

static void stop(void) {
  int status;
  if (rank) exit(0);
  signal(SIGCHLD, SIG_DFL);
  while (wait(&status) > 0)
    if (status) exit(1);
}

/* All ranks ask for the same memory, so it has the same place in each rank's part. */
static void *memory(size_t bytes, enum kind kind, void **handle) {
  (void)kind, (void)handle;
  if (bytes > BUFFERS - used) {
    fprintf(stderr, "memory: no room for %zu bytes\n", bytes);
    exit(1);
  }
  char *p = buffers + (size_t)rank * BUFFERS + used;
  used += (bytes + 18 * PAGE) / PAGE * PAGE + 4 * LINE;
  memset(p, 0, bytes);
  return p;
}

static void give_back(void *p, enum kind kind, void *handle) { (void)p, (void)kind, (void)handle; }

static float *of(int r, float *mine) { return (float *)((char *)mine + (ptrdiff_t)(r - rank) * (ptrdiff_t)BUFFERS); }

/* ---- slots ---- */

/* copy takes n floats to out; past the caches if that is the way, and then out is at the start of 32 bytes. */
static void copy(float *restrict out, const float *restrict x, size_t n) {
  size_t i = 0;
  if (stream) {
#if defined __AVX__
    for (; i + 8 <= n; i += 8) _mm256_stream_ps(out + i, _mm256_loadu_ps(x + i));
#elif defined __x86_64__
    for (; i + 4 <= n; i += 4) _mm_stream_ps(out + i, _mm_loadu_ps(x + i));
#endif
  }
  memcpy(out + i, x + i, (n - i) * sizeof *x);
}

static struct slot *slot_of(int r, uint64_t number) { return &all[r].slots[number & 1]; }

static void put(struct slot *s, uint64_t number, const void *payload, size_t bytes) {
  memcpy(s->payload, payload, bytes);
  tell(&s->flag, number);
}

static const void *get(struct slot *s, uint64_t number) {
  await(&s->flag, number);
  return s->payload;
}

static double largest(double x) {
  double most = x;
  syncs++;
  put(&all[rank].sync[syncs & 1], syncs, &x, sizeof x);
  for (int r = 0; r < size; r++) {
    double y;
    memcpy(&y, get(&all[r].sync[syncs & 1], syncs), sizeof y);
    if (y > most) most = y;
  }
  return most;
}

static void barrier(void) { largest(0); }

/* add_slots reduces n floats, from the first on, of all ranks' slots. */
static void add_slots(float *restrict out, size_t first, size_t n) {
  const float *restrict x = (const float *)get(slot_of(0, calls), calls) + first;
  if (size == 1) memcpy(out, x, n * sizeof *x);
  for (int r = 1; r < size; r++) {
    const float *restrict y = (const float *)get(slot_of(r, calls), calls) + first;
    if (r == 1)
      for (size_t i = 0; i < n; i++) out[i] = x[i] + y[i];
    else
      for (size_t i = 0; i < n; i++) out[i] += y[i];
  }
}

/* ahead asks for the lines of the slot that this rank writes next, which the others have read long ago. */
static void ahead(size_t bytes) {
  const char *next = (const char *)slot_of(rank, calls + 1);
  for (size_t i = 0; i <= bytes && i < AHEAD; i += LINE) __builtin_prefetch(next + i, 1);
}

static void put_own(const float *in, size_t n) {
  struct slot *s = slot_of(rank, calls);
  copy((float *)s->payload, in, n);
  if (stream) streamed();
  tell(&s->flag, calls);
}

static void by_slots(enum collective c, float *in, float *out, size_t n, size_t blocks) {
  size_t own = (size_t)rank * n, bytes = n * sizeof *in;
  if (c != BROADCAST || rank == 0) put_own(in, n * blocks);
  switch (c) {
  case ALLREDUCE: add_slots(out, 0, n); break;
  case REDUCE:
    if (rank == 0) add_slots(out, 0, n);
    break;
  case BROADCAST:
    if (rank) memcpy(out, get(slot_of(0, calls), calls), bytes);
    break;
  case REDUCESCATTER: add_slots(out, own, n); break;
  default:
    for (int r = 0; r < size; r++)
      memcpy(out + (size_t)r * n, (const float *)get(slot_of(r, calls), calls) + (c == ALLTOALL ? own : 0), bytes);
  }
  if (!stream) ahead(bytes * blocks);
}

/* ---- buffers ---- */

/* add reduces n floats of all ranks' in, from the first on, to out of the ranks from `from` up to `to`. */
static void add(float *in, float *out, size_t first, size_t n, int from, int to, size_t out_first) {
  static _Alignas(LINE) float sum[PIECE];
  for (size_t i = 0; i < n; i += PIECE) {
    size_t m = n - i < PIECE ? n - i : PIECE;
    const float *restrict x = of(0, in) + first + i;
    for (int r = 1; r < size; r++, x = sum) {
      const float *restrict y = of(r, in) + first + i;
      for (size_t k = 0; k < m; k++) sum[k] = x[k] + y[k];
    }
    for (int r = from; r < to; r++) copy(of(r, out) + out_first + i, x, m);
  }
}

/* part is a rank's share of n floats, in whole lines. */
static size_t part_start(size_t n, int r) {
  size_t lines = (n + FLOATS_OF_LINE - 1) / FLOATS_OF_LINE, at = lines * (size_t)r / (size_t)size * FLOATS_OF_LINE;
  return at < n ? at : n;
}

static void mapped(enum collective c, float *in, float *out, size_t n) {
  size_t own = (size_t)rank * n, first = part_start(n, rank), part = part_start(n, rank + 1) - first;
  switch (c) {
  case ALLREDUCE: add(in, out, first, part, 0, size, first); break;
  case REDUCE: add(in, out, first, part, 0, 1, first); break;
  case REDUCESCATTER: add(in, out, own, n, rank, rank + 1, 0); break;
  case BROADCAST:
    for (int r = 1; r < size; r++) copy(of(r, out) + first, of(0, in) + first, part);
    break;
  default:
    for (int r = 0; r < size; r++) copy(out + (size_t)r * n, of(r, in) + (c == ALLTOALL ? own : 0), n);
  }
  if (stream) streamed();
}

static void together(_Atomic uint64_t *mine, size_t offset) {
  tell(mine, calls);
  for (int r = 0; r < size; r++) await((_Atomic uint64_t *)((char *)&all[r] + offset), calls);
}

static void collective(enum collective c, float *in, float *out, size_t n) {
  if (c == BARRIER) {
    barrier();
    return;
  }
  if (c == IALLREDUCE) c = ALLREDUCE; /* nothing goes on by itself here */
  calls++;
  if (in_slots) {
    by_slots(c, in, out, n, c == REDUCESCATTER || c == ALLTOALL ? (size_t)size : 1);
    return;
  }
  together(&all[rank].entered, offsetof(struct shared, entered));
  mapped(c, in, out, n);
  together(&all[rank].done, offsetof(struct shared, done));
}

/* ---- messages ---- */

/* A long message is copied by both ranks, a half each. */
static void copy_half(float *from, float *to, size_t n) {
  size_t first = part_start(n, rank);
  together(&all[rank].entered, offsetof(struct shared, entered));
  copy(to + first, from + first, part_start(n, rank + 1) - first);
  if (stream) streamed();
  together(&all[rank].done, offsetof(struct shared, done));
}

static void there_and_back(float *in, float *out, size_t n) {
  size_t bytes = n * sizeof *in;
  for (int sender = 0; sender < 2; sender++) {
    if (!in_slots) {
      calls++;
      if (rank == sender) copy_half(in, of(1 - rank, out), n);
      else copy_half(of(1 - rank, in), out, n);
    } else if (rank == sender) {
      struct slot *s = &all[rank].mail[++sent & 1];
      copy((float *)s->payload, in, n);
      if (stream) streamed();
      tell(&s->flag, sent);
    } else {
      received++;
      memcpy(out, get(&all[sender].mail[received & 1], received), bytes);
    }
  }
}
