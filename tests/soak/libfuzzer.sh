#!/bin/sh
# libFuzzer with ASAN and UBSAN on each program of tests/fuzz/, one after the other, from the corpus there:
# FUZZ_SECONDS= of each (120). New inputs and crashes stay in build/libfuzzer/. Exit status 1 if anything
# was found, 77 without clang's libFuzzer (on Debian: libclang-rt-14-dev).
set -eu
cd "$(dirname -- "$0")/../.."
if ! echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' |
    clang -x c -fsanitize=fuzzer -o /dev/null - 2>/dev/null; then
    echo "libfuzzer: skipped: clang or its libFuzzer is missing"
    exit 77
fi
make --no-print-directory -j"$(nproc)" LIBFUZZER=1 fuzzers >build/libfuzzer.log 2>&1 ||
    { tail -n 20 build/libfuzzer.log; exit 1; }
failed=
for target in log merged json root_file root_records; do
    found=build/libfuzzer/$target corpus=tests/fuzz/corpus/$target
    mkdir -p "$found"
    [ -d "$corpus" ] || { # of root_records: ROOT files without what is written about them
        corpus=build/libfuzzer/root_records.corpus
        mkdir -p "$corpus"
        cp tests/data/root/*.root "$corpus"
    }
    build/libfuzzer/tests/fuzz/fuzz_$target -max_total_time="${FUZZ_SECONDS:-120}" -max_len=66000 -timeout=60 \
        -rss_limit_mb=2500 -close_fd_mask=3 -artifact_prefix="$found-" "$found" "$corpus" \
        >"$found.log" 2>&1 || failed="$failed $target"
    echo "libfuzzer: $target: $(grep '^Done' "$found.log" || echo "failed, see $found.log")"
done
[ -z "$failed" ]
