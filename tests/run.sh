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

# NAME: takes note of how it went.
judge() {
    log=build/test-$1.log
    [ "$(cat "build/test-$1.status" 2>/dev/null)" = 0 ] || failed="$failed $1"
    line=$(grep '^\[====\] Synthesis' "$log" || echo "[====] $1 ended early: $log")
    skipped=$(grep '^\[SKIP\]' "$log" | grep -vc ': Test is disabled$' || :)
    summary="$summary$1 (skipped: $skipped; log: $log)
$line
"
}

# What judges short times, or looks at all processes, wants the machine for itself. Clusters that
# mostly wait for each other do not: two sets of suites run side by side. A new suite is alone.
left='branches|cluster_tasks|coffea|environment|exports|gate|plain_jobs'
right='access|children|clocks|coffea_launch|fine|functions|known|losses|metrics|opens|page|plot|runs|sections|stack_uses|stacks|workers'
run_e2e() {
    run e2e-left "$1" -j1 --filter "@($left)/*" &
    run e2e-right "$1" -j1 --filter "@($right)/*"
    wait
    run e2e "$1" -j1 --filter "!($left|$right)/*"
    judge e2e-left
    judge e2e-right
    judge e2e
}

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
