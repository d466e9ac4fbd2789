# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Functions shared by scripts/setup, env, demo and check: messages, progress, paths. Sourced, never run.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
stack=quick
ticker_pid=

# --- messages: two columns, a name and a text

line() { printf '  %-11s %s\n' "$1" "$2"; }
heading() { printf '\n%s\n' "$1"; }

# die WHAT [REMEDY]: prints an error and exits
failure_code=1 # 75 while the current step may be impossible on this machine; scripts/check then skips the leg
die() {
  printf '\n  error       %s\n' "$1" >&2
  [[ -z ${2:-} ]] || printf '  remedy      %s\n' "$2" >&2
  [[ $failure_code -ne 75 ]] || { mkdir -p "$(log_dir)" && printf '%s\n' "$1" >"$(log_dir)/impossible"; }
  exit "$failure_code"
}

# usage SCRIPT: prints the comment block that opens the script, without its first two lines.
usage() { sed -n '3,/^[^#]/{s/^# \{0,1\}//p;}' "$1"; }

# need_value OPTION COUNT: checks that an option has its value.
need_value() { [[ $2 -ge 2 ]] || die "$1 needs a value" "see --help"; }

# other_option OPTION: prints the script's help, or refuses the option.
other_option() {
  [[ $1 != --help && $1 != -h ]] || { usage "$0" && exit; }
  die "unknown option '$1'" "see scripts/$(basename "$0") --help"
}

# --- paths

# list_checkout: prints the checkout's files, each ended by a zero byte; without git (an archive of a release) all
# except build output.
list_checkout() {
  local file
  if git -C "$root" rev-parse --git-dir >/dev/null 2>&1; then
    while IFS= read -r -d '' file; do
      [[ ! -e $root/$file ]] || printf '%s\0' "$file" # git lists deleted files, too
    done < <(git -C "$root" ls-files -z --cached --others --exclude-standard)
  else
    find "$root" -mindepth 1 \( -name 'build*' -o -name '.?*' -o -name __pycache__ \) -type d -prune -o -type f \
      -printf '%P\0'
  fi
}

stacks="quick, full, complex, int64, trilinos, trilinos17, sid, cuda, hip"
select_stack() {
  [[ ", $stacks," == *", $1,"* ]] || die "unknown stack '$1'" "use one of $stacks"
  stack=$1
}

# builds_petsc: tells whether this stack builds its own PETSc, over a Kokkos that both share.
builds_petsc() { [[ $stack == full || $stack == cuda ]]; }

# has_trilinos: tells whether this stack has Trilinos, its Kokkos, and the Ifpack2 plugin, and no PETSc.
has_trilinos() { [[ $stack == trilinos || $stack == trilinos17 ]]; }

# lives_in_sid: tells whether this stack is in a folder with Debian sid, and this script is outside: see lib_sid.sh.
lives_in_sid() { { has_trilinos || [[ $stack == sid || $stack == hip ]]; } && ! in_sid; }
in_sid() { [[ -n ${SPTRSV_IN_SID:-} ]]; } # only sid_run sets it

# not_in_sid: refuses stacks that are not on this system.
not_in_sid() {
  ! lives_in_sid ||
    die "stack '$stack' is in a folder with a Debian of its own" "use scripts/setup and scripts/check with it"
}

stacks_dir() { printf '%s' "${SPTRSV_STACK_DIR:-$root/.stack}"; }
stack_dir() { printf '%s/%s' "$(stacks_dir)" "$stack"; }
log_dir() { printf '%s/log' "$(stack_dir)"; }

# build_dir normal|asan: prints the build folder
build_dir() {
  local name=$stack
  [[ $1 != asan ]] || name=asan-$stack
  [[ $name != asan-quick ]] || name=asan
  echo "$root/build/$name"
}

# --- progress

# show_progress NAME LOG PARENT: prints the elapsed time and LOG's last line until PARENT ends or this process is
# stopped.
show_progress() {
  local start=$SECONDS every=15 elapsed last
  [[ ! -t 1 ]] || every=1
  while sleep "$every" >/dev/null 2>&1 9>&- && kill -0 "$3" 2>/dev/null; do
    elapsed=$((SECONDS - start))
    last=$(tail -c 400 "$2" | tr '\r' '\n' | grep -v '^[[:space:]]*$' | tail -n 1 | cut -c 1-60) || last=
    if [[ -t 1 ]]; then
      printf '\r\033[K  %-11s %4d s  %s' "$1" "$elapsed" "$last"
    else
      printf '  %-11s %4d s  %s\n' "$1" "$elapsed" "$last"
    fi
  done
}

stop_progress() {
  [[ -n $ticker_pid ]] || return 0
  kill "$ticker_pid" 2>/dev/null || true
  wait "$ticker_pid" 2>/dev/null || true
  ticker_pid=
  [[ ! -t 1 ]] || printf '\r\033[K'
}
trap stop_progress EXIT

# step NAME TEXT REMEDY COMMAND...: runs a long command, with its output in log/NAME.log. `set -e` has no effect within
# the command, so a function given here joins its commands with &&.
step() {
  local name=$1 text=$2 remedy=$3 start=$SECONDS status=0 log last
  shift 3
  log=$(log_dir)/$name.log
  mkdir -p "$(log_dir)"
  : >"$log"
  line "$name" "$text (log: ${log#"$PWD"/})"
  show_progress "$name" "$log" $$ &
  ticker_pid=$!
  "$@" >>"$log" 2>&1 </dev/null || status=$?
  stop_progress
  if [[ $status -ne 0 ]]; then
    printf '\n--- last lines of %s\n' "$log" >&2
    tail -n 30 "$log" >&2
    printf -- '---\n' >&2
    last=$(grep -v '^[[:space:]]*$' "$log" | tail -n 1 | cut -c 1-200)
    die "$name failed after $((SECONDS - start)) s: $last" "$remedy"
  fi
  line "$name" "done in $((SECONDS - start)) s"
}

# --- compilers

has_command() { command -v "$1" >/dev/null; }

# use_compiler_cache: lets CMake call the compilers through ccache, if it is installed; builds of several stacks, and of
# several checkouts, then share what they have in common.
use_compiler_cache() {
  has_command ccache || return 0
  export CCACHE_BASEDIR=${CCACHE_BASEDIR:-$root} CCACHE_NOHASHDIR=1
  export CMAKE_C_COMPILER_LAUNCHER=${CMAKE_C_COMPILER_LAUNCHER-ccache}
  export CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER-ccache}
}

# --- the environment of MPI programs

# allow_mpi_here: allows root and more ranks than cores, which Open MPI refuses; containers and small machines need
# both.
allow_mpi_here() {
  export OMPI_MCA_rmaps_base_oversubscribe=1
  [[ $EUID -ne 0 ]] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
}
