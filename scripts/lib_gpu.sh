# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Part of scripts/setup and scripts/check: stacks cuda and hip, the compilers for GPUs and their options for Kokkos,
# Kokkos Kernels and PETSc. No GPU is needed to build.

cuda_arch='' nvcc=''

# choose_cuda: finds nvcc on PATH or in its usual folder; takes the architecture of --arch, or of the last time, or 90.
choose_cuda() {
  local file
  file=$(stack_dir)/arch
  [[ -n $cuda_arch || ! -f $file ]] || cuda_arch=$(<"$file")
  cuda_arch=${cuda_arch:-90}
  kokkos_arch >/dev/null || die "no Kokkos architecture is known for --arch $cuda_arch" \
    "give the GPU's compute capability without the point, as 80 or 90: nvidia-smi --query-gpu=compute_cap --format=csv"
  nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
  [[ -x $nvcc ]] ||
    die "no nvcc on PATH or in /usr/local/cuda/bin" "install NVIDIA's CUDA toolkit, 12 or 13, or load its module"
  nvcc=$(realpath "$nvcc")
  PATH=$(dirname "$nvcc"):$PATH
  export CUDACXX=$nvcc
  echo "$cuda_arch" >"$file"
  line cuda "$(nvcc_version), $nvcc, compute capability $cuda_arch"
}

nvcc_version() { "$nvcc" --version | sed -n 's/.*release \([0-9.]*\),.*/\1/p'; }

# kokkos_arch: prints Kokkos' name of this compute capability.
kokkos_arch() {
  local known=(VOLTA70 TURING75 AMPERE80 AMPERE86 ADA89 HOPPER90 BLACKWELL100 BLACKWELL120)
  printf '%s\n' "${known[@]}" | grep -E "^[A-Z]+$cuda_arch\$"
}

# compat_header: prints the header for CUDA 13 and Kokkos 4.7.00, which stays with the installation, since PETSc
# remembers the flag.
compat_header() { printf '%s' "$(stack_dir)/prefix/include/sptrsv_cuda13_compat.h"; }

install_compat_header() {
  mkdir -p "$(dirname "$(compat_header)")"
  cp "$root/cmake/cuda13_compat.h" "$(compat_header)"
}

# cuda_flags: prints the flags for every file that nvcc compiles. CMake 3.25 does not pass C++20 on to CUDA by itself.
cuda_flags() { printf '%s' "-std=c++20 -include $(compat_header)"; }

common_cuda_options() {
  printf '%s\n' "-DCMAKE_CUDA_COMPILER=$nvcc" "-DCMAKE_CUDA_ARCHITECTURES=$cuda_arch" \
    "-DCMAKE_CUDA_FLAGS=$(cuda_flags) --extended-lambda"
}

# kokkos_cuda_options: selects Views in their older layout, since the newer one differs between host and device code as
# C++20.
kokkos_cuda_options() {
  printf '%s\n' -DKokkos_ENABLE_CUDA=ON -DKokkos_ENABLE_COMPILE_AS_CMAKE_LANGUAGE=ON "-DKokkos_ARCH_$(kokkos_arch)=ON" \
    -DKokkos_ENABLE_IMPL_VIEW_LEGACY=ON
}

# kernels_cuda_options: selects Kokkos Kernels' own kernels, without NVIDIA's libraries.
kernels_cuda_options() {
  printf -- '-DKokkosKernels_ENABLE_TPL_%s=OFF\n' CUSPARSE CUBLAS CUSOLVER
}

petsc_cuda_options() {
  printf '%s\n' --with-cuda=1 "--with-cudac=$nvcc" "--with-cuda-arch=$cuda_arch" \
    "CUDAFLAGS=-include $(compat_header)" --with-shared-libraries=1
}

# has_gpu: tells whether there is a GPU that programs can use now.
has_gpu() { nvidia-smi -L 2>/dev/null | grep -q '^GPU '; }

kokkos_spaces() {
  case $stack in
    cuda) echo "CUDA $cuda_arch, OpenMP and Serial" ;;
    hip) echo "HIP ${hip_archs[*]}, and Serial" ;;
    *) echo "OpenMP and Serial" ;;
  esac
}

# --- stack hip: compiles the backend by Debian sid's hipcc. Without an AMD GPU Kokkos does not start.

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
