# SPDX-License-Identifier: Apache-2.0
"""Checks how the plugin's kernels are launched on a GPU; needs none. Kokkos passes the arguments of a large kernel
through
constant memory, and then the host waits until the kernel before has finished: a wait that no tool of Kokkos shows."""
import re
import subprocess
import unittest

from petsc_runs import plugin


class Launches(unittest.TestCase):
    def test_arguments_go_with_the_launch(self):
        names = subprocess.run(["nm", "-C", plugin()], stdout=subprocess.PIPE, text=True, check=True).stdout
        kernels = re.findall(r"cuda_parallel_launch_(\w+)_memory<[^\n]*?sptrsv::([\w:]+)", names)
        self.assertGreater(len(kernels), 10, "nm shows no kernels of ours; is this a stripped library?")
        through_memory = sorted({name for how, name in kernels if how != "local"})
        self.assertEqual(through_memory, [], "give their policies HintLightWeight")


if __name__ == "__main__":
    unittest.main()
