/* exit.c: a process may end while its other threads make and destroy communicators.
 *
 * flags: -pthread
 * run: %p
 */
#include "check.h"

#include <pthread.h>
#include <sys/wait.h>

enum { THREADS = 4, TIMES = 60 };

static void *make_and_destroy(void *unused) {
  (void)unused;
  for (;;) {
    hcommComm_t comm;
    OK(hcommCommInitAll(&comm, 1, NULL));
    OK(hcommCommDestroy(comm));
  }
  return NULL;
}

/* The program again, for a fork of one that has loaded the library would be refused. */
static void once(int time) {
  pthread_t thread;
  for (int i = 0; i < THREADS; i++) CHECK(pthread_create(&thread, NULL, make_and_destroy, NULL) == 0);
  pause_ms(2 + time * 37 % 9);
  exit(0);
}

int main(int argc, char **argv) {
  if (argc == 2) once(atoi(argv[1]));
  for (int time = 0; time < TIMES; time++) {
    char number[16];
    snprintf(number, sizeof number, "%d", time);
    pid_t child = fork();
    CHECK(child >= 0);
    if (!child) {
      execl("/proc/self/exe", argv[0], number, (char *)NULL);
      _exit(127);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    TRYING("time %d", time);
    if (!WIFEXITED(status) || WEXITSTATUS(status)) FAIL("the process ended with the wait status %#x", (unsigned)status);
  }
  printf("%d processes ended in the middle of it\n", TIMES);
  return 0;
}
