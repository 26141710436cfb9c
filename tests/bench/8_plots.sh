#!/bin/sh
# Time and memory of all plots of a run, and of its page: 100,000 chunks on 2,000 workers of four
# threads, with a minute of samples. Five runs each; the first one warms up. The limit: 5 s and 300 MB.
set -eu
cd "$(dirname -- "$0")/../.."
where=$(mktemp -d)
trap 'rm -rf "$where"' EXIT INT TERM
build/tests/generate_log "$where/run" 100000 2000 0 20 60
for what in "--all -o $where/plots" "--html $where/page.html"; do
    echo "cupping plot ${what%% *}"
    for _ in 1 2 3 4 5; do
        # shellcheck disable=SC2086 # an option and its value
        python3 tests/timed.py build/cupping plot "$where/run" $what
    done
done
echo "the page: $(wc -c <"$where/page.html") bytes"
