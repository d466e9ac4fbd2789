# SPDX-License-Identifier: Apache-2.0
"""Spack package: spack repo add examples/cluster/spack; spack install sptrsv ^petsc

For Spack 0.23 and later (Package API 1.0). This project's checks have no Spack and do not test this file.
"""
from spack.package import *


class Sptrsv(CMakePackage):
    """Sparse triangular solves for PETSc and Trilinos on CPUs and GPUs, loaded into any PETSc program."""

    # to be changed: the addresses; scripts/release writes the checksum
    homepage = "https://example.org/sptrsv"
    url = "https://example.org/sptrsv/releases/sptrsv-0.2.0.tar.gz"
    git = "https://example.org/sptrsv.git"

    license("Apache-2.0")

    version("develop", branch="main")
    version("0.2.0", sha256="0000000000000000000000000000000000000000000000000000000000000000")

    variant("petsc", default=True, description="The plugin for PETSc")
    variant("ifpack2", default=False, description="The preconditioners for Trilinos' Ifpack2")
    variant("cuda", default=False, description="Solves on NVIDIA GPUs")

    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("pkgconfig", type="build", when="+petsc")
    depends_on("petsc@3.18:", when="+petsc")
    depends_on("petsc+kokkos+cuda", when="+petsc+cuda")
    depends_on("trilinos@16.1:+ifpack2+belos", when="+ifpack2")
    depends_on("kokkos@4.7:")
    depends_on("kokkos-kernels@4.4:")
    depends_on("kokkos+cuda", when="+cuda")
    depends_on("kokkos+cuda_lambda", when="+cuda ^kokkos@:4")  # always on since Kokkos 5
    # PETSc without Kokkos: the plugin hides its own Kokkos, which must be static
    depends_on("kokkos~shared+pic", when="+petsc~cuda")
    depends_on("kokkos-kernels~shared", when="+petsc~cuda")

    def cmake_args(self):
        return [
            self.define_from_variant("SPTRSV_ENABLE_PETSC", "petsc"),
            self.define_from_variant("SPTRSV_ENABLE_IFPACK2", "ifpack2"),
            self.define("SPTRSV_ENABLE_TESTS", False),
            self.define("SPTRSV_ENABLE_EXAMPLES", False),
            self.define("SPTRSV_ENABLE_BENCH", False),
            self.define("SPTRSV_ENABLE_TOOLS", False),
        ]

    def test_solve(self):
        """compile a program with the installed package, and solve"""
        if not self.spec.satisfies("+petsc"):
            raise SkipTest("the package was installed without the plugin for PETSc")
        source = join_path(self.prefix.share.sptrsv.check, "use_plugin.c")
        flags = which("pkg-config", required=True)("--cflags", "--libs", "sptrsv_petsc", output=str).split()
        with working_dir(self.test_suite.current_test_cache_dir, create=True):
            which(self.spec["mpi"].prefix.bin.mpicc, required=True)(
                source, "-DUSE_PLUGIN_LINKED", "-o", "use_plugin", *flags, f"-Wl,-rpath,{self.prefix.lib}")
            out = Executable("./use_plugin")(output=str.split, error=str.split)
            check_outputs(["50 rows solved by"], out)

    def setup_run_environment(self, env):
        if self.spec.satisfies("+petsc"):
            env.set("SPTRSV_PLUGIN", join_path(self.prefix.lib, "libsptrsv_petsc.so"))
