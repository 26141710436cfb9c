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

# A file system in a file of 128 MB. The job works on the rest of the disk when it is mounted at $P.
LOOP = "truncate -s 128M $P.img && mkfs.{0} -q $P.img >/dev/null 2>&1 && mount -o loop{1} $P.img $P; "
# A FUSE file system that answers writes late, and refuses them after some bytes.
ODD = ("{{ /usr/bin/python3 $TOP/tests/workloads/odd_mount.py $P {} {} 2>/dev/null & "
       "until mountpoint -q $P; do sleep 0.1; done; }}")
FILL = "sync; head -c 200m /dev/zero >$P/full 2>/dev/null; sync"

# Name; commands before the job; the command after 50 of its tasks; whether records must be lost (the sums by prefix
# must be exact then as well; None: there may be no log).
ROWS = [
    ("a good disk", "", "", False),
    ("tmpfs with 512 kB", TMPFS.format("512k"), "", True),
    ("tmpfs, full at the start", TMPFS.format("16k") + "; head -c 16k /dev/zero >$P/full", "", None),
    ("tmpfs, full after 50 tasks", TMPFS.format("4m"), "head -c 4m /dev/zero >$P/full 2>/dev/null", True),
    ("RLIMIT_FSIZE 512 kB", "ulimit -Sf 512", "", True),
    ("ext4, full after 50 tasks", LOOP.format("ext4", ""), FILL, True),
    ("ext4, made read-only by an error after 50 tasks", LOOP.format("ext4", ",errors=remount-ro"),
     "sync; echo 1 >/sys/fs/ext4/$(basename $(findmnt -no SOURCE $P))/trigger_fs_error; sync", None),
    # btrfs that is full is not here: the job would take hours (docs/reliability.md).
    # While a log is mapped, Linux refuses to make its file system read-only ("mount point is busy").
    ("read-only at the start", TMPFS.format("64m") + "; mount -o remount,ro $P", "", None),
    ("directory removed", "", "rm -rf $P", None),
    ("no directory", "rmdir $P", "", False),
    ("a file, no directory", "rmdir $P; touch $P", "", None),
    ("FUSE (bindfs)", "mkdir $P.on && bindfs $P.on $P", "", False),
    ("FUSE, direct_io", "mkdir $P.on && bindfs -o direct_io $P.on $P", "", False),
    ("FUSE, 1 MB/s", "mkdir $P.on && bindfs --write-rate=1M $P.on $P", "", False),
    ("FUSE without fallocate, a write takes 0.2 s", ODD.format(0.2, 1 << 30), "", False),
    ("FUSE without fallocate, EDQUOT after 500 kB", ODD.format(0, 500_000), "", None),
    ("FUSE that ends", "mkdir $P.on && { bindfs -f $P.on $P 2>/dev/null & echo $! >$P.pid; sleep 2; }", "umount -l $P; kill $(cat $P.pid) 2>/dev/null; true", None),
]


def run(before, after, profile, data, cupping):
    words = [PYTHON, JOB, f"--tasks={TASKS}", *([f"--after-50={after}"] if after else []), data]
    copy = f"{profile}.copy"
    script = f'{before}\n"$@"; status=$?; ulimit -Sf unlimited; cp -r $P {copy} 2>/dev/null; umount -l $P 2>/dev/null; exit $status'
    environment = {**os.environ, "PYTHONPATH": f"{TOP}/tests/workloads", "P": profile, "TOP": TOP}
    settings = [f"LD_PRELOAD={TOP}/build/libcupping.so", f"CUPPING_DIR={profile}"] if cupping else []
    command = ["unshare", "-m", "bash", "-c", script, "bash", "env", *settings, *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=1200), copy


def read_report(copy):
    """Tasks and bytes in the report, and how many records were dropped and logs refused; None: there is no log."""
    if not os.path.isdir(copy) or not any(name.endswith(".cup") for name in os.listdir(copy)):
        return None
    shown = subprocess.run([TOP / "build" / "cupping", "report", "--json", copy], capture_output=True, text=True)
    if shown.returncode:
        return shown.stderr.strip()[:100], None, None, None
    report = json.loads(shown.stdout)
    rows = [row for row in report["tasks_by_prefix"]["rows"] if row["prefix"] == "work"] or [{"tasks": 0, "read_bytes": 0}]
    health = report["health"]
    return rows[0]["tasks"], rows[0]["read_bytes"], health["records_dropped"], health["logs_in_part"]


def try_row(before, after, lossy, data, folder):
    profile = f"{folder}/profile"
    os.mkdir(profile)
    ended, copy = run(before, after, profile, data, True)
    wrong, report = [], read_report(copy)
    said = "" if not report and "cupping: nothing is recorded: " in ended.stderr else ended.stderr
    if ended.returncode or ended.stdout != f"{TASKS * BYTES}\n" or said:
        wrong.append(f"status {ended.returncode}, {ended.stdout[-80:]!r}, {ended.stderr[-300:]!r}")
    tasks, read, dropped, refused = report or (0, 0, None, None)
    if lossy is not None and (tasks, read) != (TASKS, TASKS * BYTES):
        wrong.append(f"{tasks} tasks, {read} bytes: the sums should be exact")
    if lossy is not None and bool(dropped) != lossy:
        wrong.append(f"{dropped} records dropped: {'no loss was reported' if lossy else 'nothing should be lost'}")
    if report and (bool(refused) != (tasks != TASKS)):
        wrong.append("no loss was reported" if not refused else "nothing should be refused")
    shown = f"{tasks} of {TASKS} tasks, {read:,} bytes, {dropped} records dropped, {refused} logs refused" if report else "no log"
    return wrong, shown


def missing_for(before):
    if "odd_mount" in before and subprocess.run(["/usr/bin/python3", "-c", "import fusepy"], capture_output=True).returncode:
        return "fusepy"
    for program in ("bindfs", "mkfs.ext4"):
        if program in before and not shutil.which(program):
            return program
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", default="")
    words = [word for word in parser.parse_args().rows.split(",") if word]
    if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode:
        print("not run: no name space for mounts")
        return soak.SKIPPED
    failed = 0
    for name, before, after, lossy in ROWS:
        if words and not any(word in name for word in words) or soak.done("disks", name):
            continue
        missing = missing_for(before)
        if missing:
            print(f"{name:44} not run: no {missing}")
            soak.append("disks", name, skipped=1)
            continue
        with tempfile.TemporaryDirectory(prefix="cupping-disks-") as folder:
            data = f"{folder}/data.root"
            Path(data).write_bytes(os.urandom(BYTES))
            wrong, shown = try_row(before, after, lossy, data, folder)
        failed += bool(wrong)
        print(f"{name:44} {'; '.join(wrong) or 'right'} ({shown})", flush=True)
        soak.append("disks", name, rounds=1, tasks=TASKS, failed=int(bool(wrong)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
