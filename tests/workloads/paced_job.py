"""The demo's analysis at the pace of a real one: chunk tasks that wait more than they compute.

    paced_job.py FILES.JSON SCHEDULER [--by-value] [--chunksize 12500] [--task-s 12]

A chunk takes task-s on average, at least 5 s or half of that, however little it computes. --by-value: the processor is
pickled with its code, as one that is written in a notebook; otherwise workers import it.
"""

import argparse
import json
import random
import sys
import time
from pathlib import Path

from coffea import processor
from coffea.nanoevents import NanoAODSchema
from dask.distributed import Client

HERE = Path(__file__).resolve().parent
if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))
from processor import Dimuon  # noqa: E402

NanoAODSchema.warn_missing_crossrefs = False


def wait(seconds):
    """In short steps, as a program does that asks again and again whether something came."""
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        time.sleep(min(left, 0.5))


class Paced(Dimuon):
    def __init__(self, task_s):
        self.task_s = task_s

    def process(self, events):
        least = min(5, self.task_s / 2)
        seconds = random.Random(events.metadata["entrystart"]).uniform(least, 2 * self.task_s - least)
        half = seconds / 2
        wait(half)
        out = super().process(events)
        wait(half)
        return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", type=Path)
    parser.add_argument("scheduler")
    parser.add_argument("--by-value", action="store_true")
    parser.add_argument("--chunksize", type=int, default=12_500)
    parser.add_argument("--task-s", type=float, default=12.0)
    args = parser.parse_args()
    fileset = json.loads(args.files.read_text())["fileset"]
    paced = Paced
    with Client(args.scheduler) as client:
        client.upload_file(str(HERE / "processor.py"))
        if not args.by_value:
            client.upload_file(__file__)
            from paced_job import Paced as paced
        run = processor.Runner(
            executor=processor.DaskExecutor(client=client, status=False),
            schema=NanoAODSchema, chunksize=args.chunksize, savemetrics=True,
        )
        _, metrics = run({name: {"files": files} for name, files in fileset.items()},
                         processor_instance=paced(args.task_s))
    print(json.dumps({"chunks": metrics["chunks"], "entries": metrics["entries"]}))


if __name__ == "__main__":
    main()
