// SPDX-License-Identifier: Apache-2.0
// Assembles the model problems row by row or element by element.
#include "solution_problem.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace sptrsv::bench {

/// Face between a cell and its neighbor.
struct Face {
  PetscInt n;               ///< cells per side of the grid
  PetscInt cell, neighbor;  ///< neighbor: -1 outside the grid, where the solution is 0
  int dimension, side;      ///< side of the cell, -1 or 1, where the neighbor is
};

/// Kind of problem, on a grid of cells.
struct ProblemKind {
  char const* name;
  int dimensions;
  PetscInt block_size;  ///< unknowns per point
  bool symmetric;
  bool saddle_point;  ///< velocities and pressures, which fieldsplit preconditions separately
  /// Returns the coefficient between a cell and its neighbor; null for elasticity and Stokes flow.
  PetscReal (*coefficient)(Face const& face);
  char const* help;
};

namespace {

/// Returns pseudo-random bits for a number (splitmix64).
std::uint64_t hash(std::uint64_t number) {
  number = (number + 1) * 0x9e3779b97f4a7c15u;
  number = (number ^ (number >> 30)) * 0xbf58476d1ce4e5b9u;
  number = (number ^ (number >> 27)) * 0x94d049bb133111ebu;
  return number ^ (number >> 31);
}

/// Returns a pseudo-random number in (0, 1).
double uniform(std::uint64_t number) { return (static_cast<double>(hash(number) >> 11) + 0.5) / 9007199254740992.0; }

/// Returns a lognormal permeability, constant in boxes of 4 x 4 x 4 cells; its decimal logarithm has mean 0 and
/// standard deviation 1.
PetscReal permeability(PetscInt n, PetscInt cell) {
  PetscInt const box = (cell / (n * n) / 4 * n + cell / n % n / 4) * n + cell % n / 4;
  auto const number = 2 * static_cast<std::uint64_t>(box);
  double const normal = std::sqrt(-2 * std::log(uniform(number))) * std::cos(2 * PETSC_PI * uniform(number + 1));
  return static_cast<PetscReal>(std::pow(10, normal));
}

PetscReal of_poisson(Face const&) { return 1; }

PetscReal of_darcy(Face const& face) {
  PetscReal const here = permeability(face.n, face.cell);
  if (face.neighbor < 0) return here;
  PetscReal const there = permeability(face.n, face.neighbor);
  return 2 * here * there / (here + there);
}

/// Returns the coefficient of diffusion plus upwind convection: the flow is in the positive direction of each
/// dimension.
PetscReal of_convection(Face const& face) { return face.side < 0 ? 1.5 : 1; }

PetscReal of_anisotropy(Face const& face) { return face.dimension == 0 ? 1 : 0.01; }

constexpr ProblemKind kinds[] = {
    {"poisson", 3, 1, true, false, of_poisson, "7 points on a cube; CG"},
    {"darcy", 3, 1, true, false, of_darcy, "7 points on a cube, permeability over orders of magnitude; CG"},
    {"convect", 3, 1, false, false, of_convection,
     "upwind convection and diffusion on a cube, cell Peclet 0.5; BiCGStab"},
    {"aniso", 2, 1, true, false, of_anisotropy, "5 points on a square, coefficients 1 and 0.01; CG"},
    {"elasticity", 3, 3, true, false, nullptr, "linear elasticity on a cube, trilinear elements, a fixed side; CG"},
    {"stokes", 3, 1, false, true, nullptr,
     "Stokes flow through a cube, staggered grid, recipes for the velocities in a Schur complement; GMRES"}};

/// Sets the rows of a grid of cells.
void set_cells(Mat A, SolutionProblem const& problem, Errors const& errors) {
  PetscInt const n = problem.size, rows = problem.kind->dimensions == 3 ? n * n * n : n * n;
  std::vector<PetscInt> columns;
  std::vector<PetscScalar> values;
  for (PetscInt row = 0; row < rows; ++row) {
    columns.assign(1, row);
    values.assign(1, 0);
    PetscInt stride = 1;
    for (int d = 0; d < problem.kind->dimensions; ++d, stride *= n)
      for (int const side : {-1, 1}) {
        PetscInt const at = row / stride % n + side;
        bool const inside = at >= 0 && at < n;
        PetscInt const neighbor = inside ? row + side * stride : -1;
        PetscReal const value = problem.kind->coefficient({n, row, neighbor, d, side});
        values.front() += value;
        if (!inside) continue;
        columns.push_back(neighbor);
        values.push_back(-value);
      }
    auto const count = static_cast<PetscInt>(columns.size());
    errors.must(MatSetValues(A, 1, &row, count, columns.data(), values.data(), INSERT_VALUES));
  }
}

constexpr int element_size = 24;
using ElementMatrix = std::array<PetscScalar, element_size * element_size>;

/// Returns the gradients of the eight trilinear functions at a point of the unit cube; corner c is at (c/4, c/2%2,
/// c%2).
std::array<std::array<double, 3>, 8> gradients_at(std::array<double, 3> const& point) {
  std::array<std::array<double, 3>, 8> gradients{};
  for (int c = 0; c < 8; ++c) {
    int const corner[] = {c / 4, c / 2 % 2, c % 2};
    for (int d = 0; d < 3; ++d) {
      double product = 1;
      for (int e = 0; e < 3; ++e) {
        double const along = point[static_cast<std::size_t>(e)];
        product *= e == d ? (corner[e] == 1 ? 1 : -1) : (corner[e] == 1 ? along : 1 - along);
      }
      gradients[static_cast<std::size_t>(c)][static_cast<std::size_t>(d)] = product;
    }
  }
  return gradients;
}

/// Returns the stiffness of an isotropic cube with Young's modulus 1 and Poisson's ratio 0.3, by 2 x 2 x 2 Gauss
/// points.
ElementMatrix element_stiffness() {
  constexpr double ratio = 0.3, lambda = ratio / ((1 + ratio) * (1 - 2 * ratio)), mu = 1 / (2 * (1 + ratio));
  double const low = 0.5 - 0.5 / std::sqrt(3.0);
  ElementMatrix stiffness{};
  for (int g = 0; g < 8; ++g) {
    auto const at = [&](int bit) { return bit == 1 ? 1 - low : low; };
    auto const grad = gradients_at({at(g / 4), at(g / 2 % 2), at(g % 2)});
    for (std::size_t row = 0; row < element_size; ++row)
      for (std::size_t column = 0; column < element_size; ++column) {
        auto const &u = grad[row / 3], &v = grad[column / 3];
        std::size_t const i = row % 3, j = column % 3;
        double value = lambda * u[i] * v[j] + mu * u[j] * v[i];
        if (i == j) value += mu * (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]);
        stiffness[row * element_size + column] += value / 8;
      }
  }
  return stiffness;
}

/// Adds the elements of a cube. Points of the fixed side, where the first coordinate is 0, have no unknowns.
void add_elements(Mat A, PetscInt n, Errors const& errors) {
  auto const stiffness = element_stiffness();
  PetscInt const side = n + 1;
  for (PetscInt element = 0; element < n * n * n; ++element) {
    PetscInt const i = element / (n * n), j = element / n % n, k = element % n;
    PetscInt rows[element_size];
    for (PetscInt c = 0; c < 8; ++c) {
      PetscInt const plane = i + c / 4 - 1;  // -1 on the fixed side
      PetscInt const point = (plane * side + j + c / 2 % 2) * side + k + c % 2;
      for (PetscInt d = 0; d < 3; ++d) rows[3 * c + d] = plane < 0 ? -1 : 3 * point + d;
    }
    // PETSc ignores rows and columns with negative numbers
    errors.must(MatSetValues(A, element_size, rows, element_size, rows, stiffness.data(), ADD_VALUES));
  }
}

/// Unknowns of Stokes flow on a staggered grid of n^3 cells of size 1: the velocities in direction d on the faces
/// between neighbors in this direction, then the pressures in the cells. All sides are walls except for the outlet at
/// the last x: it has velocities too, and the pressure outside is 0.
class StaggeredGrid {
 public:
  explicit StaggeredGrid(PetscInt n) : n_(n) {}
  PetscInt rows() const { return pressure(0, 0, 0) + n_ * n_ * n_; }
  /// Returns the row of the velocity in direction d on the last face of cell `at` in this direction; -1 on a wall.
  PetscInt velocity(int d, std::array<PetscInt, 3> const& at) const {
    PetscInt const faces = n_ - (d == 0 ? 0 : 1);
    PetscInt number = d == 0 ? 0 : n_ * n_ * (n_ + (d - 1) * (n_ - 1)), stride = 1;
    for (int e = 0; e < 3; ++e) {
      PetscInt const most = e == d ? faces : n_;
      auto const place = at[static_cast<std::size_t>(e)];
      if (place < 0 || place >= most) return -1;
      number += place * stride;
      stride *= most;
    }
    return number;
  }
  PetscInt pressure(PetscInt i, PetscInt j, PetscInt k) const { return n_ * n_ * (3 * n_ - 2) + (k * n_ + j) * n_ + i; }
  void set_rows(Mat A, Errors const& errors) const {
    for (PetscInt k = 0; k < n_; ++k)
      for (PetscInt j = 0; j < n_; ++j)
        for (PetscInt i = 0; i < n_; ++i)
          for (int d = 0; d < 3; ++d) set_velocity(A, d, {i, j, k}, errors);
  }

 private:
  /// Sets the row of a velocity (minus its Laplacian plus the pressure's gradient), and the velocity's divergence
  /// entries in the rows of pressures. The Schur complement, B A^-1 B^T, is positive definite.
  void set_velocity(Mat A, int d, std::array<PetscInt, 3> const& at, Errors const& errors) const {
    PetscInt const row = velocity(d, at);
    if (row < 0) return;
    std::vector<PetscInt> columns{row};
    std::vector<PetscScalar> values{0};
    for (int e = 0; e < 3; ++e)
      for (int const side : {-1, 1}) {
        auto next = at;
        next[static_cast<std::size_t>(e)] += side;
        PetscInt const neighbor = velocity(d, next);
        bool const outlet = e == 0 && next[0] >= n_;
        if (neighbor >= 0) columns.push_back(neighbor), values.push_back(-1);
        if (!outlet) values.front() += neighbor < 0 && e != d ? 2 : 1;  // a wall alongside is half a cell away
      }
    for (int const side : {0, 1}) {
      auto cell = at;
      cell[static_cast<std::size_t>(d)] += side;
      if (cell[0] >= n_) continue;
      PetscInt const p = pressure(cell[0], cell[1], cell[2]);
      PetscScalar const out_of_cell = side == 0 ? 1 : -1;
      columns.push_back(p), values.push_back(-out_of_cell);
      errors.must(MatSetValues(A, 1, &p, 1, &row, &out_of_cell, INSERT_VALUES));
    }
    auto const count = static_cast<PetscInt>(columns.size());
    errors.must(MatSetValues(A, 1, &row, count, columns.data(), values.data(), INSERT_VALUES));
  }
  PetscInt n_;
};

}  // namespace

std::string SolutionProblem::name() const { return std::string(kind->name) + ":" + std::to_string(size); }

bool SolutionProblem::symmetric() const { return kind->symmetric; }

bool SolutionProblem::saddle_point() const { return kind->saddle_point; }

PetscInt SolutionProblem::entries_per_row() const {
  if (kind->saddle_point) return 9;
  return kind->coefficient ? 2 * kind->dimensions + 1 : 27 * kind->block_size;
}

std::string describe_problems() {
  std::ostringstream out;
  for (auto const& kind : kinds) {
    out << "  " << kind.name << ":N";
    out << std::string(14 - std::string(kind.name).size(), ' ') << kind.help << '\n';
  }
  return out.str();
}

SolutionProblem parse_problem(std::string const& text) {
  auto const colon = text.find(':');
  SolutionProblem problem;
  for (auto const& kind : kinds)
    if (text.substr(0, colon) == kind.name) problem.kind = &kind;
  std::istringstream number(colon == std::string::npos ? "" : text.substr(colon + 1));
  bool const good = (number >> problem.size) && number.eof() && problem.size >= 2;
  if (!problem.kind || !good)
    throw std::runtime_error("-problem: '" + text + "' is not NAME:N with N >= 2 cells per side:\n" +
                             describe_problems());
  double const cells = std::pow(static_cast<double>(problem.size), problem.kind->dimensions);
  int const unknowns = problem.kind->saddle_point ? 4 : problem.kind->block_size;
  if (cells * unknowns * problem.entries_per_row() > static_cast<double>(std::numeric_limits<PetscInt>::max()))
    throw std::runtime_error("-problem: " + text + " has more entries than this PETSc can count");
  return problem;
}

System::System(SolutionProblem const& problem, std::string const& mat_type, Errors const& errors)
    : problem_(problem), errors_(errors) {
  PetscInt const n = problem.size;
  rows_ = problem.kind->dimensions == 3 ? n * n * n : n * n;
  if (problem.kind->block_size == 3) rows_ = 3 * n * (n + 1) * (n + 1);
  if (problem.kind->saddle_point) rows_ = StaggeredGrid(n).rows();
  try {
    A_ = assemble(mat_type.c_str());
    MatInfo info;
    must(MatGetInfo(A_, MAT_LOCAL, &info));
    entries_ = info.nz_used;
    make_right_hand_side();
    if (problem.kind->block_size == 3) make_near_null_space();
  } catch (...) {
    destroy();
    throw;
  }
}

System::~System() { destroy(); }

void System::destroy() {
  (void)MatDestroy(&A_);
  (void)VecDestroy(&b_);
  (void)MatNullSpaceDestroy(&near_null_space_);
}

Mat System::assemble(char const* mat_type) const {
  PetscInt const block = problem_.kind->block_size;
  PetscInt const points = problem_.entries_per_row() / block;
  Mat A = nullptr;
  must(MatCreate(PETSC_COMM_SELF, &A));
  try {
    must(MatSetSizes(A, rows_, rows_, rows_, rows_));
    must(MatSetBlockSize(A, block));
    must(MatSetType(A, mat_type));
    must(MatSeqAIJSetPreallocation(A, points * block, nullptr));
    must(MatSeqBAIJSetPreallocation(A, block, points, nullptr));
    must(MatSeqSBAIJSetPreallocation(A, block, points, nullptr));
    PetscBool half = PETSC_FALSE;
    must(PetscObjectTypeCompare(reinterpret_cast<PetscObject>(A), MATSEQSBAIJ, &half));
    if (half) must(MatSetOption(A, MAT_IGNORE_LOWER_TRIANGULAR, PETSC_TRUE));
    if (problem_.kind->coefficient) set_cells(A, problem_, errors_);
    else if (problem_.saddle_point()) StaggeredGrid(problem_.size).set_rows(A, errors_);
    else add_elements(A, problem_.size, errors_);
    must(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    must(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  } catch (...) {
    (void)MatDestroy(&A);
    throw;
  }
  return A;
}

/// Computes b = A x on the host and copies it into a vector of the matrix type.
void System::make_right_hand_side() {
  Mat host = assemble(MATSEQAIJ);
  Vec x = nullptr, b = nullptr;
  PetscScalar* values = nullptr;
  PetscScalar const* from = nullptr;
  PetscMemType memory = PETSC_MEMTYPE_HOST;
  must(MatCreateVecs(host, &x, &b));
  must(VecGetArrayWrite(x, &values));
  for (PetscInt row = 0; row < rows_; ++row) values[row] = 2 * uniform(static_cast<std::uint64_t>(row)) - 1;
  must(VecRestoreArrayWrite(x, &values));
  must(MatMult(host, x, b));
  must(MatDestroy(&host));
  must(MatCreateVecs(A_, nullptr, &b_));
  must(VecGetArrayWrite(b_, &values));
  must(VecGetArrayRead(b, &from));
  for (PetscInt row = 0; row < rows_; ++row) values[row] = from[row];
  must(VecRestoreArrayRead(b, &from));
  must(VecRestoreArrayWrite(b_, &values));
  must(VecDestroy(&x));
  must(VecDestroy(&b));
  Vec on_type = nullptr;  // the type's own operation shows in which memory it computes
  must(VecDuplicate(b_, &on_type));
  must(VecCopy(b_, on_type));
  must(VecScale(on_type, 2));
  must(VecGetArrayReadAndMemType(on_type, &from, &memory));
  must(VecRestoreArrayReadAndMemType(on_type, &from));
  must(VecDestroy(&on_type));
  on_device_ = !PetscMemTypeHost(memory);
}

void System::make_near_null_space() {
  PetscInt const side = problem_.size + 1;
  Vec points = nullptr;
  PetscScalar* at = nullptr;
  must(MatCreateVecs(A_, &points, nullptr));
  must(VecSetBlockSize(points, 3));
  must(VecGetArrayWrite(points, &at));
  for (PetscInt point = 0; point < rows_ / 3; ++point) {
    at[3 * point] = static_cast<PetscReal>(point / (side * side) + 1);
    at[3 * point + 1] = static_cast<PetscReal>(point / side % side);
    at[3 * point + 2] = static_cast<PetscReal>(point % side);
  }
  must(VecRestoreArrayWrite(points, &at));
  must(MatNullSpaceCreateRigidBody(points, &near_null_space_));
  must(VecDestroy(&points));
}

Mat System::copy_matrix(Errors const& errors) const {
  Mat A = nullptr;
  errors.must(MatDuplicate(A_, MAT_COPY_VALUES, &A));
  if (symmetric()) {
    errors.must(MatSetOption(A, MAT_SPD, PETSC_TRUE));
    errors.must(MatSetOption(A, MAT_SPD_ETERNAL, PETSC_TRUE));
  }
  if (near_null_space_) errors.must(MatSetNearNullSpace(A, near_null_space_));
  return A;
}

}  // namespace sptrsv::bench
