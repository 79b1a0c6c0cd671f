/* Preloaded, it makes a machine of any size one with a single processor. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <unistd.h>

long sysconf(int name) {
  long (*real)(int) = (long (*)(int))dlsym(RTLD_NEXT, "sysconf");
  return name == _SC_NPROCESSORS_ONLN ? 1 : real(name);
}
