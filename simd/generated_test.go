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
	command := func(name string, args ...string) ([]byte, error) {
		c := exec.CommandContext(ctx, name, args...)
		c.Dir = "_gen"
		c.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=readonly", "GOOS=", "GOARCH=")
		return c.CombinedOutput()
	}
	if out, err := command("go", "mod", "download"); err != nil {
		t.Skipf("the generator's modules are not to be had: %v\n%s", err, out)
	}
	dir := t.TempDir()
	generator := filepath.Join(dir, "generator")
	if out, err := command("go", "build", "-o", generator, "."); err != nil {
		t.Fatalf("the generator does not compile: %v\n%s", err, out)
	}
	for _, part := range []string{"copy_asm", "convert_asm", "reduce_avx2", "reduce_avx512"} {
		files := []string{part + "_amd64.s", part + "_amd64.go"}
		if out, err := command(generator, "-part", part, "-out", filepath.Join(dir, files[0]), "-stubs", filepath.Join(dir, files[1]), "-pkg", "simd"); err != nil {
			t.Fatalf("the generator failed: %v\n%s", err, out)
		}
		for _, name := range files {
			sameAfterFirstLine(t, name, filepath.Join(dir, name))
		}
	}
}

func sameAfterFirstLine(t *testing.T, here, made string) {
	want, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(here)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(afterFirstLine(got), afterFirstLine(want)) {
		t.Errorf("%s is not what the generator writes; run go generate ./simd", here)
	}
}

func afterFirstLine(b []byte) []byte {
	_, rest, _ := bytes.Cut(b, []byte("\n"))
	return rest
}
