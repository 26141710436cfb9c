"""Two calls of Coffea's Runner on two workers, during which the main thread often reads the clock.

    clocks_job.py ADDRESS OUT.JSON FILES.JSON

Written: {"runs": [{"start", "stop", "chunks"}]}, by this process's clock.
"""

import json
import signal
import sys
import time
from pathlib import Path

from coffea import processor
from coffea.nanoevents import NanoAODSchema
from dask.distributed import Client

sys.path.insert(0, str(Path(__file__).resolve().parent))
from processor import Dimuon  # noqa: E402

NanoAODSchema.warn_missing_crossrefs = False


def main() -> None:
    address, out, files = sys.argv[1:]
    fileset = json.loads(Path(files).read_text())["fileset"]
    runs = []
    signal.signal(signal.SIGALRM, lambda *_: time.time())
    signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
    with Client(address) as client:
        client.wait_for_workers(2)
        for _ in range(2):
            run = processor.Runner(executor=processor.DaskExecutor(client=client, status=False),
                                   schema=NanoAODSchema, chunksize=2_500, savemetrics=True)
            start = time.time()
            metrics = run({name: {"files": trees} for name, trees in fileset.items()},
                          processor_instance=Dimuon())[1]
            runs.append({"start": start, "stop": time.time(), "chunks": metrics["chunks"]})
            time.sleep(0.5)
    signal.setitimer(signal.ITIMER_REAL, 0)
    Path(out).write_text(json.dumps({"runs": runs}))


if __name__ == "__main__":
    main()
