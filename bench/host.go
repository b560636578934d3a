package bench

import (
	"bufio"
	"io"
	"os"
	"runtime"
	"strings"
)

// ThisHost describes the machine the program runs on. CPU is empty where the
// system does not tell.
func ThisHost() Host {
	h := Host{
		OS:         runtime.GOOS,
		Arch:       runtime.GOARCH,
		Cores:      runtime.NumCPU(),
		GOMAXPROCS: runtime.GOMAXPROCS(0),
		Go:         runtime.Version(),
	}
	if f, err := os.Open("/proc/cpuinfo"); err == nil {
		defer f.Close()
		h.CPU = cpuModel(f)
	}
	return h
}

// cpuModel finds the model of the first processor in the text of
// /proc/cpuinfo.
func cpuModel(r io.Reader) string {
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		key, value, ok := strings.Cut(lines.Text(), ":")
		if ok && strings.TrimSpace(key) == "model name" {
			return strings.Join(strings.Fields(value), " ")
		}
	}
	return ""
}
