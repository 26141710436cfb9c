#!/bin/sh
# The sampler's results for known programs, in every Python: those of tests/setup.sh, and others that
# pyenv has, with Dask in temporary environments (skipped, with a message, if pip finds no packages).
set -eu
cd "$(dirname -- "$0")/../.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

judge() {
    for program in sampler_truth uses_churn; do
        profile=$(mktemp -d "$scratch/profile-XXXXXX")
        echo "== $program with $("$1" --version)"
        CUPPING_DIR=$profile CUPPING_CPU_HZ=1000 LD_PRELOAD=$PWD/build/libcupping.so \
            "$1" -Werror tests/workloads/$program.py 5
        "$1" tests/workloads/$program.py --check "$profile"
    done
}

for python in build/venv*/bin/python; do
    judge "$python"
done
for minor in 10 12; do # those that set-up has not
    for python in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3."$minor".*/bin/python; do
        [ -x "$python" ] || continue
        if "$python" -m venv "$scratch/venv-$minor" &&
            "$scratch/venv-$minor/bin/pip" install -q dask distributed; then
            judge "$scratch/venv-$minor/bin/python"
        else
            echo "skipped: no Dask for $python"
        fi
    done
done
