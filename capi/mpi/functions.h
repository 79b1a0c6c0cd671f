/* functions.h: the functions of MPI that are wrapped, and those that are called. */
#ifndef HCOMM_MPI_FUNCTIONS_H
#define HCOMM_MPI_FUNCTIONS_H

/* Each is F(name, parameters, arguments). X is nothing, or _c, N the type of a count. */
#define BLOCKING_COLLECTIVES(F, X, N)                                                                                      \
  F(Allreduce##X, (const void *send, void *recv, N count, handle type, handle op, handle comm),                            \
    (send, recv, count, type, op, comm))                                                                                   \
  F(Reduce##X, (const void *send, void *recv, N count, handle type, handle op, int root, handle comm),                     \
    (send, recv, count, type, op, root, comm))                                                                             \
  F(Bcast##X, (void *buffer, N count, handle type, int root, handle comm), (buffer, count, type, root, comm))              \
  F(Allgather##X, (const void *send, N send_count, handle send_type, void *recv, N recv_count, handle recv_type, handle comm), \
    (send, send_count, send_type, recv, recv_count, recv_type, comm))                                                      \
  F(Alltoall##X, (const void *send, N send_count, handle send_type, void *recv, N recv_count, handle recv_type, handle comm), \
    (send, send_count, send_type, recv, recv_count, recv_type, comm))                                                      \
  F(Reduce_scatter_block##X, (const void *send, void *recv, N count, handle type, handle op, handle comm),                 \
    (send, recv, count, type, op, comm))                                                                                   \
  F(Gather##X, (const void *send, N send_count, handle send_type, void *recv, N recv_count, handle recv_type, int root, handle comm), \
    (send, send_count, send_type, recv, recv_count, recv_type, root, comm))                                                \
  F(Scatter##X, (const void *send, N send_count, handle send_type, void *recv, N recv_count, handle recv_type, int root, handle comm), \
    (send, send_count, send_type, recv, recv_count, recv_type, root, comm))

#define BEGUN_COLLECTIVES(F, X, N)                                                                                         \
  F(Iallreduce##X, (const void *send, void *recv, N count, handle type, handle op, handle comm, void *request),            \
    (send, recv, count, type, op, comm, request))                                                                          \
  F(Ireduce##X, (const void *send, void *recv, N count, handle type, handle op, int root, handle comm, void *request),     \
    (send, recv, count, type, op, root, comm, request))                                                                    \
  F(Ibcast##X, (void *buffer, N count, handle type, int root, handle comm, void *request),                                 \
    (buffer, count, type, root, comm, request))                                                                            \
  F(Iallgather##X, (const void *send, N send_count, handle send_type, void *recv, N recv_count, handle recv_type, handle comm, void *request), \
    (send, send_count, send_type, recv, recv_count, recv_type, comm, request))                                             \
  F(Ialltoall##X, (const void *send, N send_count, handle send_type, void *recv, N recv_count, handle recv_type, handle comm, void *request), \
    (send, send_count, send_type, recv, recv_count, recv_type, comm, request))                                             \
  F(Ireduce_scatter_block##X, (const void *send, void *recv, N count, handle type, handle op, handle comm, void *request), \
    (send, recv, count, type, op, comm, request))                                                                          \
  F(Igather##X, (const void *send, N send_count, handle send_type, void *recv, N recv_count, handle recv_type, int root, handle comm, void *request), \
    (send, send_count, send_type, recv, recv_count, recv_type, root, comm, request))                                       \
  F(Iscatter##X, (const void *send, N send_count, handle send_type, void *recv, N recv_count, handle recv_type, int root, handle comm, void *request), \
    (send, send_count, send_type, recv, recv_count, recv_type, root, comm, request))

#define WRAPPED_COLLECTIVES(F)       \
  BLOCKING_COLLECTIVES(F, , int)     \
  BLOCKING_COLLECTIVES(F, _c, int64_t) \
  F(Barrier, (handle comm), (comm))  \
  BEGUN_COLLECTIVES(F, , int)        \
  BEGUN_COLLECTIVES(F, _c, int64_t)  \
  F(Ibarrier, (handle comm, void *request), (comm, request))

/* Handles in arrays, and those that are written, are as wide as the host MPI's: void *. So is a status. */
#define WRAPPED_OTHERS(F)                                                                                             \
  F(Init, (int *argc, char ***argv), (argc, argv))                                                                    \
  F(Init_thread, (int *argc, char ***argv, int required, int *provided), (argc, argv, required, provided))           \
  F(Finalize, (void), ())                                                                                             \
  F(Alloc_mem, (intptr_t size, handle info, void *base), (size, info, base))                                          \
  F(Free_mem, (void *base), (base))                                                                                   \
  F(Wait, (void *request, void *status), (request, status))                                                           \
  F(Test, (void *request, int *flag, void *status), (request, flag, status))                                          \
  F(Waitall, (int count, void *requests, void *statuses), (count, requests, statuses))                                \
  F(Testall, (int count, void *requests, int *flag, void *statuses), (count, requests, flag, statuses))               \
  F(Waitany, (int count, void *requests, int *index, void *status), (count, requests, index, status))                 \
  F(Testany, (int count, void *requests, int *index, int *flag, void *status), (count, requests, index, flag, status)) \
  F(Waitsome, (int count, void *requests, int *outcount, int *indices, void *statuses),                               \
    (count, requests, outcount, indices, statuses))                                                                   \
  F(Testsome, (int count, void *requests, int *outcount, int *indices, void *statuses),                               \
    (count, requests, outcount, indices, statuses))                                                                   \
  F(Request_get_status, (handle request, int *flag, void *status), (request, flag, status))                           \
  F(Request_get_status_all, (int count, const void *requests, int *flag, void *statuses), (count, requests, flag, statuses)) \
  F(Request_get_status_any, (int count, const void *requests, int *index, int *flag, void *status),                   \
    (count, requests, index, flag, status))                                                                           \
  F(Request_get_status_some, (int count, const void *requests, int *outcount, int *indices, void *statuses),          \
    (count, requests, outcount, indices, statuses))

#define WRAPPED(F) WRAPPED_OTHERS(F) WRAPPED_COLLECTIVES(F)

/* Those of the host MPI that are only called. */
#define CALLED(F)                                                                                                     \
  F(Comm_rank, (handle comm, int *rank), (comm, rank))                                                                \
  F(Comm_size, (handle comm, int *size), (comm, size))                                                                \
  F(Comm_test_inter, (handle comm, int *flag), (comm, flag))                                                          \
  F(Comm_group, (handle comm, void *group), (comm, group))                                                            \
  F(Group_translate_ranks, (handle from, int n, const int *ranks, handle to, int *out), (from, n, ranks, to, out))    \
  F(Group_free, (void *group), (group))                                                                               \
  F(Comm_create_keyval, (int (*copy)(handle, int, void *, void *, void *, int *), int (*drop)(handle, int, void *, void *), \
                         int *keyval, void *extra), (copy, drop, keyval, extra))                                      \
  F(Comm_set_attr, (handle comm, int keyval, void *value), (comm, keyval, value))                                     \
  F(Comm_get_attr, (handle comm, int keyval, void *value, int *flag), (comm, keyval, value, flag))                    \
  F(Comm_call_errhandler, (handle comm, int code), (comm, code))                                                      \
  F(Add_error_class, (int *class), (class))                                                                           \
  F(Add_error_code, (int class, int *code), (class, code))                                                            \
  F(Add_error_string, (int code, const char *text), (code, text))                                                     \
  F(Type_size, (handle type, int *size), (type, size))                                                                \
  F(Type_get_extent, (handle type, intptr_t *lower, intptr_t *extent), (type, lower, extent))                         \
  F(Type_dup, (handle type, void *made), (type, made))                                                                \
  F(Type_free, (void *type), (type))                                                                                  \
  F(Type_get_envelope, (handle type, int *ints, int *addresses, int *types, int *combiner),                           \
    (type, ints, addresses, types, combiner))                                                                         \
  F(Pack, (const void *from, int count, handle type, void *to, int size, int *position, handle comm),                 \
    (from, count, type, to, size, position, comm))                                                                    \
  F(Unpack, (const void *from, int size, int *position, void *to, int count, handle type, handle comm),               \
    (from, size, position, to, count, type, comm))                                                                    \
  F(Get_library_version, (char *version, int *length), (version, length))                                             \
  F(Grequest_start, (int (*query)(void *, void *), int (*release)(void *), int (*cancel)(void *, int), void *extra,   \
                     void *request), (query, release, cancel, extra, request))                                        \
  F(Grequest_complete, (handle request), (request))                                                                   \
  F(Status_set_elements, (void *status, handle type, int count), (status, type, count))                               \
  F(Status_set_cancelled, (void *status, int flag), (status, flag))

struct functions {
#define POINTER(name, params, args) int(*name) params;
  WRAPPED(POINTER) CALLED(POINTER)
#undef POINTER
  int (*Abi_get_version)(int *major, int *minor); /* MPI 5.0 */
};

/* What is served or done beside, for each function that is wrapped. */
#define DECLARE(name, params, args) int shim_##name params;
WRAPPED(DECLARE)
#undef DECLARE

#endif
