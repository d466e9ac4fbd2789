// SPDX-License-Identifier: Apache-2.0
// Reads vectors and dense matrices as arrays for a solve: in device memory if the solver is on the device, otherwise in
// host memory. No other file does.
#pragma once

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include "base/petsc_scalar.hpp"
#include "kokkos/guarded.hpp"
#include "solver/on_space.hpp"

namespace sptrsv_petsc {

/// Arrays of b and x of one application, which PETSc lends.
struct Operands {
  Columns<Scalar const> b;
  Columns<Scalar> x;
  bool keep_x = false;  // the solution is added to x
  bool b_on_host = true, x_on_host = true;
  bool kokkos = false;  // PETSc's Kokkos vectors
};

/// Calls use(Operands) with the vectors' arrays, and restores them after an error too.
/// @param device  whether arrays in GPU memory are wanted
template <class Use>
PetscErrorCode WithVecs(bool device, Vec b, Vec x, bool keep_x, Use const& use)
{
  PetscScalar const* from;
  PetscScalar* to;
  PetscInt n;
  PetscMemType b_where = PETSC_MEMTYPE_HOST, x_where = PETSC_MEMTYPE_HOST;
  PetscBool kokkos = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &n));
  if (device) {
    PetscCall(PetscObjectTypeCompareAny((PetscObject)x, &kokkos, VECSEQKOKKOS, VECMPIKOKKOS, ""));
    PetscCall(VecGetArrayReadAndMemType(b, &from, &b_where));
    PetscCall(keep_x ? VecGetArrayAndMemType(x, &to, &x_where) : VecGetArrayWriteAndMemType(x, &to, &x_where));
  } else {
    PetscCall(VecGetArrayRead(b, &from));
    PetscCall(keep_x ? VecGetArray(x, &to) : VecGetArrayWrite(x, &to));
  }
  auto const rows = static_cast<std::size_t>(n);
  PetscErrorCode const code = use(Operands{{scalars(from), rows, 1, rows},
                                           {scalars(to), rows, 1, rows},
                                           keep_x,
                                           PetscMemTypeHost(b_where),
                                           PetscMemTypeHost(x_where),
                                           (bool)kokkos});
  if (device) {
    PetscCall(keep_x ? VecRestoreArrayAndMemType(x, &to) : VecRestoreArrayWriteAndMemType(x, &to));
    PetscCall(VecRestoreArrayReadAndMemType(b, &from));
  } else {
    PetscCall(keep_x ? VecRestoreArray(x, &to) : VecRestoreArrayWrite(x, &to));
    PetscCall(VecRestoreArrayRead(b, &from));
  }
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode CheckDense(Mat M, char const* what)
{
  PetscBool dense;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)M, &dense, MATSEQDENSE, MATMPIDENSE, ""));
  PetscCheck(dense, PetscObjectComm((PetscObject)M), PETSC_ERR_SUP, "%s of type %s; convert them to %s", what,
             ((PetscObject)M)->type_name, MATDENSE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Calls use(Operands) with the arrays of dense matrices of right-hand sides, as WithVecs() does with those of vectors.
template <class Use>
PetscErrorCode WithDense(bool device, Mat B, Mat X, Use const& use)
{
  PetscScalar const* from;
  PetscScalar* to;
  PetscInt rows, columns, from_stride, to_stride;
  PetscMemType b_where, x_where;

  PetscFunctionBegin;
  PetscCall(CheckDense(B, "Right-hand sides"));
  PetscCall(CheckDense(X, "Solutions"));
  PetscCall(MatGetLocalSize(X, &rows, NULL));
  PetscCall(MatGetSize(X, NULL, &columns));
  PetscCall(MatDenseGetLDA(B, &from_stride));
  PetscCall(MatDenseGetLDA(X, &to_stride));
  PetscCall(DenseGetArrayRead(device, B, &from, &b_where));
  PetscCall(DenseGetArrayWrite(device, X, &to, &x_where));
  PetscErrorCode const code =
      use(Operands{{scalars(from), (std::size_t)rows, (std::size_t)columns, (std::size_t)from_stride},
                   {scalars(to), (std::size_t)rows, (std::size_t)columns, (std::size_t)to_stride},
                   false,
                   PetscMemTypeHost(b_where),
                   PetscMemTypeHost(x_where),
                   false});
  PetscCall(DenseRestoreArrayWrite(device, X, &to));
  PetscCall(DenseRestoreArrayRead(device, B, &from));
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Runs one application: call(b, x) with arrays in the solver's memory, on PETSc's stream. For a solver on a device,
/// copies arrays that are on a host, and waits for these copies only. Logs time, flops and copies, on the host or the
/// device.
template <class Call>
PetscErrorCode SolveAt(PetscObject object, SpaceObject& memory, Operands const& o, PetscLogDouble flops,
                       Call const& call)
{
  Columns<Scalar const> b = o.b;
  Columns<Scalar> x = o.x;
  Stream stream;
  auto const solve = [&] {
    Kokkos::Profiling::ScopedRegion const region("sptrsv::petsc::solve");  // a name for profilers
    call(b, x);
  };

  PetscFunctionBegin;
  if (!memory.on_device()) {
    PetscCall(Guarded(object, solve));
    PetscCall(PetscLogFlops(flops));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(CurrentStream(o.kokkos, &stream));
  PetscCall(Guarded(object, [&] {
    memory.follow(stream);
    if (o.b_on_host) b = memory.copy_in(o.b);
    if (o.x_on_host) x = memory.room_for(o.x, o.keep_x);
  }));
  if (o.b_on_host) PetscCall(PetscLogCpuToGpu((PetscLogDouble)b.bytes()));
  if (o.x_on_host && o.keep_x) PetscCall(PetscLogCpuToGpu((PetscLogDouble)x.bytes()));
  PetscCall(PetscLogGpuTimeBegin());
  PetscErrorCode const code = Guarded(object, solve);
  PetscCall(PetscLogGpuTimeEnd());
  PetscCall(code);
  PetscCall(PetscLogGpuFlops(flops));
  if (!o.b_on_host && !o.x_on_host) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guarded(object, [&] {
    if (o.x_on_host) memory.copy_out({x.data, x.rows, x.columns, x.stride}, o.x);
    memory.finish_copies();
  }));
  if (o.x_on_host) PetscCall(PetscLogGpuToCpu((PetscLogDouble)x.bytes()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
