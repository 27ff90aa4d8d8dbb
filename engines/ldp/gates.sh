# shellcheck shell=sh
# The campaigns of ldp, for ../gates. The W3C's suite of LDP, and Fedora, need Java and Maven.

abuse() { # seconds
	PYTHONPATH=$engines python3 conformance/abuse.py "$logs/made/bin/ldp" "$logs/abuse" "$1"
}

campaign_suite() { # every test, and the W3C's suite of LDP
	step build manifest build
	step gate manifest verify
	step crates cargo test --quiet --release --locked --workspace
	step python env "LDP_PYTHON=$logs/made/python" python3 -m pytest -q -n 0 -p no:cacheprovider py/tests
	step abuse abuse 15
	if command -v java >/dev/null && command -v mvn >/dev/null; then
		step ldp-testsuite conformance/ldp-testsuite/run "$logs/made/bin/ldp" "$logs/ldp-testsuite"
	else
		echo "no java with mvn: the W3C's suite of LDP was not run"
	fi
}

campaign_abuse() { # hostile clients beside others, TIME long
	step build manifest build
	step abuse abuse "$seconds"
}

campaign_crash() { # 200 kills of a writing process
	step killed env LDP_KILL_ROUNDS=200 cargo test --release --locked -p ldp-store --test suite kill::
}

campaign_differential() { # the same requests to Lakesuperior and Fedora
	step build manifest build
	for peer in lakesuperior-a18 lakesuperior-a21 fcrepo-4-7-5; do
		step "build-$peer" "peers/${peer%%-*}/build" "peers/$peer" "$logs/$peer"
		step "differential-$peer" python3 conformance/differential/compare.py "$logs/made/bin/ldp" \
			"$logs/$peer" "conformance/differential/$peer.txt"
	done
}
