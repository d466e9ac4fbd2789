// SPDX-License-Identifier: Apache-2.0
// Reads on rank 0, sends the rows to the ranks, and builds the matrix there.
#include "load.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <limits>
#include <vector>

#include <sptrsv_support/csr_matrix.hpp>
#include <sptrsv_support/generators.hpp>
#include <sptrsv_support/matrix_market.hpp>

#include "petsc_binary.hpp"
#include "sptrsv_support/petsc_success.hpp"

namespace {

using sptrsv::support::CsrMatrix;

enum Kind : int { failed, from_rank_0, petsc_binary };

/// Rows of one rank in PETSc's format.
struct Rows {
  std::vector<PetscInt> row_ptr, col_idx;
  std::vector<PetscScalar> values;
};

std::string not_square(const std::string& name, std::int64_t num_rows, std::int64_t num_cols) {
  return name + ": the matrix has " + std::to_string(num_rows) + " rows and " + std::to_string(num_cols) +
         " columns; give a square one";
}

std::string find_error(const std::string& name, const CsrMatrix& a) {
  constexpr std::int64_t largest = std::numeric_limits<PetscInt>::max();
  if (a.num_rows != a.num_cols) return not_square(name, a.num_rows, a.num_cols);
  if (a.num_rows > largest || a.num_entries() > largest) {
    return name + ": the matrix is too large for this PETSc; use one with 64-bit indices";
  }
  return "";
}

/// Finds out on rank 0 what the file is, and checks or reads it.
Kind read_on_rank_0(const Settings& settings, CsrMatrix* a, std::string* error) {
  namespace support = sptrsv::support;
  try {
    if (!settings.generate.empty()) {
      *a = support::generate(settings.generate);
    } else if (std::filesystem::is_regular_file(settings.file) && is_petsc_binary(settings.file)) {
      check_petsc_binary(settings.file);
      return petsc_binary;
    } else {
      *a = support::read_matrix_market(settings.file);
    }
    *error = find_error(settings.name(), *a);
  } catch (const std::exception& exception) {
    *error = exception.what();
  }
  return error->empty() ? from_rank_0 : failed;
}

Rows take_rows(const CsrMatrix& a, std::int64_t begin, std::int64_t end) {
  Rows rows;
  const std::int64_t first = a.row_ptr[begin], last = a.row_ptr[end];
  for (std::int64_t i = begin; i <= end; ++i) rows.row_ptr.push_back(static_cast<PetscInt>(a.row_ptr[i] - first));
  rows.col_idx.assign(a.col_idx.begin() + first, a.col_idx.begin() + last);
  rows.values.assign(a.values.begin() + first, a.values.begin() + last);
  return rows;
}

constexpr std::size_t piece = std::size_t{1} << 26;  // elements per message, well below what MPI can count

template <class T>
PetscErrorCode send(const std::vector<T>& list, MPI_Datatype type, PetscMPIInt rank) {
  PetscFunctionBegin;
  for (std::size_t k = 0; k < list.size(); k += piece) {
    const auto count = static_cast<PetscMPIInt>(std::min(piece, list.size() - k));
    PetscCallMPI(MPI_Send(list.data() + k, count, type, rank, 0, PETSC_COMM_WORLD));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class T>
PetscErrorCode receive(std::vector<T>* list, std::size_t length, MPI_Datatype type) {
  PetscFunctionBegin;
  list->resize(length);
  for (std::size_t k = 0; k < length; k += piece) {
    const auto count = static_cast<PetscMPIInt>(std::min(piece, length - k));
    PetscCallMPI(MPI_Recv(list->data() + k, count, type, 0, 0, PETSC_COMM_WORLD, MPI_STATUS_IGNORE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Distributes rank 0's matrix: each rank gets its num_local rows.
PetscErrorCode distribute(const CsrMatrix& a, PetscInt num_local, Rows* rows) {
  PetscMPIInt rank = 0, num_ranks = 1;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &num_ranks));
  std::vector<PetscInt> counts(static_cast<std::size_t>(num_ranks));
  PetscCallMPI(MPI_Gather(&num_local, 1, MPIU_INT, counts.data(), 1, MPIU_INT, 0, PETSC_COMM_WORLD));
  if (rank > 0) {
    PetscCall(receive(&rows->row_ptr, static_cast<std::size_t>(num_local) + 1, MPIU_INT));
    PetscCall(receive(&rows->col_idx, static_cast<std::size_t>(rows->row_ptr.back()), MPIU_INT));
    PetscCall(receive(&rows->values, static_cast<std::size_t>(rows->row_ptr.back()), MPIU_SCALAR));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *rows = take_rows(a, 0, num_local);
  std::int64_t begin = num_local;
  for (PetscMPIInt other = 1; other < num_ranks; ++other) {
    const std::int64_t end = begin + counts[static_cast<std::size_t>(other)];
    const Rows theirs = take_rows(a, begin, end);
    PetscCall(send(theirs.row_ptr, MPIU_INT, other));
    PetscCall(send(theirs.col_idx, MPIU_INT, other));
    PetscCall(send(theirs.values, MPIU_SCALAR, other));
    begin = end;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode build(const CsrMatrix& a, Mat* A) {
  PetscInt n = static_cast<PetscInt>(a.num_rows), num_local = PETSC_DECIDE;
  Rows rows;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Bcast(&n, 1, MPIU_INT, 0, PETSC_COMM_WORLD));
  PetscCall(PetscSplitOwnership(PETSC_COMM_WORLD, &num_local, &n));
  PetscCall(distribute(a, num_local, &rows));
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, num_local, num_local, n, n));
  PetscCall(MatSetType(*A, MATAIJ));
  // Each call affects its own kind of matrix and leaves the other unchanged.
  PetscCall(MatSeqAIJSetPreallocationCSR(*A, rows.row_ptr.data(), rows.col_idx.data(), rows.values.data()));
  PetscCall(MatMPIAIJSetPreallocationCSR(*A, rows.row_ptr.data(), rows.col_idx.data(), rows.values.data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode load_binary(const std::string& path, Mat* A, std::string* error) {
  PetscViewer viewer;
  PetscInt num_rows = 0, num_cols = 0;
  PetscFunctionBegin;
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, path.c_str(), FILE_MODE_READ, &viewer));
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatLoad(*A, viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(MatGetSize(*A, &num_rows, &num_cols));
  if (num_rows != num_cols) {
    *error = not_square(path, num_rows, num_cols);
    PetscCall(MatDestroy(A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode load_matrix(const Settings& settings, Mat* A, std::string* error) {
  PetscMPIInt rank = 0;
  CsrMatrix a;
  int kind = failed;
  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (rank == 0) kind = read_on_rank_0(settings, &a, error);
  PetscCallMPI(MPI_Bcast(&kind, 1, MPI_INT, 0, PETSC_COMM_WORLD));
  if (kind == failed && rank > 0) *error = "see rank 0";
  if (kind == petsc_binary) PetscCall(load_binary(settings.file, A, error));
  if (kind == from_rank_0) PetscCall(build(a, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode convert_matrix(Mat* A) {
  char type[256] = "";
  PetscBool set = PETSC_FALSE;
  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(nullptr, nullptr, "-mat_type", type, sizeof(type), &set));
  if (set) PetscCall(MatConvert(*A, type, MAT_INPLACE_MATRIX, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}
