// SPDX-License-Identifier: Apache-2.0
// MatGetFactor() is not told who calls it. PETSc factors in place in one function for each base type and kind, so a
// probe finds the position in that function from which MatGetFactor() is called; the same position on the stack later
// means a factor in place.
#include "replace/in_place.hpp"

#include <unwind.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace sptrsv_petsc {
namespace {

/// Positions from which the functions on the stack were called, the innermost first.
class Stack {
 public:
  Stack()
  {
    (void)_Unwind_Backtrace(
        [](_Unwind_Context* context, void* stack) {
          return static_cast<Stack*>(stack)->Add(_Unwind_GetIP(context)) ? _URC_NO_REASON : _URC_END_OF_STACK;
        },
        this);
  }
  bool contains(std::uintptr_t position) const
  {
    return std::find(positions_.begin(), positions_.end(), position) != positions_.end();
  }
  /// Returns the first position that differs from the other stack's; 0 if there is none.
  std::uintptr_t first_difference(Stack const& other) const
  {
    return *std::mismatch(positions_.begin(), positions_.end() - 1, other.positions_.begin()).first;
  }

 private:
  bool Add(std::uintptr_t position)
  {
    if (size_ < positions_.size()) positions_[size_++] = position;
    return size_ < positions_.size();
  }

  std::array<std::uintptr_t, 24> positions_ = {};  // 0 from size_ on
  std::size_t size_ = 0;
};

/// Factors that PETSc makes in place by MatGetFactor(), and the position of that call.
struct InPlace {
  MatType type;
  MatFactorType kind;
  std::uintptr_t position = 0;  ///< 0: not known yet
};
InPlace in_place_factors[] = {
    {MATSEQAIJ, MAT_FACTOR_LU}, {MATSEQBAIJ, MAT_FACTOR_LU}, {MATSEQSBAIJ, MAT_FACTOR_CHOLESKY}};

/// Takes the stack of IsProbe(), while a probe runs.
Stack* probed = nullptr;

/// Calls `factor` and takes the stack of the factor that it has made.
template <class Factor>
PetscErrorCode Probe(Factor const& factor, Stack* stack)
{
  PetscFunctionBegin;
  probed = stack;
  PetscErrorCode const code = factor();
  probed = nullptr;
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Silence of PETSc's -info until the end of the scope.
class Silence {
 public:
  Silence()
  {
    for (Class& c : classes_)
      if (!PetscInfoEnabled(c.id, &c.enabled) && c.enabled) (void)PetscInfoDeactivateClass(c.id);
  }
  ~Silence()
  {
    for (Class const& c : classes_)
      if (c.enabled) (void)PetscInfoActivateClass(c.id);
  }
  Silence& operator=(Silence&&) = delete;

 private:
  struct Class {
    PetscClassId id;
    PetscBool enabled = PETSC_FALSE;
  };
  Class classes_[2] = {{MAT_CLASSID}, {PETSC_SMALLEST_CLASSID}};
};

/// Factors a matrix of one row, in place and not in place, and finds the first position that differs between the stacks
/// of the two factors: the position from which MatGetFactor() is called to factor in place.
PetscErrorCode FindPosition(InPlace& factor)
{
  Mat A, F = nullptr;
  IS natural;
  MatFactorInfo info;
  Stack inside, outside;
  Silence const silence;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, &A));
  PetscCall(MatSetOptionsPrefix(A, "sptrsv_probe_"));
  PetscCall(MatSetSizes(A, 1, 1, 1, 1));
  PetscCall(MatSetType(A, factor.type));
  PetscCall(MatSetUp(A));
  PetscCall(MatSetValue(A, 0, 0, 1, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, 1, 0, 1, &natural));
  PetscCall(MatFactorInfoInitialize(&info));
  info.fill = 1;
  PetscCall(Probe([&] { return MatGetFactor(A, MATSOLVERPETSC, factor.kind, &F); }, &outside));
  PetscCall(MatDestroy(&F));
  PetscCall(Probe(
      [&] {
        return factor.kind == MAT_FACTOR_LU ? MatLUFactor(A, natural, natural, &info)
                                            : MatCholeskyFactor(A, natural, &info);
      },
      &inside));
  PetscCall(ISDestroy(&natural));
  PetscCall(MatDestroy(&A));
  factor.position = inside.first_difference(outside);
  PetscCheck(factor.position, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "This PETSc has no unwind tables, which tell a factor in place from others; leave petsc out of "
             "-mat_sptrsv_replace, or compile PETSc with -funwind-tables");
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

bool IsProbe()
{
  if (!probed) return false;
  *probed = Stack();
  return true;
}

PetscErrorCode FactorsInPlace(Mat A, MatFactorType kind, bool* in_place)
{
  PetscFunctionBegin;
  *in_place = false;
  for (InPlace& factor : in_place_factors) {
    PetscBool same;
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, factor.type, &same));
    if (!same || kind != factor.kind) continue;
    if (!factor.position) PetscCall(FindPosition(factor));
    *in_place = Stack().contains(factor.position);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
