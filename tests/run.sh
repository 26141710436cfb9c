#!/bin/sh
# Runs test programs one after the other; the last lines are Criterion's own summaries.
#
#     tests/run.sh [format-check] PROGRAM...     a program that was not built is skipped
#
# Prints the result of each test when it ends, and the output of those that fail. Full logs:
# build/test-*.log. LANES= is the number of e2e suites that run side by side (3). Exit status 1 if
# anything failed. SKIPS= names a file of reasons for which tests may be skipped; any other skip fails.
set -eu
cd "$(dirname -- "$0")/.."
mkdir -p build

failed=
summary=

# Keeps the output of a test until its result is known. A shell loop, because awk may read its input
# in blocks, and would print nothing for minutes.
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

# NAME PROGRAM [OPTION]...: runs it in a pipe, and so passes its status on in a file.
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

# Adds up one or more summaries of Criterion. A test that passed only when it ran again passes.
add_up() {
    awk -F '[:|]' '/^\[====\] Synthesis/ { for (i = 3; i <= 9; i += 2) sum[i] += $i }
        /^\[AGAIN\]/ { again++ }
        END { printf "[====] Synthesis: Tested: %d | Passing: %d | Failing: %d | Crashing: %d\n",
                     sum[3], sum[5] + again, sum[7] - again, sum[9] }' "$@"
}

# LOG: each test that failed, with the last lines that it printed.
quote_failed() {
    awk '/^\[RUN \]/ { count = 0; next }
        /^\[FAIL\]/ {
            print "  " $0
            for (i = count > 6 ? count - 6 : 0; i < count; i++)
                print "    " substr(lines[i], 1, 300)
        }
        { lines[count++] = $0 }' "$1"
}

# NAME PROGRAM: what a cluster does in a test can be late when other programs use the cores. So up to
# three tests that failed run again, alone; the summary names those that then pass. More than three
# failures have another reason, and a crash is never tried again. Nor are unit tests, and suites that
# look for faults that come and go.
run_failed_again() {
    [ "$1" = e2e ] || return 0
    names=$(sed -n '/CRASH/d; s,^\[FAIL\] \([a-z0-9_]*\)::\([a-z0-9_]*\).*,\1/\2,p' build/test-"$1"*.log)
    [ "$(echo "$names" | wc -w)" -le 3 ] || return 0
    for failed_test in $names; do
        case $failed_test in gate/* | stacks/* | native/* | faults/*) continue ;; esac
        line="\\[FAIL\\] ${failed_test%/*}::${failed_test#*/}[ :]"
        log=$(grep -l "^$line" build/test-"$1"*.log)
        echo "== $failed_test: again, alone"
        run again "$2" -j1 --filter "$failed_test"
        [ "$(cat build/test-again.status)" = 0 ] || continue
        sed -i "/^$line/s/^.FAIL./[AGAIN]/" "$log"
        grep -q '^\[FAIL\]' "$log" || echo 0 >"${log%.log}.status"
    done
}

# NAME: tests that were skipped for a reason that is not in the file SKIPS.
grep_unlisted_skips() {
    [ -n "${SKIPS-}" ] || return 0
    grep -v '^#' "$SKIPS" >build/skips
    cat build/test-"$1"*.log | grep '^\[SKIP\]' | grep -v ': Test is disabled$' |
        grep -vFf build/skips | sed 's/^/  /' || :
}

# NAME PROGRAM: adds the result of all its parts to the summary.
judge() {
    run_failed_again "$1" "$2"
    skipped=$(cat build/test-"$1"*.log | grep '^\[SKIP\]' | grep -vc ': Test is disabled$' || :)
    summary="$summary$1 (skipped: $skipped; log: build/test-$1*.log)
$(cat build/test-"$1"*.log | sed -n 's/^\[AGAIN\]/passed only when run again:/p'
        add_up build/test-"$1"*.log)
"
    unlisted=$(grep_unlisted_skips "$1")
    [ -z "$unlisted" ] || failed="$failed $1
skipped for a reason that $SKIPS does not name:
$unlisted"
    for log in build/test-"$1"*.log; do
        part=${log#build/test-} part=${part%.log}
        [ "$(cat "build/test-$part.status" 2>/dev/null)" = 0 ] || failed="$failed $part
$(quote_failed "$log")"
        grep -q '^\[====\] Synthesis' "$log" || summary="${summary}$part ended early: $log
"
    done
}

# Suites with clusters mostly wait, so these run side by side, the longest first. Suites that measure
# short times, or look at all processes, need the machine alone, and are not named here.
parallel="battery|gate|metrics|known|faults|children|branches|demo|environment|coffea_launch|page|coffea|\
plain_jobs|remote|runs|cluster_tasks|stacks|clocks|xrootd|servers|stack_uses|plot|exports|workers|losses|\
opens|http|bad_files|complete|top|notebook|pools|replay|doctor|releases|mapped|fine|sections|access|collect|\
merge|native|native_names|compare_runs|executors|mutated|private|anonymous|arrow|full_log"
run_e2e() {
    rm -f build/test-e2e*
    echo "$parallel" | tr '|' '\n' | xargs -n 1 -P "${LANES:-3}" sh tests/run.sh --suite "$1"
    run e2e "$1" -j1 --filter "!($parallel)/*"
    judge e2e "$1"
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
    case $step in
    */e2e) run_e2e "$step" ;;
    build/tests/*) # 8 GiB: a test that runs away ends, and not the machine; sanitizers need far more
        # shellcheck disable=SC3045 # dash and bash have -v; a lower hard limit stays as it is
        (ulimit -v 8388608 2>/dev/null || :; run "${step##*/}" "$step")
        judge "${step##*/}" "$step"
        ;;
    *)
        run "${step##*/}" "$step"
        judge "${step##*/}" "$step"
        ;;
    esac
done

echo
[ -z "$failed" ] || echo "FAILED:$failed"
printf '%s' "${summary:-no test program was built
}"
[ -z "$failed" ]
