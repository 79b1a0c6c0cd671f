package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

// find gives the path of the program called name, or the shell's status for why there is none.
func find(name string) (path string, status int, err error) {
	path, err = exec.LookPath(name)
	switch {
	case err == nil:
		return path, 0, nil
	case errors.Is(err, fs.ErrPermission):
		return "", StatusNotExecutable, fmt.Errorf("%s is there but not executable", name)
	case errors.Is(err, exec.ErrDot):
		return "", StatusNotFound, fmt.Errorf("%s is in this folder but not in PATH; say ./%s", name, name)
	}
	if info, e := os.Stat(name); e == nil && info.IsDir() {
		return "", StatusNotExecutable, fmt.Errorf("%s is a folder, not a program", name)
	}
	if _, e := os.Stat(name); e == nil && !errors.Is(err, fs.ErrNotExist) {
		return "", StatusNotFound, fmt.Errorf("there is no program %s in PATH; the file in this folder is ./%s", name, name)
	}
	return "", StatusNotFound, fmt.Errorf("there is no program %s", name)
}

// refusal puts into words why the system did not start the program at path.
func refusal(path string, err error) (status int, _ error) {
	switch {
	case errors.Is(err, syscall.ENOEXEC):
		return StatusNotExecutable, fmt.Errorf("%s is no program for this machine, and no script with a #! line", path)
	case errors.Is(err, fs.ErrNotExist):
		return StatusNotExecutable, fmt.Errorf("%s needs an interpreter or a loader that is not there (its #! line, or: file %s)", path, path)
	case errors.Is(err, fs.ErrPermission):
		return StatusNotExecutable, fmt.Errorf("%s may not be executed: %w", path, err)
	}
	return StatusFailed, fmt.Errorf("cannot start %s: %w", path, err)
}
