/* small.h: the exchange of a small allreduce in C; see engine/small.go for what it is and why. */
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

/* As engine.Shared. */
struct shared {
  uint32_t use, rank, ranks, stride, fenced, spins, crowded, far, longs, most, match, pending, queued, reserved;
  uint64_t sequence;
  uint32_t *notices;
  struct activity *activity;
  struct out_queue *out;
  struct in_queue *in;
};

/* One for each place of the handle table. Once there it stays, so that whoever comes late with an old handle reads memory
 * that is still one of these; handle says whose it is. */
struct small {
  struct shared shared;
  uint64_t handle;
};
extern struct small *small_paths[MAX_COMMS];

enum small_result {
  SMALL_NOT_TAKEN, /* nothing was done: call the ordinary way */
  SMALL_DONE,
  SMALL_BEGUN, /* the communicator is claimed and this rank's messages are posted: resume */
};

/* small_allreduce does, or begins, an allreduce of a few elements if it can. */
enum small_result small_allreduce(const void *sendbuff, void *recvbuff, size_t count, int datatype, int op,
                                  uint64_t handle);

/* What it knows an MPI ABI's datatype and operator as, -1 if it does not. */
int small_type(uintptr_t datatype);
int small_op(uintptr_t op);

#endif
