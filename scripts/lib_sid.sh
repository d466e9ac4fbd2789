# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Stacks trilinos and sid, whose packages only Debian sid has: they are in a folder with its own Debian sid, which
# debootstrap makes once; stack trilinos17 is in a copy of it with packages of experimental, and stack hip, with AMD's
# compiler, in another folder that debootstrap makes. Nothing from outside is mounted there: the checkout is copied into
# it, and scripts/setup runs there.

sid_mirror=http://deb.debian.org/debian
sid_stamp=etc/sptrsv-sid          # in the folder: written last
sid_unfinished=.sptrsv-unfinished # in the unfinished folder: written first, has the process that makes it

sid_dir() {
  local dir
  dir=$(realpath -m -- "${SPTRSV_SID_DIR:-/var/lib/sptrsv-sid}")
  case $stack in
    trilinos17) dir+=-experimental ;;
    hip) dir+=-hip ;;
  esac
  echo "$dir"
}

# sid_copy: prints the path of this checkout's copy inside the folder.
sid_copy() { printf '/srv/sptrsv/%s' "$(printf '%s' "$root" | cksum | cut -d ' ' -f 1)"; }

# sid_run COMMAND...: runs a command in the folder, as root, with only the environment that is named here.
sid_run() { run_below "$(sid_dir)" "$@"; }

# run_below DIR COMMAND...: runs a command with /proc and /sys, which are mounted during the command only; where
# mounting is not allowed, Open MPI warns, and works without them.
run_below() {
  local dir=$1 name kept=() enter=(chroot)
  shift
  for name in http_proxy https_proxy no_proxy SPTRSV_TEST_CASE_TYPES; do
    [[ -z ${!name:-} ]] || kept+=("$name=${!name}")
  done
  [[ -z ${SPTRSV_TEST_MATRICES:-} ]] || kept+=("SPTRSV_TEST_MATRICES=$(sid_copy)/.stack/matrices")
  if as_root unshare --mount true 2>/dev/null; then
    # shellcheck disable=SC2016 # for that shell
    enter=(unshare --mount sh -c
      '{ mount -t proc proc "$1/proc"; mount -t sysfs sysfs "$1/sys"; } 2>/dev/null; exec chroot "$@"' sh)
  fi
  as_root "${enter[@]}" "$dir" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 SPTRSV_IN_SID=1 \
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_MCA_mapby=:oversubscribe \
    ${kept[@]+"${kept[@]}"} "$@"
}

# --- making the folder

# setup_sid OPTION...: makes the folder, copies the checkout into it, and runs scripts/setup there with the same
# options.
setup_sid() {
  make_sid # failure_code is 75 until the folder is made
  failure_code=1
  copy_checkout "$(sid_dir)" || die "cannot copy the checkout into $(sid_dir)" "see above"
  sid_run "$(sid_copy)/scripts/setup" "$@"
}

make_sid() {
  local dir new release=sid
  dir=$(sid_dir) new=$dir.new
  may_be_root "$dir"
  if [[ ! -f $dir/$sid_stamp ]]; then
    [[ $dir != "$root"/* ]] || die "$dir is inside the checkout" "set SPTRSV_SID_DIR to another folder"
    [[ ! -e $dir ]] || die "$dir exists, and scripts/setup did not make it" \
      "set SPTRSV_SID_DIR to a folder that does not exist yet, or move this one away"
    remove_unfinished "$new"
    if [[ $stack == trilinos17 ]]; then copy_sid_into "$new"; else debootstrap_into "$new"; fi
    install_into "$new"
    date -u +%F | as_root tee "$new/$sid_stamp" >/dev/null
    as_root rm "$new/$sid_unfinished"
    as_root mv -T "$new" "$dir"
  fi
  [[ $stack != trilinos17 ]] || release=experimental
  line folder "$dir: Debian $release of $(cat "$dir/$sid_stamp")"
}

may_be_root() {
  [[ $EUID -ne 0 ]] || return 0
  if has_command sudo && { sudo -n true 2>/dev/null || { [[ -t 0 ]] && sudo -v; }; }; then return; fi
  die "$1 needs root, to make it and to run things in it" "run this as root, or with sudo at hand"
}

# remove_unfinished DIR: removes the rest of an interrupted making; nothing else is ever removed.
remove_unfinished() {
  local maker mounted
  [[ -e $1 ]] || return 0
  [[ -f $1/$sid_unfinished ]] || die "$1 exists, and scripts/setup did not make it" "move it away"
  maker=$(cat "$1/$sid_unfinished")
  [[ ! -d /proc/$maker ]] ||
    die "process $maker is making $1" "wait until it has finished; if it is something else, delete $1/$sid_unfinished"
  line folder "$1: its making was interrupted, so from the start"
  while read -r mounted; do
    as_root umount "$mounted" || die "cannot unmount $mounted" "unmount it, then delete $1"
  done < <(awk -v below="$1/" 'index($2, below) == 1 { print $2 }' /proc/mounts | sort -r)
  as_root rm -rf --one-file-system "$1"
}

debootstrap_into() {
  local remedy="check the network; by hand: debootstrap --variant=minbase sid DIR $sid_mirror"
  local PATH=$PATH:/usr/sbin:/sbin
  if ! has_command debootstrap; then
    check_may_install debootstrap
    step apt-update "package lists" "$remedy" as_root apt-get -o Acquire::Retries=3 update
    step packages "1 to install: debootstrap" "$remedy" apt_install debootstrap debian-archive-keyring
  fi
  as_root mkdir -p "$1"
  echo $$ | as_root tee "$1/$sid_unfinished" >/dev/null
  step debootstrap "Debian sid into $1, a minute" "$remedy" \
    as_root timeout --foreground 600 debootstrap --variant=minbase sid "$1" "$sid_mirror"
  # sid's lists expire after a week, and mirrors may be late
  echo 'Acquire::Check-Valid-Until "false";' | as_root tee "$1/etc/apt/apt.conf.d/90sptrsv" >/dev/null
}

# copy_sid_into DIR: copies the folder of stack trilinos, which is made if it is missing, without its build output; adds
# experimental's package list.
copy_sid_into() {
  local stack=trilinos from
  from=$(sid_dir)
  make_sid
  as_root mkdir -p "$1"
  echo $$ | as_root tee "$1/$sid_unfinished" >/dev/null
  step copy "$from to $1" "see whether there are 3 GB left for $1" copy_folder "$from" "$1" &&
    echo "deb $sid_mirror experimental main" | as_root tee "$1/etc/apt/sources.list.d/experimental.list" >/dev/null
}
copy_folder() {
  as_root tar -C "$1" --one-file-system --exclude=./srv --exclude=./dev/shm --exclude=./tmp --exclude="./$sid_stamp" \
    -c . | as_root tar -C "$2" -x && as_root mkdir -p "$2/srv" "$2/dev/shm" "$2/tmp" &&
    as_root chmod 1777 "$2/dev/shm" "$2/tmp"
}

# install_into DIR: installs the packages of all stacks there, so that the folder is either complete or missing.
install_into() {
  copy_checkout "$1" || die "cannot copy the checkout into $1" "see above"
  run_below "$1" "$(sid_copy)/scripts/setup" --stack "$stack" --packages ||
    die "Debian sid has not installed the packages" \
      "see above; on some days sid's packages do not fit together: try again later"
}

# --- the checkout in the folder

# copy_checkout DIR: copies the files that git tracks or does not ignore, with their times; the copy's own build/ and
# .stack/ stay. Removes this user's copies of checkouts that no longer exist.
copy_checkout() {
  local copies=$1/srv/sptrsv copy sdist other of by
  copy=$1$(sid_copy)
  as_root mkdir -p "$copy" || return
  for other in "$copies"/*; do # another user's checkout may be unreadable
    [[ -f $other/.copy_of ]] || continue
    { read -r of && read -r by; } <"$other/.copy_of" || continue
    [[ $by != "$UID" ]] || as_root test -d "$of" || as_root rm -rf "$other" || return
  done
  as_root find "$copy" -mindepth 1 -maxdepth 1 ! -name build ! -name .stack -exec rm -rf {} + || return
  printf '%s\n' "$root" "$UID" | as_root tee "$copy/.copy_of" >/dev/null || return
  list_checkout | tar -C "$root" --null --no-recursion -T - -c | as_root tar -C "$copy" --no-same-owner -x || return
  if [[ -n ${SPTRSV_TEST_MATRICES:-} ]]; then
    as_root mkdir -p "$copy/.stack/matrices" &&
      as_root cp -ru "$SPTRSV_TEST_MATRICES/." "$copy/.stack/matrices" || return
  fi
  for sdist in "$(stacks_dir)"/download/pygenten-*; do # avoids another download from PyPI
    [[ -f $sdist ]] || continue
    as_root mkdir -p "$copy/.stack/download" && as_root cp -p "$sdist" "$copy/.stack/download/" || return
  done
}
