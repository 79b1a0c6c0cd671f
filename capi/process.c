/* process.c: what must work without entering Go: a forked child, and the end of the process. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "barrier.h"
#include "internal.h"

uint64_t abort_request[MAX_COMMS];
static uint32_t *left_word[MAX_COMMS]; /* NULL where there is none */

static int forked;
static uint64_t *descriptors;
static size_t descriptor_words;

void watch_fork(uint64_t *bits, size_t words) {
  descriptor_words = words;
  __atomic_store_n(&descriptors, bits, __ATOMIC_RELEASE);
}

/* The child has the parent's descriptors but not its threads. Its copies are closed, so that the parent's end is seen by
 * its peers when it happens; the segments are not there at all (MADV_DONTFORK). */
static void in_child(void) {
  forked = 1;
  memset(left_word, 0, sizeof left_word);
  uint64_t *bits = __atomic_load_n(&descriptors, __ATOMIC_ACQUIRE);
  for (size_t i = 0; bits && i < descriptor_words; i++)
    for (uint64_t word = bits[i]; word; word &= word - 1) close((int)(i * 64) + __builtin_ctzll(word));
}

/* The runtime's own threads take the mask of the thread that starts it, between these two constructors. They block every
 * signal that Go does not need, so that the program's handlers run in the program's threads alone: on a goroutine's stack
 * of 2 KiB a handler without SA_ONSTACK would destroy the stack below. */
static sigset_t mask_at_load;

/* SIGURG is the runtime's own signal between its threads, but not here (asyncpreemptoff, in the Makefile): PETSc, for one,
 * takes it for an error. So the program keeps its handler. */
static struct sigaction urgent_at_load;

__attribute__((constructor(101))) static void before_runtime(void) {
  sigset_t all;
  sigfillset(&all);
  sigaction(SIGURG, NULL, &urgent_at_load);
  pthread_sigmask(SIG_SETMASK, &all, &mask_at_load);
  expect_runtime();
  register_for_barriers();
}

__attribute__((constructor)) static void after_runtime(void) {
  expect_no_runtime();
  sigaction(SIGURG, &urgent_at_load, NULL);
  pthread_sigmask(SIG_SETMASK, &mask_at_load, NULL);
  pthread_atfork(NULL, NULL, in_child);
}

int is_forked(void) { return forked; }

int refuse_fork(const char *function) {
  if (!forked) return 0;
  char text[256];
  int n = snprintf(text, sizeof text,
                   "%s: this process (pid %d) was forked after hcomm was loaded, and hcomm does not work in a forked "
                   "child: start it with exec (docs/errors/forked.md)",
                   function, (int)getpid());
  set_error(text, (size_t)n);
  return 1;
}

/* Held while the words are written, or taken off the list before their memory goes. */
static pthread_mutex_t words = PTHREAD_MUTEX_INITIALIZER;

void add_left_word(size_t index, uint32_t *word) {
  pthread_mutex_lock(&words);
  left_word[index] = word;
  pthread_mutex_unlock(&words);
}

void remove_left_word(size_t index, uint32_t *word) {
  pthread_mutex_lock(&words);
  if (left_word[index] == word) left_word[index] = NULL;
  pthread_mutex_unlock(&words);
}

/* A process that ends without hcommCommDestroy has left all the same; only one that is killed has died. Other threads may
 * still be in calls. */
__attribute__((destructor)) static void at_exit(void) {
  if (forked) return;
  pthread_mutex_lock(&words);
  for (size_t i = 0; i < MAX_COMMS; i++)
    if (left_word[i]) __atomic_store_n(left_word[i], 1, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&words);
}

/* Go calls run on stacks of a few KiB, and so would a signal handler that has not asked for the alternate stack. Go sees to
 * that for handlers that were there when it was loaded; this does for those that came since. */
void mend_signal_handlers(void) {
  for (int number = 1; number < NSIG; number++) {
    struct sigaction action;
    if (sigaction(number, NULL, &action) != 0 || action.sa_flags & SA_ONSTACK) continue;
    if (!(action.sa_flags & SA_SIGINFO) && (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)) continue;
    action.sa_flags |= SA_ONSTACK;
    sigaction(number, &action, NULL);
  }
}
