package channeltext

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// failed stands in the place of the item when the pool was empty.
const failed = "FAILED"

// ReadLog calls visit for each draw of a log, in order; item is empty when the pool was. It stops
// at the first zero byte, the space of a mapped log that was not used.
func ReadLog(path string, visit func(request uint64, item string) error) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if end := bytes.IndexByte(content, 0); end >= 0 {
		content = content[:end]
	}
	for number := 1; len(content) > 0; number++ {
		line, rest, complete := bytes.Cut(content, []byte("\n"))
		fields := bytes.SplitN(line, []byte(" "), 3)
		if !complete || len(fields) != 3 || string(fields[0]) != "DRAW" {
			return fmt.Errorf("%s:%d: expected \"DRAW <request> <item>\", found %q", path, number, line)
		}
		request, err := strconv.ParseUint(string(fields[1]), 10, 64)
		if err != nil {
			return fmt.Errorf("%s:%d: request: %w", path, number, err)
		}
		item := string(fields[2])
		if item == failed {
			item = ""
		}
		if err := visit(request, item); err != nil {
			return fmt.Errorf("%s:%d: %w", path, number, err)
		}
		content = rest
	}
	return nil
}
