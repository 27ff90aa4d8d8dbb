// Package bench measures the reference engine: the common workloads of docbench, and what only this
// engine has.
package bench
