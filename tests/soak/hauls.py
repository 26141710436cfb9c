"""Long hauls: what a worker does in a day, in minutes. Prints a row for each.

    hauls.py [--rows WORD,WORD] [--scale X] [-o DIR]

Each job runs with cupping, with a log of a few megabytes, so that most of its tasks begin when the log is full. A
row is wrong if the sums of the report are not those of the job, if a log grows beyond its limit, or if the process
has more descriptors at the end than after its first tenth. Its anonymous memory is printed for both moments, and so
is that of the same job without cupping. --scale: parts of the tasks, files and seconds (SCALE= may be set).

Exit status 1 if a row is wrong.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "tests"), str(TOP / "tests" / "workloads")]
import cluster  # noqa: E402
import soak  # noqa: E402
from cluster import Process  # noqa: E402

JOB = TOP / "tests" / "workloads" / "haul_job.py"
LIMIT_BYTES = 4 << 20

# Name; the job; threads of a worker (0: the job is a process of its own); size (tasks, files or seconds); the
# word behind it.
ROWS = [
    ("tasks of 1 ms", "tasks", 2, 100_000, "0.001"),
    ("worker of 64 threads", "tasks", 64, 20_000, "0.1"),
    ("files", "files", 0, 1_000_000, None),
    ("64 threads", "threads", 0, 600, None),
]


def words_of(kind, folder, size, more):
    if kind == "files":
        return [folder / "files", size]
    if kind == "threads":
        return [folder / "data.bin", 64, size]
    return [folder / "data.bin", size, more]


def run_on_worker(folder, prefix, threads, words, out):
    python = TOP / "build" / "venv" / "bin" / "python"
    scheduler_file = folder / "scheduler.json"
    scheduler_file.unlink(missing_ok=True)
    scheduler = Process("scheduler", [*prefix, *cluster.dask(python, "scheduler"), "--host", "127.0.0.1", "--port", "0",
                                      "--no-dashboard", "--scheduler-file", scheduler_file], folder)
    address = cluster.scheduler_address(scheduler_file, scheduler)
    worker = Process("worker", [*prefix, *cluster.dask(python, "worker"), address, "--no-dashboard", "--nthreads",
                                threads, "--local-directory", folder / "scratch", "--death-timeout", 600], folder)
    Process("job", [*prefix, python, JOB, "tasks", address, *words, out], folder).wait(20_000)
    worker.finish(300)
    scheduler.finish(300)


def run_job(folder, kind, threads, size, more, profile):
    """The job's own account, and how long it took."""
    os.environ["CUPPING_MAX_BYTES"] = str(LIMIT_BYTES)
    prefix = [TOP / "wrappers" / "cupping-run", "-o", profile, "--"] if profile else []
    words, out, start = words_of(kind, folder, size, more), folder / "out.json", time.monotonic()
    if kind == "tasks":
        run_on_worker(folder, prefix, threads, words, out)
    else:
        Process("job", [*prefix, TOP / "build/venv/bin/python", JOB, kind, *words, out], folder).wait(20_000)
        shutil.rmtree(folder / "files", ignore_errors=True)
    return json.loads(out.read_text()), time.monotonic() - start


def judge(profile, done):
    shown = subprocess.run([TOP / "build" / "cupping", "report", profile, "--json", "-"], capture_output=True, text=True)
    if shown.returncode:
        return [f"cupping report: {shown.stderr.strip()[:200]}"], {}
    report = json.loads(shown.stdout)
    rows = [row for row in report["tasks_by_prefix"]["rows"] if row["prefix"] == "work"]
    found = {"tasks": rows[0]["tasks"], "bytes": rows[0]["read_bytes"], "opens": rows[0]["open_calls"]} if rows else {}
    wrong = [f"{found.get(name)} {name}, not {done[name]}" for name in ("tasks", "bytes", "opens")
             if found.get(name) != done[name]]
    sizes = [path.stat().st_size for path in profile.glob("*.cup")]
    if max(sizes) > LIMIT_BYTES:
        wrong.append(f"a log of {max(sizes)} bytes")
    first, last = done["probes"][len(done["probes"]) // 10], done["probes"][-1]
    if last["descriptors"] > first["descriptors"]:
        wrong.append(f"{first['descriptors']}, then {last['descriptors']} descriptors")
    return wrong, {"log": max(sizes), "dropped": report["health"]["records_dropped"]}


def memory_of(done):
    first, last = done["probes"][len(done["probes"]) // 10], done["probes"][-1]
    return f"{first['memory'] / 1e6:.1f} to {last['memory'] / 1e6:.1f} MB"


def try_row(args, name, kind, threads, size, more):
    folder = args.output / name.replace(" ", "-")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    os.environ["PYTHONPATH"] = str(TOP / "tests" / "workloads")
    os.environ["DASK_DISTRIBUTED__ADMIN__LOW_LEVEL_LOG_LENGTH"] = "1000"  # else it grows until 100,000 events
    Process.directory = folder  # ./cupping-latest of the checkout stays as it is
    (folder / "data.bin").write_bytes(os.urandom(2000))
    size = max(1, int(size * args.scale))
    done, seconds = run_job(folder, kind, threads, size, more, folder / "profile")
    wrong, figures = judge(folder / "profile", done)
    print(f"{name}: {'; '.join(wrong) or 'right'} ({done['tasks']:,} tasks, {done['bytes']:,} bytes, {done['opens']:,} "
          f"opens in {seconds:.0f} s; largest log {figures.get('log', 0) / 1e6:.1f} MB, {figures.get('dropped')} records "
          f"dropped; {done['probes'][-1]['descriptors']} descriptors; memory {memory_of(done)})", flush=True)
    plain, seconds_plain = run_job(folder, kind, threads, size, more, None)
    print(f"    without cupping: {plain['tasks']:,} tasks in {seconds_plain:.0f} s; memory {memory_of(plain)}", flush=True)
    soak.append("hauls", name, rounds=1, tasks=done["tasks"], wrong=len(wrong), seconds=round(seconds))
    return bool(wrong)


def run(args):
    words = [word for word in args.rows.split(",") if word]
    failed = 0
    for name, *row in ROWS:
        if (not words or any(word in name for word in words)) and not soak.done("hauls", name):
            failed += try_row(args, name, *row)
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rows", default="")
    parser.add_argument("--scale", type=float, default=float(os.environ.get("SCALE", "1")))
    parser.add_argument("-o", "--output", type=Path, default=TOP / "build" / "hauls")
    args = parser.parse_args()
    args.output = args.output.resolve()
    return cluster.guarded("hauls", run, args)


if __name__ == "__main__":
    sys.exit(main())
