"""Tasks on a real worker that fetch files from an HTTP server, each with one client.

    http_job.py DIRECTORY                                writes files for the clients of Parquet
    http_job.py ADDRESS URL CLIENT,CLIENT... TASKS       URL/bucket for clients of S3

TASKS tasks of each client, named CLIENT-NUMBER, ask for their files at URL/t/KEY/NAME: so the server's
log says what each task got."""

import os
import socket
import sys
import threading
from pathlib import Path

from distributed import Client, wait

HERE = Path(__file__).resolve().parent
FILES = ["0.root", "1.root"]
PARQUET = ["0.parquet", "1.parquet"]


def write_parquet(directory):
    """Of the same size as the ROOT files; in each row group a column is a request of its own."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    numbers = np.random.default_rng(2)
    for name in PARQUET:
        table = pa.table({f"b{i}": numbers.normal(size=60_000) for i in range(6)})
        pq.write_table(table, Path(directory, name), row_group_size=20_000, compression="none",
                       use_dictionary=False)


def fetch_requests(urls):
    import requests

    with requests.Session() as session:
        return [len(session.get(url, timeout=60).content) for url in urls]


def fetch_urllib3(urls):
    import urllib3

    with urllib3.PoolManager() as pool:
        return [len(pool.request("GET", url, timeout=60).data) for url in urls]


def fetch_urllib(urls):
    from urllib.request import urlopen

    return [len(urlopen(url, timeout=60).read()) for url in urls]


def fetch_uproot(urls):
    """Its default way: fsspec and aiohttp, on connections that all tasks share."""
    import uproot

    events = 0
    for url in urls:
        with uproot.open(url) as file:
            events += len(file["Events"].arrays(library="np")["b0"])
    return events


def fetch_aiohttp(urls):
    """With a loop and a session of its own."""
    import asyncio

    import aiohttp

    async def fetch_all():
        async with aiohttp.ClientSession() as session:
            return [len(await (await session.get(url)).read()) for url in urls]

    return asyncio.run(fetch_all())


def fetch_fsspec(urls):
    """One request after the other, and all at once."""
    import fsspec

    files = fsspec.filesystem("http")
    parts = [(at, at + 100_000) for at in range(0, 1_000_000, 100_000)]
    data = [files.cat_file(urls[0], start=start, end=end) for start, end in parts]
    data += files.cat_ranges([urls[0]] * len(parts), *map(list, zip(*parts)))
    return sum(len(part) for part in data)


def fetch_lock(urls):
    """An answer on a connection that is kept; then a wait in which no request is out."""
    import fsspec

    fsspec.filesystem("http").cat_file(urls[0])
    threading.Event().wait(1)


def fetch_errors(urls):
    """Answers with errors, a connection that is cut off, and a server that never answers. What failed
    is asked for again, twice by urllib3 itself."""
    import requests
    import urllib3

    top = urls[0].rpartition("/")[0]
    silent = socket.create_server(("127.0.0.1", 0))
    with requests.Session() as session:
        seen = [session.get(url, timeout=60).status_code
                for url in [urls[0], f"{top}/busy", f"{top}/busy", f"{top}/missing", urls[0]]]
        retry = urllib3.Retry(total=2, status_forcelist=[503], raise_on_status=False)
        session.mount(f"{top}/busy-too/", requests.adapters.HTTPAdapter(max_retries=retry))
        seen.append(session.get(f"{top}/busy-too/busy", timeout=60).status_code)
        for url in f"{top}/reset", f"http://127.0.0.1:{silent.getsockname()[1]}/":
            try:
                session.get(url, timeout=(60, 0.3))
            except requests.RequestException as error:
                seen.append(type(error).__name__)
    return seen


LOCK = threading.Lock()
SHARED = []


def fetch_http2(urls):
    """All tasks share one connection, which mixes their answers."""
    import httpx

    with LOCK:
        SHARED or SHARED.append(httpx.Client(http2=True, timeout=60))
    answers = [SHARED[0].get(url) for url in urls]
    assert all(answer.http_version == "HTTP/2" for answer in answers)
    return [len(answer.content) for answer in answers]


def split_s3(urls):
    """The endpoint, and of each URL the bucket with the key."""
    endpoint, _, _ = urls[0].partition("/bucket/")
    return endpoint, [url[len(endpoint) + 1 :] for url in urls]


def scan(files, paths):
    """By Arrow's threads, which belong to no task."""
    import pyarrow.dataset as ds

    return [ds.dataset(path, filesystem=files, format="parquet").to_table().num_rows
            for path in paths]


def fetch_arrowhttp(urls):
    """Arrow's threads wait for fsspec's event loop."""
    import fsspec
    from pyarrow.fs import FSSpecHandler, PyFileSystem

    return scan(PyFileSystem(FSSpecHandler(fsspec.filesystem("http"))), urls)


def arrow_s3(urls):
    """Arrow's own client of S3, and the keys."""
    from pyarrow.fs import S3FileSystem

    endpoint, keys = split_s3(urls)
    scheme, _, host = endpoint.partition("://")
    return S3FileSystem(access_key="k", secret_key="s", endpoint_override=host, scheme=scheme,
                        region="us-east-1", tls_ca_file_path=os.environ.get("SSL_CERT_FILE")), keys


def fetch_arrows3(urls):
    return scan(*arrow_s3(urls))


def fetch_pyarrow(urls):
    files, keys = arrow_s3(urls)
    return [len(files.open_input_file(key).read()) for key in keys]


def fetch_s3fs(urls):
    import s3fs

    endpoint, keys = split_s3(urls)
    files = s3fs.S3FileSystem(key="k", secret="s", endpoint_url=endpoint)
    return [len(files.cat_file(key)) for key in keys]


def fetch_uproots3(urls):
    import uproot

    endpoint, keys = split_s3(urls)
    events = 0
    for key in keys:
        with uproot.open(f"s3://{key}", key="k", secret="s", endpoint_url=endpoint) as file:
            events += len(file["Events"].arrays(library="np")["b0"])
    return events


def fetch(here, client, urls):
    sys.path.insert(0, here)
    import http_job

    return getattr(http_job, f"fetch_{client}")(urls)


def main():
    if len(sys.argv) == 2:
        return write_parquet(sys.argv[1])
    address, url, clients, count = sys.argv[1:]
    client = Client(address)
    client.wait_for_workers(1)
    tasks = []
    for name in clients.split(","):
        for number in range(int(count)):
            key = f"{name}-{number}"
            files = PARQUET if name.startswith("arrow") else FILES
            urls = [f"{url}/t/{key}/{file}" for file in files[: 1 + number % 2]]
            tasks.append(client.submit(fetch, str(HERE), name, urls, key=key, pure=False))
    wait(tasks)
    print([task.result() for task in tasks])
    client.close()


if __name__ == "__main__":
    main()
