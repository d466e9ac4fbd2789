# SPDX-License-Identifier: Apache-2.0
"""Checks the layers of the backend's folders: planner -> algorithm -> triangle -> device -> public headers, and never
back; an algorithm uses nothing of another's folder; and only device/ has code for one kind of processor. Checks the
order of the PETSc plugin's folders: each uses those before it.
Usage: layers.py KOKKOS_BACKEND PLUGIN"""
import os
import re
import sys

INCLUDE = re.compile(r'#include ["<](sptrsv/[^">]+)[">]')
# each layer uses those before it
LAYERS = ["public", "device", "triangle", "ordering", "factorization", "relaxation", "algorithm", "planner",
          "instance"]
APART = ["ordering", "factorization", "relaxation"]  # no layer above uses them, except "instance"

PLUGIN_LAYERS = ["base", "kokkos", "options", "solver", "access", "factor", "ordering", "relaxation",
                 "subdomains", "shell", "root"]
PLUGIN_APART = ["ordering", "relaxation", "subdomains", "shell"]  # only the registration uses them
PLUGIN_INCLUDE = re.compile(r'#include "((?!sptrsv/)[^"]+)"')

COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
DEVICE_WORDS = re.compile(
    r"KOKKOS_IF_ON_\w+|KOKKOS_ENABLE_\w+|__(?:CUDA|HIP|SYCL)\w*"
    r"|__(?:shfl|ballot|syncwarp|activemask|any_sync|all_sync)\w*"
    r"|__(?:device|host|global|shared)__|\bKokkos::(?:Cuda|HIP|SYCL)\b|\bcuda\w*::|\b(?:threadIdx|blockIdx|warpSize)\b"
    r"|\batomic(?:CAS|Exch|Add)\b|\basm\b|__builtin_(?:prefetch|assume)|\b32(?:\.0)?\b")
KNOWS_DEVICES = ["sptrsv/space.hpp"]  # in addition to device/: the device's name, for users
NUMBERS = re.compile(r"_(?:tuning|table)\.hpp$|sptrsv/options\.hpp$")  # may have a 32 that is no warp


def layer(path):
    """Returns the layer of a file. path: as it is included."""
    parts = path.split("/")[1:]
    if parts in (["solver_impl.hpp"], ["factor_impl.hpp"], ["sweeps_impl.hpp"]):
        return "instance"  # members of TriangularSolver, Factor and Sweeps, which join all other layers
    return "public" if len(parts) == 1 else parts[0]


def fault(path, used):
    """Returns what is wrong if `path` includes `used`, or None."""
    above, below = layer(path), layer(used)
    if above not in LAYERS or below not in LAYERS:
        return "is in a folder that has no layer"
    if LAYERS.index(below) > LAYERS.index(above):
        return f"points back, from {above} to {below}"
    if below in APART and above not in (below, "instance"):
        return f"{below} is not for {above}"
    folders = [os.path.dirname(name) for name in (path, used)]
    if above == below == "algorithm" and folders[0] != folders[1]:
        return "is of another algorithm"
    return None


def device_words(path, text):
    """Returns the faults of `path` that only device/ may have: words of compilers, processors and warps, and a warp's
    width in numbers. Comments and texts may have them."""
    if layer(path) == "device" or path in KNOWS_DEVICES:
        return []
    code = COMMENT_OR_TEXT.sub(lambda found: "\n" * found.group().count("\n"), text)
    words = [(code.count("\n", 0, found.start()) + 1, found.group()) for found in DEVICE_WORDS.finditer(code)]
    return [(line, word) for line, word in words if not (word[0].isdigit() and NUMBERS.search(path))]


def plugin_fault(path, used):
    """Returns what is wrong if file `path` of the plugin includes its file `used`, or None."""
    if used == "sptrsv_petsc.h":  # for programs, and for all folders
        return None
    above, below = [os.path.dirname(name) or "root" for name in (path, used)]
    if above not in PLUGIN_LAYERS or below not in PLUGIN_LAYERS:
        return "is in a folder that has no layer"
    if PLUGIN_LAYERS.index(below) > PLUGIN_LAYERS.index(above):
        return f"points back, from {above} to {below}"
    if below in PLUGIN_APART and above not in (below, "root"):
        return f"{below} is not for {above}"
    return None


def check_plugin(folder):
    """Returns the faults of the plugin's includes, and the number of includes."""
    faults, checked = [], 0
    for at, _, names in os.walk(folder):
        for name in names:
            if not name.endswith((".hpp", ".cxx", ".h")):
                continue
            path = os.path.relpath(os.path.join(at, name), folder)
            with open(os.path.join(at, name)) as file:
                text = file.read()
            for used in PLUGIN_INCLUDE.findall(text):
                checked += 1
                wrong = "does not exist" if not os.path.exists(os.path.join(folder, used)) else plugin_fault(path, used)
                if wrong:
                    faults.append(f"{path}: {used} {wrong}")
    assert checked > 50, "no plugin here"
    return faults, checked


def main(folder, plugin):
    include = os.path.join(folder, "include")
    faults, checked = [], 0
    for at, _, names in os.walk(include):
        for name in names:
            path = os.path.relpath(os.path.join(at, name), include)
            with open(os.path.join(at, name)) as file:
                text = file.read()
            for used in INCLUDE.findall(text):
                checked += 1
                if not os.path.exists(os.path.join(include, used)):
                    faults.append(f"{path}: {used} does not exist")
                elif fault(path, used):
                    faults.append(f"{path}: {used} {fault(path, used)}")
            for line, word in device_words(path, text):
                faults.append(f"{path}:{line}: {word} belongs in device/")
    plugin_faults, checked_there = check_plugin(plugin)
    faults += plugin_faults
    checked += checked_there
    print("\n".join(sorted(faults)) or f"{checked} includes, none points back; no device outside of device/")
    assert checked > 100, "no backend here"
    return 1 if faults else 0


def test_rules():
    solver, planner, tiled = "sptrsv/solver.hpp", "sptrsv/planner/planner.hpp", "sptrsv/algorithm/tiled/tiled.hpp"
    fused, rows, lanes = "sptrsv/algorithm/sync_free/fused.hpp", "sptrsv/triangle/rows.hpp", "sptrsv/device/lanes.hpp"
    for path, used in [(planner, tiled), (tiled, rows), (rows, lanes), (lanes, solver),
                       ("sptrsv/solver_impl.hpp", planner)]:
        assert not fault(path, used) and fault(used, path), (path, used)
    assert fault(tiled, fused) and fault(planner, "sptrsv/ordering/coloring.hpp") and fault(rows, "sptrsv/new/x.hpp")


def test_plugin_rules():
    for path, used in [("solver/any_solver.hpp", "base/events.hpp"), ("factor/matfactor.hpp", "access/vec_access.hpp"),
                       ("register.cxx", "factor/matfactor.hpp"), ("shell/triangles.hpp", "solver/any_solver.hpp")]:
        assert not plugin_fault(path, used) and plugin_fault(used, path), (path, used)
    assert plugin_fault("shell/triangles.hpp", "ordering/color_ordering.hpp")
    assert plugin_fault("new/x.hpp", "base/y.hpp")
    assert not plugin_fault("factor/factor_views.cxx", "sptrsv_petsc.h")


def test_device_words():
    for text in ["#if defined(__CUDA_ARCH__)", "KOKKOS_IF_ON_DEVICE((return x;))", "#if defined(KOKKOS_ENABLE_HIP)",
                 "x = __shfl_sync(mask, x, 0);", "int lanes = 32;", "resident / 32.0",
                 "std::is_same_v<E, Kokkos::Cuda>",
                 "#if !defined(__CUDACC__)", "threadIdx.x"]:
        for path in ["sptrsv/triangle/rows.hpp", "sptrsv/algorithm/tiled/tiled.hpp", "sptrsv/planner/planner.hpp"]:
            found = device_words(path, "int a;\n" + text)
            assert found and found[0][0] == 2, (path, text)
        assert not device_words("sptrsv/device/lanes.hpp", text)
        assert not device_words("sptrsv/triangle/rows.hpp", "// " + text)
    assert not device_words("sptrsv/triangle/rows.hpp", "std::uint32_t a = 132; KOKKOS_INLINE_FUNCTION void f();")
    assert not device_words("sptrsv/algorithm/tiled/tiled_tuning.hpp", "int least_teams = 32;")
    assert device_words("sptrsv/algorithm/tiled/tiled_tuning.hpp", "#if defined(__CUDA_ARCH__)")


if __name__ == "__main__":
    test_rules()
    test_plugin_rules()
    test_device_words()
    sys.exit(main(*sys.argv[1:]))
