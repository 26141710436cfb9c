"""One task on a Dask cluster, with the key "read", that reads a file: `one_read_job.py ADDRESS FILE`."""

import sys
from pathlib import Path

from distributed import Client

if __name__ == "__main__":
    address, file = sys.argv[1:]
    with Client(address) as client:
        print(len(client.submit(Path.read_bytes, Path(file), key="read").result()))
