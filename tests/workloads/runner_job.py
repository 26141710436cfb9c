"""Calls of Coffea's Runner, made in ways that are hard to distinguish.

    runner_job.py WHERE OUT.JSON FILES.JSON     WHERE as in coffea_job.py

Written: {"calls": [{"name", "start", "stop", "runs": how many Runner calls there are between}]}, by
the clock, read right before and right after.
"""

import json
import sys
import threading
import time
from pathlib import Path

from coffea import processor
from coffea.nanoevents import NanoAODSchema
from coffea_job import executor

NanoAODSchema.warn_missing_crossrefs = False


class Light(processor.ProcessorABC):
    def __init__(self, fails):
        self.fails = fails

    def process(self, events):
        if self.fails:
            raise ValueError("on purpose")
        helper = threading.Thread(target=time.time)
        helper.start()
        helper.join()
        return {events.metadata["dataset"]: len(events)}

    def postprocess(self, accumulator):
        return accumulator


def main() -> None:
    where, out, files = sys.argv[1:]
    how, client = executor(where)
    how.retries = 0
    fileset = {name: {"files": trees} for name, trees in
               json.loads(Path(files).read_text())["fileset"].items()}
    run = processor.Runner(executor=how, schema=NanoAODSchema, chunksize=2_500, savemetrics=True)
    calls = []

    def call(fails=False):
        return run(dict(fileset), processor_instance=Light(fails))

    def timed(name, runs, function):
        start = time.time()
        function()
        calls.append({"name": name, "start": start, "stop": time.time(), "runs": runs})

    def twice():  # nothing in between reads the clock
        call()
        call()

    def raises():
        try:
            call(fails=True)
        except Exception:
            return
        raise SystemExit("nothing was raised")

    timed("first", 1, call)
    timed("back to back", 2, twice)
    timed("raises", 1, raises)
    if where != "futures":  # which forks, and that from a thread is asking for trouble
        thread = threading.Thread(target=timed, args=("on a thread", 1, call))
        thread.start()
        thread.join()
    timed("last", 1, call)
    if client:
        client.close()
    Path(out).write_text(json.dumps({"calls": calls}, indent=1))


if __name__ == "__main__":
    main()
