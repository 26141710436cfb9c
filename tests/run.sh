#!/bin/sh
# Run test programs one after the other; the last lines are Criterion's own summaries.
#
#     tests/run.sh [format-check] PROGRAM...     a program that was not built is left out
#
# Shows each test's result as it comes, and all that a failing one printed. Full logs:
# build/test-*.log. LANES= says how many suites of e2e run side by side (3). Exit status 1 if
# anything failed.
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
        '[SKIP]'*': Test is disabled') kept= ;; # not in this set of suites
        '[PASS]'* | '[SKIP]'*) printf '%s\n' "$line" && kept= ;;
        '[FAIL]'*) printf '%s%s\n' "$kept" "$line" && kept= ;;
        '[====] Synthesis'*) printf '%s' "$kept" && kept= ;;
        *) kept="$kept$line
" ;;
        esac
    done
    printf '%s' "$kept" # of a program that ended early
}

# NAME PROGRAM [OPTION]...: through a pipe, so its status comes out by a file.
run() {
    name=$1
    shift
    rm -f "build/test-$name.status"
    {
        code=0
        "$@" --verbose --color=never 2>&1 </dev/null || code=$?
        echo "$code" >"build/test-$name.status"
    } | tee "build/test-$name.log" | show_results
}

# Of one or more summaries of Criterion: their sum, as one.
add_up() {
    awk -F '[:|]' '/^\[====\] Synthesis/ { for (i = 3; i <= 9; i += 2) sum[i] += $i }
        END { printf "[====] Synthesis: Tested: %d | Passing: %d | Failing: %d | Crashing: %d\n",
                     sum[3], sum[5], sum[7], sum[9] }' "$@"
}

# NAME: takes note of how it went, in all its parts.
judge() {
    skipped=$(cat build/test-"$1"*.log | grep '^\[SKIP\]' | grep -vc ': Test is disabled$' || :)
    summary="$summary$1 (skipped: $skipped; log: build/test-$1*.log)
$(add_up build/test-"$1"*.log)
"
    for log in build/test-"$1"*.log; do
        part=${log#build/test-} part=${part%.log}
        [ "$(cat "build/test-$part.status" 2>/dev/null)" = 0 ] || failed="$failed $part"
        grep -q '^\[====\] Synthesis' "$log" || summary="${summary}$part ended early: $log
"
    done
}

# Clusters mostly wait for each other: suites of them run side by side, the next whenever a lane is
# free, the longest first. What judges short times, or looks at all processes, wants the machine for
# itself, as has a suite that is not named here.
beside="battery|gate|metrics|known|faults|children|branches|demo|environment|coffea_launch|page|coffea|\
plain_jobs|runs|cluster_tasks|stacks|clocks|xrootd|stack_uses|plot|exports|workers|losses|\
opens|mapped|fine|sections|access|native|native_names"
run_e2e() {
    rm -f build/test-e2e*
    echo "$beside" | tr '|' '\n' | xargs -n 1 -P "${LANES:-3}" sh tests/run.sh --suite "$1"
    run e2e "$1" -j1 --filter "!($beside)/*"
    judge e2e
}

# PROGRAM SUITE
run_suite() {
    start=$(date +%s)
    run "e2e-$2" "$1" -j1 --filter "$2/*"
    echo "== e2e $2: $(($(date +%s) - start)) s"
}

if [ "${1-}" = --suite ]; then
    run_suite "$2" "$3"
    exit
fi

for step; do
    if [ "$step" = format-check ]; then
        make --no-print-directory format-check || failed="$failed $step"
        continue
    fi
    [ -x "$step" ] || continue
    echo "== ${step##*/}"
    case ${step##*/} in
    e2e) run_e2e "$step" ;;
    *)
        run "${step##*/}" "$step"
        judge "${step##*/}"
        ;;
    esac
done

echo
[ -z "$failed" ] || echo "FAILED:$failed"
printf '%s' "${summary:-no test program was built
}"
[ -z "$failed" ]
