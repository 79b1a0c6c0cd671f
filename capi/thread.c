/* thread.c: the last error of each thread. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_key(void) { pthread_key_create(&key, free); }

void set_error(const char *text, size_t length) {
  pthread_once(&once, make_key);
  char *copy = malloc(length + 1);
  if (!copy) return;
  memcpy(copy, text, length);
  copy[length] = 0;
  free(pthread_getspecific(key));
  pthread_setspecific(key, copy);
}

const char *hcommGetLastError(hcommComm_t comm) {
  (void)comm;
  pthread_once(&once, make_key);
  const char *text = pthread_getspecific(key);
  return text ? text : "";
}
