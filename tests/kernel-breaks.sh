#!/usr/bin/env bash
# A test of the tests of package simd: breaks one instruction of its assembly at a time, and each time these tests must fail.
#
# Usage: tests/kernel-breaks.sh [WORD]      (with a word, only the breaks whose description has it)
# What a break replaces must be there, and the broken kernel must assemble; otherwise the script fails, too.
# shellcheck disable=SC2016 # the dollars are the assembler's
set -euo pipefail

cd "$(dirname "$0")/.."
if [ "$(scripts/go env GOARCH)" != amd64 ]; then
  echo "the kernels are amd64's"
  exit 0
fi
only=${1:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
killed=0 survived=0 skipped=0

fail() {
  echo "tests/kernel-breaks.sh: $*" >&2
  exit 1
}

# tests BINARY ARGUMENT...: runs the tests where their files are.
tests() {
  (cd simd && timeout 300 "$@" >"$work/log" 2>&1 </dev/null)
}

# where FILE FUNCTION LABEL PATTERN: the line of the first instruction of the function, from the label on, that matches.
where() {
  start="^TEXT ·$2[(]SB[)]" label=$3 pattern=$4 awk '
    /^TEXT / { inside = 0 }
    $0 ~ ENVIRON["start"] { inside = 1; reached = ENVIRON["label"] == ""; next }
    $0 == ENVIRON["label"] ":" { reached = inside }
    inside && reached && /^\t/ && $0 ~ ENVIRON["pattern"] { print NR; exit }' "$1"
}

# prepare DESCRIPTION FUNCTION LABEL PATTERN REPLACEMENT: writes the broken file and sets file and line. PATTERN and REPLACEMENT are those of sed -E; LABEL may be empty.
prepare() {
  file=$(grep -l "^TEXT ·$2(SB)" simd/*_amd64.s) || fail "$1: there is no $2"
  line=$(where "$file" "$2" "$3" "$4")
  [ -n "$line" ] || fail "$1: $2 has no $4 from '$3' on; this script must follow the generator"
  sed -E "${line}s@$4@$5@" "$file" >"$work/broken.s"
  ! cmp -s "$file" "$work/broken.s" || fail "$1: the replacement changes nothing"
}

# broken: the same arguments; the tests must fail.
broken() {
  local instruction
  [[ $1 == *"$only"* ]] || return 0
  if [[ $2 == *AVX512 ]] && [ "$levels" != all ]; then
    skipped=$((skipped + 1))
    return 0
  fi
  prepare "$@"
  instruction=$(sed -n "${line}p" "$work/broken.s")
  printf '{"Replace": {"%s": "%s"}}\n' "$PWD/$file" "$work/broken.s" >"$work/overlay.json"
  scripts/go test -c -overlay "$work/overlay.json" -o "$work/broken.test" ./simd || fail "$1: does not assemble: $instruction"
  if tests "$work/broken.test" -test.short; then
    survived=$((survived + 1))
    echo "SURVIVED  $1: $2, line $line:$instruction"
    return 0
  fi
  killed=$((killed + 1))
  echo "ok    $1: $2: $(found)"
}

# found: the tests that failed, or where it crashed.
found() {
  grep -oE '^(--- FAIL: \w+|unexpected fault address|SIGSEGV|fatal error: .*|panic: test timed out)' "$work/log" |
    sed 's/--- FAIL: //' | sort -u | paste -sd ' ' || true
}

breaks() {
  # What an instruction computes.
  "$1" "max for min" minInt32AVX2 main 'VPMINSD' 'VPMAXSD'
  "$1" "unsigned for signed" maxInt64AVX512 main 'VPMAXSQ' 'VPMAXUQ'
  "$1" "signed for unsigned" maxUint64AVX2 main 'VPXOR( +)all64_8000000000000000_4' 'VPXOR\1all64_0000000000000001_4'
  "$1" "double for single precision" sumFloat32AVX2 main 'VADDPS' 'VADDPD'
  "$1" "a sum for a product" prodFloat64AVX2 main 'VMULPD' 'VADDPD'
  "$1" "bytes for words" sumInt16AVX2 main 'VPADDW' 'VPADDB'
  "$1" "a wrong shift" prodInt64AVX2 main 'VPSLLQ( +)[$]0x20' 'VPSLLQ\1$0x1f'
  "$1" "a wrong mask of bytes" prodInt8AVX2 main 'all16_ff00_16' 'all16_00ff_16'
  "$1" "the truth of negative numbers" logicalAndInt8AVX2 main 'VPMINUB' 'VPMINSB'
  "$1" "or for xor" logicalXorInt64AVX512 main 'VPXORQ' 'VPORQ'

  # NaN, zeros and rounding.
  "$1" "the NaN of b wins" maxFloat32AVX512 main 'VADDPS( +)([YZ][0-9]+), ([YZ][0-9]+)' 'VADDPS\1\3, \2'
  "$1" "NaN is forgotten" maxFloat32AVX2 rare2 'VORPS.*' 'NOP'
  "$1" "a NaN among the numbers" minFloat32AVX2 rare2 'VANDNPS' 'VANDPS'
  "$1" "a number among the NaNs" maxFloat64AVX2 rare2 'VANDPD' 'VANDNPD'
  "$1" "a NaN that is not seen" minFloat64AVX2 main 'VMOVMSKPD( +)[^,]+, ([A-Z0-9]+)' 'XORL\1\2, \2'
  "$1" "a comparison that finds the ordered" minFloat64AVX2 main 'VCMPPD( +)[$]0x03' 'VCMPPD\1$0x07'
  "$1" "an infinity passes for NaN" maxFloat16AVX512 main 'VPCMPUW( +)[$]0x06' 'VPCMPUW\1$0x05'
  "$1" "+0 for -0" minFloat32AVX2 main 'VORPS' 'VANDPS'
  "$1" "the sign of a zero" maxFloat64AVX512 main 'VRANGEPD( +)[$]0x05' 'VRANGEPD\1$0x01'
  "$1" "a wrong constant of rounding" sumBFloat16AVX2 main 'all32_00007fff_8' 'all32_00000001_8'
  "$1" "the halves mixed up" prodBFloat16AVX2 main 'VPBLENDW( +)[$]0xaa' 'VPBLENDW\1$0x55'
  "$1" "truncated, not rounded" convertFloat32ToFloat16AVX512 main 'VCVTPS2PH( +)[$]0x00' 'VCVTPS2PH\1$0x03'
  "$1" "the sign is lost" convertFloat32ToFloat8E5M2AVX2 main 'VPOR .*' 'NOP'
  "$1" "no limit to the exponent" sumFloat8E4M3AVX512 main 'VPMINUD.*' 'NOP'
  "$1" "a NaN is not found" sumBFloat16AVX2 main 'VCMPPS( +)[$]0x03' 'VCMPPS\1$0x0b'
  "$1" "a NaN passes for a number" convertFloat8E4M3ToFloat32AVX2 main 'VPCMPEQW.*' 'NOP'
  "$1" "a NaN keeps its sign" scaleFloat16AVX512 '' 'VMOVDQU32( +)[YZ][0-9]+, K.*' 'NOP'
  "$1" "the first vector for the second" scaleFloat64AVX2 main 'VMULPD( +)32[(]' 'VMULPD\1('

  # Where it is read and stored.
  "$1" "a tail a vector too early" maxFloat32AVX512 long 'LEAQ( +)-64[(]' 'LEAQ\1-128('
  "$1" "the last 16 bytes taken from elsewhere" sumInt32AVX2 short 'VINSERTI128( +)[$]0x01, -16[(]' 'VINSERTI128\1$0x01, -32('
  "$1" "a head that cuts elements" sumInt32AVX2 '' 'ANDQ( +)[$]-4' 'ANDQ\1$-1'
  "$1" "stored before it is read again" sumInt64AVX2 '' 'CMPQ( +[A-Z0-9]+), [$]0x00000080' 'CMPQ\1, $0x00000040'
  "$1" "a long kernel for few bytes" maxFloat64AVX512 '' 'CMPQ( +[A-Z0-9]+), [$]0x40' 'CMPQ\1, $0x20'
  "$1" "one destination passes for two" minFloat16AVX512 other 'TESTQ( +)[$]0x00000001' 'TESTQ\1$0x00000002'
  "$1" "the second result in the first's place" minFloat64AVX512 other 'VMOVDQU64( +[YZ][0-9]+), [(]CX[)]' 'VMOVDQU64\1, (AX)'
  "$1" "streamed to the first, not the second" maxFloat32AVX512 streamed2 'VMOVNTDQ( +[YZ][0-9]+), [(]CX[)]' 'VMOVNTDQ\1, (AX)'
  "$1" "streamed to where it is not aligned" orBitsAVX2 '' 'CMOVQEQ.*' 'NOP'
  "$1" "a short load left out" logicalOrInt16AVX2 loade 'VMOVD.*' 'NOP'
  "$1" "more read than there is" andBitsAVX2 loadi 'VMOVQ( +)[(]DX[)]' 'VMOVDQU\1(DX)'
  "$1" "more stored than there is" xorBitsAVX2 storei 'VMOVQ( +X[0-9]+), [(]AX[)]' 'VMOVDQU\1, (AX)'
  "$1" "a step of a conversion too far" convertBFloat16ToFloat32AVX2 main 'ADDQ( +)[$]0x40' 'ADDQ\1$0x20'
  "$1" "the end of a copy" copyAVX2 '' '-32[(]' '-64('
  "$1" "a copy to one place only" copy2AVX512 main 'VMOVDQU64( +[YZ][0-9]+), [(]CX[)]' 'VMOVDQU64\1, (AX)'
  "$1" "a stream that skips" streamAVX2 main 'ADDQ( +)[$]0x20' 'ADDQ\1$0x40'
}

scripts/go test -c -o "$work/whole.test" ./simd
tests "$work/whole.test" -test.short || fail "the tests fail without a break: $(cat "$work/log")"
tests "$work/whole.test" -test.v -test.run '^TestLevels$'
levels=all
! grep -q 'avx2 is not tested' "$work/log" || fail "this processor lacks AVX2"
! grep -q 'avx512 is not tested' "$work/log" || levels=some

breaks prepare # what is out of date is found at once
breaks broken
echo "$killed breaks found, $survived not, $skipped skipped for want of AVX-512"
[ "$survived" = 0 ]
