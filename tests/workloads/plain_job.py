"""Jobs of plain Dask that read files, without Coffea's Runner.

    plain_job.py ADDRESS OUT.JSON FILES.JSON KIND
        KIND: opened, steps (uproot.dask of arrays), delayed, mapped, nested, unnamed (a path that
        ends like none of a data file, with one that is never opened), arrays (dask.array, no files)

Written: {"expected": [{"file", "tree", "entry_start", "entry_stop"}], "tasks": how many there are}.
"""

import json
import shutil
import sys
from pathlib import Path

import dask
import dask.array
import uproot
from distributed import Client


def count(path, *rest, **more):
    with uproot.open(path) as file:
        return len(file["Events/MET_pt"].array(library="np"))


def count_first(paths):
    return count(paths[0]["file"])


def size_of(path, other):
    with open(path, "rb") as file:
        return len(file.read())


def read_opened(files, client):
    arrays = uproot.dask({path: "Events" for path in files}, library="np", filter_name="MET_pt")
    arrays["MET_pt"].sum().compute()
    rows = []
    for path in files:
        entries = uproot.open(path)["Events"].num_entries
        rows.append({"file": path, "tree": "Events", "entry_start": 0, "entry_stop": entries})
    return rows


def read_steps(files, client):
    steps = [[0, 1000], [1000, 3000]]
    chosen = {path: {"object_path": "Events", "steps": steps} for path in files}
    arrays = uproot.dask(chosen, library="np", filter_name="MET_pt", open_files=False)
    arrays["MET_pt"].map_blocks(lambda part: part, dtype=float).compute()
    return [{"file": path, "tree": "Events", "entry_start": start, "entry_stop": stop}
            for path in files for start, stop in steps]


def named(files, tree=None):
    return [{"file": path, "tree": tree, "entry_start": None, "entry_stop": None} for path in files]


def delayed(files, client):
    dask.compute([dask.delayed(count)(path, more=1) for path in files])
    return named(files)


def mapped(files, client):
    client.gather(client.map(count, files))
    return named(files)


def nested(files, client):
    client.gather(client.map(count_first, [[{"file": path}] for path in files]))
    return named(files)


def unnamed(files, client):
    copies = []
    for path in files:
        copies.append(str(Path(sys.argv[2]).resolve().with_name(Path(path).stem)))
        shutil.copy(path, copies[-1])
    client.gather(client.map(size_of, copies, ["/nowhere/at/all"] * len(copies)))
    return named(copies)


def arrays(files, client):
    data = dask.array.random.random((2000, 2000), chunks=(500, 2000))
    (data + data.T).mean().compute()
    return []


def main():
    where, out, files, kind = sys.argv[1:]
    kinds = {"opened": read_opened, "steps": read_steps}
    files = [path for trees in json.loads(Path(files).read_text())["fileset"].values()
             for path in trees]
    with Client(where) as client:
        expected = (kinds.get(kind) or globals()[kind])(files, client)
    Path(out).write_text(json.dumps({"expected": expected}, indent=1))


if __name__ == "__main__":
    main()
