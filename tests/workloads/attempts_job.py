"""Chunks that need more than one attempt: one raises once, and one is killed with its worker, which
held results of others.

    attempts_job.py ADDRESS OUT.JSON FILES.JSON

Written: Coffea's own report of the one Runner call.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

from coffea import processor
from coffea.nanoevents import NanoAODSchema
from coffea_job import plain
from dask.distributed import Client

NanoAODSchema.warn_missing_crossrefs = False


class Unlucky(processor.ProcessorABC):
    def __init__(self, marks):
        self.marks = marks  # paths of files that say that it happened

    def first_time(self, what, events, file):
        mark = Path(f"{self.marks}.{what}")
        about = events.metadata
        if about["entrystart"] or file not in about["filename"] or mark.exists():
            return False
        mark.touch()
        return True

    def process(self, events):
        len(events.MET.pt)
        if self.first_time("failed", events, "ZToMuMu_0"):
            raise OSError("fails once, on purpose")
        if self.first_time("killed", events, "TTbar_5"):
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.1)
        return {events.metadata["dataset"]: len(events)}

    def postprocess(self, accumulator):
        return accumulator


def main() -> None:
    where, out, files = sys.argv[1:]
    fileset = {name: {"files": trees} for name, trees in
               json.loads(Path(files).read_text())["fileset"].items()}
    with Client(where) as client:
        client.wait_for_workers(2)
        how = processor.DaskExecutor(client=client, status=False, retries=3)
        run = processor.Runner(executor=how, schema=NanoAODSchema, chunksize=2_500,
                               savemetrics=True)
        _, metrics = run(fileset, processor_instance=Unlucky(str(Path(out).resolve())))
    Path(out).write_text(json.dumps(plain(metrics), indent=1))


if __name__ == "__main__":
    main()
