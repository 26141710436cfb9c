#!/bin/sh
# How long `cupping report` takes on a million tasks, and its memory: every field filled, 60-character
# keys, baskets of 20 branches for each, in 100 logs as of 100 workers, and all in one. Seven runs each; the first one warms up.
set -eu
cd "$(dirname -- "$0")/../.."
where=$(mktemp -d)
trap 'rm -rf "$where"' EXIT INT TERM
for logs in 100 1; do
    build/tests/generate_log "$where/$logs" 1000000 "$logs"
    bytes=$(cat "$where/$logs"/*.cup | wc -c)
    echo "1,000,000 tasks in $logs log(s), $bytes bytes"
    for _ in 1 2 3 4 5 6 7; do
        build/venv/bin/python - "$where/$logs" <<'PYTHON'
import os, subprocess, sys, time
start = time.perf_counter()
child = subprocess.Popen(["build/cupping", "report", sys.argv[1]], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
print(f"  {time.perf_counter() - start:.2f} s wall, {usage.ru_utime + usage.ru_stime:.2f} s CPU, "
      f"{usage.ru_maxrss / 1000:.0f} MB, status {status}")
PYTHON
    done
done
