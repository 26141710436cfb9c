"""Tasks on a real worker that read files through XRootD's client, several at a time.

    xrootd_job.py ADDRESS OUT.JSON URL DIRECTORY       DIRECTORY: the files that URL serves

Written: {"expected": [{key, attempt, status, column: value}], "branches": {file: {branch: [baskets,
compressed, uncompressed]}}}, the latter as uproot has it."""

import json
import sys
from pathlib import Path

from distributed import Client, wait
from xrootd_files import BASKETS, FILES, SOURCES, account

HERE = Path(__file__).resolve().parent


def read_there(here, *arguments):
    sys.path.insert(0, here)
    import xrootd_files

    return xrootd_files.read(*arguments)


def main():
    address, out, url, directory = sys.argv[1:]
    client = Client(address)
    client.wait_for_workers(1)
    work = {
        f"{source}-{baskets}": (f"{baskets % FILES}.root", source, baskets)
        for source in SOURCES
        for baskets in range(1, BASKETS + 1)
    }
    tasks = {
        key: client.submit(read_there, str(HERE), f"{url}/{name}", source, baskets, key=key, pure=False)
        for key, (name, source, baskets) in work.items()
    }
    wait(list(tasks.values()))
    expected, branches = [], {}
    for key, task in tasks.items():
        name, _, baskets = work[key]
        expected.append({"key": key, "attempt": 1, "status": "finished",
                         "read_bytes": task.result(), "recv_bytes": 0})
        rows = branches.setdefault(f"{url}/{name}", {})
        for branch, figures in account(Path(directory, name), baskets).items():
            rows[branch] = [a + b for a, b in zip(rows.get(branch, [0, 0, 0]), figures)]
    client.close()
    Path(out).write_text(json.dumps({"expected": expected, "branches": branches}))


if __name__ == "__main__":
    main()
