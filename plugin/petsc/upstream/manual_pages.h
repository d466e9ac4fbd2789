/* SPDX-License-Identifier: Apache-2.0
   Manual pages of the solver types and orderings, in PETSc's format, printed by tools/options_page --manual-pages from
   the lists of the library; the test docs.manual_pages compares. The pages of the functions, and the names that these
   pages are of, are in sptrsv_petsc.h. */

/* SUBMANSEC = Mat */

/*MC
  MATSOLVERSPTRSV = "sptrsv" - Triangular solves with factors of LU, ILU, Cholesky and ICC in Kokkos kernels, on GPUs
  and CPUs. This type of the package sptrsv chooses one of the others, by the structure or by timing them.

  Options Database Keys:
+ -pc_factor_mat_solver_type sptrsv - solves with this type
. -mat_sptrsv_plan (automatic|estimate|measure) - choose the algorithm by the structure (automatic: on a host once
    solves have taken as long as an analysis), or by timing all at the first numeric phase; default automatic
. -mat_sptrsv_storage (full|single) - precision of the off-diagonal values that levelset and blocked keep; other types
    refuse single; default full
. -mat_sptrsv_backend (host|device) - where the solves run; else where the matrix' vectors are, such as those of
    `aijkokkos` and `aijcusparse`
- -mat_sptrsv_factor (automatic|host|device) - who computes the values of a factor: PETSc on the host, or the backend
    where the solves run; default automatic

  Level: beginner

  Notes:
  Configure PETSc with `--download-sptrsv`, or have an installed PETSc load the package by `-dll_append
  path/libsptrsv_petsc.so`.

  Matrices are of type `MATSEQAIJ` or of a type derived from it, such as `MATSEQAIJKOKKOS` and `MATSEQAIJCUSPARSE`, of
  type `MATSEQBAIJ`, or for `PCCHOLESKY` and `PCICC` of type `MATSEQSBAIJ`. On several MPI processes a factor is that
  of a block, as in `PCBJACOBI` and `PCASM`; give the options with the prefix of the block, as in
  `-sub_pc_factor_mat_solver_type`.

  Fill, shifts, pivots and orderings are those of PETSc. The package adds the orderings `MATORDERINGCOLOR` and
  `MATORDERINGBLOCKCOLOR`.

  `KSPView()` shows the type that was chosen for each triangle, and why. The options of the types below apply if they
  are chosen.

  A value 0 means that the type chooses.

  The types are
+ `MATSOLVERSEQUENTIAL` - substitution by one thread
. `MATSOLVERLEVELSET` - rows by level, a kernel per wide level, many narrow levels in one kernel
. `MATSOLVERSYNCFREE` - a warp per component, busy waits, no barriers
. `MATSOLVERTHREADLEVEL` - a thread per row on plain CSR, no analysis
. `MATSOLVERFUSED` - short rows by a thread each, long rows by a warp each, in one kernel
. `MATSOLVERTILED` - 16x16 tiles in several formats, a warp per tile row
. `MATSOLVERCOLORSET` - a kernel per set of independent rows, for matrices in the ordering color
. `MATSOLVERBLOCKED` - a team per block of rows, in scratch memory
. `MATSOLVERCHAIN` - chains of rows (each needs at most one, and at most one needs it) by scans
- `MATSOLVERITERATED` - approximate: a fixed number of Jacobi sweeps with the triangle

.seealso: [](ch_matrices), [](sec_matfactor), `Mat`, `PCLU`, `PCILU`, `PCCHOLESKY`, `PCICC`,
          `PCFactorSetMatSolverType()`, `MatSolverType`, `MatGetFactor()`, `MatSpTRSVGetInfo()`,
          `SpTRSVPCShellSetTriangles()`, `MATSOLVERSEQUENTIAL`, `MATSOLVERLEVELSET`, `MATSOLVERSYNCFREE`,
          `MATSOLVERTHREADLEVEL`, `MATSOLVERFUSED`, `MATSOLVERTILED`, `MATSOLVERCOLORSET`, `MATSOLVERBLOCKED`,
          `MATSOLVERCHAIN`, `MATSOLVERITERATED`
M*/

/*MC
  MATSOLVERSEQUENTIAL = "sequential" - Triangular solves by the package sptrsv: substitution by one thread

  Options Database Key:
. -pc_factor_mat_solver_type sequential - solves with this type

  Level: intermediate

  Notes:
  Solves with L and U, plain and transposed, for one or several right-hand sides.

  The options of `MATSOLVERSPTRSV` for all types apply, such as `-mat_sptrsv_backend`.

.seealso: [](ch_matrices), [](sec_matfactor), `Mat`, `PCFactorSetMatSolverType()`, `MatSolverType`, `MatGetFactor()`,
          `MATSOLVERSPTRSV`, `MatSpTRSVGetInfo()`
M*/

/*MC
  MATSOLVERLEVELSET = "levelset" - Triangular solves by the package sptrsv: rows by level, a kernel per wide level,
  many narrow levels in one kernel

  Options Database Keys:
+ -pc_factor_mat_solver_type levelset - solves with this type
. -mat_sptrsv_levelset_analysis (automatic|sweep|root_candidates) - how levels are found; default automatic
. -mat_sptrsv_levelset_wide_rows n - a level of more rows has a kernel of its own, smaller ones share one; 0: chosen;
    from 0 on, default 0
. -mat_sptrsv_levelset_wave_teams n - GPU: teams of a kernel that levels share; 0: chosen; from 0 on, default 0
. -mat_sptrsv_levelset_lanes_per_row n - vector lanes per row on a GPU, a power of two; 0: chosen; 0 or a power of
    two, to 64, default 0
- -mat_sptrsv_storage (full|single) - precision of the off-diagonal values that levelset and blocked keep; other types
    refuse single; default full

  Level: intermediate

  Notes:
  Solves with L and U, plain and transposed, for one or several right-hand sides.

  A value 0 means that the type chooses.

  The options of `MATSOLVERSPTRSV` for all types apply, such as `-mat_sptrsv_backend`.

  Reference:
. * - M. Naumov, Parallel Solution of Sparse Triangular Linear Systems in the Preconditioned Iterative Methods on the
    GPU, NVIDIA, NVR-2011-001, 2011

.seealso: [](ch_matrices), [](sec_matfactor), `Mat`, `PCFactorSetMatSolverType()`, `MatSolverType`, `MatGetFactor()`,
          `MATSOLVERSPTRSV`, `MatSpTRSVGetInfo()`
M*/

/*MC
  MATSOLVERSYNCFREE = "syncfree" - Triangular solves by the package sptrsv: a warp per component, busy waits, no
  barriers

  Options Database Keys:
+ -pc_factor_mat_solver_type syncfree - solves with this type
. -mat_sptrsv_syncfree_form (csr|csc) - row-owned and reproducible, or published with atomics; default csr
- -mat_sptrsv_syncfree_rows_per_ticket n - components a team takes at a time; 0: chosen; 0 to 1024, default 0

  Level: intermediate

  Notes:
  Solves with L and U, plain and transposed, for one or several right-hand sides.

  A value 0 means that the type chooses.

  The options of `MATSOLVERSPTRSV` for all types apply, such as `-mat_sptrsv_backend`.

  Reference:
. * - W. Liu, A. Li, J. Hogg, I. Duff, B. Vinter, A Synchronization-Free Algorithm for Parallel Sparse Triangular
    Solves, Euro-Par 2016

.seealso: [](ch_matrices), [](sec_matfactor), `Mat`, `PCFactorSetMatSolverType()`, `MatSolverType`, `MatGetFactor()`,
          `MATSOLVERSPTRSV`, `MatSpTRSVGetInfo()`
M*/

/*MC
  MATSOLVERTHREADLEVEL = "threadlevel" - Triangular solves by the package sptrsv: a thread per row on plain CSR, no
  analysis

  Options Database Keys:
+ -pc_factor_mat_solver_type threadlevel - solves with this type
. -mat_sptrsv_threadlevel_form (writing_first|two_phase) - wait for nothing, or for earlier teams first; default
    writing_first
- -mat_sptrsv_threadlevel_rows_per_ticket n - rows a team takes at a time; 0: chosen; 0 to 1024, default 0

  Level: intermediate

  Notes:
  Solves with L and U, plain and transposed, for one or several right-hand sides.

  A value 0 means that the type chooses.

  The options of `MATSOLVERSPTRSV` for all types apply, such as `-mat_sptrsv_backend`.

  Reference:
. * - F. Zhang, J. Su, W. Liu, B. He, R. Wu, X. Du, R. Wang, YuenyeungSpTRSV: A Thread-Level and Warp-Level Fusion
    Synchronization-Free Sparse Triangular Solve, IEEE Transactions on Parallel and Distributed Systems, 2021

.seealso: [](ch_matrices), [](sec_matfactor), `Mat`, `PCFactorSetMatSolverType()`, `MatSolverType`, `MatGetFactor()`,
          `MATSOLVERSPTRSV`, `MatSpTRSVGetInfo()`
M*/

/*MC
  MATSOLVERFUSED = "fused" - Triangular solves by the package sptrsv: short rows by a thread each, long rows by a warp
  each, in one kernel

  Options Database Keys:
+ -pc_factor_mat_solver_type fused - solves with this type
- -mat_sptrsv_fused_threshold n - mean off-diagonal entries from which rows of a block get a warp each; 0: as trained;
    0 to 1000000, default 0

  Level: intermediate

  Notes:
  Solves with L and U, plain and transposed, for one or several right-hand sides.

  A value 0 means that the type chooses.

  The options of `MATSOLVERSPTRSV` for all types apply, such as `-mat_sptrsv_backend`.

  Reference:
. * - F. Zhang, J. Su, W. Liu, B. He, R. Wu, X. Du, R. Wang, YuenyeungSpTRSV: A Thread-Level and Warp-Level Fusion
    Synchronization-Free Sparse Triangular Solve, IEEE Transactions on Parallel and Distributed Systems, 2021

.seealso: [](ch_matrices), [](sec_matfactor), `Mat`, `PCFactorSetMatSolverType()`, `MatSolverType`, `MatGetFactor()`,
          `MATSOLVERSPTRSV`, `MatSpTRSVGetInfo()`
M*/

/*MC
  MATSOLVERTILED = "tiled" - Triangular solves by the package sptrsv: 16x16 tiles in several formats, a warp per tile
  row

  Options Database Keys:
+ -pc_factor_mat_solver_type tiled - solves with this type
. -mat_sptrsv_tiled_variant (automatic|syncfree|levelset) - rows in their own order, or sorted by level; the type for
    scans is chain; default automatic
. -mat_sptrsv_tiled_wide_rows n - levelset: least rows of a level with a kernel of its own, a thread per row; 0:
    chosen; from 0 on, default 0
- -mat_sptrsv_tiled_teams n - GPU: warps that share the tile rows; 0: chosen; from 0 on, default 0

  Level: intermediate

  Notes:
  Solves with L and U, plain and transposed, for one or several right-hand sides.

  A value 0 means that the type chooses.

  The options of `MATSOLVERSPTRSV` for all types apply, such as `-mat_sptrsv_backend`.

  Reference:
. * - Z. Lu, W. Liu, TileSpTRSV: a tiled algorithm for parallel sparse triangular solve on GPUs, CCF Transactions on
    High Performance Computing, 2023

.seealso: [](ch_matrices), [](sec_matfactor), `Mat`, `PCFactorSetMatSolverType()`, `MatSolverType`, `MatGetFactor()`,
          `MATSOLVERSPTRSV`, `MatSpTRSVGetInfo()`
M*/

/*MC
  MATSOLVERCOLORSET = "colorset" - Triangular solves by the package sptrsv: a kernel per set of independent rows, for
  matrices in the ordering color

  Options Database Keys:
+ -pc_factor_mat_solver_type colorset - solves with this type
. -mat_sptrsv_colorset_form (sets|cpls) - sets of consecutive rows, or the level sets of the triangle; default sets
. -mat_sptrsv_colorset_lanes_per_row n - vector lanes per row on a GPU, a power of two; 0: chosen for each set; 0 or a
    power of two, to 64, default 0
- -mat_sptrsv_colorset_wide_rows n - a set of more rows has a kernel of its own, smaller ones share one; 0: chosen;
    from 0 on, default 0

  Level: intermediate

  Notes:
  Solves with L and U, plain and transposed, for one or several right-hand sides.

  It is made for matrices in the ordering `MATORDERINGCOLOR`, which `PCILU` and `PCICC` use with this type unless
  another one is given.

  A value 0 means that the type chooses.

  The options of `MATSOLVERSPTRSV` for all types apply, such as `-mat_sptrsv_backend`.

  Reference:
. * - B. Suchoski, Adapting Sparse Triangular Solution to GPU, MSc thesis, The Pennsylvania State University, 2012

.seealso: [](ch_matrices), [](sec_matfactor), `Mat`, `PCFactorSetMatSolverType()`, `MatSolverType`, `MatGetFactor()`,
          `MATSOLVERSPTRSV`, `MatSpTRSVGetInfo()`, `MATORDERINGCOLOR`
M*/

/*MC
  MATSOLVERBLOCKED = "blocked" - Triangular solves by the package sptrsv: a team per block of rows, in scratch memory

  Options Database Keys:
+ -pc_factor_mat_solver_type blocked - solves with this type
. -mat_sptrsv_blocked_shape (automatic|strips|boxes) - strips of levels, or boxes of a grid; default automatic
. -mat_sptrsv_blocked_levels n - levels of a strip; 0: chosen; from 0 on, default 0
. -mat_sptrsv_blocked_rows n - rows of a block at most; 0: chosen; from 0 on, default 0
. -mat_sptrsv_blocked_side0 n - rows of a box in the direction of the shortest distances; 0: chosen; from 0 on,
    default 0
. -mat_sptrsv_blocked_side1 n - rows of a box in the second direction; 0: chosen; from 0 on, default 0
. -mat_sptrsv_blocked_side2 n - rows of a box in the third direction; 0: chosen; from 0 on, default 0
. -mat_sptrsv_blocked_computing_warps n - GPU: warps of a team that solve rows; 0: chosen; 0 to 8, default 0
. -mat_sptrsv_blocked_fetching_warps n - GPU: warps that fetch what other blocks solve; 0: chosen; 0 to 8, default 0
. -mat_sptrsv_blocked_teams n - GPU: teams at once; 0: chosen; from 0 on, default 0
. -mat_sptrsv_blocked_late n - GPU: 1: longer rows add the entries that are solved latest after all others; 0 to 1,
    default 1
. -mat_sptrsv_blocked_scratch n - GPU: bytes of scratch memory of a block, at least 20480; 0: chosen; from 0 on,
    default 0
- -mat_sptrsv_storage (full|single) - precision of the off-diagonal values that levelset and blocked keep; other types
    refuse single; default full

  Level: intermediate

  Notes:
  Solves with L and U, plain and transposed, for one or several right-hand sides.

  A value 0 means that the type chooses.

  The options of `MATSOLVERSPTRSV` for all types apply, such as `-mat_sptrsv_backend`.

.seealso: [](ch_matrices), [](sec_matfactor), `Mat`, `PCFactorSetMatSolverType()`, `MatSolverType`, `MatGetFactor()`,
          `MATSOLVERSPTRSV`, `MatSpTRSVGetInfo()`
M*/

/*MC
  MATSOLVERCHAIN = "chain" - Triangular solves by the package sptrsv: chains of rows (each needs at most one, and at
  most one needs it) by scans

  Options Database Key:
. -pc_factor_mat_solver_type chain - solves with this type

  Level: intermediate

  Notes:
  Solves with L and U, plain and transposed, for one or several right-hand sides, if they have the structure named
  above; other triangles are refused with an error.

  The options of `MATSOLVERSPTRSV` for all types apply, such as `-mat_sptrsv_backend`.

.seealso: [](ch_matrices), [](sec_matfactor), `Mat`, `PCFactorSetMatSolverType()`, `MatSolverType`, `MatGetFactor()`,
          `MATSOLVERSPTRSV`, `MatSpTRSVGetInfo()`
M*/

/*MC
  MATSOLVERITERATED = "iterated" - Triangular solves by the package sptrsv: approximate: a fixed number of Jacobi
  sweeps with the triangle

  Options Database Keys:
+ -pc_factor_mat_solver_type iterated - solves with this type
- -mat_sptrsv_iterated_sweeps n - sweeps, each a product with the triangle; 0: the diagonal alone; from 0 on, default
    2

  Level: intermediate

  Notes:
  Solves with L and U, plain and transposed, for one or several right-hand sides. The answer is approximate, also as
  `PCLU` or `PCCHOLESKY`; `MatView()` of the factor shows how many sweeps would be exact.

  The options of `MATSOLVERSPTRSV` for all types apply, such as `-mat_sptrsv_backend`.

  Reference:
. * - H. Anzt, E. Chow, J. Dongarra, Iterative Sparse Triangular Solves for Preconditioning, Euro-Par 2015

.seealso: [](ch_matrices), [](sec_matfactor), `Mat`, `PCFactorSetMatSolverType()`, `MatSolverType`, `MatGetFactor()`,
          `MATSOLVERSPTRSV`, `MatSpTRSVGetInfo()`
M*/

/*MC
  MATORDERINGCOLOR = "color" - Orders the rows by color, so that a factor without fill has a set of independent rows
  per color

  Options Database Keys:
+ -pc_factor_mat_ordering_type color - orders by color; with k levels of fill add `-mat_ordering_color_distance` k+1
. -mat_ordering_color_distance n - rows of a color are further apart than that; 1 to 10, default 1
. -mat_ordering_color_balance (true|false) - moves rows from large to small colors; default false
- -mat_ordering_color_algorithm (serial|deterministic|speculative) - coloring of Kokkos Kernels; `speculative` is not
    reproducible; default serial

  Level: intermediate

  Notes:
  Solves have few steps, and a Krylov method may need more iterations.

  Inodes of `MATSEQAIJ` and blocks of `MATSEQBAIJ` stay together.

  PETSc knows the ordering once the package sptrsv is loaded, for each `MatSolverType` that takes PETSc's orderings.

.seealso: [](ch_matrices), [](sec_matfactor), `Mat`, `PCFactorSetMatOrderingType()`, `MatOrderingType`,
          `MatGetOrdering()`, `MATORDERINGBLOCKCOLOR`, `MATSOLVERSPTRSV`, `MATSOLVERCOLORSET`
M*/

/*MC
  MATORDERINGBLOCKCOLOR = "blockcolor" - Orders blocks of rows by color, with the rows of a block in their natural
  order

  Options Database Keys:
+ -pc_factor_mat_ordering_type blockcolor - orders by colors of blocks, for nearly the iterations of the natural order
. -mat_ordering_blockcolor_size n - rows of a block, or inodes, at most; 0: 256 where rows have more than 8 neighbors,
    else 64; from 0 on, default 0
. -mat_ordering_blockcolor_colors n - colors; 0: 4, or 8 where blocks have more than 8 neighbors; fewer wait less,
    more keep more of the natural order; 0 to 10000, default 0
- -mat_ordering_blockcolor_distance n - blocks of a color are further apart than that: k+1 with k levels of fill; 1 to
    10, default 1

  Level: intermediate

  Notes:
  Solves have more steps than with `MATORDERINGCOLOR`, and a Krylov method needs fewer iterations.

  PETSc knows the ordering once the package sptrsv is loaded, for each `MatSolverType` that takes PETSc's orderings.

.seealso: [](ch_matrices), [](sec_matfactor), `Mat`, `PCFactorSetMatOrderingType()`, `MatOrderingType`,
          `MatGetOrdering()`, `MATORDERINGCOLOR`, `MATSOLVERSPTRSV`
M*/
