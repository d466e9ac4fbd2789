// SPDX-License-Identifier: Apache-2.0
// The plugin's own options; options of algorithms and orderings are in structs of the backend. -help, docs/options.md
// and the manual pages are printed from these descriptions. Includes no header of PETSc.
#pragma once

#include <initializer_list>
#include <string>

#include "sptrsv/options.hpp"

namespace sptrsv_petsc {

/// Options that are read together.
struct OptionGroup {
  char const* start;   ///< prefix of the names, without the hyphen
  char const* title;   ///< in -help, different for each group, since PETSc prints a title once
  char const* manual;  ///< name of a manual page, in -help
  char const* holder;  ///< object whose prefix the options have
};

/// Processor of the solves, by default that of the vectors.
enum class BackendChoice { by_vectors = -1, host, device };
struct BackendOptions {
  static constexpr OptionGroup group{"mat_sptrsv_", "Triangular solver, where it runs", "MatSolverType",
                                     "factor, or PC of type shell, sor or eisenstat"};
  BackendChoice backend = BackendChoice::by_vectors;
  template <class V>
  void visit(V& v)
  {
    v.choice("backend", backend, {"host", "device"},
             "where the solves run; else where the matrix' vectors are, such as those of aijkokkos and aijcusparse");
  }
};

/// Code that computes the values of a factor.
enum class FactorChoice { automatic, host, device, cholmod, umfpack, klu };
struct FactorOptions {
  static constexpr OptionGroup group{"mat_sptrsv_", "Triangular solver, who factors", "MatSolverType", "factor"};
  static constexpr std::initializer_list<char const*> words = {"automatic", "host",    "device",
                                                               "cholmod",   "umfpack", "klu"};
  FactorChoice factor = FactorChoice::automatic;
  template <class V>
  void visit(V& v)
  {
    v.choice("factor", factor, words,
             "who computes the values of a factor: PETSc on the host, the backend where the solves run, or for a "
             "complete factor a library on the host");
  }
};

/// Solver types whose factors the plugin makes instead.
struct ReplaceOptions {
  static constexpr OptionGroup group{"mat_sptrsv_", "Triangular solver, instead of other types", "MatSolverType",
                                     "factor; without a prefix for all factors"};
  std::string replace;  ///< empty: not given
  template <class V>
  void visit(V& v)
  {
    v.text("replace", replace, "a list of types, or none",
           "makes the factors of these types, such as cusparse,kokkos,petsc, instead of PETSc");
  }
};

/// Algorithm that solves with a program's own triangles, and with factors that replace those of other types.
struct ShellOptions {
  static constexpr OptionGroup group{"mat_sptrsv_", "Triangular solver", "SpTRSVPCShellSetTriangles",
                                     "PC of type shell; factor that replaces another"};
  std::string type;  ///< empty: the program's choice, or sptrsv
  template <class V>
  void visit(V& v)
  {
    v.text("type", type, "a type",
           "solves with triangles of the program's own, or instead of other types, by this type");
  }
};

/// Options of SOR sweeps.
struct SweepOptions {
  static constexpr OptionGroup group{"pc_sor_", "Sweeps of SOR by sptrsv", "PCSOR", "PC of type sor or eisenstat"};
  std::string sptrsv, ordering;  ///< empty: not given
  template <class V>
  void visit(V& v)
  {
    v.text("sptrsv", sptrsv, "a type, or off",
           "sweeps by solves of this type, on a host too, or always by PETSc; else by sptrsv on a GPU");
    v.text("ordering", ordering, "a MatOrderingType", "sweeps over the rows in this order; else in the natural one");
  }
};

/// Option for new values of submatrices.
struct SubmatrixOptions {
  static constexpr OptionGroup group{"pc_submatrices_", "Submatrices by sptrsv", "PC",
                                     "PC of type asm, gasm, bjacobi, fieldsplit or redistribute"};
  int sptrsv = -1;  ///< -1: not given
  template <class V>
  void visit(V& v)
  {
    v.flag("sptrsv", sptrsv, "takes new values of submatrices where the matrix' are; else only on a GPU");
  }
};

/// Groups of the orderings' options, sptrsv::ColorOptions and sptrsv::BlockColorOptions.
inline constexpr OptionGroup color_group{"mat_ordering_color_", "Matrix ordering by colors", "MatGetOrdering",
                                         "matrix"};
inline constexpr OptionGroup block_color_group{"mat_ordering_blockcolor_", "Matrix ordering by colors of blocks",
                                               "MatGetOrdering", "matrix"};

}  // namespace sptrsv_petsc
