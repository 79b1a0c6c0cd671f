#!/usr/bin/env bash
# Builds and runs the programs in tests/c against build/, or the folder that the variable BUILD names. Each says how in
# the comment at its top, one line for each run:
#
#   run: hcomm run -n 4 %p        %p is the program; the run passes with status 0
#   slow: hcomm run -n 8 %p       one that is done with --slow only, and then nothing else is
#   flags: -pthread               for the compiler
#   timeout: 60                   seconds for each of the runs, ten times that for a slow one; 60 if it is not said
#
# Usage: tests/run-c.sh [--slow] [NAME ...]      (of smoke.c, the name is smoke; without names: all; "headers" checks
#                                                hcomm.h with each compiler)
#
# Variables, for other builds of the library:
#   BUILD=build/asan              where lib/libhcomm.so is, and the programs go; build if it is not set
#   CC=aarch64-linux-gnu-gcc      another compiler
#   TEST_FLAGS='-fsanitize=...'   more flags for it
#   TEST_SLOWNESS=3               what timeouts are multiplied by
#   TEST_UNDER='valgrind -q'      what %p is run under
#   TEST_SKIP='threads 8$'        a regular expression: runs that it matches, with their NAME and ": " before them, are
#                                 not done
#
# The last line is "N passed, N failed"; the status is 1 if any failed.
set -euo pipefail

cd "$(dirname "$0")/.."
BUILD=$(realpath -e "${BUILD:-build}")
export BUILD
build=$BUILD/tests/c
read -ra more_flags <<<"${TEST_FLAGS:-}"
mkdir -p "$build"
PATH="$BUILD/bin:$PATH"
. tests/check.sh
kind=run
if [ "${1:-}" = --slow ]; then
  kind=slow
  shift
fi

# headers: hcomm.h is clean C and C++ to each compiler that is here.
headers() {
  local compiler standard
  for compiler in gcc clang; do
    command -v "$compiler" >/dev/null || continue
    for standard in c99 c17; do
      check "hcomm.h: $compiler -std=$standard" "$compiler" -std=$standard -Wall -Wextra -pedantic -Werror \
        -I"$BUILD/include" -fsyntax-only tests/c/header_c99.c || true
    done
  done
  for compiler in g++ clang++; do
    command -v "$compiler" >/dev/null || continue
    for standard in c++11 c++20; do
      check "hcomm.h: $compiler -std=$standard" "$compiler" -std=$standard -Wall -Wextra -pedantic -Werror -Wno-deprecated-declarations \
        -I"$BUILD/include" -fsyntax-only tests/c/header_cpp11.cpp || true
    done
  done
}

# program FILE: builds it and does its runs.
program() {
  local file=$1 name limit line flags run words out compiler=("${CC:-gcc}" -std=gnu11)
  name=$(basename "${file%.*}")
  [ -n "$(said "$file" $kind)" ] || return 0
  out=$build/$name
  [ "${file##*.}" = cpp ] && compiler=(g++ -std=c++11)
  read -ra flags <<<"$(said "$file" flags)"
  # shellcheck disable=SC2016 # $ORIGIN is for the loader
  check "$name: build" "${compiler[@]}" -O2 -g -Wall -Wextra -Werror -I"$BUILD/include" "${flags[@]}" \
    "${more_flags[@]}" -o "$out" "$file" -L"$BUILD/lib" -lhcomm -Wl,-rpath,'$ORIGIN/../../lib' || return 0
  limit=$(said "$file" timeout | head -n 1)
  limit=$((${limit:-60} * ${TEST_SLOWNESS:-1}))
  [ $kind = run ] || limit=${limit}0
  while read -r line; do
    [ -n "$line" ] || continue
    if [ -n "${TEST_SKIP:-}" ] && [[ "$name: $line" =~ $TEST_SKIP ]]; then
      echo "skip  $name: $line"
      continue
    fi
    read -ra words <<<"${line//%p/${TEST_UNDER:-} %p}"
    run=(timeout -k 5 "$limit" "${words[@]//%p/"$out"}")
    check "$name: $line" "${run[@]}" || true
  done < <(said "$file" $kind)
}

# wanted NAME: no names were given, or this one was.
names=" $* "
wanted() {
  [ "$names" = "  " ] || [[ "$names" == *" $1 "* ]]
}

if [ $kind != slow ] && wanted headers; then
  headers
fi
for file in tests/c/*.c tests/c/*.cpp; do
  if wanted "$(basename "${file%.*}")"; then
    program "$file"
  fi
done
counted
