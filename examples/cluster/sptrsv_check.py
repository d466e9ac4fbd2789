# SPDX-License-Identifier: Apache-2.0
"""ReFrame test: on two ranks a PETSc program takes equally many iterations with the plugin and with PETSc's own type.

    reframe -C SITE.py -c examples/cluster/sptrsv_check.py -S SptrsvCheck.program=/path/to/ex45 -r

SITE.py is the site's configuration. It must find the module sptrsv: `module use PREFIX/share/sptrsv/modulefiles/lmod`.
"""
import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import parameter, performance_function, sanity_function, variable


@rfm.simple_test
class SptrsvCheck(rfm.RunOnlyRegressionTest):
    descr = "BiCGStab with ILU(0) by blocks"
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    program = variable(str, value="ex45")
    solver_type = parameter(["petsc", "sptrsv"])
    iterations = variable(int, value=22)  # iterations of ex45 -da_refine 3 on two ranks
    num_tasks = 2
    modules = ["sptrsv"]
    env_vars = {"OMP_NUM_THREADS": 1, "OMP_PROC_BIND": "false"}

    def __init__(self):
        self.executable = self.program
        self.executable_opts = [
            "-da_refine", "3", "-ksp_type", "bcgs", "-pc_type", "bjacobi", "-sub_pc_type", "ilu",
            "-sub_pc_factor_mat_solver_type", self.solver_type, "-ksp_converged_reason", "-ksp_view",
        ]

    @sanity_function
    def converged_as_petsc(self):
        wanted = [rf"CONVERGED_RTOL iterations {self.iterations}\b"]
        if self.solver_type != "petsc":
            wanted.append(r"sptrsv \d+\.\d+\.\d+: type sptrsv")
        return sn.all([sn.assert_found(pattern, self.stdout) for pattern in wanted])

    @performance_function("iterations")
    def iteration_count(self):
        return sn.extractsingle(r"iterations (\d+)", self.stdout, 1, float)
