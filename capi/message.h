/* message.h: small messages from point to point in C; engine/small.go says what these paths are and why. */
#ifndef HCOMM_MESSAGE_H
#define HCOMM_MESSAGE_H

#include "small.h"

/* One side of a call. */
struct message {
  const void *buf;
  uint64_t bytes;     /* of the message, or that there is room for */
  uint64_t signature; /* of a message, or of those to receive where mask has ones */
  uint64_t mask;      /* of a receive; 0 for a side that there is not */
  int64_t peer;
  int exact; /* a receive is only for messages of so many bytes */
};

/* What has been received. */
struct arrived {
  uint64_t bytes, signature;
};

/* The two sides of the call, either of which may be missing. */
enum message_result {
  MESSAGE_NOT_TAKEN, /* nothing was done: call the ordinary way */
  MESSAGE_DONE,
  MESSAGE_SENT /* but nothing received: receive the ordinary way */
};
enum message_result small_message(uint64_t handle, const struct message *send, const struct message *receive,
                                  struct arrived *got);

/* The signatures, as engine/packet.go has them. */
#define TAGGED_MESSAGE(tag) (0x80 | (uint64_t)hcommUint8 << 16 | (uint64_t)(uint32_t)(tag) << 32)
#define TYPED_MESSAGE(type) (0x80 | 1 << 8 | (uint64_t)(uint32_t)(type) << 16)
#define TAG_OF(signature) ((int)((signature) >> 32))
#define WHOLE_SIGNATURE UINT64_MAX
#define ANY_TAG_SIGNATURE (1ull << 63 | UINT32_MAX) /* all but the tag, which is not negative */

/* HCOMM_COMM_WORLD's handle between HCOMM_Init and HCOMM_Finalize, otherwise 0. */
extern uint64_t world_handle;

/* handle_of is the ordinary handle of a HCOMM_Comm that is no constant, or is HCOMM_COMM_WORLD; 0 of others, and out of the
 * time of the MPI-style half. It may be none of a communicator. */
static inline uint64_t handle_of(HCOMM_Comm comm) {
  uint64_t world = __atomic_load_n(&world_handle, __ATOMIC_ACQUIRE);
  if (!world || comm == HCOMM_COMM_WORLD) return world;
  return NUMBER(comm) >= MAX_COMMS ? NUMBER(comm) : 0;
}

/* datatype_size is that of an element of hcommDataType_t, mpi_size that of one of the MPI ABI's; 0 if there is none. */
uint64_t datatype_size(int datatype);
uint64_t mpi_size(uintptr_t datatype);

#endif
