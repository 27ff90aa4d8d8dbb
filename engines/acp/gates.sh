# shellcheck shell=sh
# The campaigns of acp, for ../gates. The race detector needs a C compiler.

campaign_suite() { # every test
	step tests env CGO_ENABLED=0 go test -trimpath -count=1 -timeout 1h ./...
}

campaign_race() { # every test under the race detector
	step race go test -race -count=1 -timeout 2h ./...
}

campaign_crash() { # a crash at every call of long histories, and a million random checks
	step crash env ACP_TEST_LONG=1 ACP_TEST_CHECKS=1000000 go test -count=1 -timeout 4h ./...
}

campaign_fuzz() { # every fuzz target, TIME each
	go_fuzz
}
