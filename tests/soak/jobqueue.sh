#!/bin/sh
# The README's recipes for Slurm and HTCondor: a shell runs the job scripts that dask-jobqueue makes, and
# the profile has the tasks and the bytes of the workers that they start.
set -eu
cd "$(dirname -- "$0")/../.."
top=$PWD
python="$top/build/venv/bin/python"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$python" -m pip install --disable-pip-version-check --quiet --no-deps --target "$scratch/packages" \
    dask-jobqueue==0.9.0
for kind in slurm htcondor; do
    for way in python prologue; do
        profile="$scratch/$kind-$way/profile"
        mkdir -p "$profile"
        PYTHONPATH="$scratch/packages" "$top/build/cupping" run --quiet -o "$profile" -- "$python" \
            tests/workloads/jobqueue_job.py "$kind" "$way" "$profile" "$top/wrappers/cupping-run" \
            "$top/build/libcupping.so" >"$scratch/out" 2>"$scratch/err" || { cat "$scratch/err"; exit 1; }
        recorded=$("$top/build/cupping" tasks "$profile" --csv - | "$python" -c '
import csv, sys
rows = [row for row in csv.DictReader(sys.stdin) if row["prefix"] == "read_file"]
print("bytes", sum(int(row["read_bytes"]) for row in rows), "tasks", len(rows))')
        if [ "$recorded" != "$(cat "$scratch/out") tasks 10" ]; then
            echo "jobqueue: $kind, $way: recorded $recorded"
            exit 1
        fi
        echo "jobqueue: $kind, $way: all bytes of all tasks"
    done
done
