#!/bin/sh
# Native frames, repeatedly, while libraries are listed and unloaded and processes forked; and in every
# other Python that is installed, compared with sys._getframe().
set -eu
cd "$(dirname -- "$0")/../.."
export SOAK=1
for round in 1 2 3 4 5; do
    echo "round $round"
    build/tests/e2e --filter 'native/*' -j1 --color=never
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
versions=${PYENV_ROOT:-$HOME/.pyenv}/versions
for python in "$versions"/3.9.*/bin/python3 "$versions"/3.1[0-3].*/bin/python3; do
    [ -x "$python" ] || continue
    "$python" tests/workloads/stacks_equal.py build/tests/trace/libstacks.so "$scratch" native
    rm -f "$scratch"/*.cup
done
