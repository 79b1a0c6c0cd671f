/* A program in C++: MPI's C functions on vectors and strings, with types and operators that templates make, and what is left
 * of MPI's own C++ world, where it is there.
 *
 * run: 1 %p
 * run: 2 %p
 * run openmpi: 4 %p
 * run mpich: 3 %p
 * flags: -Wno-cast-function-type
 * serves: allreduce bcast allgather gather reduce alltoall iallreduce
 */
#include "check.h"

#include <complex>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

template <class T> MPI_Datatype type();
template <> MPI_Datatype type<int>() { return MPI_INT; }
template <> MPI_Datatype type<long long>() { return MPI_LONG_LONG; }
template <> MPI_Datatype type<float>() { return MPI_FLOAT; }
template <> MPI_Datatype type<double>() { return MPI_DOUBLE; }
template <> MPI_Datatype type<bool>() { return MPI_CXX_BOOL; }
template <> MPI_Datatype type<std::complex<float>>() { return MPI_CXX_FLOAT_COMPLEX; }
template <> MPI_Datatype type<std::complex<double>>() { return MPI_CXX_DOUBLE_COMPLEX; }

// A duplicate that is freed when it goes out of scope, be it by an exception.
class Communicator {
 public:
  explicit Communicator(MPI_Comm from) {
    OK(MPI_Comm_dup(from, &comm_));
    OK(MPI_Barrier(comm_));
  }
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  ~Communicator() { OK(MPI_Comm_free(&comm_)); }
  operator MPI_Comm() const { return comm_; }

 private:
  MPI_Comm comm_;
};

template <class T> std::vector<T> sum(const std::vector<T>& x, MPI_Comm comm) {
  std::vector<T> y(x.size());
  OK(MPI_Allreduce(x.data(), y.data(), static_cast<int>(x.size()), type<T>(), MPI_SUM, comm));
  return y;
}

template <class T> void sums(MPI_Comm comm) {
  std::vector<T> x(500);
  for (size_t i = 0; i < x.size(); i++) x[i] = static_cast<T>(static_cast<float>(rank + static_cast<int>(i)));
  std::vector<T> y = sum(x, comm);
  for (size_t i = 0; i < y.size(); i++)
    CHECK(y[i] == static_cast<T>(static_cast<float>(size * static_cast<int>(i) + size * (size - 1) / 2)));
}

void strings(MPI_Comm comm) {
  std::string word = rank == 0 ? "what rank 0 says" : "";
  int length = static_cast<int>(word.size());
  OK(MPI_Bcast(&length, 1, MPI_INT, 0, comm));
  word.resize(static_cast<size_t>(length));
  OK(MPI_Bcast(&word[0], length, MPI_CHAR, 0, comm));
  CHECK(word == "what rank 0 says");
  std::vector<int> all(static_cast<size_t>(size)), expected(all.size());
  OK(MPI_Allgather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, comm));
  std::iota(expected.begin(), expected.end(), 0);
  CHECK(all == expected);
}

void truths(MPI_Comm comm) {
  bool mine = rank == size - 1, any = false, every = true;
  OK(MPI_Allreduce(&mine, &any, 1, type<bool>(), MPI_LOR, comm));
  OK(MPI_Allreduce(&mine, &every, 1, type<bool>(), MPI_LAND, comm));
  CHECK(any && every == (size == 1));
}

// The operator is a lambda, on a type of two doubles.
void operators(MPI_Comm comm) {
  struct Range {
    double low, high;
  } mine = {double(rank), double(rank) + 0.5}, all = {};
  MPI_Datatype range;
  MPI_Op widen;
  OK(MPI_Type_contiguous(2, MPI_DOUBLE, &range));
  OK(MPI_Type_commit(&range));
  OK(MPI_Op_create(
      [](void* in, void* inout, int* n, MPI_Datatype*) {
        auto a = static_cast<Range*>(in), b = static_cast<Range*>(inout);
        for (int i = 0; i < *n; i++) b[i] = {std::min(a[i].low, b[i].low), std::max(a[i].high, b[i].high)};
      },
      1, &widen));
  OK(MPI_Allreduce(&mine, &all, 1, range, widen, comm));
  CHECK(all.low == 0 && all.high == size - 0.5);
  OK(MPI_Op_free(&widen));
  OK(MPI_Type_free(&range));
}

// An exception goes through what this program calls, past objects that own communicators and buffers.
void exceptions() {
  for (int i = 0; i < 5; i++) {
    try {
      Communicator comm(WORLD);
      std::unique_ptr<std::vector<double>> x(new std::vector<double>(1000, rank));
      *x = sum(*x, comm);
      if ((*x)[999] == size * (size - 1) / 2) throw std::runtime_error("as expected");
      FAIL("the sum is %f", (*x)[999]);
    } catch (const std::runtime_error& e) {
      CHECK(std::string("as expected") == e.what());
    }
  }
}

void begun(MPI_Comm comm) {
  std::vector<std::vector<int>> x, y;
  std::vector<MPI_Request> requests;
  for (int i = 0; i < 30; i++) {
    x.emplace_back(i + 1, rank);
    y.emplace_back(i + 1, -1);
  }
  for (int i = 0; i < 30; i++) {
    requests.push_back(MPI_REQUEST_NULL);
    OK(MPI_Iallreduce(x[i].data(), y[i].data(), i + 1, MPI_INT, MPI_SUM, comm, &requests.back()));
  }
  OK(MPI_Waitall(30, requests.data(), MPI_STATUSES_IGNORE));
  for (auto& v : y) CHECK(v == std::vector<int>(v.size(), size * (size - 1) / 2));
}

void bindings() {
#if (defined(OMPI_BUILD_CXX_BINDINGS) && OMPI_BUILD_CXX_BINDINGS) || defined(MPICH_VERSION)
  MPI::Intracomm comm = MPI::COMM_WORLD.Dup();
  std::vector<int> blocks(static_cast<size_t>(size), rank), got(blocks.size());
  int total = 0, word = rank == 0 ? 5 : 0;
  comm.Barrier();
  comm.Allreduce(&rank, &total, 1, MPI::INT, MPI::SUM);
  CHECK(total == size * (size - 1) / 2);
  comm.Bcast(&word, 1, MPI::INT, 0);
  CHECK(word == 5);
  comm.Alltoall(blocks.data(), 1, MPI::INT, got.data(), 1, MPI::INT);
  for (int r = 0; r < size; r++) CHECK(got[static_cast<size_t>(r)] == r);
  comm.Gather(&rank, 1, MPI::INT, got.data(), 1, MPI::INT, 0);
  comm.Reduce(&rank, &total, 1, MPI::INT, MPI::MAX, 0);
  CHECK(rank != 0 || total == size - 1);
  comm.Free();
#endif
}

}  // namespace

int main() {
  begin();
  {
    Communicator comm(WORLD);
    sums<int>(comm), sums<long long>(comm), sums<float>(comm), sums<double>(comm);
    sums<std::complex<float>>(comm), sums<std::complex<double>>(comm);
    strings(comm);
    truths(comm);
    operators(comm);
    begun(comm);
  }
  exceptions();
  bindings();
  end();
}
