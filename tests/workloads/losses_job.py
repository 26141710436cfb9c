"""A Coffea analysis that loses some of its input, and a worker.

    losses_job.py ADDRESS OUT.JSON FILES.JSON

Of the files of FILES.JSON (from mktree.py), one vanishes after Coffea looked at it, a chunk of another
one cannot be read, and a third one's first chunk raises at its first try; the first chunk of a fourth
one holds its worker, at its first try, until that worker is killed. Coffea skips bad files, and
Dask to try again. Written: {"entries": by Coffea's report, "chunks": number, "lost": [[file, entrystart]],
"failed_once": [file, entrystart], "killed": [file, entrystart, pid]}.
"""

import json
import os
import shutil
import signal
import sys
import threading
import time
from pathlib import Path

from coffea import processor
from coffea.nanoevents import NanoAODSchema
from dask.distributed import Client

CHUNK = 2_500


class Lossy(processor.ProcessorABC):
    def __init__(self, marks, bad, failing, holding):
        self.marks, self.bad, self.failing, self.holding = marks, bad, failing, holding

    def first_try(self, name):
        try:
            os.close(os.open(f"{self.marks}.{name}", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return False
        return True

    def process(self, events):
        about = events.metadata
        file, start = about["filename"], int(about["entrystart"])
        if file == self.bad and start == CHUNK:
            raise OSError("Server responded with an error: [3011] no such file")
        if file == self.failing and start == 0 and self.first_try("failed"):
            raise ValueError("fails once, on purpose")
        if file == self.holding and start == 0 and self.first_try("held"):
            Path(self.marks + ".part").write_text(str(os.getpid()))
            os.rename(self.marks + ".part", self.marks + ".pid")
            time.sleep(3600)
        return {about["dataset"]: {"events": len(events), "sum": float(events.MET.pt.to_numpy().sum())}}

    def postprocess(self, accumulator):
        return accumulator


def kill(path, reported):
    """The worker has then done other chunks, whose results go with it."""
    while not os.path.exists(path):
        time.sleep(0.05)
    time.sleep(1.5)
    reported.append(int(Path(path).read_text()))
    os.kill(reported[0], signal.SIGKILL)


def main() -> None:
    address, out, files = sys.argv[1:]
    client = Client(address)
    client.upload_file(__file__)
    client.wait_for_workers(2)
    import losses_job  # by this name workers know it

    fileset = {name: {"files": trees} for name, trees in json.loads(Path(files).read_text())["fileset"].items()}
    (_, first), (_, second) = sorted(fileset.items())
    bad, failing, holding = sorted(first["files"])[:3]
    gone = str(Path(out).resolve().with_suffix(".gone.root"))
    shutil.copy(sorted(second["files"])[0], gone)
    second["files"][gone] = second["files"][sorted(second["files"])[0]]
    marks, reported = str(Path(out).resolve().with_suffix(".mark")), []
    executor = processor.DaskExecutor(client=client, status=False, retries=3, treereduction=4)
    run = processor.Runner(executor=executor, schema=NanoAODSchema, chunksize=CHUNK,
                           savemetrics=True, skipbadfiles=True)
    chunks = list(run.preprocess(fileset, treename="Events"))
    os.remove(gone)
    threading.Thread(target=kill, args=(marks + ".pid", reported), daemon=True).start()
    _, metrics = run(chunks, treename="Events",
                     processor_instance=losses_job.Lossy(marks, bad, failing, holding))
    lost = [[chunk.filename, chunk.entrystart] for chunk in chunks if chunk.filename == gone]
    Path(out).write_text(json.dumps({
        "entries": int(metrics["entries"]), "chunks": len(chunks), "lost": [*lost, [bad, CHUNK]],
        "all": sum(chunk.entrystop - chunk.entrystart for chunk in chunks),
        "failed_once": [failing, 0], "killed": [holding, 0, reported[0]],
    }))
    client.close()


if __name__ == "__main__":
    main()
