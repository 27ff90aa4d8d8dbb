// Command h2spec runs every case of h2spec against a server of HTTP/2 without TLS on the loopback.
//
//	h2spec PORT PATH LIST
//
// PATH is what the cases ask for. LIST has a line for each case that the server is known to fail: the
// case, a tab, the reason. It ends with 1 if another one fails, or one of these does not.
package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/summerwind/h2spec/config"
	"github.com/summerwind/h2spec/generic"
	"github.com/summerwind/h2spec/hpack"
	"github.com/summerwind/h2spec/http2"
	"github.com/summerwind/h2spec/spec"
)

// patience is how long a case waits for what should come, and all of them for the server.
const patience = 5 * time.Second

func main() {
	if len(os.Args) != 4 {
		fail("expected PORT PATH LIST")
	}
	port, err := strconv.Atoi(os.Args[1])
	if err != nil {
		fail("the port: %v", err)
	}
	listed, err := read(os.Args[3])
	if err != nil {
		fail("the list: %v", err)
	}
	settings := &config.Config{
		Host: "127.0.0.1", Port: port, Path: os.Args[2], Timeout: patience, MaxHeaderLen: 4000, Strict: true,
	}
	if err := listening(settings.Addr()); err != nil {
		fail("the server: %v", err)
	}
	passed, known, wrong := 0, 0, 0
	for _, root := range []*spec.TestGroup{generic.Spec(), http2.Spec(), hpack.Spec()} {
		root.Test(settings)
		for name, failed := range results(root) {
			_, expected := listed[name]
			delete(listed, name)
			switch {
			case failed && expected:
				known++
			case !failed && !expected:
				passed++
			case failed:
				wrong++
				fmt.Printf("%s fails and is not listed\n", name)
			default:
				wrong++
				fmt.Printf("%s is listed and does not fail\n", name)
			}
		}
	}
	for name := range listed {
		wrong++
		fmt.Printf("%s is listed and is no case\n", name)
	}
	fmt.Printf("%d cases passed, %d fail as listed\n", passed, known)
	if wrong > 0 || passed == 0 {
		os.Exit(1)
	}
}

func fail(format string, values ...any) {
	fmt.Fprintf(os.Stderr, "h2spec: "+format+"\n", values...)
	os.Exit(1)
}

func listening(address string) error {
	for until := time.Now().Add(patience); ; time.Sleep(patience / 100) {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			return conn.Close()
		}
		if time.Now().After(until) {
			return err
		}
	}
}

// read returns the reasons by case.
func read(path string) (map[string]string, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	listed := map[string]string{}
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		name, reason, found := strings.Cut(lines.Text(), "\t")
		if !found || reason == "" {
			return nil, fmt.Errorf("%q: expected a case, a tab and a reason", lines.Text())
		}
		listed[name] = reason
	}
	return listed, lines.Err()
}

// results tells of each case of the group whether it failed, by the name that h2spec gives it.
func results(group *spec.TestGroup) map[string]bool {
	all := map[string]bool{}
	for i, test := range append(group.Tests, group.StrictTests...) {
		failed := test.Result == nil || test.Result.Failed || test.Result.Skipped
		all[fmt.Sprintf("%s/%d", group.ID(), i+1)] = failed
	}
	for _, inner := range group.Groups {
		for name, failed := range results(inner) {
			all[name] = failed
		}
	}
	return all
}
