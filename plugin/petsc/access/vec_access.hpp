// SPDX-License-Identifier: Apache-2.0
// Reads vectors and dense matrices as arrays for a solve: in device memory if the solver is on the device, otherwise in
// host memory.
#pragma once

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include "base/events.hpp"
#include "base/petsc_scalar.hpp"
#include "kokkos/guarded.hpp"
#include "solver/on_space.hpp"

namespace sptrsv_petsc {

inline PetscErrorCode CheckDense(Mat M, char const* what)
{
  PetscBool dense;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)M, &dense, MATSEQDENSE, MATMPIDENSE, ""));
  PetscCheck(dense, PetscObjectComm((PetscObject)M), PETSC_ERR_SUP, "%s of type %s; convert them to %s", what,
             ((PetscObject)M)->type_name, MATDENSE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Access to the arrays of b and x of one application until the end of the scope.
class VectorAccess {
 public:
  Columns<Scalar const> b{};
  Columns<Scalar> x{};
  bool keep_x = false;  ///< the solution is added to x
  bool b_on_host = true, x_on_host = true;
  bool kokkos = false;  ///< x is of one of PETSc's Kokkos types

  ~VectorAccess()
  {
    if (x_vec_ && device_)
      (void)(keep_x ? VecRestoreArrayAndMemType(x_vec_, &to_) : VecRestoreArrayWriteAndMemType(x_vec_, &to_));
    else if (x_vec_) (void)(keep_x ? VecRestoreArray(x_vec_, &to_) : VecRestoreArrayWrite(x_vec_, &to_));
    if (b_vec_) (void)(device_ ? VecRestoreArrayReadAndMemType(b_vec_, &from_) : VecRestoreArrayRead(b_vec_, &from_));
    if (x_mat_) (void)DenseRestoreArrayWrite(device_, x_mat_, &to_);
    if (b_mat_) (void)DenseRestoreArrayRead(device_, b_mat_, &from_);
  }
  VectorAccess& operator=(VectorAccess&&) = delete;

  /// Gets the arrays of vectors.
  /// @param device  whether to prefer arrays in GPU memory, if the vectors have them
  PetscErrorCode Get(bool device, Vec from, Vec to, bool keep)
  {
    PetscInt n;
    PetscMemType b_where = PETSC_MEMTYPE_HOST, x_where = PETSC_MEMTYPE_HOST;
    PetscBool is_kokkos = PETSC_FALSE;

    PetscFunctionBegin;
    device_ = device;
    keep_x = keep;
    PetscCall(VecGetLocalSize(to, &n));
    if (device) {
      PetscCall(PetscObjectTypeCompareAny((PetscObject)to, &is_kokkos, VECSEQKOKKOS, VECMPIKOKKOS, ""));
      PetscCall(VecGetArrayReadAndMemType(from, &from_, &b_where));
      b_vec_ = from;
      PetscCall(keep ? VecGetArrayAndMemType(to, &to_, &x_where) : VecGetArrayWriteAndMemType(to, &to_, &x_where));
    } else {
      PetscCall(VecGetArrayRead(from, &from_));
      b_vec_ = from;
      PetscCall(keep ? VecGetArray(to, &to_) : VecGetArrayWrite(to, &to_));
    }
    x_vec_ = to;
    auto const rows = static_cast<std::size_t>(n);
    b = {scalars(from_), rows, 1, rows};
    x = {scalars(to_), rows, 1, rows};
    b_on_host = PetscMemTypeHost(b_where);
    x_on_host = PetscMemTypeHost(x_where);
    kokkos = is_kokkos;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /// Gets the arrays of dense matrices of right-hand sides and solutions.
  PetscErrorCode Get(bool device, Mat from, Mat to)
  {
    PetscInt rows, columns, from_stride, to_stride;
    PetscMemType b_where, x_where;

    PetscFunctionBegin;
    device_ = device;
    PetscCall(CheckDense(from, "Right-hand sides"));
    PetscCall(CheckDense(to, "Solutions"));
    PetscCall(MatGetLocalSize(to, &rows, NULL));
    PetscCall(MatGetSize(to, NULL, &columns));
    PetscCall(MatDenseGetLDA(from, &from_stride));
    PetscCall(MatDenseGetLDA(to, &to_stride));
    PetscCall(DenseGetArrayRead(device, from, &from_, &b_where));
    b_mat_ = from;
    PetscCall(DenseGetArrayWrite(device, to, &to_, &x_where));
    x_mat_ = to;
    b = {scalars(from_), (std::size_t)rows, (std::size_t)columns, (std::size_t)from_stride};
    x = {scalars(to_), (std::size_t)rows, (std::size_t)columns, (std::size_t)to_stride};
    b_on_host = PetscMemTypeHost(b_where);
    x_on_host = PetscMemTypeHost(x_where);
    PetscFunctionReturn(PETSC_SUCCESS);
  }

 private:
  Vec b_vec_ = nullptr, x_vec_ = nullptr;
  Mat b_mat_ = nullptr, x_mat_ = nullptr;
  PetscScalar const* from_ = nullptr;
  PetscScalar* to_ = nullptr;
  bool device_ = false;
};

/// Runs solve(b, x) on PETSc's stream, with arrays in the solver's memory. Copies host arrays to and from that memory,
/// and waits for these copies only. Logs time and copies.
template <class Solve>
PetscErrorCode SolveOnDevice(PetscObject object, SpaceObject& solver, VectorAccess const& v, Solve const& solve)
{
  Columns<Scalar const> b = v.b;
  Columns<Scalar> x = v.x;
  Stream stream;

  PetscFunctionBegin;
  PetscCall(CurrentStream(v.kokkos, &stream));
  PetscCall(Guarded(object, [&] {
    solver.follow(stream);
    if (v.b_on_host) b = solver.copy_in(v.b);
    if (v.x_on_host) x = solver.room_for(v.x, v.keep_x);
  }));
  if (v.b_on_host) PetscCall(PetscLogCpuToGpu((PetscLogDouble)b.bytes()));
  if (v.x_on_host && v.keep_x) PetscCall(PetscLogCpuToGpu((PetscLogDouble)x.bytes()));
  {
    GpuTime const time(true);
    PetscCall(Guarded(object, [&] { solve(b, x); }));
  }
  if (!v.b_on_host && !v.x_on_host) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded(object, [&] {
    if (v.x_on_host) solver.copy_out({x.data, x.rows, x.columns, x.stride}, v.x);
    solver.finish_copies();
  }));
  if (v.x_on_host) PetscCall(PetscLogGpuToCpu((PetscLogDouble)x.bytes()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Runs one application, call(b, x), and logs it as a solve.
/// @param solver  where the application runs
/// @param flops   number of flops to log; read after the call
template <class Call>
PetscErrorCode LoggedSolve(PetscObject object, SpaceObject& solver, VectorAccess const& v, PetscLogDouble const& flops,
                           Call const& call)
{
  LoggedEvent event(events.solve, object);
  auto const solve = [&](Columns<Scalar const> b, Columns<Scalar> x) {
    Kokkos::Profiling::ScopedRegion const region("sptrsv::petsc::solve");  // a name for profilers
    call(b, x);
  };

  PetscFunctionBegin;
  PetscCall(event.Begin());
  if (solver.on_device()) {
    PetscCall(SolveOnDevice(object, solver, v, solve));
    PetscCall(PetscLogGpuFlops(flops));
  } else {
    PetscCall(Guarded(object, [&] { solve(v.b, v.x); }));
    PetscCall(PetscLogFlops(flops));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
