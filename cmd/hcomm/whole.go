package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
)

// whole makes the files of a folder: all that write creates, or, if it fails or the context ends, none. A folder that was
// not there before is not there after a failure either.
func whole(ctx context.Context, dir string, write func(create func(name string) (io.WriteCloser, error)) error) error {
	_, missing := os.Lstat(dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	err := fill(ctx, dir, write)
	if err != nil && missing != nil {
		_ = os.Remove(dir) // it is empty
	}
	return err
}

// fill writes into a folder within the other one, and moves the files when all are there: the last, which uses the others,
// at the end.
func fill(ctx context.Context, dir string, write func(create func(name string) (io.WriteCloser, error)) error) error {
	made, err := os.MkdirTemp(dir, ".new")
	if err != nil {
		return err
	}
	defer os.RemoveAll(made)
	var names []string
	create := func(name string) (io.WriteCloser, error) {
		mode := os.FileMode(0o644)
		if filepath.Ext(name) == ".sh" {
			mode = 0o755
		}
		names = append(names, name)
		file, err := os.OpenFile(filepath.Join(made, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		return ending{ctx, file}, err
	}
	if err := write(create); err != nil {
		return err
	}
	for _, name := range names {
		if err := os.Rename(filepath.Join(made, name), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// ending is a file that takes nothing more when a context has ended.
type ending struct {
	ctx  context.Context
	file *os.File
}

func (f ending) Close() error { return f.file.Close() }

func (f ending) Write(b []byte) (int, error) {
	if err := context.Cause(f.ctx); err != nil {
		return 0, err
	}
	return f.file.Write(b)
}
