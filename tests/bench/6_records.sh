#!/bin/sh
# What the walk through the records of ROOT files costs, in microseconds for a megabyte that is read.
set -eu
cd "$(dirname -- "$0")/../.."
mkdir -p build/tests/bench
"${CC:-cc}" -std=c17 -D_GNU_SOURCE -O2 -I. -o build/tests/bench/records \
    tests/bench/records.c preload/root_*.c
exec build/tests/bench/records
