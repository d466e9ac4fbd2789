// SPDX-License-Identifier: Apache-2.0
// create(): makes preconditioners of this plugin or of Ifpack2 by name.
#pragma once

#include <Ifpack2_Factory.hpp>
#include <algorithm>
#include <cctype>
#include <string>
#include <type_traits>

#include "sptrsv/ifpack2/local_triangular_solver.hpp"
#include "sptrsv/ifpack2/relaxation.hpp"
#include "sptrsv/ifpack2/riluk.hpp"

namespace sptrsv::ifpack2 {

/// Makes "SPTRSV_RILUK", "SPTRSV_RELAXATION" or "SPTRSV_TRIANGULAR" (case does not matter); passes every other name to
/// Ifpack2::Factory::create().
/// @param matrix  as for Ifpack2::Factory.
/// @throws std::invalid_argument if neither knows the name.
template <class MatrixType>
Teuchos::RCP<Ifpack2::Preconditioner<typename MatrixType::scalar_type, typename MatrixType::local_ordinal_type,
                                     typename MatrixType::global_ordinal_type, typename MatrixType::node_type>>
create(std::string const& name, Teuchos::RCP<MatrixType> const& matrix) {
  using row_matrix_type = Tpetra::RowMatrix<typename MatrixType::scalar_type, typename MatrixType::local_ordinal_type,
                                            typename MatrixType::global_ordinal_type, typename MatrixType::node_type>;
  Teuchos::RCP<row_matrix_type const> const A = matrix;
  std::string upper = name;
  std::transform(upper.begin(), upper.end(), upper.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (upper == "SPTRSV_RILUK") return Teuchos::rcp(new Riluk<row_matrix_type>(A));
  if (upper == "SPTRSV_RELAXATION") return Teuchos::rcp(new Relaxation<row_matrix_type>(A));
  if (upper == "SPTRSV_TRIANGULAR") return Teuchos::rcp(new LocalTriangularSolver<row_matrix_type>(A));
  TEUCHOS_TEST_FOR_EXCEPTION(upper.rfind("SPTRSV", 0) == 0, std::invalid_argument,
                             "sptrsv::ifpack2::create: unknown name \""
                                 << name
                                 << "\"; ours are SPTRSV_RILUK, SPTRSV_RELAXATION and SPTRSV_TRIANGULAR, all "
                                    "others are Ifpack2's.");
  return Ifpack2::Factory::create<row_matrix_type>(name, A);
}

}  // namespace sptrsv::ifpack2
