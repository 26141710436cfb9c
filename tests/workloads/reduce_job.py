"""Workers with profile directories of their own, as on hosts that share none: cupping.reduce() fetches
one log of them all. Then merges of the same logs, and of generated ones, by the command.

    reduce_job.py WRAPPER SCRATCH    the directories are SCRATCH/0, 1, 2; the log is SCRATCH/home.cup
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from distributed import Client, LocalCluster

import cupping
from cupping.remote import reduce

DIRECTORIES, TASKS = 3, 150
BUILD = Path(__file__).resolve().parents[2] / "build"
COMMAND = str(BUILD / "cupping")
MOST_BYTES = 200_000_000  # of address space, for a merge of more than that


def work(i):
    return sum(range(20000 + i))


def start_worker(wrapper, scratch, address, number):
    log = open(scratch / f"worker-{number}.log", "w")
    return subprocess.Popen(
        [wrapper, "-o", str(scratch / str(number % DIRECTORIES)), "--", sys.executable, "-m",
         "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard", "--no-nanny"],
        stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)


def refused(client):
    """A command that no worker has costs one line."""
    try:
        cupping.reduce(client, "unused.cup", command="no-such-command")
    except cupping.Error as error:
        return "has no command cupping" in str(error)
    return False


def leave(client, workers, gone):
    """A worker that leaves before its logs are merged costs one line, and does not let reduce() wait for ever."""
    group = reduce.group_workers

    def group_and_end(about):
        gone.terminate()
        gone.wait(timeout=240)
        while len(client.scheduler_info(n_workers=-1)["workers"]) == workers:
            time.sleep(0.05)
        return group(about)

    with mock.patch.object(reduce, "group_workers", group_and_end):
        try:
            cupping.reduce(client, "unused.cup", command=COMMAND)
        except cupping.Error as error:
            return "left before their logs were merged" in str(error)
    return False


def run(*words, limit=None):
    def set_limit():
        if limit:
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    return subprocess.run([COMMAND, *map(str, words)], check=True, stdout=subprocess.PIPE, preexec_fn=set_limit).stdout


def read_report(profile, *options):
    report = json.loads(run("report", profile, "--json", "-", *options))
    del report["profile"]
    return report


def expect_equal(one, other):
    assert one.keys() == other.keys()
    for part, value in one.items():
        assert value == other[part], part


def check_home(scratch):
    """Which logs were fetched, and that none of the tasks that had begun is missing."""
    dump = run("dump", scratch / "home.cup").decode(errors="replace")
    assert sum(line.startswith("log:") for line in dump.splitlines()) == DIRECTORIES + 1
    tasks = json.loads(run("tasks", scratch / "home.cup", "--json"))["tasks"]
    assert sum(task["key"].startswith("work-") for task in tasks) == TASKS * (DIRECTORIES + 1)


def check_sums(scratch):
    """With sums by prefix few tasks come home one by one, and the sums of all are the same."""
    def rows(name):
        return {row["prefix"]: row for row in read_report(scratch / name)["tasks_by_prefix"]["rows"]}

    kept = json.loads(run("tasks", scratch / "sums.cup", "--json"))["tasks"]
    assert 0 < sum(task["key"].startswith("work-") for task in kept) < TASKS * (DIRECTORIES + 1)
    one, other = rows("home.cup")["work"], rows("sums.cup")["work"]
    for row in one, other:
        for quantile in "p50_s", "p90_s", "p99_s":  # of summed tasks they are from histograms
            del row["histograms"]["task"][quantile]
    assert one == other


def check_merges(scratch):
    """The report of the whole logs, of one merge, and of a merge of merges."""
    together = scratch / "together"
    together.mkdir()
    for log in scratch.glob("[0-9]/*.cup"):
        os.link(log, together / log.name)
    run("merge", together, "-o", scratch / "all.cup")
    run("merge", scratch / "2", scratch / "0", "-o", scratch / "some.cup")
    run("merge", scratch / "1", scratch / "some.cup", "-o", scratch / "again.cup")
    assert (scratch / "all.cup").read_bytes() == (scratch / "again.cup").read_bytes()
    expect_equal(read_report(together), read_report(scratch / "again.cup"))


def check_memory(scratch):
    """Logs that together are larger than what a merge may use."""
    logs = scratch / "generated"
    subprocess.run([BUILD / "tests" / "generate_log", logs, "110000", "6", "0", "20", "60"], check=True)
    assert sum(log.stat().st_size for log in logs.iterdir()) > MOST_BYTES
    run("merge", logs, "-o", scratch / "generated.cup", "--memory", "64", limit=MOST_BYTES)
    expect_equal(read_report(logs, "--without-tasks"), read_report(scratch / "generated.cup", "--without-tasks"))
    shutil.rmtree(logs)


def main(wrapper, scratch):
    scratch = Path(scratch)
    with LocalCluster(n_workers=0, dashboard_address=":0") as cluster, Client(cluster) as client:
        workers = [start_worker(wrapper, scratch, cluster.scheduler_address, i) for i in range(DIRECTORIES + 1)]
        try:
            client.wait_for_workers(len(workers), timeout=240)
            # Each worker runs some of them, so each has a log.
            for i, worker in enumerate(client.scheduler_info(n_workers=-1)["workers"]):
                client.gather(client.map(work, range(TASKS), key=f"work-{i}", workers=[worker], pure=False))
            assert refused(client)
            began = time.monotonic()
            print("home:", cupping.reduce(client, scratch / "home.cup", command=COMMAND),
                  f"{time.monotonic() - began:.2f} s")
            cupping.reduce(client, scratch / "sums.cup", command=COMMAND, per_prefix=True)
            assert leave(client, len(workers), workers[1])  # alone in its directory
        finally:
            client.shutdown()
            for worker in workers:
                worker.wait(timeout=240)
    check_home(scratch)
    check_sums(scratch)
    check_merges(scratch)
    check_memory(scratch)


if __name__ == "__main__":
    main(*sys.argv[1:])
