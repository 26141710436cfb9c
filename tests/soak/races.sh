#!/bin/sh
# ThreadSanitizer over the library's own code: threads that run tasks and do all that is recorded at the same
# time (races.c). THREADS= and ROUNDS= (tasks of each thread) may be set. Status 1 if there is a race.
set -eu
cd "$(dirname -- "$0")/../.."
make --no-print-directory TSAN=1 build/tsan/tests/races >build/races.log 2>&1 || { tail -n 20 build/races.log && exit 1; }
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
for settings in CUPPING_STACKS=0 CUPPING_STACKS=all CUPPING_MAX_BYTES=1M; do
    mkdir "$directory/files"
    env CUPPING_DIR="$directory/profile" "$settings" build/tsan/tests/races "${THREADS:-16}" "${ROUNDS:-200}" \
        "$directory/files" || exit 1
    [ -n "$(ls "$directory/profile")" ] || { echo "nothing was recorded" && exit 1; }
    rm -rf "$directory/files" "$directory/profile"
done
