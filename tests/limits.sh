#!/usr/bin/env bash
# What is lacking is an error that says so, not the end of the process. Usage: tests/limits.sh PROGRAM (of limits.c)
set -euo pipefail

program=$1

# lacks LIMIT WORDS: under a limit of ulimit the program's calls fail with the words.
lacks() {
  local said status=0
  said=$(sh -c "ulimit $1; exec '$program'" 2>&1 3>&- 4>&- 5>&-) || status=$? # what this shell has inherited counts, too
  if [ "$status" != 0 ] || ! grep -q "$2" <<<"$said"; then
    echo "limits.sh: with ulimit $1 the program ended with status $status, without the words '$2': $said" >&2
    exit 1
  fi
}

for n in 4 5 6 7 8 9 10; do
  lacks "-n $n" 'ulimit -n'
done
lacks '-f 0' 'ulimit -f'
lacks '-f 100' 'ulimit -f'
