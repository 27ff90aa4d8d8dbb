# shellcheck shell=sh
# The campaigns of a peer, for ../gates.

campaign_suite() { # its build and its gate, as its manifest has them
	step build manifest build
	step gate manifest verify
}
