/* layout.h: where the elements of a buffer are. */
#ifndef HCOMM_MPI_LAYOUT_H
#define HCOMM_MPI_LAYOUT_H

#include "shim.h"

/* describe says why it cannot be done, or SERVED. */
enum why describe(struct layout *l, handle type, int64_t count);

/* pack and unpack copy so many blocks of a layout, which lie one behind the other; 0 if the host MPI refuses it. */
int pack(const struct layout *l, int64_t blocks, const void *from, void *to, handle comm);
int unpack(const struct layout *l, int64_t blocks, const void *from, void *to, handle comm);

#endif
