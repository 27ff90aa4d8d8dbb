package main

import (
	"fmt"
	"io"
	"runtime"
)

func runVersion(c *call) error {
	if err := c.parseFlags(); err != nil {
		return err
	}
	return c.print(struct {
		Go string `json:"go"`
	}{runtime.Version()}, func(w io.Writer) { fmt.Fprintf(w, "rpool, built with %s\n", runtime.Version()) })
}
