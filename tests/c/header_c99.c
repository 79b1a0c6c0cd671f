/* The header as C: each declaration has the type and each constant the value that it is known for. That this links shows
 * that the library has every function.
 *
 * run: %p
 */
#include <hcomm.h>

#define IS(constant, value) typedef char is_##constant[(intptr_t)(constant) == (value) ? 1 : -1]

/* nccl.h, 2.30 */
IS(hcommSuccess, 0);
IS(hcommUnhandledCudaError, 1);
IS(hcommSystemError, 2);
IS(hcommInternalError, 3);
IS(hcommInvalidArgument, 4);
IS(hcommInvalidUsage, 5);
IS(hcommRemoteError, 6);
IS(hcommInProgress, 7);
IS(hcommTimeout, 8);
IS(hcommInt8, 0);
IS(hcommChar, 0);
IS(hcommUint8, 1);
IS(hcommInt32, 2);
IS(hcommInt, 2);
IS(hcommUint32, 3);
IS(hcommInt64, 4);
IS(hcommUint64, 5);
IS(hcommFloat16, 6);
IS(hcommHalf, 6);
IS(hcommFloat32, 7);
IS(hcommFloat, 7);
IS(hcommFloat64, 8);
IS(hcommDouble, 8);
IS(hcommBfloat16, 9);
IS(hcommFloat8e4m3, 10);
IS(hcommFloat8e5m2, 11);
IS(hcommSum, 0);
IS(hcommProd, 1);
IS(hcommMax, 2);
IS(hcommMin, 3);
IS(hcommAvg, 4);
IS(HCOMM_UNIQUE_ID_BYTES, 128);
IS(HCOMM_CONFIG_UNDEF_INT, INT_MIN);
IS(HCOMM_SPLIT_NOCOLOR, -1);
IS(HCOMM_SHRINK_DEFAULT, 0);
IS(HCOMM_SHRINK_ABORT, 1);
typedef char config_begins_as_nccls[offsetof(hcommConfig_t, size) == 0 && offsetof(hcommConfig_t, magic) == 8 &&
                                            offsetof(hcommConfig_t, version) == 12 && offsetof(hcommConfig_t, blocking) == 16
                                        ? 1 : -1];
typedef char unique_id_has_no_padding[sizeof(hcommUniqueId) == 128 ? 1 : -1];

/* our own */
IS(hcommMismatch, 64);
IS(hcommInt16, 64);
IS(hcommUint16, 65);
IS(hcommBitAnd, 64);
IS(hcommBitOr, 65);
IS(hcommBitXor, 66);
IS(hcommLogicalAnd, 67);
IS(hcommLogicalOr, 68);
IS(hcommLogicalXor, 69);
IS(HCOMM_ERR_MISMATCH, 64);
IS(HCOMM_ERR_TIMEOUT, 65);
IS(HCOMM_VERSION_CODE, HCOMM_MAJOR * 10000 + HCOMM_MINOR * 100 + HCOMM_PATCH);

/* the MPI 5.0 ABI; the handles are pointers, which C99 does not take for constants, so main compares them */
IS(HCOMM_SUCCESS, 0);
IS(HCOMM_ERR_BUFFER, 1);
IS(HCOMM_ERR_COUNT, 2);
IS(HCOMM_ERR_TYPE, 3);
IS(HCOMM_ERR_TAG, 4);
IS(HCOMM_ERR_COMM, 5);
IS(HCOMM_ERR_RANK, 6);
IS(HCOMM_ERR_REQUEST, 7);
IS(HCOMM_ERR_ROOT, 8);
IS(HCOMM_ERR_OP, 10);
IS(HCOMM_ERR_ARG, 13);
IS(HCOMM_ERR_TRUNCATE, 15);
IS(HCOMM_ERR_OTHER, 16);
IS(HCOMM_ERR_INTERN, 17);
IS(HCOMM_ERR_PENDING, 18);
IS(HCOMM_ERR_IN_STATUS, 19);
IS(HCOMM_ERR_INFO, 34);
IS(HCOMM_ERR_NO_MEM, 39);
IS(HCOMM_ERR_PROC_ABORTED, 58);
IS(HCOMM_ERR_ERRHANDLER, 61);
IS(HCOMM_IDENT, 201);
IS(HCOMM_CONGRUENT, 202);
IS(HCOMM_SIMILAR, 203);
IS(HCOMM_UNEQUAL, 204);
IS(HCOMM_COMM_TYPE_SHARED, 221);
IS(HCOMM_MAX_ERROR_STRING, 512);
IS(HCOMM_ANY_SOURCE, -1);
IS(HCOMM_ANY_TAG, -2);
IS(HCOMM_PROC_NULL, -3);
IS(HCOMM_UNDEFINED, -32766);
IS(HCOMM_TAG_UB, 0x7fffffff);
typedef char status_is_laid_out[offsetof(HCOMM_Status, HCOMM_SOURCE) == 0 && offsetof(HCOMM_Status, HCOMM_TAG) == 4 &&
                                        offsetof(HCOMM_Status, HCOMM_ERROR) == 8 &&
                                        offsetof(HCOMM_Status, HCOMM_internal) == 12 && sizeof(HCOMM_Status) == 32
                                    ? 1 : -1];
typedef char count_has_64_bits[sizeof(HCOMM_Count) == 8 && (HCOMM_Count)-1 < 0 ? 1 : -1];

static const struct {
  const void *handle;
  intptr_t value;
} handles[] = {
    {HCOMM_COMM_NULL, 0x100}, {HCOMM_COMM_WORLD, 0x101}, {HCOMM_COMM_SELF, 0x102},
    {HCOMM_OP_NULL, 0x20}, {HCOMM_SUM, 0x21}, {HCOMM_MIN, 0x22}, {HCOMM_MAX, 0x23}, {HCOMM_PROD, 0x24},
    {HCOMM_BAND, 0x28}, {HCOMM_BOR, 0x29}, {HCOMM_BXOR, 0x2a}, {HCOMM_LAND, 0x30}, {HCOMM_LOR, 0x31}, {HCOMM_LXOR, 0x32},
    {HCOMM_DATATYPE_NULL, 0x200}, {HCOMM_AINT, 0x201}, {HCOMM_COUNT, 0x202}, {HCOMM_OFFSET, 0x203},
    {HCOMM_SHORT, 0x208}, {HCOMM_INT, 0x209}, {HCOMM_LONG, 0x20a}, {HCOMM_LONG_LONG, 0x20b},
    {HCOMM_UNSIGNED_SHORT, 0x20c}, {HCOMM_UNSIGNED, 0x20d}, {HCOMM_UNSIGNED_LONG, 0x20e}, {HCOMM_UNSIGNED_LONG_LONG, 0x20f},
    {HCOMM_FLOAT, 0x210}, {HCOMM_DOUBLE, 0x214}, {HCOMM_C_BOOL, 0x238}, {HCOMM_INT8_T, 0x240}, {HCOMM_UINT8_T, 0x241},
    {HCOMM_CHAR, 0x243}, {HCOMM_SIGNED_CHAR, 0x244}, {HCOMM_UNSIGNED_CHAR, 0x245}, {HCOMM_BYTE, 0x247},
    {HCOMM_INT16_T, 0x248}, {HCOMM_UINT16_T, 0x249}, {HCOMM_INT32_T, 0x250}, {HCOMM_UINT32_T, 0x251},
    {HCOMM_INT64_T, 0x258}, {HCOMM_UINT64_T, 0x259}, {HCOMM_IN_PLACE, 1},
    {HCOMM_REQUEST_NULL, 0x180}, {HCOMM_INFO_NULL, 0x130}, {HCOMM_ERRORS_ARE_FATAL, 0x141}, {HCOMM_ERRORS_RETURN, 0x143},
    {HCOMM_ERRORS_ABORT, 0x142},
};

static struct {
  hcommResult_t (*get_version)(int *);
  const char *(*get_error_string)(hcommResult_t);
  const char *(*get_last_error)(hcommComm_t);
  hcommResult_t (*get_unique_id)(hcommUniqueId *);
  hcommResult_t (*init_rank)(hcommComm_t *, int, hcommUniqueId, int);
  hcommResult_t (*init_all)(hcommComm_t *, int, const int *);
  hcommResult_t (*init_env)(hcommComm_t *);
  hcommResult_t (*destroy)(hcommComm_t);
  hcommResult_t (*abort)(hcommComm_t);
  hcommResult_t (*count)(hcommComm_t, int *);
  hcommResult_t (*user_rank)(hcommComm_t, int *);
  hcommResult_t (*mem_alloc)(void **, size_t);
  hcommResult_t (*mem_free)(void *);
  hcommResult_t (*comm_register)(const hcommComm_t, void *, size_t, void **);
  hcommResult_t (*comm_deregister)(const hcommComm_t, void *);
  hcommResult_t (*all_reduce)(const void *, void *, size_t, hcommDataType_t, hcommRedOp_t, hcommComm_t, hcommStream_t);
  hcommResult_t (*broadcast)(const void *, void *, size_t, hcommDataType_t, int, hcommComm_t, hcommStream_t);
  hcommResult_t (*reduce)(const void *, void *, size_t, hcommDataType_t, hcommRedOp_t, int, hcommComm_t, hcommStream_t);
  hcommResult_t (*all_gather)(const void *, void *, size_t, hcommDataType_t, hcommComm_t, hcommStream_t);
  hcommResult_t (*reduce_scatter)(const void *, void *, size_t, hcommDataType_t, hcommRedOp_t, hcommComm_t, hcommStream_t);
  hcommResult_t (*all_to_all)(const void *, void *, size_t, hcommDataType_t, hcommComm_t, hcommStream_t);
  hcommResult_t (*gather)(const void *, void *, size_t, hcommDataType_t, int, hcommComm_t, hcommStream_t);
  hcommResult_t (*scatter)(const void *, void *, size_t, hcommDataType_t, int, hcommComm_t, hcommStream_t);
  hcommResult_t (*barrier)(hcommComm_t, hcommStream_t);
  hcommResult_t (*send)(const void *, size_t, hcommDataType_t, int, hcommComm_t, hcommStream_t);
  hcommResult_t (*recv)(void *, size_t, hcommDataType_t, int, hcommComm_t, hcommStream_t);
  hcommResult_t (*init_rank_config)(hcommComm_t *, int, hcommUniqueId, int, hcommConfig_t *);
  hcommResult_t (*split)(hcommComm_t, int, int, hcommComm_t *, hcommConfig_t *);
  hcommResult_t (*dup)(hcommComm_t, hcommComm_t *);
  hcommResult_t (*shrink)(hcommComm_t, int *, int, hcommComm_t *, hcommConfig_t *, int);
  hcommResult_t (*finalize)(hcommComm_t);
  hcommResult_t (*revoke)(hcommComm_t, int);
  hcommResult_t (*get_async_error)(hcommComm_t, hcommResult_t *);
  hcommResult_t (*get_failed_ranks)(hcommComm_t, int *, int *);
  hcommResult_t (*group_start)(void);
  hcommResult_t (*group_end)(void);
  hcommResult_t (*stream_create)(hcommStream_t *);
  hcommResult_t (*stream_destroy)(hcommStream_t);
  hcommResult_t (*stream_synchronize)(hcommStream_t);
  hcommResult_t (*stream_query)(hcommStream_t);
  hcommResult_t (*stream_wait)(hcommStream_t, hcommStream_t);
  hcommResult_t (*set_progress)(void (*)(void *), void *);
} nccl_style = {
    hcommGetVersion, hcommGetErrorString, hcommGetLastError, hcommGetUniqueId, hcommCommInitRank, hcommCommInitAll,
    hcommCommInitEnv, hcommCommDestroy, hcommCommAbort, hcommCommCount, hcommCommUserRank, hcommMemAlloc, hcommMemFree,
    hcommCommRegister, hcommCommDeregister, hcommAllReduce, hcommBroadcast, hcommReduce, hcommAllGather, hcommReduceScatter, hcommAlltoAll, hcommGather,
    hcommScatter, hcommBarrier, hcommSend, hcommRecv, hcommCommInitRankConfig, hcommCommSplit, hcommCommDup,
    hcommCommShrink, hcommCommFinalize, hcommCommRevoke, hcommCommGetAsyncError, hcommCommGetFailedRanks, hcommGroupStart, hcommGroupEnd,
    hcommStreamCreate, hcommStreamDestroy, hcommStreamSynchronize, hcommStreamQuery, hcommStreamWait, hcommSetProgress,
};

static struct {
  int (*init)(int *, char ***);
  int (*initialized)(int *);
  int (*finalize)(void);
  int (*abort)(HCOMM_Comm, int);
  int (*rank)(HCOMM_Comm, int *);
  int (*size)(HCOMM_Comm, int *);
  double (*wtime)(void);
  int (*allreduce)(const void *, void *, int, HCOMM_Datatype, HCOMM_Op, HCOMM_Comm);
  int (*allreduce_c)(const void *, void *, HCOMM_Count, HCOMM_Datatype, HCOMM_Op, HCOMM_Comm);
  int (*bcast)(void *, int, HCOMM_Datatype, int, HCOMM_Comm);
  int (*bcast_c)(void *, HCOMM_Count, HCOMM_Datatype, int, HCOMM_Comm);
  int (*reduce)(const void *, void *, int, HCOMM_Datatype, HCOMM_Op, int, HCOMM_Comm);
  int (*reduce_c)(const void *, void *, HCOMM_Count, HCOMM_Datatype, HCOMM_Op, int, HCOMM_Comm);
  int (*allgather)(const void *, int, HCOMM_Datatype, void *, int, HCOMM_Datatype, HCOMM_Comm);
  int (*allgather_c)(const void *, HCOMM_Count, HCOMM_Datatype, void *, HCOMM_Count, HCOMM_Datatype, HCOMM_Comm);
  int (*reduce_scatter_block)(const void *, void *, int, HCOMM_Datatype, HCOMM_Op, HCOMM_Comm);
  int (*reduce_scatter_block_c)(const void *, void *, HCOMM_Count, HCOMM_Datatype, HCOMM_Op, HCOMM_Comm);
  int (*alltoall)(const void *, int, HCOMM_Datatype, void *, int, HCOMM_Datatype, HCOMM_Comm);
  int (*alltoall_c)(const void *, HCOMM_Count, HCOMM_Datatype, void *, HCOMM_Count, HCOMM_Datatype, HCOMM_Comm);
  int (*gather)(const void *, int, HCOMM_Datatype, void *, int, HCOMM_Datatype, int, HCOMM_Comm);
  int (*gather_c)(const void *, HCOMM_Count, HCOMM_Datatype, void *, HCOMM_Count, HCOMM_Datatype, int, HCOMM_Comm);
  int (*scatter)(const void *, int, HCOMM_Datatype, void *, int, HCOMM_Datatype, int, HCOMM_Comm);
  int (*scatter_c)(const void *, HCOMM_Count, HCOMM_Datatype, void *, HCOMM_Count, HCOMM_Datatype, int, HCOMM_Comm);
  int (*barrier)(HCOMM_Comm);
  int (*send)(const void *, int, HCOMM_Datatype, int, int, HCOMM_Comm);
  int (*send_c)(const void *, HCOMM_Count, HCOMM_Datatype, int, int, HCOMM_Comm);
  int (*recv)(void *, int, HCOMM_Datatype, int, int, HCOMM_Comm, HCOMM_Status *);
  int (*recv_c)(void *, HCOMM_Count, HCOMM_Datatype, int, int, HCOMM_Comm, HCOMM_Status *);
  int (*sendrecv)(const void *, int, HCOMM_Datatype, int, int, void *, int, HCOMM_Datatype, int, int, HCOMM_Comm,
                  HCOMM_Status *);
  int (*sendrecv_c)(const void *, HCOMM_Count, HCOMM_Datatype, int, int, void *, HCOMM_Count, HCOMM_Datatype, int, int,
                    HCOMM_Comm, HCOMM_Status *);
  int (*probe)(int, int, HCOMM_Comm, HCOMM_Status *);
  int (*iprobe)(int, int, HCOMM_Comm, int *, HCOMM_Status *);
  int (*get_count)(const HCOMM_Status *, HCOMM_Datatype, int *);
  int (*get_count_c)(const HCOMM_Status *, HCOMM_Datatype, HCOMM_Count *);
  int (*comm_set_errhandler)(HCOMM_Comm, HCOMM_Errhandler);
  int (*comm_get_errhandler)(HCOMM_Comm, HCOMM_Errhandler *);
  int (*error_class)(int, int *);
  int (*error_string)(int, char *, int *);
  int (*comm_dup)(HCOMM_Comm, HCOMM_Comm *);
  int (*comm_split)(HCOMM_Comm, int, int, HCOMM_Comm *);
  int (*comm_split_type)(HCOMM_Comm, int, int, HCOMM_Info, HCOMM_Comm *);
  int (*comm_free)(HCOMM_Comm *);
  int (*comm_compare)(HCOMM_Comm, HCOMM_Comm, int *);
  int (*isend)(const void *, int, HCOMM_Datatype, int, int, HCOMM_Comm, HCOMM_Request *);
  int (*isend_c)(const void *, HCOMM_Count, HCOMM_Datatype, int, int, HCOMM_Comm, HCOMM_Request *);
  int (*irecv)(void *, int, HCOMM_Datatype, int, int, HCOMM_Comm, HCOMM_Request *);
  int (*irecv_c)(void *, HCOMM_Count, HCOMM_Datatype, int, int, HCOMM_Comm, HCOMM_Request *);
  int (*iallreduce)(const void *, void *, int, HCOMM_Datatype, HCOMM_Op, HCOMM_Comm, HCOMM_Request *);
  int (*iallreduce_c)(const void *, void *, HCOMM_Count, HCOMM_Datatype, HCOMM_Op, HCOMM_Comm, HCOMM_Request *);
  int (*ibcast)(void *, int, HCOMM_Datatype, int, HCOMM_Comm, HCOMM_Request *);
  int (*ibcast_c)(void *, HCOMM_Count, HCOMM_Datatype, int, HCOMM_Comm, HCOMM_Request *);
  int (*ireduce)(const void *, void *, int, HCOMM_Datatype, HCOMM_Op, int, HCOMM_Comm, HCOMM_Request *);
  int (*ireduce_c)(const void *, void *, HCOMM_Count, HCOMM_Datatype, HCOMM_Op, int, HCOMM_Comm, HCOMM_Request *);
  int (*iallgather)(const void *, int, HCOMM_Datatype, void *, int, HCOMM_Datatype, HCOMM_Comm, HCOMM_Request *);
  int (*iallgather_c)(const void *, HCOMM_Count, HCOMM_Datatype, void *, HCOMM_Count, HCOMM_Datatype, HCOMM_Comm,
                      HCOMM_Request *);
  int (*ireduce_scatter_block)(const void *, void *, int, HCOMM_Datatype, HCOMM_Op, HCOMM_Comm, HCOMM_Request *);
  int (*ireduce_scatter_block_c)(const void *, void *, HCOMM_Count, HCOMM_Datatype, HCOMM_Op, HCOMM_Comm,
                                 HCOMM_Request *);
  int (*ialltoall)(const void *, int, HCOMM_Datatype, void *, int, HCOMM_Datatype, HCOMM_Comm, HCOMM_Request *);
  int (*ialltoall_c)(const void *, HCOMM_Count, HCOMM_Datatype, void *, HCOMM_Count, HCOMM_Datatype, HCOMM_Comm,
                     HCOMM_Request *);
  int (*igather)(const void *, int, HCOMM_Datatype, void *, int, HCOMM_Datatype, int, HCOMM_Comm, HCOMM_Request *);
  int (*igather_c)(const void *, HCOMM_Count, HCOMM_Datatype, void *, HCOMM_Count, HCOMM_Datatype, int, HCOMM_Comm,
                   HCOMM_Request *);
  int (*iscatter)(const void *, int, HCOMM_Datatype, void *, int, HCOMM_Datatype, int, HCOMM_Comm, HCOMM_Request *);
  int (*iscatter_c)(const void *, HCOMM_Count, HCOMM_Datatype, void *, HCOMM_Count, HCOMM_Datatype, int, HCOMM_Comm,
                    HCOMM_Request *);
  int (*ibarrier)(HCOMM_Comm, HCOMM_Request *);
  int (*send_init)(const void *, int, HCOMM_Datatype, int, int, HCOMM_Comm, HCOMM_Request *);
  int (*send_init_c)(const void *, HCOMM_Count, HCOMM_Datatype, int, int, HCOMM_Comm, HCOMM_Request *);
  int (*recv_init)(void *, int, HCOMM_Datatype, int, int, HCOMM_Comm, HCOMM_Request *);
  int (*recv_init_c)(void *, HCOMM_Count, HCOMM_Datatype, int, int, HCOMM_Comm, HCOMM_Request *);
  int (*allreduce_init)(const void *, void *, int, HCOMM_Datatype, HCOMM_Op, HCOMM_Comm, HCOMM_Info, HCOMM_Request *);
  int (*allreduce_init_c)(const void *, void *, HCOMM_Count, HCOMM_Datatype, HCOMM_Op, HCOMM_Comm, HCOMM_Info,
                          HCOMM_Request *);
  int (*bcast_init)(void *, int, HCOMM_Datatype, int, HCOMM_Comm, HCOMM_Info, HCOMM_Request *);
  int (*bcast_init_c)(void *, HCOMM_Count, HCOMM_Datatype, int, HCOMM_Comm, HCOMM_Info, HCOMM_Request *);
  int (*reduce_init)(const void *, void *, int, HCOMM_Datatype, HCOMM_Op, int, HCOMM_Comm, HCOMM_Info,
                     HCOMM_Request *);
  int (*reduce_init_c)(const void *, void *, HCOMM_Count, HCOMM_Datatype, HCOMM_Op, int, HCOMM_Comm, HCOMM_Info,
                       HCOMM_Request *);
  int (*allgather_init)(const void *, int, HCOMM_Datatype, void *, int, HCOMM_Datatype, HCOMM_Comm, HCOMM_Info,
                        HCOMM_Request *);
  int (*allgather_init_c)(const void *, HCOMM_Count, HCOMM_Datatype, void *, HCOMM_Count, HCOMM_Datatype, HCOMM_Comm,
                          HCOMM_Info, HCOMM_Request *);
  int (*reduce_scatter_block_init)(const void *, void *, int, HCOMM_Datatype, HCOMM_Op, HCOMM_Comm, HCOMM_Info,
                                   HCOMM_Request *);
  int (*reduce_scatter_block_init_c)(const void *, void *, HCOMM_Count, HCOMM_Datatype, HCOMM_Op, HCOMM_Comm,
                                     HCOMM_Info, HCOMM_Request *);
  int (*alltoall_init)(const void *, int, HCOMM_Datatype, void *, int, HCOMM_Datatype, HCOMM_Comm, HCOMM_Info,
                       HCOMM_Request *);
  int (*alltoall_init_c)(const void *, HCOMM_Count, HCOMM_Datatype, void *, HCOMM_Count, HCOMM_Datatype, HCOMM_Comm,
                         HCOMM_Info, HCOMM_Request *);
  int (*gather_init)(const void *, int, HCOMM_Datatype, void *, int, HCOMM_Datatype, int, HCOMM_Comm, HCOMM_Info,
                     HCOMM_Request *);
  int (*gather_init_c)(const void *, HCOMM_Count, HCOMM_Datatype, void *, HCOMM_Count, HCOMM_Datatype, int,
                       HCOMM_Comm, HCOMM_Info, HCOMM_Request *);
  int (*scatter_init)(const void *, int, HCOMM_Datatype, void *, int, HCOMM_Datatype, int, HCOMM_Comm, HCOMM_Info,
                      HCOMM_Request *);
  int (*scatter_init_c)(const void *, HCOMM_Count, HCOMM_Datatype, void *, HCOMM_Count, HCOMM_Datatype, int,
                        HCOMM_Comm, HCOMM_Info, HCOMM_Request *);
  int (*barrier_init)(HCOMM_Comm, HCOMM_Info, HCOMM_Request *);
  int (*start)(HCOMM_Request *);
  int (*startall)(int, HCOMM_Request *);
  int (*wait)(HCOMM_Request *, HCOMM_Status *);
  int (*test)(HCOMM_Request *, int *, HCOMM_Status *);
  int (*waitall)(int, HCOMM_Request *, HCOMM_Status *);
  int (*testall)(int, HCOMM_Request *, int *, HCOMM_Status *);
  int (*waitany)(int, HCOMM_Request *, int *, HCOMM_Status *);
  int (*testany)(int, HCOMM_Request *, int *, int *, HCOMM_Status *);
  int (*waitsome)(int, HCOMM_Request *, int *, int *, HCOMM_Status *);
  int (*testsome)(int, HCOMM_Request *, int *, int *, HCOMM_Status *);
  int (*request_get_status)(HCOMM_Request, int *, HCOMM_Status *);
  int (*request_free)(HCOMM_Request *);
} mpi_style = {
    HCOMM_Init, HCOMM_Initialized, HCOMM_Finalize, HCOMM_Abort, HCOMM_Comm_rank, HCOMM_Comm_size, HCOMM_Wtime,
    HCOMM_Allreduce, HCOMM_Allreduce_c, HCOMM_Bcast, HCOMM_Bcast_c, HCOMM_Reduce, HCOMM_Reduce_c, HCOMM_Allgather,
    HCOMM_Allgather_c, HCOMM_Reduce_scatter_block, HCOMM_Reduce_scatter_block_c, HCOMM_Alltoall, HCOMM_Alltoall_c,
    HCOMM_Gather, HCOMM_Gather_c, HCOMM_Scatter, HCOMM_Scatter_c, HCOMM_Barrier,
    HCOMM_Send, HCOMM_Send_c, HCOMM_Recv, HCOMM_Recv_c, HCOMM_Sendrecv, HCOMM_Sendrecv_c, HCOMM_Probe, HCOMM_Iprobe,
    HCOMM_Get_count, HCOMM_Get_count_c,
    HCOMM_Comm_set_errhandler, HCOMM_Comm_get_errhandler, HCOMM_Error_class, HCOMM_Error_string, HCOMM_Comm_dup,
    HCOMM_Comm_split, HCOMM_Comm_split_type, HCOMM_Comm_free, HCOMM_Comm_compare, HCOMM_Isend, HCOMM_Isend_c,
    HCOMM_Irecv, HCOMM_Irecv_c, HCOMM_Iallreduce, HCOMM_Iallreduce_c, HCOMM_Ibcast, HCOMM_Ibcast_c, HCOMM_Ireduce,
    HCOMM_Ireduce_c, HCOMM_Iallgather, HCOMM_Iallgather_c, HCOMM_Ireduce_scatter_block, HCOMM_Ireduce_scatter_block_c,
    HCOMM_Ialltoall, HCOMM_Ialltoall_c, HCOMM_Igather, HCOMM_Igather_c, HCOMM_Iscatter, HCOMM_Iscatter_c,
    HCOMM_Ibarrier, HCOMM_Send_init, HCOMM_Send_init_c, HCOMM_Recv_init, HCOMM_Recv_init_c, HCOMM_Allreduce_init,
    HCOMM_Allreduce_init_c, HCOMM_Bcast_init, HCOMM_Bcast_init_c, HCOMM_Reduce_init, HCOMM_Reduce_init_c,
    HCOMM_Allgather_init, HCOMM_Allgather_init_c, HCOMM_Reduce_scatter_block_init, HCOMM_Reduce_scatter_block_init_c,
    HCOMM_Alltoall_init, HCOMM_Alltoall_init_c, HCOMM_Gather_init, HCOMM_Gather_init_c, HCOMM_Scatter_init,
    HCOMM_Scatter_init_c, HCOMM_Barrier_init, HCOMM_Start, HCOMM_Startall, HCOMM_Wait, HCOMM_Test, HCOMM_Waitall,
    HCOMM_Testall, HCOMM_Waitany, HCOMM_Testany, HCOMM_Waitsome, HCOMM_Testsome, HCOMM_Request_get_status,
    HCOMM_Request_free,
};

int main(void) {
  int version = 0;
  size_t i;
  for (i = 0; i < sizeof handles / sizeof *handles; i++)
    if ((intptr_t)handles[i].handle != handles[i].value) return 1;
  if (HCOMM_STATUS_IGNORE != (HCOMM_Status *)0 || HCOMM_STATUSES_IGNORE != (HCOMM_Status *)0) return 4;
  if (nccl_style.get_version(&version) != hcommSuccess || version != HCOMM_VERSION_CODE) return 2;
  return mpi_style.wtime() < 0 ? 3 : 0;
}
