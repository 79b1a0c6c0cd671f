/* held.h: what a process holds, for tests that nothing is left behind. */
#ifndef HELD_H
#define HELD_H

#include "check.h"

#include <dirent.h>

/* mappings counts those of this process that overlap n bytes at p, or those of them whose name has a word in it. */
static inline int mappings(const void *p, size_t n, const char *word) {
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

/* What a process holds; memory in KiB. */
struct held {
  int mappings, descriptors;
  long threads, resident, addresses;
};

static inline struct held held(void) {
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

/* The Go runtime may start some threads, each with its stack and its place for malloc, or map a little more for itself, at any
 * time. */
static inline void has_not_grown(struct held a, int threads) {
  struct held b = held();
  if (b.mappings > a.mappings + 4 * threads || b.descriptors > a.descriptors || b.threads > a.threads + threads ||
      b.resident > a.resident + 16384 || b.addresses > a.addresses + 65536 * (threads + 4))
    FAIL("mappings %d, then %d; descriptors %d, %d; threads %ld, %ld; resident %ld KiB, %ld; addresses %ld KiB, %ld",
         a.mappings, b.mappings, a.descriptors, b.descriptors, a.threads, b.threads, a.resident, b.resident, a.addresses,
         b.addresses);
}

#endif
