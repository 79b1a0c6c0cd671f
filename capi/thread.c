/* thread.c: what each thread has: its last error, and the group that it is in. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "_cgo_export.h"

static pthread_key_t error_key, group_key;
static int have_group_key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

__thread struct thread_group thread_group __attribute__((tls_model("initial-exec"))); /* for gcc forgets what internal.h says */

static void drop_group(void *unused) {
  (void)unused;
  if (thread_group.number && !is_forked()) goDropGroup(thread_group.number);
  thread_group = (struct thread_group){0, 0};
}

static void make_keys(void) {
  pthread_key_create(&error_key, free);
  have_group_key = !pthread_key_create(&group_key, drop_group);
}

int keep_group(void) {
  pthread_once(&once, make_keys);
  return have_group_key && !pthread_setspecific(group_key, &thread_group);
}

void set_error(const char *text, size_t length) {
  pthread_once(&once, make_keys);
  char *copy = malloc(length + 1);
  if (!copy) return;
  memcpy(copy, text, length);
  copy[length] = 0;
  free(pthread_getspecific(error_key));
  pthread_setspecific(error_key, copy);
}

const char *hcommGetLastError(hcommComm_t comm) {
  (void)comm;
  pthread_once(&once, make_keys);
  const char *text = pthread_getspecific(error_key);
  return text ? text : "";
}
