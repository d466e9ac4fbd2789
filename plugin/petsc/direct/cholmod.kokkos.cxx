// SPDX-License-Identifier: Apache-2.0
// CHOLMOD (SuiteSparse): supernodal and simplicial Cholesky factors.
#include <cholmod.h>

#include <limits>

#include "direct/lu_copy.hpp"

namespace sptrsv_petsc {
namespace {

using Index = SuiteSparseIndex;

/// Columns of a Cholesky factor of CHOLMOD, A(p, p) = L L^T or L D L^T.
struct CholmodColumns {
  bool supernodal, ll;
  PetscInt n;
  Index num_super;
  Index const *super, *rows_at, *values_at, *rows;  ///< supernodal: see cholmod_core.h
  Index const *col_ptr, *count;                     ///< simplicial
  double const* values;

  struct Column {
    Index const* rows;     ///< row numbers below the diagonal, ascending
    double const* values;  ///< diagonal entry, followed by the entries below it
    Index entries;         ///< number of entries below the diagonal
  };
  /// Calls of_count(j, c) for the number c of entries below the diagonal of each column j, in their order.
  template <class OfCount>
  void for_each_count(OfCount const& of_count) const
  {
    if (!supernodal)
      for (PetscInt j = 0; j < n; ++j) of_count(j, count[j] - 1);
    else
      for (Index s = 0; s < num_super; ++s)
        for (Index j = super[s]; j < super[s + 1]; ++j)
          of_count(static_cast<PetscInt>(j), rows_at[s + 1] - rows_at[s] - (j - super[s]) - 1);
  }
  Column column(PetscInt j) const
  {
    if (!supernodal) return {rows + col_ptr[j] + 1, values + col_ptr[j], count[j] - 1};
    Index const s =
        static_cast<Index>(std::upper_bound(super, super + num_super + 1, static_cast<Index>(j)) - super) - 1;
    Index const k = static_cast<Index>(j) - super[s], height = rows_at[s + 1] - rows_at[s];
    return {rows + rows_at[s] + k + 1, values + values_at[s] + static_cast<std::ptrdiff_t>(k) * (height + 1),
            height - k - 1};
  }
};

class Cholmod final : public DirectLibrary {
 public:
  Cholmod() { SPTRSV_CHOLMOD(start)(&common_); }
  ~Cholmod() override
  {
    SPTRSV_CHOLMOD(free_factor)(&factor_, &common_);
    SPTRSV_CHOLMOD(finish)(&common_);
  }
  Cholmod& operator=(Cholmod&&) = delete;

  PetscErrorCode Analyze(Mat F, HostMatrix const& A) override
  {
    cholmod_sparse matrix = CholmodMatrix(A);

    PetscFunctionBegin;
    SPTRSV_CHOLMOD(free_factor)(&factor_, &common_);
    SPTRSV_CHOLMOD(defaults)(&common_);
    common_.print = 0;  // errors are PETSc's
    PetscCall(ReadOptions(F));
    if (A.rows) common_.nmethods = 1;
    if (common_.nmethods == 1) common_.method[0].ordering = A.rows ? CHOLMOD_GIVEN : CHOLMOD_AMD;
    factor_ = SPTRSV_CHOLMOD(analyze_p)(&matrix, IndicesOf(A.rows), nullptr, 0, &common_);
    PetscCall(CheckStatus(F, "orders the matrix", factor_ != nullptr));
    ordering_ = factor_->ordering;
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode Factor(Mat F, HostMatrix const& A, PetscInt* zero_row) override
  {
    cholmod_sparse matrix = CholmodMatrix(A);

    PetscFunctionBegin;
    *zero_row = -1;
    bool const done = SPTRSV_CHOLMOD(factorize)(&matrix, factor_, &common_);
    PetscCall(CheckStatus(F, "factors the matrix", done));
    if (factor_->minor < factor_->n) *zero_row = (PetscInt) static_cast<Index const*>(factor_->Perm)[factor_->minor];
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  bool has_fixed_pattern() const override { return true; }

  PetscErrorCode Copy(Mat F, bool pattern, LibraryFactorRows* to) override
  {
    PetscFunctionBegin;
    if (pattern) PetscCall(CopyPattern(F, to));
    PetscCall(Guarded(F, [&] { CopyValues(to); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  std::string name() const override
  {
    return "CHOLMOD " + std::to_string(CHOLMOD_MAIN_VERSION) + "." + std::to_string(CHOLMOD_SUB_VERSION);
  }
  std::string choice() const override
  {
    static char const* const orderings[] = {"natural", "given", "AMD", "METIS", "NESDIS", "COLAMD", "postorder"};
    std::string of = ordering_ >= 0 && ordering_ < 7 ? orderings[ordering_] : "own";
    if (factor_ && factor_->is_super) of += ", " + std::to_string(factor_->nsuper) + " supernodes";
    else if (factor_) of += factor_->is_ll ? ", simplicial L L^T" : ", simplicial L D L^T";
    return "ordering " + of;
  }
  std::size_t memory_bytes() const override { return common_.memory_inuse; }

 private:
  PetscErrorCode ReadOptions(Mat F)
  {
    char const* const kinds[] = {"SIMPLICIAL", "AUTO", "SUPERNODAL"};
    PetscInt kind = common_.supernodal, nmethods = common_.nmethods, n = 3;
    PetscReal relax[] = {common_.zrelax[0], common_.zrelax[1], common_.zrelax[2]};
    PetscBool nesdis = (PetscBool)(common_.default_nesdis != 0), set;

    PetscFunctionBegin;
    PetscOptionsBegin(PetscObjectComm((PetscObject)F), ((PetscObject)F)->prefix, "CHOLMOD by sptrsv", "MatSolverType");
    PetscCall(PetscOptionsInt("-mat_cholmod_nmethods", "number of orderings to try", NULL, nmethods, &nmethods, &set));
    PetscCheck(
        nmethods >= 0 && nmethods <= CHOLMOD_MAXMETHODS, PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_OUTOFRANGE,
        "Option -mat_cholmod_nmethods is %" PetscInt_FMT "; give a number from 0 to %d", nmethods, CHOLMOD_MAXMETHODS);
    common_.nmethods = (int)nmethods;
    PetscCall(
        PetscOptionsEList("-mat_cholmod_factor", "kind of factorization", NULL, kinds, 3, kinds[kind], &kind, NULL));
    common_.supernodal = (int)kind;
    PetscCall(PetscOptionsReal("-mat_cholmod_supernodal_switch", "flops per entry of L from which it is supernodal",
                               NULL, common_.supernodal_switch, &common_.supernodal_switch, NULL));
    PetscCall(PetscOptionsReal("-mat_cholmod_dbound", "smallest magnitude of entries of D", NULL, common_.dbound,
                               &common_.dbound, NULL));
    PetscCall(PetscOptionsRealArray("-mat_cholmod_zrelax", "shares of zeros with which supernodes are merged", NULL,
                                    relax, &n, &set));
    PetscCheck(!set || n == 3, PetscObjectComm((PetscObject)F), PETSC_ERR_ARG_SIZ,
               "Option -mat_cholmod_zrelax has %" PetscInt_FMT " numbers; give three", n);
    std::copy(relax, relax + 3, common_.zrelax);
    PetscCall(PetscOptionsBool("-mat_cholmod_default_nesdis", "NESDIS instead of METIS", NULL, nesdis, &nesdis, NULL));
    common_.default_nesdis = nesdis;
    PetscOptionsEnd();
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /// @param done  result of the function that has set the status
  PetscErrorCode CheckStatus(Mat F, char const* does, bool done)
  {
    MPI_Comm const comm = PetscObjectComm((PetscObject)F);

    PetscFunctionBegin;
    if (done && common_.status >= CHOLMOD_OK) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCheck(common_.status != CHOLMOD_OUT_OF_MEMORY, comm, PETSC_ERR_MEM,
               "CHOLMOD %s, and lacks memory: it has %.0f MB, and L has %.0f entries of 8 bytes; use a node with more "
               "memory, or an incomplete factor",
               does, (double)common_.memory_inuse / 1e6, common_.lnz);
    PetscCheck(common_.status != CHOLMOD_TOO_LARGE, comm, PETSC_ERR_SUP,
               "CHOLMOD %s, and its indices do not suffice; use a PETSc with 64-bit indices (--with-64-bit-indices)",
               does);
    SETERRQ(comm, PETSC_ERR_LIB, "CHOLMOD %s, and fails with status %d", does, common_.status);
  }

  CholmodColumns Columns() const
  {
    auto const of = [](void const* p) { return static_cast<Index const*>(p); };
    cholmod_factor const& L = *factor_;
    bool const supernodal = L.is_super;
    return {supernodal,
            L.is_ll || supernodal,
            static_cast<PetscInt>(L.n),
            static_cast<Index>(L.nsuper),
            of(L.super),
            of(L.pi),
            of(L.px),
            supernodal ? of(L.s) : of(L.i),
            of(L.p),
            of(L.nz),
            static_cast<double const*>(L.x)};
  }

  PetscErrorCode CopyPattern(Mat F, LibraryFactorRows* to)
  {
    CholmodColumns const columns = Columns();
    auto const n = static_cast<std::size_t>(columns.n);
    double entries = 0;

    PetscFunctionBegin;
    columns.for_each_count([&](PetscInt, Index c) { entries += static_cast<double>(c); });
    PetscCheck(entries <= (double)std::numeric_limits<PetscInt>::max(), PetscObjectComm((PetscObject)F), PETSC_ERR_SUP,
               "CHOLMOD's factor has %.0f entries, more than 32-bit indices can count; use a PETSc with 64-bit indices "
               "(--with-64-bit-indices)",
               entries);
    PetscCall(Guarded(F, [&] {
      to->upper.row_ptr.allocate(n + 1);
      to->upper.col_idx.allocate(static_cast<std::size_t>(entries));
      to->row_perm.allocate(n);
      PetscInt* const row_ptr = to->upper.row_ptr.data();
      PetscInt* const col_idx = to->upper.col_idx.data();
      row_ptr[0] = 0;
      columns.for_each_count([&](PetscInt j, Index c) { row_ptr[j + 1] = row_ptr[j] + static_cast<PetscInt>(c); });
      ForRows("sptrsv::petsc::cholmod_pattern", columns.n, [&](PetscInt j) {
        auto const column = columns.column(j);
        std::copy(column.rows, column.rows + column.entries, col_idx + row_ptr[j]);
      });
      auto const* const perm = static_cast<Index const*>(factor_->Perm);
      std::copy(perm, perm + n, to->row_perm.data());
    }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /// Copies U = L^T scaled to a unit diagonal, and 1/D.
  void CopyValues(LibraryFactorRows* to) const
  {
    CholmodColumns const columns = Columns();
    to->upper.values.allocate(to->upper.col_idx.size());
    to->inverse.allocate(static_cast<std::size_t>(columns.n));
    PetscInt const* const row_ptr = to->upper.row_ptr.data();
    PetscScalar *const values = to->upper.values.data(), *const inverse = to->inverse.data();
    ForRows("sptrsv::petsc::cholmod_values", columns.n, [&](PetscInt j) {
      auto const column = columns.column(j);
      double const diagonal = column.values[0], scale = columns.ll ? 1 / diagonal : 1;
      PetscScalar* const row = values + row_ptr[j];
      for (Index k = 0; k < column.entries; ++k) row[k] = column.values[k + 1] * scale;
      inverse[j] = columns.ll ? scale * scale : 1 / diagonal;
    });
  }

  cholmod_common common_;
  cholmod_factor* factor_ = nullptr;
  int ordering_ = -1;
};

}  // namespace

std::unique_ptr<DirectLibrary> MakeCholmod() { return std::make_unique<Cholmod>(); }

}  // namespace sptrsv_petsc
