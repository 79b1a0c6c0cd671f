/* Many ranks: some cells of the table, and how much memory and how many descriptors a rank takes: at most 32 MiB and
 * 2*ranks+64.
 *
 * Memory is the growth of the proportional set size, in which what several processes map counts once, from before the
 * communicator is made to after the calls, for all ranks together and divided by their number.
 *
 * flags: -pthread
 * run: hcomm run -n 32 %p
 * run: %p threads 128
 * timeout: 120
 */
#include "call.h"
#include "ranks.h"

#include <dirent.h>

enum { MOST = 1000, LARGE = 60000, MOST_MEMORY = 32 /* MiB */ };

static double memory_before; /* of the process, in MiB */
static long descriptors_before;

static double memory_now(void) {
  char line[256];
  long kib = -1;
  FILE *f = fopen("/proc/self/smaps_rollup", "r");
  CHECK(f);
  while (fgets(line, sizeof line, f))
    if (sscanf(line, "Pss: %ld kB", &kib) == 1) break;
  fclose(f);
  CHECK(kib >= 0);
  return (double)kib / 1024;
}

static long descriptors_now(void) {
  DIR *d = opendir("/proc/self/fd");
  long n = 0;
  CHECK(d);
  while (readdir(d)) n++;
  closedir(d);
  return n - 3; /* ".", ".." and d's own */
}

static int32_t input(int rank, size_t i) { return (int32_t)(mix(i + (size_t)rank * LARGE * 4) % 1000); }

static int32_t expected(enum collective c, const struct rank *me, size_t count, int root, size_t i) {
  size_t own = (size_t)me->number * count;
  int32_t sum = 0;
  switch (c) {
  case BROADCAST: return input(root, i);
  case SCATTER: return input(root, own + i);
  case ALLGATHER: case GATHER: return input((int)(i / count), i % count);
  case ALLTOALL: return input((int)(i / count), own + i % count);
  default:
    for (int r = 0; r < me->size; r++) sum += input(r, c == REDUCESCATTER ? own + i : i);
    return sum;
  }
}

static void try_call(struct rank *me, enum collective c, size_t count, int root, int shared) {
  struct shape s = shape_of(c, me->number, root, me->size);
  size_t sent = (size_t)s.send * count, received = (size_t)s.recv * count;
  void *send = NULL, *recv = NULL;
  TRYING("%s of %zu, root %d%s", collectives[c].name, count, root, shared ? ", from hcommMemAlloc" : "");
  if (shared) {
    OK(hcommMemAlloc(&send, sent * 4));
    OK(hcommMemAlloc(&recv, received * 4));
  } else {
    CHECK((send = malloc(sent * 4 + 1)) && (recv = malloc(received * 4 + 1)));
  }
  for (size_t i = 0; i < sent; i++) ((int32_t *)send)[i] = input(me->number, i);
  OK(make_call(c, send, recv, count, hcommInt32, hcommSum, root, me->comm));
  for (size_t i = 0; i < received && (count <= MOST || me->number == root); i++) { /* of much, one rank's */
    int32_t got = ((int32_t *)recv)[i], want = expected(c, me, count, root, i);
    if (got != want) FAIL("element %zu is %d, not %d", i, got, want);
  }
  if (shared) {
    OK(hcommMemFree(send));
    OK(hcommMemFree(recv));
  } else {
    free(send), free(recv);
  }
}

/* report compares what a rank takes with its limits. Ranks that are threads have one process, for which rank 0 speaks. */
static void report(struct rank *me) {
  double taken[2] = {0, 0};
  int64_t descriptors = 0;
  if (!me->job || me->number == 0) {
    taken[0] = memory_before, taken[1] = memory_now();
    descriptors = descriptors_now() - descriptors_before;
  }
  TRYING("memory");
  OK(hcommBarrier(me->comm, NULL));
  OK(hcommAllReduce(taken, taken, 2, hcommFloat64, hcommSum, me->comm, NULL));
  OK(hcommAllReduce(&descriptors, &descriptors, 1, hcommInt64, hcommMax, me->comm, NULL));
  double memory = (taken[1] - taken[0]) / me->size, each = (double)descriptors / (me->job ? me->size : 1);
  if (me->number) return;
  printf("%d %s: %.2f MiB and %.1f descriptors for each rank\n", me->size, me->job ? "threads" : "processes", memory, each);
  if (memory > MOST_MEMORY) FAIL("%.2f MiB for each rank are more than %d", memory, MOST_MEMORY);
  if (each > 2 * me->size + 64) FAIL("%.1f descriptors for each rank are more than %d", each, 2 * me->size + 64);
}

static void body(struct rank *me) {
  static const size_t counts[] = {1, 3, MOST};
  rank_open(me);
  for (int c = 0; c <= BARRIER; c++)
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
      try_call(me, (enum collective)c, counts[i], c % 2 ? me->size - 1 : me->size / 2, (c + (int)i) % 2);
  for (int c = 0; c < BARRIER; c++)
    if (c == ALLREDUCE || c == REDUCE || c == BROADCAST) try_call(me, (enum collective)c, LARGE, me->size / 3, 0);
  report(me);
  TRYING("destroy");
  rank_close(me);
}

int main(int argc, char **argv) {
  int threads = ranks_wanted(&argc, argv);
  memory_before = memory_now();
  descriptors_before = descriptors_now();
  ranks_run(threads, body);
  return 0;
}
