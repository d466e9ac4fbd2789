# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Part of scripts/setup: selects PETSc. Stack quick uses PETSC_DIR of the environment, otherwise pkg-config's, otherwise
# Debian's package. The other stacks use the PETSc in their name.

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
