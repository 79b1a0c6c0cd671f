# Counts checks; scripts in this folder source it.
# shellcheck shell=bash

passed=0 failed=0 skipped=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# check NAME COMMAND...: counts a command; what it prints is shown if it fails.
check() {
  local name=$1 status=0
  shift
  "$@" >"$log" 2>&1 </dev/null || status=$?
  if [ "$status" = 0 ]; then
    passed=$((passed + 1))
    echo "ok    $name"
    return 0
  fi
  failed=$((failed + 1))
  echo "FAIL  $name (status $status)"
  sed 's/^/      /' "$log"
  return 1
}

# skip REASON
skip() {
  skipped=$((skipped + 1))
  echo "SKIP  $1"
}

# said FILE WORD: what the comment at the top of a program says under a word, a line each.
said() {
  sed -n "s|^[/ ]*[*!] *$2: *\\(.*[^ */]\\)[ */]*\$|\\1|p" "$1"
}

# same HAVE WANT
same() {
  [ "$1" = "$2" ] && return
  printf 'it is:      %s\nand not:    %s\n' "$1" "$2"
  return 1
}

# says STATUS TEXT COMMAND...: the command ends with this status, and prints this text, with its lines sorted.
says() {
  local want=$1 text=$2 status=0 said
  shift 2
  said=$(timeout -k 5 60 "$@" | LC_ALL=C sort) || status=$?
  same "$said" "$text" && same "status $status" "status $want"
}

# greets COMMAND...: says for examples/hello*, with 2 ranks.
greets() {
  says 0 "I am rank 0, and all ranks' numbers add up to 1
I am rank 1, and all ranks' numbers add up to 1" hcomm run -n 2 "$@"
}
# survives COMMAND...: says for examples/survive.c and survive.py, with 4 ranks.
survives() {
  says 137 "2 of the ranks have added up 49995000
rank 2 of 3 has died
rank 3 of 4 has died" hcomm run -n 4 --no-kill "$@"
}

# counted: the last line; fails if a check has, or if there was none.
counted() {
  local line="$passed passed, $failed failed"
  [ $skipped = 0 ] || line="$line, $skipped skipped"
  echo "$line"
  [ "$failed" = 0 ] && [ "$passed" != 0 ]
}
