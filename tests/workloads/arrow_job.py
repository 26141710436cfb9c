"""Tasks that run at the same time and read the same Parquet files by Arrow's own threads.

    arrow_job.py ADDRESS DIRECTORY OUT

Each of the tasks scan-0, scan-1, ... reads other columns. OUT gets, for each of them, how many bytes that
takes: the kernel counts them (rchar of /proc/self/io) in a program of its own that reads nothing else."""

import json
import os
import subprocess
import sys
from pathlib import Path

TASKS, FILES, ROWS = 8, 12, 100_000


def columns_of(number):
    return [f"c{i}" for i in range(number + 1)]


def write_files(directory):
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    numbers = np.random.default_rng(3)
    for file in range(FILES):
        table = pa.table({f"c{i}": numbers.normal(size=ROWS) for i in range(TASKS)})
        pq.write_table(table, f"{directory}/{file}.parquet", row_group_size=20_000)


def scan(directory, number):
    import pyarrow.dataset as ds

    paths = [f"{directory}/{file}.parquet" for file in range(FILES)]
    return ds.dataset(paths, format="parquet").to_table(columns=columns_of(number)).num_rows


def kernel_count():
    with open("/proc/self/io") as file:
        return int(file.readline().split()[1])


def count(directory, number):
    """The first scan loads what Arrow itself needs. The least of the others counts: at some of them the
    process reads 4 bytes that are of none of the files."""
    scan(directory, number)
    empty = -kernel_count()
    empty += kernel_count()
    counts = []
    for _ in range(5):
        before = kernel_count()
        scan(directory, number)
        counts.append(kernel_count() - before - empty)
    print(min(counts))


def count_all(directory):
    environment = {n: v for n, v in os.environ.items() if n != "LD_PRELOAD" and "CUPPING" not in n}
    counts = {}
    for number in range(TASKS):
        command = [sys.executable, __file__, directory, str(number)]
        counts[f"scan-{number}"] = int(subprocess.check_output(command, env=environment))
    return counts


def main():
    if len(sys.argv) == 3:
        return count(sys.argv[1], int(sys.argv[2]))
    from distributed import Client

    address, directory, out = sys.argv[1:]
    write_files(directory)
    client = Client(address)
    client.wait_for_workers(1)
    rounds = [client.submit(scan, directory, number, key=f"scan-{number}", pure=False)
              for number in range(TASKS)]
    assert client.gather(rounds) == [FILES * ROWS] * TASKS
    client.close()
    Path(out).write_text(json.dumps(count_all(directory)))


if __name__ == "__main__":
    main()
