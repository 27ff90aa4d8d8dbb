#!/bin/sh
# inputs.sh BUILD   copy what the shots of a peer read into the folder BUILD: the program that writes the
# inputs, and the conformance cases.
set -eu
cd "$(dirname "$0")/.."
mkdir -p "$1/corpus"
cp bench/*.py bench/benchmark.binpb "$1"
cd testdata/corpus
cp conformance.jsonl json_to_proto.jsonl proto_to_json.jsonl test_messages.desc transcode_corpus.desc \
  "$1/corpus"
