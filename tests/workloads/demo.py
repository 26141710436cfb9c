"""The user's analysis script of `make demo`: plain Coffea on a Dask cluster, nothing of cupping.

    demo.py FILES.JSON [--scheduler tcp://HOST:PORT] [--executor dask] [--chunksize 12500]
"""

import argparse
import json
import sys
import time
from pathlib import Path

from coffea import processor
from coffea.nanoevents import NanoAODSchema
from dask.distributed import Client

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
from processor import Dimuon  # noqa: E402

NanoAODSchema.warn_missing_crossrefs = False


def executor(args: argparse.Namespace):
    if args.executor == "iterative":
        return processor.IterativeExecutor(status=False), None
    if args.executor == "futures":
        return processor.FuturesExecutor(workers=args.workers, status=False), None
    if args.executor == "local":
        client = Client(n_workers=args.workers, threads_per_worker=args.threads, dashboard_address=None)
    elif args.executor == "threads":
        client = Client(processes=False, threads_per_worker=args.threads, dashboard_address=None)
    else:
        client = Client(args.scheduler)
    client.upload_file(str(HERE / "processor.py"))
    return processor.DaskExecutor(client=client, status=sys.stdout.isatty()), client


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", type=Path)
    parser.add_argument("--scheduler")
    parser.add_argument("--executor", default="dask",
                        choices=["dask", "local", "threads", "futures", "iterative"])
    parser.add_argument("--chunksize", type=int, default=12_500)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", type=Path, help="write Coffea's own metrics here")
    args = parser.parse_args()

    fileset = json.loads(args.files.read_text())["fileset"]
    fileset = {name: {"files": files} for name, files in fileset.items()}
    how, client = executor(args)
    run = processor.Runner(
        executor=how, schema=NanoAODSchema, chunksize=args.chunksize, savemetrics=True
    )
    start = time.time()
    out, metrics = run(fileset, processor_instance=Dimuon())
    wall = time.time() - start
    for name, result in sorted(out.items()):
        peak = result["mass"].axes[0].centers[result["mass"].values().argmax()]
        print(f"{name:10s} {result['events']:8d} events  {result['dimuons']:7d} dimuons"
              f"  peak at {peak:5.1f} GeV")
    print(f"{metrics['entries']} events in {metrics['chunks']} chunks, {wall:.1f} s,"
          f" {metrics['bytesread'] / 1e6:.1f} MB read by Coffea's count")
    if args.json:
        args.json.write_text(json.dumps({**metrics, "wall": wall}, default=str, indent=1))
    if client is not None:
        client.close()


if __name__ == "__main__":
    main()
