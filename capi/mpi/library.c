/* library.c: libhcomm.so, which is loaded when it is first needed: its runtime starts threads. */
#include <dlfcn.h>
#include <stdio.h>

#include "shim.h"

struct library lib;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char why[512];

/* The library beside this one is found by this one's run path. */
static void load(void) {
  const char *limit = limited();
  if (limit) {
    snprintf(why, sizeof why, "%s", limit);
    return;
  }
  void *library = dlopen("libhcomm.so.1", RTLD_NOW | RTLD_LOCAL);
  const char *error;
  if (!library) {
    snprintf(why, sizeof why, "%s", (error = dlerror()) ? error : "libhcomm.so.1 cannot be loaded");
    return;
  }
#define LIBRARY(result, name, params)                                                       \
  if (!(*(void **)&lib.name = dlsym(library, "hcomm" #name))) {                            \
    snprintf(why, sizeof why, "libhcomm.so.1 has no hcomm" #name ": it is of another version"); \
    return;                                                                                 \
  }
#include "library.h"
#undef LIBRARY
  lib.SetProgress(progress, NULL);
}

const char *load_library(void) {
  pthread_once(&once, load);
  return *why ? why : NULL;
}
