package main

import "assay/rewardpool/pool"

func runRepair(c *call) error {
	lsn := c.flags.Uint64("truncate-at", 0, "events of the history that stay, at most (required)")
	keepCopy := c.flags.Bool("keep-copy", true, "copy every file to damaged-<name> first")
	if err := c.parse(); err != nil {
		return err
	}
	if !c.given("truncate-at") {
		return usageError("--truncate-at is missing: rpool check names the lsn of the damage")
	}
	report, err := pool.Repair(c.dir, *lsn, *keepCopy)
	if err != nil {
		return err
	}
	result := newCheckResult(report)
	return c.print(result, result.text)
}
