// SPDX-License-Identifier: Apache-2.0
// Recognizes calls that ask for the same submatrices again.
#include "subdomains/submatrix_cache.hpp"

#include <algorithm>

#include "access/matrix_arrays.hpp"
#include "base/composed_state.hpp"
#include "kokkos/guarded.hpp"

namespace sptrsv_petsc {
namespace {

/// State that is composed with a submatrix: sets `alive` to false when the submatrix is destroyed.
struct Watch {
  std::shared_ptr<bool> alive;
  explicit Watch(std::shared_ptr<bool> of_cut) : alive(std::move(of_cut)) {}
  ~Watch() { *alive = false; }
  Watch(Watch const&) = delete;
  Watch& operator=(Watch const&) = delete;
};

}  // namespace

PetscErrorCode Describe(Mat A, std::vector<IS> const& sets, std::vector<Mat> const& submatrices, SubmatrixSet& set)
{
  Mat blocks[2];
  auto const add = [&](auto... numbers) {
    return Guarded(A, [&] { (set.call.push_back(static_cast<std::uint64_t>(numbers)), ...); });
  };
  auto const add_set = [&](IS set) -> PetscErrorCode {
    PetscInt size, shape[2] = {0, 0};
    PetscBool stride;
    PetscInt const* indices;
    PetscFunctionBegin;
    PetscCall(ISGetLocalSize(set, &size));
    PetscCall(PetscObjectTypeCompare((PetscObject)set, ISSTRIDE, &stride));
    if (stride) PetscCall(ISStrideGetInfo(set, &shape[0], &shape[1]));
    std::uint64_t hash = HashOf(shape, 2);
    if (!stride) {
      PetscCall(ISGetIndices(set, &indices));
      hash = HashOf(indices, (std::size_t)size);
      PetscCall(ISRestoreIndices(set, &indices));
    }
    PetscCall(add(size, hash));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  auto const add_matrix = [&](Mat M) -> PetscErrorCode {
    PatternStamp stamp;
    PetscFunctionBegin;
    PetscCall(StampPattern(M, true, &stamp));
    PetscCall(add(stamp.id, stamp.nonzeros, stamp.entries, stamp.hash));
    PetscFunctionReturn(PETSC_SUCCESS);
  };

  PetscFunctionBegin;
  set.call.clear();
  set.submatrices.clear();
  PetscCall(GetBlocks(A, blocks));
  for (Mat block : blocks)
    if (block) PetscCall(add_matrix(block));
  for (std::size_t k = 0; k < sets.size(); k += 2) {
    bool const twice = sets[k] == sets[k + 1];
    PetscCall(add_set(sets[k]));
    PetscCall(add(twice));
    if (!twice) PetscCall(add_set(sets[k + 1]));
  }
  for (Mat submatrix : submatrices) {
    PetscObjectId id;
    PetscCall(PetscObjectGetId((PetscObject)submatrix, &id));
    PetscCall(Guarded(A, [&] { set.submatrices.push_back(id); }));
    PetscCall(add_matrix(submatrix));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void SubmatrixCache::erase(unsigned sets)
{
  for (std::size_t k = sets_.size(); k-- > 0;)
    if (sets & (1u << k)) sets_.erase(sets_.begin() + (std::ptrdiff_t)k);
}

PetscErrorCode SubmatrixCache::Find(Mat A, SubmatrixSet const& wanted, unsigned* fallback_reasons, SubmatrixSet** found)
{
  unsigned bits[] = {0, 0, *fallback_reasons};
  unsigned &gone = bits[0], &others = bits[1];

  PetscFunctionBegin;
  for (std::size_t k = 0; k < sets_.size(); ++k) {
    if (!*sets_[k]->alive) gone |= 1u << k;
    if (*fallback_reasons || sets_[k]->call != wanted.call) others |= 1u << k;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, bits, 3, MPI_UNSIGNED, MPI_BOR, PetscObjectComm((PetscObject)A)));
  *fallback_reasons = bits[2];
  *found = nullptr;
  for (std::size_t k = 0; k < sets_.size() && !*found; ++k)
    if (!((gone | others) & (1u << k))) *found = sets_[k].get();
  erase(gone);
  for (auto at = sets_.begin(); at != sets_.end(); ++at)
    if (at->get() == *found) {
      std::rotate(at, at + 1, sets_.end());
      break;
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SubmatrixCache::Forget(Mat A, std::vector<Mat> const& submatrices, SubmatrixSet const* except)
{
  unsigned shared = 0;

  PetscFunctionBegin;
  for (Mat submatrix : submatrices) {
    PetscObjectId id;
    PetscCall(PetscObjectGetId((PetscObject)submatrix, &id));
    for (std::size_t k = 0; k < sets_.size(); ++k) {
      auto const& known = sets_[k]->submatrices;
      bool const has_submatrix = std::find(known.begin(), known.end(), id) != known.end();
      if (has_submatrix && sets_[k].get() != except) shared |= 1u << k;
    }
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &shared, 1, MPI_UNSIGNED, MPI_BOR, PetscObjectComm((PetscObject)A)));
  erase(shared);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SubmatrixCache::Remember(Mat A, std::unique_ptr<SubmatrixSet> set, Mat first_submatrix)
{
  std::unique_ptr<Watch> watch;

  PetscFunctionBegin;
  if (first_submatrix) {
    PetscCall(Guarded(A, [&] { watch = std::make_unique<Watch>(set->alive); }));
    PetscCall(ComposeState((PetscObject)first_submatrix, "SpTRSVSubmatrix", std::move(watch)));
  }
  PetscCall(Guarded(A, [&] {
    if (sets_.size() == most) {
      auto const unused = std::find_if(sets_.begin(), sets_.end(), [](auto const& c) { return !c->found; });
      sets_.erase(unused == sets_.end() ? sets_.begin() : unused);
    }
    sets_.push_back(std::move(set));
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
