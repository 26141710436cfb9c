"""The tasks of known_tasks.py, and, where there is Coffea, chunks of known_processor.py.

    known_job.py ADDRESS INPUT DIRECTORY     INPUT: with what mktree.py wrote

Written: DIRECTORY/expected.json; see known_check.py.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

from distributed import Client

HERE = Path(__file__).parent
PACKAGES = HERE.parent.parent / "python"
sys.path[:0] = [str(HERE), str(PACKAGES)]
import known_tasks  # noqa: E402

CHUNK = 5000  # each file is one: what is between functions is a sample's error for each of them


def run_tasks(client, directory):
    """{task: what is known of it}"""
    with tempfile.TemporaryDirectory() as scratch:
        client.upload_file(shutil.make_archive(f"{scratch}/cupping", "zip", PACKAGES, "cupping"))
    client.upload_file(known_tasks.__file__)
    known_tasks.make_files(directory)
    reported = {}
    for task, (function, amount, room, times) in known_tasks.EXPECTED.items():
        name = task.__name__
        if name in ("through_arrow", "through_h5py") and not Path(directory, "known.h5").exists():
            continue
        client.submit(known_tasks.run, task, directory, key=f"{name}-1").result()
        reported[name] = {"function": function, "bytes": amount, "room": room, "times": times}
    client.submit(known_tasks.run, known_tasks.kernels, directory, key="kernels-1").result()
    path = f"{directory}/known.dat"
    client.gather([client.submit(known_tasks.on_loop, i, path, key=f"on_loop-{i}") for i in range(6)])
    return reported


def run_processor(client, given, directory):
    """What is known of all chunks together; None: there is no Coffea."""
    try:
        from coffea import processor
        from coffea.nanoevents import NanoAODSchema
    except ImportError:
        return None
    import known_processor

    client.upload_file(known_processor.__file__)
    NanoAODSchema.warn_missing_crossrefs = False
    fileset = json.loads((Path(given) / "files.json").read_text())["fileset"]
    runner = processor.Runner(executor=processor.DaskExecutor(client=client, status=False),
                              schema=NanoAODSchema, chunksize=CHUNK)
    done = runner({name: {"files": files} for name, files in fileset.items()},
                  processor_instance=known_processor.Known(f"{directory}/known.dat"))
    chunks = done["chunks"]
    return {"events": done["events"], "shares": known_processor.SHARES, "cpu_s": chunks * known_processor.CPU_S, "chunks": chunks,
            "read_bytes": chunks * sum(calls * size for calls, size in known_processor.READS),
            "alloc_bytes": chunks * known_processor.ALLOCATIONS[0] * known_processor.ALLOCATIONS[1]}


def main(address, given, directory):
    with Client(address) as client:
        client.wait_for_workers(2)
        reported = {"cpu_s": known_tasks.CPU_S, "alloc_bytes": 4 * known_tasks.PIECE,
                "tasks": run_tasks(client, directory), "processor": run_processor(client, given, directory)}
    Path(directory, "expected.json").write_text(json.dumps(reported))


if __name__ == "__main__":
    main(*sys.argv[1:])
