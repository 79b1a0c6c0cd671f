/* constants.c: the numbers in capi/mpi/constants.h are those of an MPI's mpi.h, or of the header that HEADER names. The
 * compiler compares them, but for two things that are done when the program runs: Open MPI's handles are addresses, and
 * are compared with those of the objects that libhcomm_mpi.so looks up; and of include/hcomm.h, whose values are those of
 * the MPI 5.0 ABI, only what it has is compared.
 *
 * tests/mpi-constants.sh builds it with each header and runs it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HEADER
#include HEADER
#else
#include <mpi.h>
#endif

#include "../../capi/mpi/constants.h"

#define ASSERT(true) _Static_assert(true, "")
#define EQUAL(mine, theirs) _Static_assert((uintptr_t)(mine) == (uintptr_t)(theirs), #mine " is not " #theirs)
#define PREDEFINED(T) PREDEFINED_TYPES(T) PREDEFINED_OPERATORS(T)

static int compared, wrong;

#ifdef HCOMM_H

/* same compares a number with the text of a macro. A name that is no macro is its own text. */
static void same(const char *name, const char *text, unsigned long number) {
  const char *value = strstr(text, "0x");
  if (!strcmp(name, text)) return;
  compared++;
  if (value && strtoul(value, NULL, 16) == number) return;
  printf("%s is not 0x%lx, but %s\n", name, number, text);
  wrong++;
}

#define TEXT(macro) TEXT_OF(macro)
#define TEXT_OF(text) #text
#define SAME(name, mpich, ompi, standard, meaning) same("HCOMM_" #name, TEXT(HCOMM_##name), standard);

EQUAL(STANDARD_IN_PLACE, HCOMM_IN_PLACE);
EQUAL(STANDARD_ERR_OTHER, HCOMM_ERR_OTHER);
EQUAL(STANDARD_COMM_NULL, HCOMM_COMM_NULL);
EQUAL(STANDARD_COMM_WORLD, HCOMM_COMM_WORLD);
EQUAL(STANDARD_COMM_SELF, HCOMM_COMM_SELF);
EQUAL(STANDARD_DATATYPE_NULL, HCOMM_DATATYPE_NULL);

static void run(void) { PREDEFINED(SAME) }

#else /* an MPI */

/* What is written in capi/mpi as if it were so everywhere. */
ASSERT(MPI_SUCCESS == 0);
ASSERT(sizeof(MPI_Aint) == sizeof(intptr_t));
ASSERT(sizeof(MPI_Count) == sizeof(int64_t));
ASSERT(sizeof(MPI_Status) <= 128 && _Alignof(MPI_Status) <= 8);
ASSERT(MPI_MAX_LIBRARY_VERSION_STRING <= 65536);
ASSERT(MPI_MAX_ERROR_STRING >= 256);

#if defined(OPEN_MPI) && !(defined(MPI_ABI_VERSION) && MPI_ABI_VERSION >= 1)

EQUAL(OMPI_IN_PLACE, MPI_IN_PLACE);
EQUAL(OMPI_ERR_OTHER, MPI_ERR_OTHER);
EQUAL(OMPI_COMBINER_NAMED, MPI_COMBINER_NAMED);
ASSERT(sizeof(MPI_Comm) == 8 && sizeof(MPI_Datatype) == 8 && sizeof(MPI_Op) == 8 && sizeof(MPI_Request) == 8);

static void same(const char *name, const void *handle, const char *object) {
  const void *address = dlsym(RTLD_DEFAULT, object);
  compared++;
  if (address && address == handle) return;
  printf("%s is not the address of %s\n", name, object);
  wrong++;
}

#define TYPE(name, mpich, ompi, standard, sort) same("MPI_" #name, MPI_##name, "ompi_mpi_" #ompi);
#define OPERATOR(name, mpich, ompi, standard, op) same("MPI_" #name, MPI_##name, "ompi_mpi_op_" #ompi);

static void run(void) {
  same("MPI_COMM_NULL", MPI_COMM_NULL, "ompi_mpi_comm_null");
  same("MPI_COMM_WORLD", MPI_COMM_WORLD, "ompi_mpi_comm_world");
  same("MPI_COMM_SELF", MPI_COMM_SELF, "ompi_mpi_comm_self");
  same("MPI_DATATYPE_NULL", MPI_DATATYPE_NULL, "ompi_mpi_datatype_null");
  PREDEFINED_TYPES(TYPE)
  PREDEFINED_OPERATORS(OPERATOR)
}

#else

#if defined(MPI_ABI_VERSION) && MPI_ABI_VERSION >= 1
#define MINE(name) STANDARD_##name
#define WIDTH 8
#elif defined(MPICH_VERSION) || defined(I_MPI_VERSION) || defined(CRAY_MPICH_VERSION) || defined(MVAPICH_VERSION)
#define MINE(name) MPICH_##name
#define WIDTH 4
#else
#error "This header is none of those that libhcomm_mpi.so knows."
#endif

#define SAME(name) EQUAL(MINE(name), MPI_##name);
#define PREDEFINED_IS_SAME(name, mpich, ompi, standard, meaning) SAME(name)

SAME(IN_PLACE)
SAME(ERR_OTHER)
SAME(COMBINER_NAMED)
SAME(COMM_NULL)
SAME(COMM_WORLD)
SAME(COMM_SELF)
SAME(DATATYPE_NULL)
PREDEFINED(PREDEFINED_IS_SAME)
ASSERT(sizeof(MPI_Comm) == WIDTH && sizeof(MPI_Datatype) == WIDTH && sizeof(MPI_Op) == WIDTH && sizeof(MPI_Request) == WIDTH);

#define COUNT(name, mpich, ompi, standard, meaning) compared++;

static void run(void) { PREDEFINED(COUNT) }

#endif
#endif

int main(void) {
  run();
  printf("%d types, operators and other handles were compared, %d are wrong\n", compared, wrong);
  return wrong || !compared;
}
