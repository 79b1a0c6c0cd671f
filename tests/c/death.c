/* The end of a rank in the middle of a loop of allreduces.
 *
 *   death kill FILE BYTES    the last rank but one kills itself with SIGKILL; FILE is where it says when. The others get
 *                            hcommRemoteError naming it, and print how long after the kill, and how long after the kernel
 *                            had ended the process: on a busy machine its threads may take a while to run to their end
 *   death return             it returns from main without hcommCommDestroy: it has left, it has not died
 *   death exit               it calls exit in a function that it is in
 *   death exit-thread        it calls exit in another thread while it is in a call
 *   death destroy            it calls hcommCommDestroy and lives on
 *
 * tests/death.sh does the kills, 20 of each size, and looks at what is left behind.
 *
 * flags: -pthread
 * run: tests/death.sh %p
 * run: hcomm run -n 4 %p return
 * run: hcomm run -n 4 %p exit
 * run: hcomm run -n 4 %p exit-thread
 * run: hcomm run -n 4 %p destroy
 * run: hcomm run -n 2 %p return
 * timeout: 180
 */
#include "ranks.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum { CALLS = 50 };

static int rank, size, victim;
static double *killed; /* when, shared by all ranks */

static void *kill_self(void *unused) {
  uint64_t random = (uint64_t)getpid();
  (void)unused;
  pause_ms(10 + (double)(next_random(&random) % 20000) * 1e-3);
  *(volatile double *)killed = now();
  kill(getpid(), SIGKILL);
  return NULL;
}

/* watch notes when the kernel says that the victim's process has ended. */
struct watch {
  int fd;
  double ended;
};

static void *watch(void *watch) {
  struct watch *w = watch;
  struct pollfd p = {w->fd, POLLIN, 0};
  while (poll(&p, 1, -1) < 0) continue;
  w->ended = now();
  return NULL;
}

static void *exit_now(void *unused) {
  (void)unused;
  pause_ms(15);
  exit(0);
}

/* loop makes allreduces until one fails, or this many. */
static hcommResult_t loop(hcommComm_t comm, int32_t *x, size_t count, long calls) {
  for (long i = 0; i < calls; i++) {
    x[0] = x[count - 1] = 1;
    hcommResult_t r = hcommAllReduce(x, x, count, hcommInt32, hcommSum, comm, NULL);
    if (r != hcommSuccess) return r;
    CHECK(x[0] == size && x[count - 1] == size);
  }
  return hcommSuccess;
}

static void end(const char *how, hcommComm_t comm, int32_t *x, size_t count) {
  pthread_t id;
  if (!strcmp(how, "kill") || !strcmp(how, "exit-thread")) {
    OK(loop(comm, x, count, 1)); /* all are in the loop, where they may be told */
    CHECK(!pthread_create(&id, NULL, *how == 'k' ? kill_self : exit_now, NULL));
    loop(comm, x, count, 1 << 30);
    for (;;) pause(); /* exit in another thread ends the loop, perhaps before it ends the process */
  }
  OK(loop(comm, x, count, CALLS));
  if (!strcmp(how, "exit")) exit(0);
  if (strcmp(how, "destroy")) return;
  OK(hcommCommDestroy(comm));
  pause_ms(300);
}

int main(int argc, char **argv) {
  hcommComm_t comm;
  CHECK(argc > 1);
  const char *how = argv[1];
  size_t count = (argc > 3 ? (size_t)atol(argv[3]) : 4096) / 4;
  OK(hcommCommInitEnv(&comm));
  OK(hcommCommUserRank(comm, &rank));
  OK(hcommCommCount(comm, &size));
  check_rank = rank;
  victim = size - 2;
  if (argc > 2) {
    int fd = open(argv[2], O_RDWR | O_CREAT, 0600);
    CHECK(fd >= 0 && !ftruncate(fd, sizeof *killed));
    killed = mmap(NULL, sizeof *killed, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    CHECK(killed != MAP_FAILED);
    close(fd);
  }
  int32_t *x = calloc(count, sizeof *x);
  CHECK(x);
  int32_t pid = getpid();
  OK(hcommBroadcast(&pid, &pid, 1, hcommInt32, victim, comm, NULL));
  OK(hcommBarrier(comm, NULL));
  if (rank == victim) {
    end(how, comm, x, count);
    return 0;
  }
  pthread_t id;
  struct watch w = {.fd = (int)syscall(SYS_pidfd_open, pid, 0)};
  if (killed) CHECK(w.fd >= 0 && !pthread_create(&id, NULL, watch, &w));
  char words[64], sentence[512];
  snprintf(words, sizeof words, "rank %d (host ;pid ;%s", victim, *how == 'k' ? "died" : "left");
  FAILS(hcommRemoteError, words, loop(comm, x, count, 1 << 30));
  double told = now();
  snprintf(sentence, sizeof sentence, "%s", strchr(hcommGetLastError(comm), ':'));
  FAILS(hcommRemoteError, sentence, hcommBarrier(comm, NULL)); /* poisoned, by the same */
  FAILS(hcommRemoteError, sentence, loop(comm, x, 2, 1));
  if (killed) {
    pthread_join(id, NULL);
    printf("rank %d: after %.2f ms, %.2f ms after its end%s\n", rank, told - *killed, told - w.ended, sentence);
  }
  OK(hcommCommDestroy(comm));
  return 0;
}
