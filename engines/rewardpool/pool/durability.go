package pool

import "assay/rewardpool/core"

// Durability says when a draw is acknowledged, that is, when the call returns.
type Durability uint8

const (
	None    Durability = iota // state in memory; a snapshot on Close
	Mmap                      // the frame is stored in a shared mapping of the log
	File                      // the frame is written to the log with pwrite
	Group                     // an fdatasync that covers the frame, shared by callers, returned
	Each                      // an fdatasync of the call's own returned
	Relaxed                   // nothing yet: acknowledged first, written and synced every RelaxedEvery draws
)

var durabilities = [...]struct{ name, survives string }{
	None:    {"none", "An acknowledged draw survives nothing; Close saves the state."},
	Mmap:    {"mmap", "An acknowledged draw survives the end of the process (kill -9, panic, out of memory), not a power loss."},
	File:    {"file", "An acknowledged draw survives the end of the process (kill -9, panic, out of memory), not a power loss."},
	Group:   {"group", "An acknowledged draw survives a power loss, as far as the device honours a flush."},
	Each:    {"each", "An acknowledged draw survives a power loss, as far as the device honours a flush."},
	Relaxed: {"relaxed", "Acknowledged draws since the last flush do not survive the end of the process."},
}

// Durabilities lists all modes.
var Durabilities = []Durability{None, Mmap, File, Group, Each, Relaxed}

// String returns the name of the mode.
func (d Durability) String() string {
	if int(d) >= len(durabilities) {
		return "unknown"
	}
	return durabilities[d].name
}

// Survives says in one sentence what an acknowledged draw survives.
func (d Durability) Survives() string { return durabilities[d].survives }

// synced says that a call returns after an fdatasync that covers it.
func (d Durability) synced() bool { return d == Group || d == Each }

// ParseDurability is the inverse of String.
func ParseDurability(name string) (Durability, error) {
	for _, d := range Durabilities {
		if d.String() == name {
			return d, nil
		}
	}
	return None, &core.InvalidError{Field: "durability", Why: name + ", expected none, mmap, file, group, each or relaxed"}
}
