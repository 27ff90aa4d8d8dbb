package channeltext

import (
	"testing"

	"assay/rewardpool/bench/drawtest"
)

func TestDraw(t *testing.T) { drawtest.Verify(t, engine) }

func BenchmarkDraw(b *testing.B) { drawtest.BenchmarkDraw(b, engine) }

func BenchmarkPublishedStock(b *testing.B) { drawtest.BenchmarkPublishedStock(b, engine) }
