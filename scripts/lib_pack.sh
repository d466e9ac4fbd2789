# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Part of scripts/setup --pack: puts programs, plugin, PETSc and Kokkos for scripts/gpu-check on a GPU machine into one
# archive that can be unpacked anywhere. The machine must have MPI, BLAS and CUDA's own libraries.

pack_limit_mb=60

pack_name() { printf 'sptrsv-gpu-%s' "$cuda_arch"; }
pack_file() { printf '%s/%s.tar.xz' "$root/build" "$(pack_name)"; }

missing_pack_packages() {
  has_command patchelf || echo patchelf
  has_command xz || echo xz-utils
}

# programs_to_pack: prints all programs that were built, except those of the build itself.
programs_to_pack() {
  find "$(build_dir normal)" -type f -perm -u+x -not -path '*/CMakeFiles/*' -not -path '*/view_layout/*' \
    -not -path '*/tests/package/*' -not -path '*/tests/support/*' -not -path '*/tests/fuzz/*' \
    -not -path '*/petsc_faults/*' -not -path '*/demo/*' -not -path '*/gpu_check/*' \
    -not -name '*.so*' -not -name '*.sh' -not -name '*.py' | sort
}

# copy_program FILE FOLDER RPATH: copies a program, stripped, with the archive's library path.
copy_program() {
  cp -L "$1" "$2/" && strip --strip-unneeded "$2/$(basename "$1")" &&
    patchelf --force-rpath --set-rpath "$3" "$2/$(basename "$1")"
}

# build_description: prints the description of the build that gpu-check records.
build_description() {
  printf 'commit %s\n' "$(git -C "$root" describe --always --dirty 2>/dev/null || echo unknown)"
  printf 'CUDA %s, compute capability %s, Kokkos %s, PETSc %s\n' "$(nvcc_version)" "$cuda_arch" \
    "$(package_version "$kokkos_root" Kokkos)" "$(petsc_version)"
}

# fill_pack FOLDER: copies all files of the archive
fill_pack() {
  local file cuda='/usr/local/cuda/lib64'
  mkdir -p "$1/bin" "$1/lib" "$1/petsc"
  while read -r file; do
    # shellcheck disable=SC2016 # the loader's $ORIGIN
    copy_program "$file" "$1/bin" '$ORIGIN/../lib:'"$cuda" || return 1
  done < <(programs_to_pack)
  # shellcheck disable=SC2154 # kokkos_root: set by setup
  # copies the plugin, and programs under the names that gpu_check.py knows
  for file in "$(build_dir normal)"/tests/petsc/gpu_check/*; do
    if [[ $file == *.py ]]; then
      cp "$file" "$1/petsc/" || return 1
    else
      # shellcheck disable=SC2016
      copy_program "$file" "$1/petsc" '$ORIGIN/../lib:'"$cuda" || return 1
    fi
  done
  for file in "$(build_dir normal)"/tests/petsc/*.so \
    "$kokkos_root"/lib/lib{petsc,kokkos}*.so.*.*.* "$kokkos_root"/lib/libkokkoskernels.so; do
    # shellcheck disable=SC2016
    copy_program "$file" "$1/lib" '$ORIGIN:'"$cuda" || return 1
  done
  for file in "$1"/lib/*.so.*.*.*; do # libpetsc.so.3.26.1 is requested as libpetsc.so.3.26
    mv "$file" "${file%.*}" || return 1
  done
  build_description >"$1/build.txt"
  mkdir -p "$1/scripts" "$1/bench" # gpu-bench finds its parts in the same folders as in the sources
  cp "$root/scripts/gpu-check" "$root/LICENSE" "$1/" && cp "$root"/scripts/gpu-{bench,scale} "$1/scripts/" &&
    cp "$root"/bench/*.py "$1/bench/" &&
    ln -s ../petsc/libsptrsv_petsc.so "$1/bin/" && ln -s ../petsc/libsptrsv_petsc.so "$1/lib/"
}

# make_pack: makes the archive, from an empty folder.
make_pack() {
  local folder
  folder=$root/build/pack/$(pack_name)
  rm -rf "$root/build/pack" && fill_pack "$folder" &&
    tar -C "$root/build/pack" -cf - "$(pack_name)" | xz -T1 --lzma2=preset=4,dict=256MiB >"$(pack_file)" &&
    missing_in_pack "$folder"
}

# missing_in_pack FOLDER: names a library that programs need and that is neither there nor on any machine nor required.
missing_in_pack() {
  local needed of_system='c|m|dl|rt|pthread|gcc_s|stdc\+\+|gomp|quadmath|z'
  local of_cuda='cuda|cudart|cublas|cublasLt|cusparse|cusolver|cufft|curand|nvJitLink|nvtx3interop'
  needed=$(find "$1/bin" "$1/lib" "$1/petsc" -type f -not -name '*.py' -exec patchelf --print-needed {} + | sort -u)
  while read -r library; do
    [[ -e $1/lib/$library || $library =~ ^ld-linux || $library =~ ^lib($of_system|mpi|openblas|$of_cuda)\.so ]] ||
      { echo "needs $library, which is neither in the archive nor on the list of what a GPU machine has" && return 1; }
  done <<<"$needed"
}

describe_pack() {
  local bytes
  bytes=$(stat -c %s "$(pack_file)")
  line pack "$(pack_file), $((bytes / 1000000)) MB"
  [[ $bytes -le $((pack_limit_mb * 1000000)) ]] ||
    die "the archive is larger than $pack_limit_mb MB" "see what grew: tar -tvf $(pack_file)"
  printf '\n  On the GPU machine, which needs Open MPI 4, OpenBLAS and CUDA %s (at most 10 minutes):\n\n' \
    "$(nvcc_version | cut -d. -f1)"
  printf '    tar -xf %s.tar.xz\n    %s/gpu-check RESULTS\n\n' "$(pack_name)" "$(pack_name)"
}

pack() {
  step pack "for a GPU machine" "see the log" make_pack
  describe_pack
}
