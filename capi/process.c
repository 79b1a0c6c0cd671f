/* process.c: what must work without entering Go: a forked child, and the end of the process. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

uint64_t abort_request[MAX_COMMS];
uint32_t *left_word[MAX_COMMS];

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

__attribute__((constructor)) static void at_load(void) { pthread_atfork(NULL, NULL, in_child); }

int refuse_fork(const char *function) {
  if (!forked) return 0;
  char text[256];
  int n = snprintf(text, sizeof text,
                   "%s: this process (pid %d) was forked after hcomm was loaded, and hcomm does not work in a forked "
                   "child: start it with exec",
                   function, (int)getpid());
  set_error(text, (size_t)n);
  return 1;
}

/* A process that ends without hcommCommDestroy has left all the same; only one that is killed has died. */
__attribute__((destructor)) static void at_exit(void) {
  if (forked) return;
  for (size_t i = 0; i < MAX_COMMS; i++) {
    uint32_t *word = __atomic_load_n(&left_word[i], __ATOMIC_ACQUIRE);
    if (word) __atomic_store_n(word, 1, __ATOMIC_RELEASE);
  }
}
