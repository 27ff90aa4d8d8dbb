package main

import (
	"fmt"
	"io"
	"time"
)

// progress tells of long work, a line a second at most.
type progress struct {
	w           io.Writer
	done, total int
	told        time.Time
}

func newProgress(w io.Writer, total int) *progress {
	return &progress{w: w, total: total, told: time.Now()}
}

func (p *progress) add(draws int) {
	p.done += draws
	if now := time.Now(); now.Sub(p.told) >= time.Second {
		p.told = now
		fmt.Fprintf(p.w, "%d of %d draws\n", p.done, p.total)
	}
}
