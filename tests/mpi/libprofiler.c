/* libprofiler.c: a small profiler, as MPI has them: it wraps MPI functions, counts, and goes on with PMPI. */
#include <mpi.h>

#define COUNTED(F)                                                                                             \
  F(Init, (int *argc, char ***argv), (argc, argv))                                                             \
  F(Finalize, (void), ())                                                                                      \
  F(Allreduce, (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c), (s, r, n, t, op, c))    \
  F(Bcast, (void *b, int n, MPI_Datatype t, int root, MPI_Comm c), (b, n, t, root, c))                         \
  F(Barrier, (MPI_Comm c), (c))                                                                                \
  F(Gather, (const void *s, int n, MPI_Datatype t, void *r, int m, MPI_Datatype u, int root, MPI_Comm c),      \
    (s, n, t, r, m, u, root, c))                                                                               \
  F(Iallreduce, (const void *s, void *r, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c, MPI_Request *q),        \
    (s, r, n, t, op, c, q))                                                                                    \
  F(Wait, (MPI_Request * q, MPI_Status * s), (q, s))                                                           \
  F(Waitall, (int n, MPI_Request * q, MPI_Status * s), (n, q, s))                                              \
  F(Test, (MPI_Request * q, int *flag, MPI_Status *s), (q, flag, s))                                           \
  F(Comm_dup, (MPI_Comm c, MPI_Comm * made), (c, made))                                                        \
  F(Comm_free, (MPI_Comm * c), (c))                                                                            \
  F(Alloc_mem, (MPI_Aint bytes, MPI_Info info, void *at), (bytes, info, at))                                   \
  F(Free_mem, (void *at), (at))                                                                                \
  F(Send, (const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c), (b, n, t, to, tag, c))          \
  F(Recv, (void *b, int n, MPI_Datatype t, int from, int tag, MPI_Comm c, MPI_Status *s), (b, n, t, from, tag, c, s))

enum {
#define NUMBER(name, params, args) AT_##name,
  COUNTED(NUMBER)
#undef NUMBER
  FUNCTIONS
};

struct seen {
  const char *name;
  int calls;
};

static struct seen seen[FUNCTIONS + 1] = {
#define NAME(name, params, args) {#name, 0},
    COUNTED(NAME)
#undef NAME
};

/* profiler_seen is where the program finds what was counted; the last name is NULL. */
struct seen *profiler_seen(void);
struct seen *profiler_seen(void) { return seen; }

#define WRAP(name, params, args)                          \
  int MPI_##name params {                                 \
    __atomic_fetch_add(&seen[AT_##name].calls, 1, __ATOMIC_RELAXED); \
    return PMPI_##name args;                              \
  }
COUNTED(WRAP)
