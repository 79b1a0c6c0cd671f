/* monitor.c: between calls that are far apart the library's own threads sleep: the runtime's monitor does not look around
 * after each of them (capi/monitor.c).
 *
 * run: hcomm run -n 2 %p
 */
#include "check.h"

#include <dirent.h>
#include <unistd.h>

enum { ROUNDS = 30, APART_MS = 15, COUNT = 16 << 10, MOST = 10 /* switches per round; 15 to 50 if it does */ };

/* How often the threads of this process have given up the processor, but for the main thread. */
static long switches(void) {
  char path[64], line[256];
  long sum = 0, n;
  DIR *tasks = opendir("/proc/self/task");
  CHECK(tasks);
  for (struct dirent *e; (e = readdir(tasks));) {
    if (atol(e->d_name) <= 0 || atol(e->d_name) == getpid()) continue;
    snprintf(path, sizeof path, "/proc/self/task/%ld/status", atol(e->d_name));
    FILE *f = fopen(path, "r");
    if (!f) continue; /* it has ended */
    while (fgets(line, sizeof line, f))
      if (sscanf(line, "voluntary_ctxt_switches: %ld", &n) == 1) sum += n;
    fclose(f);
  }
  closedir(tasks);
  return sum;
}

static void compute(void) {
  struct timespec t = {0, APART_MS * 1000000L};
  nanosleep(&t, NULL);
}

int main(void) {
  static float data[COUNT];
  hcommComm_t comm;
  OK(hcommCommInitEnv(&comm));
  OK(hcommCommUserRank(comm, &check_rank));
  long before = 0;
  for (int round = -5; round < ROUNDS; round++) {
    if (round == 0) before = switches();
    compute();
    OK(hcommAllReduce(data, data, COUNT, hcommFloat32, hcommSum, comm, NULL));
  }
  long each = (switches() - before) / ROUNDS;
  if (each > MOST) FAIL("the library's threads have run %ld times after each call, not %d times at most", each, (int)MOST);
  OK(hcommCommDestroy(comm));
  return 0;
}
