# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Part of scripts/setup and scripts/check, stack hip: compiles the backend for AMD GPUs by Debian sid's hipcc, with the
# Kokkos of the other stacks. Programs cannot run without such a GPU: Kokkos does not start.

hip_archs=(gfx90a gfx942) # MI200, MI300; Kokkos gets the first

# choose_hip: selects hipcc for all C++ of this stack.
choose_hip() {
  cxx=(hipcc)
  export CXX=hipcc
}

# hip_flags: prints the flags for all architectures except the first, which Kokkos names itself.
hip_flags() { printf -- '--offload-arch=%s ' "${hip_archs[@]:1}"; }

common_hip_options() { printf '%s\n' -DCMAKE_CXX_COMPILER=hipcc "-DCMAKE_CXX_FLAGS=$(hip_flags)"; }

kokkos_hip_options() { printf '%s\n' -DKokkos_ENABLE_HIP=ON "-DKokkos_ARCH_AMD_${hip_archs[0]^^}=ON"; }

# kernels_hip_options: selects Kokkos Kernels' own kernels, without AMD's libraries.
kernels_hip_options() { printf -- '-DKokkosKernels_ENABLE_TPL_%s=OFF\n' ROCBLAS ROCSPARSE ROCSOLVER; }

# build_hip_options: prints the options for sptrsv itself.
build_hip_options() {
  printf '%s\n' -DCMAKE_CXX_COMPILER=hipcc "-DCMAKE_CXX_FLAGS=$(hip_flags)-Wno-deprecated-declarations" \
    -DSPTRSV_ENABLE_HIP=ON -DSPTRSV_ENABLE_PETSC=OFF
}

# has_code_for FILE ARCH: tells whether a program or library of hipcc has kernels for ARCH.
has_code_for() { grep -qa "amdgcn-amd-amdhsa--$2" "$1"; }
