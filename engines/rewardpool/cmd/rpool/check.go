package main

import (
	"encoding/hex"
	"fmt"
	"io"

	"assay/rewardpool/pool"
)

// checkResult is a pool.Report in JSON. The fields that a verb does not find out are left out.
type checkResult struct {
	Snapshots      int      `json:"snapshots"`
	Segments       int      `json:"segments"`
	Frames         uint64   `json:"frames"`
	FirstLSN       uint64   `json:"first_lsn"`
	LSN            uint64   `json:"lsn"`
	TruncatedBytes int64    `json:"truncated_bytes"`
	Reason         string   `json:"reason"`
	Draws          *uint64  `json:"draws,omitempty"`
	StateHash      string   `json:"state_hash,omitempty"`
	Copies         []string `json:"copies,omitempty"`
}

func newCheckResult(r pool.Report) checkResult {
	return checkResult{
		Snapshots:      r.Snapshots,
		Segments:       r.Segments,
		Frames:         r.Frames,
		FirstLSN:       r.FirstLSN,
		LSN:            r.LSN,
		TruncatedBytes: r.TruncatedBytes,
		Reason:         r.Reason,
		Copies:         r.Copies,
	}
}

func (r *checkResult) text(w io.Writer) {
	fmt.Fprintf(w, "%d snapshots, %d segments, %d frames, lsn %d to %d\n", r.Snapshots, r.Segments, r.Frames, r.FirstLSN, r.LSN)
	fmt.Fprintf(w, "end of the log: %s, %d bytes cut\n", r.Reason, r.TruncatedBytes)
	if r.Draws != nil {
		fmt.Fprintf(w, "%d draws re-executed, all as logged; state %s\n", *r.Draws, r.StateHash)
	}
	for _, path := range r.Copies {
		fmt.Fprintf(w, "copy: %s\n", path)
	}
}

func runCheck(c *call) error {
	if err := c.parse(); err != nil {
		return err
	}
	report, err := pool.Check(c.dir)
	if err != nil {
		return err
	}
	result := newCheckResult(report)
	return c.print(result, result.text)
}

func runVerify(c *call) error {
	if err := c.parse(); err != nil {
		return err
	}
	report, err := pool.Verify(c.dir)
	if err != nil {
		return err
	}
	result := newCheckResult(report)
	result.Draws, result.StateHash = &report.Draws, hex.EncodeToString(report.StateHash[:])
	return c.print(result, result.text)
}
