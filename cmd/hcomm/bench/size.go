package bench

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

var units = map[string]uint64{"": 1, "B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}

// ParseSize reads a number of bytes: 8, 4K, 1M, 2GiB. Units are powers of 1024.
func ParseSize(text string) (uint64, error) {
	digits := strings.TrimRight(text, "bBiIkKmMgG")
	unit := strings.ToUpper(text[len(digits):])
	unit = strings.TrimSuffix(strings.TrimSuffix(unit, "IB"), "B")
	factor, ok := units[unit]
	n, err := strconv.ParseUint(digits, 10, 64)
	if !ok || err != nil || n > math.MaxInt64/factor {
		return 0, fmt.Errorf("%q is no size; sizes are written 8, 4K, 1M or 2GiB", text)
	}
	return n * factor, nil
}

// FormatSize writes a number of bytes as people do: 8 B, 4 KiB, 1.5 MiB.
func FormatSize(n uint64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	f, i := float64(n), 0
	for f >= 1024 && i < len(units)-1 {
		f, i = f/1024, i+1
	}
	return strconv.FormatFloat(math.Round(f*10)/10, 'f', -1, 64) + " " + units[i]
}
