// SPDX-License-Identifier: Apache-2.0
// Where a solver's arrays lie and its kernels go: a host, or a GPU and one of PETSc's streams there.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>

#include "device_stream.hpp"
#include "kokkos_session.hpp"
#include "sptrsv/error.hpp"

namespace sptrsv_petsc {

/// A dense block of vectors, column by column.
template <class Scalar>
struct Columns {
  Scalar* data;
  std::size_t rows, columns, stride;

  std::size_t bytes() const { return rows * columns * sizeof(Scalar); }
};

/// What a solver is to those who bring it vectors.
template <class Scalar>
class Place : public KokkosHolder {
 public:
  /// Whether solves take arrays in a GPU's memory, and those of a host by copy_in() and room_for() only.
  virtual bool on_device() const = 0;
  /// From here on all work goes to this stream, after what is under way on the one before. Does nothing on a host.
  virtual void follow(Stream stream) = 0;
  /// Copies in the solver's memory, kept from solve to solve; allocates where there is more than ever before.
  virtual Columns<Scalar const> copy_in(Columns<Scalar const> b) = 0;
  virtual Columns<Scalar> room_for(Columns<Scalar> x, bool filled) = 0;
  virtual void copy_out(Columns<Scalar const> from, Columns<Scalar> to) = 0;
  /// Waits until the host's arrays have been read and written.
  virtual void finish_copies() = 0;
};

/// Numbers of a host in a solver's memory: the very array on a host, on a device a copy.
template <class Scalar, class Exec>
class SentValues {
 public:
  using Values = Kokkos::View<Scalar*, Kokkos::Device<Exec, typename Exec::memory_space>>;
  static constexpr bool host = std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>;

  /// Allocates: nothing does later.
  SentValues(Exec const& exec, std::size_t size) : size_(size)
  {
    if constexpr (!host) {
      arrived_ =
          Values(Kokkos::view_alloc(exec, std::string("sptrsv::petsc::values"), Kokkos::WithoutInitializing), size);
      leaving_ = decltype(leaving_)(
          Kokkos::view_alloc(std::string("sptrsv::petsc::leaving"), Kokkos::WithoutInitializing), size);
    }
  }

  /// On a host the caller's array must stay as it is while it is used; on a device the caller may change it
  /// at once, and the stream goes on with the copy.
  typename Values::const_type send(Exec const& exec, Scalar const* values)
  {
    if constexpr (host) {
      return typename Values::const_type(values, size_);
    } else {
      if (under_way_) exec.fence("sptrsv::petsc: the values before these have left");
      std::copy_n(values, size_, leaving_.data());
      Kokkos::deep_copy(exec, arrived_, leaving_);
      under_way_ = true;
      return arrived_;
    }
  }

  Values const& on_device() const { return arrived_; }  ///< empty on a host
  std::size_t memory_bytes() const { return (arrived_.span() + leaving_.span()) * sizeof(Scalar); }

 private:
  std::size_t size_;
  Values arrived_;
  Kokkos::View<Scalar*, Kokkos::SharedHostPinnedSpace> leaving_;  // pinned, or the copy would hold up the host
  bool under_way_ = false;
};

/// An interface that is a Place, for the execution space Exec.
template <class Interface, class Scalar, class Exec>
class Placed : public Interface {
 public:
  using device = Kokkos::Device<Exec, typename Exec::memory_space>;
  static constexpr bool host = std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>;

  bool on_device() const final { return !host; }

  void follow(Stream stream) final
  {
    if constexpr (!host) {
      Work& w = work();
      if (stream == w.stream) return;
      w.exec.fence("sptrsv::petsc: the stream before this one has finished");
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
  explicit Placed(Stream stream)
  {
    work_.emplace();
    work_->stream = stream;
    if constexpr (!host) work_->exec = instance_on(stream);
  }

  Exec const& exec() const { return work().exec; }

  /// The caller's array itself on a host, a copy elsewhere.
  template <class V>
  static Kokkos::View<V const*, device> at_hand(V const* data, std::size_t size)
  {
    Kokkos::View<V const*, Kokkos::Device<Kokkos::DefaultHostExecutionSpace, Kokkos::HostSpace>> const given(data,
                                                                                                             size);
    return Kokkos::create_mirror_view_and_copy(typename Exec::memory_space(), given);
  }
  /// Memory that is written before it is read.
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
    Vectors b, x;  // of a host, once it has sent some
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
