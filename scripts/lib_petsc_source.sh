# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Part of scripts/setup, stacks full and cuda: builds the current PETSc from PyPI's source package over the Kokkos built
# before, into the same prefix, without Fortran and X, which sptrsv does not need.

petsc_source_version=3.26.1
petsc_source_sha256=a4dc46c1b4403545ac2274741ce10801366c4a9a7b2683b678d18f6663b93496

needs_petsc_download() { builds_petsc && [[ ! -f $(sdist petsc "$petsc_source_version") ]]; }

petsc_options() {
  local level=-O2
  [[ $petsc_package == no ]] || level=-O0 # a check, whose time is PETSc's build
  printf '%s\n' --with-debugging=0 "COPTFLAGS=$level" "CXXOPTFLAGS=$level" --with-fc=0 --with-fortran-bindings=0 \
    --with-x=0 --with-openmp=1 --with-cc=mpicc --with-cxx=mpicxx --with-blaslapack-lib=-lopenblas
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
  [[ $petsc_package == yes || $(cat "$stamp" 2>/dev/null) != "$key" ]] || return 0
  rm -f "$stamp"
  petsc_minutes="with Kokkos: 10 minutes on 2 cores"
  [[ $stack != cuda ]] || petsc_minutes="with Kokkos and CUDA: 20 minutes on 2 cores"
  [[ $petsc_package == no ]] || petsc_minutes="with Kokkos, then the plugin by PETSc's make: 12 minutes on 2 cores"
  fetch_sdist petsc "$petsc_source_version" "$petsc_source_sha256"
  step petsc "$petsc_source_version, $petsc_minutes" \
    "see the log; configure's own is in $(stack_dir)/src/petsc/configure.log" \
    make_and_install_petsc
  [[ $petsc_package == no ]] || step petsc-check "PETSc loads the plugin at its start" \
    "see the log, and sptrsv.build.log in $(stack_dir)/src/petsc/build/lib/petsc/conf" check_package
  rm -rf "$(stack_dir)/src"
  printf '%s\n' "$key" >"$stamp"
}

# prepare_package TARBALL: makes a tarball of the checkout, and adds the files of plugin/petsc/upstream to PETSc's
# sources in the current folder.
prepare_package() {
  list_checkout | tar -C "$root" --null --no-recursion -T - -czf "$1" --transform 's,^\(\./\)\?,sptrsv/,' &&
    cp "$root/plugin/petsc/upstream/sptrsv.py" config/BuildSystem/config/packages/ &&
    patch -p1 <"$root/plugin/petsc/upstream/load_sptrsv.patch"
}

# make_and_install_petsc: runs in a subshell, since it changes the folder. By default PETSc's make starts no job while
# the load is above the number of cores, which a test that has just ended keeps up for minutes.
make_and_install_petsc() (
  local options dir tarball
  dir=$(stack_dir)/src/petsc tarball=$(stack_dir)/src/sptrsv.tar.gz
  mapfile -t options < <(petsc_options)
  rm -rf "$dir" && mkdir -p "$dir" &&
    tar -xzf "$(sdist petsc "$petsc_source_version")" -C "$dir" --strip-components=1 && cd "$dir" || return
  if [[ $petsc_package == yes ]]; then
    use_compiler_cache
    prepare_package "$tarball" || return
    options+=(--download-sptrsv="$tarball")
  fi
  env -u PETSC_DIR -u PETSC_ARCH ./configure PETSC_ARCH=build --prefix="$kokkos_root" "${options[@]}" \
    --with-kokkos-dir="$kokkos_root" --with-kokkos-kernels-dir="$kokkos_root" --with-make-np="$jobs" \
    --with-make-load=1000 &&
    make PETSC_DIR="$dir" PETSC_ARCH=build all && make PETSC_DIR="$dir" PETSC_ARCH=build install
)

# check_package: runs PETSc's `make check`, and removes the plugin that PETSc's make has installed: from then on this
# PETSc has no plugin, as tests of other builds of it want.
check_package() {
  local output
  allow_mpi_here
  output=$(make -C "$(stack_dir)/src/petsc" PETSC_DIR="$kokkos_root" PETSC_ARCH='' check 2>&1)
  printf '%s\n' "$output"
  [[ $output == *"50 rows solved by"* && $output != *"Error checking sptrsv"* ]] &&
    rm -rf "$kokkos_root"/lib/lib{petscsptrsv,sptrsv_petsc}.so "$kokkos_root"/lib/libsptrsv_backend.a \
      "$kokkos_root"/lib/cmake/sptrsv "$kokkos_root"/lib/pkgconfig/sptrsv_petsc.pc \
      "$kokkos_root"/include/sptrsv "$kokkos_root"/include/sptrsv_petsc.h "$kokkos_root"/share/{,doc/}sptrsv
}
