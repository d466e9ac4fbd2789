# SPDX-License-Identifier: Apache-2.0
# Run by PETSc's `make check`. The program includes the plugin's header, but does not link the plugin: it succeeds only
# if PETSc has loaded the plugin. Variables: PETSC_DIR, PETSC_ARCH.
include ${PETSC_DIR}/lib/petsc/conf/variables

program = petsc-build/use_plugin
build = ${CLINKER} ${PETSC_CC_INCLUDES} -o ${program} tests/package/petsc/use_plugin.c ${PETSC_KSP_LIB}

check: ; @${build} && ${MPIEXEC} -n 1 ${program}
