#!/bin/sh
# Three times: cupping's figures of a run are compared with those of a collector in Python. Then the
# variants that `make test` leaves out: jobs without Coffea's Runner, clocks, and other Pythons.
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
