"""Programs and libraries that stand beside cupping in a process: each row runs without cupping and with it.
Standard output, standard error and exit status must be the same, and the profile must have every task and
byte of the job (tests/workloads/company_job.py). Prints one table; a row that cannot be had on this machine
is named with the reason.

    company.py [--rows WORD,WORD]

Exit status 1 if a row differs.
"""

import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests"))
import soak  # noqa: E402

LIBRARY = TOP / "build" / "libcupping.so"
PYTHON = str(TOP / "build" / "venv" / "bin" / "python")
JOB = [PYTHON, str(TOP / "tests" / "workloads" / "company_job.py")]
TASKS, BYTES = 20, 2_000_000
FILE_BYTES = 100_000
LIMIT_S = 600

# A process that runs no Python opens its log at its first section.
READER = """
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cupping.h"
static char data[100000];
static void *work(void *path)
{
    cupping_section_begin("read");
    int fd = open(path, O_RDONLY);
    long bytes = pread(fd, data, sizeof data, 0);
    close(fd);
    cupping_section_end();
    char *copy = malloc(1000000);
    copy[999999] = data[5];
    free(copy);
    return (void *)bytes;
}
int main(int count, char **arguments)
{
    pthread_t thread;
    void *bytes = NULL;
    pthread_create(&thread, NULL, work, arguments[count - 1]);
    pthread_join(thread, &bytes);
    printf("%ld\\n", (long)bytes);
    return bytes ? 7 : 8;
}
"""


class Row(NamedTuple):
    name: str
    command: list  # the path of the file to read comes last
    preload: str = "{cupping}"  # how LD_PRELOAD looks with cupping; without it, this word is left out
    environment: dict = {}
    job: bool = True  # a job with tasks, whose figures are compared; else a program without any
    logs: bool = True  # the program can load the library


def library(pattern):
    for folder in ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/lib/aarch64-linux-gnu"]:
        found = sorted(glob.glob(f"{folder}/{pattern}"))
        if found:
            return found[0]
    raise LookupError(f"no {pattern}")


def program(folder, name, *flags, compiler="gcc"):
    if not shutil.which(compiler):
        raise LookupError(f"no {compiler}")
    path = Path(folder) / name.replace(" ", "-")
    source = path.with_suffix(".c")
    source.write_text(READER)
    made = subprocess.run([compiler, "-O1", f"-I{TOP}/include", "-o", path, source, "-pthread", *flags], capture_output=True, text=True)
    if made.returncode:
        raise LookupError(made.stderr.strip().splitlines()[-1])
    return [str(path)]


def tool(name):
    if not shutil.which(name):
        raise LookupError(f"no {name}")
    return name


def memray(folder):
    probe = subprocess.run([PYTHON, "-c", "import memray"], capture_output=True, env=os.environ)
    if probe.returncode:
        raise LookupError("no memray in this Python")
    return [PYTHON, "-m", "memray", "run", "-q", "-f", "-o", f"{folder}/memray.bin", JOB[1]]


def setuid(folder):
    if os.geteuid() != 0:
        raise LookupError("only root can make a program of another user")
    command = program(folder, "setuid")
    os.chmod(folder, 0o755)
    shutil.chown(command[0], "daemon")
    os.chmod(command[0], 0o4755)
    return ["setpriv", "--reuid", "nobody", "--clear-groups", *command]


def namespace():
    command = ["unshare", "--user", "--map-root-user"]
    if not shutil.which("unshare") or subprocess.run([*command, "true"], capture_output=True).returncode:
        raise LookupError("user namespaces are off")
    return command


def without_ptrace():
    command = ["setpriv", "--bounding-set=-sys_ptrace", "--inh-caps=-sys_ptrace"]
    if not shutil.which("setpriv") or subprocess.run([*command, "true"], capture_output=True).returncode:
        raise LookupError("setpriv cannot drop the capability")
    return command


def go_program(folder):
    path = Path(folder) / "reader.go"
    path.write_text(
        'package main\nimport ("fmt"; "os")\n'
        "func main() {\n\tc := make(chan int)\n\tgo func() { d, _ := os.ReadFile(os.Args[1]); c <- len(d) }()\n"
        "\tfmt.Println(<-c)\n\tos.Exit(7)\n}\n"
    )
    command = [tool("go"), "build", "-o", f"{folder}/reader-go", str(path)]
    made = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "HOME": folder, "GO111MODULE": "off"})
    if made.returncode:
        raise LookupError(made.stderr.strip().splitlines()[-1])
    return [f"{folder}/reader-go"]


def rows(folder):
    """Pairs of a name and a function that makes the row, or raises LookupError."""
    yield "alone", lambda: Row("", JOB)
    for name, pattern in [("jemalloc", "libjemalloc.so.2"), ("mimalloc", "libmimalloc.so.2*"), ("tcmalloc", "libtcmalloc_minimal.so.4*")]:
        yield f"{name} before", lambda pattern=pattern: Row("", JOB, library(pattern) + ":{cupping}")
        yield f"{name} behind", lambda pattern=pattern: Row("", JOB, "{cupping}:" + library(pattern))
    yield "heaptrack", lambda: Row("", [tool("heaptrack"), "-o", f"{folder}/heaptrack", *JOB])
    yield "memray", lambda: Row("", memray(folder))
    yield "heaptrack and memray", lambda: Row("", [tool("heaptrack"), "-o", f"{folder}/heaptrack", *memray(folder)])
    yield "MALLOC_PERTURB_", lambda: Row("", JOB, environment={"MALLOC_PERTURB_": "165"})
    yield "MALLOC_CHECK_", lambda: Row("", JOB, library("libc_malloc_debug.so.0") + ":{cupping}", {"MALLOC_CHECK_": "3"})
    yield "LLVM's libunwind", lambda: Row("", JOB, "{cupping}:" + library("libunwind.so.1"))
    yield "nongnu libunwind", lambda: Row("", JOB, "{cupping}:" + library("libunwind.so.8"))
    yield "seccomp filter, errno", lambda: Row("", [*JOB, "--filter=errno"])
    yield "seccomp filter, kill", lambda: Row("", [*JOB, "--filter=kill"])
    yield "filter around the job", lambda: Row("", [*JOB, "--filter=kill", "--again"])
    yield "no CAP_SYS_PTRACE", lambda: Row("", [*without_ptrace(), *JOB])
    yield "user namespace", lambda: Row("", [*namespace(), *JOB])
    yield "pthreads in C", lambda: Row("", program(folder, "plain"), job=False)
    yield "stripped", lambda: Row("", program(folder, "stripped", "-s"), job=False)
    yield "static", lambda: Row("", program(folder, "static", "-static"), job=False, logs=False)
    yield "static-pie", lambda: Row("", program(folder, "static pie", "-static-pie"), job=False, logs=False)
    yield "setuid", lambda: Row("", setuid(folder), job=False, logs=False)
    yield "Go", lambda: Row("", go_program(folder), job=False, logs=False)
    yield "ASAN of gcc", lambda: Row(
        "", program(folder, "asan gcc", "-fsanitize=address"), job=False,
        environment={"ASAN_OPTIONS": "verify_asan_link_order=0"},
    )
    yield "ASAN of clang", lambda: Row("", program(folder, "asan clang", "-fsanitize=address", compiler="clang"), job=False)
    yield "TSAN of gcc", lambda: Row("", program(folder, "tsan gcc", "-fsanitize=thread"), job=False)


def neutral(text):
    """Without process numbers, addresses, and the summary of heaptrack, whose counts include the library's own."""
    text = re.sub(r"==\d+==|0x[0-9a-f]+|\b\d{3,}\b(?= \.)", "", text)
    return "\n".join(line for line in text.splitlines() if not re.match(r"\s+(allocations|leaked|temporary)|heaptrack (stats|output)", line))


def run(row, data, profile):
    environment = {**os.environ, "PYTHONPATH": f"{TOP}/tests/workloads:{os.environ.get('PYTHONPATH', '')}", **row.environment}
    preload = row.preload.replace("{cupping}", str(LIBRARY) if profile else "").strip(":")
    # env: the programs that start the row's own (setpriv, unshare) also have the libraries, as in a job
    words = [f"LD_PRELOAD={preload}"] if preload else []
    words += [f"CUPPING_DIR={profile}"] if profile else []
    return subprocess.run(
        ["env", *words, *row.command, data], env=environment, capture_output=True, text=True, timeout=LIMIT_S, errors="replace"
    )


def judge_profile(row, profile):
    """What is wrong with the profile."""
    logs = list(Path(profile).glob("*.cup"))
    if not row.logs:
        return []
    if not logs:
        return ["no log"]
    shown = subprocess.run([TOP / "build" / "cupping", "report", "--json", profile], capture_output=True, text=True)
    if shown.returncode:
        return [shown.stderr.strip()]
    report = json.loads(shown.stdout)
    if not row.job:
        read = sum(section["read_bytes"] for section in report["sections"]["rows"])
        return [f"{read} B in sections"] * (read != FILE_BYTES)
    tasks, read = report["runs"][0]["tasks"] if report["runs"] else 0, report["workflow"]["total_bytes_read"]
    return [f"{tasks} tasks"] * (tasks != TASKS) + [f"{read} B"] * (read != BYTES)


def try_row(row, data, folder):
    profile = Path(folder) / "profile"
    shutil.rmtree(profile, ignore_errors=True)
    profile.mkdir(mode=0o777)
    profile.chmod(0o777)
    before, after = run(row, data, None), run(row, data, profile)
    wrong = []
    for what in ["returncode", "stdout", "stderr"]:
        old, new = getattr(before, what), getattr(after, what)
        if neutral(str(old)) != neutral(str(new)):
            wrong.append(f"{what}: {str(old)[-200:]!r}, with cupping {str(new)[-300:]!r}")
    return wrong + judge_profile(row, profile)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", default="")
    words = [word for word in parser.parse_args().rows.split(",") if word]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="cupping-company-") as folder:
        os.chmod(folder, 0o755)
        data = f"{folder}/data.root"
        Path(data).write_bytes(os.urandom(FILE_BYTES))
        for name, make in rows(folder):
            if words and not any(word in name for word in words) or soak.done("company", name):
                continue
            wrong = []
            try:
                wrong = try_row(make(), data, folder)
                result = "; ".join(wrong) if wrong else "the same"
                failed += bool(wrong)
            except LookupError as why:
                result = f"not run: {why}"
            print(f"{name:24} {result}", flush=True)
            soak.append("company", name, rounds=int("not run" not in result), failed=int(bool(wrong)),
                        skipped=int("not run" in result))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
