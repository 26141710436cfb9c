"""Dask and Coffea that say they are of a release: a cluster in this process and an iterative executor.

    old_release.py PACKAGE VERSION FILES.JSON
"""

import importlib
import json
import sys

# Before cupping reads it, as soon as the package's modules are there.
importlib.import_module(sys.argv[1]).__version__ = sys.argv[2]

from coffea import processor  # noqa: E402
from coffea.nanoevents import NanoAODSchema  # noqa: E402
from dask.distributed import Client  # noqa: E402
from releases_job import Sums, number  # noqa: E402


def run_tasks():
    with Client(processes=False, n_workers=1, threads_per_worker=2, dashboard_address=None) as client:
        assert client.submit(sum, client.map(number, range(20))).result() == 190


def run_chunks(files):
    with open(files, encoding="utf-8") as file:
        fileset = json.load(file)["fileset"]
    run = processor.Runner(executor=processor.IterativeExecutor(status=False), schema=NanoAODSchema,
                           chunksize=10_000)
    out = run({name: {"files": paths} for name, paths in fileset.items()}, processor_instance=Sums())
    assert sum(part["events"] for part in out.values()) == 30_000


def main():
    package, _, files = sys.argv[1:]
    NanoAODSchema.warn_missing_crossrefs = False
    if package == "distributed":
        run_tasks()
    else:
        run_chunks(files)


if __name__ == "__main__":
    main()
