#!/usr/bin/env bash
# Settings that one of three ranks has otherwise than the others: all ranks are told, at once, whose it is.
#
# Usage: tests/settings.sh PROGRAM     (PROGRAM makes a communicator from the environment)
set -euo pipefail

program=$1

# told WORDS RANK SETTING: the rank has the setting; all three ranks must fail with the words.
told() {
  local output status=0
  # shellcheck disable=SC2016 # for the rank's shell
  output=$(timeout -k 5 20 hcomm run -n 3 --no-kill \
    sh -c '[ "$HCOMM_RANK" != "$1" ] || export "$2"; exec "$3"' rank "$2" "$3" "$program" 2>&1 </dev/null) || status=$?
  if [ "$status" = 0 ] || [ "$(grep -c "$1" <<<"$output")" -lt 3 ]; then
    echo "$3 on rank $2: status $status, not three times \"$1\":"
    echo "$output"
    exit 1
  fi
}

for rank in 1 2; do
  told "HCOMM_SLOTS is \"4\" on rank 0 .* but \"8\" on rank $rank" $rank HCOMM_SLOTS=8
  told "HCOMM_ALGO is not set on rank 0 .* but \"reduce:chain\" on rank $rank" $rank HCOMM_ALGO=reduce:chain
  told "HCOMM_DETERMINISTIC is \"0\" on rank 0 .* but \"1\" on rank $rank" $rank HCOMM_DETERMINISTIC=1
done
for rank in 0 1 2; do
  told 'must be collective:algorithm' $rank HCOMM_ALGO=junk
  told '1 to 64' $rank HCOMM_SLOTS=1000
  told 'HCOMM_SPIN=fast' $rank HCOMM_SPIN=fast
  told 'HCOMM_SIMD=sse' $rank HCOMM_SIMD=sse
done
