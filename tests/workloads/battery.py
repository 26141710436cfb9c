"""The battery on a cluster of its own, and its table: what `make soak` and developers run.

    battery.py [--rounds N] [--clusters N] [--roads ROAD,ROAD] [--python PYTHON] [--directory DIR]
    battery.py --dask      battery_dask_job.py instead, on two workers that spill

A cluster whose job hangs or fails is counted, and the next one follows. In `make soak` each cluster has a row
(tests/soak.py), and one that has a row is not run again.

Exit status 1 if a byte went to the wrong task, or a task's row is wrong.
"""

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import battery_job
import cluster
from cluster import TOP, Process, Stop, say

sys.path.insert(0, str(TOP / "tests"))
import soak  # noqa: E402

# Children of workers: multiprocessing forbids them to daemons, as nannies make workers.
ENVIRONMENT = {
    "PYTHONPATH": str(TOP / "tests" / "workloads"),
    "PYTHONDONTWRITEBYTECODE": "1",
    "DASK_DISTRIBUTED__WORKER__DAEMON": "False",
    # CPython 3.11.0 to 3.11.8 freezes if garbage is collected in sys._current_frames(), while another
    # thread starts, ends or drops a threading.local (gh-106883). Dask's profiler asks every 10 ms.
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
    # Spilling at 20 MB of 500 MB, and nothing else that a small limit does.
    "DASK_DISTRIBUTED__WORKER__MEMORY__TARGET": "0.04",
    "DASK_DISTRIBUTED__WORKER__MEMORY__SPILL": "False",
    "DASK_DISTRIBUTED__WORKER__MEMORY__PAUSE": "False",
    "DASK_DISTRIBUTED__WORKER__MEMORY__TERMINATE": "False",
    "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1000",
    "DASK_DISTRIBUTED__NANNY__PRE_SPAWN_ENVIRON__OMP_NUM_THREADS": "3",
    "DASK_DISTRIBUTED__NANNY__PRE_SPAWN_ENVIRON__OPENBLAS_NUM_THREADS": "3",
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("--rounds", type=int, default=1, help="of each cluster")
    add("--clusters", type=int, default=1, help="one after the other")
    add("--roads", default="", help="only these, separated by commas")
    add("--dask", action="store_true", help="Dask's own work instead of the roads")
    add("--python", default=sys.executable)
    add("--under", default="", help="command put before `dask worker`, such as strace")
    add("--seed", type=int, default=1)
    add("--directory", type=Path, default=TOP / "build" / "battery")
    return parser.parse_args()


def one_cluster(args, directory):
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    directory = directory.resolve()
    Process.directory = directory  # ./cupping-latest of the checkout stays as it is
    profile, scheduler_file = directory / "profile", directory / "scheduler.json"
    cupping = [TOP / "wrappers" / "cupping-run", "-o", profile, "--"]
    scheduler = Process("scheduler", [
        *cupping, *cluster.dask(args.python, "scheduler"), "--host", "127.0.0.1", "--port", "0",
        "--no-dashboard", "--scheduler-file", scheduler_file], directory)
    address = cluster.scheduler_address(scheduler_file, scheduler)
    worker = Process("worker", [
        *cupping, *args.under.split(), *cluster.dask(args.python, "worker"), address,
        "--no-dashboard", "--nthreads", battery_job.POOL,
        *["--nworkers", 2] * args.dask,  # 2022.1 does not know this option
        "--local-directory", directory / "scratch",
        "--memory-limit", "500MB" if args.dask else "0", "--death-timeout", "600"], directory)
    out = directory / "out.json"
    script = "battery_dask_job.py" if args.dask else "battery_job.py"
    more = [] if args.dask else [args.rounds, *[args.roads] * bool(args.roads)]
    job = Process("job", [args.python, TOP / "tests" / "workloads" / script, address, out,
                          directory / "data", *more], directory)
    job.wait(24 * 3600)
    worker.finish(300)
    scheduler.finish(300)
    rows, report = directory / "tasks.json", directory / "report.json"
    for verb, file in (("tasks", rows), ("report", report)):
        subprocess.run([TOP / "build" / "cupping", verb, profile, "--json", file], check=True,
                       stdout=subprocess.DEVNULL)
    return battery_job.judge(rows, out), battery_job.lost(rows, report, out)


def keep_evidence(args, seed):
    shutil.copytree(args.directory, f"{args.directory}-{seed}", dirs_exist_ok=True,
                    ignore=shutil.ignore_patterns("data", "scratch"))


def python_version(python):
    """Such as 3.11."""
    program = "import sys; print('%d.%d' % sys.version_info[:2])"
    return subprocess.run([python, "-c", program], check=True, capture_output=True, text=True).stdout.strip()


def is_frozen(args, stop):
    log = args.directory / "job.log"
    return cluster.DOES_NOT_END in str(stop) or log.exists() and battery_job.HANGS in log.read_text()


def run_cluster(args, seed):
    """Runs a cluster and appends its row. What one_cluster() returns, and whether anything is wrong."""
    start, rounds, table, not_found = time.monotonic(), args.rounds, {}, 0
    counts = dict.fromkeys(soak.FAULTS, 0)
    os.environ["CUP_BATTERY_SEED"] = str(seed)
    try:
        table, not_found = one_cluster(args, args.directory)
    except Stop as stop:
        if cluster.stop_signal:
            raise
        say(str(stop))
        Process.end_all()
        counts["frozen" if is_frozen(args, stop) else "failed"] = 1
        rounds = 0
    counts.update({name: sum(line[name] for line in table.values()) for name in ("tasks", "wrong", "missing")},
                  lost=abs(not_found))
    soak.append("battery", seed, python_version(args.python), rounds=rounds,
                seconds=round(time.monotonic() - start), **counts)
    return table, not_found, any(counts[name] for name in soak.FAULTS)


def run(args):
    os.environ.update(ENVIRONMENT)
    table, lost, failed, version = {}, 0, False, python_version(args.python)
    for number in range(args.clusters):
        seed = args.seed + number
        if soak.done("battery", seed, version):
            continue
        found, not_found, faulty = run_cluster(args, seed)
        battery_job.add(table, found)
        lost += abs(not_found)
        failed |= faulty
        wrong = sum(line["wrong"] for line in found.values())
        say(f"Python {version}, cluster {number + 1} of {args.clusters}: {args.rounds} rounds, {wrong} rows wrong"
            + f", {not_found:,d} bytes lost" * bool(not_found))
        if faulty and args.clusters > 1:
            keep_evidence(args, seed)
    total = battery_job.show(table)
    print(f"{total['tasks']:,d} tasks, {total['bytes']:,d} bytes: "
          f"{total['misattributed']:,d} misattributed, {total['missing']:,d} missing, "
          f"{total['none']:,d} none where they may be, {lost:,d} lost")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(cluster.guarded("battery", run, arguments()))
