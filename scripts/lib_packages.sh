# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Part of scripts/setup: packages of the system. Only missing ones are installed.

# has_header NAME: tells whether the C++ compiler finds it.
has_header() { echo "#include <$1>" | "${cxx[@]}" -E -x c++ - >/dev/null 2>&1; }

# has_library NAME: tells whether the C++ compiler links with -lNAME.
has_library() { echo 'int main() {}' | "${cxx[@]}" -x c++ - "-l$1" -o /dev/null >/dev/null 2>&1; }

read -ra cxx <<<"${CXX:-c++}" # CXX may contain options
compiler_version() { "${cxx[@]}" --version | sed -n 1p; }

# pip_pythons: prints the interpreters to try: the first on PATH, and the system's own, to which apt adds pip.
pip_pythons() { command -v python3 || true; echo /usr/bin/python3; }

# python_with MODULE: prints the first interpreter that has it.
python_with() {
  local python
  while read -r python; do
    if "$python" -c "import $1" >/dev/null 2>&1; then echo "$python" && return; fi
  done <<<"$(pip_pythons)"
  return 1
}
python_with_pip() { python_with pip; }

# missing_packages: prints one package per line. Looks for commands and headers rather than packages, so that your own
# compiler or library counts.
missing_packages() {
  has_command "${cxx[0]}" || echo g++
  has_command cmake || echo cmake
  has_command ninja || echo ninja-build
  has_command pkg-config || echo pkg-config
  has_header zlib.h || echo zlib1g-dev
  has_header nlohmann/json.hpp || echo nlohmann-json3-dev # timing programs, sptrsv_inspect
  if [[ $with_tests == yes ]]; then
    has_header gtest/gtest.h || echo libgtest-dev
    has_command ccache || echo ccache # several stacks compile the same files
    has_command python3 || echo python3
    in_sid || missing_program_packages
  fi
  ! needs_pip || python_with_pip >/dev/null || echo python3-pip
  [[ $packed == no ]] || missing_pack_packages
  if in_sid; then
    missing_sid_packages
  elif builds_petsc; then
    missing_build_packages
  elif [[ $petsc_owner != user ]]; then
    missing_petsc_packages
  fi
}

# needs_pip: tells whether something is downloaded from PyPI; scripts/check gets clang-format there.
needs_pip() { needs_download || needs_petsc_download || { [[ $with_tests == yes ]] && ! in_sid; }; }

# missing_program_packages: prints packages for programs that only some stacks have, and for their tests.
missing_program_packages() {
  has_header CLI/CLI.hpp || echo libcli11-dev # bench_solve, sptrsv_inspect
  python_with matplotlib >/dev/null || echo python3-matplotlib # the notebook
  has_command mkdocs || echo mkdocs           # scripts/docs
}

# missing_build_packages: prints packages that PETSc's build needs.
missing_build_packages() {
  has_command make || echo make
  [[ $petsc_package == no ]] || has_command patch || echo patch
  has_command mpicc || echo libopenmpi-dev
  has_command mpiexec || echo openmpi-bin
  has_library openblas || echo libopenblas-dev
  has_header suitesparse/cholmod.h || echo libsuitesparse-dev # -mat_sptrsv_factor cholmod, umfpack, klu
}

# missing_petsc_packages: prints packages of Debian's PETSc with its MPI and BLAS, its tutorials, and petsc4py, venv
# and SLEPc for the tests.
missing_petsc_packages() {
  local wanted=(petsc-dev libopenmpi-dev openmpi-bin libopenblas-dev libsuitesparse-dev) version
  case $stack in
    complex) wanted+=(libpetsc-complex-dev) ;;
    int64) wanted+=(libpetsc64-real-dev) ;;
  esac
  version=$(petsc_package_version)
  [[ -z $version ]] || wanted+=("libpetsc$version-dev-examples")
  [[ $with_tests == no || $stack != quick ]] || wanted+=(python3-petsc4py python3-venv slepc-dev)
  not_installed "${wanted[@]}"
}

# missing_sid_packages: prints packages for the folder of Debian sid. Stacks trilinos and sid share it: PETSc, and
# Trilinos with the parts that its CMake packages look for and Debian's packages do not depend on.
missing_sid_packages() {
  local wanted=(libpetsc-real-dev libopenmpi-dev openmpi-bin) name version
  case $stack in
    hip) not_installed hipcc librocthrust-dev librocprim-dev g++ && return ;; # Kokkos' headers include these
    trilinos17) missing_experimental_packages && return ;;
  esac
  for name in ifpack2 belos tpetra kokkos kokkos-kernels teuchos xpetra zoltan2 amesos2 zoltan thyra rtop epetra \
    epetraext triutils shylu isorropia amesos ifpack aztecoo; do
    wanted+=("libtrilinos-$name-dev")
  done
  version=$(petsc_package_version)
  [[ -z $version ]] || wanted+=("libpetsc$version-dev-examples")
  not_installed "${wanted[@]}"
}

# missing_experimental_packages: prints the parts of Trilinos 17 for the folder of stack trilinos17.
missing_experimental_packages() {
  local name have
  # shellcheck disable=SC2016 # dpkg's own variables
  have=$(dpkg-query -W -f '${Package} ${Version} ${db:Status-Status}\n' 'libtrilinos-*-dev' 2>/dev/null || true)
  for name in ifpack2 belos tpetra kokkos kokkos-kernels teuchos xpetra zoltan2 amesos2 zoltan thyra rtop shylu \
    muelu; do
    grep -q "^libtrilinos-$name-dev 17\..* installed$" <<<"$have" || echo "libtrilinos-$name-dev"
  done
}

# not_installed PACKAGE...: prints those that are not installed, one per line.
not_installed() {
  local package have
  # shellcheck disable=SC2016 # dpkg's own variables
  have=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true)
  for package in "$@"; do
    grep -qx "$package installed" <<<"$have" || echo "$package"
  done
}

# petsc_package_version: prints a version such as 3.18, of the installed petsc-dev or of the one that apt would install.
petsc_package_version() {
  # shellcheck disable=SC2016
  { dpkg-query -W -f '${Version}\n' petsc-dev 2>/dev/null || apt-cache policy petsc-dev 2>/dev/null |
    sed -n 's/^ *Candidate: //p'; } | sed -n 's/^\([0-9]*\.[0-9]*\).*/\1/p'
}

# as_root COMMAND...: runs a command as root
as_root() {
  if [[ $EUID -eq 0 ]]; then "$@"; else sudo "$@"; fi
}

check_may_install() {
  local wanted=$1
  has_command apt-get ||
    die "missing here: $wanted" "install them (these are Debian's names), or set PETSC_DIR and Kokkos_ROOT"
  [[ $EUID -ne 0 ]] || return 0
  has_command sudo || die "missing here: $wanted" "ask the administrator for: apt-get install $wanted"
  sudo -n true 2>/dev/null || sudo -v || die "sudo refused" "ask the administrator for: apt-get install $wanted"
}

apt_install() {
  local release=()
  [[ $stack != trilinos17 ]] || ! in_sid || release=(-t experimental)
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 \
    install -y --no-install-recommends ${release[@]+"${release[@]}"} "$@"
}

install_packages() { install_named_by missing_packages; }

# install_named_by LISTER: installs the packages that this function prints.
install_named_by() {
  local wanted remedy
  wanted=$("$1" | xargs)
  if [[ -z $wanted ]]; then
    line packages "all there"
    return
  fi
  check_may_install "$wanted"
  remedy="check the network and /etc/apt, then run this again; by hand: apt-get install $wanted"
  step apt-update "package lists" "$remedy" as_root apt-get -o Acquire::Retries=3 update
  wanted=$("$1" | xargs) # the package lists have the version of PETSc now
  # shellcheck disable=SC2086 # a list of names
  step packages "$(wc -w <<<"$wanted") to install: $wanted" "$remedy" apt_install $wanted
  hash -r
  wanted=$("$1" | xargs)
  [[ -z $wanted ]] || die "still missing after the installation: $wanted" "see $(log_dir)/packages.log"
}
