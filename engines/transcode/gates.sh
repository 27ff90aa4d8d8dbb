# shellcheck shell=sh
# The campaigns of transcode, for ../gates.

here=$PWD
also="curl gtest"
also_sanitized=clang
also_fuzz=clang

build() { # name, cmake arguments...
	folder=$logs/build-$1
	shift
	cmake -G Ninja -S . -B "$folder" "$@" && cmake --build "$folder"
}

sanitized() {
	if ! nm "$logs/build-sanitized/tests/base_test" | grep -q __asan_init; then
		echo "the tests are not built with ASan"
		return 1
	fi
	ASAN_OPTIONS=detect_stack_use_after_return=1 UBSAN_OPTIONS=print_stacktrace=1 \
		ctest --test-dir "$logs/build-sanitized" --output-on-failure
}

fuzz() { # target
	at=$logs/fuzz-$1
	mkdir -p "$at/seeds" "$at/corpus" "$at/found"
	TRANSCODE_FUZZ_TARGET=$1 TRANSCODE_FUZZ_SEEDS=$at/seeds TRANSCODE_TESTDATA=$PWD/testdata \
		UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
		"$logs/build-sanitized/transcode_fuzz" -print_final_stats=1 -max_total_time="$seconds" -max_len=4096 -timeout=10 \
		-rss_limit_mb=4096 -artifact_prefix="$at/found/" "$at/corpus" "$at/seeds" "conformance/fuzz/seeds/$1"
}

released() {
	step build build released
}

sanitizers="-fsanitize=fuzzer-no-link,address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined"
with_sanitizers() { # once, however many campaigns need it
	[ -e "$logs/build-sanitized.log" ] || step build-sanitized build sanitized \
		-DCMAKE_CXX_COMPILER=clang++ -DCMAKE_BUILD_TYPE=Sanitized \
		"-DCMAKE_CXX_FLAGS_SANITIZED=-O1 -g $sanitizers" -DTRANSCODE_FUZZ=ON
}

campaign_suite() { # every test, as released
	released
	step tests ctest --test-dir "$logs/build-released" --output-on-failure -j 2
	with_clients
	step abuse abuse 30 10
	step h2spec h2spec
}

campaign_sanitized() { # every test under ASan and UBSan
	with_sanitizers
	step tests-sanitized sanitized
}

abuse() { # seconds, and how many of them an answer may take
	(cd "$logs" && PYTHONPATH=$engines python3 "$here/conformance/abuse.py" "$logs/build-released/transcode" "$logs/httpbench" "$1" "$2")
}

# Every case of h2spec is green or stands in testdata/deviations with its reason.
h2spec() {
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
	"$logs/build-released/transcode" serve --descriptor testdata/corpus/transcode_gateway.desc \
		--upstream 127.0.0.1:1 --listen "127.0.0.1:$port" &
	server=$!
	"$logs/h2spec" "$port" /v1/nowhere testdata/deviations/h2spec.txt
	result=$?
	kill $server
	wait $server
	return $result
}

with_clients() { # once, as above
	[ -e "$logs/clients.log" ] || step clients sh -c \
		'export CGO_ENABLED=0; go build -C httpbench -trimpath -o "$0/httpbench" . && go build -C h2spec -trimpath -o "$0/h2spec" .' "$logs"
}

campaign_abuse() { # hostile clients beside others, TIME long
	released
	with_clients
	step abuse abuse "$seconds" 1
	step h2spec h2spec
}

campaign_long() { # every shortest double, and more round trips
	released
	step tests-long env TRANSCODE_TEST_LONG=1 ctest --test-dir "$logs/build-released" \
		--output-on-failure --timeout 14400 -R 'round_trip|shortest'
}

campaign_fuzz() { # every fuzz target under both, TIME each
	with_sanitizers
	[ -x "$logs/build-sanitized/transcode_fuzz" ] || return
	for target in json_to_proto proto_to_json round_trip libprotobuf chunked on_demand routes pipeline frames metadata \
		http1 http2 upstream; do
		step "fuzz-$target" fuzz "$target"
	done
}
