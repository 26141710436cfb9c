"""Programs whose processes all write logs: `private_job.py task` or `private_job.py cluster`."""

import subprocess
import sys

from run_task import run


def read_with_others():
    return subprocess.run(["cat", sys.executable], stdout=subprocess.DEVNULL, check=True).returncode


def run_cluster():
    from distributed import Client

    with Client(n_workers=1, threads_per_worker=1, dashboard_address=None) as client:
        return client.submit(read_with_others).result()


if __name__ == "__main__":
    print(run("read", read_with_others) if sys.argv[1] == "task" else run_cluster())
