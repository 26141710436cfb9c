#!/bin/sh
# Run test programs one after the other; the last lines are Criterion's own summaries.
#
#     tests/run.sh [format-check] PROGRAM...     a program that was not built is left out
#
# Shows each test's result as it comes, and all that a failing one printed. Full logs:
# build/test-*.log. Exit status 1 if anything failed.
set -eu
cd "$(dirname -- "$0")/.."
mkdir -p build

failed=
summary=

# What a test printed is kept until its result is known. A loop of the shell's own: awk may read its
# input in blocks, and nothing would be seen for minutes.
show_results() {
    kept=
    while IFS= read -r line; do
        case $line in
        '[RUN ]'*) kept= ;;
        '[PASS]'* | '[SKIP]'*) printf '%s\n' "$line" && kept= ;;
        '[FAIL]'*) printf '%s%s\n' "$kept" "$line" && kept= ;;
        '[====] Synthesis'*) printf '%s' "$kept" && kept= ;;
        *) kept="$kept$line
" ;;
        esac
    done
    printf '%s' "$kept" # of a program that ended early
}

for step; do
    name=${step##*/}
    log=build/test-$name.log
    status=build/test-$name.status
    if [ "$step" = format-check ]; then
        make --no-print-directory format-check || failed="$failed $step"
        continue
    fi
    [ -x "$step" ] || continue
    echo "== $name"
    # Clusters and strace want the machine for themselves.
    case $name in
    e2e) jobs=-j1 ;;
    *) jobs= ;;
    esac
    rm -f "$status"
    { # through a pipe: its first command's status comes out by a file
        code=0
        "$step" --verbose --color=never $jobs 2>&1 </dev/null || code=$?
        echo "$code" >"$status"
    } | tee "$log" | show_results
    [ "$(cat "$status" 2>/dev/null)" = 0 ] || failed="$failed $name"
    line=$(grep '^\[====\] Synthesis' "$log" || echo "[====] $name ended early: $log")
    skipped=$(grep -c '^\[SKIP\]' "$log" || :)
    summary="$summary$name (skipped: $skipped; log: $log)
$line
"
done

echo
[ -z "$failed" ] || echo "FAILED:$failed"
printf '%s' "${summary:-no test program was built
}"
[ -z "$failed" ]
