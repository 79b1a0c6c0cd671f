/* types.c: what the predefined types and operators of the host MPI are to hcomm. */
#include <stdlib.h>

#include "constants.h"
#include "shim.h"

enum sort { OPAQUE, BYTES, SIGNED, UNSIGNED, FLOATING, COMPLEX, TRUTH };

/* The operators by their places in PREDEFINED_OPERATORS. */
enum {
#define PLACE(name, mpich, ompi, standard, op) AT_##name,
  PREDEFINED_OPERATORS(PLACE)
#undef PLACE
  OPERATORS
};
static handle operators[OPERATORS];
static const uint8_t numbers[OPERATORS] = {
#define NUMBER(name, mpich, ompi, standard, op) op,
    PREDEFINED_OPERATORS(NUMBER)
#undef NUMBER
};

/* The sets of operators that MPI defines for a sort of type. */
enum { ARITHMETIC = 1, BITWISE = 2, LOGICAL = 4, SUMS = 8 };
static const uint8_t defined[] = {[OPAQUE] = 0, [BYTES] = BITWISE, [SIGNED] = ARITHMETIC | BITWISE | LOGICAL,
                                  [UNSIGNED] = ARITHMETIC | BITWISE | LOGICAL, [FLOATING] = ARITHMETIC, [COMPLEX] = SUMS,
                                  [TRUTH] = LOGICAL};

static int is_defined(int place, uint8_t sets) {
  if (place == AT_SUM && sets & SUMS) return 1;
  return (place <= AT_MIN ? sets & ARITHMETIC : place <= AT_BXOR ? sets & BITWISE : sets & LOGICAL) != 0;
}

static int datatype_of(enum sort sort, int size) {
  int width = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : -1;
  static const int8_t integers[] = {hcommInt8, hcommInt16, hcommInt32, hcommInt64};
  static const int8_t naturals[] = {hcommUint8, hcommUint16, hcommUint32, hcommUint64};
  static const int8_t floats[] = {-1, -1, hcommFloat32, hcommFloat64};
  if (width < 0) return -1;
  switch (sort) {
    case SIGNED: return integers[width];
    case BYTES: case TRUTH: case UNSIGNED: return naturals[width];
    case FLOATING: return floats[width];
    default: return -1;
  }
}

/* The elements by a hash of their handle; a place that is free has size 0. */
enum { PLACES = 256 };
static struct element elements[PLACES];

static inline unsigned place_of(handle type) {
  uint64_t h = (uint64_t)type * 0x9e3779b97f4a7c15u;
  return (unsigned)(h >> 56);
}

static void learn(handle type, enum sort sort, int size) {
  unsigned at = place_of(type);
  while (elements[at].size && elements[at].type != type) at = (at + 1) % PLACES;
  if (elements[at].size) return; /* two names for one type */
  int components = sort == COMPLEX ? 2 : 1;
  elements[at] = (struct element){.type = type, .size = (uint8_t)size, .components = (uint8_t)components,
                                  .datatype = (int8_t)datatype_of(sort == COMPLEX ? FLOATING : sort, size / components),
                                  .operators = defined[sort]};
}

static handle type_handle(handle mpich, const char *ompi, handle standard) {
  return abi.family == MPICH ? mpich : abi.family == OPEN_MPI ? (handle)symbol(ompi) : standard;
}

void learn_types(void) {
  int size;
#define LEARN(name, mpich, ompi, standard, sort)                                 \
  {                                                                              \
    handle type = type_handle(mpich, "ompi_mpi_" #ompi, standard);               \
    if (type && host.Type_size(type, &size) == MPI_OK && size > 0 && size <= 64) learn(type, sort, size); \
  }
  PREDEFINED_TYPES(LEARN)
#undef LEARN
#define LEARN(name, mpich, ompi, standard, op) operators[AT_##name] = type_handle(mpich, "ompi_mpi_op_" #ompi, standard);
  PREDEFINED_OPERATORS(LEARN)
#undef LEARN
}

const struct element *element_of(handle type) {
  type = narrowed(type);
  for (unsigned at = place_of(type); elements[at].size; at = (at + 1) % PLACES)
    if (elements[at].type == type) return &elements[at];
  return NULL;
}

int operator_of(handle op, const struct element *e) {
  op = narrowed(op);
  for (int i = 0; i < OPERATORS; i++)
    if (operators[i] == op) return e->datatype >= 0 && is_defined(i, e->operators) ? numbers[i] : -1;
  return -1;
}

int is_predefined(handle op) {
  op = narrowed(op);
  for (int i = 0; i < OPERATORS; i++)
    if (operators[i] == op) return 1;
  return 0;
}
