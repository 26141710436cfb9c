#!/bin/sh
# Gets a Python that this machine's system does not have from Debian's unstable suite: unpacks its
# packages, with their own libc, below DIRECTORY, and installs nothing. Needs apt-get and the network,
# not root. What is there stays.
#
#     tests/setup-python.sh VERSION DIRECTORY        prints the path of the interpreter
set -eu
version=$1
top=$(mkdir -p "$2" && cd "$2" && pwd)
interpreter=$top/usr/bin/python$version
if [ -e "$top/complete" ]; then
    printf '%s\n' "$interpreter"
    exit
fi
log=$top/setup.log
: >"$log"

fail() {
    tail -n 10 "$log" >&2
    printf 'setup: no Python %s from Debian (all of it: %s)\n' "$version" "$log" >&2
    exit 1
}

# apt with lists of its own, so that the system's are not touched.
keys=/usr/share/keyrings/debian-archive-keyring.gpg
if ! [ -e "$keys" ] || ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
    fail
fi
mkdir -p "$top/apt/lists/partial" "$top/apt/cache/archives/partial" "$top/debs"
: >"$top/apt/status"
echo "deb [signed-by=$keys] http://deb.debian.org/debian sid main" >"$top/apt/sources.list"
apt() {
    command apt-get -o "Dir::State=$top/apt" -o "Dir::State::status=$top/apt/status" \
        -o "Dir::Cache=$top/apt/cache" -o "Dir::Etc::sourcelist=$top/apt/sources.list" \
        -o Dir::Etc::sourceparts=/dev/null "$@" >>"$log" 2>&1
}
apt update || fail
(cd "$top/debs" && apt download "python$version" "python$version-minimal" "python$version-dev" \
    "libpython$version" "libpython$version-minimal" "libpython$version-stdlib" "libpython$version-dev" \
    "libpython$version-testsuite" "python$version-venv" python3-pip-whl libc6 libgcc-s1 zlib1g libexpat1 libssl3t64 libffi8 \
    libsqlite3-0 liblzma5 libbz2-1.0 libuuid1 libzstd1 libncursesw6 libtinfo6 libreadline8t64) || fail
for package in "$top"/debs/*.deb; do
    dpkg-deb -x "$package" "$top" || fail
done

# The interpreter and what it loads use the unpacked libc; the programs that it starts, which are
# the system's, do not: so no LD_LIBRARY_PATH. Debian's program asks for the system's loader, so this
# is another one, with the same libpython. Wheels that look up libraries by paths of their own find
# the old parts of libc only if they are loaded before.
libraries=$top/usr/lib/x86_64-linux-gnu
rm -f "$interpreter"
echo 'int Py_BytesMain(int, char **); int main(int n, char **words) { return Py_BytesMain(n, words); }' |
    "${CC:-cc}" -x c - -x none -o "$interpreter" -Wl,--disable-new-dtags "-Wl,-rpath,$libraries" \
        "-Wl,--dynamic-linker,$libraries/ld-linux-x86-64.so.2" -Wl,--allow-shlib-undefined \
        "$libraries/libpython$version.so.1.0" -Wl,--no-as-needed "$libraries/libm.so.6" \
        "$libraries/libdl.so.2" "$libraries/libpthread.so.0" "$libraries/librt.so.1" \
        "$libraries/libutil.so.1" >>"$log" 2>&1 || fail
# Where ensurepip looks for pip.
sed -i "s,'/usr/share/python-wheels/',\"$top/usr/share/python-wheels/\"," \
    "$top/usr/lib/python$version"/_sysconfigdata*.py || fail
"$interpreter" -c 'import ctypes, lzma, ssl, sqlite3' >>"$log" 2>&1 || fail
# The packages have no bytecode: each start of Python would take a second longer.
"$interpreter" -m compileall -q -x '/(test|idlelib)/' "$top/usr/lib/python$version" >>"$log" 2>&1 || :
rm -rf "$top/debs" "$top/apt"
: >"$top/complete"
printf '%s\n' "$interpreter"
