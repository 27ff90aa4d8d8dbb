# shellcheck shell=sh
# The campaigns of acp-core-2024, for ../../../gates.

campaign_suite() { # its build, and every test
	step build manifest build
	step tests "$logs/made/bench.test"
}
