/* Registered memory: it keeps its bytes and its neighbours theirs, and nothing is left of it.
 *
 *   register rules            what is refused, and what handles are good for
 *   register rounds [N]       N times (10000) one of many pieces of the heap is registered, used, and deregistered, while
 *                             four threads write to and check the others, which have parts of the same pages
 *   register memory [N]       N times (100) hcommMemAlloc of 64 MiB, use, hcommMemFree
 *
 * flags: -pthread
 * run: %p rules
 * run: hcomm run -n 2 %p rules
 * run: %p rounds
 * run: hcomm run -n 2 %p rounds 3000
 * run: %p rounds threads 2 3000
 * run: hcomm run -n 2 %p memory
 * slow: hcomm run -n 3 %p rounds 30000
 * slow: hcomm run -n 2 %p memory 1000
 * timeout: 120
 */
#define _GNU_SOURCE
#include "ranks.h"

#include <dirent.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

enum { PAGE = 65536, WRITERS = 4, PIECES = 61, LEAST = 3000, MOST = 23000, MIB = 1 << 20 };

static const char *mode = "rules";
static long times;

/* mappings counts those of this process that overlap n bytes at p, or those of them whose name has a word in it. */
static int mappings(const void *p, size_t n, const char *word) {
  char line[1024];
  int count = 0;
  FILE *f = fopen("/proc/self/maps", "r");
  CHECK(f);
  while (fgets(line, sizeof line, f)) {
    unsigned long from, to;
    CHECK(sscanf(line, "%lx-%lx", &from, &to) == 2);
    count += from < (uintptr_t)p + n && to > (uintptr_t)p && strstr(line, word);
  }
  fclose(f);
  return count;
}

static int is_shared(const void *p, size_t n) { return mappings(p, n, "memfd:hcomm-arena"); }

/* What a process holds; memory in KiB. */
struct held {
  int mappings, descriptors;
  long threads, resident, addresses;
};

static struct held held(void) {
  struct held h = {.mappings = mappings(NULL, SIZE_MAX, "")};
  char line[256];
  DIR *d = opendir("/proc/self/fd");
  FILE *f = fopen("/proc/self/status", "r");
  CHECK(d && f);
  while (readdir(d)) h.descriptors++;
  closedir(d);
  while (fgets(line, sizeof line, f)) {
    sscanf(line, "Threads: %ld", &h.threads);
    sscanf(line, "VmRSS: %ld", &h.resident);
    sscanf(line, "VmSize: %ld", &h.addresses);
  }
  fclose(f);
  return h;
}

/* The Go runtime may start a thread, with its stack, or map a little more for itself, at any time; and ranks that are
 * threads have files open that they read for this. */
static void has_not_grown(struct rank *me, struct held a) {
  int open = me->job ? 2 * me->size : 0;
  struct held b = held();
  if (b.mappings > a.mappings + 16 || b.descriptors > a.descriptors + open || b.threads > a.threads + 4 ||
      b.resident > a.resident + 16384 || b.addresses > a.addresses + 262144)
    FAIL("mappings %d, then %d; descriptors %d, %d; threads %ld, %ld; resident %ld KiB, %ld; addresses %ld KiB, %ld",
         a.mappings, b.mappings, a.descriptors, b.descriptors, a.threads, b.threads, a.resident, b.resident, a.addresses,
         b.addresses);
}

/* ------------------------------------------------------------------------------------------------------- rounds */

/* A piece of the heap has a byte for each of its places and its turn. */
struct piece {
  unsigned char *at;
  size_t size;
  unsigned turn;
};

static unsigned char byte_of(const struct piece *p, size_t i) { return (unsigned char)(mix(p->turn + i / 8) >> i % 8 * 8); }

static void fill(struct piece *p) {
  p->turn++;
  for (size_t i = 0; i < p->size; i++) p->at[i] = byte_of(p, i);
}

static void check(const struct piece *p, const char *when) {
  for (size_t i = 0; i < p->size; i++)
    if (p->at[i] != byte_of(p, i)) FAIL("%s, byte %zu of %zu is %u, not %u", when, i, p->size, p->at[i], byte_of(p, i));
}

/* Pieces with even numbers are the writers', the others are registered. */
struct heap {
  struct piece pieces[PIECES];
  int done;
};

struct writer {
  struct heap *heap;
  int number, rank;
  long rounds;
};

static void *write_neighbours(void *p) {
  struct writer *w = p;
  check_rank = w->rank;
  TRYING("writer %d", w->number);
  while (!__atomic_load_n(&w->heap->done, __ATOMIC_ACQUIRE)) {
    for (int i = 2 * w->number; i < PIECES; i += 2 * WRITERS) {
      check(&w->heap->pieces[i], "a neighbour");
      fill(&w->heap->pieces[i]);
    }
    w->rounds++;
  }
  return NULL;
}

/* use_together has the piece read by the others. */
static void use_together(struct rank *me, struct piece *p) {
  static const hcommRedOp_t op = hcommMax;
  size_t n = LEAST;
  unsigned char *out = malloc(n * (size_t)me->size);
  CHECK(out);
  OK(hcommAllGather(p->at + 1, out, n - 1, hcommUint8, me->comm, NULL));
  CHECK(!memcmp(out + (size_t)me->number * (n - 1), p->at + 1, n - 1));
  OK(hcommAllReduce(p->at, out, n, hcommUint8, op, me->comm, NULL));
  for (size_t i = 0; i < n; i++) CHECK(out[i] >= p->at[i]);
  free(out);
}

static void one_round(struct rank *me, struct heap *heap, uint64_t *random, int together) {
  struct piece *p = &heap->pieces[1 + next_random(random) % (PIECES / 2) * 2];
  void *handle = NULL;
  OK(hcommCommRegister(me->comm, p->at, p->size, &handle));
  CHECK(handle);
  check(p, "registered");
  fill(p);
  if (together) use_together(me, p);
  check(p, "used");
  OK(hcommCommDeregister(me->comm, handle));
  check(p, "deregistered");
}

static void rounds(struct rank *me) {
  struct heap *heap = calloc(1, sizeof *heap);
  struct writer writers[WRITERS];
  pthread_t ids[WRITERS];
  uint64_t random = (uint64_t)me->number;
  size_t size = 0;
  CHECK(heap);
  for (int i = 0; i < PIECES; i++) size += heap->pieces[i].size = LEAST + next_random(&random) % (MOST - LEAST);
  unsigned char *area = malloc(size), *at = area;
  CHECK(area);
  for (int i = 0; i < PIECES; at += heap->pieces[i++].size) {
    heap->pieces[i].at = at;
    fill(&heap->pieces[i]);
  }
  int before = mappings(area, size, "");
  for (int i = 0; i < WRITERS; i++) {
    writers[i] = (struct writer){heap, i, me->number, 0};
    CHECK(!pthread_create(&ids[i], NULL, write_neighbours, &writers[i]));
  }
  struct held start = held();
  for (long i = 0; i < (times ? times : 10000); i++) {
    TRYING("round %ld", i);
    one_round(me, heap, &random, i % 16 == 0);
    if (i == 200) start = held();
  }
  TRYING("after the rounds");
  has_not_grown(me, start);
  __atomic_store_n(&heap->done, 1, __ATOMIC_RELEASE);
  for (int i = 0; i < WRITERS; i++) pthread_join(ids[i], NULL);
  for (int i = 0; i < WRITERS; i++) CHECK(writers[i].rounds > 0);
  for (int i = 0; i < PIECES; i++) check(&heap->pieces[i], "at the end");
  if (!me->job && mappings(area, size, "") > before) FAIL("%d mappings, then %d", before, mappings(area, size, ""));
  free(area), free(heap);
}

/* ------------------------------------------------------------------------------------------------------- memory */

static void memory(struct rank *me) {
  enum { SIZE = 64 * MIB, USED = 256 * 1024 };
  struct held start = {0};
  for (long i = 0; i < (times ? times : 100); i++) {
    TRYING("time %ld", i);
    int32_t *p = NULL;
    OK(hcommMemAlloc((void **)&p, SIZE));
    for (size_t k = 0; k < SIZE / sizeof *p; k += 1024) CHECK(p[k]++ == 0);
    size_t at = mix((uint64_t)i) % (SIZE / sizeof *p - USED);
    for (size_t k = 0; k < USED; k++) p[at + k] = (int32_t)k + me->number;
    OK(hcommAllReduce(p + at, p + at, USED, hcommInt32, hcommSum, me->comm, NULL));
    for (size_t k = 0; k < USED; k++) CHECK(p[at + k] == (int32_t)k * me->size + me->size * (me->size - 1) / 2);
    OK(hcommMemFree(p));
    if (i == 10) start = held();
  }
  has_not_grown(me, start);
}

/* -------------------------------------------------------------------------------------------------------- rules */

static char zeros[8 * PAGE], data[8 * PAGE] = {1};
static const char constants[4 * PAGE] = {1};

static void *map(size_t n, int access, int flags, int file) {
  void *p = mmap(NULL, n, access, flags, file, 0);
  CHECK(p != MAP_FAILED);
  return p;
}

static void refused(struct rank *me, const char *words, const void *p, size_t n) {
  void *handle = &handle;
  TRYING("%zu bytes at %p", n, p);
  FAILS(hcommInvalidArgument, words, hcommCommRegister(me->comm, (void *)(uintptr_t)p, n, &handle));
  CHECK(!handle);
}

static void other_memory(struct rank *me) {
  enum { BOTH = PROT_READ | PROT_WRITE, PRIVATE = MAP_PRIVATE | MAP_ANONYMOUS };
  int file = memfd_create("a-file", 0);
  CHECK(file >= 0 && !ftruncate(file, 4 * PAGE));
  char *hole = map(4 * PAGE, BOTH, PRIVATE, -1), *fixed = map(4 * PAGE, BOTH, PRIVATE, -1);
  char *mapped = map(4 * PAGE, BOTH, MAP_PRIVATE, file), *shared = map(4 * PAGE, BOTH, MAP_SHARED | MAP_ANONYMOUS, -1);
  char *locked = map(4 * PAGE, BOTH, PRIVATE, -1), *code = map(4 * PAGE, BOTH | PROT_EXEC, PRIVATE, -1);
  char on_stack[4 * PAGE];
  CHECK(!munmap(hole + 2 * PAGE, PAGE) && !mprotect(fixed + PAGE, PAGE, PROT_READ));
  memset(locked, 7, 4 * PAGE);
  memset(on_stack, 7, sizeof on_stack);
  refused(me, "hcommCommRegister;there is no memory at", hole, 4 * PAGE);
  refused(me, "not readable and writable;malloc", fixed, 4 * PAGE);
  refused(me, "a-file", mapped, 4 * PAGE);
  refused(me, "shared", shared, 4 * PAGE);
  refused(me, "executable", code, 4 * PAGE);
  refused(me, "of /", data, sizeof data);
  refused(me, "page at", constants, sizeof constants);
  if (!me->job) refused(me, "of the stack", on_stack, sizeof on_stack); /* a thread's is memory as from mmap */
  if (!syscall(SYS_mlock, locked + PAGE, PAGE)) { /* AddressSanitizer's mlock does nothing */
    refused(me, "locked (mlock)", locked, 4 * PAGE);
    for (size_t i = 0; i < 4 * PAGE; i++) CHECK(locked[i] == 7);
  }
  munmap(hole, 4 * PAGE), munmap(fixed, 4 * PAGE), munmap(mapped, 4 * PAGE), munmap(shared, 4 * PAGE);
  munmap(locked, 4 * PAGE), munmap(code, 4 * PAGE), close(file);
}

static void bad_arguments(struct rank *me, char *buffer) {
  void *handle = NULL;
  refused(me, "buff is NULL;size is 8", NULL, 8);
  refused(me, "buff is 0x10, which is no address", (void *)16, 8);
  refused(me, "last address", buffer, SIZE_MAX);
  refused(me, "last address", buffer, SIZE_MAX - (uintptr_t)buffer);
  TRYING("bad arguments");
  FAILS(hcommInvalidArgument, "handle is NULL", hcommCommRegister(me->comm, buffer, 10, NULL));
  FAILS(hcommInvalidArgument, "hcommCommRegister;comm is NULL", hcommCommRegister(NULL, buffer, 10, &handle));
  FAILS(hcommInvalidArgument, "comm is 0x1267", hcommCommRegister((hcommComm_t)4711, buffer, 10, &handle));
  for (uintptr_t bad = 0; bad < 3; bad++)
    FAILS(hcommInvalidArgument, "hcommCommDeregister;handle is", hcommCommDeregister(me->comm, (void *)(bad + UINTPTR_MAX)));
}

/* little is registered without any effect. */
static void little(struct rank *me, void *p, size_t n) {
  void *handle = NULL;
  TRYING("%zu bytes at %p", n, p);
  OK(hcommCommRegister(me->comm, p, n, &handle));
  CHECK(handle);
  OK(hcommCommDeregister(me->comm, handle));
  FAILS(hcommInvalidArgument, "deregistered already", hcommCommDeregister(me->comm, handle));
}

static void handles(struct rank *me, char *buffer) {
  hcommComm_t other;
  void *one = NULL, *two = NULL, *three = NULL;
  TRYING("handles");
  OK(hcommCommInitAll(&other, 1, NULL));
  OK(hcommCommRegister(me->comm, buffer, 4 * PAGE, &one));
  OK(hcommCommRegister(other, buffer, 4 * PAGE, &two));
  CHECK(one != two && is_shared(buffer, 4 * PAGE));
  refused(me, "overlap", buffer, 4 * PAGE - 1);
  refused(me, "overlap", buffer + PAGE, 5 * PAGE);
  FAILS(hcommInvalidArgument, "none of a registration on comm", hcommCommDeregister(other, one));
  OK(hcommCommDeregister(me->comm, one));
  FAILS(hcommInvalidArgument, "handle is", hcommCommDeregister(me->comm, one));
  CHECK(is_shared(buffer, 4 * PAGE));
  OK(hcommCommDestroy(other));
  CHECK(is_shared(buffer, 4 * PAGE)); /* nobody's writes are disturbed */
  OK(hcommCommRegister(me->comm, buffer, 4 * PAGE, &three));
  OK(hcommCommDeregister(me->comm, three));
  OK(hcommCommDeregister(other, two));
  CHECK(!is_shared(buffer, 4 * PAGE));
}

/* What is freed too early: the addresses are left alone. */
static void freed_too_early(struct rank *me) {
  void *handle = NULL, *again = NULL;
  char *p = map(4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  TRYING("unmapped, and others' memory there");
  OK(hcommCommRegister(me->comm, p, 4 * PAGE, &handle));
  CHECK(mmap(p, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == p);
  p[PAGE] = 5;
  OK(hcommCommRegister(me->comm, p, 4 * PAGE, &again));
  OK(hcommCommDeregister(me->comm, handle));
  OK(hcommCommDeregister(me->comm, again));
  OK(hcommCommRegister(me->comm, p, 4 * PAGE, &handle));
  CHECK(!munmap(p, 4 * PAGE));
  FAILS(hcommInvalidUsage, "unmapped", hcommCommDeregister(me->comm, handle));
  FAILS(hcommInvalidArgument, "handle is", hcommCommDeregister(me->comm, handle));
}

static void forked(struct rank *me, char *buffer) {
  void *handle = NULL;
  TRYING("a forked child");
  OK(hcommCommRegister(me->comm, buffer, 4 * PAGE, &handle));
  buffer[PAGE] = 1;
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    int r = hcommCommDeregister(me->comm, handle) == hcommInvalidUsage && buffer[PAGE] == 1;
    buffer[PAGE] = 2;
    _exit(!r);
  }
  int status;
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  CHECK(buffer[PAGE] == 2);
  OK(hcommCommDeregister(me->comm, handle));
  CHECK(buffer[PAGE] == 2);
}

static void rules(struct rank *me) {
  void *handle = NULL, *shared = NULL;
  char *buffer = NULL;
  CHECK(!posix_memalign((void **)&buffer, PAGE, 8 * PAGE));
  memset(buffer, 1, 8 * PAGE);
  bad_arguments(me, buffer);
  OK(hcommMemAlloc(&shared, 8 * PAGE));
  little(me, NULL, 0);
  little(me, buffer, 0);
  little(me, buffer, 4095);
  little(me, buffer + 1, 8190);
  little(me, shared, 8 * PAGE);
  little(me, (char *)shared + PAGE, PAGE);
  OK(hcommMemFree(shared));
  OK(hcommCommRegister(me->comm, buffer, 8 * PAGE, &handle));
  int works = is_shared(buffer, 8 * PAGE);
  OK(hcommCommDeregister(me->comm, handle));
  if (works) { /* not under valgrind */
    other_memory(me);
    handles(me, buffer);
    freed_too_early(me);
    forked(me, buffer);
    if (me->number == 0) little(me, zeros, sizeof zeros);
  }
  free(buffer);
  OK(hcommBarrier(me->comm, NULL));
}

static void body(struct rank *me) {
  rank_open(me);
  if (!strcmp(mode, "rounds")) rounds(me);
  else if (!strcmp(mode, "memory")) memory(me);
  else rules(me);
  rank_close(me);
}

int main(int argc, char **argv) {
  int threads = ranks_wanted(&argc, argv);
  if (argc > 1) mode = argv[1];
  if (argc > 2) times = atol(argv[2]);
  mallopt(M_MMAP_THRESHOLD, 1 << 30); /* pieces of the heap, not mappings of their own */
  if (!getenv("HCOMM_RANK")) {
    setenv("HCOMM_RANK", "0", 1);
    setenv("HCOMM_SIZE", "1", 1);
  }
  ranks_run(threads, body);
  return 0;
}
