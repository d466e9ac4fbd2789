# SPDX-License-Identifier: Apache-2.0
"""Sparse triangular solves for PETSc, from petsc4py, Firedrake, DOLFINx and other Python programs.

    import sptrsv                   # loads the plugin into PETSc, now or when PETSc starts
    ...
    pc.setFactorSolverType("sptrsv")                 # or the option -pc_factor_mat_solver_type sptrsv
    ...
    print(sptrsv.info(pc).algorithm_lower)           # what the solves with this PC's factor do
"""
from ._errors import Error
from ._info import FactorInfo, info
from ._plugin import load, plugin_path

__all__ = ["Error", "FactorInfo", "info", "load", "plugin_path"]

try:
    load()
except Error as error:
    raise ImportError(str(error)) from error
