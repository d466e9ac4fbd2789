# SPDX-License-Identifier: Apache-2.0
"""Properties and counts of a factor: MatSpTRSVGetInfo() of plugin/petsc/sptrsv_petsc.h."""
from __future__ import annotations

import ctypes
import dataclasses
from typing import TYPE_CHECKING, Any, Union

from ._errors import Error
from ._petsc import Petsc, running

if TYPE_CHECKING:
    from petsc4py.PETSc import PC, Mat

_FACTOR_TYPES = ("lu", "ilu", "cholesky", "icc")
_REMEDIES = {
    "mg": "pass the PC of a smoother: pc.getMGSmoother(level).getPC()",
    "gamg": "pass the PC of a smoother: pc.getMGSmoother(level).getPC()",
    "fieldsplit": "pass the PC of a split: pc.getFieldSplitSubKSP()[i].getPC()",
}
_UNSET = 0xA5


@dataclasses.dataclass(frozen=True)
class FactorInfo:
    """Properties and counts of a factor of sptrsv, as -ksp_view shows them: the members of MatSpTRSVInfo."""
    requested: str
    """solver type that the program asked for"""
    algorithm_lower: str
    """type in use for L; differs from `requested` for the type sptrsv"""
    algorithm_upper: str
    """type in use for U"""
    reason: str
    """reason of the choice, for the type sptrsv"""
    n: int
    """rows"""
    nnz_lower: int
    """entries of L, with the diagonal"""
    nnz_upper: int
    """entries of U, with the diagonal"""
    levels_lower: int
    """level sets of L"""
    levels_upper: int
    """level sets of U"""
    mean_rows_per_level_lower: float
    mean_rows_per_level_upper: float
    max_rows_per_level_lower: int
    max_rows_per_level_upper: int
    memory_bytes: float
    """bytes besides PETSc's own factor"""
    seconds_analysis: float
    """seconds of the last analysis, without PETSc's own phase"""
    seconds_numeric: float
    """seconds of the last numeric phase, without PETSc's own phase"""
    num_analysis: int
    num_numeric: int
    num_solves: int
    backend: str
    """where the solves run: "host" or "device\""""


def info(pc_or_factor: Union[PC, Mat]) -> FactorInfo:
    """Returns properties and counts of a factor of sptrsv. Computes the level sets if the algorithm has not done so.

    pc_or_factor: after its set-up, a PC of type lu, ilu, cholesky or icc, or one of type bjacobi or asm with one block
        on this rank, of which one of those types solves; or a factor, `pc.getFactorMatrix()`

    Raises Error if there is no such factor, and TypeError for other objects.
    """
    module = running()
    if module is None:
        raise Error("PETSc does not run; sptrsv.info() needs a PC or a factor of petsc4py")
    if not isinstance(pc_or_factor, (module.PC, module.Mat)):
        hint = "; pass ksp.getPC()" if isinstance(pc_or_factor, module.KSP) else ""
        raise TypeError(f"sptrsv.info() takes a PC or a factor of petsc4py, not a {type(pc_or_factor).__name__}{hint}")
    if not pc_or_factor.handle:
        raise Error(f"The {type(pc_or_factor).__name__} has not been created, or has been destroyed")
    petsc, handle = Petsc(module), ctypes.c_void_p(pc_or_factor.handle)
    return _info_of(petsc, _factor_of(petsc, handle) if isinstance(pc_or_factor, module.PC) else handle)


def _factor_of(petsc: Petsc, pc: ctypes.c_void_p) -> ctypes.c_void_p:
    """Returns the factor of a PC, or of its only block."""
    kind = ctypes.c_char_p()
    petsc.call("PCGetType", pc, ctypes.byref(kind))
    name = (kind.value or b"").decode()
    if name in ("bjacobi", "asm"):
        return _factor_of(petsc, _only_block(petsc, pc, name))
    if name not in _FACTOR_TYPES:
        remedy = _REMEDIES.get(name, f"choose one of {', '.join(_FACTOR_TYPES)}, or pass the inner PC that has one")
        raise Error(f"A PC {f'of type {name}' if name else 'without a type'} has no factor of its own; {remedy}")
    factor = ctypes.c_void_p()
    petsc.call("PCFactorGetMatrix", pc, ctypes.byref(factor))
    return factor


def _only_block(petsc: Petsc, pc: ctypes.c_void_p, kind: str) -> ctypes.c_void_p:
    """Returns the PC of the only block on this rank."""
    count, first = petsc.integer(0), petsc.integer(0)
    solvers = ctypes.POINTER(ctypes.c_void_p)()
    petsc.call({"bjacobi": "PCBJacobiGetSubKSP", "asm": "PCASMGetSubKSP"}[kind], pc, ctypes.byref(count),
               ctypes.byref(first), ctypes.byref(solvers))
    if count.value != 1:
        raise Error(f"The PC of type {kind} has {count.value} blocks on this rank; with asm, pass the PC of one: "
                    "pc.getASMSubKSP()[i].getPC()")
    petsc.call("PCSetUpOnBlocks", pc)  # PCSetUp() alone does not factor the blocks
    inner = ctypes.c_void_p()
    petsc.call("KSPGetPC", ctypes.c_void_p(solvers[0]), ctypes.byref(inner))
    return inner


def _info_of(petsc: Petsc, factor: ctypes.c_void_p) -> FactorInfo:
    get = ctypes.c_void_p()
    petsc.call("PetscObjectQueryFunction_Private", factor, b"MatSpTRSVGetInfo_C", ctypes.byref(get))
    if not get.value:
        raise Error("The Mat is not a factor of the sptrsv plugin; choose one of its types before the set-up, with "
                    "pc.setFactorSolverType(\"sptrsv\") or -pc_factor_mat_solver_type")
    record = _record_type(petsc)
    size = ctypes.sizeof(record)
    memory = (ctypes.c_ubyte * (2 * size))(*([_UNSET] * (2 * size)))
    petsc.check(ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(get.value)(
        factor, ctypes.addressof(memory)))
    if memory[size - 1] == _UNSET or any(byte != _UNSET for byte in memory[size:]):
        raise Error("The plugin that PETSc has loaded is of another version than this Python package; load the file "
                    "that sptrsv.plugin_path() names")
    values = record.from_buffer(memory)
    return FactorInfo(**{field.name: _decoded(getattr(values, field.name))
                         for field in dataclasses.fields(FactorInfo)})


def _decoded(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else "" if value is None else value


def _record_type(petsc: Petsc) -> Any:
    """Returns the C structure MatSpTRSVInfo with the integers and reals of the running PETSc."""
    layout: list[tuple[Any, str]] = [
        (ctypes.c_char_p, "requested algorithm_lower algorithm_upper reason"),
        (petsc.integer, "n"),
        (ctypes.c_int64, "nnz_lower nnz_upper"),
        (petsc.integer, "levels_lower levels_upper"),
        (petsc.real, "mean_rows_per_level_lower mean_rows_per_level_upper"),
        (petsc.integer, "max_rows_per_level_lower max_rows_per_level_upper"),
        (ctypes.c_double, "memory_bytes seconds_analysis seconds_numeric"),
        (petsc.integer, "num_analysis num_numeric num_solves"),
        (ctypes.c_char_p, "backend")]
    members = [(name, kind) for kind, names in layout for name in names.split()]
    return type("MatSpTRSVInfo", (ctypes.Structure,), {"_fields_": members})
