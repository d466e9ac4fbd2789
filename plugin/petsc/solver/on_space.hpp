// SPDX-License-Identifier: Apache-2.0
// State in the memory of an execution space, on a host or on one of PETSc's streams of a GPU.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "base/petsc_scalar.hpp"
#include "kokkos/device_stream.hpp"
#include "kokkos/kokkos_session.hpp"
#include "sptrsv/device/row_range.hpp"
#include "sptrsv/error.hpp"
#include "sptrsv/staging.hpp"

namespace sptrsv_petsc {

/// Vectors in one array, column by column.
template <class S>
struct Columns {
  S* data;
  std::size_t rows, columns, stride;

  std::size_t bytes() const { return rows * columns * sizeof(S); }
};

/// Pattern of A by rows, as PETSc stores it; for a matrix with dense blocks, the pattern of the blocks.
struct MatrixArrays {
  PetscInt n = 0;
  std::size_t num_entries = 0;
  PetscInt const *row_ptr = nullptr, *col_idx = nullptr;
  bool on_device = false;
};
/// Values of A, aligned with the col_idx of MatrixArrays; dense blocks are stored by columns.
struct MatrixValues {
  Scalar const* data = nullptr;
  std::size_t size = 0;
  bool on_device = false;  ///< in the memory of a solver on a device; ignored on a host
};

/// Object with state in the memory of an execution space, which also holds copies of vectors from other memory.
class SpaceObject : public KokkosHolder {
 public:
  /// Tells whether the object works on arrays in GPU memory; vectors on a host then go through copy_in() and
  /// room_for().
  virtual bool on_device() const = 0;
  /// Sends all further work to this stream, after the work on the previous one has finished. Does nothing on a host.
  virtual void follow(Stream stream) = 0;
  /// Copies b to the object's memory. Keeps the array for later solves; allocates only if b is larger than any before.
  virtual Columns<Scalar const> copy_in(Columns<Scalar const> b) = 0;
  /// Returns an array for x in the object's memory, kept like that of copy_in(); copies x to it if `filled`.
  virtual Columns<Scalar> room_for(Columns<Scalar> x, bool filled) = 0;
  virtual void copy_out(Columns<Scalar const> from, Columns<Scalar> to) = 0;
  /// Waits until the copies have read and written the host's arrays.
  virtual void finish_copies() = 0;
};

/// Implements the SpaceObject part of an interface: holds a State in the memory of Exec, at most until Kokkos ends.
template <class Interface, class Exec, class State>
class OnSpace : public Interface {
 public:
  using device = Kokkos::Device<Exec, typename Exec::memory_space>;
  static constexpr bool host = std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>;

  bool on_device() const final { return !host; }

  void follow(Stream stream) final
  {
    if constexpr (!host) {
      Held& h = held();
      if (stream == h.stream) return;
      // fences the whole device: the previous stream may have been destroyed with its PetscDeviceContext
      Kokkos::fence("sptrsv::petsc: work on the stream before this one has finished");
      h.exec = instance_on(stream);
      h.stream = stream;
    } else {
      (void)stream;
    }
  }

  Columns<Scalar const> copy_in(Columns<Scalar const> b) final
  {
    Columns<Scalar> const to = room(held().b, b.rows, b.columns);
    copy<typename Exec::memory_space, Kokkos::HostSpace>(b, to);
    return {to.data, to.rows, to.columns, to.stride};
  }
  Columns<Scalar> room_for(Columns<Scalar> x, bool filled) final
  {
    Columns<Scalar> const to = room(held().x, x.rows, x.columns);
    if (filled) copy<typename Exec::memory_space, Kokkos::HostSpace>({x.data, x.rows, x.columns, x.stride}, to);
    return to;
  }
  void copy_out(Columns<Scalar const> from, Columns<Scalar> to) final
  {
    copy<Kokkos::HostSpace, typename Exec::memory_space>(from, to);
  }
  void finish_copies() final { exec().fence("sptrsv::petsc: vectors of the host are copied"); }

  void release() final { held_.reset(); }

 protected:
  explicit OnSpace(Stream stream)
  {
    held_.emplace();
    held_->stream = stream;
    if constexpr (!host) held_->exec = instance_on(stream);
  }

  Exec const& exec() const { return held().exec; }
  /// Sets the state. To be called once, before state().
  void set_state(State state) { held().state.emplace(std::move(state)); }
  bool has_state() const { return held().state.has_value(); }
  State& state() const { return *held().state; }

  /// Copies n numbers from host memory to a View; returns an empty View for null.
  Kokkos::View<PetscInt*, device> copied(PetscInt const* numbers, std::size_t n) const
  {
    if (!numbers) return {};
    auto const own = sptrsv::detail::raw_view<Kokkos::View<PetscInt*, device>>(exec(), "sptrsv::petsc::numbers", n);
    Kokkos::deep_copy(exec(), own, Kokkos::View<PetscInt const*, Kokkos::HostSpace>(numbers, n));
    exec().fence("sptrsv::petsc: numbers of the host are copied");
    return own;
  }
  /// Returns vectors as the View that the backend's solves take.
  template <class V>
  static Kokkos::View<V**, Kokkos::LayoutStride, device> as_view(Columns<V> c)
  {
    Kokkos::LayoutStride const layout(c.rows, 1, c.columns, c.stride);
    return Kokkos::View<V**, Kokkos::LayoutStride, device>(c.data, layout);
  }
  std::size_t copy_bytes() const { return (held().b.span() + held().x.span()) * sizeof(Scalar); }

 private:
  using Vectors = Kokkos::View<Scalar*, device>;
  struct Held {
    Exec exec;
    Stream stream = nullptr;
    Vectors b, x;  // copies of host vectors; empty before the first
    std::optional<State> state;
  };

  Held& held() const
  {
    if (!held_)
      throw sptrsv::NotReady(
          "Kokkos has ended, and solvers, sweeps and submatrices with it; destroy PETSc's objects before "
          "Kokkos::finalize()");
    return *held_;
  }
  Columns<Scalar> room(Vectors& kept, std::size_t rows, std::size_t columns) const
  {
    if (kept.extent(0) < rows * columns)
      kept = sptrsv::detail::raw_view<Vectors>(exec(), "sptrsv::petsc::host_vectors", rows * columns);
    return {kept.data(), rows, columns, rows};
  }
  template <class To, class From>
  void copy(Columns<Scalar const> from, Columns<Scalar> to) const
  {
    for (std::size_t c = 0; c < from.columns; ++c)
      Kokkos::deep_copy(exec(), Kokkos::View<Scalar*, To>(to.data + c * to.stride, to.rows),
                        Kokkos::View<Scalar const*, From>(from.data + c * from.stride, from.rows));
  }

  mutable std::optional<Held> held_;
};

/// Returns A's pattern in the memory of T's execution space: in place if it is there, otherwise a copy.
template <class T>
typename T::pattern PatternOfMatrix(MatrixArrays const& m)
{
  using Exec = typename T::exec_space;
  auto const n = static_cast<std::size_t>(m.n);
  typename T::pattern matrix;
  if (m.on_device) {
    matrix.row_ptr = decltype(matrix.row_ptr)(m.row_ptr, n + 1);
    matrix.col_idx = decltype(matrix.col_idx)(m.col_idx, m.num_entries);
  } else {
    matrix.row_ptr = sptrsv::in_memory_of<Exec>(m.row_ptr, n + 1);
    matrix.col_idx = sptrsv::in_memory_of<Exec>(m.col_idx, m.num_entries);
  }
  return matrix;
}

/// Returns A's values in the memory of T's execution space: in place if they are there, otherwise copied by `staging`.
template <class T>
typename T::values ValuesOfMatrix(typename T::exec_space const& exec,
                                  sptrsv::StagedValues<typename T::scalar, typename T::exec_space>& staging,
                                  MatrixValues const& values)
{
  return values.on_device ? typename T::values(values.data, values.size)
                          : typename T::values(staging.stage(exec, values.data, values.size));
}

}  // namespace sptrsv_petsc
