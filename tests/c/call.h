/* call.h: the collectives of hcomm.h as one function, and what is to be known of each. */
#ifndef CALL_H
#define CALL_H

#include "oracle.h"

enum collective { ALLREDUCE, REDUCE, REDUCESCATTER, BROADCAST, ALLGATHER, ALLTOALL, GATHER, SCATTER, BARRIER, COLLECTIVES };

static const struct {
  const char *name, *title; /* as in HCOMM_ALGO, and as in errors */
  int reduces, rooted;
} collectives[COLLECTIVES] = {
    {"allreduce", "AllReduce", 1, 0}, {"reduce", "Reduce", 1, 1}, {"reducescatter", "ReduceScatter", 1, 0},
    {"broadcast", "Broadcast", 0, 1}, {"allgather", "AllGather", 0, 0}, {"alltoall", "AlltoAll", 0, 0},
    {"gather", "Gather", 0, 1}, {"scatter", "Scatter", 0, 1}, {"barrier", "Barrier", 0, 0},
};

/* collective_named finds one by its name; COLLECTIVES if there is none. */
static inline enum collective collective_named(const char *name) {
  int c = 0;
  while (c < COLLECTIVES && strcmp(collectives[c].name, name)) c++;
  return (enum collective)c;
}

/* How many blocks of count elements a rank's buffers hold; 0 for one that is not read or written. */
struct shape {
  int send, recv;
};

static inline struct shape shape_of(enum collective c, int rank, int root, int size) {
  int here = rank == root;
  switch (c) {
  case ALLREDUCE: return (struct shape){1, 1};
  case REDUCE: return (struct shape){1, here};
  case REDUCESCATTER: return (struct shape){size, 1};
  case BROADCAST: return (struct shape){here, 1};
  case ALLGATHER: return (struct shape){1, size};
  case ALLTOALL: return (struct shape){size, size};
  case GATHER: return (struct shape){1, here ? size : 0};
  case SCATTER: return (struct shape){here ? size : 0, 1};
  default: return (struct shape){0, 0};
  }
}

/* In place, the smaller buffer is this block of the larger. */
static inline int block_in_place(struct shape s, int rank) { return s.send == s.recv ? 0 : rank; }

/* make_call_in calls one, in a stream. op and root are not read by those that have none. */
static inline hcommResult_t make_call_in(hcommStream_t stream, enum collective c, const void *send, void *recv, size_t count,
                                         hcommDataType_t type, hcommRedOp_t op, int root, hcommComm_t comm) {
  switch (c) {
  case ALLREDUCE: return hcommAllReduce(send, recv, count, type, op, comm, stream);
  case REDUCE: return hcommReduce(send, recv, count, type, op, root, comm, stream);
  case REDUCESCATTER: return hcommReduceScatter(send, recv, count, type, op, comm, stream);
  case BROADCAST: return hcommBroadcast(send, recv, count, type, root, comm, stream);
  case ALLGATHER: return hcommAllGather(send, recv, count, type, comm, stream);
  case ALLTOALL: return hcommAlltoAll(send, recv, count, type, comm, stream);
  case GATHER: return hcommGather(send, recv, count, type, root, comm, stream);
  case SCATTER: return hcommScatter(send, recv, count, type, root, comm, stream);
  case BARRIER: return hcommBarrier(comm, stream);
  default: FAIL("there is no collective %d", (int)c);
  }
}

static inline hcommResult_t make_call(enum collective c, const void *send, void *recv, size_t count, hcommDataType_t type,
                                      hcommRedOp_t op, int root, hcommComm_t comm) {
  return make_call_in(NULL, c, send, recv, count, type, op, root, comm);
}

#endif
