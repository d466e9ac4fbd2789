# SPDX-License-Identifier: Apache-2.0
# What PETSc's `make check` runs: a program that has the plugin's header alone, so that PETSc must have loaded the
# plugin. Variables: PETSC_DIR, PETSC_ARCH.
include ${PETSC_DIR}/lib/petsc/conf/variables

program = petsc-build/use_plugin
build = ${CLINKER} ${PETSC_CC_INCLUDES} -o ${program} tests/package/petsc/use_plugin.c ${PETSC_KSP_LIB}

check: ; @${build} && ${MPIEXEC} -n 1 ${program}
