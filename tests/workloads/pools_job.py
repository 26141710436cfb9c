"""Pools of processes that read ROOT files, without Dask.

    pools_job.py FILES.JSON OUT.JSON HOW...
        HOW: fork, spawn, forkserver (of multiprocessing, with uproot), or parsl (Coffea's Runner on
        Parsl's HighThroughputExecutor)

Written: {"readers": process numbers of all that read}. It also starts processes that read no file
of events: those leave no log.
"""

import json
import multiprocessing
import os
import subprocess
import sys
from pathlib import Path


def read(path):
    import uproot

    with uproot.open(path) as file:
        file["Events/MET_pt"].array(library="np")
    return os.getpid()


def read_settings(path):
    return len(json.loads(Path(path).read_text()))


def pool(method, paths, settings):
    context = multiprocessing.get_context(method)
    with context.Pool(2) as processes:
        readers = processes.map(read, paths, chunksize=1)
        processes.close()
        processes.join()
    with context.Pool(1) as processes:
        processes.map(read_settings, [settings])
    return readers


def run_parsl(fileset, directory):
    import parsl
    from coffea import processor
    from coffea.nanoevents import NanoAODSchema
    from parsl.config import Config
    from parsl.executors import HighThroughputExecutor
    from parsl.providers import LocalProvider
    from processor import Dimuon

    NanoAODSchema.warn_missing_crossrefs = False
    executor = HighThroughputExecutor(
        address="127.0.0.1", max_workers_per_node=2, cores_per_worker=1,
        provider=LocalProvider(init_blocks=1, max_blocks=1))
    with parsl.load(Config(executors=[executor], run_dir=directory, strategy="none")):
        run = processor.Runner(executor=processor.ParslExecutor(status=False), schema=NanoAODSchema,
                               chunksize=2_500)
        run({name: {"files": trees} for name, trees in fileset.items()},
            processor_instance=Dimuon())
    return []


def main():
    files, out, *kinds = sys.argv[1:]
    fileset = json.loads(Path(files).read_text())["fileset"]
    paths = [path for trees in fileset.values() for path in trees]
    readers = []
    for kind in kinds:
        readers += (run_parsl(fileset, f"{out}.parsl") if kind == "parsl"
                    else pool(kind, paths, files))
    for command in (["cat", files], ["sh", "-c", f"cat {files} | wc -c"],
                    [sys.executable, "-c", f"open({files!r}).read()"]):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    Path(out).write_text(json.dumps({"readers": sorted(set(readers))}))


if __name__ == "__main__":
    main()
