# SPDX-License-Identifier: Apache-2.0
"""The PETSc that petsc4py has started, for calls that petsc4py does not have."""
from __future__ import annotations

import ctypes
import sys
from typing import Any, Optional

from ._errors import Error


def running() -> Optional[Any]:
    """Returns the module petsc4py.PETSc if it has been imported and PETSc runs, otherwise None. Starts nothing."""
    module: Any = sys.modules.get("petsc4py.PETSc")
    return module if module is not None and module.Sys.isInitialized() else None


class Petsc:
    """Functions and variables of the running PETSc. petsc4py loads PETSc with local symbols, so that the process itself
    has none of them; they are found through petsc4py's own library."""

    def __init__(self, module: Any) -> None:
        self.module = module
        self.symbols = ctypes.CDLL(module.__file__)
        self.integer: Any = ctypes.c_int64 if module.IntType().itemsize == 8 else ctypes.c_int32  # PetscInt
        self.real: Any = ctypes.c_double if module.RealType().itemsize == 8 else ctypes.c_float  # PetscReal

    def variable(self, name: str) -> ctypes.c_void_p:
        """Returns a variable of PETSc that is a pointer or a handle of MPI."""
        return ctypes.c_void_p.in_dll(self.symbols, name)

    def call(self, name: str, *arguments: Any) -> None:
        """Calls a function of PETSc; a nonzero error code becomes an Error."""
        self.check(getattr(self.symbols, name)(*arguments))

    def check(self, code: int) -> None:
        """Raises an Error with the message that came with PETSc's error code, unless the code is 0."""
        if code == 0:
            return
        error = self.module.Error(code)
        lines = getattr(error, "_traceback_", [])  # the calls, the meaning of the code, the message
        text = lines[-1] if lines else str(error)
        raise Error(f"{' '.join(text.split())} (PETSc error {code})") from error
