"""The same job several times, then as often with a processor that sleeps in each chunk.

    compare_job.py SCHEDULER FILES.JSON

A first call, whose worker imports everything, then three and three.
"""

import json
import sys
import time
from pathlib import Path

from coffea import processor
from coffea.nanoevents import NanoAODSchema
from dask.distributed import Client

NanoAODSchema.warn_missing_crossrefs = False


class Light(processor.ProcessorABC):
    def __init__(self, seconds):
        self.seconds = seconds

    def process(self, events):
        time.sleep(self.seconds)
        return {events.metadata["dataset"]: len(events)}

    def postprocess(self, accumulator):
        return accumulator


def main() -> None:
    scheduler, files = sys.argv[1:]
    fileset = {name: {"files": trees} for name, trees in
               json.loads(Path(files).read_text())["fileset"].items()}
    client = Client(scheduler)
    how = processor.DaskExecutor(client=client, status=False)
    run = processor.Runner(executor=how, schema=NanoAODSchema, chunksize=5_000)
    for seconds in (0.01, 0.01, 0.01, 0.01, 0.5, 0.5, 0.5):
        run(dict(fileset), processor_instance=Light(seconds))
    client.close()


if __name__ == "__main__":
    main()
