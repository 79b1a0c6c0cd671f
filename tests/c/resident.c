/* resident.c: how much memory is resident in each of many ranks once they have made all kinds of calls, and how long the
 * start takes.
 *
 * run: hcomm run -n 8 %p 16384
 * run: hcomm run -n 2 %p 16384
 */
#define _GNU_SOURCE
#include "check.h"

#include <sys/mman.h>

enum { MOST = 8 << 20, RANKS = 8, CALLS = 6 };

/* resident is how many KiB are in the library itself, its shared memory, and what is anonymous but for used bytes. */
static long resident(size_t used) {
  char line[512];
  long sum = -(long)(used >> 10), here;
  int counts = 0;
  FILE *f = fopen("/proc/self/smaps", "r");
  CHECK(f);
  while (fgets(line, sizeof line, f)) {
    unsigned long from, to;
    int end = 0;
    if (sscanf(line, "%lx-%lx %*s %*s %*s %*s %n", &from, &to, &end) == 2 && end)
      counts = !line[end] || strstr(line + end, "libhcomm") || strstr(line + end, "memfd:hcomm");
    else if (sscanf(line, "Rss: %ld kB", &here) == 1 && counts) sum += here;
  }
  fclose(f);
  return sum;
}

static char *pages(size_t bytes) {
  char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  CHECK(p != MAP_FAILED);
  return p;
}

int main(int argc, char **argv) {
  hcommComm_t comm;
  int rank, ranks;
  CHECK(argc == 2);
  double begun = now();
  OK(hcommCommInitEnv(&comm));
  double start = now() - begun;
  OK(hcommCommUserRank(comm, &rank));
  OK(hcommCommCount(comm, &ranks));
  check_rank = rank;
  CHECK(ranks <= RANKS);
  char *in = pages(MOST), *out = pages(MOST);
  for (int i = 0; i < CALLS; i++)
    for (size_t n = 8; n <= MOST; n *= 4) {
      size_t block = n / RANKS;
      OK(hcommAllReduce(in, out, n / 4, hcommFloat32, hcommSum, comm, NULL));
      OK(hcommReduce(in, out, n / 4, hcommFloat32, hcommSum, 0, comm, NULL));
      OK(hcommBroadcast(in, out, n, hcommInt8, 0, comm, NULL));
      OK(hcommAllGather(in, out, block, hcommInt8, comm, NULL));
      OK(hcommAlltoAll(in, out, block, hcommInt8, comm, NULL));
      OK(hcommReduceScatter(in, out, block / 4, hcommFloat32, hcommSum, comm, NULL));
    }
  long added = resident(2 * (size_t)MOST);
  printf("rank %d: %ld KiB are resident, the start took %.1f ms\n", rank, added, start);
  CHECK(added <= atol(argv[1]));
  CHECK(start < 5000);
  OK(hcommCommDestroy(comm));
  return 0;
}
