package settings

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The host's own file must not count in these tests.
func TestMain(m *testing.M) {
	system = "/nonexistent/hcomm.conf"
	os.Exit(m.Run())
}

// place writes a file of settings.
func place(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// host makes a host's file for the time of a test.
func host(t *testing.T, text string) string {
	t.Helper()
	old := system
	t.Cleanup(func() { system = old })
	system = place(t, filepath.Join(t.TempDir(), "etc.conf"), text)
	return system
}

func TestPrecedence(t *testing.T) {
	home := t.TempDir()
	etc := host(t, "HCOMM_SLOTS=1\nHCOMM_SPIN=1\nHCOMM_TIMEOUT=1\n# a comment\n\n  HCOMM_ALGO = reduce:chain \r\n")
	own := place(t, filepath.Join(home, ".config/hcomm.conf"), "HCOMM_SLOTS=2\nHCOMM_SPIN=2\nHCOMM_TIMEOUT=2\n")
	named := place(t, filepath.Join(home, "job.conf"), "HCOMM_SLOTS=3\nHCOMM_SPIN=3\nHCOMM_ALGO=")
	vars := map[string]string{"HOME": home, "HCOMM_CONFIG": named, "HCOMM_SLOTS": "4"}
	s := Open(env(vars))
	for name, want := range map[string][2]string{
		"HCOMM_SLOTS": {"4", Environment}, "HCOMM_SPIN": {"3", named + ":2"}, "HCOMM_TIMEOUT": {"2", own + ":3"},
		"HCOMM_ALGO": {"reduce:chain", etc + ":6"}, "HCOMM_SIMD": {}, "HOME": {home, Environment},
	} {
		if value, origin := s.Lookup(name); value != want[0] || origin != want[1] {
			t.Errorf("%s: %q from %q, want %q", name, value, origin, want)
		}
	}
	v, err := s.Load()
	if err != nil || len(s.Warnings) != 0 || v.Slots != 4 || v.Spin != 3*time.Microsecond || v.Timeout != 2*time.Second ||
		v.Said["HCOMM_ALGO"] != "reduce:chain" || v.Said["HCOMM_SLOTS"] != "4" {
		t.Errorf("%+v, %v, %q", v, err, s.Warnings)
	}

	vars["XDG_CONFIG_HOME"] = filepath.Join(home, "xdg")
	if got := Open(env(vars)).Get("HCOMM_TIMEOUT"); got != "1" {
		t.Errorf("with XDG_CONFIG_HOME elsewhere, the time-out is %q", got)
	}
	place(t, filepath.Join(home, "xdg/hcomm.conf"), "HCOMM_TIMEOUT=5")
	if got := Open(env(vars)).Get("HCOMM_TIMEOUT"); got != "5" {
		t.Errorf("with a file in XDG_CONFIG_HOME, the time-out is %q", got)
	}
}

// A mistake in a file is an error that names the file and the line, wherever the file is.
func TestBadLines(t *testing.T) {
	for text, want := range map[string]string{
		"HCOMM_SLOTS":                  ":1: the line must be NAME=value",
		"\n#\nexport HCOMM_SLOTS=1":    ":3: the line must be NAME=value",
		"=1":                           ":1: the line must be NAME=value",
		"HCOMM_SLOTS=1\nHCOMM_SLOTS=1": ":2: HCOMM_SLOTS is in line 1 already",
		"\nHCOMM_RANK=1":               ":2: HCOMM_RANK belongs in the environment",
		"HCOMM_CONFIG=/x":              ":1: HCOMM_CONFIG belongs in the environment",
		"\nHCOMM_SLOTS=100":            ":2: HCOMM_SLOTS=100: it must be 1 to 64",
	} {
		path := host(t, text)
		if _, err := Load(env(nil)); err == nil || !strings.HasPrefix(err.Error(), path+want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
		host(t, "")
		if _, err := Load(env(map[string]string{"HCOMM_CONFIG": path})); err == nil || !strings.Contains(err.Error(), path+want) {
			t.Errorf("HCOMM_CONFIG with %q: %v, want %s", text, err, want)
		}
	}
}

func TestUnknownInFiles(t *testing.T) {
	path := host(t, "HCOMM_TIMEUOT=5\nHCOMM_SECERT=hidden\nPATH=/bin\nHCOMM_SLOTS=2")
	s := Open(env(nil))
	v, err := s.Load()
	want := path + ":1: HCOMM_TIMEUOT is no setting: did you mean HCOMM_TIMEOUT? (hcomm env lists all)\n" +
		path + ":2: HCOMM_SECERT is no setting: did you mean HCOMM_SECRET? (hcomm env lists all)\n" +
		path + ":3: PATH is no setting (hcomm env lists all)"
	if got := strings.Join(s.Warnings, "\n"); err != nil || v.Slots != 2 || got != want {
		t.Errorf("%v, warnings\n%s\nwant\n%s", err, got, want)
	}
}

// A file that somebody else can have written is refused: an error where it was asked for, else a warning.
func TestRefusedFiles(t *testing.T) {
	writable := place(t, filepath.Join(t.TempDir(), "writable"), "HCOMM_SLOTS=2")
	if err := os.Chmod(writable, 0o666); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	noText := place(t, filepath.Join(t.TempDir(), "no-text"), "HCOMM_SLOTS=2\x00\n")
	large := place(t, filepath.Join(t.TempDir(), "large"), strings.Repeat("#", largest+1))
	old := system
	defer func() { system = old }()
	for path, want := range map[string]string{
		writable: "everybody may write to it (its mode is 0666)", pipe: "it is no regular file", large: "has more than 1048576 bytes", noText: "has a NUL byte",
		t.TempDir(): "it is no regular file",
	} {
		system = old
		if _, err := Load(env(map[string]string{"HCOMM_CONFIG": path})); err == nil || !strings.Contains(err.Error(), "HCOMM_CONFIG: the file "+path) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("HCOMM_CONFIG=%s: %v, want %q", path, err, want)
		}
		system = path
		s := Open(env(nil))
		if v, err := s.Load(); err != nil || v.Slots != 0 || len(s.Warnings) != 1 || !strings.Contains(s.Warnings[0], want) {
			t.Errorf("%s: %v, %q, want %q", path, err, s.Warnings, want)
		}
	}
	system = old
	if _, err := Load(env(map[string]string{"HCOMM_CONFIG": "/nonexistent/x"})); err == nil ||
		err.Error() != "HCOMM_CONFIG: the file /nonexistent/x cannot be read: no such file or directory" {
		t.Errorf("no such file: %v", err)
	}
}

// owned is a file's description with another owner.
type owned struct {
	fs.FileInfo
	uid uint32
}

func (o owned) Sys() any { return &syscall.Stat_t{Uid: o.uid} }

func TestTrusted(t *testing.T) {
	info, err := os.Stat(place(t, filepath.Join(t.TempDir(), "a"), ""))
	if err != nil {
		t.Fatal(err)
	}
	for owner, fine := range map[uint32]bool{0: true, 7: true, 8: false} {
		err := trusted(owned{info, owner}, 7)
		if (err == nil) != fine || err != nil && !strings.Contains(err.Error(), "it belongs to the user 8") {
			t.Errorf("a file of user %d for user 7: %v", owner, err)
		}
	}
}

func TestSecretInFile(t *testing.T) {
	path := host(t, "\nHCOMM_SECRET=a # b")
	s := Open(env(nil))
	if got := s.Get("HCOMM_SECRET"); got != "a # b" || len(s.Warnings) != 0 {
		t.Errorf("%q, warnings %q", got, s.Warnings)
	}
	for _, mode := range []fs.FileMode{0o640, 0o604} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		w := Open(env(nil)).Warnings
		if len(w) != 1 || !strings.HasPrefix(w[0], path+":2: HCOMM_SECRET is in a file that others can read") || strings.Contains(w[0], "# b") {
			t.Errorf("mode %o: %q", mode, w)
		}
	}
}
