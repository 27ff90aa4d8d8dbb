#!/bin/sh
# Fails when an object that is compiled for one instruction set has weak symbols: the linker could
# keep that copy for callers on every processor.
weak=$(nm -C "$@" | grep -E ' [WVu] ' | grep -v '__gxx_personality')
[ -z "$weak" ] || { echo "weak symbols:"; echo "$weak"; exit 1; }
