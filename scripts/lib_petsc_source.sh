# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Part of scripts/setup, stacks full and cuda: builds the current PETSc from PyPI's source package over the Kokkos built
# before, into the same prefix, without Fortran and X, which sptrsv does not need.

petsc_source_version=3.26.1
petsc_source_sha256=a4dc46c1b4403545ac2274741ce10801366c4a9a7b2683b678d18f6663b93496

needs_petsc_download() { builds_petsc && [[ ! -f $(sdist petsc "$petsc_source_version") ]]; }

petsc_options() {
  printf '%s\n' --with-debugging=0 COPTFLAGS=-O2 CXXOPTFLAGS=-O2 --with-fc=0 --with-fortran-bindings=0 --with-x=0 \
    --with-openmp=1 --with-cc=mpicc --with-cxx=mpicxx --with-blaslapack-lib=-lopenblas
  if [[ $stack == cuda ]]; then
    petsc_cuda_options
  else
    printf '%s\n' --with-cuda=0 --with-cudac=0
  fi
}

# build_petsc: builds PETSc, unless it has been built the same way over the same Kokkos.
build_petsc() {
  local stamp key petsc_minutes
  stamp=$kokkos_root/.sptrsv_petsc_stamp
  key=$(printf '%s\n' "$petsc_source_sha256" "$(petsc_options)" "$(cat "$kokkos_root/.sptrsv_stamp")")
  petsc_dir=''
  [[ $(cat "$stamp" 2>/dev/null) != "$key" ]] || return 0
  rm -f "$stamp"
  petsc_minutes="with Kokkos: 10 minutes on 2 cores"
  [[ $stack != cuda ]] || petsc_minutes="with Kokkos and CUDA: 20 minutes on 2 cores"
  fetch_sdist petsc "$petsc_source_version" "$petsc_source_sha256"
  step petsc "$petsc_source_version, $petsc_minutes" \
    "see the log; configure's own is in $(stack_dir)/src/petsc/configure.log" \
    make_and_install_petsc
  rm -rf "$(stack_dir)/src"
  printf '%s\n' "$key" >"$stamp"
}

# make_and_install_petsc: runs in a subshell, since it changes the folder. By default PETSc's make starts no job while
# the load is above the number of cores, which a test that has just ended keeps up for minutes.
make_and_install_petsc() (
  local options dir
  dir=$(stack_dir)/src/petsc
  mapfile -t options < <(petsc_options)
  rm -rf "$dir" && mkdir -p "$dir" &&
    tar -xzf "$(sdist petsc "$petsc_source_version")" -C "$dir" --strip-components=1 && cd "$dir" &&
    env -u PETSC_DIR -u PETSC_ARCH ./configure PETSC_ARCH=build --prefix="$kokkos_root" "${options[@]}" \
      --with-kokkos-dir="$kokkos_root" --with-kokkos-kernels-dir="$kokkos_root" --with-make-np="$jobs" &&
    make PETSC_DIR="$dir" PETSC_ARCH=build MAKE_LOAD=1000 all && make PETSC_DIR="$dir" PETSC_ARCH=build install
)
