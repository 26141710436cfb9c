#!/bin/sh
# All of the gate's CPython modules without Dask as well, and the whole gate three times over.
set -eu
cd "$(dirname -- "$0")/../.."
export SOAK=1
for round in 1 2 3; do
    echo "round $round"
    CUP_GATE_ALL=1 build/tests/e2e --filter 'gate/*' -j1 --color=never
done
