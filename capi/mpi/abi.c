/* abi.c: the constants of the three binary interfaces. tests/mpi/constants.c compares them with the
 * headers of the MPIs. */
#include <stdlib.h>
#include <string.h>

#include "constants.h"
#include "shim.h"

struct abi abi;

#define OBJECT(name) ((handle)symbol(#name))

static void is_mpich(void) {
  abi = (struct abi){
      .family = MPICH, .name = "MPICH", .narrow = 1, .in_place = MPICH_IN_PLACE, .err_other = MPICH_ERR_OTHER,
      .combiner_named = MPICH_COMBINER_NAMED, .comm_null = MPICH_COMM_NULL, .comm_world = MPICH_COMM_WORLD,
      .comm_self = MPICH_COMM_SELF, .datatype_null = MPICH_DATATYPE_NULL, .byte = MPICH_BYTE, .int32 = MPICH_INT,
      .int64 = MPICH_INT64_T, .sum = MPICH_SUM, .min = MPICH_MIN, .bor = MPICH_BOR};
}

static void is_open_mpi(void) {
  abi = (struct abi){
      .family = OPEN_MPI, .name = "Open MPI", .in_place = OMPI_IN_PLACE, .err_other = OMPI_ERR_OTHER,
      .combiner_named = OMPI_COMBINER_NAMED, .comm_null = OBJECT(ompi_mpi_comm_null),
      .comm_world = OBJECT(ompi_mpi_comm_world), .comm_self = OBJECT(ompi_mpi_comm_self),
      .datatype_null = OBJECT(ompi_mpi_datatype_null), .byte = OBJECT(ompi_mpi_byte), .int32 = OBJECT(ompi_mpi_int),
      .int64 = OBJECT(ompi_mpi_int64_t), .sum = OBJECT(ompi_mpi_op_sum), .min = OBJECT(ompi_mpi_op_min),
      .bor = OBJECT(ompi_mpi_op_bor)};
}

static void is_standard(void) {
  abi = (struct abi){
      .family = STANDARD, .name = "the MPI 5.0 ABI", .in_place = STANDARD_IN_PLACE, .err_other = STANDARD_ERR_OTHER,
      .combiner_named = STANDARD_COMBINER_NAMED, .comm_null = STANDARD_COMM_NULL, .comm_world = STANDARD_COMM_WORLD,
      .comm_self = STANDARD_COMM_SELF, .datatype_null = STANDARD_DATATYPE_NULL, .byte = STANDARD_BYTE,
      .int32 = STANDARD_INT, .int64 = STANDARD_INT64_T, .sum = STANDARD_SUM, .min = STANDARD_MIN,
      .bor = STANDARD_BOR};
}

/* is_of_mpich knows the libraries that have MPICH's interface by how they name themselves. */
static int is_of_mpich(void) {
  static const char *const names[] = {"MPICH", "Intel(R) MPI", "CRAY MPICH", "MVAPICH"};
  char *version = calloc(1, 1 << 16); /* more than any interface has for it */
  int length, found = 0;
  if (version && host.Get_library_version(version, &length) == MPI_OK)
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) found |= strstr(version, names[i]) != NULL;
  free(version);
  return found;
}

/* The standard comes first: Open MPI's library with its interface stands on one that has Open MPI's objects. */
int identify(void) {
  int major = -1, minor = -1;
  if (host.Abi_get_version && host.Abi_get_version(&major, &minor) == MPI_OK && major >= 1) is_standard();
  else if (symbol("ompi_mpi_comm_world")) is_open_mpi();
  else if (is_of_mpich()) is_mpich();
  abi.of_mpich = abi.family == MPICH || (abi.family == STANDARD && is_of_mpich());
  return abi.family != UNKNOWN;
}
