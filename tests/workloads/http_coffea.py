"""Coffea reads files from an HTTP server, on a real worker.

    http_coffea.py ADDRESS FILES.JSON URL      as mktree.py writes it; URL serves the files
"""

import json
import sys
from pathlib import Path

from coffea import processor
from coffea.nanoevents import NanoAODSchema
from distributed import Client
from processor import Dimuon

NanoAODSchema.warn_missing_crossrefs = False


def main():
    address, files, url = sys.argv[1:]
    client = Client(address)
    client.wait_for_workers(1)
    client.upload_file(str(Path(__file__).resolve().parent / "processor.py"))
    fileset = {
        dataset: {"files": {f"{url}/{Path(name).name}": tree for name, tree in there.items()}}
        for dataset, there in json.loads(Path(files).read_text())["fileset"].items()
    }
    run = processor.Runner(executor=processor.DaskExecutor(client=client, status=False),
                           schema=NanoAODSchema, chunksize=5000)
    print(sum(result["events"] for result in run(fileset, processor_instance=Dimuon()).values()))
    client.close()


if __name__ == "__main__":
    main()
