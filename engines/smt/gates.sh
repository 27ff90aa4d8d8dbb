# shellcheck shell=sh
# The campaigns of smt, for ../gates. The race detector needs a C compiler.

campaign_suite() { # every test
	step tests env CGO_ENABLED=0 go test -trimpath -count=1 -timeout 1h ./...
}

campaign_vectors() { # every test, with the vectors up to 1,000,000 keys: several GiB of memory
	step vectors env SMT_VECTOR_KEYS=1000000 go test -count=1 -timeout 2h ./...
}

campaign_race() { # every test under the race detector
	step race go test -race -count=1 -timeout 2h ./...
}

campaign_fuzz() { # every fuzz target, TIME each
	go_fuzz
}
