/* run.h: what Go calls. */
#ifndef RUN_H
#define RUN_H

#include "loops.h"

/* Buffers cut in pieces. b is cut like a. dst2 may be NULL. */
struct cut {
  char *dst, *dst2;
  const char *a, *b;
  size_t dst_bytes, a_bytes, elements; /* of a piece */
  size_t pieces;
};

/* find_loop gives the loop of that name in a list, NULL if it is not there. */
loop_t *find_loop(const struct entry *list, const char *type, const char *operator);

/* run_loop runs a loop over count pieces in a row, the first of which is from; the first follows the last. Where there is a
 * dst2, each piece of dst is then copied there. */
void run_loop(loop_t *loop, const struct cut *cut, size_t from, size_t count);

/* lacking names something that this processor lacks and that these files were compiled to use; NULL if there is nothing. */
const char *lacking(void);

/* Whether there are the instructions of the lists of the same names. */
int intrinsics_run(void);
int intrinsics_run_bfloat16(void);

#endif
