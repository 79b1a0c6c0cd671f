/* small.h: the exchanges of small collectives in C; see engine/small.go for what they are and why. */
#ifndef HCOMM_SMALL_H
#define HCOMM_SMALL_H

#include "internal.h"

#define RING_ENTRIES 8
#define SHORT_BYTES 24
#define INLINE_BYTES 2240

/* The four below are laid out as their namesakes in link/shm; layout_test.go compares them. */
struct entry {
  uint64_t flag, op, count, signature;
  uint32_t length, kind;
  unsigned char in_line[SHORT_BYTES], behind[INLINE_BYTES];
};
struct out_queue {
  struct entry *ring;
  uint64_t *ack;
  uint32_t *bell;
  uint64_t posted, read;
};
struct in_queue {
  struct entry *ring;
  uint64_t *ack;
  uint32_t *bell;
  struct { void *data; int64_t length, capacity; } slots, window;
  uint64_t released;
};

struct activity {
  uint64_t op, count, signature;
};

/* The collectives, by their numbers in plan. */
enum collective { ALLREDUCE = 1, BROADCAST, BARRIER, REDUCE, ALLGATHER, REDUCESCATTER, ALLTOALL, GATHER, SCATTER, COLLECTIVES };

/* As engine.Shared. */
struct shared {
  uint32_t use, rank, ranks, stride, fenced, spins, crowded, far, longs, match, pending, queued, yields;
  uint64_t sequence;
  uint32_t *notices;
  struct activity *activity;
  uint32_t *seat;
  struct out_queue *out;
  struct in_queue *in;
  uint32_t below[COLLECTIVES];
};

/* One for each place of the handle table. Once there it stays, so that whoever comes late with an old handle reads memory
 * that is still one of these; handle says whose it is. */
struct small {
  struct shared shared;
  uint64_t handle;
};
extern struct small *small_paths[MAX_COMMS];

/* A call of a collective; what the collective does not have is not read. */
struct small_call {
  uintptr_t send, recv;
  uint64_t count; /* of a block */
  int datatype, op, root, in_front; /* in_front: of a reduce-scatter with send = recv, the result goes to its start */
  uint64_t handle;
};

enum small_result {
  SMALL_NOT_TAKEN, /* nothing was done: call the ordinary way */
  SMALL_DONE,
  SMALL_BEGUN, /* the communicator is claimed and this rank's messages are posted: resume */
};

/* These do, or begin, a call if they can, which its arguments must be right for. */
enum small_result small_allreduce(const struct small_call *c);
enum small_result small_broadcast(const struct small_call *c);
enum small_result small_barrier(const struct small_call *c);
enum small_result small_reduce(const struct small_call *c);
enum small_result small_allgather(const struct small_call *c);
enum small_result small_reducescatter(const struct small_call *c);
enum small_result small_alltoall(const struct small_call *c);
enum small_result small_gather(const struct small_call *c);
enum small_result small_scatter(const struct small_call *c);

/* datatype_size is that of an element of hcommDataType_t; 0 if there is none. */
static inline uint64_t datatype_size(int datatype) {
  static const unsigned char sizes[] = {
      [hcommInt8] = 1, [hcommUint8] = 1, [hcommFloat8e4m3] = 1, [hcommFloat8e5m2] = 1, [hcommInt16] = 2, [hcommUint16] = 2,
      [hcommFloat16] = 2, [hcommBfloat16] = 2, [hcommInt32] = 4, [hcommUint32] = 4, [hcommFloat32] = 4, [hcommInt64] = 8,
      [hcommUint64] = 8, [hcommFloat64] = 8,
  };
  return (unsigned)datatype < sizeof sizes ? sizes[datatype] : 0;
}

#endif
