# SPDX-License-Identifier: Apache-2.0
"""Holds the arrows between the folders of the backend: planner -> algorithm -> triangle -> device -> public headers, and
never back; an algorithm uses nothing of another's folder. Usage: layers.py KOKKOS_BACKEND"""
import os
import re
import sys

INCLUDE = re.compile(r'#include ["<](sptrsv/[^">]+)[">]')
LAYERS = ["public", "device", "triangle", "ordering", "algorithm", "planner", "instance"]  # each uses those before it
APART = ["ordering"]  # used by none of the layers above it


def layer(path):
    """path: as it is included."""
    parts = path.split("/")[1:]
    if parts in (["solver_impl.hpp"], ["factor_impl.hpp"]):
        return "instance"  # members of TriangularSolver and Factor: what joins all others
    return "public" if len(parts) == 1 else parts[0]


def fault(path, used):
    """What is wrong if `path` includes `used`, or None."""
    above, below = layer(path), layer(used)
    if above not in LAYERS or below not in LAYERS:
        return "is in a folder that has no layer"
    if LAYERS.index(below) > LAYERS.index(above):
        return f"points back, from {above} to {below}"
    if below in APART and above != below:
        return f"{below} is not for {above}"
    folders = [os.path.dirname(name) for name in (path, used)]
    if above == below == "algorithm" and folders[0] != folders[1]:
        return "is of another algorithm"
    return None


def main(folder):
    include = os.path.join(folder, "include")
    faults, checked = [], 0
    for at, _, names in os.walk(include):
        for name in names:
            path = os.path.relpath(os.path.join(at, name), include)
            with open(os.path.join(at, name)) as file:
                for used in INCLUDE.findall(file.read()):
                    checked += 1
                    if not os.path.exists(os.path.join(include, used)):
                        faults.append(f"{path}: {used} does not exist")
                    elif fault(path, used):
                        faults.append(f"{path}: {used} {fault(path, used)}")
    print("\n".join(sorted(faults)) or f"{checked} arrows, none points back")
    assert checked > 100, "no backend here"
    return 1 if faults else 0


def test_rules():
    solver, planner, tiled = "sptrsv/solver.hpp", "sptrsv/planner/planner.hpp", "sptrsv/algorithm/tiled/tiled.hpp"
    fused, rows, lanes = "sptrsv/algorithm/row_order/fused.hpp", "sptrsv/triangle/rows.hpp", "sptrsv/device/lanes.hpp"
    for path, used in [(planner, tiled), (tiled, rows), (rows, lanes), (lanes, solver), ("sptrsv/solver_impl.hpp", planner)]:
        assert not fault(path, used) and fault(used, path), (path, used)
    assert fault(tiled, fused) and fault(planner, "sptrsv/ordering/coloring.hpp") and fault(rows, "sptrsv/new/x.hpp")


if __name__ == "__main__":
    test_rules()
    sys.exit(main(sys.argv[1]))
