#!/usr/bin/env bash
# Installs what is in build/ in temporary folders, and builds and runs the programs of tests/consumer against that, by
# pkg-config, and by CMake with find_package, add_subdirectory and FetchContent, with each compiler that is here.
#
# Usage: tests/package.sh
# The last line is "N passed, N failed"; the status is 1 if any failed.
set -euo pipefail

cd "$(dirname "$0")/.."
tree=$PWD
. tests/check.sh
unset MAKEFLAGS MAKELEVEL BUILD DESTDIR CC CXX CMAKE_PREFIX_PATH PKG_CONFIG_PATH LD_LIBRARY_PATH
export CMAKE_BUILD_PARALLEL_LEVEL=2
folder=$(mktemp -d)
trap 'rm -rf "$folder" "$log"' EXIT
version=$(scripts/version)
IFS=. read -r major minor patch <<<"$version"
code=$((major * 10000 + minor * 100 + patch))

compilers=(gcc:g++)
if command -v clang++ >/dev/null; then
  compilers+=(clang:clang++)
else
  skip "clang: it is not installed"
fi

# right COMMAND...: four ranks of a consumer say what they must. It runs outside the tree, without any path to it.
right() {
  local said
  said=$(cd "$folder" && timeout -k 5 60 "$tree/build/bin/hcomm" run -n 4 "$@") &&
    same "$said" "header $version, library $code, 4 ranks, sum 6"
}

# by_pkg_config FOLDER COMPILERS: the folder is where hcomm.pc lies.
by_pkg_config() {
  local flags out libdir
  out=$(mktemp -d -p "$folder")
  export PKG_CONFIG_PATH=$1
  [ "$(pkg-config --modversion hcomm)" = "$version" ] && libdir=$(pkg-config --variable=libdir hcomm) &&
    read -ra flags <<<"$(pkg-config --cflags --libs hcomm) -Wl,-rpath,$libdir" &&
    "${2%:*}" -std=c99 -Wall -Wextra -Werror -o "$out/c" tests/consumer/consumer.c "${flags[@]}" &&
    "${2#*:}" -std=c++11 -Wall -Wextra -Werror -o "$out/cpp" tests/consumer/consumer.cpp "${flags[@]}" &&
    right "$out/c" && right "$out/cpp" && [ -f "$(pkg-config --variable=mpi_preload hcomm)" ]
}

# by_cmake COMPILERS OPTION...: a copy of the consumer, so that nothing near it is found by chance.
by_cmake() {
  local out pair=$1
  shift
  out=$(mktemp -d -p "$folder")
  cp -r tests/consumer "$out/source" &&
    cmake -S "$out/source" -B "$out/build" -DCMAKE_C_COMPILER="${pair%:*}" -DCMAKE_CXX_COMPILER="${pair#*:}" "$@" &&
    cmake --build "$out/build" && right "$out/build/consumer-c" && right "$out/build/consumer-cpp" &&
    [ -f "$(cat "$out/build/mpi_preload")" ]
}

# each_way NAME PREFIX
each_way() {
  local pair
  for pair in "${compilers[@]}"; do
    check "$1: pkg-config, ${pair%:*}" by_pkg_config "$2/lib/pkgconfig" "$pair" || true
    check "$1: find_package, ${pair%:*}" by_cmake "$pair" -DHOW=package -DCMAKE_PREFIX_PATH="$2" || true
  done
}

# listing FOLDER: what is in it, with modes and where links lead to.
listing() {
  (cd "$1" && find . ! -type d -printf '%P %m %l\n' | LC_ALL=C sort)
}

# expected: what a listing must be, as far as the names do not depend on what docs/ has.
expected() {
  cat <<END
bin/hcomm 755
include/hcomm.h 644
lib/cmake/hcomm/hcommConfig.cmake 644
lib/cmake/hcomm/hcommConfigVersion.cmake 644
lib/libhcomm.so 777 libhcomm.so.1
lib/libhcomm.so.$version 644
lib/libhcomm.so.1 777 libhcomm.so.$version
lib/libhcomm_mpi.so 644
lib/pkgconfig/hcomm.pc 644
lib/python3/dist-packages/hcomm/__init__.py 644
lib/python3/dist-packages/hcomm/py.typed 644
share/doc/hcomm/LICENSE 644
share/doc/hcomm/README.md 644
share/doc/hcomm/copyright 644
share/doc/hcomm/docs/design.md 644
share/doc/hcomm/docs/errors/README.md 644
share/doc/hcomm/docs/settings.md 644
share/doc/hcomm/docs/tune.schema.json 644
share/doc/hcomm/examples/hello.c 644
share/doc/hcomm/examples/hello.py 644
share/doc/hcomm/examples/hello_mpi.c 644
share/doc/hcomm/examples/mpi/cg.c 644
share/doc/hcomm/examples/overlap.c 644
share/doc/hcomm/examples/survive.c 644
share/doc/hcomm/examples/survive.py 644
share/doc/hcomm/examples/train.py 644
share/doc/hcomm/examples/trainer.cpp 644
share/man/man1/hcomm-bench.1 644
share/man/man1/hcomm-env.1 644
share/man/man1/hcomm-plan.1 644
share/man/man1/hcomm-run.1 644
share/man/man1/hcomm-status.1 644
share/man/man1/hcomm-tune.1 644
share/man/man1/hcomm-version.1 644
share/man/man1/hcomm.1 644
share/man/man3/libhcomm.3 644
share/man/man7/hcomm.7 644
END
}

# installs PREFIX [MAKE'S ARGUMENT...]: with a narrow umask, into a new folder, and the tree is not touched.
installs() {
  local prefix=$1 touched
  shift
  touch "$folder/before"
  (umask 077 && make install "$@") && listing "$prefix" >"$folder/listing" &&
    [ -z "$(comm -23 <(expected | LC_ALL=C sort) <(sed 's/ $//' "$folder/listing" | LC_ALL=C sort) | tee /dev/stderr)" ] &&
    [ -z "$(find "$prefix" -type d ! -perm 755 | tee /dev/stderr)" ] || return 1
  touched=$(find . -path ./.git -prune -o -newer "$folder/before" -print)
  [ -z "$touched" ] || { echo "make install has written: $touched"; return 1; }
}

installation() {
  check "make install PREFIX=" installs "$folder/prefix" PREFIX="$folder/prefix" || return 0
  check "make install prefix= libdir=, as GNU has them" installs_elsewhere || true
  check "make install PREFIX= DESTDIR=" installs_at_root || true
  check "make install refuses a relative folder" refuses_relative || true
  check "make install DESTDIR=" installs "$folder/stage/opt/hcomm" PREFIX=/opt/hcomm DESTDIR="$folder/stage" || return 0
  check "what is installed names no folder" names_no_folder || true
  check "import hcomm from there" imports || true
  check "libhcomm_mpi.so from there" tests/preload.sh "$folder/prefix/lib/libhcomm_mpi.so" || true
  check "make install as another user" installs_as_nobody || true
  each_way "installed" "$folder/prefix"
  each_way "staged in DESTDIR, and used there" "$folder/stage/opt/hcomm"
  mv "$folder/prefix" "$folder/moved"
  each_way "moved" "$folder/moved"
  check "libhcomm_mpi.so, moved" tests/preload.sh "$folder/moved/lib/libhcomm_mpi.so" || true
  mv "$folder/moved" "$folder/prefix"
  check "make uninstall" uninstalls || true
}

installs_elsewhere() {
  make install prefix="$folder/gnu" libdir="$folder/gnu/lib/a/b" includedir="$folder/headers" &&
    by_pkg_config "$folder/gnu/lib/a/b/pkgconfig" gcc:g++ && by_cmake gcc:g++ -DHOW=package -Dhcomm_DIR="$folder/gnu/lib/a/b/cmake/hcomm"
}

# installs_at_root: where DESTDIR is the root of a file system of its own.
installs_at_root() {
  make install PREFIX= DESTDIR="$folder/root" && by_pkg_config "$folder/root/lib/pkgconfig" gcc:g++ &&
    by_cmake gcc:g++ -DHOW=package -DCMAKE_PREFIX_PATH="$folder/root"
}

# refuses_relative: the shell does not everywhere make a home of ~.
refuses_relative() {
  local said folders
  # shellcheck disable=SC2088 # it is to stay
  for folders in 'PREFIX=~/hcomm' "PREFIX=$folder/no LIBDIR=lib64"; do
    # shellcheck disable=SC2086 # two words
    if said=$(make install $folders 2>&1) || [[ $said != *"does not start with /"* ]] || [ -e '~' ] || [ -e "$folder/no" ]; then
      echo "$folders: $said"
      return 1
    fi
  done
}

# imports: Python finds the library beside the package.
imports() {
  local python=lib/python3/dist-packages
  same "$(PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$folder/prefix/$python python3 -c 'import hcomm; print(hcomm.library_version())')" \
    "$version"
}

names_no_folder() {
  ! grep -rlF -e "$folder" -e "$tree/capi" -e "$tree/packaging" "$folder/prefix" "$folder/stage"
}

# installs_as_nobody: a user who may not write in the tree.
installs_as_nobody() {
  mkdir -m 777 "$folder/nobody" && chmod 755 "$folder" || return 1
  if [ "$(id -u)" = 0 ] && setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$tree"; then
    setpriv --reuid=65534 --regid=65534 --clear-groups make install PREFIX="$folder/nobody/prefix"
  else
    echo "not as root, or the tree is not readable for others" && make install PREFIX="$folder/nobody/prefix"
  fi
}

uninstalls() {
  echo mine >"$folder/prefix/lib/mine" && make uninstall PREFIX="$folder/prefix" || return 1
  same "$(cd "$folder/prefix" && find . ! -type d -o -name hcomm)" ./lib/mine
}

versions() {
  local said
  said=$(build/bin/hcomm version)
  check "hcomm version, and hcomm.pc" test "${said%% linux*}" = "hcomm $version" || true
  check "find_package accepts what it should" cmake -S tests/consumer/versions -B "$folder/versions" \
    -DCMAKE_PREFIX_PATH="$folder/stage/opt/hcomm" -DMAJOR="$major" -DMINOR="$minor" -DPATCH="$patch" || true
  check "a tag of HEAD is the version's" tag_is_version || true
}

tag_is_version() {
  local tag
  [ -e .git ] || return 0
  for tag in $(git tag --points-at HEAD 'v[0-9]*'); do
    [ "$tag" = "v$version" ] || { echo "the tag is $tag"; return 1; }
  done
}

# cmake_top: hcomm itself by CMake, twice at a time from one tree, by two generators.
cmake_top() {
  local generator=Ninja
  command -v ninja >/dev/null || generator="Unix Makefiles"
  cmake -S . -B "$folder/one" -G "Unix Makefiles" -DCMAKE_INSTALL_LIBDIR=lib && cmake -S . -B "$folder/two" -G "$generator" || return 1
  cmake --build "$folder/one" >"$folder/one.log" 2>&1 &
  if ! cmake --build "$folder/two" || ! wait $!; then
    cat "$folder/one.log"
    return 1
  fi
  cmp "$folder/one/hcomm/lib/libhcomm.so.1" "$folder/two/hcomm/lib/libhcomm.so.1" || return 1
  # Nothing is built again that is there.
  touch "$folder/before" && cmake --build "$folder/one" && [ ! "$folder/one/hcomm/lib/libhcomm.so.1" -nt "$folder/before" ]
}

cmake_installs() {
  cmake --install "$folder/one" --prefix "$folder/cmake" && diff <(listing "$folder/cmake") <(listing "$folder/stage/opt/hcomm") &&
    DESTDIR=$folder/cmake-stage cmake --install "$folder/one" --prefix /opt/hcomm &&
    diff <(listing "$folder/cmake-stage/opt/hcomm") <(listing "$folder/stage/opt/hcomm")
}

# ctests: ctest has a test for each program that is to be run, and one for the headers; some are run.
ctests() {
  local have want
  have=$(ctest --test-dir "$folder/one" -N | sed -n 's/^ *Test *#[0-9]*: hcomm\.//p' | sort)
  want=$({ echo headers && grep -lE '^[/ ]*\* *run:' tests/c/*.c tests/c/*.cpp | xargs -n 1 basename | sed 's/\..*//'; } | sort)
  diff <(echo "$have") <(echo "$want") &&
    ctest --test-dir "$folder/one" -R '^hcomm\.(headers|smoke|errors)$' --output-on-failure --no-tests=error &&
    [ -x "$folder/one/hcomm/tests/c/smoke" ]
}

sources() {
  local pair
  check "cmake: two builds at a time" cmake_top || return 0
  check "cmake --install is make install" cmake_installs || true
  check "ctest" ctests || true
  for pair in "${compilers[@]}"; do
    check "add_subdirectory, ${pair%:*}" by_cmake "$pair" -DHOW=subdirectory -DHCOMM_SOURCE="$tree" || true
    check "FetchContent of a folder, ${pair%:*}" by_cmake "$pair" -DHOW=fetch -DFETCHCONTENT_SOURCE_DIR_HCOMM="$tree" || true
  done
}

# same_archive: make dist makes the same bytes in a clone and with another umask.
same_archive() {
  scripts/dist && cp build/dist/hcomm-"$version".tar.gz "$folder/" && git clone -q --shared . "$folder/clone" &&
    (umask 077 && "$folder/clone/scripts/dist") &&
    cmp "$folder/hcomm-$version.tar.gz" "$folder/clone/build/dist/hcomm-$version.tar.gz"
}

# refuses_tag: HEAD with the tag of another version; with its own all is well.
refuses_tag() {
  local clone=$folder/clone
  git -C "$clone" tag "v$version" && "$clone/scripts/dist" && git -C "$clone" tag v99.0.0 || return 1
  ! "$clone/scripts/dist" 2>"$folder/refusal" && grep -q 'has the tag v99.0.0' "$folder/refusal"
}

# builds_alone: the archive, unpacked, without git, network and what Go has fetched before, and in a folder whose name needs
# quotes.
builds_alone() {
  local alone="$folder/by itself, alone"
  mkdir "$alone" && tar -xf "$folder/hcomm-$version.tar.gz" -C "$alone" &&
    GOPROXY=off GOFLAGS="" GOMODCACHE="$folder/nothing" make -C "$alone/hcomm-$version" all &&
    "$alone/hcomm-$version/tests/run-c.sh" smoke
}

archive() {
  local pair
  if ! [ -e .git ]; then
    skip "make dist: this is no git checkout"
    return
  fi
  check "make dist" same_archive || return 0
  check "make dist refuses another version's tag" refuses_tag || true
  check "the archive builds by itself" builds_alone || true
  for pair in "${compilers[@]}"; do
    check "FetchContent of the archive, ${pair%:*}" \
      by_cmake "$pair" -DHOW=fetch -DHCOMM_URL="file://$folder/hcomm-$version.tar.gz" || true
  done
}

# page FILE: troff has nothing to say against it, and it has the name that its file has.
page() {
  local said
  said=$(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$1" 2>&1 >/dev/null) && same "$said" "" &&
    lexgrog "$1" | grep -F "\"$(basename "${1%.*}") - "
}

# licensed: packaging/copyright has each module that is linked into what is installed.
licensed() {
  local module
  for module in $(scripts/go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}' ./capi ./cmd/hcomm | sort -u); do
    grep -q "^Files: vendor/${module%/v[0-9]}/\*" packaging/copyright || { echo "packaging/copyright lacks $module"; return 1; }
  done
}

documents() {
  local file
  for file in docs/man/*; do
    check "man: ${file##*/}" page "$file" || true
  done
  check "packaging/copyright has the modules" licensed || true
}

installation
versions
sources
archive
documents
counted
