#!/bin/sh
# Stacks read at every allocation of difficult programs, in all Pythons; the figures of functions, three
# times; and other suites in the oldest Python and in 3.14.
set -eu
cd "$(dirname -- "$0")/../.."
export SOAK=1
build/tests/e2e --filter 'stacks/*' -j1 --color=never
for round in 1 2 3; do
    echo "round $round"
    build/tests/e2e --filter '@(known|stack_uses)/*' -j1 --color=never
done
build/tests/e2e --filter '@(battery|branches)/@(*oldest*|*3_14*)' -j1 --color=never
