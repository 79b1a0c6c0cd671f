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

/* mpi_type and mpi_op are what the MPI ABI's datatypes and operators are here, -1 if there is none. */
static inline int mpi_type(uintptr_t datatype) {
  enum { FIRST = 0x201, TYPE = 64 }; /* TYPE: or else what is not listed would be hcommInt8 */
#define AS(value, type) [(value) - FIRST] = TYPE + (type)
  static const unsigned char types[] = {
      AS(0x201, hcommInt64), AS(0x202, hcommInt64), AS(0x203, hcommInt64), AS(0x208, hcommInt16), AS(0x209, hcommInt32),
      AS(0x20a, hcommInt64), AS(0x20b, hcommInt64), AS(0x20c, hcommUint16), AS(0x20d, hcommUint32), AS(0x20e, hcommUint64),
      AS(0x20f, hcommUint64), AS(0x210, hcommFloat32), AS(0x214, hcommFloat64), AS(0x238, hcommUint8), AS(0x240, hcommInt8),
      AS(0x241, hcommUint8), AS(0x243, hcommInt8), AS(0x244, hcommInt8), AS(0x245, hcommUint8), AS(0x247, hcommUint8),
      AS(0x248, hcommInt16), AS(0x249, hcommUint16), AS(0x250, hcommInt32), AS(0x251, hcommUint32), AS(0x258, hcommInt64),
      AS(0x259, hcommUint64),
  };
#undef AS
  uintptr_t at = datatype - FIRST;
  return at < sizeof types && types[at] ? types[at] - TYPE : -1;
}

static inline int mpi_op(uintptr_t op) {
  switch (op) {
  case 0x21: return hcommSum;
  case 0x22: return hcommMin;
  case 0x23: return hcommMax;
  case 0x24: return hcommProd;
  }
  return -1; /* of others the exchanges in C know nothing */
}

/* mpi_size is the size of an element, 0 if there is no such type. */
static inline uint64_t mpi_size(uintptr_t datatype) {
  int type = mpi_type(datatype);
  return type < 0 ? 0 : datatype_size(type);
}

/* rank_of is this rank's number in the communicator behind a handle, right if that is one that the exchanges in C can be
 * made on. */
static inline int64_t rank_of(uint64_t handle) {
  const struct small *path = __atomic_load_n(&small_paths[handle % MAX_COMMS], __ATOMIC_ACQUIRE);
  return path ? (int64_t)path->shared.rank : -1;
}

#endif
