// SPDX-License-Identifier: Apache-2.0
// Memory and stream of a solver: a host's memory, or that of a GPU and one of PETSc's streams there.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>

#include "kokkos/device_stream.hpp"
#include "kokkos/kokkos_session.hpp"
#include "sptrsv/error.hpp"

namespace sptrsv_petsc {

/// Vectors in one array, column by column.
template <class Scalar>
struct Columns {
  Scalar* data;
  std::size_t rows, columns, stride;

  std::size_t bytes() const { return rows * columns * sizeof(Scalar); }
};

/// Memory of a solver, with copies of vectors that lie elsewhere.
template <class Scalar>
class SolverMemory : public KokkosHolder {
 public:
  /// Tells whether solves take arrays in GPU memory; arrays on a host then go through copy_in() and room_for().
  virtual bool on_device() const = 0;
  /// Sends all further work to this stream, after the work on the previous one has finished. Does nothing on a host.
  virtual void follow(Stream stream) = 0;
  /// Copies b to the solver's memory. Keeps that memory from solve to solve; allocates if b is larger than all before.
  virtual Columns<Scalar const> copy_in(Columns<Scalar const> b) = 0;
  /// Returns memory for x in the solver's memory, kept as by copy_in(); copies x to it if `filled`.
  virtual Columns<Scalar> room_for(Columns<Scalar> x, bool filled) = 0;
  virtual void copy_out(Columns<Scalar const> from, Columns<Scalar> to) = 0;
  /// Waits until the copies have read and written the host's arrays.
  virtual void finish_copies() = 0;
};

/// Implements an interface's SolverMemory for the execution space Exec.
template <class Interface, class Scalar, class Exec>
class SolverOnSpace : public Interface {
 public:
  using device = Kokkos::Device<Exec, typename Exec::memory_space>;
  static constexpr bool host = std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>;

  bool on_device() const final { return !host; }

  void follow(Stream stream) final
  {
    if constexpr (!host) {
      Work& w = work();
      if (stream == w.stream) return;
      // of the whole device: the stream before this one may be gone, with its PetscDeviceContext
      Kokkos::fence("sptrsv::petsc: work on the stream before this one has finished");
      w.exec = instance_on(stream);
      w.stream = stream;
    } else {
      (void)stream;
    }
  }

  Columns<Scalar const> copy_in(Columns<Scalar const> b) final
  {
    Columns<Scalar> const to = room(work().b, b.rows, b.columns);
    copy<typename Exec::memory_space, Kokkos::HostSpace>(b, to);
    return {to.data, to.rows, to.columns, to.stride};
  }
  Columns<Scalar> room_for(Columns<Scalar> x, bool filled) final
  {
    Columns<Scalar> const to = room(work().x, x.rows, x.columns);
    if (filled) copy<typename Exec::memory_space, Kokkos::HostSpace>({x.data, x.rows, x.columns, x.stride}, to);
    return to;
  }
  void copy_out(Columns<Scalar const> from, Columns<Scalar> to) final
  {
    copy<Kokkos::HostSpace, typename Exec::memory_space>(from, to);
  }
  void finish_copies() final { exec().fence("sptrsv::petsc: vectors of the host are copied"); }

  void release() override { work_.reset(); }

 protected:
  explicit SolverOnSpace(Stream stream)
  {
    work_.emplace();
    work_->stream = stream;
    if constexpr (!host) work_->exec = instance_on(stream);
  }

  Exec const& exec() const { return work().exec; }

  /// Allocates a View without initializing it.
  template <class View>
  View fresh(char const* label, std::size_t rows) const
  {
    return View(Kokkos::view_alloc(exec(), std::string(label), Kokkos::WithoutInitializing), rows);
  }
  template <class View, class V>
  static View as_view(Columns<V> c)
  {
    return View(c.data, Kokkos::LayoutStride(c.rows, 1, c.columns, c.stride));
  }
  std::size_t copy_bytes() const { return (work().b.span() + work().x.span()) * sizeof(Scalar); }

 private:
  using Vectors = Kokkos::View<Scalar*, device>;
  struct Work {
    Exec exec;
    Stream stream = nullptr;
    Vectors b, x;  // copies of vectors on a host; empty before the first one
  };

  Work& work() const
  {
    if (!work_)
      throw sptrsv::NotReady("Kokkos has ended, and this solver with it; destroy solvers before Kokkos::finalize()");
    return *work_;
  }
  Columns<Scalar> room(Vectors& kept, std::size_t rows, std::size_t columns) const
  {
    if (kept.extent(0) < rows * columns) kept = fresh<Vectors>("sptrsv::petsc::host_vectors", rows * columns);
    return {kept.data(), rows, columns, rows};
  }
  template <class To, class From>
  void copy(Columns<Scalar const> from, Columns<Scalar> to) const
  {
    for (std::size_t c = 0; c < from.columns; ++c)
      Kokkos::deep_copy(exec(), Kokkos::View<Scalar*, To>(to.data + c * to.stride, to.rows),
                        Kokkos::View<Scalar const*, From>(from.data + c * from.stride, from.rows));
  }

  mutable std::optional<Work> work_;
};

}  // namespace sptrsv_petsc
