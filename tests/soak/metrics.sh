#!/bin/sh
# Three times: cupping's figures of a run are compared with those of a collector in Python.
set -eu
cd "$(dirname -- "$0")/../.."
export SOAK=1
for round in 1 2 3; do
    echo "round $round"
    build/tests/e2e --filter 'metrics/*' -j1 --color=never
done
