#!/bin/sh
# The cost of finding the records of ROOT files in the bytes read, in microseconds per megabyte.
set -eu
cd "$(dirname -- "$0")/../.."
mkdir -p build/tests/bench
"${CC:-cc}" -std=c17 -D_GNU_SOURCE -O2 -I. -o build/tests/bench/records \
    tests/bench/records.c preload/root/root_*.c
exec build/tests/bench/records
