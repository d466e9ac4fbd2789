# SPDX-License-Identifier: Apache-2.0
"""Checks the layers of the backend's folders: planner -> algorithm -> triangle -> device -> public headers, and never
back; an algorithm uses nothing of another's folder; and only device/ has code for one kind of processor. Checks the
order of the PETSc plugin's folders: each uses those before it.
Usage: layers.py KOKKOS_BACKEND PLUGIN"""
import os
import re
import sys

# each layer uses those before it; those APART are used by themselves and by the last layer alone
LAYERS = ["public", "device", "triangle", "ordering", "factorization", "relaxation", "algorithm", "planner",
          "instance"]
APART = ["ordering", "factorization", "relaxation"]
PLUGIN_LAYERS = ["base", "kokkos", "options", "solver", "access", "direct", "factor", "replace", "ordering",
                 "relaxation", "subdomains", "shell", "root"]
PLUGIN_APART = ["replace", "ordering", "relaxation", "subdomains", "shell"]

COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
DEVICE_WORDS = re.compile(
    r"KOKKOS_IF_ON_\w+|KOKKOS_ENABLE_\w+|__(?:CUDA|HIP|SYCL)\w*"
    r"|__(?:shfl|ballot|syncwarp|activemask|any_sync|all_sync)\w*"
    r"|__(?:device|host|global|shared)__|\bKokkos::(?:Cuda|HIP|SYCL)\b|\bcuda\w*::|\b(?:threadIdx|blockIdx|warpSize)\b"
    r"|\batomic(?:CAS|Exch|Add)\b|\basm\b|__builtin_(?:prefetch|assume)|\b32(?:\.0)?\b")
KNOWS_DEVICES = ["sptrsv/space.hpp"]  # in addition to device/: the device's name, for users
NUMBERS = re.compile(r"_(?:tuning|table)\.hpp$|sptrsv/options\.hpp$")  # may have a 32 that is no warp


def layer(path):
    """Returns the layer of one of the backend's headers. path: as it is included."""
    parts = path.split("/")[1:]
    if parts in (["solver_impl.hpp"], ["factor_impl.hpp"], ["sweeps_impl.hpp"]):
        return "instance"  # members of TriangularSolver, Factor and Sweeps, which join all other layers
    return "public" if len(parts) == 1 else parts[0]


def fault(above, below, layers, apart):
    """Returns what is wrong if a file of layer `above` includes one of layer `below`, or None."""
    if above not in layers or below not in layers:
        return "is in a folder that has no layer"
    if layers.index(below) > layers.index(above):
        return f"points back, from {above} to {below}"
    if below in apart and above not in (below, layers[-1]):
        return f"{below} is not for {above}"
    return None


def backend_fault(path, used):
    """Returns what is wrong if header `path` of the backend includes `used`, or None."""
    if layer(path) == layer(used) == "algorithm" and os.path.dirname(path) != os.path.dirname(used):
        return "is of another algorithm"
    return fault(layer(path), layer(used), LAYERS, APART)


def plugin_fault(path, used):
    """Returns what is wrong if file `path` of the plugin includes its file `used`, or None."""
    if used == "sptrsv_petsc.h":  # for programs, and for all folders
        return None
    return fault(*(os.path.dirname(name) or "root" for name in (path, used)), PLUGIN_LAYERS, PLUGIN_APART)


def device_words(path, text):
    """Returns (line, word) for what only device/ may have: words of compilers, processors and warps, and a warp's width
    in numbers. Comments and texts may have them."""
    if layer(path) == "device" or path in KNOWS_DEVICES:
        return []
    code = COMMENT_OR_TEXT.sub(lambda found: "\n" * found.group().count("\n"), text)
    words = [(code.count("\n", 0, found.start()) + 1, found.group()) for found in DEVICE_WORDS.finditer(code)]
    return [(line, word) for line, word in words if not (word[0].isdigit() and NUMBERS.search(path))]


def check(folder, include, rule, least):
    """Returns the text of each file below a folder, and the faults of the includes that the expression finds."""
    texts, faults, checked = {}, [], 0
    for at, _, names in os.walk(folder):
        for name in names:
            if name.endswith((".hpp", ".cxx", ".h")):
                with open(os.path.join(at, name), encoding="utf-8") as file:
                    texts[os.path.relpath(os.path.join(at, name), folder)] = file.read()
    for path, text in texts.items():
        for used in re.findall(include, text):
            checked += 1
            wrong = rule(path, used) if os.path.exists(os.path.join(folder, used)) else "does not exist"
            if wrong:
                faults.append(f"{path}: {used} {wrong}")
    assert checked > least, f"no sources in {folder}"
    return texts, faults


def main(backend, plugin):
    texts, faults = check(os.path.join(backend, "include"), r'#include ["<](sptrsv/[^">]+)[">]', backend_fault, 100)
    faults += [f"{path}:{line}: {word} belongs in device/" for path, text in texts.items()
               for line, word in device_words(path, text)]
    faults += check(plugin, r'#include "((?!sptrsv/)[^"]+)"', plugin_fault, 50)[1]
    print("\n".join(sorted(faults)) or "no include points back; no device outside of device/")
    return bool(faults)


def test_rules():
    solver, planner, tiled = "sptrsv/solver.hpp", "sptrsv/planner/planner.hpp", "sptrsv/algorithm/tiled/tiled.hpp"
    fused, rows, lanes = "sptrsv/algorithm/sync_free/fused.hpp", "sptrsv/triangle/rows.hpp", "sptrsv/device/lanes.hpp"
    for path, used in [(planner, tiled), (tiled, rows), (rows, lanes), (lanes, solver),
                       ("sptrsv/solver_impl.hpp", planner)]:
        assert not backend_fault(path, used) and backend_fault(used, path), (path, used)
    assert backend_fault(tiled, fused) and backend_fault(planner, "sptrsv/ordering/coloring.hpp")
    assert backend_fault(rows, "sptrsv/new/x.hpp") and plugin_fault("shell/triangles.hpp", "ordering/color.hpp")
    for path, used in [("solver/any_solver.hpp", "base/events.hpp"), ("register.cxx", "factor/matfactor.hpp")]:
        assert not plugin_fault(path, used) and plugin_fault(used, path), (path, used)
    for text in ["#if defined(__CUDA_ARCH__)", "KOKKOS_IF_ON_DEVICE((return x;))", "x = __shfl_sync(mask, x, 0);",
                 "int lanes = 32;", "std::is_same_v<E, Kokkos::Cuda>", "threadIdx.x"]:
        assert [line for line, _ in device_words(rows, "int a;\n" + text)] == [2], text
        assert not device_words(lanes, text) and not device_words(rows, "// " + text), text
    assert not device_words(rows, "std::uint32_t a = 132; KOKKOS_INLINE_FUNCTION void f();")
    assert not device_words("sptrsv/algorithm/tiled/tiled_tuning.hpp", "int least_teams = 32;")


if __name__ == "__main__":
    test_rules()
    sys.exit(main(*sys.argv[1:]))
