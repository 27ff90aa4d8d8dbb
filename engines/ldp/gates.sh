# shellcheck shell=sh
# The campaigns of ldp, for ../gates. The W3C's suite of LDP, and Fedora, need Java and Maven.

abuse() { # seconds, and how many of them an answer may take
	PYTHONPATH=$engines python3 conformance/abuse.py "$logs/made/bin/ldp" "$logs/abuse" "$1" "$2"
}

campaign_suite() { # every test, and the W3C's suite of LDP
	step build manifest build
	step gate manifest verify
	step crates cargo test --quiet --release --locked --workspace
	step python env "LDP_PYTHON=$logs/made/python" python3 -m pytest -q -n 0 -p no:cacheprovider py/tests
	step abuse abuse 15 10
	if command -v java >/dev/null && command -v mvn >/dev/null; then
		step ldp-testsuite conformance/ldp-testsuite/run "$logs/made/bin/ldp" "$logs/ldp-testsuite"
	else
		echo "no java with mvn: the W3C's suite of LDP was not run"
	fi
}

campaign_abuse() { # hostile clients beside others, TIME long
	step build manifest build
	step abuse abuse "$seconds" 1
}

campaign_crash() { # 200 kills of a writing process
	step killed env LDP_KILL_ROUNDS=200 cargo test --release --locked -p ldp-store --test suite kill::
}

# Rust's own flags for what libFuzzer looks at; no nightly compiler, and no sanitizer of addresses, is needed.
coverage="--cfg fuzzing -Cpasses=sancov-module"
for flag in level=4 inline-8bit-counters pc-table trace-compares; do
	coverage="$coverage -Cllvm-args=-sanitizer-coverage-$flag"
done

fuzz() { # target, file names of its seeds in the W3C's tests
	at=$logs/fuzz-$1
	mkdir -p "$at/corpus" "$at/found" "$at/seeds"
	find testdata/w3c-rdf-tests -name "$2" | while read -r file; do
		cp "$file" "$at/seeds/$(sha1sum "$file" | cut -c 1-16)"
	done
	[ ! -d "fuzz/seeds/$1" ] || cp "fuzz/seeds/$1"/* "$at/seeds"
	"$CARGO_TARGET_DIR/$host/release/$1" -max_total_time="$seconds" -max_len=4096 -timeout=20 -rss_limit_mb=4096 \
		-print_final_stats=1 -artifact_prefix="$at/found/" "$at/corpus" "$at/seeds"
}

campaign_fuzz() { # every fuzz target, TIME each
	host=$(rustc -vV | sed -n 's/^host: //p')
	step build-fuzz env "RUSTFLAGS=$coverage" \
		cargo build --release --locked --target "$host" --manifest-path fuzz/Cargo.toml
	[ "$result" = passed ] || return # targets of an earlier build may be there
	for target in 'turtle *.ttl' 'n_triples *.nt' 'rdf_xml *.rdf' 'json_ld -' 'query *.rq' 'patch *.ru' 'request -'; do
		step "fuzz-${target% *}" fuzz "${target% *}" "${target#* }"
	done
}

campaign_differential() { # the same requests to Lakesuperior and Fedora
	step build manifest build
	for peer in lakesuperior-a18 lakesuperior-a21 fcrepo-4-7-5; do
		step "build-$peer" "peers/${peer%%-*}/build" "peers/$peer" "$logs/$peer"
		step "differential-$peer" python3 conformance/differential/compare.py "$logs/made/bin/ldp" \
			"$logs/$peer" "conformance/differential/$peer.txt"
	done
}
