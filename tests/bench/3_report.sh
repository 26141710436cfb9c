#!/bin/sh
# Time and memory of `cupping report` for a million tasks with all fields, keys of 60 characters and
# baskets of 20 branches each: in 100 logs, as of 100 workers, and in one, as files and merged. Seven
# runs each; the first one warms up.
set -eu
cd "$(dirname -- "$0")/../.."
where=$(mktemp -d)
trap 'rm -rf "$where"' EXIT INT TERM
for logs in 100 1; do
    build/tests/generate_log "$where/$logs" 1000000 "$logs"
    bytes=$(cat "$where/$logs"/*.cup | wc -c)
    echo "1,000,000 tasks in $logs log(s), $bytes bytes"
    build/cupping merge "$where/$logs" -o "$where/$logs.cup"
    for profile in "$where/$logs" "$where/$logs.cup"; do
        for _ in 1 2 3 4 5 6 7; do
            python3 tests/timed.py build/cupping report "$profile"
        done
    done
done
