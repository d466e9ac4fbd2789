// SPDX-License-Identifier: Apache-2.0
// The preconditioners for all types that this Ifpack2 is instantiated for.
#include <Ifpack2_ETIHelperMacros.h>

#include "sptrsv/ifpack2/local_triangular_solver_impl.hpp"
#include "sptrsv/ifpack2/riluk_impl.hpp"

#define SPTRSV_INSTANCES(S, LO, GO, N)                                                         \
  template class sptrsv::ifpack2::detail::PreconditionerBase<Tpetra::RowMatrix<S, LO, GO, N>>; \
  template class sptrsv::ifpack2::LocalTriangularSolver<Tpetra::RowMatrix<S, LO, GO, N>>;      \
  template class sptrsv::ifpack2::Riluk<Tpetra::RowMatrix<S, LO, GO, N>>;

IFPACK2_ETI_MANGLING_TYPEDEFS()
IFPACK2_INSTANTIATE_SLGN(SPTRSV_INSTANCES)
