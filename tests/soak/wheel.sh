#!/bin/sh
# The wheel, as a user installs it: `make wheel`, then in a fresh environment of each Python of this
# machine, and, as root and with debootstrap, in a Debian 11 (glibc 2.31, no fonts, no compiler).
# There it profiles a program, each verb reads a generated job, and `pip uninstall` leaves no file.
set -eu
cd "$(dirname -- "$0")/../.."
make --no-print-directory wheel
wheel=$(ls "$PWD"/dist/cupping-*.whl)
scratch=$(mktemp -d)
build/tests/generate_log "$scratch/job" 200 2
trap 'umount "$scratch/debian/proc" 2>/dev/null; rm -rf "$scratch"' EXIT

cat >"$scratch/analysis.py" <<'PYTHON'
import sys

import cupping

with cupping.section("selection"):
    assert sum(range(2_000_000))
if not cupping.active():
    sys.exit("not profiled")
PYTHON

cat >"$scratch/try.sh" <<'SHELL'
set -eu
python=$1 wheel=$2
"$python" -m venv env
env/bin/python -m pip install --disable-pip-version-check --no-index --quiet "$wheel"
env/bin/cupping run --quiet -o profile -- env/bin/python analysis.py
env/bin/cupping report profile --only sections | grep -q selection || { echo "no section"; exit 1; }
env/bin/python -c 'import cupping; assert len(cupping.open("job").tasks["key"]) == 200'
log=$(ls job | head -n 1)
for arguments in "report job" "report job --json report.json" "tasks job" "plot job -o pictures" \
    "plot job --html page.html" "export job --to perfetto -o trace.json" "compare job job" \
    "dump job/$log" "top job --once" "doctor --python env/bin/python" "help report" "version"; do
    # shellcheck disable=SC2086 # a list of words
    env/bin/cupping $arguments >out 2>&1 || { cat out; echo "failed: cupping $arguments"; exit 1; }
done
env/bin/python -m pip uninstall --disable-pip-version-check --quiet --yes cupping
left=$(find env -iname '*cupping*' ! -type d)
[ -z "$left" ] || { echo "left behind: $left"; exit 1; }
SHELL

for python in "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python3 /usr/bin/python3; do
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || continue
    directory="$scratch/$("$python" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])')"
    mkdir -p "$directory"
    cp -r "$scratch/analysis.py" "$scratch/job" "$directory"
    (cd "$directory" && sh "$scratch/try.sh" "$python" "$wheel")
    echo "wheel: ok with $python"
done

if [ "$(id -u)" != 0 ] || ! command -v debootstrap >/dev/null; then
    echo "wheel: not tried in Debian 11: needs root and debootstrap"
    exit 77
fi
debootstrap --variant=minbase --include=python3-venv bullseye "$scratch/debian" \
    http://deb.debian.org/debian >"$scratch/debootstrap.log"
mount -t proc proc "$scratch/debian/proc"
mkdir "$scratch/debian/try"
cp -r "$wheel" "$scratch/analysis.py" "$scratch/job" "$scratch/try.sh" "$scratch/debian/try"
chroot "$scratch/debian" sh -c "cd /try && sh try.sh python3 /try/$(basename "$wheel")"
echo "wheel: ok in Debian 11"
