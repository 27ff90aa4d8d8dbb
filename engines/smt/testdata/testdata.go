// Package testdata embeds the vectors; internal/vectors reads them.
package testdata

import "embed"

//go:embed *.jsonl *.jsonl.gz
var Files embed.FS
