"""Runs the job script of dask-jobqueue in a shell, as a batch system would, and ten tasks on its worker.

    jobqueue_job.py slurm|htcondor python|prologue PROFILE WRAPPER LIBRARY

Both ways of the README: the interpreter of the job script is cupping-run, or its prologue sets the
environment. Prints the number of bytes that the tasks read.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import dask_jobqueue
from distributed import Client

BYTES, TASKS = 100_000, 10


def make_cluster(kind, way, profile, wrapper, library):
    words = {"python": {"python": f"{wrapper} -o {profile} -- {sys.executable}"},
             "prologue": {"job_script_prologue": [f"mkdir -p {profile}", f"export CUPPING_DIR={profile}",
                                                  f"export LD_PRELOAD={library}"]}}[way]
    words.update(cores=2, processes=1, memory="1GB", scheduler_options={"dashboard_address": ":0"})
    if kind == "slurm":
        return dask_jobqueue.SLURMCluster(**words)
    return dask_jobqueue.HTCondorCluster(disk="1GB", **words)


def command_of(kind, script):
    if kind == "slurm":
        return ["sh", "-c", script]
    executable, arguments = (re.search(rf"^{name}\s*=\s*(.*)$", script, re.MULTILINE).group(1)
                             for name in ("Executable", "Arguments"))
    # HTCondor's syntax: all of it in double quotes, within which two of them stand for one.
    return [executable, *shlex.split(arguments.strip('"').replace('""', '"'))]


def read_file(path):
    with open(path, "rb", 0) as file:
        return len(file.read())


def main():
    kind, way, profile, wrapper, library = sys.argv[1:6]
    data = Path(profile).parent / "data.root"
    data.write_bytes(b"x" * BYTES)
    # A job of a batch system does not inherit this environment.
    environment = {name: text for name, text in os.environ.items()
                   if name != "LD_PRELOAD" and not name.startswith("CUPPING_")}
    with make_cluster(kind, way, profile, wrapper, library) as cluster, Client(cluster) as client:
        job = subprocess.Popen(command_of(kind, cluster.job_script()), env=environment)
        client.wait_for_workers(1)
        done = client.gather(client.map(read_file, [str(data)] * TASKS, pure=False))
        client.shutdown()
    job.wait()
    print("bytes", sum(done))


if __name__ == "__main__":
    main()
