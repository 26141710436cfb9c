#!/bin/sh
# The figures of functions, three times.
set -eu
cd "$(dirname -- "$0")/../.."
export SOAK=1
for round in 1 2 3; do
    echo "round $round"
    build/tests/e2e --filter '@(known|stack_uses)/*' -j1 --color=never
done
