// SPDX-License-Identifier: Apache-2.0
// Tests failures: each launch, copy, fence and allocation of each phase fails in turn. The exception arrives, and the
// next call is right, or refused as not ready.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <new>

#include "injection.hpp"
#include "solve_cases.hpp"

namespace {

/// Minimum size of allocations that fail. Smaller ones are mostly labels, and Kokkos allocates a label in a destructor
/// when it frees a view.
constexpr std::size_t least = 64;

void* take(std::size_t size, std::size_t alignment) noexcept {
  if (size >= least && sptrsv::test::Injection::here(sptrsv::test::Point::allocation)) return nullptr;
  void* at = nullptr;
  return posix_memalign(&at, std::max(alignment, sizeof(void*)), std::max<std::size_t>(size, 1)) == 0 ? at : nullptr;
}
void* take_or_throw(std::size_t size, std::size_t alignment) {
  void* const at = take(size, alignment);
  if (!at) throw std::bad_alloc();
  return at;
}
constexpr std::size_t usual = alignof(std::max_align_t);

}  // namespace

void* operator new(std::size_t size) { return take_or_throw(size, usual); }
void* operator new[](std::size_t size) { return take_or_throw(size, usual); }
void* operator new(std::size_t size, std::align_val_t a) { return take_or_throw(size, static_cast<std::size_t>(a)); }
void* operator new[](std::size_t size, std::align_val_t a) { return take_or_throw(size, static_cast<std::size_t>(a)); }
void* operator new(std::size_t size, std::nothrow_t const&) noexcept { return take(size, usual); }
void* operator new[](std::size_t size, std::nothrow_t const&) noexcept { return take(size, usual); }
void* operator new(std::size_t size, std::align_val_t a, std::nothrow_t const&) noexcept {
  return take(size, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t size, std::align_val_t a, std::nothrow_t const&) noexcept {
  return take(size, static_cast<std::size_t>(a));
}
void operator delete(void* at) noexcept { std::free(at); }
void operator delete[](void* at) noexcept { std::free(at); }
void operator delete(void* at, std::size_t) noexcept { std::free(at); }
void operator delete[](void* at, std::size_t) noexcept { std::free(at); }
void operator delete(void* at, std::align_val_t) noexcept { std::free(at); }
void operator delete[](void* at, std::align_val_t) noexcept { std::free(at); }
void operator delete(void* at, std::size_t, std::align_val_t) noexcept { std::free(at); }
void operator delete[](void* at, std::size_t, std::align_val_t) noexcept { std::free(at); }
void operator delete(void* at, std::nothrow_t const&) noexcept { std::free(at); }
void operator delete[](void* at, std::nothrow_t const&) noexcept { std::free(at); }
void operator delete(void* at, std::align_val_t, std::nothrow_t const&) noexcept { std::free(at); }
void operator delete[](void* at, std::align_val_t, std::nothrow_t const&) noexcept { std::free(at); }

#if defined(__SANITIZE_ADDRESS__)
/// Ignores a leak of Kokkos, which loses the record of a view if an allocation after that of the record fails. Objects
/// of sptrsv that hold a view would be reported themselves.
extern "C" char const* __lsan_default_suppressions() { return "leak:Kokkos::Impl::make_shared_allocation_record\n"; }
#endif

namespace sptrsv::test {
namespace {

std::vector<Shape> const shapes{{Triangle::lower, Diagonal::stored, Op::none},
                                {Triangle::upper, Diagonal::inverted, Op::conj_transpose}};

std::vector<Variant> variants_and_measured() {
  auto variants = all_variants();
  variants.push_back({"sptrsv_measured", "sptrsv", {{"sptrsv_plan", "measure"}}, true, false});
  return variants;
}

template <class Space>
class Failure : public ::testing::Test {
 protected:
  using T = TypesOf<double, Space>;
  using TheSolver = Solver<double, Space>;

  /// Pattern with two sets of values.
  struct System {
    Problem<double> p, other;
    typename T::pattern pattern;
    typename T::values values, other_values;

    System(std::string const& matrix, Shape shape) : p(make_problem<double>(matrix, shape)), other(p) {
      set_values(other, 99);
      pattern = to_pattern<T>(p);
      values = to_device<T>(p.values);
      other_values = to_device<T>(other.values);
    }
  };
  Space exec;

  /// Calls f(variant, system, kind) for all cases, after a first solve of each, since first launches allocate inside
  /// Kokkos.
  template <class F>
  void for_each_case(F const& f) {
    for (auto const& shape : shapes) {
      for (auto const& v : variants_and_measured()) {
        System const system(solvable(v, "lap2d:9"), shape);
        solves(make(v, system), system.p, 8);
        for (auto const kind : {Point::launch, Point::allocation}) {
          // on a device, Kokkos allocates on the host in functions that must not throw
          constexpr bool host = std::is_same_v<typename Space::memory_space, Kokkos::HostSpace>;
          if (kind == Point::allocation && !host) continue;
          SCOPED_TRACE(v.label + " " + text(shape.triangle) + (kind == Point::launch ? ", launches" : ", allocations"));
          f(v, system, kind);
          if (this->HasFailure()) return;
        }
      }
    }
  }
  TheSolver make(Variant const& v, System const& system) {
    TheSolver solver(v.algorithm, exec, system.pattern, system.p.shape, v.options);
    solver.update(exec, system.values);
    return solver;
  }
  void solves(TheSolver const& solver, Problem<double> const& p, int columns) {
    auto const b = make_right_hand_sides<double>(p.num_rows(), columns, static_cast<std::uint64_t>(++seed_));
    expect_solves(p, solve<double>(solver, exec, b), b);
  }

 private:
  int seed_ = 0;
};
TYPED_TEST_SUITE(Failure, Spaces, SpaceNames);

TYPED_TEST(Failure, AnalysesThatThrowLeaveNoSolver) {
  this->for_each_case([&](Variant const& v, auto const& system, Point kind) {
    using TheSolver = typename TestFixture::TheSolver;
    for (int nth = 1;; ++nth) {
      SCOPED_TRACE(nth);
      std::unique_ptr<TheSolver> solver;
      auto const out = fail_at(kind, nth, [&] {
        solver = std::make_unique<TheSolver>(v.algorithm, this->exec, system.pattern, system.p.shape, v.options);
      });
      ASSERT_NE(out.threw, bool(solver));
      if (solver) {  // if measuring a plan has failed, there is another plan
        solver->update(this->exec, system.values);
        this->solves(*solver, system.p, 2);
      }
      if (!out.reached) break;
    }
  });
}

TYPED_TEST(Failure, AfterAnUpdateThatThrewTheSolverIsNotReady) {
  this->for_each_case([&](Variant const& v, auto const& system, Point kind) {
    auto solver = this->make(v, system);
    Block<typename TestFixture::T> const x(system.p.num_rows(), 1);
    for (int nth = 1;; ++nth) {
      SCOPED_TRACE(nth);
      auto const out = fail_at(kind, nth, [&] { solver.update(this->exec, system.other_values); });
      if (out.threw) {
        EXPECT_THROW(solver.solve(this->exec, x.view(), x.view()), NotReady);
        solver.update(this->exec, system.other_values);
      }
      this->solves(solver, system.other, 2);
      solver.update(this->exec, system.values);
      this->solves(solver, system.p, 1);
      if (!out.reached) break;
    }
  });
}

TYPED_TEST(Failure, FirstUpdatesThatMeasureMayThrow) {
  typename TestFixture::System const system("lap2d:9", shapes[0]);
  Variant const v = variants_and_measured().back();
  this->solves(this->make(v, system), system.p, 1);
  Block<typename TestFixture::T> const x(system.p.num_rows(), 1);
  double now = 0;
  constexpr bool host = std::is_same_v<typename TypeParam::memory_space, Kokkos::HostSpace>;
  for (auto const kind : {Point::launch, Point::allocation})
    for (int nth = 1; kind == Point::launch || host; ++nth) {
      SCOPED_TRACE(std::to_string(nth) + (kind == Point::launch ? " launch" : " allocation"));
      forget_plans();
      typename TestFixture::TheSolver solver(v.algorithm, this->exec, system.pattern, system.p.shape, v.options);
      solver.set_clock([&] { return now += 1e-3; });
      auto const out = fail_at(kind, nth, [&] { solver.update(this->exec, system.values); });
      if (out.threw) {
        EXPECT_THROW(solver.solve(this->exec, x.view(), x.view()), NotReady);
        solver.update(this->exec, system.values);
      }
      ASSERT_FALSE(solver.timings().empty());
      EXPECT_EQ(solver.algorithm(), solver.timings().front().algorithm);
      this->solves(solver, system.p, 2);
      if (!out.reached || this->HasFailure()) break;
    }
  forget_plans();
}

TYPED_TEST(Failure, AfterASolveThatThrewTheNextOneIsRight) {
  using T = typename TestFixture::T;
  this->for_each_case([&](Variant const& v, auto const& system, Point kind) {
    auto const solver = this->make(v, system);
    auto const b = make_right_hand_sides<double>(system.p.num_rows(), 5);
    for (int const columns : {1, 5})
      for (int const before : {0, 1, 2}) {
        Block<T> const right(Columns<double>(b.begin(), b.begin() + columns)), x(system.p.num_rows(), columns);
        for (int nth = 1;; ++nth) {
          SCOPED_TRACE(std::to_string(nth) + " after " + std::to_string(before));
          for (int k = 0; k < before; ++k) this->solves(solver, system.p, columns);
          auto const out = fail_at(kind, nth, [&] { solver.solve(this->exec, right.view(), x.view()); });
          this->exec.fence();
          if (!out.threw) expect_solves(system.p, x.get(), Columns<double>(b.begin(), b.begin() + columns));
          for (int k = 0; k < 3; ++k) this->solves(solver, system.p, k == 1 ? 6 - columns : columns);
          if (!out.reached) break;
          // a solve that starts over may fail as well
          fail_at(kind, nth, [&] { solver.solve(this->exec, right.view(), x.view()); });
          fail_at(kind, 1, [&] { solver.solve(this->exec, right.view(), x.view()); });
          this->solves(solver, system.p, columns);
        }
      }
  });
}

TYPED_TEST(Failure, RoomForMoreColumnsMayBeMissing) {
  using T = typename TestFixture::T;
  this->for_each_case([&](Variant const& v, auto const& system, Point kind) {
    auto const b = make_right_hand_sides<double>(system.p.num_rows(), 8);
    Block<T> const right(b), x(system.p.num_rows(), 8);
    for (bool const in_solve : {false, true})
      for (int nth = 1;; ++nth) {
        SCOPED_TRACE(nth);
        auto solver = this->make(v, system);
        auto const out = fail_at(kind, nth, [&] {
          if (!in_solve) solver.reserve(this->exec, 8);
          if (in_solve) solver.solve(this->exec, right.view(), x.view());
        });
        this->solves(solver, system.p, 1);
        this->solves(solver, system.p, 8);
        if (!out.reached) break;
      }
  });
}

}  // namespace
}  // namespace sptrsv::test
