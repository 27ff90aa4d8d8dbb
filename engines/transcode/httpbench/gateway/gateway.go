// Package gateway starts the gateway under test as a process of its own, reads what it costs, and
// stops it.
package gateway

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Gateway is a running gateway.
type Gateway struct {
	Address string // where it listens
	command *exec.Cmd
	log     *os.File
	ended   chan error
}

// Plan says what to start.
type Plan struct {
	// Words are the command. @PORT@, @UPSTREAM@ (host:port), @UPSTREAM_PORT@, @DESCRIPTOR@ (path of the
	// FileDescriptorSet), @SERVICES@ (their full names, with commas) and @DIR@ (a directory for its
	// files) are filled in them.
	Words []string
	// Render are files in which the same is filled; the copies are put into the directory.
	Render     []string
	Dir        string
	Upstream   string
	Descriptor string
	Services   string
	CPU        int // the one that it is bound to; -1: not bound
}

// Start starts it. The calling goroutine must be locked to its thread, because the gateway is
// killed when that thread ends: so it goes also when this program is killed.
func Start(plan Plan) (*Gateway, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	_, upstreamPort, err := net.SplitHostPort(plan.Upstream)
	if err != nil {
		return nil, err
	}
	fill := strings.NewReplacer(
		"@PORT@", port,
		"@UPSTREAM@", plan.Upstream,
		"@UPSTREAM_PORT@", upstreamPort,
		"@DESCRIPTOR@", plan.Descriptor,
		"@SERVICES@", plan.Services,
		"@DIR@", plan.Dir,
	)
	for _, path := range plan.Render {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		path = filepath.Join(plan.Dir, filepath.Base(path))
		if err := os.WriteFile(path, []byte(fill.Replace(string(text))), 0o644); err != nil {
			return nil, err
		}
	}
	words := make([]string, len(plan.Words))
	for i, word := range plan.Words {
		words[i] = fill.Replace(word)
	}
	log, err := os.Create(filepath.Join(plan.Dir, "gateway.log"))
	if err != nil {
		return nil, err
	}
	command := exec.Command(words[0], words[1:]...)
	command.Stdout, command.Stderr = log, log
	command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	if err := startOn(plan.CPU, command); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	g := &Gateway{Address: "127.0.0.1:" + port, command: command, log: log, ended: make(chan error, 1)}
	go func() { g.ended <- command.Wait() }()
	return g, nil
}

// startOn starts the command bound to a CPU, which it has from the thread that starts it.
func startOn(cpu int, command *exec.Cmd) error {
	if cpu < 0 {
		return command.Start()
	}
	var before, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return err
	}
	one.Set(cpu)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		return err
	}
	return errors.Join(command.Start(), unix.SchedSetaffinity(0, &before))
}

// Wait tries the gateway until it answers.
func (g *Gateway) Wait(try func() error) error {
	const (
		patience = 30 * time.Second
		pause    = 2 * time.Millisecond
	)
	deadline := time.Now().Add(patience)
	for {
		err := try()
		if err == nil {
			return nil
		}
		select {
		case ended := <-g.ended:
			g.ended <- ended
			return fmt.Errorf("the gateway ended (%v): %s", ended, g.said())
		case <-time.After(pause):
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the gateway did not answer in %v: %w: %s", patience, err, g.said())
		}
	}
}

// Stop kills it and all that it started, and waits until it is gone.
func (g *Gateway) Stop() {
	_ = syscall.Kill(-g.command.Process.Pid, syscall.SIGKILL)
	g.ended <- <-g.ended
	_ = g.log.Close()
}

// CPU is the processor time of all its threads, also those that have ended, and of all processes
// below it.
func (g *Gateway) CPU() (time.Duration, error) {
	var total time.Duration
	for _, pid := range tree(g.command.Process.Pid) {
		// The clock of another process, in nanoseconds; see clock_getcpuclockid(3).
		const schedulerClock = 2
		var spent unix.Timespec
		if err := unix.ClockGettime(int32(^pid<<3|schedulerClock), &spent); err != nil {
			return 0, fmt.Errorf("the clock of the gateway: %w", err)
		}
		total += time.Duration(spent.Nano())
	}
	return total, nil
}

// PeakMemory is the sum of the largest resident sizes of it and of all processes below it, in
// bytes.
func (g *Gateway) PeakMemory() (int64, error) {
	var total int64
	for _, pid := range tree(g.command.Process.Pid) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			return 0, err
		}
		_, after, _ := strings.Cut(string(text), "VmHWM:")
		words := strings.Fields(after)
		if len(words) == 0 {
			return 0, fmt.Errorf("no VmHWM in /proc/%d/status", pid)
		}
		kib, err := strconv.ParseInt(words[0], 10, 64)
		if err != nil {
			return 0, err
		}
		total += kib << 10
	}
	return total, nil
}

// said is the end of what the gateway printed, on one line.
func (g *Gateway) said() string {
	text, _ := os.ReadFile(g.log.Name())
	text = bytes.TrimSpace(text)
	const most = 2000
	return strings.ReplaceAll(string(text[max(0, len(text)-most):]), "\n", " | ")
}

func tree(pid int) []int {
	all := []int{pid}
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, file := range files {
		text, _ := os.ReadFile(file) // a thread that has ended meanwhile has no children
		for word := range strings.FieldsSeq(string(text)) {
			if child, err := strconv.Atoi(word); err == nil {
				all = append(all, tree(child)...)
			}
		}
	}
	return all
}

func freePort() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer func() { _ = listener.Close() }()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	return port, err
}

// Divide gives the last usable CPU to the gateway, which it returns, and the others to this
// program: the echo server and the clients. With one CPU all share it, and it returns -1.
func Divide() (int, error) {
	var usable unix.CPUSet
	if err := unix.SchedGetaffinity(0, &usable); err != nil {
		return -1, err
	}
	if usable.Count() < 2 {
		return -1, nil
	}
	last := len(usable)*64 - 1
	for !usable.IsSet(last) {
		last--
	}
	usable.Clear(last)
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return -1, err
	}
	for _, thread := range threads { // threads to come have it from these
		id, err := strconv.Atoi(thread.Name())
		if err != nil {
			return -1, err
		}
		if err := unix.SchedSetaffinity(id, &usable); err != nil && err != unix.ESRCH {
			return -1, err
		}
	}
	runtime.GOMAXPROCS(usable.Count())
	return last, nil
}
