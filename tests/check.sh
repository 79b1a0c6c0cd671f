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

# same HAVE WANT
same() {
  [ "$1" = "$2" ] && return
  printf 'it is:      %s\nand not:    %s\n' "$1" "$2"
  return 1
}

# counted: the last line; fails if a check has, or if there was none.
counted() {
  local line="$passed passed, $failed failed"
  [ $skipped = 0 ] || line="$line, $skipped skipped"
  echo "$line"
  [ "$failed" = 0 ] && [ "$passed" != 0 ]
}
