/* report.c: what was served and what was not, HCOMM_MPI_REPORT=1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "shim.h"

static const char *const reasons[WHYS] = {
    [NOT_SERVING] = "not started", [NOT_YET] = "first calls", [SWITCHED_OFF] = "switched off",
    [OUT_OF_LIMITS] = "out of limits", [INTERCOMMUNICATOR] = "intercommunicator", [ONE_RANK] = "one rank",
    [OTHER_HOSTS] = "several hosts", [NOT_STARTED] = "hcomm could not start", [USER_OPERATOR] = "operator",
    [NO_MATCH] = "type", [SLOWER] = "no faster", [WRONG_ARGUMENT] = "wrong argument", [TOO_LONG] = "too long",
    [NO_MEMORY] = "no memory", [UNEQUAL] = "unequal blocks"};

/* The classes of sizes: from each of these up to below the next. */
static const uint64_t classes[] = {0, 128, 2048, 32768, 524288, 8388608};
enum { CLASSES = sizeof classes / sizeof *classes, FORMS = 2 };

/* What was counted, for each collective, form and class: calls by why, and nanoseconds. */
struct row {
  int64_t calls[WHYS], nanoseconds;
};
static struct row rows[COLLECTIVES][FORMS][CLASSES];
enum { NUMBERS = sizeof rows / sizeof(int64_t) };

uint64_t report_clock(void) {
  if (LIKELY(!settings.report)) return 0;
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int class_of(uint64_t bytes) {
  int i = CLASSES - 1;
  while (bytes < classes[i]) i--;
  return i;
}

void count_call(enum collective c, int begun, uint64_t bytes, enum why why, uint64_t nanoseconds) {
  struct row *r = &rows[c][begun][class_of(bytes)];
  __atomic_fetch_add(&r->calls[why], 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&r->nanoseconds, (int64_t)nanoseconds, __ATOMIC_RELAXED);
}

static void print_row(enum collective c, int begun, int class, const struct row *r) {
  int64_t passed = 0;
  char name[32], range[48], why[256] = "";
  for (int w = SERVED + 1; w < WHYS; w++) {
    if (!r->calls[w]) continue;
    passed += r->calls[w];
    snprintf(why + strlen(why), sizeof why - strlen(why), "%s%s", *why ? ", " : "", reasons[w]);
  }
  if (!passed && !r->calls[SERVED]) return;
  snprintf(name, sizeof name, "%s%s", begun ? "i" : "", collective_names[c]);
  if (c == BARRIER) strcpy(range, "-");
  else if (class + 1 < CLASSES) snprintf(range, sizeof range, "%llu-%llu", (unsigned long long)classes[class], (unsigned long long)classes[class + 1] - 1);
  else snprintf(range, sizeof range, "%llu-", (unsigned long long)classes[class]);
  fprintf(stderr, "hcomm: %-21s %-15s %10lld %10lld %10.6f %s\n", name, range, (long long)r->calls[SERVED], (long long)passed,
          (double)r->nanoseconds / 1e9, why);
}

/* add_up gives rank 0 the sums of all ranks. Of a job on several hosts, where not all processes may be here, rank 0 has
 * its own. */
static int add_up(int64_t *sums) {
  if (here.count == world_size)
    return host.Reduce(rows, sums, NUMBERS, abi.int64, abi.sum, 0, abi.comm_world) == MPI_OK;
  memcpy(sums, rows, sizeof rows);
  return 1;
}

void print_report(void) {
  int64_t *sums = calloc(NUMBERS, sizeof *sums);
  if (!sums || !add_up(sums) || world_rank) {
    free(sums);
    return;
  }
  struct row(*all)[FORMS][CLASSES] = (struct row(*)[FORMS][CLASSES])sums;
  fprintf(stderr, "hcomm: collectives of %d ranks with %s: calls and seconds of all ranks\n", world_size, abi.name);
  fprintf(stderr, "hcomm: %-21s %-15s %10s %10s %10s %s\n", "collective", "bytes", "served", "passed_on", "seconds", "why");
  for (int c = 0; c < COLLECTIVES; c++)
    for (int f = 0; f < FORMS; f++)
      for (int k = 0; k < CLASSES; k++) print_row((enum collective)c, f, k, &all[c][f][k]);
  free(sums);
}
