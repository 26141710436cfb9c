"""Tasks of every kind, then a Coffea analysis, on any release of Dask and Coffea that is supported.

    releases_job.py ADDRESS OUT.JSON FILES.JSON

Written: {"tasks": {prefix: {"finished": N, "erred": N}}, "metrics": Coffea's own report (null: this
Coffea has no Runner, and dask-awkward reads the files), "basket_bytes": of the branches that are read,
as uproot says}.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import warnings

warnings.simplefilter("ignore")

import awkward as ak  # noqa: E402
import coffea  # noqa: E402
from coffea import processor  # noqa: E402
from coffea.nanoevents import NanoAODSchema  # noqa: E402
from dask.distributed import Client  # noqa: E402

BIG = 1_000_000


def number(i):
    return i


def big(size):
    return b"x" * size


def total(numbers):
    return sum(numbers)


def fail(i):
    raise ValueError(f"boom {i}")


def flaky(path):
    if not os.path.exists(path):
        open(path, "w").close()
        raise OSError("fails once")
    return 1


async def later(i):
    await asyncio.sleep(0.01)
    if i == 3:
        raise RuntimeError("fails later")
    return i


def run_tasks(client):
    with tempfile.TemporaryDirectory() as scratch:
        numbers = client.map(number, range(20))
        one = client.submit(big, BIG)
        again = client.submit(flaky, os.path.join(scratch, "seen"), retries=2)
        bad = client.map(fail, range(3)) + client.map(later, range(4))
        assert client.submit(total, numbers).result() == 190
        assert len(one.result()) == BIG and again.result() == 1
        assert sum(future.exception() is not None for future in bad) == 4
    return {
        "number": {"finished": 20, "erred": 0},
        "big": {"finished": 1, "erred": 0},
        "total": {"finished": 1, "erred": 0},
        "fail": {"finished": 0, "erred": 3},
        "flaky": {"finished": 1, "erred": 1},
        "later": {"finished": 3, "erred": 1},
    }


class Sums(processor.ProcessorABC):
    def process(self, events):
        out = {"events": len(events), "pt": float(ak.sum(events.Muon.pt))}
        return {events.metadata["dataset"]: out}

    def postprocess(self, accumulator):
        return accumulator


def run_dask_awkward(fileset):
    import dask_awkward
    from coffea.nanoevents import NanoEventsFactory

    files = {path: {"object_path": "Events"} for paths in fileset.values() for path in paths}
    events = NanoEventsFactory.from_root(files, schemaclass=NanoAODSchema, delayed=True).events()
    assert float(dask_awkward.sum(ak.sum(events.Muon.pt, axis=1)).compute()) > 0


def run_coffea(client, fileset):
    run = processor.Runner(
        executor=processor.DaskExecutor(client=client, status=False),
        schema=NanoAODSchema,
        chunksize=10_000,
        savemetrics=True,
    )
    if coffea.__version__.startswith("0.7"):
        old = {name: list(paths) for name, paths in fileset.items()}
        return run(old, "Events", processor_instance=Sums())[1]
    new = {name: {"files": paths} for name, paths in fileset.items()}
    return run(new, processor_instance=Sums())[1]


ACCOUNT = """import sys, uproot
branches = [uproot.open(path)["Events"][name] for path in sys.argv[1:] for name in ("nMuon", "Muon_pt")]
print(sum(branch.compressed_bytes for branch in branches))"""


def count_basket_bytes(fileset):
    """In a process that cupping does not see."""
    clean = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    paths = [path for paths in fileset.values() for path in paths]
    return int(subprocess.check_output([sys.executable, "-c", ACCOUNT, *paths], env=clean))


def main():
    address, out, files = sys.argv[1:]
    with open(files, encoding="utf-8") as file:
        fileset = json.load(file)["fileset"]
    NanoAODSchema.warn_missing_crossrefs = False
    client = Client(address)
    tasks = run_tasks(client)
    has_runner = hasattr(processor, "Runner")
    metrics = run_coffea(client, fileset) if has_runner else run_dask_awkward(fileset)
    client.close()
    with open(out, "w", encoding="utf-8") as file:
        json.dump({"tasks": tasks, "metrics": metrics, "basket_bytes": count_basket_bytes(fileset)}, file,
                  default=list)


if __name__ == "__main__":
    main()
