// SPDX-License-Identifier: Apache-2.0
// Solves a linear system from a Matrix Market file by Belos, with Ifpack2's RILUK and with sptrsv's, side by side.
//   mpiexec -n 2 ifpack2_belos --matrix=FILE --solver=cg --fill=1 --algorithm=levelset
#include <BelosSolverFactory.hpp>
#include <BelosTpetraAdapter.hpp>
#include <MatrixMarket_Tpetra.hpp>
#include <Teuchos_CommandLineProcessor.hpp>
#include <Teuchos_StandardCatchMacros.hpp>
#include <Tpetra_Core.hpp>
#include <iomanip>
#include <iostream>
#include <sptrsv/ifpack2/create.hpp>

namespace {

using Matrix = Tpetra::CrsMatrix<>;
using Vectors = Tpetra::MultiVector<>;
using Operator = Tpetra::Operator<>;
using Teuchos::RCP;
using Teuchos::rcp;

struct Settings {
  std::string matrix, solver = "gmres", algorithm = "sptrsv", plan = "estimate";
  int fill = 0, iterations = 500, columns = 1;
  double tolerance = 1e-8;
};

struct Result {
  int iterations = 0;
  bool converged = false;
  double analyze, factor, solve, apply;  // seconds; apply: the preconditioner's part of solve
};

Result solve_with(std::string const& name, RCP<Matrix const> const& A, RCP<Vectors const> const& B, Settings const& s) {
  // the line that changes, since Ifpack2::Factory::create() does not know sptrsv's names
  auto const preconditioner = sptrsv::ifpack2::create(name, A);

  Teuchos::ParameterList list;
  list.set("fact: iluk level-of-fill", s.fill);
  list.set("sptrsv: algorithm", s.algorithm);
  list.set("sptrsv: plan", s.plan);
  preconditioner->setParameters(list);
  preconditioner->initialize();
  preconditioner->compute();

  auto const X = rcp(new Vectors(A->getDomainMap(), B->getNumVectors()));
  auto const problem = rcp(new Belos::LinearProblem<double, Vectors, Operator>(A, X, B));
  if (s.solver == "cg") problem->setLeftPrec(preconditioner);
  else problem->setRightPrec(preconditioner);
  problem->setProblem();
  auto const belos = rcp(new Teuchos::ParameterList);
  belos->set("Maximum Iterations", s.iterations);
  belos->set("Convergence Tolerance", s.tolerance);
  if (s.solver != "cg") belos->set("Num Blocks", std::min(s.iterations, 100));
  auto const solver = Belos::SolverFactory<double, Vectors, Operator>().create(s.solver, belos);
  solver->setProblem(problem);

  Teuchos::Time clock("solve", true);
  Result r;
  r.converged = solver->solve() == Belos::Converged;
  r.solve = clock.stop();
  r.iterations = solver->getNumIters();
  r.analyze = preconditioner->getInitializeTime();
  r.factor = preconditioner->getComputeTime();
  r.apply = preconditioner->getApplyTime();
  return r;
}

int run(int argc, char** argv) {
  auto const comm = Tpetra::getDefaultComm();
  Settings s;
  Teuchos::CommandLineProcessor arguments;
  arguments.setOption("matrix", &s.matrix, "Matrix Market file", true);
  arguments.setOption("solver", &s.solver, "Belos solver: gmres or cg");
  arguments.setOption("fill", &s.fill, "level of fill k of ILU(k)");
  arguments.setOption("algorithm", &s.algorithm, "\"sptrsv: algorithm\"");
  arguments.setOption("plan", &s.plan, "\"sptrsv: plan\": estimate or measure");
  arguments.setOption("columns", &s.columns, "right-hand sides");
  arguments.setOption("iterations", &s.iterations, "at most so many");
  arguments.setOption("tolerance", &s.tolerance, "of the relative residual");
  if (auto const parsed = arguments.parse(argc, argv))
    return parsed == Teuchos::CommandLineProcessor::PARSE_HELP_PRINTED ? 0 : 2;

  RCP<Matrix const> const A = Tpetra::MatrixMarket::Reader<Matrix>::readSparseFile(s.matrix, comm);
  auto const B = rcp(new Vectors(A->getRangeMap(), static_cast<std::size_t>(s.columns)));
  Vectors solution(A->getDomainMap(), B->getNumVectors());
  solution.randomize();
  A->apply(solution, *B);
  bool good = true;
  int expected = 0;
  if (comm->getRank() == 0)
    std::cout << s.matrix << ": " << A->getGlobalNumRows() << " rows, " << A->getGlobalNumEntries() << " entries, "
              << comm->getSize() << " ranks, " << s.solver << "\n"
              << std::setw(14) << "preconditioner" << std::setw(12) << "iterations" << std::setw(14) << "initialize s"
              << std::setw(12) << "compute s" << std::setw(12) << "solve s" << std::setw(12) << "apply s" << "\n";
  for (std::string const name : {"RILUK", "SPTRSV_RILUK"}) {
    Result const r = solve_with(name, A, B, s);
    if (name == "RILUK") expected = r.iterations;
    good = good && r.converged && r.iterations == expected;
    if (comm->getRank() == 0)
      std::cout << std::setw(14) << name << std::setw(12) << r.iterations << std::fixed << std::setprecision(6)
                << std::setw(14) << r.analyze << std::setw(12) << r.factor << std::setw(12) << r.solve << std::setw(12)
                << r.apply << (r.converged ? "" : "  not converged") << std::endl;
  }
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Tpetra::ScopeGuard const scope(&argc, &argv);
  bool success = true;
  int code = 2;
  try {
    code = run(argc, argv);
  }
  TEUCHOS_STANDARD_CATCH_STATEMENTS(true, std::cerr, success)
  return success ? code : 2;
}
