package pool

import (
	"os"
	"testing"
)

// RPOOL_TEST_LONG=1 makes the tests many times more thorough.
var long = os.Getenv("RPOOL_TEST_LONG") != ""

// The test binary is also the child that the kill test kills.
func TestMain(m *testing.M) {
	if dir := os.Getenv("RPOOL_KILL_DIR"); dir != "" {
		killChild(dir, os.Getenv("RPOOL_KILL_MODE"))
		return
	}
	os.Exit(m.Run())
}
