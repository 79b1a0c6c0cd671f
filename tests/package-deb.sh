#!/usr/bin/env bash
# Makes the Debian packages, lets lintian look at them, installs them in a fresh Debian 12 (by debootstrap, in a folder that
# goes away), and builds and runs programs there. The Debian needs root and a network; without these it is left out.
#
# Usage: tests/package-deb.sh
# The last line is "N passed, N failed"; the status is 1 if any failed.
set -euo pipefail

cd "$(dirname "$0")/.."
. tests/check.sh
unset BUILD
suite=bookworm
base=build/$suite.tar # a fresh Debian, kept for the next time
version=$(scripts/version)
root=$(mktemp -d)
trap 'rm -rf "$root" "$log"' EXIT
chmod 755 "$root"

# mirror: where this machine's apt gets Debian from; nothing if it does not say.
mirror() {
  # shellcheck disable=SC2016 # apt's variable
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' 2>/dev/null | head -n 1
}

# lacking: why there can be no Debian here; nothing if there can.
lacking() {
  local from
  from=$(mirror)
  [ "$(id -u)" = 0 ] || { echo "it needs root"; return; }
  command -v debootstrap >/dev/null || { echo "debootstrap is not installed"; return; }
  unshare --mount --pid --fork true 2>/dev/null || { echo "namespaces cannot be made"; return; }
  [ -n "$from" ] || { echo "apt does not say where it gets Debian from"; return; }
  /usr/lib/apt/apt-helper download-file "${from}dists/$suite/InRelease" "$root/InRelease" >/dev/null 2>&1 ||
    echo "Debian's packages cannot be reached"
  rm -f "$root/InRelease"
}

# inside COMMAND...: in the fresh Debian. What is mounted and what runs there ends with the command.
inside() {
  # shellcheck disable=SC2016 # for the inner shell
  unshare --mount --pid --fork --kill-child sh -c 'mount -t proc proc "$0/proc" && mount -t tmpfs shm "$0/dev/shm" && exec chroot "$0" "$@"' "$root" \
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive ${http_proxy:+http_proxy="$http_proxy"} "$@"
}

# as_user COMMAND: a line for the shell, of a user without any rights, in /home/user.
as_user() {
  inside setpriv --reuid=1000 --regid=1000 --clear-groups timeout -k 5 120 sh -euc "cd /home/user && $1"
}

fresh() {
  if ! [ -e $base ]; then
    mkdir -p "$root/new" && debootstrap --variant=minbase $suite "$root/new" "$(mirror)" && mkdir -p build &&
      tar -cf "$base.new" -C "$root/new" . && mv "$base.new" $base && rm -rf "$root/new" || return 1
  fi
  tar -xf $base -C "$root" && echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe" && cp /etc/resolv.conf "$root/etc/" &&
    cp build/deb/*.deb "$root/tmp/" && mkdir "$root/home/user" &&
    cp -r tests/consumer "$root/home/user/" && chown -R 1000:1000 "$root/home/user"
}

# packages: they are five, of the header's version, and depend on each other's very version.
packages() {
  local name said="" libc="libc6 \([^)]*\)" below=""
  [[ $version != 0.* ]] || below=", libhcomm1 (<< $(awk -F. '{ print $1 "." $2 + 1 }' <<<"$version")~)"
  for name in libhcomm1 libhcomm-dev libhcomm-mpi hcomm-tools python3-hcomm; do
    said+=$(dpkg-deb -f build/deb/${name}_"${version}"_*.deb Package Version Depends | tr '\n' ' ') || return 1
  done
  [[ $said =~ $libc ]] && same "$said" "Package: libhcomm1 Version: $version Depends: ${BASH_REMATCH[0]} \
Package: libhcomm-dev Version: $version Depends: libhcomm1 (= $version) \
Package: libhcomm-mpi Version: $version Depends: libhcomm1 (= $version), ${BASH_REMATCH[0]} \
Package: hcomm-tools Version: $version Depends: libhcomm1 (= $version) \
Package: python3-hcomm Version: $version Depends: libhcomm1 (>= $version)$below, python3:any "
}

# bound: programs will depend on a library with which hcomm.h promises that they work.
bound() {
  local want="libhcomm.so.1 libhcomm1 #MINVER#"
  [[ $version != 0.* ]] || want+=", libhcomm1 (<< $(awk -F. '{ print $1 "." $2 + 1 }' <<<"$version")~)"
  same "$(dpkg-deb -I build/deb/libhcomm1_"${version}"_*.deb symbols | head -n 1)" "$want"
}

# runtime: the library and the command need nothing that such a Debian has not.
runtime() {
  inside sh -euc 'dpkg -i /tmp/libhcomm1_* /tmp/hcomm-tools_*; ldconfig -p | grep "libhcomm.so.1 "; ! ls /usr/lib/*/libhcomm.so' &&
    as_user "hcomm version | grep 'hcomm $version ' && hcomm bench barrier -n 2 --bind none --seconds 0.01"
}

development() {
  inside sh -euc 'apt-get -q update
    apt-get -q -y --no-install-recommends install /tmp/libhcomm-dev_*.deb g++ make cmake pkgconf
    test -e /usr/share/man/man3/libhcomm.3.gz
    test -e /usr/share/doc/libhcomm-dev/examples/trainer.cpp'
}

consumer="header $version, library $(awk -F. '{ print $1 * 10000 + $2 * 100 + $3 }' <<<"$version"), 4 ranks, sum 6"

by_pkg_config() {
  # shellcheck disable=SC2016 # for the inner shell
  same "$(as_user 'echo $(pkg-config --modversion hcomm) $(pkg-config --cflags --libs hcomm)')" "$version -lhcomm" && as_user "
    gcc -Wall -Wextra -Werror -o c consumer/consumer.c \$(pkg-config --cflags --libs hcomm)
    g++ -Wall -Wextra -Werror -o cpp consumer/consumer.cpp \$(pkg-config --cflags --libs hcomm)
    for program in ./c ./cpp; do hcomm run -n 4 \$program | tee said; test \"\$(cat said)\" = '$consumer'; done"
}

by_find_package() {
  as_user "
    cmake -S consumer -B build -DHOW=package
    cmake --build build
    for program in consumer-c consumer-cpp; do hcomm run -n 4 build/\$program | tee said; test \"\$(cat said)\" = '$consumer'; done"
}

hello() {
  # shellcheck disable=SC2016 # for the inner shell
  as_user 'gcc -o hello /usr/share/doc/libhcomm-dev/examples/hello.c -lhcomm && hcomm run -n 4 ./hello | tee said
    test "$(grep -c "all ranks. numbers add up to 6" said)" = 4'
}

trainer() {
  as_user 'g++ -O2 -o trainer /usr/share/doc/libhcomm-dev/examples/trainer.cpp -lhcomm && hcomm run -n 4 ./trainer loss.svg | tee said
    grep -q "4 ranks, weights bit-identical" said && grep -q "<svg " loss.svg'
}

python() {
  inside sh -euc 'apt-get -q -y --no-install-recommends install /tmp/python3-hcomm_*.deb' &&
    as_user 'hcomm run -n 4 python3 /usr/share/doc/libhcomm-dev/examples/train.py | tee said
    grep -q "4 ranks without numpy, weights bit-identical" said'
}

# mpi: programs for Debian's MPIs are served. The library needs no path.
mpi() {
  local name
  inside sh -euc 'apt-get -q -y --no-install-recommends install /tmp/libhcomm-mpi_*.deb libopenmpi-dev openmpi-bin libmpich-dev mpich' &&
    tests/preload.sh "$root"/usr/lib/*/libhcomm_mpi.so --look || return 1
  for name in openmpi mpich; do
    as_user "export HOME=\$PWD # Open MPI needs one
      mpicc.$name -O2 -o cg /usr/share/doc/libhcomm-dev/examples/mpi/cg.c -lm
      LD_PRELOAD=libhcomm_mpi.so HCOMM_MPI_REPORT=1 HCOMM_MPI_AFTER=8 mpirun.$name -n 2 ./cg 2>&1 | tee said
      grep -q '^2 ranks: 579 turns' said && grep -Eq '^hcomm: allreduce +[^ ]+ +[1-9]' said" || return 1
  done
}

removal() {
  local left
  inside dpkg -P python3-hcomm hcomm-tools libhcomm-dev libhcomm-mpi libhcomm1 && left=$(find "$root/usr" "$root/etc" "$root/var/lib/dpkg/info" -name '*hcomm*') &&
    same "$left" "" && ! inside ldconfig -p | grep hcomm
}

debian() {
  local why
  why=$(lacking)
  if [ -n "$why" ]; then
    skip "a fresh Debian: $why"
    return
  fi
  check "a fresh Debian" fresh || return 0
  check "libhcomm1 and hcomm-tools alone" runtime || return 0
  check "libhcomm-dev, and compilers" development || return 0
  check "pkg-config" by_pkg_config || true
  check "find_package" by_find_package || true
  check "hello.c" hello || true
  check "trainer.cpp, four ranks" trainer || true
  check "python3-hcomm and train.py, four ranks" python || true
  check "libhcomm-mpi, Open MPI and MPICH, two ranks" mpi || true
  check "removed without a trace" removal || true
}

check "make deb" scripts/deb || { counted; exit; }
check "five packages, of version $version" packages || true
check "what programs will depend on" bound || true
if command -v lintian >/dev/null; then
  check "lintian" lintian --allow-root --profile debian --fail-on error,warning build/deb/*.changes || true
else
  skip "lintian: it is not installed"
fi
debian
counted
