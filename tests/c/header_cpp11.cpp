/* The header as C++: it declares functions of C, and its types and constants go where they must without a cast.
 *
 * run: %p
 */
#include <hcomm.h>

#include <type_traits>

static_assert(std::is_same<decltype(&hcommAllReduce),
                           hcommResult_t (*)(const void *, void *, size_t, hcommDataType_t, hcommRedOp_t, hcommComm_t,
                                             hcommStream_t)>::value,
              "hcommAllReduce");
static_assert(std::is_same<decltype(&HCOMM_Allreduce_c), int (*)(const void *, void *, HCOMM_Count, HCOMM_Datatype,
                                                                 HCOMM_Op, HCOMM_Comm)>::value,
              "HCOMM_Allreduce_c");
static_assert(!std::is_same<hcommComm_t, hcommStream_t>::value, "handles are of different types");
static_assert(!std::is_same<HCOMM_Datatype, HCOMM_Op>::value, "handles are of different types");
static_assert(std::is_pod<hcommUniqueId>::value && sizeof(hcommUniqueId) == 128, "an id is plain bytes");

// A call of each kind. comm is no communicator, so each must be refused.
static bool refused(hcommComm_t comm, HCOMM_Comm other) {
  float x = 1;
  int n = 0;
  return hcommCommCount(comm, &n) == hcommInvalidArgument &&
         hcommAllReduce(&x, &x, 1, hcommFloat32, hcommSum, comm, nullptr) == hcommInvalidArgument &&
         hcommBroadcast(&x, &x, 1, hcommFloat, 0, comm, nullptr) == hcommInvalidArgument &&
         hcommReduce(&x, &x, 1, hcommFloat, hcommSum, 0, comm, nullptr) == hcommInvalidArgument &&
         hcommAllGather(&x, &x, 1, hcommFloat, comm, nullptr) == hcommInvalidArgument &&
         hcommReduceScatter(&x, &x, 1, hcommFloat, hcommSum, comm, nullptr) == hcommInvalidArgument &&
         hcommAlltoAll(&x, &x, 1, hcommFloat, comm, nullptr) == hcommInvalidArgument &&
         hcommGather(&x, &x, 1, hcommFloat, 0, comm, nullptr) == hcommInvalidArgument &&
         hcommScatter(&x, &x, 1, hcommFloat, 0, comm, nullptr) == hcommInvalidArgument &&
         hcommBarrier(comm, nullptr) == hcommInvalidArgument && hcommCommAbort(comm) == hcommInvalidArgument &&
         hcommCommDestroy(comm) == hcommInvalidArgument &&
         HCOMM_Allreduce(HCOMM_IN_PLACE, &x, 1, HCOMM_FLOAT, HCOMM_SUM, other) != HCOMM_SUCCESS &&
         HCOMM_Bcast(&x, 1, HCOMM_FLOAT, 0, other) != HCOMM_SUCCESS &&
         HCOMM_Reduce(HCOMM_IN_PLACE, &x, 1, HCOMM_FLOAT, HCOMM_SUM, 0, other) != HCOMM_SUCCESS &&
         HCOMM_Allgather(HCOMM_IN_PLACE, 0, nullptr, &x, 1, HCOMM_FLOAT, other) != HCOMM_SUCCESS &&
         HCOMM_Reduce_scatter_block(HCOMM_IN_PLACE, &x, 1, HCOMM_FLOAT, HCOMM_SUM, other) != HCOMM_SUCCESS &&
         HCOMM_Alltoall(HCOMM_IN_PLACE, 0, nullptr, &x, 1, HCOMM_FLOAT, other) != HCOMM_SUCCESS &&
         HCOMM_Gather(&x, 1, HCOMM_FLOAT, nullptr, 0, nullptr, 0, other) != HCOMM_SUCCESS &&
         HCOMM_Scatter(&x, 1, HCOMM_FLOAT, HCOMM_IN_PLACE, 0, nullptr, 0, other) != HCOMM_SUCCESS && HCOMM_Barrier(other) != HCOMM_SUCCESS &&
         hcommSend(&x, 1, hcommFloat32, 0, comm, nullptr) == hcommInvalidArgument &&
         hcommRecv(&x, 1, hcommFloat32, 0, comm, nullptr) == hcommInvalidArgument &&
         HCOMM_Send(&x, 1, HCOMM_FLOAT, HCOMM_PROC_NULL, 0, other) != HCOMM_SUCCESS &&
         HCOMM_Recv(&x, 1, HCOMM_FLOAT, HCOMM_ANY_SOURCE, HCOMM_ANY_TAG, other, HCOMM_STATUS_IGNORE) != HCOMM_SUCCESS;
}

int main() { return refused(nullptr, HCOMM_COMM_NULL) ? 0 : 1; }
