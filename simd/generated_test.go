//go:build !race && !purego

package simd

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestGenerated runs the generator and compares what it writes with what is here, but for the first line, which names the files.
func TestGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the generator")
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	command := func(args ...string) ([]byte, error) {
		c := exec.CommandContext(ctx, "go", args...)
		c.Dir = "_gen"
		c.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly", "GOOS=", "GOARCH=")
		return c.CombinedOutput()
	}
	if out, err := command("mod", "download"); err != nil {
		t.Skipf("the generator's modules are not to be had: %v\n%s", err, out)
	}
	dir := t.TempDir()
	files := []string{"kernel_amd64.s", "kernel_amd64.go"}
	if out, err := command("run", "main.go", "-out", filepath.Join(dir, files[0]), "-stubs", filepath.Join(dir, files[1]), "-pkg", "simd"); err != nil {
		t.Fatalf("the generator failed: %v\n%s", err, out)
	}
	for _, name := range files {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(afterFirstLine(got), afterFirstLine(want)) {
			t.Errorf("%s is not what the generator writes; run go generate ./simd", name)
		}
	}
}

func afterFirstLine(b []byte) []byte {
	_, rest, _ := bytes.Cut(b, []byte("\n"))
	return rest
}
