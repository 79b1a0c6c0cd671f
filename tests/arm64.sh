#!/usr/bin/env bash
# Builds everything for arm64 and runs tests of it, on a machine of another kind, by qemu's emulator of user programs. That
# is an emulator of instructions, not of the order of memory: the host's is stronger, so little here would show a barrier
# that is missing (but qemu 7.2 on x86-64 lets a load pass an atomic store, which no arm64 does). It is slow, too: what
# takes a minute or more is for --slow.
#
# Not run: cmd/hcomm's own tests of signals and orphans, which the emulator handles in its own ways (C programs are started
# by the command for arm64 all the same), and programs that measure time or depend on it.
#
# Usage: tests/arm64.sh [--slow]
set -euo pipefail

cd "$(dirname "$0")/.."
build=build/arm64
export CC=aarch64-linux-gnu-gcc GOARCH=arm64 BUILD=$build
go=scripts/go

section() { printf '\n== %s\n' "$*"; }

fail() {
  echo "tests/arm64.sh: $*" >&2
  exit 1
}

# emulated COMMAND...: runs it where the kernel hands programs for arm64 to the emulator. If it does not on this machine,
# it does in a namespace (Linux 6.7 or newer); there the command runs as an ordinary user.
emulated() {
  if $build/bin/hcomm version >/dev/null 2>&1; then
    "$@"
    return
  fi
  # shellcheck disable=SC2016 # $ is for the inner shell
  unshare --user --map-root-user --mount bash -euc '
    mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
    printf %s "$1" >/proc/sys/fs/binfmt_misc/register
    shift
    exec unshare --user --map-user=1000 --map-group=1000 "$@"
  ' bash "$(cat /usr/lib/binfmt.d/qemu-aarch64.conf)" "$@" || return
}

# fused lists the multiplications that are one instruction with an addition in what computes results: they round once, so
# that the bits would not be those of other machines. A clock may.
fused() {
  aarch64-linux-gnu-objdump -d --no-show-raw-insn "$1" | awk '
    /^[0-9a-f]+ </ { name = $2; ours = name ~ /^<hcomm\/(simd|engine)\./ || name !~ /[.\/]/ || name ~ /\.(part|constprop)/
      ours = ours && name !~ /Wtime/ }
    ours { seen++ }
    ours && $2 ~ /^fn?(madd|msub|mla|mls)/ { print name, $0 }
    END { if (seen < 10000) print "only " seen + 0 " instructions were looked at" }'
}

built() {
  section "Build for arm64"
  env -u CC -u GOARCH -u BUILD make --no-print-directory
  make --no-print-directory BUILD=$build GOARCH=$GOARCH CC=$CC
  tests/preload.sh $build/lib/libhcomm_mpi.so --look
  CGO_ENABLED=0 $go vet ./simd ./stack ./link/shm ./engine ./hmm
  # Once more with its symbols.
  CGO_ENABLED=1 $go build -trimpath -buildvcs=false -tags netgo,osusergo -buildmode=c-shared -o $build/obj/symbols.so ./capi
  local found
  found=$(fused $build/obj/symbols.so)
  [ -z "$found" ] || fail "a product and a sum are fused: $found"
}

# The packages without C. What is slow is left to --slow.
packages() {
  section "go test"
  local packages=(./simd ./engine ./link/... ./hmm ./memfd ./meet ./forked ./stack ./settings ./processors ./cmd/hcomm/bench)
  [ "$1" = default ] || packages+=(./plan ./cmd/hcomm/draw ./docs/gen)
  CGO_ENABLED=0 $go test -count=1 -short -timeout 20m "${packages[@]}"
}

programs() {
  section "C programs"
  local names=(smoke p2p ahead collective_errors errors)
  [ "$1" = default ] || names+=(mpi mpi_errors exit mismatch abort)
  tests/run-c.sh "${names[@]}"
}

# bits: random reductions, moves and messages have the results that they have on this machine. kinds takes all NaNs for one.
bits() {
  section "The same bits as on $(uname -m)"
  local ranks deterministic machine results
  gcc -std=gnu11 -O2 -pthread -Iinclude -o build/obj/kinds tests/c/kinds.c -Lbuild/lib -lhcomm -Wl,-rpath,"$PWD/build/lib"
  $CC -std=gnu11 -O2 -pthread -Iinclude -o $build/obj/kinds tests/c/kinds.c -L$build/lib -lhcomm -Wl,-rpath,"$PWD/$build/lib"
  for ranks in 2 3; do
    for deterministic in 0 1; do
      results=
      for machine in build $build; do
        results+=" $(HCOMM_DETERMINISTIC=$deterministic build/bin/hcomm run -n "$ranks" --timeout 120 "$machine/obj/kinds" --record --seed 2026 --cases 40)"
      done
      # shellcheck disable=SC2086 # two words
      set -- $results
      echo "$ranks ranks, HCOMM_DETERMINISTIC=$deterministic: $1 $2"
      [ "$1" = "$2" ] || fail "the bits differ"
    done
  done
}

tests() {
  # The emulator keeps a record of each page of a mapping: a small arena keeps that small, too.
  ulimit -f 1048576
  export QEMU_LD_PREFIX=/usr/aarch64-linux-gnu
  $build/bin/hcomm version | grep ' linux/arm64 ' || fail "hcomm version does not say linux/arm64"
  packages "$1"
  programs "$1"
  bits
}

case ${1:-} in
--inside) tests "$2" ;;
--slow | '')
  built
  emulated "$0" --inside "${1:-default}"
  ;;
*) fail "usage: tests/arm64.sh [--slow]" ;;
esac
