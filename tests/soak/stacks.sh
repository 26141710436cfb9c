#!/bin/sh
# Stacks read in every allocation of programs that are hard on them, in all Pythons; the judge of
# functions, three times over; and other suites in the oldest Python.
set -eu
cd "$(dirname -- "$0")/../.."
export SOAK=1
build/tests/e2e --filter 'stacks/*' -j1 --color=never
for round in 1 2 3; do
    echo "round $round"
    build/tests/e2e --filter '@(known|stack_uses)/*' -j1 --color=never
done
build/tests/e2e --filter '@(battery|branches)/*oldest*' -j1 --color=never
