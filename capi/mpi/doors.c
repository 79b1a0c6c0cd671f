/* doors.c: the functions that the library exports. */
#include "shim.h"

#define EXPORTED __attribute__((visibility("default")))

/* Another thread may have found it just now. */
#define FIND_HOST()                                                     \
  if (UNLIKELY(!__atomic_load_n(&host_found, __ATOMIC_ACQUIRE))) find_host(__builtin_return_address(0))

/* PMPI_X serves or passes on; MPI_X leaves that to a profiler's, if there is one, which will call PMPI_X. */
#define DOOR(name, params, args)                                        \
  EXPORTED int PMPI_##name params {                                     \
    FIND_HOST();                                                        \
    return shim_##name args;                                            \
  }                                                                     \
  EXPORTED int MPI_##name params {                                      \
    FIND_HOST();                                                        \
    return UNLIKELY(next.name != NULL) ? next.name args : shim_##name args; \
  }
#define PROTOTYPE(name, params, args) EXPORTED int PMPI_##name params, MPI_##name params;

WRAPPED(PROTOTYPE)
WRAPPED(DOOR)
