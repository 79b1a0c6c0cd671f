/* abi.c: the constants of the three binary interfaces. They are compared with the headers of the MPIs by
 * tests/mpi/constants.c. */
#include <stdlib.h>
#include <string.h>

#include "constants.h"
#include "shim.h"

struct abi abi;

#define OBJECT(name) ((handle)symbol(#name))

static void is_mpich(void) {
  abi = (struct abi){
      .family = MPICH, .name = "MPICH", .narrow = 1, .in_place = MPICH_IN_PLACE, .err_other = MPICH_ERR_OTHER,
      .combiner_named = MPICH_COMBINER_NAMED, .combiner_dup = MPICH_COMBINER_DUP,
      .combiner_contiguous = MPICH_COMBINER_CONTIGUOUS, .comm_null = MPICH_COMM_NULL, .comm_world = MPICH_COMM_WORLD,
      .comm_self = MPICH_COMM_SELF, .datatype_null = MPICH_DATATYPE_NULL, .request_null = MPICH_REQUEST_NULL,
      .op_null = MPICH_OP_NULL, .byte = 0x4c00010d, .int32 = 0x4c000405, .int64 = 0x4c00083a,
      .sum = 0x58000003, .min = 0x58000002};
}

static void is_open_mpi(void) {
  abi = (struct abi){
      .family = OPEN_MPI, .name = "Open MPI", .in_place = OMPI_IN_PLACE, .err_other = OMPI_ERR_OTHER,
      .combiner_named = OMPI_COMBINER_NAMED, .combiner_dup = OMPI_COMBINER_DUP,
      .combiner_contiguous = OMPI_COMBINER_CONTIGUOUS, .comm_null = OBJECT(ompi_mpi_comm_null),
      .comm_world = OBJECT(ompi_mpi_comm_world), .comm_self = OBJECT(ompi_mpi_comm_self),
      .datatype_null = OBJECT(ompi_mpi_datatype_null), .request_null = OBJECT(ompi_request_null),
      .op_null = OBJECT(ompi_mpi_op_null), .byte = OBJECT(ompi_mpi_byte), .int32 = OBJECT(ompi_mpi_int),
      .int64 = OBJECT(ompi_mpi_int64_t), .sum = OBJECT(ompi_mpi_op_sum), .min = OBJECT(ompi_mpi_op_min)};
}

static void is_standard(void) {
  abi = (struct abi){
      .family = STANDARD, .name = "the MPI 5.0 ABI", .in_place = STANDARD_IN_PLACE, .err_other = STANDARD_ERR_OTHER,
      .combiner_named = STANDARD_COMBINER_NAMED, .combiner_dup = STANDARD_COMBINER_DUP,
      .combiner_contiguous = STANDARD_COMBINER_CONTIGUOUS, .comm_null = STANDARD_COMM_NULL,
      .comm_world = STANDARD_COMM_WORLD, .comm_self = STANDARD_COMM_SELF, .datatype_null = STANDARD_DATATYPE_NULL,
      .request_null = STANDARD_REQUEST_NULL, .op_null = STANDARD_OP_NULL, .byte = 0x247, .int32 = 0x209,
      .int64 = 0x258, .sum = 0x21, .min = 0x22};
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

/* An MPI may have two libraries, of its own interface and of the standard one, which both answer MPI_Abi_get_version: the
 * former with -1. */
int identify(void) {
  int major = -1, minor = -1;
  if (host.Abi_get_version && host.Abi_get_version(&major, &minor) == MPI_OK && major >= 1) is_standard();
  else if (symbol("ompi_mpi_comm_world")) is_open_mpi();
  else if (is_of_mpich()) is_mpich();
  return abi.family != UNKNOWN;
}
