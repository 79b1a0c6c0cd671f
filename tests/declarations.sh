#!/usr/bin/env bash
# Counts the functions that include/hcomm.h declares, and fails if one of them is called by no test program: none in tests/c,
# tests/stories or tests/python. CC is another compiler.
set -euo pipefail

cd "$(dirname "$0")/.."
compiler=${CC:-gcc}
own=$(mktemp -d)
trap 'rm -rf "$own"' EXIT

# declared: by the compiler's account.
declared() {
  "$compiler" -x c -aux-info "$own/prototypes" -fsyntax-only include/hcomm.h
  sed -nE 's|^/\* include/hcomm\.h:.* \*/ extern .*[ *](\w+) \(.*|\1|p' "$own/prototypes" | sort -u
}

# code: what the test programs have but comments and strings.
code() {
  find tests/c tests/stories -name '*.[ch]' -o -name '*.cpp' | while read -r file; do
    "$compiler" -w -x c -fpreprocessed -dD -E -P "$file"
  done
  if [ -d tests/python ]; then
    find tests/python -name '*.py' -exec sed 's/#.*//' {} +
  fi
}

declared >"$own/declared"
code | sed -E 's/"([^"\\]|\\.)*"//g' | grep -oE '\b\w+ *\(' | tr -d ' (' | sort -u >"$own/called"
missing=$(comm -23 "$own/declared" "$own/called" | tr '\n' ' ')
if [ -n "$missing" ]; then
  echo "tests/declarations.sh: no test program calls: $missing" >&2
  exit 1
fi
count=$(wc -l <"$own/declared")
[ "$count" -gt 0 ] || exit 1
echo "$count functions are declared; a test program calls each"
