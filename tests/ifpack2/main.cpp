// SPDX-License-Identifier: Apache-2.0
// Starts MPI and Kokkos as Trilinos does. Only rank 0 prints, but a failure on any rank fails the test.
#include <gtest/gtest.h>

#include <Teuchos_CommHelpers.hpp>
#include <Tpetra_Core.hpp>
#include <cstdio>

namespace {

/// Prints failures of ranks whose results are not printed.
class PrintFailures : public ::testing::EmptyTestEventListener {
 public:
  explicit PrintFailures(int rank) : rank_(rank) {}
  void OnTestPartResult(::testing::TestPartResult const& result) override {
    if (result.failed())
      std::fprintf(stderr, "rank %d: %s:%d: %s\n", rank_, result.file_name() ? result.file_name() : "?",
                   result.line_number(), result.message());
  }

 private:
  int rank_;
};

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  Tpetra::ScopeGuard const scope(&argc, &argv);
  auto const comm = Tpetra::getDefaultComm();
  if (comm->getRank() != 0) {
    auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new PrintFailures(comm->getRank()));
  }
  int const failed = RUN_ALL_TESTS();
  int any = 0;
  Teuchos::reduceAll(*comm, Teuchos::REDUCE_MAX, failed, Teuchos::outArg(any));
  return any;
}
