/* layout.c: types that are not simply bytes in a row. Every rank may describe the same data in another way, so blocks
 * travel as bytes in the order of the type's elements, as MPI_Pack has them. */
#include "layout.h"

enum { PIECE = 1 << 30 }; /* most bytes for one call of MPI_Pack, which counts in ints */

/* A type that was made by MPI_Type_contiguous or _dup of a predefined one would be simple, too, but to find that out takes
 * as long as to pack a small message. */
static int is_simple(handle type, int64_t size, intptr_t lower, intptr_t extent) {
  int ints, addresses, types, combiner;
  return lower == 0 && extent == size && host.Type_get_envelope(type, &ints, &addresses, &types, &combiner) == MPI_OK &&
         combiner == abi.combiner_named;
}

enum why describe(struct layout *l, handle type, int64_t count) {
  const struct element *e = element_of(type);
  if (count < 0) return WRONG_ARGUMENT;
  if (LIKELY(e != NULL)) {
    *l = (struct layout){.type = type, .count = count, .size = e->size, .extent = e->size};
    return count > INT64_MAX / 64 ? TOO_LONG : SERVED;
  }
  if (!narrowed(type) || narrowed(type) == abi.datatype_null) return WRONG_ARGUMENT;
  int size;
  intptr_t lower, extent;
  if (host.Type_size(type, &size) != MPI_OK || host.Type_get_extent(type, &lower, &extent) != MPI_OK) return WRONG_ARGUMENT;
  if (size < 0 || size > PIECE || (size && count > PIECE / size)) return TOO_LONG;
  *l = (struct layout){.type = type, .count = count, .size = size, .extent = extent};
  l->has_gaps = !is_simple(type, size, lower, extent);
  return SERVED;
}

int pack(const struct layout *l, int64_t blocks, const void *from, void *to, handle comm) {
  if (!l->size) return 1;
  const char *at = from;
  char *out = to;
  for (int64_t left = blocks * l->count, n; left; left -= n, at += n * l->extent, out += n * l->size) {
    n = left < PIECE / l->size ? left : PIECE / l->size;
    int position = 0, bytes = (int)(n * l->size);
    if (host.Pack(at, (int)n, l->type, out, bytes, &position, comm) != MPI_OK || position != bytes) return 0;
  }
  return 1;
}

int unpack(const struct layout *l, int64_t blocks, const void *from, void *to, handle comm) {
  if (!l->size) return 1;
  const char *in = from;
  char *at = to;
  for (int64_t left = blocks * l->count, n; left; left -= n, at += n * l->extent, in += n * l->size) {
    n = left < PIECE / l->size ? left : PIECE / l->size;
    int position = 0, bytes = (int)(n * l->size);
    if (host.Unpack(in, bytes, &position, at, (int)n, l->type, comm) != MPI_OK) return 0;
  }
  return 1;
}
