package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// What fails or is interrupted half way leaves a folder as it was.
func TestWhole(t *testing.T) {
	t.Parallel()
	failed := errors.New("failed")
	for _, there := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "dir")
		if there {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "a"), []byte("old"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		var end error // of write
		write := func(create func(string) (io.WriteCloser, error)) error {
			for _, name := range []string{"a", "b.sh"} {
				f, err := create(name)
				if err != nil {
					return err
				}
				if _, err := io.WriteString(f, "new"); err != nil {
					return errors.Join(err, f.Close())
				}
				if err := f.Close(); err != nil || end != nil {
					return errors.Join(err, end)
				}
			}
			return nil
		}
		check := func(want string) {
			t.Helper()
			got := ""
			entries, _ := os.ReadDir(dir)
			for _, e := range entries {
				text, err := os.ReadFile(filepath.Join(dir, e.Name()))
				got += fmt.Sprintf("%s %s %v;", e.Name(), text, err)
			}
			if _, err := os.Stat(dir); got != want || (err == nil) != (there || want != "") {
				t.Errorf("there before %v: it has %q, not %q; %v", there, got, want, err)
			}
		}
		old := map[bool]string{true: "a old <nil>;"}[there]
		end = failed
		if err := whole(ctx, dir, write); !errors.Is(err, failed) {
			t.Error(err)
		}
		check(old)
		end = nil
		ended, endNow := context.WithCancelCause(ctx)
		endNow(failed)
		if err := whole(ended, dir, write); !errors.Is(err, failed) {
			t.Error(err)
		}
		check(old)
		if err := whole(ctx, dir, write); err != nil {
			t.Error(err)
		}
		check("a new <nil>;b.sh new <nil>;")
		cancel(nil)
	}
}
