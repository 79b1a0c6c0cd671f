package settings

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func env(m map[string]string) func(string) string { return func(k string) string { return m[k] } }

func TestDefaults(t *testing.T) {
	v, err := Load(env(nil))
	want := Values{InitTimeout: 2 * time.Minute, WarnAfter: 10 * time.Second, Timeout: 30 * time.Minute, Spin: -1, SIMD: "auto",
		SlotBytes: 64 << 10, CMA: true, Debug: "warn", Status: true, Said: map[string]string{}}
	if err != nil || !reflect.DeepEqual(v, want) {
		t.Errorf("Load of nothing: %+v, %v; want %+v", v, err, want)
	}
}

func TestValues(t *testing.T) {
	v, err := Load(env(map[string]string{"HCOMM_INIT_TIMEOUT": "0.5", "HCOMM_SPIN": "7", "HCOMM_SIMD": "avx2", "HCOMM_SLOT_BYTES": "8192", "HCOMM_SLOTS": "1",
		"HCOMM_ALGO": "allreduce:ring", "HCOMM_DETERMINISTIC": "1", "HCOMM_WARN_AFTER": "0", "HCOMM_TIMEOUT": " 1e1",
		"HCOMM_DEBUG": "trace", "HCOMM_DEBUG_FILE": "100%%/%h.%p", "HCOMM_STATUS": "0", "HCOMM_CMA": "off"}))
	want := Values{InitTimeout: 500 * time.Millisecond, Timeout: 10 * time.Second, Spin: 7 * time.Microsecond, SIMD: "avx2", SlotBytes: 8192, Slots: 1,
		Algo: "allreduce:ring", Deterministic: true, Debug: "trace", DebugFile: "100%%/%h.%p",
		Said: map[string]string{"HCOMM_SLOT_BYTES": "8192", "HCOMM_SLOTS": "1", "HCOMM_ALGO": "allreduce:ring", "HCOMM_DETERMINISTIC": "1", "HCOMM_CMA": "off"}}
	if err != nil || !reflect.DeepEqual(v, want) {
		t.Errorf("got %+v, %v; want %+v", v, err, want)
	}
}

func TestBadValuesAreNamed(t *testing.T) {
	for name, bad := range map[string][]string{
		"HCOMM_INIT_TIMEOUT":  {"x", "-1", "0", "NaN", "1e9"},
		"HCOMM_WARN_AFTER":    {"-1", "0.001", "3e6", "never"},
		"HCOMM_TIMEOUT":       {"0.009", "2592001", "NaN", "inf", "1 h"},
		"HCOMM_DEBUG":         {"INFO", "3"},
		"HCOMM_DEBUG_FILE":    {"%d", "a%", "%%%"},
		"HCOMM_STATUS":        {"no", "2"},
		"HCOMM_SPIN":          {"fast", "-1", "10000001"},
		"HCOMM_SIMD":          {"sse", "AVX2"},
		"HCOMM_SLOT_BYTES":    {"0", "5000", "2097152", "4k"},
		"HCOMM_CMA":           {"on", "1"},
		"HCOMM_SLOTS":         {"0", "65", "1.5"},
		"HCOMM_DETERMINISTIC": {"yes", "2"},
	} {
		for _, value := range bad {
			_, err := Load(env(map[string]string{name: value}))
			if err == nil || !strings.HasPrefix(err.Error(), name+"="+value+": it must be ") {
				t.Errorf("%s=%s: error %v", name, value, err)
			}
		}
	}
}

func TestTableIsComplete(t *testing.T) {
	for _, s := range Table {
		if s.Name == "" || s.Range == "" || s.Help == "" {
			t.Errorf("%+v lacks something", s)
		}
	}
}

func TestAdopt(t *testing.T) {
	own, err := Load(env(map[string]string{"HCOMM_SPIN": "7", "HCOMM_SLOTS": "2"}))
	if err != nil {
		t.Fatal(err)
	}
	v, err := own.Adopt(map[string]string{"HCOMM_SLOT_BYTES": "8192", "HCOMM_DETERMINISTIC": "1", "HCOMM_CMA": "off"})
	if err != nil || v.SlotBytes != 8192 || v.CMA || v.Slots != 0 || !v.Deterministic || v.Spin != own.Spin {
		t.Errorf("got %+v, %v", v, err)
	}
	if _, err := own.Adopt(map[string]string{"HCOMM_SLOTS": "1000"}); err == nil {
		t.Error("adopted what is out of range")
	}
	if got := Effective("HCOMM_SLOTS", nil); got != "auto" {
		t.Errorf("Effective: %q", got)
	}
}
