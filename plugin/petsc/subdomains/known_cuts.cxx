// SPDX-License-Identifier: Apache-2.0
// Recognizes calls that cut the same submatrices again.
#include "subdomains/known_cuts.hpp"

#include <algorithm>

#include "access/matrix_arrays.hpp"
#include "base/composed_state.hpp"
#include "kokkos/guarded.hpp"

namespace sptrsv_petsc {
namespace {

/// State of a leaf: sets `alive` to false when the leaf is destroyed.
struct Watch {
  std::shared_ptr<bool> alive;
  explicit Watch(std::shared_ptr<bool> of_cut) : alive(std::move(of_cut)) {}
  ~Watch() { *alive = false; }
  Watch(Watch const&) = delete;
  Watch& operator=(Watch const&) = delete;
};

}  // namespace

PetscErrorCode Describe(Mat A, std::vector<IS> const& sets, std::vector<Mat> const& leaves, Cut& cut)
{
  Mat blocks[2];
  auto const add = [&](auto... numbers) {
    return Guarded(A, [&] { (cut.call.push_back(static_cast<std::uint64_t>(numbers)), ...); });
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
  cut.call.clear();
  cut.leaves.clear();
  PetscCall(GetBlocks(A, blocks));
  for (Mat block : blocks)
    if (block) PetscCall(add_matrix(block));
  for (std::size_t k = 0; k < sets.size(); k += 2) {
    bool const twice = sets[k] == sets[k + 1];
    PetscCall(add_set(sets[k]));
    PetscCall(add(twice));
    if (!twice) PetscCall(add_set(sets[k + 1]));
  }
  for (Mat leaf : leaves) {
    PetscObjectId id;
    PetscCall(PetscObjectGetId((PetscObject)leaf, &id));
    PetscCall(Guarded(A, [&] { cut.leaves.push_back(id); }));
    PetscCall(add_matrix(leaf));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void KnownCuts::erase(unsigned cuts)
{
  for (std::size_t k = cuts_.size(); k-- > 0;)
    if (cuts & (1u << k)) cuts_.erase(cuts_.begin() + (std::ptrdiff_t)k);
}

PetscErrorCode KnownCuts::Find(Mat A, Cut const& wanted, unsigned* obstacles, Cut** found)
{
  unsigned bits[] = {0, 0, *obstacles};
  unsigned &gone = bits[0], &others = bits[1];

  PetscFunctionBegin;
  for (std::size_t k = 0; k < cuts_.size(); ++k) {
    if (!*cuts_[k]->alive) gone |= 1u << k;
    if (*obstacles || cuts_[k]->call != wanted.call) others |= 1u << k;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, bits, 3, MPI_UNSIGNED, MPI_BOR, PetscObjectComm((PetscObject)A)));
  *obstacles = bits[2];
  *found = nullptr;
  for (std::size_t k = 0; k < cuts_.size() && !*found; ++k)
    if (!((gone | others) & (1u << k))) *found = cuts_[k].get();
  erase(gone);
  for (auto at = cuts_.begin(); at != cuts_.end(); ++at)
    if (at->get() == *found) {
      std::rotate(at, at + 1, cuts_.end());
      break;
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KnownCuts::Forget(Mat A, std::vector<Mat> const& leaves, Cut const* except)
{
  unsigned shared = 0;

  PetscFunctionBegin;
  for (Mat leaf : leaves) {
    PetscObjectId id;
    PetscCall(PetscObjectGetId((PetscObject)leaf, &id));
    for (std::size_t k = 0; k < cuts_.size(); ++k) {
      auto const& known = cuts_[k]->leaves;
      bool const has_leaf = std::find(known.begin(), known.end(), id) != known.end();
      if (has_leaf && cuts_[k].get() != except) shared |= 1u << k;
    }
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &shared, 1, MPI_UNSIGNED, MPI_BOR, PetscObjectComm((PetscObject)A)));
  erase(shared);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode KnownCuts::Remember(Mat A, std::unique_ptr<Cut> cut, Mat first_leaf)
{
  std::unique_ptr<Watch> watch;

  PetscFunctionBegin;
  if (first_leaf) {
    PetscCall(Guarded(A, [&] { watch = std::make_unique<Watch>(cut->alive); }));
    PetscCall(ComposeState((PetscObject)first_leaf, "SpTRSVSubmatrix", std::move(watch)));
  }
  PetscCall(Guarded(A, [&] {
    if (cuts_.size() == most) {
      auto const unused = std::find_if(cuts_.begin(), cuts_.end(), [](auto const& c) { return !c->found; });
      cuts_.erase(unused == cuts_.end() ? cuts_.begin() : unused);
    }
    cuts_.push_back(std::move(cut));
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
