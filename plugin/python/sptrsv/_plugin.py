# SPDX-License-Identifier: Apache-2.0
"""Finds the plugin, and loads it into PETSc."""
from __future__ import annotations

import ctypes
import os
import re
import sys
from typing import Any

from ._errors import Error
from ._petsc import Petsc, running

NAME = "libsptrsv_petsc.so"  # PETSc finds the plugin's entry point by this name
_LU = 1  # MAT_FACTOR_LU
_LISTS = re.compile(r'(?<!\S)-dll_(?:append|prepend)\s+("[^"]*"|[^-"\s]\S*)')

if os.environ.get("SPTRSV_PLUGIN"):  # a relative path stays valid after os.chdir()
    os.environ["SPTRSV_PLUGIN"] = os.path.abspath(os.environ["SPTRSV_PLUGIN"])


def plugin_path() -> str:
    """Returns the absolute path of the plugin that import loads, libsptrsv_petsc.so.

    It is the file that the environment variable SPTRSV_PLUGIN names, otherwise the one that was installed with this
    package. `import sptrsv` makes a relative path in SPTRSV_PLUGIN absolute. Raises Error if there is no such file.
    """
    asked = os.environ.get("SPTRSV_PLUGIN")
    folders = list(sys.modules[__package__ or ""].__path__)  # two after pip -e, which puts the plugin elsewhere
    installed = [file for file in (os.path.join(folder, NAME) for folder in folders) if os.path.isfile(file)]
    path = os.path.abspath(asked or (installed[0] if installed else os.path.join(folders[0], NAME)))
    if asked and os.path.isdir(path):
        raise Error(f"The sptrsv plugin {path}, which SPTRSV_PLUGIN names, is a folder; set SPTRSV_PLUGIN to the file "
                    f"{NAME}, or unset it")
    if not os.path.isfile(path):
        remedy = ("set SPTRSV_PLUGIN to the file, or unset it" if asked else
                  "install again, by `pip install ./plugin/python` or `cmake --install`, or set SPTRSV_PLUGIN to the "
                  f"file {NAME} of a build")
        raise Error(f"The sptrsv plugin {path} does not exist; {remedy}")
    if os.path.basename(path) != NAME:
        raise Error(f"The sptrsv plugin {path}, which SPTRSV_PLUGIN names, must be called {NAME}: PETSc finds its "
                    "entry point by that name")
    real = os.path.realpath(path)  # cmake --install makes a link
    return real if os.path.basename(real) == NAME else path


def load() -> None:
    """Loads the plugin into PETSc, unless it is there already.

    If petsc4py has started PETSc, the plugin is loaded at once. Otherwise this function appends the plugin to
    -dll_append in the environment variable PETSC_OPTIONS, which PETSc reads when it starts. `import sptrsv` calls this
    function. Call it again after PETSc has started if the program gives PETSc a -dll_append of its own as an argument,
    since arguments replace PETSC_OPTIONS.

    Raises Error if the plugin is missing, or was built for another PETSc.
    """
    module = running()
    if module is None:
        os.environ["PETSC_OPTIONS"] = with_plugin(os.environ.get("PETSC_OPTIONS", ""))
    else:
        _load_now(Petsc(module))


def with_plugin(options: str) -> str:
    """Returns PETSc options that load the plugin as well: `options`, if they load a file libsptrsv_petsc already.

    PETSc uses the last -dll_append and the last -dll_prepend only, each of which may be a list.
    """
    found = list(_LISTS.finditer(options))
    counts = {match[0].split(None, 1)[0]: match for match in found}  # the last of each
    files = [os.path.basename(name) for match in counts.values() for name in match[1].strip('"').split(",")]
    if NAME in files or NAME[:-len(".so")] in files:
        return options
    path = plugin_path()
    if re.search(r'[,"\n]', path):
        raise Error(f"PETSC_OPTIONS cannot contain the path {path}, because of its comma, quotation mark or line end; "
                    "import sptrsv after petsc4py.PETSc, or install it in another folder")
    last = counts.get("-dll_append")
    if last is None:
        return f"{options} -dll_append {_quoted(path)}".lstrip()
    return options[:last.start(1)] + _quoted(last[1].strip('"') + "," + path) + options[last.end(1):]


def _quoted(value: str) -> str:
    return f'"{value}"' if re.search(r"\s", value) else value


def _load_now(petsc: Petsc) -> None:
    if _is_registered(petsc):
        return
    path = plugin_path()
    libraries = petsc.variable("PetscDLLibrariesLoaded")
    try:
        petsc.call("PetscDLLibraryAppend", petsc.variable("PETSC_COMM_WORLD"), ctypes.byref(libraries),
                   os.fsencode(path))
    except Error as error:
        raise Error(_other_petsc(petsc, path) or _explained(str(error), path)) from error
    if not _is_registered(petsc):
        raise Error(f"PETSc has loaded {path}, which registered no solver types: it is no plugin of sptrsv")


def _is_registered(petsc: Petsc) -> bool:
    """Tells whether PETSc has the solver type sptrsv, from whatever file."""
    has_type, has_matrix = ctypes.c_int(0), ctypes.c_int(0)
    create = ctypes.c_void_p()
    petsc.call("MatSolverTypeGet", b"sptrsv", b"seqaij", ctypes.c_int(_LU), ctypes.byref(has_type),
               ctypes.byref(has_matrix), ctypes.byref(create))
    return bool(create.value)


def _explained(message: str, path: str) -> str:
    if "libsptrsv_petsc was built for" in message:  # the plugin's own words, with a remedy
        return message
    return (f"PETSc cannot load the sptrsv plugin {path}: {message}; build and install it with the PETSC_DIR and "
            "PETSC_ARCH of this program's PETSc")


class _Symbol(ctypes.Structure):
    """Dl_info of dladdr()."""
    _fields_ = [("file", ctypes.c_char_p), ("base", ctypes.c_void_p), ("name", ctypes.c_char_p),
                ("address", ctypes.c_void_p)]


def _file_of(function: Any) -> str:
    """Returns the file of a C function."""
    symbol = _Symbol()
    ctypes.CDLL(None).dladdr(ctypes.cast(function, ctypes.c_void_p), ctypes.byref(symbol))
    return os.path.realpath(os.fsdecode(symbol.file)) if symbol.file else "an unknown file"


def _other_petsc(petsc: Petsc, path: str) -> str:
    """Returns a message if the plugin belongs to another PETSc library than petsc4py, otherwise an empty text."""
    try:
        wanted, ours = (_file_of(library.PetscInitialize) for library in (ctypes.CDLL(path), petsc.symbols))
    except (OSError, AttributeError):  # the plugin cannot be opened: PETSc's message says why
        return ""
    if wanted == ours:
        return ""
    return (f"The sptrsv plugin {path} was built for the PETSc in {wanted}, and petsc4py has started the one in {ours};"
            " build and install the plugin with the PETSC_DIR and PETSC_ARCH of this program's PETSc")
