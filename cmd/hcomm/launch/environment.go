package launch

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
)

// environment gives what is the same in every rank's environment; [rankEnvironment] adds the rest.
func (j *Job) environment() ([]string, error) {
	port, err := freePort()
	if err != nil {
		return nil, fmt.Errorf("found no free TCP port on 127.0.0.1 for the ranks to meet: %w", err)
	}
	env := withoutRank(os.Environ())
	env = append(env, "HCOMM_SIZE="+strconv.Itoa(j.Ranks), "HCOMM_ROOT=127.0.0.1:"+strconv.Itoa(port))
	if os.Getenv("HCOMM_SECRET") == "" {
		secret := make([]byte, 32)
		rand.Read(secret) // never fails
		env = append(env, "HCOMM_SECRET="+hex.EncodeToString(secret))
	}
	return append(env, j.Env...), nil
}

// withoutRank drops what an outer launcher said about the rank; getenv would find the first of two.
func withoutRank(env []string) []string {
	return slices.DeleteFunc(env, func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case "HCOMM_RANK", "HCOMM_LOCAL_RANK", "HCOMM_SIZE", "HCOMM_ROOT":
			return true
		case "HCOMM_SECRET":
			return v == "HCOMM_SECRET="
		}
		return false
	})
}

func rankEnvironment(env []string, rank int) []string {
	n := strconv.Itoa(rank)
	return append(slices.Clip(env), "HCOMM_RANK="+n, "HCOMM_LOCAL_RANK="+n)
}

// freePort asks the kernel for a port by binding to port 0, and gives it back for rank 0 to bind. Another process could
// take it in between; the kernel hands out its ports in an order that makes this unlikely, and rank 0 then says that the
// port is taken. Rank 0 binds with SO_REUSEADDR, and nothing was ever connected here, so the port is free at once.
func freePort() (int, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
