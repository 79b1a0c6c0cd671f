/* memory.c: MPI_Alloc_mem gives memory that the other processes can read in place. */
#include <stdlib.h>

#include "shim.h"

enum { SMALLEST = 64 * 1024 }; /* smaller messages go through slots anyway */

static struct piece {
  void *base;
  struct piece *next;
} *pieces;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int shim_Alloc_mem(intptr_t size, handle info, void *base) {
  struct piece *p = NULL;
  if (serving && here.count > 1 && size >= SMALLEST && !load_library() && (p = malloc(sizeof *p)) &&
      lib.MemAlloc(&p->base, (size_t)size) == hcommSuccess) {
    pthread_mutex_lock(&lock);
    p->next = pieces;
    pieces = p;
    pthread_mutex_unlock(&lock);
    *(void **)base = p->base;
    return MPI_OK;
  }
  free(p);
  return host.Alloc_mem(size, info, base);
}

int shim_Free_mem(void *base) {
  pthread_mutex_lock(&lock);
  struct piece **at = &pieces, *p;
  while ((p = *at) && p->base != base) at = &p->next;
  if (p) *at = p->next;
  pthread_mutex_unlock(&lock);
  if (!p) return host.Free_mem(base);
  lib.MemFree(base);
  free(p);
  return MPI_OK;
}
