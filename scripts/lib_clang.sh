# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Part of scripts/format and scripts/tidy: clang-format and clang-tidy of fixed versions, since other versions lay code
# out differently. Uses those on PATH if they have these versions, otherwise PyPI's, below .stack.

clang_format_version=20.1.8
clang_tidy_version=20.1.0

# clang_version NAME: prints the wanted version of clang-format or clang-tidy.
clang_version() { if [[ $1 == clang-tidy ]]; then echo "$clang_tidy_version"; else echo "$clang_format_version"; fi; }

# clang_folder NAME: prints the folder of its installation.
clang_folder() { echo "$(stacks_dir)/tools/$1-$(clang_version "$1")"; }

# find_clang_tool NAME: prints the program of the wanted version.
find_clang_tool() {
  local version program found
  version=$(clang_version "$1")
  for program in "$1" "$1-${version%%.*}" "$(clang_folder "$1")/${1/-/_}/data/bin/$1"; do
    has_command "$program" || continue
    found=$("$program" --version 2>/dev/null) || continue
    if [[ $found =~ version\ ([0-9.]+) && ${BASH_REMATCH[1]} == "$version" ]]; then
      command -v "$program"
      return
    fi
  done
  return 1
}

# require_clang_tool NAME INSTALL: makes find_clang_tool succeed; if the tool is missing and INSTALL is 'no', ends with
# code 77.
require_clang_tool() {
  local version
  version=$(clang_version "$1")
  ! find_clang_tool "$1" >/dev/null || return 0
  if [[ $2 == no ]]; then
    echo "SKIPPED: no $1 $version; scripts/check and scripts/${1#clang-} install it; by hand: $(clang_by_hand "$1")"
    exit 77
  fi
  install_clang_tool "$1"
  find_clang_tool "$1" >/dev/null ||
    die "$1 $version does not run after the installation" "install it: $(clang_by_hand "$1")"
}

clang_by_hand() { echo "python3 -m pip install $1==$(clang_version "$1") in a virtual environment, its bin on PATH"; }

# install_clang_tool NAME: installs it from PyPI into a separate folder, which nothing else sees.
install_clang_tool() {
  local python folder
  folder=$(clang_folder "$1")
  python=$(python_with_pip) || die "python3 has no pip" "install python3-pip, or: $(clang_by_hand "$1")"
  rm -rf "$folder" "$folder.new"
  step "$1" "$(clang_version "$1") from PyPI" "check the network and pip's settings; by hand: $(clang_by_hand "$1")" \
    env PIP_REQUIRE_VIRTUALENV=0 PIP_DISABLE_PIP_VERSION_CHECK=1 "$python" -m pip install --no-deps \
    --only-binary :all: --target "$folder.new" "$1==$(clang_version "$1")"
  mv "$folder.new" "$folder"
}
