/* doors.c: the functions that the library exports. */
#include "shim.h"

#define EXPORTED __attribute__((visibility("default")))

/* PMPI_X serves or passes on; MPI_X leaves that to a profiler's, if there is one, which will call PMPI_X. */
#define DOOR(name, params, args)                                        \
  EXPORTED int PMPI_##name params {                                     \
    if (UNLIKELY(!host_found)) find_host(__builtin_return_address(0));  \
    return shim_##name args;                                            \
  }                                                                     \
  EXPORTED int MPI_##name params {                                      \
    if (UNLIKELY(!host_found)) find_host(__builtin_return_address(0));  \
    return UNLIKELY(next.name != NULL) ? next.name args : shim_##name args; \
  }
#define PROTOTYPE(name, params, args) EXPORTED int PMPI_##name params, MPI_##name params;

WRAPPED(PROTOTYPE)
WRAPPED(DOOR)
