// Package bench holds the benchmarks of the reward pool. Each one checks what it measured: after
// the timed part the pool is closed, opened again and compared with what was acknowledged, and
// the benchmark fails when they differ.
package bench
