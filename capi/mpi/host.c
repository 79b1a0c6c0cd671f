/* host.c: which MPI is in the process. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

struct functions host, next;
int host_found;

static void *library; /* the host MPI's */

/* A program may be linked with the MPI, so that it comes behind this library, or have loaded something that is, with
 * symbols that only it sees. Then the caller's own library knows where to look. */
static void *find_init(void *caller) {
  void *init = dlsym(RTLD_NEXT, "PMPI_Init");
  Dl_info where;
  if (init || !dladdr(caller, &where) || !where.dli_fname) return init;
  void *object = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (!object) return NULL;
  init = dlsym(object, "PMPI_Init");
  dlclose(object);
  return init;
}

static int is_own(void *function) {
  Dl_info own, its;
  return dladdr((void *)find_host, &own) && dladdr(function, &its) && own.dli_fbase == its.dli_fbase;
}

/* missing ends the process: the program called a function of MPI that no library has. */
static void missing(const char *what) {
  fprintf(stderr, "hcomm: libhcomm_mpi.so finds no %s in this process: is the program linked with an MPI?\n", what);
  abort();
}

int absent(const char *name) {
  fprintf(stderr, "hcomm: this process called MPI_%s, which its MPI does not have\n", name);
  abort();
}

static void look_up(void) {
#define LOOK_UP(name, params, args) \
  *(void **)&host.name = dlsym(library, "PMPI_" #name); \
  if (!host.name) *(void **)&host.name = dlsym(library, "MPI_" #name);
  WRAPPED(LOOK_UP)
  CALLED(LOOK_UP)
#undef LOOK_UP
  *(void **)&host.Abi_get_version = dlsym(library, "PMPI_Abi_get_version");
}

/* A profiler's function is one that is neither the host MPI's nor this library's. */
static void look_up_profiler(void) {
#define LOOK_UP(name, params, args)                                          \
  *(void **)&next.name = dlsym(RTLD_NEXT, "MPI_" #name);                     \
  if (next.name && ((void *)next.name == dlsym(library, "MPI_" #name) || is_own((void *)next.name))) next.name = NULL;
  WRAPPED(LOOK_UP)
#undef LOOK_UP
}

static pthread_mutex_t finding = PTHREAD_MUTEX_INITIALIZER;

void find_host(void *caller) {
  pthread_mutex_lock(&finding);
  if (!host_found) {
    void *init = find_init(caller);
    Dl_info where;
    if (!init || is_own(init) || !dladdr(init, &where)) missing("PMPI_Init");
    library = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (!library) missing("library of PMPI_Init");
    look_up();
    look_up_profiler();
    __atomic_store_n(&host_found, 1, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&finding);
}

/* A program that is linked with objects of Open MPI may have copies of its own of them, which then are everyone's. */
void *symbol(const char *name) {
  void *found = dlsym(RTLD_DEFAULT, name);
  return found ? found : dlsym(library, name);
}
