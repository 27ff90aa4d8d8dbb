// Package core is the reward pool as a pure state machine: catalog, random
// numbers, selection and remembered request ids. It does no I/O, reads no
// clock, starts no goroutine, and a State is not safe for concurrent use.
//
// Every random choice is made in integers, so the law of a draw is exact, and
// the same state and the same calls give the same outcomes and the same
// encoding on every machine.
package core
