"""A Coffea analysis without Dask: two Runner calls over the same files.

    executors_job.py KIND OUT.JSON FILES.JSON [parquet|trouble|failure]
        KIND: iterative; threads, processes, loky (FuturesExecutor with such a pool); parsl (its
        HighThroughputExecutor), parsl_threads; copy (no analysis: writes Parquet files with the
        same content, and their FILES.JSON as OUT.JSON)
        parquet: the files are Parquet files
        trouble: one chunk always raises and is skipped, and one raises once; in one of the
        iterative executor process() calls a Runner, in one of Parsl the process is killed once;
        with FuturesExecutor one file does not exist
        failure: one chunk raises what is not skipped, and so the Runner does

Written: {"runs": [{"metrics": Coffea's own report, "chunks": [{...}], "kernel_bytes": what the
process read during the call by the kernel's count, of which the second has no imports}]}
"""

import json
import os
import signal
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

warnings.simplefilter("ignore")

import awkward as ak  # noqa: E402
import coffea  # noqa: E402
from coffea import processor  # noqa: E402
from coffea.nanoevents import NanoAODSchema  # noqa: E402

NanoAODSchema.warn_missing_crossrefs = False
OLD = coffea.__version__.startswith("0.7")
PARSL = Path(__file__).resolve().parents[2] / "build/parsl"


class Sums(processor.ProcessorABC):
    def __init__(self, trouble=None):
        self.trouble = trouble or {}  # name of a file: what its first chunk does

    def make_trouble(self, about):
        name = os.path.basename(about["filename"])
        what = self.trouble.get(name) if about["entrystart"] == 0 else None
        if what == "raise":
            raise OSError("always, on purpose")
        if what == "fail":
            raise ValueError("always, on purpose")
        if what == "nest":
            analyse(executor("iterative"), {"inner": {about["filename"]: "Events"}}, Sums())
        if what and what.startswith("/") and not os.path.exists(what):
            open(what, "w", encoding="utf-8").close()
            if what.endswith(".killed"):
                os.kill(os.getpid(), signal.SIGKILL)
            raise OSError("once, on purpose")

    def process(self, events):
        about = events.metadata
        self.make_trouble(about)
        chunk = {"dataset": about["dataset"], "file": about["filename"],
                 "entry_start": int(about["entrystart"]), "entry_stop": int(about["entrystop"])}
        return {"chunks": [chunk], "pt": float(ak.sum(events.Muon.pt))}

    def postprocess(self, accumulator):
        return accumulator


def start_parsl(kind, directory):
    """Its programs are found by PATH."""
    os.environ["PATH"] = f"{PARSL}/bin:{os.environ['PATH']}"
    os.environ["PYTHONPATH"] = f"{PARSL}:{os.environ.get('PYTHONPATH', '')}"
    sys.path.insert(0, str(PARSL))
    import parsl
    from parsl.config import Config
    from parsl.executors import HighThroughputExecutor, ThreadPoolExecutor
    from parsl.providers import LocalProvider

    how = (ThreadPoolExecutor(max_threads=2) if kind == "parsl_threads" else
           HighThroughputExecutor(address="127.0.0.1", max_workers_per_node=2, cores_per_worker=1,
                                  heartbeat_period=1, # seconds: how often it looks for lost workers
                                  provider=LocalProvider(init_blocks=1, max_blocks=1)))
    parsl.load(Config(executors=[how], run_dir=directory, strategy="none", retries=1))


def executor(kind):
    if kind == "iterative":
        return processor.IterativeExecutor(status=False)
    if kind.startswith("parsl"):
        return processor.ParslExecutor(status=False)
    if kind == "loky":
        return processor.FuturesExecutor(workers=2, status=False)
    pool = ThreadPoolExecutor if kind == "threads" else ProcessPoolExecutor
    return processor.FuturesExecutor(pool=pool if OLD else pool(2), workers=2, status=False)


def copy_to_parquet(fileset, out):
    import pyarrow
    import pyarrow.parquet
    import uproot

    copies = {}
    for dataset, trees in fileset.items():
        copies[dataset] = {}
        for path, tree in trees.items():
            with uproot.open(path) as file:
                events = file[tree].arrays()
            copy = os.path.abspath(out) + "." + os.path.basename(path) + ".parquet"
            columns = {name: ak.to_arrow(events[name], extensionarray=False)
                       for name in events.fields}
            pyarrow.parquet.write_table(pyarrow.table(columns), copy)
            copies[dataset][copy] = tree
    with open(out, "w", encoding="utf-8") as file:
        json.dump({"fileset": copies}, file)


def analyse(how, fileset, work, **options):
    run = processor.Runner(executor=how, schema=NanoAODSchema, chunksize=2_500, savemetrics=True,
                           metadata_cache={}, **options)
    if OLD:
        fileset = {name: list(files) for name, files in fileset.items()}
        return run(fileset, "Events", processor_instance=work)
    return run({name: {"files": files} for name, files in fileset.items()},
               processor_instance=work)


def kernel_bytes():
    """How much was read before this read."""
    with open("/proc/self/io", "rb") as file:
        text = file.read()
    return int(text.split()[1]), len(text)


def main():
    kind, out, files, *trouble = sys.argv[1:]
    with open(files, encoding="utf-8") as file:
        fileset = json.load(file)["fileset"]
    work, options, runs = Sums(), {}, []
    if kind == "copy":
        copy_to_parquet(fileset, out)
        return
    if trouble == ["parquet"]:
        options = {"format": "parquet"}
    elif trouble == ["failure"]:
        options, work = {"skipbadfiles": True}, Sums({"TTbar_3.root": "fail"})
    elif trouble:
        what = {"TTbar_3.root": "raise", "TTbar_4.root": os.path.abspath(out) + ".failed"}
        options = {"skipbadfiles": True}
        if kind == "iterative":
            what["TTbar_5.root"] = "nest"
        elif kind == "parsl":
            what["TTbar_5.root"] = os.path.abspath(out) + ".killed"
        elif not kind.startswith("parsl"):
            fileset["TTbar"]["/nowhere/at/all.root"] = "Events"
        work = Sums(what)
    if kind.startswith("parsl"):
        start_parsl(kind, out + ".parsl")
    how = executor(kind)
    for _ in range(2 if not trouble or trouble == ["parquet"] else 1):
        before, own = kernel_bytes()
        try:
            result, metrics = analyse(how, fileset, work, **options)
        except Exception:
            if trouble != ["failure"]:
                raise
            break
        runs.append({"metrics": metrics, "chunks": result["chunks"],
                     "kernel_bytes": kernel_bytes()[0] - before - own})
    with open(out, "w", encoding="utf-8") as file:
        json.dump({"runs": runs}, file, default=list)
    if kind.startswith("parsl"):
        import parsl

        parsl.dfk().cleanup()


if __name__ == "__main__":
    main()
