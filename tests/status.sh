#!/usr/bin/env bash
# What hcomm status says, from another shell, of ranks that hang: that one is stopped, that one is in another call or in
# none, that one is missing at start; to whom it says it; and that a process leaves nothing behind.
#
# Usage: tests/status.sh PROGRAM     (PROGRAM: what tests/c/status.c makes)
set -euo pipefail

program=$1
folder=$(mktemp -d)
jobs=() # started in the background
pids=() # of the ranks; others of this user may be running, too
cleanup() {
  [ ${#jobs[@]} = 0 ] || kill "${jobs[@]}" 2>/dev/null || true
  wait
  rm -rf "$folder"
}
trap cleanup EXIT
unset HCOMM_STATUS

fail() {
  printf '%s\n' "$@"
  exit 1
}

# until_true SECONDS WHAT COMMAND...: tries until the command succeeds.
until_true() {
  local end=$((SECONDS + $1 * ${TEST_SLOWNESS:-1})) what=$2
  shift 2
  until "$@"; do
    [ $SECONDS -lt $end ] || fail "in time not: $what" "$(ours)" "$(cat "$folder/output")"
    sleep 0.02
  done
}

# ours: what hcomm status says of the ranks.
ours() { hcomm status "${pids[@]}" 2>&1 || true; }

are_ready() {
  local rank
  for ((rank = 0; rank < $1; rank++)); do
    [ -f "$folder/$rank" ] || return 1
  done
}

# start RANKS HOW: starts ranks, and waits until they have their communicators.
start() {
  local rank
  rm -f "$folder"/[0-9]*
  timeout 300 hcomm run -n "$1" "$program" "$2" "$folder" >"$folder/output" 2>&1 </dev/null &
  jobs+=($!)
  pids=()
  until_true 20 "$1 ranks are there" are_ready "$1"
  for ((rank = 0; rank < $1; rank++)); do pids+=("$(pid_of "$rank")"); done
}

# finish: ends what start has started last.
finish() {
  local last=$((${#jobs[@]} - 1))
  kill "${jobs[last]}" || fail "it has ended:" "$(cat "$folder/output")"
  wait "${jobs[last]}" || true
  unset "jobs[last]"
}

pid_of() { cat "$folder/$1"; }

# says EXPRESSION: hcomm status has a line like this of the ranks.
says() { ours | grep -E -- "$1" >/dev/null; }

# nothing: no rank answers, and no socket is left.
nothing() {
  local pid
  for pid in "${pids[@]}"; do
    ! grep -q "@hcomm-status-$(id -u)-$pid\b" /proc/net/unix || return 1
    hcomm status "$pid" >"$folder/said" 2>&1 && return 1
  done
  return 0
}

# parses PID...: the JSON is some.
parses() {
  hcomm status --json "$@" >"$folder/json" 2>"$folder/said" || grep -q 'does not answer' "$folder/said" || fail "$(cat "$folder/said")"
  ! command -v python3 >/dev/null || python3 -m json.tool "$folder/json" >/dev/null || fail "no JSON:" "$(cat "$folder/json")"
}

stopped() {
  local pid status=0
  start 8 loop
  hcomm status >"$folder/said"
  for pid in "${pids[@]}"; do
    grep -q "^process $pid (status)$" "$folder/said" || fail "process $pid is not among all:" "$(cat "$folder/said")"
  done
  [ "$(ours | grep -c '^process .*(status)$')" = 8 ] || fail "not eight processes:" "$(ours)"
  pid=$(pid_of 5)
  kill -STOP "$pid"
  until_true 10 "rank 5 is late, for it is stopped" \
    says "^late: rank 5 \(host .*, pid $pid\) of a communicator of 8 .* AllReduce #[0-9]+ .* and its process is stopped"
  says "^process $pid \(status\): it is stopped" || fail "the stopped process:" "$(ours)"
  says "rank 5 of a communicator of 8, as its peers see it: it (is|was last) in collective #" || fail "its peers' view:" "$(ours)"
  hcomm status "$pid" >"$folder/said" 2>&1 || status=$?
  [ $status = 1 ] || fail "of a stopped process the status is $status:" "$(cat "$folder/said")"
  parses "${pids[@]}"
  grep -q '"state": "stopped"' "$folder/json" || fail "JSON:" "$(cat "$folder/json")"
  kill -CONT "$pid"
  until_true 10 "nobody is late" eval "! says '^late:'"
  finish
}

absent() {
  start 3 absent
  until_true 10 "rank 1 is late, for it has not called" \
    says "^late: rank 1 \(host .*, pid $(pid_of 1)\) of a communicator of 3 has not called AllReduce #2 .*: it was last in AllReduce #1 .*; 2 processes wait"
  says "rank 0 of a communicator of 3: in AllReduce #2 of 1 float32 with sum \(4 bytes, [a-z]+\), where nothing has moved" || fail "rank 0:" "$(ours)"
  hcomm status "$(pid_of 2)" >"$folder/said" || fail "rank 2 alone"
  [ "$(grep -c '^process' "$folder/said")" = 1 ] || fail "not rank 2 alone:" "$(cat "$folder/said")"
  others
  finish
  until_true 10 "nothing is left" nothing
}

elsewhere() {
  start 3 elsewhere
  until_true 10 "rank 1 waits for a message instead" \
    says "^late: rank 1 .* has not called AllReduce #2 .*: it waits in Recv of .*4 bytes from rank 0.*; 2 processes wait"
  until_true 10 "rank 0 keeps rank 1 waiting" says "^late: rank 0 .* is waited for in Recv of .* from rank 0.*: it is in AllReduce #2"
  finish
}

crossed() {
  start 2 crossed
  until_true 10 "rank 1 waits in another communicator" \
    says "^late: rank 1 .* has not called AllReduce #3 .*, and it waits in another communicator, of 2 ranks, in AllReduce #1"
  until_true 10 "rank 0 waits in another communicator" \
    says "^late: rank 0 .* has not called AllReduce #1 .*, and it waits in another communicator, of 2 ranks, in AllReduce #3"
  finish
}

missing() {
  local rank port=$((20000 + $$ % 10000))
  pids=()
  for rank in 0 1 3; do
    HCOMM_RANK=$rank HCOMM_SIZE=4 HCOMM_ROOT=127.0.0.1:$port "$program" loop "$folder" >"$folder/output" 2>&1 </dev/null &
    jobs+=($!)
    pids+=($!)
  done
  until_true 20 "rank 2 is missing" says "^late: rank 2 of 4 has not come to the start at .*; 3 processes wait, for "
  until_true 20 "rank 3 knows that rank 0 is there" says "rank 3 of 4, at the start .*: rank 0 is there, and waits for others"
  says "rank 0 of 4, at the start at 127.0.0.1:$port for .* \(an error after 120 s\): missing: rank 2$" || fail "rank 0:" "$(ours)"
  [ "$(ours | grep -c '^late:')" = 1 ] || fail "more than rank 2:" "$(ours)"
  kill "${jobs[@]}"
  wait "${jobs[@]}" || true
  jobs=()
  until_true 10 "nothing is left" nothing
}

# Another user: his processes are told nothing, and neither can he make one of ours speak.
others() {
  local status=0
  if [ "$(id -u)" != 0 ] || ! setpriv --reuid=65534 --clear-groups true 2>/dev/null; then
    echo "skipped: another user, for this is not root"
    return
  fi
  cp "$(command -v hcomm)" "$folder/hcomm"
  chmod 755 "$folder" "$folder/hcomm"
  setpriv --reuid=65534 --clear-groups "$folder/hcomm" status "$(pid_of 0)" >"$folder/said" 2>&1 || status=$?
  if [ $status != 1 ] || ! grep -q "process $(pid_of 0) does not answer: it is another user's" "$folder/said" || grep -q AllReduce "$folder/said"; then
    fail "another user is told (status $status):" "$(cat "$folder/said")"
  fi
  setpriv --reuid=65534 --clear-groups "$folder/hcomm" status >"$folder/said"
  ! grep -q "process $(pid_of 0)" "$folder/said" || fail "another user sees:" "$(cat "$folder/said")"
}

killed() {
  start 3 loop
  kill -KILL "${pids[@]}"
  wait "${jobs[0]}" || true
  jobs=()
  nothing || fail "after kill -9:" "$(ours)" "$(grep hcomm-status /proc/net/unix || true)"
}

# A child that was forked has nothing of the parent's socket.
forked() {
  rm -f "$folder"/[0-9]*
  HCOMM_RANK=0 HCOMM_SIZE=1 "$program" fork "$folder" >"$folder/output" 2>&1 </dev/null &
  jobs=($!)
  pids=($!)
  until_true 20 "a rank is there" are_ready 1
  says "^process ${pids[0]} " || fail "the parent:" "$(ours)"
  kill -KILL "${jobs[0]}"
  wait "${jobs[0]}" 2>/dev/null || true
  jobs=("$(pid_of 0)")
  kill -0 "${jobs[0]}" || fail "the child has gone"
  nothing || fail "a forked child keeps the socket:" "$(ours)" "$(grep hcomm-status /proc/net/unix || true)"
  kill -KILL "${jobs[0]}"
  jobs=()
}

many() {
  start 2 many
  parses "${pids[@]}"
  [ "$(grep -c '"still":' "$folder/json")" = 402 ] || fail "not 402 communicators, but $(grep -c '"still":' "$folder/json")"
  finish
}

silent() {
  local status=0
  HCOMM_STATUS=0 start 2 loop
  nothing || fail "HCOMM_STATUS=0:" "$(ours)"
  hcomm status "${pids[0]}" >"$folder/said" 2>&1 || status=$?
  [ $status = 1 ] || fail "HCOMM_STATUS=0: status $status"
  finish
}

called_wrongly() {
  local status
  for arguments in "x 125" "0 125" "--nonsense 125" "$$ 1" "999999999 1"; do
    status=0
    hcomm status "${arguments% *}" >"$folder/said" 2>&1 || status=$?
    [ $status = "${arguments#* }" ] || fail "hcomm status ${arguments% *}: status $status:" "$(cat "$folder/said")"
  done
  parses
}

stopped
absent
elsewhere
crossed
missing
killed
forked
many
silent
called_wrongly
