// SPDX-License-Identifier: Apache-2.0
// One Belos solve with a preconditioner, and its number of iterations.
#pragma once

#include <BelosLinearProblem.hpp>
#include <BelosPseudoBlockCGSolMgr.hpp>
#include <BelosPseudoBlockGmresSolMgr.hpp>
#include <BelosTpetraAdapter.hpp>
#include <Ifpack2_Preconditioner.hpp>

#include "tpetra_problem.hpp"

namespace sptrsv::test {

using Operator = Tpetra::Operator<double>;
using Preconditioner = Ifpack2::Preconditioner<double>;

struct BelosRun {
  int iterations;
  bool converged;
  double residual;  ///< |b - A x| / |b|
};
inline bool operator==(BelosRun const& a, BelosRun const& b) {
  return a.iterations == b.iterations && a.converged == b.converged;
}
inline std::ostream& operator<<(std::ostream& out, BelosRun const& run) {
  return out << run.iterations << " iterations, " << (run.converged ? "converged" : "not converged") << ", residual "
             << run.residual;
}

/// Returns a right-hand side that depends only on the number of columns and the global row.
inline RCP<Vectors<double>> right_hand_side(Map const& map, int columns) {
  auto const b = rcp(new Vectors<double>(Teuchos::rcpFromRef(map), columns));
  auto const view = b->getLocalViewHost(Tpetra::Access::OverwriteAll);
  for (int c = 0; c < columns; ++c)
    for (std::size_t i = 0; i < view.extent(0); ++i)
      view(i, c) = random_scalar<double>(c + 9, map.getGlobalElement(static_cast<LO>(i)));
  return b;
}

/// Solves with the preconditioner on the right. @param cg  true: conjugate gradients; false: GMRES without restart
inline BelosRun solve_by_belos(RCP<Crs<double>> const& A, RCP<Preconditioner> const& M, bool cg, int columns = 1,
                               int most = 150) {
  using Problem = Belos::LinearProblem<double, Vectors<double>, Operator>;
  auto const B = right_hand_side(*A->getRangeMap(), columns);
  auto const X = rcp(new Vectors<double>(A->getDomainMap(), columns));
  auto const problem = rcp(new Problem(A, X, B));
  if (cg) problem->setLeftPrec(M);
  else problem->setRightPrec(M);
  problem->setProblem();
  auto const list = rcp(new Teuchos::ParameterList);
  list->set("Maximum Iterations", most);
  list->set("Convergence Tolerance", 1e-8);
  list->set("Verbosity", static_cast<int>(Belos::Errors));
  if (!cg) list->set("Num Blocks", most);
  RCP<Belos::SolverManager<double, Vectors<double>, Operator>> solver;
  if (cg) solver = rcp(new Belos::PseudoBlockCGSolMgr<double, Vectors<double>, Operator>(problem, list));
  else solver = rcp(new Belos::PseudoBlockGmresSolMgr<double, Vectors<double>, Operator>(problem, list));
  bool const converged = solver->solve() == Belos::Converged;
  Vectors<double> R(*B, Teuchos::Copy);
  A->apply(*X, R, Teuchos::NO_TRANS, -1.0, 1.0);
  return {solver->getNumIters(), converged, R.getVector(0)->norm2() / B->getVector(0)->norm2()};
}

}  // namespace sptrsv::test
