// SPDX-License-Identifier: Apache-2.0
// UMFPACK (SuiteSparse): multifrontal LU factors with partial pivoting.
#include <umfpack.h>

#include <cmath>
#include <vector>

#include "direct/lu_copy.hpp"
#include "direct/suitesparse.hpp"

#if defined(PETSC_USE_64BIT_INDICES)
#define SPTRSV_UMFPACK(function) umfpack_dl_##function
#else
#define SPTRSV_UMFPACK(function) umfpack_di_##function
#endif

namespace sptrsv_petsc {
namespace {

using Index = SuiteSparseIndex;

/// Factors the transpose of A, whose columns are A's rows.
class Umfpack final : public DirectLibrary {
 public:
  Umfpack() { SPTRSV_UMFPACK(defaults)(control_); }
  ~Umfpack() override { Free(); }
  Umfpack& operator=(Umfpack&&) = delete;

  PetscErrorCode Analyze(Mat F, HostMatrix const& A) override
  {
    auto const n = static_cast<Index>(A.n);

    PetscFunctionBegin;
    Free();
    SPTRSV_UMFPACK(defaults)(control_);
    PetscCall(ReadOptions(F, A.rows != nullptr));
    Index const status = A.rows ? SPTRSV_UMFPACK(qsymbolic)(n, n, IndicesOf(A.row_ptr), IndicesOf(A.col_idx), A.values,
                                                            IndicesOf(A.rows), &symbolic_, control_, info_)
                                : SPTRSV_UMFPACK(symbolic)(n, n, IndicesOf(A.row_ptr), IndicesOf(A.col_idx), A.values,
                                                           &symbolic_, control_, info_);
    PetscCall(CheckStatus(F, "orders the matrix", status));
    given_ = A.rows != nullptr;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode Factor(Mat F, HostMatrix const& A, PetscInt* zero_row) override
  {
    PetscFunctionBegin;
    *zero_row = -1;
    SPTRSV_UMFPACK(free_numeric)(&numeric_);
    Index const status = SPTRSV_UMFPACK(numeric)(IndicesOf(A.row_ptr), IndicesOf(A.col_idx), A.values, symbolic_,
                                                 &numeric_, control_, info_);
    if (status == UMFPACK_WARNING_singular_matrix) {
      PetscCall(FindZeroPivot(F, A.n, zero_row));
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(CheckStatus(F, "factors the matrix", status));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  bool has_fixed_pattern() const override { return false; }

  PetscErrorCode Copy(Mat F, bool, LibraryFactorRows* to) override
  {
    Index lnz, unz, rows, cols, diagonal;
    Index status;

    PetscFunctionBegin;
    status = SPTRSV_UMFPACK(get_lunz)(&lnz, &unz, &rows, &cols, &diagonal, numeric_);
    PetscCall(CheckStatus(F, "counts the entries of its factor", status));
    PetscCall(Guarded(F, [&] {
      auto const n = static_cast<std::size_t>(rows), of_l = static_cast<std::size_t>(lnz);
      TransposedLU lu(n, of_l, static_cast<std::size_t>(unz));
      HostArray<Index> row_ptr(n + 1), col_idx(of_l);
      HostArray<double> by_rows(of_l), factors(n);
      Index multiplies;
      status = SPTRSV_UMFPACK(get_numeric)(row_ptr.data(), col_idx.data(), by_rows.data(), lu.upper_ptr.data(),
                                           lu.upper_row.data(), lu.upper.data(), lu.p.data(), lu.q.data(), nullptr,
                                           &multiplies, factors.data(), numeric_);
      if (status != UMFPACK_OK) return;
      for (std::size_t k = 0; k < n; ++k) {
        double const factor = factors[lu.p[k]];
        lu.scale[k] = multiplies ? 1 / factor : factor;
      }
      TransposeLower(row_ptr, col_idx, by_rows, lu);
      lu.copy(to);
    }));
    PetscCall(CheckStatus(F, "copies its factor", status));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  std::string name() const override
  {
    return "UMFPACK " + std::to_string(UMFPACK_MAIN_VERSION) + "." + std::to_string(UMFPACK_SUB_VERSION);
  }
  std::string choice() const override
  {
    static char const* const orderings[] = {"CHOLMOD's", "AMD or COLAMD", "given", "METIS", "best", "none", "user's"};
    auto const used = static_cast<int>(info_[UMFPACK_ORDERING_USED]);
    std::string const ordering = given_ ? "given" : used >= 0 && used < 7 ? orderings[used] : "own";
    bool const symmetric = static_cast<int>(info_[UMFPACK_STRATEGY_USED]) == UMFPACK_STRATEGY_SYMMETRIC;
    return "ordering " + ordering + (symmetric ? ", symmetric" : ", unsymmetric") + " strategy";
  }
  std::size_t memory_bytes() const override
  {
    return static_cast<std::size_t>(std::max(0.0, info_[UMFPACK_NUMERIC_SIZE]) * info_[UMFPACK_SIZE_OF_UNIT]);
  }

 private:
  void Free()
  {
    SPTRSV_UMFPACK(free_numeric)(&numeric_);
    SPTRSV_UMFPACK(free_symbolic)(&symbolic_);
  }

  /// @param given  whether PETSc orders the matrix. Its orderings are for pivots on the diagonal: with the unsymmetric
  ///               strategy, which UMFPACK then chooses, factors of symmetric patterns have many more entries, and
  ///               larger errors.
  PetscErrorCode ReadOptions(Mat F, bool given)
  {
    struct Number {
      char const *option, *help;
      int control;
    };
    static Number const numbers[] = {
        {"-mat_umfpack_dense_col", "threshold of dense columns", UMFPACK_DENSE_COL},
        {"-mat_umfpack_dense_row", "threshold of dense rows", UMFPACK_DENSE_ROW},
        {"-mat_umfpack_amd_dense", "threshold of dense rows in AMD", UMFPACK_AMD_DENSE},
        {"-mat_umfpack_block_size", "width of blocks for BLAS", UMFPACK_BLOCK_SIZE},
        {"-mat_umfpack_fixq", "no change of the column ordering when pivoting, if positive", UMFPACK_FIXQ},
        {"-mat_umfpack_aggressive", "aggressive absorption in AMD and COLAMD", UMFPACK_AGGRESSIVE},
        {"-mat_umfpack_pivot_tolerance", "relative tolerance of pivots", UMFPACK_PIVOT_TOLERANCE},
        {"-mat_umfpack_sym_pivot_tolerance", "relative tolerance of pivots on the diagonal",
         UMFPACK_SYM_PIVOT_TOLERANCE},
        {"-mat_umfpack_alloc_init", "initial memory", UMFPACK_ALLOC_INIT},
        {"-mat_umfpack_front_alloc_init", "initial memory of frontal matrices", UMFPACK_FRONT_ALLOC_INIT},
        {"-mat_umfpack_droptol", "entries of smaller magnitude are dropped", UMFPACK_DROPTOL}};
    static char const* const strategies[] = {"AUTO", "UNSYMMETRIC", "SYMMETRIC"};
    static int const strategy_of[] = {UMFPACK_STRATEGY_AUTO, UMFPACK_STRATEGY_UNSYMMETRIC, UMFPACK_STRATEGY_SYMMETRIC};
    static char const* const orderings[] = {"CHOLMOD", "AMD", "GIVEN", "METIS", "BEST", "NONE", "USER"};
    static char const* const scales[] = {"NONE", "SUM", "MAX"};
    static int const scale_of[] = {UMFPACK_SCALE_NONE, UMFPACK_SCALE_SUM, UMFPACK_SCALE_MAX};
    PetscInt k = 0;
    PetscBool set;

    PetscFunctionBegin;
    control_[UMFPACK_PRL] = 0;  // errors are PETSc's
    if (given) control_[UMFPACK_STRATEGY] = UMFPACK_STRATEGY_SYMMETRIC;
    PetscOptionsBegin(PetscObjectComm((PetscObject)F), ((PetscObject)F)->prefix, "UMFPACK by sptrsv", "MatSolverType");
    PetscCall(PetscOptionsEList("-mat_umfpack_strategy", "ordering and pivoting", NULL, strategies, 3,
                                strategies[given ? 2 : 0], &k, &set));
    if (set) control_[UMFPACK_STRATEGY] = strategy_of[k];
    auto const preset = static_cast<int>(control_[UMFPACK_ORDERING]);
    PetscCall(PetscOptionsEList("-mat_umfpack_ordering", "ordering", NULL, orderings, 7, orderings[preset], &k, &set));
    if (set) control_[UMFPACK_ORDERING] = static_cast<double>(k);
    PetscCall(PetscOptionsEList("-mat_umfpack_scale", "scaling of A^T's rows", NULL, scales, 3, scales[1], &k, &set));
    if (set) control_[UMFPACK_SCALE] = scale_of[k];
    for (Number const& n : numbers)
      PetscCall(PetscOptionsReal(n.option, n.help, NULL, control_[n.control], &control_[n.control], NULL));
    PetscOptionsEnd();
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode CheckStatus(Mat F, char const* does, Index status)
  {
    MPI_Comm const comm = PetscObjectComm((PetscObject)F);

    PetscFunctionBegin;
    PetscCheck(
        status != UMFPACK_ERROR_out_of_memory, comm, PETSC_ERR_MEM,
        "UMFPACK %s, and lacks memory, or 32-bit indices do not suffice; use a node with more memory, a PETSc with "
        "64-bit indices (--with-64-bit-indices), or an incomplete factor",
        does);
    PetscCheck(status >= 0, comm, PETSC_ERR_LIB, "UMFPACK %s, and fails with status %d", does, (int)status);
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /// Finds the row of A whose pivot is zero, the first in the order of the factor.
  PetscErrorCode FindZeroPivot(Mat F, PetscInt n, PetscInt* zero_row)
  {
    PetscFunctionBegin;
    PetscCall(Caught(F, [&] {
      std::vector<Index> q(static_cast<std::size_t>(n));
      std::vector<double> diagonal(q.size());
      (void)SPTRSV_UMFPACK(get_numeric)(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, q.data(),
                                        diagonal.data(), nullptr, nullptr, numeric_);
      auto const zero =
          std::find_if(diagonal.begin(), diagonal.end(), [](double d) { return d == 0 || !std::isfinite(d); });
      *zero_row =
          zero == diagonal.end() ? 0 : static_cast<PetscInt>(q[static_cast<std::size_t>(zero - diagonal.begin())]);
    }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /// Transposes the rows of L', in which the diagonal entry is the last one, to columns, in which it is the first one.
  static void TransposeLower(HostArray<Index> const& row_ptr, HostArray<Index> const& col_idx,
                             HostArray<double> const& values, TransposedLU const& lu)
  {
    auto const ptr = lu.lower_ptr.data();
    std::fill_n(ptr, lu.lower_ptr.size(), Index(0));
    for (std::size_t e = 0; e < col_idx.size(); ++e) ++ptr[col_idx[e] + 1];
    for (PetscInt j = 0; j < lu.n; ++j) ptr[j + 1] += ptr[j];
    std::vector<Index> next(ptr, ptr + lu.n);
    for (PetscInt i = 0; i < lu.n; ++i)
      for (Index e = row_ptr[i]; e < row_ptr[i + 1]; ++e) {
        Index const to = next[static_cast<std::size_t>(col_idx[e])]++;
        lu.lower_row[to] = static_cast<Index>(i);
        lu.lower[to] = values[e];
      }
  }

  void *symbolic_ = nullptr, *numeric_ = nullptr;
  double control_[UMFPACK_CONTROL], info_[UMFPACK_INFO] = {};
  bool given_ = false;  // ordering
};

}  // namespace

std::unique_ptr<DirectLibrary> MakeUmfpack() { return std::make_unique<Umfpack>(); }

}  // namespace sptrsv_petsc
