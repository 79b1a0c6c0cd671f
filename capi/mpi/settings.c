/* settings.c: the HCOMM_MPI_* variables. settings/table.go has them for people. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "shim.h"

const char *const collective_names[COLLECTIVES] = {
    "allreduce", "reduce", "bcast", "allgather", "alltoall", "reduce_scatter_block", "gather", "scatter", "barrier"};

struct settings settings;

enum { ALL = (1 << COLLECTIVES) - 1 };

static int named(const char *name, size_t length) {
  for (int i = 0; i < COLLECTIVES; i++)
    if (strlen(collective_names[i]) == length && !strncmp(collective_names[i], name, length)) return i;
  return -1;
}

/* collectives reads a list such as allreduce,bcast, or ^alltoall for all others. */
static uint32_t collectives(const char *list) {
  uint32_t set = 0;
  int others = list && *list == '^';
  if (!list || !*list) return ALL;
  for (const char *at = list + others; *at;) {
    size_t length = strcspn(at, ",");
    int i = named(at, length);
    if (i >= 0) set |= 1u << i;
    else if (length)
      warn("HCOMM_MPI_COLLECTIVES: there is no %.*s; there are allreduce, reduce, bcast, allgather, alltoall, "
           "reduce_scatter_block, gather, scatter, barrier; all names after ^ are left out", (int)length, at);
    at += length + (at[length] == ',');
  }
  return others ? ALL & ~set : set;
}

static uint64_t number(const char *name, uint64_t lowest, uint64_t highest, uint64_t otherwise) {
  const char *text = getenv(name);
  if (!text || !*text) return otherwise;
  char *end;
  errno = 0;
  unsigned long long n = strtoull(text, &end, 10);
  if (!errno && !*end && *text >= '0' && *text <= '9' && n >= lowest && n <= highest) return n;
  warn("%s=%s is not a number from %llu to %llu; it is taken as %llu", name, text, (unsigned long long)lowest,
       (unsigned long long)highest, (unsigned long long)otherwise);
  return otherwise;
}

static int is_off(const char *text) {
  return text && (!strcasecmp(text, "off") || !strcmp(text, "0") || !strcasecmp(text, "no") || !strcasecmp(text, "false"));
}

int switched_off(void) { return is_off(getenv("HCOMM_MPI")); }

void read_settings(void) {
  settings = (struct settings){
      .collectives = collectives(getenv("HCOMM_MPI_COLLECTIVES")),
      .after = (uint32_t)number("HCOMM_MPI_AFTER", 1, 1u << 30, 0),
      .report = (uint32_t)number("HCOMM_MPI_REPORT", 0, 1, 0),
      .always = (uint32_t)number("HCOMM_MPI_ALWAYS", 0, 1, 0),
      .min_bytes = number("HCOMM_MPI_MIN_BYTES", 0, UINT64_MAX, 0),
      .max_bytes = number("HCOMM_MPI_MAX_BYTES", 0, UINT64_MAX, UINT64_MAX)};
}
