// SPDX-License-Identifier: Apache-2.0
#include "color_ordering.hpp"

#include "guarded.hpp"
#include "kokkos_session.hpp"
#include "sptrsv/ordering/coloring.hpp"

namespace sptrsv_petsc {
namespace {

PetscErrorCode ReadColorOptions(Mat A, sptrsv::ColorOptions& options)
{
  char const* const algorithms[] = {"serial", "deterministic", "speculative"};
  PetscInt distance = options.distance, algorithm = (PetscInt)options.algorithm;
  PetscBool balance = (PetscBool)options.balance;

  PetscFunctionBegin;
  PetscOptionsBegin(PetscObjectComm((PetscObject)A), ((PetscObject)A)->prefix, "Matrix ordering by colors",
                    "MatGetOrdering");
  PetscCall(PetscOptionsBool("-mat_ordering_color_balance", "Move rows from large to small colors", "MatGetOrdering",
                             balance, &balance, NULL));
  PetscCall(PetscOptionsInt("-mat_ordering_color_distance",
                            "Rows of a color are further apart; k + 1 for k levels of fill", "MatGetOrdering", distance,
                            &distance, NULL));
  PetscCall(PetscOptionsEList("-mat_ordering_color_algorithm", "Of Kokkos Kernels; speculative is not reproducible",
                              "MatGetOrdering", algorithms, 3, algorithms[algorithm], &algorithm, NULL));
  PetscOptionsEnd();
  PetscCheck(distance >= 1 && distance <= 10, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE,
             "Option -%smat_ordering_color_distance is %" PetscInt_FMT "; give an integer from 1 to 10",
             ((PetscObject)A)->prefix ? ((PetscObject)A)->prefix : "", distance);
  options.balance = balance;
  options.distance = (int)distance;
  options.algorithm = (sptrsv::ColorAlgorithm)algorithm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace

PetscErrorCode MatGetOrdering_Color(Mat A, MatOrderingType, IS* rows, IS* cols)
{
  sptrsv::ColorOptions options;
  sptrsv::Coloring<PetscInt> coloring;
  PetscInt const *i, *j;
  PetscInt n;
  PetscBool done;
  PetscErrorCode code;

  PetscFunctionBegin;
  PetscCall(ReadColorOptions(A, options));
  PetscCall(EnsureKokkos());
  PetscCall(MatGetRowIJ(A, 0, PETSC_FALSE, PETSC_TRUE, &n, &i, &j, &done));
  PetscCheck(done, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP,
             "A matrix of type %s does not show its pattern; the ordering color needs one of type %s, %s or %s",
             ((PetscObject)A)->type_name, MATSEQAIJ, MATSEQBAIJ, MATSEQSBAIJ);
  code = Guarded(A, [&] {
    coloring =
        sptrsv::color_graph<Kokkos::DefaultHostExecutionSpace>(sptrsv::symmetric_graph<PetscInt>(n, i, j), options);
  });
  PetscCall(MatRestoreRowIJ(A, 0, PETSC_FALSE, PETSC_TRUE, &n, &i, &j, &done));  // a copy, of inodes
  PetscCall(code);
  PetscCall(PetscInfo(A,
                      "%" PetscInt_FMT " colors for a graph of %" PetscInt_FMT " vertices, %" PetscInt_FMT
                      " in the largest color, %" PetscInt_FMT " in the smallest\n",
                      coloring.num_colors(), (PetscInt)coloring.color_rows.size(),
                      coloring.num_colors() ? coloring.size(0) : 0,
                      coloring.num_colors() ? coloring.size(coloring.num_colors() - 1) : 0));
  // of inodes or blocks: MatGetOrdering() expands the first, the factorizations the second
  for (IS* is : {rows, cols})
    PetscCall(ISCreateGeneral(PETSC_COMM_SELF, (PetscInt)coloring.color_rows.size(), coloring.color_rows.data(),
                              PETSC_COPY_VALUES, is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace sptrsv_petsc
