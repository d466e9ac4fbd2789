// SPDX-License-Identifier: Apache-2.0
// KLU (SuiteSparse): LU factors of very sparse matrices, such as those of circuits.
#include <klu.h>

#include "direct/lu_copy.hpp"
#include "direct/suitesparse.hpp"

#if defined(PETSC_USE_64BIT_INDICES)
#define SPTRSV_KLU(name) klu_l_##name
#else
#define SPTRSV_KLU(name) klu_##name
#endif

namespace sptrsv_petsc {
namespace {

using Index = SuiteSparseIndex;

/// Factors the transpose of A, whose columns are A's rows, as one block: with a block triangular form (BTF) KLU leaves
/// the entries between blocks out of its factor.
class Klu final : public DirectLibrary {
 public:
  Klu() = default;
  ~Klu() override { Free(); }
  Klu& operator=(Klu&&) = delete;

  PetscErrorCode Analyze(Mat F, HostMatrix const& A) override
  {
    auto const n = static_cast<Index>(A.n);

    PetscFunctionBegin;
    Free();
    SPTRSV_KLU(defaults)(&common_);
    common_.scale = 0;  // as PETSc's type
    common_.btf = 0;
    PetscCall(ReadOptions(F));
    symbolic_ = A.rows ? SPTRSV_KLU(analyze_given)(n, IndicesOf(A.row_ptr), IndicesOf(A.col_idx), IndicesOf(A.cols),
                                                   IndicesOf(A.rows), &common_)
                       : SPTRSV_KLU(analyze)(n, IndicesOf(A.row_ptr), IndicesOf(A.col_idx), &common_);
    PetscCall(CheckStatus(F, "orders the matrix", symbolic_ != nullptr));
    given_ = A.rows != nullptr;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode Factor(Mat F, HostMatrix const& A, PetscInt* zero_row) override
  {
    PetscFunctionBegin;
    *zero_row = -1;
    SPTRSV_KLU(free_numeric)(&numeric_, &common_);
    numeric_ = SPTRSV_KLU(factor)(IndicesOf(A.row_ptr), IndicesOf(A.col_idx), const_cast<PetscScalar*>(A.values),
                                  symbolic_, &common_);
    if (common_.status == KLU_SINGULAR) {  // column of A^T
      *zero_row = std::clamp<PetscInt>(static_cast<PetscInt>(common_.singular_col), 0, A.n - 1);
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(CheckStatus(F, "factors the matrix", numeric_ != nullptr));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  bool has_fixed_pattern() const override { return false; }

  PetscErrorCode Copy(Mat F, bool, LibraryFactorRows* to) override
  {
    bool copied = false;

    PetscFunctionBegin;
    PetscCall(CheckStatus(F, "sorts its factor", SPTRSV_KLU(sort)(symbolic_, numeric_, &common_)));
    PetscCall(Guarded(F, [&] {
      TransposedLU lu(static_cast<std::size_t>(numeric_->n), static_cast<std::size_t>(numeric_->lnz),
                      static_cast<std::size_t>(numeric_->unz));
      copied = SPTRSV_KLU(extract)(numeric_, symbolic_, lu.lower_ptr.data(), lu.lower_row.data(), lu.lower.data(),
                                   lu.upper_ptr.data(), lu.upper_row.data(), lu.upper.data(), nullptr, nullptr, nullptr,
                                   lu.p.data(), lu.q.data(), lu.scale.data(), nullptr, &common_);
      if (!copied) return;
      lu.copy(to);
    }));
    PetscCall(CheckStatus(F, "copies its factor", copied));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  std::string name() const override
  {
    return "KLU " + std::to_string(KLU_MAIN_VERSION) + "." + std::to_string(KLU_SUB_VERSION);
  }
  std::string choice() const override
  {
    return std::string("ordering ") + (given_ ? "given" : common_.ordering == 0 ? "AMD" : "COLAMD");
  }
  std::size_t memory_bytes() const override { return common_.memusage; }

 private:
  void Free()
  {
    SPTRSV_KLU(free_numeric)(&numeric_, &common_);
    SPTRSV_KLU(free_symbolic)(&symbolic_, &common_);
  }

  PetscErrorCode ReadOptions(Mat F)
  {
    static char const *const orderings[] = {"AMD", "COLAMD"}, *const scales[] = {"NONE", "SUM", "MAX"};
    PetscInt ordering = 0, scale = 0;

    PetscFunctionBegin;
    PetscOptionsBegin(PetscObjectComm((PetscObject)F), ((PetscObject)F)->prefix, "KLU by sptrsv", "MatSolverType");
    PetscCall(PetscOptionsReal("-mat_klu_pivot_tol", "relative tolerance of pivots on the diagonal", NULL, common_.tol,
                               &common_.tol, NULL));
    PetscCall(PetscOptionsEList("-mat_klu_ordering", "ordering", NULL, orderings, 2, orderings[0], &ordering, NULL));
    PetscCall(
        PetscOptionsEList("-mat_klu_row_scale", "scaling of A^T's rows", NULL, scales, 3, scales[0], &scale, NULL));
    PetscOptionsEnd();
    common_.ordering = static_cast<int>(ordering);
    common_.scale = static_cast<int>(scale);
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /// @param done  result of the function that has set the status
  PetscErrorCode CheckStatus(Mat F, char const* does, bool done)
  {
    MPI_Comm const comm = PetscObjectComm((PetscObject)F);

    PetscFunctionBegin;
    if (done && common_.status >= KLU_OK) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCheck(common_.status != KLU_OUT_OF_MEMORY, comm, PETSC_ERR_MEM,
               "KLU %s, and lacks memory; use a node with more memory, or an incomplete factor", does);
    PetscCheck(common_.status != KLU_TOO_LARGE, comm, PETSC_ERR_SUP,
               "KLU %s, and its indices do not suffice; use a PETSc with 64-bit indices (--with-64-bit-indices)", does);
    SETERRQ(comm, PETSC_ERR_LIB, "KLU %s, and fails with status %d", does, (int)common_.status);
  }

  SPTRSV_KLU(common) common_ {};
  SPTRSV_KLU(symbolic) * symbolic_ = nullptr;
  SPTRSV_KLU(numeric) * numeric_ = nullptr;
  bool given_ = false;  // ordering
};

}  // namespace

std::unique_ptr<DirectLibrary> MakeKlu() { return std::make_unique<Klu>(); }

}  // namespace sptrsv_petsc
