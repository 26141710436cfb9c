#!/bin/sh
# A thousand rounds of the battery on the oldest, the pinned and the newest Python, on one cluster after
# another; the Pythons run side by side, and so load the machine. Bytes by road, and those that were attributed
# to the wrong task. Status 1 if there are any, 77 if a Python is missing. ROUNDS= (of each Python), EACH= (of a cluster), SEED= and
# PYTHONS= may be set; what a wrong cluster left is kept in
# build/battery-<python>-<seed>.
set -eu
cd "$(dirname -- "$0")/../.."
rounds=${ROUNDS:-1000}
each=${EACH:-50}
[ "$rounds" -ge "$each" ] || each=$rounds
running='' status=0
for python in ${PYTHONS:-venv-3.9 venv venv-3.14}; do
    [ -x "build/$python/bin/python" ] || { echo "not run: no build/$python" && status=77 && continue; }
    build/venv/bin/python tests/workloads/battery.py --rounds "$each" --directory "build/battery-$python" \
        --python "$PWD/build/$python/bin/python" --clusters "$(((rounds + each - 1) / each))" --seed "${SEED:-1}" &
    running="$running $!"
done
for pid in $running; do
    wait "$pid" || status=1
done
exit $status
