// The same as consumer.c, in C++ and with the MPI-style half.
#include <hcomm.h>

#include <iostream>

int main(int argc, char **argv) {
  int version = 0, rank = 0, ranks = 0, sum = 0;
  if (hcommGetVersion(&version) != hcommSuccess || HCOMM_Init(&argc, &argv) != HCOMM_SUCCESS) return 1;
  HCOMM_Comm_rank(HCOMM_COMM_WORLD, &rank);
  HCOMM_Comm_size(HCOMM_COMM_WORLD, &ranks);
  if (HCOMM_Allreduce(&rank, &sum, 1, HCOMM_INT, HCOMM_SUM, HCOMM_COMM_WORLD) != HCOMM_SUCCESS) return 1;
  if (rank == 0)
    std::cout << "header " << HCOMM_MAJOR << "." << HCOMM_MINOR << "." << HCOMM_PATCH << ", library " << version << ", "
              << ranks << " ranks, sum " << sum << std::endl;
  return HCOMM_Finalize() != HCOMM_SUCCESS;
}
