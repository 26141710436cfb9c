"""A Coffea analysis that ends in one of several ways before, or when, all of its input is processed.

    complete_job.py WHERE OUT.JSON FILES.JSON HOW

WHERE: address of a scheduler, "local" or "iterative". HOW: "whole"; "maxchunks": one chunk of each
dataset; "twice": a file of each dataset is listed twice; "raise": a chunk fails for good; "interrupt" and "kill": after some chunks the client gets
SIGINT, as by Ctrl-C, or SIGKILL; "scheduler": the scheduler's process gets SIGKILL then; "wait": the
other chunks take until OUT.JSON.marks.go exists, and OUT.JSON.marks.halfway says that some are done.

Written first: {"events", "files"}, what there is to do, by the files' own numbers.
"""

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

import uproot
from coffea import processor
from coffea.nanoevents import NanoAODSchema

NanoAODSchema.warn_missing_crossrefs = False
CHUNK, SOME = 2_500, 4


class Slow(processor.ProcessorABC):
    def __init__(self, marks, how):
        self.marks, self.how = marks, how

    def process(self, events):
        start = int(events.metadata["entrystart"])
        name = f"{Path(events.metadata['filename']).stem}-{start}"
        done = len(list(self.marks.iterdir()))
        if self.how == "raise" and done >= SOME:
            raise ValueError("no such branch, on purpose")
        until = time.time() + 30
        while self.how == "wait" and done >= SOME and time.time() < until:
            if Path(f"{self.marks}.go").exists():
                break
            time.sleep(0.02)
        time.sleep(0.05)
        (self.marks / name).touch()
        return {"events": len(events)}

    def postprocess(self, accumulator):
        return accumulator


def strike(marks, how, scheduler):
    while len(list(marks.iterdir())) < SOME:
        time.sleep(0.01)
    if how == "scheduler":
        os.kill(scheduler, signal.SIGKILL)
    elif how == "wait":
        Path(f"{marks}.halfway").touch()
    else:
        os.kill(os.getpid(), signal.SIGINT if how == "interrupt" else signal.SIGKILL)


def main():
    where, out, files, how = sys.argv[1:]
    fileset = json.loads(Path(files).read_text())["fileset"]
    marks = Path(f"{out}.marks")
    marks.mkdir()
    sizes = [uproot.open(path)[tree].num_entries
             for trees in fileset.values() for path, tree in trees.items()]
    Path(out).write_text(json.dumps({"events": sum(sizes), "files": len(sizes)}))
    client, scheduler = None, 0
    if where == "iterative":
        executor = processor.IterativeExecutor(status=False, retries=0)
    else:
        from dask.distributed import Client

        client = Client(n_workers=2) if where == "local" else Client(where)
        scheduler = client.run_on_scheduler(os.getpid)
        executor = processor.DaskExecutor(client=client, status=False, retries=0)
    run = processor.Runner(executor=executor, schema=NanoAODSchema, chunksize=CHUNK,
                           maxchunks=1 if how == "maxchunks" else None)
    if how in ("interrupt", "kill", "scheduler", "wait"):
        threading.Thread(target=strike, args=(marks, how, scheduler), daemon=True).start()
    files = {name: {"files": trees} for name, trees in fileset.items()}
    if how == "twice":
        files = {name: {"files": [*trees, min(trees)], "treename": min(trees.values())}
                 for name, trees in fileset.items()}
    result = run(files,
                 processor_instance=Slow(marks, how))
    print("processed", result)
    if client:
        client.close()


if __name__ == "__main__":
    main()
