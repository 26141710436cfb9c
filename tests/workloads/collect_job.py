"""A job on a cluster without a shared directory, whose logs are fetched over Dask.

    collect_job.py DIRECTORY FILES.JSON [tls]

Two machines a and b, each with a nanny program for two workers and a profile directory of its own.
One worker is killed, then machine c joins, then machine b vanishes with its nannies, at moments when
it is known what has been fetched. Two calls of Coffea's Runner, before and after. After the first
one, `cupping top` looks from afar, and `cupping collect` begins as a second client. At the end the
cluster shuts down.

Written: DIRECTORY/home, the profile, and DIRECTORY/second, that of the second client; DIRECTORY/expected.json: Coffea's own figures of both calls,
and what
`stop()` returned. Ends with status 1 if a log of a or
c was not fetched byte by byte.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

TOP = Path(__file__).parents[2]
sys.path.insert(0, str(TOP / "python"))
import awkward as ak  # noqa: E402
from coffea import processor  # noqa: E402
from coffea.nanoevents import NanoAODSchema  # noqa: E402
from distributed import Client  # noqa: E402
from distributed.security import Security  # noqa: E402

from cupping.remote.collect import Collector  # noqa: E402

NanoAODSchema.warn_missing_crossrefs = False
LONGEST_S = 180


class Sums(processor.ProcessorABC):
    def process(self, events):
        return {"events": len(events), "pt": float(ak.sum(events.Muon.pt))}

    def postprocess(self, accumulator):
        return accumulator


def wait_for(what, condition):
    until = time.monotonic() + LONGEST_S
    while not (value := condition()):
        if time.monotonic() > until:
            sys.exit(f"{what}: not after {LONGEST_S} s")
        time.sleep(0.05)
    return value


class Cluster:
    def __init__(self, directory, tls):
        self.directory, self.programs = Path(directory), {}
        self.tls = []
        self.security = Security()
        if tls:
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
                            "-subj", "/CN=cupping", "-keyout", self.directory / "key.pem",
                            "-out", self.directory / "cert.pem"], check=True, capture_output=True)
            names = {"ca-file": "cert.pem", "cert": "cert.pem", "key": "key.pem"}
            self.tls = [word for option, name in names.items()
                        for word in (f"--tls-{option}", str(self.directory / name))]
            cert, key = (str(self.directory / name) for name in ("cert.pem", "key.pem"))
            self.security = Security(tls_ca_file=cert, tls_client_cert=cert, tls_client_key=key,
                                     require_encryption=True)
        file = self.directory / "scheduler.json"
        self.start("scheduler", [], "scheduler", "--host", "127.0.0.1", "--port", "0",
                   "--protocol", "tls" if tls else "tcp", "--scheduler-file", str(file))
        wait_for("the scheduler", lambda: file.exists() and file.read_text().endswith("}"))
        self.address = json.loads(file.read_text())["address"]

    def start(self, name, under, *words):
        with open(self.directory / f"{name}.log", "w") as log:
            self.programs[name] = subprocess.Popen(
                [*under, Path(sys.executable).with_name("dask"), *words, "--no-dashboard", *self.tls],
                stdout=log, stderr=log, start_new_session=True)

    def command(self, verb, *words):
        """`cupping VERB SCHEDULER WORDS...`"""
        return [TOP / "build/cupping", verb, self.address, "--python", sys.executable, *words, *self.tls]

    def start_machine(self, name, workers):
        under = [TOP / "wrappers/cupping-run", "-o", self.logs(name), "--"]
        self.start(name, under, "worker", self.address, "--host", "127.0.0.1", "--nworkers", str(workers),
                   "--nthreads", "1", "--memory-limit", "0", "--name", name,
                   "--local-directory", str(self.directory / f"scratch-{name}"))

    def logs(self, name):
        return self.directory / f"logs-{name}"

    def log_names(self, name):
        """The logs of a machine's workers; its nannies run in one process, which has a log, too."""
        nanny = f"-{self.programs[name].pid}-"
        return sorted(path.name for path in self.logs(name).glob("*.cup") if nanny not in path.name)

    def vanish(self, name):
        """As if the machine had lost its power: all of its processes at once."""
        os.killpg(self.programs[name].pid, signal.SIGKILL)
        self.programs[name].wait()


def workers_of(client, name):
    return {address: worker for address, worker in client.scheduler_info(n_workers=-1)["workers"].items()
            if str(worker["name"]).startswith(name)}


def run(client, files):
    fileset = json.loads(Path(files).read_text())["fileset"]
    runner = processor.Runner(executor=processor.DaskExecutor(client=client, status=False),
                              schema=NanoAODSchema, chunksize=20_000, savemetrics=True)
    result, metrics = runner({name: {"files": trees} for name, trees in fileset.items()},
                             processor_instance=Sums())
    return {name: int(metrics[name]) for name in ("bytesread", "entries", "chunks")}


async def fail_to_connect(nanny, question):
    raise OSError("as if a firewall stood between client and nannies")


def collect_through_the_scheduler(client, cluster, directory):
    """A third client, for a moment, which cannot reach the nannies."""
    collector = Collector(client, directory, seconds=0.5)
    collector.ask_straight = fail_to_connect
    collector.start()
    since, names = time.time(), [*cluster.log_names("a"), *cluster.log_names("b")]
    wait_for("logs through the scheduler", lambda: is_home(collector, names, since))
    part = collector.stop()
    if set(part) != set(names) or any(about["why"] != "stopped" for about in part.values()):
        sys.exit(f"through the scheduler: {part}")


def is_home(collector, names, since):
    """All that these processes wrote before SINCE has been fetched."""
    copies = [collector.copies.get(name) for name in names]
    return all(copy and (copy.final or (copy.until or 0) > since) for copy in copies)


def main(directory, files, tls=None):
    cluster = Cluster(directory, tls)
    client = Client(cluster.address, security=cluster.security)
    for name in "ab":
        cluster.start_machine(name, 2)
    client.wait_for_workers(4)
    collector = Collector(client, Path(directory, "home"), seconds=0.5).start()
    calls = [run(client, files)]

    screen = subprocess.check_output(cluster.command("top", "--once", "--interval", "0.2"), text=True)
    second = subprocess.Popen(cluster.command("collect", "-o", f"{directory}/second"))
    collect_through_the_scheduler(client, cluster, Path(directory, "third"))
    address = min(workers_of(client, "a"))
    [pid] = client.run(os.getpid, workers=[address]).values()
    os.kill(pid, signal.SIGKILL)
    killed = next(name for name in cluster.log_names("a") if f"-{pid}-" in name)
    wait_for("the log of the killed worker", lambda: collector.copies[killed].final)

    cluster.start_machine("c", 1)
    wait_for("the second client", lambda: Path(directory, "second", killed).exists())
    wait_for("the workers", lambda: len(workers_of(client, "")) == 5 and workers_of(client, "c"))
    wait_for("the log of c", lambda: is_home(collector, cluster.log_names("c"), 0))
    # It looks for new nannies every two seconds only.
    wait_for("the log of c at the second client",
             lambda: all(Path(directory, "second", log).exists() for log in cluster.log_names("c")))
    ended = time.time()
    wait_for("what b wrote", lambda: is_home(collector, cluster.log_names("b"), ended))
    cluster.vanish("b")
    wait_for("the end of b", lambda: len(workers_of(client, "")) == 3)
    calls.append(run(client, files))

    names = {name: cluster.log_names(name) for name in "abc"}
    client.shutdown()
    for name in "ac":
        cluster.programs[name].wait(LONGEST_S)
    part = collector.stop()
    if second.wait(LONGEST_S) != 0:
        sys.exit(f"cupping collect: status {second.returncode}")
    for home in "home", "second":
        for name in "ac":
            for log in names[name]:
                if cluster.logs(name).joinpath(log).read_bytes() != Path(directory, home, log).read_bytes():
                    sys.exit(f"{log} of {name} did not come to {home} as it is")
    Path(directory, "expected.json").write_text(json.dumps(
        {"calls": calls, "part": part, "lost": names["b"], "whole": names["a"] + names["c"],
         "killed": killed, "top": screen, "ended": ended, "sent_bytes": collector.sent_bytes}))


if __name__ == "__main__":
    main(*sys.argv[1:])
