/* signals.c: handlers that do not ask for the alternate stack interrupt calls: one that was there before the first
 * communicator, and one that came after it. The library's own threads take no signal of the program's, and it sends none.
 *
 * run: hcomm run -n 2 %p before 16384
 * run: hcomm run -n 2 %p after 4096
 * run: hcomm run -n 2 %p elsewhere 4096
 * run: hcomm run -n 2 %p urgent 4096
 */
#include "check.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

enum { CALLS = 2000, MOST = 20000 };

static size_t use;
static volatile long signals;

static void handler(int number) {
  volatile char room[use];
  memset((char *)room, number, use);
  signals++;
}

static void install(int number) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  CHECK(sigaction(number, &action, NULL) == 0);
}

/* A signal that this thread blocks stays pending: no other thread of the process lets it in. */
static void no_other_thread(void) {
  sigset_t alarm_alone, pending;
  sigemptyset(&alarm_alone);
  sigaddset(&alarm_alone, SIGALRM);
  install(SIGALRM);
  CHECK(sigprocmask(SIG_BLOCK, &alarm_alone, NULL) == 0);
  CHECK(kill(getpid(), SIGALRM) == 0);
  CHECK(sigpending(&pending) == 0 && sigismember(&pending, SIGALRM));
  CHECK(signals == 0);
  CHECK(sigprocmask(SIG_UNBLOCK, &alarm_alone, NULL) == 0);
  CHECK(signals == 1);
}

/* Go's runtime would interrupt a call after 10 ms, by a SIGURG. */
static void no_signal(hcommComm_t comm, int rank) {
  float one = 1, sum;
  install(SIGURG);
  for (int i = 0; i < 10; i++) {
    if (rank == 0) usleep(40000);
    OK(hcommAllReduce(&one, &sum, 1, hcommFloat32, hcommSum, comm, NULL));
  }
  CHECK(signals == 0);
  CHECK(raise(SIGURG) == 0);
  CHECK(signals == 1);
  OK(hcommCommDestroy(comm));
}

int main(int argc, char **argv) {
  static float in[MOST], out[MOST];
  static const size_t counts[] = {1, 1000, MOST};
  hcommComm_t comm;
  int rank;
  CHECK(argc == 3);
  use = (size_t)atol(argv[2]);
  if (!strcmp(argv[1], "before")) install(SIGALRM);
  OK(hcommCommInitEnv(&comm));
  OK(hcommCommUserRank(comm, &rank));
  check_rank = rank;
  if (!strcmp(argv[1], "after")) install(SIGALRM);
  if (!strcmp(argv[1], "elsewhere")) no_other_thread();
  if (!strcmp(argv[1], "urgent")) {
    no_signal(comm, rank);
    return 0;
  }
  struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
  CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
  for (int i = 0; i < CALLS; i++) {
    size_t n = counts[i % 3];
    for (size_t k = 0; k < n; k++) in[k] = (float)(rank + 1);
    OK(hcommAllReduce(in, out, n, hcommFloat32, hcommSum, comm, NULL));
    for (size_t k = 0; k < n; k++) CHECK(out[k] == 3);
  }
  CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
  CHECK(signals > 0);
  printf("rank %d: %ld signals in %d calls\n", rank, signals, CALLS);
  OK(hcommCommDestroy(comm));
  return 0;
}
