#!/bin/sh
# All of the gate's CPython modules, also without Dask, and the whole gate three times.
set -eu
cd "$(dirname -- "$0")/../.."
export SOAK=1
for round in 1 2 3; do
    echo "round $round"
    CUP_GATE_ALL=1 build/tests/e2e --filter 'gate/*' -j1 --color=never
done
