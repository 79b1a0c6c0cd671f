#!/usr/bin/env bash
# Builds the library in a folder of its own, for a test, and puts the header and the command of build beside it. More flags
# come from GOFLAGS, CGO_CFLAGS and CGO_LDFLAGS.
#
# Usage: tests/library.sh FOLDER TAGS   (makes FOLDER/lib/libhcomm.so)
set -euo pipefail

cd "$(dirname "$0")/.."
mkdir -p "$1/lib" "$1/obj" "$1/include"
CGO_ENABLED=1 scripts/go build -trimpath -buildvcs=false -tags "$2" -buildmode=c-shared \
  -ldflags "-extldflags \"-Xlinker '--version-script=$PWD/capi/hcomm.map' -Wl,-soname,libhcomm.so.1\"" \
  -o "$1/obj/libhcomm.so.1" ./capi
mv "$1/obj/libhcomm.so.1" "$1/lib/libhcomm.so.1" # the folder of the link step also gets a header of cgo's
ln -sf libhcomm.so.1 "$1/lib/libhcomm.so"
cp include/hcomm.h "$1/include"
ln -sfn "$PWD/build/bin" "$1/bin"
