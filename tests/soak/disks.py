"""Bad disks below the profile: full, limited, read-only, gone, or a FUSE file system. The job must go on and
print what it prints without cupping; standard error has at most the one line which says that nothing is
recorded; the report must say that records are lost if they are. Needs root, for mounts in a name space of
their own. Prints one table.

    disks.py [--rows WORD,WORD]

Exit status 1 if a row is wrong.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests"))
import soak  # noqa: E402

PYTHON = str(TOP / "build" / "venv" / "bin" / "python")
JOB = str(TOP / "tests" / "workloads" / "company_job.py")
TASKS, BYTES = 1500, 100_000
TMPFS = "mount -t tmpfs -o size={} none $P"

# Name; commands before the job; the command after 50 of its tasks; whether records must be lost.
ROWS = [
    ("a good disk", "", "", False),
    ("tmpfs with 512 kB", TMPFS.format("512k"), "", True),
    ("tmpfs, full at the start", TMPFS.format("16k") + "; head -c 16k /dev/zero >$P/full", "", None),
    ("tmpfs, full after 50 tasks", TMPFS.format("4m"), "head -c 4m /dev/zero >$P/full 2>/dev/null", True),
    ("RLIMIT_FSIZE 512 kB", "ulimit -Sf 512", "", True),
    # While a log is mapped, Linux refuses to make its file system read-only ("mount point is busy").
    ("read-only at the start", TMPFS.format("64m") + "; mount -o remount,ro $P", "", None),
    ("directory removed", "", "rm -rf $P", None),
    ("no directory", "rmdir $P", "", False),
    ("a file, no directory", "rmdir $P; touch $P", "", None),
    ("FUSE (bindfs)", "mkdir $P.on && bindfs $P.on $P", "", False),
    ("FUSE, direct_io", "mkdir $P.on && bindfs -o direct_io $P.on $P", "", False),
    ("FUSE, 1 MB/s", "mkdir $P.on && bindfs --write-rate=1M $P.on $P", "", False),
    ("FUSE that ends", "mkdir $P.on && { bindfs -f $P.on $P 2>/dev/null & echo $! >$P.pid; sleep 2; }", "umount -l $P; kill $(cat $P.pid) 2>/dev/null; true", None),
]


def run(before, after, profile, data, cupping):
    words = [PYTHON, JOB, f"--tasks={TASKS}", *([f"--after-50={after}"] if after else []), data]
    copy = f"{profile}.copy"
    script = f'{before}\n"$@"; status=$?; ulimit -Sf unlimited; cp -r $P {copy} 2>/dev/null; umount -l $P 2>/dev/null; exit $status'
    environment = {**os.environ, "PYTHONPATH": f"{TOP}/tests/workloads", "P": profile}
    settings = [f"LD_PRELOAD={TOP}/build/libcupping.so", f"CUPPING_DIR={profile}"] if cupping else []
    command = ["unshare", "-m", "bash", "-c", script, "bash", "env", *settings, *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=1200), copy


def read_report(copy):
    """Tasks in the report, and how many records were dropped; None: there is no log."""
    if not os.path.isdir(copy) or not any(name.endswith(".cup") for name in os.listdir(copy)):
        return None
    shown = subprocess.run([TOP / "build" / "cupping", "report", "--json", copy], capture_output=True, text=True)
    if shown.returncode:
        return shown.stderr.strip()[:100], None
    report = json.loads(shown.stdout)
    return (report["runs"][0]["tasks"] if report["runs"] else 0), report["health"].get("records_dropped")


def try_row(before, after, lossy, data, folder):
    profile = f"{folder}/profile"
    os.mkdir(profile)
    ended, copy = run(before, after, profile, data, True)
    wrong, report = [], read_report(copy)
    said = "" if not report and "cupping: nothing is recorded: " in ended.stderr else ended.stderr
    if ended.returncode or ended.stdout != f"{TASKS * BYTES}\n" or said:
        wrong.append(f"status {ended.returncode}, {ended.stdout[-80:]!r}, {ended.stderr[-300:]!r}")
    tasks, dropped = report or (0, None)
    if lossy is True and not dropped:
        wrong.append(f"{tasks} tasks, {dropped} records dropped: no loss was reported")
    if lossy is False and (tasks != TASKS or dropped):
        wrong.append(f"{tasks} tasks, {dropped} records dropped: nothing should be lost")
    shown = f"{tasks} of {TASKS} tasks, {dropped} records dropped" if report else "no log"
    return wrong, shown


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", default="")
    words = [word for word in parser.parse_args().rows.split(",") if word]
    if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode:
        print("not run: no name space for mounts")
        return 0
    failed = 0
    for name, before, after, lossy in ROWS:
        if words and not any(word in name for word in words) or soak.done("disks", name):
            continue
        if "bindfs" in before and not shutil.which("bindfs"):
            print(f"{name:28} not run: no bindfs")
            continue
        with tempfile.TemporaryDirectory(prefix="cupping-disks-") as folder:
            data = f"{folder}/data.root"
            Path(data).write_bytes(os.urandom(BYTES))
            wrong, shown = try_row(before, after, lossy, data, folder)
        failed += bool(wrong)
        print(f"{name:28} {'; '.join(wrong) or 'right'} ({shown})", flush=True)
        soak.append("disks", name, rounds=1, tasks=TASKS, failed=int(bool(wrong)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
