"""A Coffea analysis whose files are partly missing or unreadable, and processors that fail.

    badfiles_job.py ADDRESS OUT.JSON FILES.JSON HOW

HOW: skip: of FILES.JSON's first dataset, a file is missing, one is no ROOT file, one is cut off, and
     one vanishes between metadata and chunks; Coffea skips all of them
     align: the same, with align_clusters
     result: a file is missing, and Coffea returns the error as a value (use_result_type)
     fail: the second chunk of a file always raises an exception with a long text, from another one
     cut: a file is cut off when its first chunk, the half of it, is processed; Coffea skips its chunks
     kill: the first chunk of a file always kills its worker
Written: {"entries": by dataset, of the files that could be opened, "done": events that Coffea reports,
"lost": [[file, entrystart, entrystop]] of chunks that it was given and did not process, "missing": [files
without metadata], "error": what the client got}.
"""

import json
import os
import shutil
import signal
import sys
from pathlib import Path

from coffea import processor
from coffea.nanoevents import NanoAODSchema
from dask.distributed import Client

CHUNK = 2_500


class Failing(processor.ProcessorABC):
    def __init__(self, how, bad):
        self.how, self.bad = how, bad

    def process(self, events):
        about = events.metadata
        if about["filename"] == self.bad:
            if self.how == "cut":
                if about["entrystart"]:
                    raise OSError("only the first chunk reads")
                os.truncate(self.bad, os.path.getsize(self.bad) // 4)
                events.MET.pt.to_list()
            if self.how == "fail" and about["entrystart"] == CHUNK:
                try:
                    {}["no_such_weight"]
                except KeyError as error:
                    raise RuntimeError("systematics " + "of the jets " * 400 + "end here") from error
            if self.how == "kill" and about["entrystart"] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return {about["dataset"]: len(events)}

    def postprocess(self, accumulator):
        return accumulator


def spoil(directory, good):
    """Three files that have no metadata, and one that has."""
    directory.mkdir()
    text, cut, gone = (str(directory / name) for name in ("text.root", "cut.root", "gone.root"))
    Path(text).write_text("not a ROOT file\n" * 1000)
    Path(cut).write_bytes(Path(good).read_bytes()[:5_000])
    shutil.copy(good, gone)
    return [str(directory / "missing.root"), text, cut], gone


def main() -> None:
    address, out, files, how = sys.argv[1:]
    client = Client(address)
    client.upload_file(__file__)
    client.wait_for_workers(2)
    import badfiles_job  # by this name workers know it

    if how == "kill":
        client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 3))
    fileset = {name: {"files": dict(trees)} for name, trees in json.loads(Path(files).read_text())["fileset"].items()}
    first = sorted(fileset.items())[0][1]["files"]
    bad, missing, gone, error, done = sorted(first)[0], [], None, None, 0
    skips = how in ("skip", "align", "result", "cut")
    if how == "cut":
        cut = str(Path(out).resolve().with_suffix(".root"))
        shutil.copy(bad, cut)
        first[cut] = first.pop(bad)
        bad = cut
    elif skips:
        missing, gone = spoil(Path(out).resolve().with_suffix(".files"), bad)
    if how == "result":
        missing, gone = missing[:1], None
    first.update({file: first[bad] for file in [*missing, *([gone] if gone else [])]})
    executor = processor.DaskExecutor(client=client, status=False, retries=3)
    run = processor.Runner(executor=executor, schema=NanoAODSchema, chunksize=CHUNK, savemetrics=True,
                           skipbadfiles=(Exception,) if skips else False, align_clusters=how == "align",
                           use_result_type=how == "result")
    worker = badfiles_job.Failing(how, bad)
    if how == "result":
        chunks, error = [], repr(run(fileset, treename="Events", processor_instance=worker))
    else:
        chunks = list(run.preprocess(fileset, treename="Events"))
    if gone:
        os.remove(gone)
    try:
        done = int(run(chunks, treename="Events", processor_instance=worker)[1]["entries"]) if chunks else 0
    except Exception as caught:
        error = repr(caught)
    if how == "kill":  # the worker that Dask started last has a log when the cluster ends
        client.wait_for_workers(2)
        workers = client.scheduler_info(n_workers=-1)["workers"]
        client.gather([client.submit(abs, -1, workers=[address], pure=False) for address in workers])
    entries = {name: sum(chunk.entrystop - chunk.entrystart for chunk in chunks if chunk.dataset == name)
               for name in fileset}
    failed = {"fail": CHUNK, "kill": 0}.get(how)
    lost = [[chunk.filename, chunk.entrystart, chunk.entrystop] for chunk in chunks
            if chunk.filename == gone or (chunk.filename == bad and chunk.entrystart == failed)]
    Path(out).write_text(json.dumps({"entries": entries, "done": done, "lost": lost,
                                     "missing": missing, "error": error}))
    client.close()


if __name__ == "__main__":
    main()
