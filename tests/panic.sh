#!/usr/bin/env bash
# Builds the library that panics where HCOMM_TEST_PANIC says, and lets collectives and messages of both halves do it.
#
# Usage: tests/panic.sh PROGRAM   (what tests/c/panic.c makes)
set -euo pipefail

program=$1
cd "$(dirname "$0")/.."
folder=$(realpath "${BUILD:-build}")/tests/provoke
mkdir -p "$folder"
CGO_ENABLED=1 scripts/go build -trimpath -tags netgo,osusergo,hcomm_provoke -buildmode=c-shared \
  -ldflags "-extldflags \"-Xlinker '--version-script=$PWD/capi/hcomm.map' -Wl,-soname,libhcomm.so.1\"" \
  -o "$folder/libhcomm.so.1" ./capi

export LD_LIBRARY_PATH=$folder
export HCOMM_ALGO=barrier:dissemination # the other one is exchanged in C, where no panic is
for function in hcomm{AllReduce,Broadcast,Reduce,AllGather,ReduceScatter,AlltoAll,Gather,Scatter,Barrier,Send,Recv,GroupEnd,CommSplit,CommDup} \
  HCOMM_{Allreduce,Bcast,Reduce,Allgather,Reduce_scatter_block,Alltoall,Gather,Scatter,Barrier,Send,Recv,Sendrecv} \
  HCOMM_{Iallreduce,Wait,Comm_dup}; do
  for ranks in 2 3; do
    output=$(timeout -k 5 30 hcomm run -n $ranks "$program" "$function" 2>&1) || { echo "$output"; exit 1; }
    [ "$(grep -c 'lives$' <<<"$output")" = $ranks ] || { echo "$function: $output"; exit 1; }
    echo "$function, $ranks ranks: the panic became an error"
  done
done
