package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hcomm/settings"
)

// env runs the command with variables, and with no file of the user's.
func env(t *testing.T, variables []string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	c := newCommand(t, append([]string{"env"}, args...)...)
	c.Env = append(c.Env, "HOME=/nonexistent", "XDG_CONFIG_HOME=")
	c.Env = append(c.Env, variables...)
	stdout, status = c.begin().finish()
	return stdout, c.stderr.String(), status
}

func TestEnv(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "conf")
	if err := os.WriteFile(path, []byte("# mine\nHCOMM_SLOTS=7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, status := env(t, []string{"HCOMM_CONFIG=" + path, "HCOMM_SECRET=hidden", "HCOMM_TIMEUOT=5"})
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if status != 0 || stderr != "hcomm env: warning: HCOMM_TIMEUOT=5 is no setting: did you mean HCOMM_TIMEOUT? (hcomm env lists all)\n" ||
		len(lines) != 1+len(settings.Table) || strings.Contains(stdout, "hidden") {
		t.Fatalf("status %d, stderr %q, stdout %s", status, stderr, stdout)
	}
	want := map[string]string{"HCOMM_SLOTS": "7 " + path + ":2 auto", "HCOMM_SECRET": "set environment -", "HCOMM_ALGO": "- default -", "HCOMM_SPIN": "auto default auto"}
	for i, s := range settings.Table {
		fields := strings.Fields(lines[i+1])
		if fields[0] != s.Name || !strings.HasSuffix(lines[i+1], s.Help) {
			t.Errorf("%s: %q", s.Name, lines[i+1])
		}
		if w := want[s.Name]; w != "" && strings.Join(fields[1:4], " ") != w {
			t.Errorf("%s: %q, want %q", s.Name, lines[i+1], w)
		}
	}
}

func TestEnvOfNames(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := env(t, nil, "HCOMM_SLOTS")
	slots, _ := settings.Find("HCOMM_SLOTS")
	want := "default  auto     " + slots.Range + "; the same on all ranks  " + slots.Help + "\n"
	if status != 0 || stderr != "" || !strings.HasSuffix(stdout, want) {
		t.Errorf("status %d, stderr %q, stdout %q, want the end %q", status, stderr, stdout, want)
	}
}

func TestEnvJSON(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := env(t, []string{"HCOMM_SECRET=hidden", "HCOMM_SLOTS=08"}, "--json", "HCOMM_SLOTS", "HCOMM_SECRET")
	var rows []shownSetting
	err := json.Unmarshal([]byte(stdout), &rows)
	if status != 0 || stderr != "" || err != nil || len(rows) != 2 {
		t.Fatalf("status %d, stderr %q, %v, stdout %s", status, stderr, err, stdout)
	}
	slots, _ := settings.Find("HCOMM_SLOTS")
	if want := (shownSetting{"HCOMM_SLOTS", "08", "environment", "auto", slots.Range, true, slots.Help}); rows[0] != want || rows[1].Value != "set" {
		t.Errorf("got %+v", rows)
	}
}

func TestEnvComplains(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		variable, args string
		status         int
		want           string
	}{
		{"HCOMM_SLOTS=99", "", 1, "hcomm env: HCOMM_SLOTS=99: it must be 1 to 64, or auto\n"},
		{"HCOMM_SLOTS=99", "HCOMM_SPIN", 0, ""},
		{"HCOMM_PORT=0", "", 1, "hcomm env: HCOMM_PORT=0: it must be 1 to 65535\n"},
		{"HCOMM_ALGO=junk", "", 1, `hcomm env: HCOMM_ALGO=junk: "junk" must be collective:algorithm` + "\n"},
		{"HCOMM_ALGO=reduce:rign", "", 1, `hcomm env: HCOMM_ALGO=reduce:rign: Reduce has no algorithm "rign"; it has `},
		{"HCOMM_ALGO=AllReduce:ring, reduce:flat", "", 0, ""},
		{"HCOMM_CONFIG=/nonexistent/x", "", 1, "hcomm env: HCOMM_CONFIG: the file /nonexistent/x cannot be read: no such file or directory\n"},
		{"", "HCOMM_TIMEUOT", 125, `hcomm env: "HCOMM_TIMEUOT" is no setting: did you mean HCOMM_TIMEOUT?` + "\n"},
		{"", "timeout", 125, `hcomm env: "timeout" is no setting: did you mean HCOMM_TIMEOUT?` + "\n"},
		{"", "HCOMM_XYZZY", 125, `hcomm env: "HCOMM_XYZZY" is no setting; hcomm env lists all` + "\n"},
		{"", "--xml", 125, "hcomm env: unknown flag: --xml (see: hcomm env --help)\n"},
	} {
		stdout, stderr, status := env(t, []string{c.variable}, strings.Fields(c.args)...)
		if status != c.status || !strings.HasPrefix(stderr, c.want) || (c.want == "") != (stderr == "") || (status == 125) != (stdout == "") {
			t.Errorf("%s hcomm env %s: status %d, stderr %q, want %d, %q", c.variable, c.args, status, stderr, c.status, c.want)
		}
	}
}
