// SPDX-License-Identifier: Apache-2.0
// Instantiates the preconditioners for all types that this Tpetra, and therefore Ifpack2, is instantiated for. Ifpack2
// 17.0 and later have no list of types of their own.
#include <TpetraCore_ETIHelperMacros.h>

#include "sptrsv/ifpack2/local_triangular_solver_impl.hpp"
#include "sptrsv/ifpack2/relaxation_impl.hpp"
#include "sptrsv/ifpack2/riluk_impl.hpp"

#define SPTRSV_INSTANCES(S, LO, GO, N)                                                         \
  template class sptrsv::ifpack2::detail::PreconditionerBase<Tpetra::RowMatrix<S, LO, GO, N>>; \
  template class sptrsv::ifpack2::LocalTriangularSolver<Tpetra::RowMatrix<S, LO, GO, N>>;      \
  template class sptrsv::ifpack2::Relaxation<Tpetra::RowMatrix<S, LO, GO, N>>;                 \
  template class sptrsv::ifpack2::Riluk<Tpetra::RowMatrix<S, LO, GO, N>>;

TPETRA_ETI_MANGLING_TYPEDEFS()
TPETRA_INSTANTIATE_SLGN_NO_ORDINAL_SCALAR(SPTRSV_INSTANCES)
