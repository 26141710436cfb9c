"""A profile with a secret word in every place where a name can stand, and no secret in its anonymous copy.

    anonymous_job.py CUPPING CUPPING_RUN FILES.JSON SCRATCH
    anonymous_job.py job FILE                     the analysis itself

The words are looked for in the outputs of all verbs. A line for each expectation that did not hold; exit
status 1 then.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from checks import expect, finish, run_cupping

HOST, USER, SCRIPT, FILE, DATASET = "Amber7Fox", "Birch8Owl", "Cedar9Elk", "Delta3Ant", "Ember4Bee"
KEY, PREFIX, WORKER, SPAN, ERROR = "Flint5Cod", "Grove6Doe", "Heron1Gnu", "Isle2Hen", "Jade3Ibis"
LOST, ARGUMENT, SOCKET, REFUSED = "Kelp4Jay", "Larch5Koi", "Maple6Lynx", "Nova7Mole"
SECRETS = [HOST, USER, SCRIPT, FILE, DATASET, KEY, PREFIX, WORKER, SPAN, ERROR, LOST, ARGUMENT, SOCKET, REFUSED]
EXPORTS = ["roastcoffea", "prometheus", "csv", "columns", "perfetto", "speedscope", "collapsed", "replay"]


# ---- the analysis ---------------------------------------------------------------------------


def use_names(folder):
    import socket

    try:
        open(f"{folder}/{LOST}.root", "rb")
    except OSError:
        pass
    with open(f"{folder}/{FILE}.txt", "rb") as file:
        file.read()
    subprocess.run(["cat", f"{folder}/{FILE}.txt"], check=True, stdout=subprocess.DEVNULL)
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        os.chdir(folder)  # names of sockets are short
        server.bind(SOCKET)
        server.listen()
        client.connect(SOCKET)
        client.send(b"x")
    os.unlink(SOCKET)


def fail():
    raise ValueError(f"{ERROR} of {os.getcwd()}")


def run_job(path):
    from coffea import processor
    from coffea.nanoevents import NanoAODSchema
    from distributed import Client, Nanny, Scheduler, SpecCluster, span, wait

    class Count(processor.ProcessorABC):
        def process(self, events):
            return {"events": len(events), "pt": float(events.MET.pt[0])}

        def postprocess(self, accumulator):
            return accumulator

    NanoAODSchema.warn_missing_crossrefs = False
    folder = str(Path(path).parent)
    options = {"nthreads": 1, "local_directory": folder, "name": WORKER, "dashboard_address": None}
    cluster = SpecCluster({WORKER: {"cls": Nanny, "options": options}},
                          {"cls": Scheduler, "options": {"dashboard_address": None, "host": "127.0.0.1"}})
    with cluster, Client(cluster) as client:
        with span(SPAN):
            futures = [client.submit(use_names, folder, key=f"{KEY}-1", pure=False),
                       client.submit(fail, key=f"{PREFIX}-{'0' * 32}", retries=0),
                       *client.map(str, range(60))]  # to be summed up
            wait(futures)
        run = processor.Runner(executor=processor.DaskExecutor(client=client, status=False),
                               schema=NanoAODSchema, chunksize=1000)
        print(run({DATASET: {"files": {path: "Events"}}}, processor_instance=Count()))


# ---- what the verbs say ----------------------------------------------------------------------


def record(cupping_run, scratch, files):
    """The profile, and an outside folder whose name is a secret."""
    folder = scratch / USER
    folder.mkdir()
    script, data = folder / f"{SCRIPT}.py", folder / f"{FILE}.root"
    shutil.copy(__file__, script)
    shutil.copy(Path(__file__).with_name("checks.py"), folder)
    shutil.copy(next(iter(json.loads(Path(files).read_text())["fileset"]["ZToMuMu"])), data)
    (folder / f"{FILE}.txt").write_text("text")
    profile = scratch / "profile"
    subprocess.run([cupping_run, "-o", profile, "--", sys.executable, script, "job", data, ARGUMENT], check=True,
                   env={**os.environ, "CUPPING_READS": "1"})
    return profile


def rename_host(profile):
    """Gives the logs another host, as its header and its name say it; collected.json has one, too."""
    logs = {}
    for path in profile.glob("*.cup"):
        host, pid, start = path.name.rsplit("-", 2)
        text = bytearray(path.read_bytes())
        at = text.index(host.encode() + b"\0" * 4)
        text[at:at + len(HOST)] = HOST.encode()
        path.write_bytes(text)
        name = f"{HOST}-{pid}-{start}"
        path.rename(profile / name)
        logs[name] = {"why": "lost", "until": 1}
    name = dict([logs.popitem()])
    (profile / "collected.json").write_text(json.dumps({
        "logs": name, "refused": [{"worker": f"tcp://{HOST}:1", "why": f"it has no nanny on {REFUSED}"}]}))


def print_all(cupping, run, out):
    """The outputs of all verbs for the profile RUN, whose path has no secret: {name: bytes}."""
    out.mkdir()
    texts = {}
    for name, words in {
        "report": [], "full": ["--full"], "json": ["--json", "-"], "all runs": ["--full", "--run", "all"],
        **{only: ["--only", only] for only in ("advice", "functions", "processes", "health", "sources", "runs")},
    }.items():
        texts[f"report {name}"] = run_cupping(cupping, "report", run, *words).encode()
    for name, words in {"text": [], "csv": ["--csv", "-"], "json": ["--json", "-"]}.items():
        texts[f"tasks {name}"] = run_cupping(cupping, "tasks", run, *words).encode()
        texts[f"compare {name}"] = run_cupping(cupping, "compare", run, run, *words).encode()
    texts["dump"] = run_cupping(cupping, "dump", run).encode()
    texts["top"] = run_cupping(cupping, "top", run, "--once").encode()
    for kind in EXPORTS:
        subprocess.run([cupping, "export", run, "--to", kind, "-o", out / kind], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([cupping, "plot", run, "--all", "--format", "svg", "-o", out / "plots"], check=True,
                   stdout=subprocess.DEVNULL)
    subprocess.run([cupping, "plot", run, "--html", out / "page.html"], check=True)
    for path in out.rglob("*"):
        texts[str(path.relative_to(out))] = path.read_bytes() if path.is_file() else b""
    return texts


def found(texts):
    """{secret: names of the outputs that have it}"""
    return {secret: [name for name, text in texts.items() if secret in name or secret.encode() in text]
            for secret in SECRETS}


# What reports look up in files of this machine, whose paths an anonymous log does not have.
LOOKED_UP = {"native", "modules", "not_examined", "file_baskets_bytes", "file_branches", "share_of_bytes_pct",
             "share_of_branches_pct", "cluster_events", "clusters", "file_bytes", "file_baskets", "share_of_file_pct"}


def figures(report):
    """Everything but texts, and what was looked up in files."""
    if isinstance(report, dict):
        return [figures(value) for name, value in report.items() if name not in LOOKED_UP]
    if isinstance(report, list):
        return sorted((figures(value) for value in report), key=repr)
    return None if isinstance(report, str) else report


def sum_up(cupping):
    """Sums have marks of keys (KEYS), so they are made of anonymous logs, and not the other way round."""
    subprocess.run([cupping, "merge", "-o", "sums.cup", "--anonymize", "--per-prefix", "--tasks", "1", "profile"],
                   check=True)
    for secret, names in found({"sums": run_cupping(cupping, "dump", "sums.cup").encode()}).items():
        expect(not names, f"{secret} is in sums.cup")
    subprocess.run([cupping, "merge", "-o", "summed.cup", "--per-prefix", "--tasks", "1", "profile"], check=True)
    refused = subprocess.run([cupping, "merge", "-o", "no.cup", "--anonymize", "summed.cup"], capture_output=True,
                             text=True)
    expect(refused.returncode == 1 and "summed up" in refused.stderr and not Path("no.cup").exists(), refused)


def main():
    cupping, cupping_run, files, scratch = sys.argv[1:]
    scratch = Path(scratch)
    profile = record(cupping_run, scratch, files)
    rename_host(profile)
    os.chdir(scratch)
    merged = {"plain": [], "anonymous": ["--anonymize"], "again": ["--anonymize"]}
    for name, words in merged.items():
        subprocess.run([cupping, "merge", "-o", f"{name}.cup", *words, "profile"], check=True)
    expect(Path("again.cup").read_bytes() == Path("anonymous.cup").read_bytes(), "aliases differ between two runs")
    plain, anonymous = (print_all(cupping, f"{name}.cup", scratch / f"{name}-out") for name in ("plain", "anonymous"))
    for secret, names in found(plain).items():
        expect(names, f"{secret} is in no output of the profile, so that nothing is tested")
    for secret, names in found(anonymous).items():
        expect(not names, f"{secret} is in", names)
    expect(len(plain) == len(anonymous) > 60, len(plain), len(anonymous), "outputs")
    before, after = (json.loads(texts["report json"]) for texts in (plain, anonymous))
    for part in before:
        expect(figures(before[part]) == figures(after[part]), part, "differs:", before[part], after[part])
    for word in (b"host-1", b"dataset-1", b"worker-1", b"key-1", b".root", b"ValueError(error-1)"):
        expect(word in anonymous["report json"] + anonymous["tasks json"], word, "is missing")
    sum_up(cupping)
    expect(sorted(path.suffix for path in scratch.glob("*.cup*")) == [".cup"] * 5, "copies are left over")
    return finish()


if __name__ == "__main__":
    if sys.argv[1] == "job":
        run_job(sys.argv[2])
    else:
        sys.exit(main())
