// SPDX-License-Identifier: Apache-2.0
// Instances of the preconditioners for double on Tpetra's CUDA Node.
#include <Tpetra_KokkosCompat_ClassicNodeAPI_Wrapper.hpp>

#include "sptrsv/ifpack2/local_triangular_solver_impl.hpp"
#include "sptrsv/ifpack2/relaxation_impl.hpp"
#include "sptrsv/ifpack2/riluk_impl.hpp"

using Matrix = Tpetra::RowMatrix<double, int, long long, Tpetra::KokkosCompat::KokkosDeviceWrapperNode<Kokkos::Cuda>>;
template class sptrsv::ifpack2::detail::PreconditionerBase<Matrix>;
template class sptrsv::ifpack2::LocalTriangularSolver<Matrix>;
template class sptrsv::ifpack2::Relaxation<Matrix>;
template class sptrsv::ifpack2::Riluk<Matrix>;
