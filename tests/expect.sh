#!/usr/bin/env bash
# Runs a command that must end with a status other than 0, and must print something.
#
# Usage: tests/expect.sh STATUS WORDS COMMAND...   (WORDS: what one line of the output has, with _ for a space)
set -euo pipefail

want=$1 words=${2//_/ } status=0
shift 2
output=$("$@" 2>&1) || status=$?
echo "$output"
if [ "$status" != "$want" ]; then
  echo "status $status, not $want"
  exit 1
fi
if ! grep -qF -- "$words" <<<"$output"; then
  echo "'$words' was not printed"
  exit 1
fi
