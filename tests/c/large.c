/* 2^31 + 5 elements: an allreduce in place of int8 among two ranks; every element is verified. It takes 2 GiB for each rank
 * and some 20 s; where there is not so much memory free, it says so and does nothing.
 *
 *   large malloc|shared
 *
 * run: hcomm run -n 2 %p malloc
 * run: hcomm run -n 2 %p shared
 * timeout: 300
 */
#include "check.h"

static const size_t count = ((size_t)1 << 31) + 5, words = (size_t)1 << 28;

/* The input, eight elements at a time. */
static uint64_t input(int rank, size_t word) { return (word + 1) * 0x9e3779b97f4a7c15u + (uint64_t)rank * 0xd1b54a32d192ed03u; }

/* The sums of the eight elements of two words. */
static uint64_t add(uint64_t a, uint64_t b) {
  const uint64_t high = 0x8080808080808080u;
  return ((a & ~high) + (b & ~high)) ^ ((a ^ b) & high);
}

/* MiB that can be had */
static long available(void) {
  char line[128];
  long kib = 0;
  FILE *f = fopen("/proc/meminfo", "r");
  while (f && fgets(line, sizeof line, f))
    if (sscanf(line, "MemAvailable: %ld", &kib) == 1) break;
  if (f) fclose(f);
  return kib >> 10;
}

int main(int argc, char **argv) {
  int shared = argc > 1 && !strcmp(argv[1], "shared"), rank, size;
  double enough, start = now();
  hcommComm_t comm;
  void *block = NULL;
  OK(hcommCommInitEnv(&comm));
  OK(hcommCommUserRank(comm, &rank));
  OK(hcommCommCount(comm, &size));
  check_rank = rank;
  CHECK(size == 2);
  enough = available() > 2 * 2048 + 512;
  OK(hcommAllReduce(&enough, &enough, 1, hcommFloat64, hcommMin, comm, NULL));
  if (!enough) {
    if (rank == 0) printf("skipped: %ld MiB of memory are free, which is too little\n", available());
    return 0;
  }
  if (shared) OK(hcommMemAlloc(&block, count));
  else block = malloc(count);
  CHECK(block);
  char *x = block;
  uint64_t word;
  for (size_t w = 0; w < words; w++) {
    word = input(rank, w);
    memcpy(x + 8 * w, &word, 8);
  }
  word = input(rank, words);
  memcpy(x + 8 * words, &word, count % 8);
  double filled = now();
  OK(hcommAllReduce(x, x, count, hcommInt8, hcommSum, comm, NULL));
  double done = now();
  for (size_t w = 0; w < words; w++) {
    memcpy(&word, x + 8 * w, 8);
    if (word != add(input(0, w), input(1, w))) FAIL("one of the 8 elements from %zu on is wrong", 8 * w);
  }
  word = add(input(0, words), input(1, words));
  CHECK(!memcmp(x + 8 * words, &word, count % 8));
  if (rank == 0) printf("fill %.1f s, allreduce %.1f s, verify %.1f s\n", (filled - start) / 1e3, (done - filled) / 1e3,
                        (now() - done) / 1e3);
  if (shared) OK(hcommMemFree(block));
  else free(block);
  OK(hcommCommDestroy(comm));
  return 0;
}
