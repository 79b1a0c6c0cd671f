#!/usr/bin/env bash
# A Debian trixie in a folder, with its Open MPI and MPICH, which are newer than Debian 12's. It needs root, debootstrap and
# a network to be made, which takes some minutes, once.
#
# Usage: bench/trixie.sh make              makes build/trixie, if it is not there
#        bench/trixie.sh in COMMAND...     runs a command in it; build/bench is /bench there, and bench is /source
#
# What is mounted for a command is so in a namespace that ends with it: nothing is left behind, and build/ can be removed.
set -euo pipefail

cd "$(dirname "$0")/.."
suite=trixie
root=build/$suite
packages="gcc libc6-dev openmpi-bin libopenmpi-dev mpich libmpich-dev"

fail() {
  echo "bench/trixie.sh: $*" >&2
  exit 1
}

# mirror: where this machine's apt gets Debian from; nothing if it does not say.
mirror() {
  # shellcheck disable=SC2016 # apt's variable
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' 2>/dev/null | head -n 1
}

make_debian() {
  [ ! -e $root ] || return 0
  local from
  [ "$(id -u)" = 0 ] || fail "making a Debian needs root"
  command -v debootstrap >/dev/null || fail "there is no debootstrap (Debian: debootstrap)"
  from=$(mirror)
  [ -n "$from" ] || fail "apt does not say where it gets Debian from"
  mkdir -p build
  rm -rf $root.new
  echo "bench/trixie.sh: making $root, from ${from}" >&2
  # In a namespace, for debootstrap mounts /proc.
  unshare --mount debootstrap --variant=minbase $suite $root.new "$from" >$root.log 2>&1 ||
    fail "debootstrap failed; it said last: $(tail -n 3 $root.log)"
  cp /etc/resolv.conf $root.new/etc/
  inside $root.new env DEBIAN_FRONTEND=noninteractive sh -euc "apt-get -q update
    apt-get -q -y --no-install-recommends install $packages" >>$root.log 2>&1 ||
    fail "its packages cannot be installed; apt-get said last: $(tail -n 3 $root.log)"
  mv $root.new $root
}

# inside FOLDER COMMAND...: in the Debian of a folder.
inside() {
  mkdir -p "$1/bench" "$1/source" build/bench
  # shellcheck disable=SC2016 # for the inner shell
  local steps='
    mount -t proc proc "$0/proc"
    mount --rbind /dev "$0/dev"
    mount --bind build/bench "$0/bench"
    mount --bind -o ro bench "$0/source"
    exec chroot "$0" "$@"'
  unshare --mount --pid --fork --kill-child sh -euc "$steps" "$1" env -u BUILD PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "${@:2}"
}

case ${1:-} in
make) make_debian ;;
in)
  [ -e $root ] || fail "there is no $root (bench/trixie.sh make makes it)"
  inside $root "${@:2}"
  ;;
*)
  sed -n '/^# Usage/,/^#$/p' "$0" >&2
  exit 2
  ;;
esac
