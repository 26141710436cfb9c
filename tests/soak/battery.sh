#!/bin/sh
# A thousand rounds of the battery, on one cluster after another: bytes by road, and those that were
# attributed to the wrong task. Status 1 if there are any. ROUNDS= and SEED= may be set; what a wrong
# round left is kept in build/battery-<seed>.
set -eu
cd "$(dirname -- "$0")/../.."
rounds=${ROUNDS:-1000}
each=$((rounds < 50 ? rounds : 50))
exec build/venv/bin/python tests/workloads/battery.py --rounds "$each" \
    --clusters "$(((rounds + each - 1) / each))" --seed "${SEED:-1}"
