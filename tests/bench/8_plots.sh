#!/bin/sh
# How long all plots of a run take, and its page, and their memory: 100,000 chunks on 2,000 workers of four threads,
# with a minute of samples. Five runs each; the first one warms up. The aim: below 5 s and 300 MB.
set -eu
cd "$(dirname -- "$0")/../.."
where=$(mktemp -d)
trap 'rm -rf "$where"' EXIT INT TERM
build/tests/generate_log "$where/run" 100000 2000 0 20 60
for what in "-o $where/plots" "--html $where/page.html"; do
    echo "cupping plot ${what%% *}"
    for _ in 1 2 3 4 5; do
        # shellcheck disable=SC2086 # an option and its value
        build/venv/bin/python - "$where/run" $what <<'PYTHON'
import os, subprocess, sys, time
start = time.perf_counter()
child = subprocess.Popen(["build/cupping", "plot", *sys.argv[1:]], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
_, status, usage = os.wait4(child.pid, 0)
print(f"  {time.perf_counter() - start:.2f} s wall, {usage.ru_utime + usage.ru_stime:.2f} s CPU, "
      f"{usage.ru_maxrss / 1000:.0f} MB, status {status}")
PYTHON
    done
done
echo "the page: $(wc -c <"$where/page.html") bytes"
