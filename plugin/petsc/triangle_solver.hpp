// SPDX-License-Identifier: Apache-2.0
// The solves of one triangle on one execution space, plain and transposed.
#pragma once

#include <optional>
#include <string>

#include "any_solver.hpp"

namespace sptrsv_petsc {

/// Analyze: constructor. The transposed solve gets its analysis at its first call.
template <class Exec>
class TriangleSolver final : public Placed<AnyTriangleSolver, Scalar, Exec> {
 public:
  using Base = Placed<AnyTriangleSolver, Scalar, Exec>;
  using Solver = sptrsv::TriangularSolver<Scalar, PetscInt, PetscInt, Exec>;
  using T = typename Solver::types;

  /// On a host the pattern's arrays are used in place.
  TriangleSolver(Stream stream, std::string const& algorithm, TrianglePattern<PetscInt> const& p,
                 sptrsv::Triangle triangle, sptrsv::Diagonal diagonal, sptrsv::OptionValues const& options)
      : Base(stream), algorithm_(algorithm), options_(options), shape_{triangle, diagonal, sptrsv::Op::none}
  {
    state_.emplace();
    state_->pattern.row_ptr = this->at_hand(p.row_ptr, static_cast<std::size_t>(p.n) + 1);
    state_->pattern.col_idx = this->at_hand(p.col_idx, p.num_entries);
    state_->sent.emplace(exec(), p.num_entries);
    state_->plain.emplace(algorithm_, exec(), state_->pattern, shape_, options_);
  }
  ~TriangleSolver() override = default;

  void release() override
  {
    state_.reset();
    Base::release();
  }

  void update(Scalar const* values) override
  {
    State& s = state();
    s.values = s.sent->send(exec(), values);
    s.plain->update(exec(), s.values);
    if (s.transposed) s.transposed->update(exec(), s.values);
  }

  void solve(Columns<Scalar const> b, Columns<Scalar> x) override { run(*state().plain, b, x); }

  void solve_transposed(Columns<Scalar const> b, Columns<Scalar> x) override
  {
    State& s = state();
    if (!s.transposed) {
      sptrsv::Shape shape = shape_;
      shape.op = sptrsv::Op::transpose;
      Solver made(algorithm_, exec(), s.pattern, shape, options_);
      made.update(exec(), s.values);
      s.transposed.emplace(std::move(made));
    }
    run(*s.transposed, b, x);
  }

  TriangleReport report() const override { return report_of(*state().plain, exec()); }
  std::size_t memory_bytes() const override
  {
    State const& s = state();
    return s.plain->memory_bytes() + (s.transposed ? s.transposed->memory_bytes() : 0) + s.sent->memory_bytes() +
           this->copy_bytes();
  }

 private:
  using Base::exec;

  struct State {
    typename T::pattern pattern;
    std::optional<SentValues<Scalar, Exec>> sent;
    typename T::values values;
    std::optional<Solver> plain, transposed;
  };

  State& state() const
  {
    if (!state_)
      throw sptrsv::NotReady(
          "Kokkos has ended, and this triangle's solver with it; destroy solvers before Kokkos::finalize()");
    return *state_;
  }
  void run(Solver const& solver, Columns<Scalar const> b, Columns<Scalar> x) const
  {
    solver.solve(exec(), Base::template as_view<typename T::rhs>(b), Base::template as_view<typename T::solution>(x));
  }

  std::string algorithm_;
  sptrsv::OptionValues options_;
  sptrsv::Shape shape_;
  mutable std::optional<State> state_;
};

}  // namespace sptrsv_petsc
