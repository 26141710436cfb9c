"""Coffea's Runner over one file in chunks that cut its baskets; used by branches_job.py.

What each chunk reads is what the processors below touch, once a chunk: NanoEvents keeps columns.
"""

import os
from pathlib import Path

import awkward as ak
from coffea import processor
from coffea.nanoevents import BaseSchema, NanoAODSchema

NanoAODSchema.warn_missing_crossrefs = False
CHUNK = 2_600


class Reader(processor.ProcessorABC):
    """Tells which chunks were read; FAIL: a path, the first chunk then fails once it has read."""

    branches = []

    def __init__(self, fail=""):
        self.fail = fail

    def process(self, events):
        self.touch(events)
        about = events.metadata
        chunk = [int(about["entrystart"]), int(about["entrystop"])]
        if self.fail and chunk[0] == 0 and not os.path.exists(self.fail):
            Path(self.fail).touch()
            raise OSError("fails once, on purpose")
        return {"chunks": [chunk]}

    def postprocess(self, accumulator):
        return accumulator


class Plain(Reader):
    branches = ["MET_pt", "genWeight"]

    def touch(self, events):
        return ak.sum(events["MET_pt"]) + ak.sum(events["genWeight"])


class Physics(Reader):
    branches = ["nMuon", "Muon_pt", "Muon_eta", "MET_pt"]

    def touch(self, events):
        muons = events.Muon[events.Muon.pt > 0.5]
        return ak.sum(muons.eta) + ak.sum(muons.pt) + ak.sum(events.MET.pt)


def make_executor(where, client):
    if where == "iterative":
        return processor.IterativeExecutor(status=False)
    if where == "futures":
        return processor.FuturesExecutor(workers=2, status=False)
    return processor.DaskExecutor(client=client, status=False)


def call(where, client, schema, reader, path):
    """Entry ranges of the chunks that came back."""
    runner = processor.Runner(executor=make_executor(where, client), schema=schema, chunksize=CHUNK)
    out = runner({"Sample": {"files": {path: "Events"}}}, processor_instance=reader)
    return out["chunks"]


def run(where, client, path, copy):
    """Yields (scenario, file, reads); COPY makes a file for a scenario."""
    calls = {"schema-base": (BaseSchema, Plain), "schema-nano": (NanoAODSchema, Physics)}
    if client:
        calls["retried"] = (NanoAODSchema, Physics)
    for name, (schema, reader) in calls.items():
        file = copy(path, name)
        fail = f"{file}.failed" if name == "retried" else ""
        chunks = call(where, client, schema, reader(fail), file)
        tried = [chunk for chunk in chunks for _ in range(1 + (bool(fail) and chunk[0] == 0))]
        scenario = name if client else f"{name}-{where}"
        yield scenario, file, [{"how": "coffea", "tree": "Events", "branches": reader.branches,
                                "start": start, "stop": stop} for start, stop in tried]
