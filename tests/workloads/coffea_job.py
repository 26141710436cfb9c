"""A Coffea analysis that writes down what each chunk was.

    coffea_job.py WHERE OUT.JSON [--fail-once] [--no-metrics] FILES.JSON...
        WHERE: address of a scheduler, or "iterative", "futures", "local" or "threads"
        --fail-once: one chunk of each run raises at its first try
        --no-metrics: Coffea is not asked for its report

Each FILES.JSON (from mktree.py) is one Runner call with the demo's processor. Written: {"runs":
[{"metrics": Coffea's own report, "start", "stop", "chunks": [...]}], "witness": Dask's account or
null}.
"""

import json
import os
import sys
import time
from pathlib import Path

from coffea import processor
from coffea.nanoevents import NanoAODSchema

sys.path.insert(0, str(Path(__file__).resolve().parent))
from processor import Dimuon  # noqa: E402

NanoAODSchema.warn_missing_crossrefs = False


def current_key():
    """Of the Dask task that runs here, without asking cupping."""
    if "distributed" not in sys.modules:
        return None
    from distributed import get_worker

    try:
        return str(get_worker().get_current_task())
    except ValueError:
        return None


class Counting(Dimuon):
    def __init__(self, fail):
        self.fail = fail  # path of a file that says that it did; "": never

    def process(self, events):
        out = super().process(events)
        about = events.metadata
        if self.fail and about["entrystart"] == 0 and not os.path.exists(self.fail):
            Path(self.fail).touch()
            raise OSError("fails once, on purpose")
        out["chunks"] = [{
            "key": current_key(),
            "pid": os.getpid(),
            "dataset": about["dataset"],
            "file": about["filename"],
            "tree": about["treename"],
            "entry_start": int(about["entrystart"]),
            "entry_stop": int(about["entrystop"]),
            "events": len(events),
        }]
        return out


def executor(where):
    if where == "iterative":
        return processor.IterativeExecutor(status=False), None
    if where == "futures":
        return processor.FuturesExecutor(workers=2, status=False), None
    from dask.distributed import Client

    options = {"dashboard_address": None, "threads_per_worker": 2}
    if where == "local":
        client = Client(n_workers=2, **options)
    elif where == "threads":
        client = Client(processes=False, **options)
    else:
        client = Client(where)
    return processor.DaskExecutor(client=client, status=False), client


def plain(metrics):
    return json.loads(json.dumps(metrics, default=lambda value: sorted(map(str, value))))


def main() -> None:
    where, out, *rest = sys.argv[1:]
    filesets = [word for word in rest if not word.startswith("--")]
    how, client = executor(where)
    account, runs = None, []
    if client:
        import witness

        witness.install(client)
    for number, files in enumerate(filesets):
        fail = f"{Path(out).resolve()}.failed-{number}" if "--fail-once" in rest else ""
        fileset = json.loads(Path(files).read_text())["fileset"]
        run = processor.Runner(executor=how, schema=NanoAODSchema, chunksize=2_500,
                               savemetrics="--no-metrics" not in rest)
        start = time.time()
        result = run({name: {"files": trees} for name, trees in fileset.items()},
                     processor_instance=Counting(fail))
        stop = time.time()
        result, metrics = result if isinstance(result, tuple) else (result, {})
        chunks = result.pop("chunks")
        sums = {name: [part["events"], part["dimuons"], float(part["mass"].sum().value)]
                for name, part in sorted(result.items())}
        runs.append({"metrics": plain(metrics), "start": start, "stop": stop, "chunks": chunks,
                     "sums": sums})
    if client:
        account = witness.account(client)
        client.close()
    Path(out).write_text(json.dumps({"runs": runs, "witness": account}, indent=1))


if __name__ == "__main__":
    main()
