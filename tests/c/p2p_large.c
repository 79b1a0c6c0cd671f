/* A message of 2^31 + 5 bytes between two ranks, by HCOMM_Send_c and HCOMM_Recv_c; every byte is verified. It takes 2 GiB
 * for each rank and some seconds; where there is not so much memory free, it says so and does nothing.
 *
 *   p2p_large malloc|shared
 *
 * run: hcomm run -n 2 %p malloc
 * run: hcomm run -n 2 %p shared
 * timeout: 300
 */
#include "check.h"

static const size_t bytes = ((size_t)1 << 31) + 5, words = (size_t)1 << 28;

static uint64_t input(size_t word) { return (word + 1) * 0x9e3779b97f4a7c15u; }

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
  int shared = argc > 1 && !strcmp(argv[1], "shared"), rank, count = 0;
  HCOMM_Count long_count = 0;
  HCOMM_Status status;
  void *block = NULL;
  OK(HCOMM_Init(&argc, &argv));
  OK(HCOMM_Comm_rank(HCOMM_COMM_WORLD, &rank));
  check_rank = rank;
  int enough = available() > 2 * 2048 + 512;
  OK(HCOMM_Allreduce(HCOMM_IN_PLACE, &enough, 1, HCOMM_INT, HCOMM_MIN, HCOMM_COMM_WORLD));
  if (!enough) {
    if (rank == 0) printf("skipped: %ld MiB of memory are free, which is too little\n", available());
    return HCOMM_Finalize();
  }
  if (shared) OK(hcommMemAlloc(&block, bytes));
  else block = malloc(bytes);
  CHECK(block);
  char *x = block;
  for (size_t w = 0; w <= words; w++) {
    uint64_t word = rank == 0 ? input(w) : 0;
    memcpy(x + 8 * w, &word, w < words ? 8 : bytes % 8);
  }
  OK(HCOMM_Barrier(HCOMM_COMM_WORLD));
  double begun = now();
  if (rank == 0) {
    OK(HCOMM_Send_c(x, (HCOMM_Count)bytes, HCOMM_BYTE, 1, 3, HCOMM_COMM_WORLD));
    printf("sent in %.1f s\n", (now() - begun) / 1e3);
  } else if (rank == 1) {
    OK(HCOMM_Recv_c(x, (HCOMM_Count)bytes, HCOMM_BYTE, 0, 3, HCOMM_COMM_WORLD, &status));
    OK(HCOMM_Get_count(&status, HCOMM_BYTE, &count));
    OK(HCOMM_Get_count_c(&status, HCOMM_BYTE, &long_count));
    CHECK(count == HCOMM_UNDEFINED && long_count == (HCOMM_Count)bytes);
    for (size_t w = 0; w <= words; w++) {
      uint64_t word = input(w);
      if (memcmp(x + 8 * w, &word, w < words ? 8 : bytes % 8)) FAIL("one of the 8 bytes from %zu on is wrong", 8 * w);
    }
  }
  if (shared) OK(hcommMemFree(block));
  else free(block);
  return HCOMM_Finalize();
}
