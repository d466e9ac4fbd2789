# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Part of scripts/setup: selects PETSc, and builds it for stacks full and cuda. Stack quick uses PETSC_DIR of the
# environment, otherwise pkg-config's, otherwise Debian's package. The other stacks use the PETSc in their name.

petsc_dir='' petsc_arch='' petsc_owner=debian petsc_text='' pkgconfig_dir=''

petsc_has_headers() { [[ -f $1/include/petsc.h && ( -f $1/include/petscconf.h || -f $1/$2/include/petscconf.h ) ]]; }

# find_petsc: sets the variables above; petsc_dir stays empty if there is none yet.
find_petsc() {
  petsc_dir='' petsc_arch=''
  if [[ $stack != quick ]]; then
    find_petsc_of_stack
  elif [[ -n ${PETSC_DIR:-} ]]; then
    petsc_dir=$PETSC_DIR petsc_arch=${PETSC_ARCH:-}
    petsc_has_headers "$petsc_dir" "$petsc_arch" ||
      die "PETSC_DIR=$petsc_dir, PETSC_ARCH=$petsc_arch has no petsc.h and petscconf.h" \
        "set both as for building your application, or unset them to use Debian's PETSc"
  else
    find_petsc_by_pkgconfig
  fi
  if [[ -n $petsc_dir ]]; then describe_petsc; fi
}

# find_petsc_of_stack: finds the PETSc in the stack's name, if it is installed.
find_petsc_of_stack() {
  local prefix candidates=()
  case $stack in
    full | cuda) candidates=("$(stack_dir)/prefix") ;;
    complex) candidates=(/usr/lib/petscdir/petsc[0-9].*/*-complex) ;;
    int64) candidates=(/usr/lib/petscdir/petsc64-*/*-real) ;;
    sid) candidates=(/usr/lib/petscdir/petsc[0-9].*/*-real) ;;
    trilinos | trilinos17 | hip) return ;;
  esac
  for prefix in "${candidates[@]}"; do
    if petsc_has_headers "$prefix" ''; then petsc_dir=$prefix; fi
  done
}

find_petsc_by_pkgconfig() {
  local prefix name
  has_command pkg-config || return 0
  for name in PETSc petsc; do
    prefix=$(pkg-config --variable=prefix "$name" 2>/dev/null || true)
    [[ -z $prefix ]] || break
  done
  if petsc_has_headers "$prefix" ''; then
    petsc_dir=$prefix
  elif [[ -n $prefix ]] && petsc_has_headers "$(dirname "$prefix")" "$(basename "$prefix")"; then
    petsc_dir=$(dirname "$prefix") petsc_arch=$(basename "$prefix") # used in its build folder
  fi
}

# petsc_version: prints the version in the headers.
petsc_version() {
  awk '$2 ~ /^PETSC_VERSION_(MAJOR|MINOR|SUBMINOR)$/ { v = v sep $3; sep = "." } END { print v }' \
    "$petsc_dir/include/petscversion.h"
}

describe_petsc() {
  local whose=yours
  petsc_owner=user
  if [[ $(readlink -f "$petsc_dir") == /usr/lib/petscdir/* ]]; then petsc_owner=debian whose="Debian's"; fi
  if builds_petsc; then whose="built from PyPI"; fi
  pkgconfig_dir=$petsc_dir${petsc_arch:+/$petsc_arch}/lib/pkgconfig
  petsc_text="$(petsc_version), $whose, $petsc_dir${petsc_arch:+, $petsc_arch}"
}

# petsc_config NAME: tells whether petscconf.h defines it.
petsc_config() {
  local file=$petsc_dir/$petsc_arch/include/petscconf.h
  [[ -f $file ]] || file=$petsc_dir/include/petscconf.h
  grep -q "^#define $1 " "$file"
}

# --- stacks full and cuda: the current PETSc from PyPI's source package over the Kokkos built before, into the same
# prefix, without Fortran and X, which sptrsv does not need

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
