#!/bin/sh
# The judge, three times over: what cupping says of a run against a collector in Python beside it; then
# the variants that `make test` leaves out, of jobs without Coffea's Runner, of clocks and of other Pythons.
set -eu
cd "$(dirname -- "$0")/../.."
export SOAK=1
for round in 1 2 3; do
    echo "round $round"
    build/tests/e2e --filter 'metrics/*' -j1 --color=never
done
for suite in plain_jobs clocks runs fine; do
    build/tests/e2e --filter "$suite/*" -j1 --color=never
done
