// Package bench measures the reference engine: the common workloads of triebench, and what only
// this engine has.
package bench
