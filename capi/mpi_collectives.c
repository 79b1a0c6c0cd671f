/* mpi_collectives.c: the collectives of the HCOMM_* half of hcomm.h that are begun, at once or by HCOMM_Start. Their rules
 * are in Go.
 *
 * Each has two forms, and each of these has counts of int and of HCOMM_Count. The macros below make the functions of a
 * collective from its parameters, a macro that takes the type of counts, and from what Go is given of them. */
#include "_cgo_export.h"
#include "mpi_collectives.h"

#define BEGUN(name, PARAMETERS, call, ...)                          \
  int HCOMM_##name(PARAMETERS, HCOMM_Request *request) {            \
    GUARD("HCOMM_" #name);                                          \
    struct form form = {0, NUMBER(HCOMM_INFO_NULL), NUMBER(request)}; \
    return call(__VA_ARGS__, &form);                                \
  }

#define PERSISTENT(name, PARAMETERS, call, ...)                     \
  int HCOMM_##name(PARAMETERS, HCOMM_Info info, HCOMM_Request *request) { \
    GUARD("HCOMM_" #name);                                          \
    struct form form = {1, NUMBER(info), NUMBER(request)};          \
    return call(__VA_ARGS__, &form);                                \
  }

#define REQUESTS(begun, persistent, PARAMETERS, ...)                \
  BEGUN(begun, PARAMETERS(int), __VA_ARGS__)                        \
  BEGUN(begun##_c, PARAMETERS(HCOMM_Count), __VA_ARGS__)            \
  PERSISTENT(persistent, PARAMETERS(int), __VA_ARGS__)              \
  PERSISTENT(persistent##_c, PARAMETERS(HCOMM_Count), __VA_ARGS__)

REQUESTS(Ibcast, Bcast_init, ROOTED_BUFFER, goMPIBcast, NUMBER(buffer), count, NUMBER(datatype), root, NUMBER(comm))
REQUESTS(Ireduce, Reduce_init, ROOTED_REDUCTION, goMPIReduce, REDUCED, root, NUMBER(comm))
REQUESTS(Ireduce_scatter_block, Reduce_scatter_block_init, REDUCTION, goMPIReduceScatterBlock, REDUCED, NUMBER(comm))
REQUESTS(Iallgather, Allgather_init, MOVEMENT, goMPIAllgather, SIDES, NUMBER(comm))
REQUESTS(Ialltoall, Alltoall_init, MOVEMENT, goMPIAlltoall, SIDES, NUMBER(comm))
REQUESTS(Igather, Gather_init, ROOTED_MOVEMENT, goMPIGather, SIDES, root, NUMBER(comm))
REQUESTS(Iscatter, Scatter_init, ROOTED_MOVEMENT, goMPIScatter, SIDES, root, NUMBER(comm))
BEGUN(Ibarrier, HCOMM_Comm comm, goMPIBarrier, NUMBER(comm))
PERSISTENT(Barrier_init, HCOMM_Comm comm, goMPIBarrier, NUMBER(comm))
REQUESTS(Iallreduce, Allreduce_init, REDUCTION, goMPIAllreduce, REDUCED, NUMBER(comm))
