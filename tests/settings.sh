#!/usr/bin/env bash
# Settings that one of three ranks has otherwise than the others: all ranks are told, at once, whose it is. Settings that are
# misspelt, or in files, and what is written of them and where.
#
# Usage: tests/settings.sh PROGRAM     (PROGRAM makes a communicator from the environment)
set -euo pipefail

program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HOME=$folder # without a file of settings
unset XDG_CONFIG_HOME HCOMM_CONFIG

fail() {
  printf '%s\n' "$@"
  exit 1
}

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

# has TEXT WORDS TIMES WHAT: so many lines of the text have the words; + for some.
has() {
  local times
  times=$(grep -c -- "$2" <<<"$1" || true)
  [ "$times" = "$3" ] || { [ "$3" = + ] && [ "$times" -gt 0 ]; } || fail "$4: \"$2\" is there $times times, not $3:" "$1"
}

differing() {
  local rank
  for rank in 1 2; do
    told "HCOMM_SLOTS is \"auto\" on rank 0 .* but \"8\" on rank $rank" $rank HCOMM_SLOTS=8
    told "HCOMM_ALGO is not set on rank 0 .* but \"reduce:chain\" on rank $rank" $rank HCOMM_ALGO=reduce:chain
    told "HCOMM_DETERMINISTIC is \"0\" on rank 0 .* but \"1\" on rank $rank" $rank HCOMM_DETERMINISTIC=1
  done
  for rank in 0 1 2; do
    told 'must be collective:algorithm' $rank HCOMM_ALGO=junk
    told '1 to 64' $rank HCOMM_SLOTS=1000
    told 'HCOMM_SPIN=fast' $rank HCOMM_SPIN=fast
    told 'HCOMM_SIMD=sse' $rank HCOMM_SIMD=sse
    told 'HCOMM_DEBUG=loud' $rank HCOMM_DEBUG=loud
    told 'HCOMM_TIMEOUT=-1' $rank HCOMM_TIMEOUT=-1
    told 'HCOMM_CONFIG: the file /nonexistent cannot be read' $rank HCOMM_CONFIG=/nonexistent
  done
}

# tables: ranks with other tuning tables, and files that are none.
tables() {
  local rank table='{"version": 1, "tables": [{"collective": "allreduce", "ranks": 3, "rows": [{"algorithm": "%s"}]}]}'
  # shellcheck disable=SC2059 # the table is the format
  printf "$table" ring >"$folder/ring"
  # shellcheck disable=SC2059
  printf "$table" rnig >"$folder/rnig"
  # shellcheck disable=SC2059
  printf "\\n$table\\n" ring >"$folder/same"
  : >"$folder/secret"
  chmod 666 "$folder/secret"
  for rank in 1 2; do
    told "HCOMM_TUNE_FILE is not set on rank 0 (host .*, pid .*), but \"$folder/ring\", with another table, on rank $rank (host" \
      $rank HCOMM_TUNE_FILE="$folder/ring"
  done
  for rank in 0 1 2; do
    told "HCOMM_TUNE_FILE: $folder/rnig:1: tables\[0\].rows\[0\].algorithm: AllReduce has no algorithm" $rank HCOMM_TUNE_FILE="$folder/rnig"
    told 'HCOMM_TUNE_FILE: the file /nonexistent cannot be read: no such file' $rank HCOMM_TUNE_FILE=/nonexistent
    told "HCOMM_TUNE_FILE: the file $folder/secret is refused: everybody may write to it" $rank HCOMM_TUNE_FILE="$folder/secret"
  done
  # On rank 0 only it is everyone's, and under another name it is the same.
  for rank in 0 1; do
    # shellcheck disable=SC2016 # for the rank's shell
    timeout -k 5 20 hcomm run -n 3 sh -c '[ "$HCOMM_RANK" != 0 ] || export HCOMM_TUNE_FILE="$1/ring"
      [ "$HCOMM_RANK" != "$2" ] || export HCOMM_TUNE_FILE="$1/same"; exec "$3"' rank "$folder" $rank "$program" </dev/null ||
      fail "a table on rank 0 alone, or the same in two files"
  done
}

# alike: ranks that write the same value in other ways.
alike() {
  # shellcheck disable=SC2016 # for the rank's shell
  HCOMM_SLOTS=8 HCOMM_ALGO=reduce:flat,allreduce:ring timeout -k 5 20 hcomm run -n 2 \
    sh -c '[ "$HCOMM_RANK" = 0 ] || export HCOMM_SLOTS=08 HCOMM_ALGO="AllReduce:ring, reduce:flat"; exec "$1"' rank "$program" \
    </dev/null || fail "08 is not 8, or algorithms in another order are others"
}

# run WHAT VARIABLE=VALUE...: two ranks with these succeed; what they write is in $output.
run() {
  local what=$1
  shift
  output=$(timeout -k 5 20 env "$@" hcomm run -n 2 "$program" 2>&1 </dev/null) || fail "$what:" "$output"
}

misspelt() {
  run "a misspelt variable" HCOMM_TIMEUOT=5 HCOMM_SECRT=hidden HCOMM_TEST_X=1 HCOMM_HOME=/opt
  has "$output" '^hcomm: warning: HCOMM_TIMEUOT=5 is no setting: did you mean HCOMM_TIMEOUT? (hcomm env lists all)$' 2 "a misspelt variable"
  has "$output" '^hcomm: warning: HCOMM_SECRT is no setting: did you mean HCOMM_SECRET? (hcomm env lists all)$' 2 "a misspelt secret"
  has "$output" 'warning' 4 "misspelt variables"
}

# The files, in the order in which they count; each has a setting that no file before it has, and one that all have.
files() {
  mkdir -p "$folder/.config" "$folder/xdg"
  printf '# mine\nHCOMM_SLOTS = 5\nHCOMM_SPIN=100\nHCOMM_TIMEOUT=77\n' >"$folder/.config/hcomm.conf"
  printf 'HCOMM_SLOTS=6\nHCOMM_SPIN=200' >"$folder/named.conf"
  printf 'HCOMM_SLOTS=7' >"$folder/xdg/hcomm.conf"

  run "the user's file" HCOMM_DEBUG=info
  has "$output" "info: HCOMM_SLOTS=5 ($folder/.config/hcomm.conf:2)" 2 "the user's file"
  run "the user's file elsewhere" HCOMM_DEBUG=info XDG_CONFIG_HOME="$folder/xdg"
  has "$output" "info: HCOMM_SLOTS=7 ($folder/xdg/hcomm.conf:1)" 2 "the user's file elsewhere"
  has "$output" HCOMM_TIMEOUT 0 "the user's file elsewhere"
  run "a file of one's own" HCOMM_DEBUG=info HCOMM_CONFIG="$folder/named.conf" HCOMM_SLOTS=8
  has "$output" "info: HCOMM_SLOTS=8 (environment)" 2 "a variable before a file"
  has "$output" "info: HCOMM_SPIN=200 ($folder/named.conf:2)" 2 "HCOMM_CONFIG before the user's file"
  has "$output" "info: HCOMM_TIMEOUT=77 ($folder/.config/hcomm.conf:4)" 2 "the user's file behind HCOMM_CONFIG"
  has "$output" "8 slots of 65536 bytes" + "what counts"

  # A rank with another file has other settings.
  told "HCOMM_SLOTS is \"5\" on rank 0 .* but \"6\" on rank 1" 1 HCOMM_CONFIG="$folder/named.conf"

  printf 'HCOMM_TIMEUOT=1\n' >"$folder/named.conf"
  run "a misspelt line" HCOMM_CONFIG="$folder/named.conf"
  has "$output" "^hcomm: warning: $folder/named.conf:1: HCOMM_TIMEUOT is no setting: did you mean HCOMM_TIMEOUT?" 2 "a misspelt line"
  printf '\nHCOMM_SLOTS\n' >"$folder/named.conf"
  told "$folder/named.conf:2: the line must be NAME=value" 1 HCOMM_CONFIG="$folder/named.conf"
  printf 'HCOMM_SLOTS=6\n' >"$folder/named.conf"
  chmod 666 "$folder/named.conf"
  told "$folder/named.conf is refused: everybody may write to it" 0 HCOMM_CONFIG="$folder/named.conf"
  chmod 666 "$folder/.config/hcomm.conf"
  run "the user's file, refused" HCOMM_DEBUG=info
  has "$output" "^hcomm: warning: the file $folder/.config/hcomm.conf is refused: everybody may write to it" 2 "the user's file, refused"
  has "$output" "16 slots of 65536 bytes" + "the user's file, refused"
  rm -r "$folder/.config"
}

# The host's file: in an /etc of its own, where that can be made.
host_file() {
  if ! unshare -rm true 2>/dev/null; then
    echo "skipped: /etc/hcomm.conf, for no mounts can be made here"
    return
  fi
  mkdir -p "$folder/.config" "$folder/etc"
  printf 'HCOMM_SLOTS=5\n' >"$folder/.config/hcomm.conf"
  printf 'HCOMM_SLOTS=9\nHCOMM_SPIN=300\nHCOMM_DEBUG=info\n' >"$folder/etc/hcomm.conf"
  # shellcheck disable=SC2016 # for the shell in there
  output=$(unshare -rm sh -c 'mount --bind "$1" /etc && exec timeout -k 5 20 hcomm run -n 2 "$2"' host "$folder/etc" "$program" 2>&1 \
    </dev/null) || fail "the host's file:" "$output"
  has "$output" "info: HCOMM_SPIN=300 (/etc/hcomm.conf:2)" 2 "the host's file"
  has "$output" "info: HCOMM_SLOTS=5 ($folder/.config/hcomm.conf:1)" 2 "the user's file before the host's"
  rm -r "$folder/.config"
}

log_files() {
  local file files text
  run "a log for each process" HCOMM_DEBUG=trace HCOMM_DEBUG_FILE="$folder/log.%h.%p"
  ! grep -q 'hcomm: ' <<<"$output" || fail "lines are on standard error though there is a file:" "$output"
  files=("$folder/log.$(uname -n)."*)
  [ ${#files[@]} = 2 ] || fail "not two files, but ${files[*]}"
  for file in "${files[@]}"; do
    text=$(cat "$file")
    has "$text" "^[-0-9]*T[:.0-9]*Z $(uname -n) ${file##*.} hcomm: info: rank [01] (host " + "$file"
    ! grep -qv " $(uname -n) ${file##*.} hcomm: \(info\|trace\): " <<<"$text" || fail "lines of others:" "$text"
    has "$text" "hcomm: trace: rank [01] of 2: AllReduce #1 of " + "$file"
  done
  run "one log" HCOMM_DEBUG=trace HCOMM_DEBUG_FILE="$folder/log"
  text=$(cat "$folder/log")
  has "$text" "hcomm: info: rank [01] (host " + "one log"
  ! grep -qvE '^[-0-9]+T[:.0-9]+Z [^ ]+ [0-9]+ hcomm: (info: .*|trace: rank [01] of [12]: [^:]*)$' <<<"$text" || fail "lines have mixed:" "$text"
  run "a log that cannot be" HCOMM_DEBUG_FILE=/nonexistent/log
  has "$output" "^hcomm: warning: HCOMM_DEBUG_FILE=/nonexistent/log: .*no such file or directory" 2 "a log that cannot be"
}

# env_command: what hcomm env says of all this.
env_command() {
  local status=0
  printf 'HCOMM_SLOTS=6\nHCOMM_SECRET=hidden\n' >"$folder/named.conf"
  chmod 644 "$folder/named.conf"
  output=$(HCOMM_CONFIG=$folder/named.conf HCOMM_SPIN=5 HCOMM_TIMEUOT=5 hcomm env 2>&1)
  has "$output" "^HCOMM_SLOTS  *6  *$folder/named.conf:1  *auto  *for how many" 1 "hcomm env"
  has "$output" "^HCOMM_SPIN  *5  *environment  *auto " 1 "hcomm env"
  has "$output" "^HCOMM_TIMEOUT  *1800  *default  *1800 " 1 "hcomm env"
  has "$output" "^HCOMM_SECRET  *set  *$folder/named.conf:2 " 1 "hcomm env"
  has "$output" "hidden" 0 "hcomm env"
  has "$output" "warning: $folder/named.conf:2: HCOMM_SECRET is in a file that others can read" 1 "hcomm env"
  has "$output" "warning: HCOMM_TIMEUOT=5 is no setting: did you mean HCOMM_TIMEOUT?" 1 "hcomm env"
  output=$(HCOMM_SLOTS=1000 hcomm env --json HCOMM_SLOTS 2>&1) || status=$?
  [ $status = 1 ] || fail "hcomm env with a bad value: status $status"
  has "$output" '"value": "1000"' 1 "hcomm env --json"
}

differing
tables
alike
misspelt
files
host_file
log_files
env_command
