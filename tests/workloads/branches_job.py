"""Read ROOT files in every way that baskets may be read, on a cluster or in this process, and note
what was asked for.

    branches_job.py WHERE INPUT DIRECTORY SET[,SET]...
        WHERE: address of a scheduler, "iterative" or "futures"
        INPUT: with what branches_files.py wrote
        SET:   "uproot" (tasks of branches_tasks.py), "coffea" (branches_coffea.py), "root" (files
               written by ROOT, named in CUPPING_TEST_ROOT_FILES), "s3" (the files of INPUT, in the
               bucket at CUPPING_TEST_S3)

Each scenario reads a copy of its own in DIRECTORY/data. Written: DIRECTORY/asked-WHERE.json, a list of
{"scenario", "file", "seen": whether the bytes pass by the library, "reads": [...]}; branches_truth.py
makes the truth of it, without cupping.
"""

import http.server
import json
import os
import shutil
import sys
import threading
from pathlib import Path

# ---- what is read ------------------------------------------------------------------------------


def read(how, branches, start=None, stop=None, tree="tree", **more):
    return {"how": how, "tree": tree, "branches": branches, "start": start, "stop": stop, **more}


def wide(step):
    return [f"b{i:03d}" for i in range(7, 300, step)]


ALL = ["x", "number", "nz", "z"]
EVERY = [[read("arrays", ALL)]]
OF_TWO = ["a", "c"]  # what lies between them is not wanted
SOME_CUTS = [(0, 1000), (1000, 2000), (999, 1001), (3500, 3501), (4000, 4000)]

# name: (file, tasks, options); a task is a list of reads
# A buffer of 128 KiB, as Python's own files have since 3.14, holds several of these small baskets:
# which of them a program took out of it is not to be seen.
HIDDEN_IN_BUFFERS = ("plain", "small") if sys.version_info >= (3, 14) else ()

SCENARIOS = {
    # every compression
    "zlib": ("zlib", EVERY, {}),
    "lzma": ("lzma", EVERY, {}),
    "lz4": ("lz4", EVERY, {}),
    "zstd": ("zstd", EVERY, {}),
    "uncompressed": ("none", EVERY, {}),
    # every size, and what lies between
    "big": ("big", [[read("arrays", ["energy", "steps"])]], {}),
    "big-by-threads": ("big", [[read("arrays", ["steps", "small"])]], {"source": "MultithreadedFileSource"}),
    "tiny": ("tiny", [[read("arrays", OF_TWO)]], {}),
    "tiny-one-by-one": ("tiny", [[read("array", ["d", "a"])]], {}),
    "five-of-300": ("wide", [[read("arrays", wide(59))]], {}),
    "neighbours": ("wide", [[read("arrays", wide(4))]], {}),
    "five-by-threads": ("wide", [[read("arrays", wide(59))]], {"source": "MultithreadedFileSource"}),
    "all-300": ("wide", [[read("arrays", [f"b{i:03d}" for i in range(300)])]], {}),
    "two-trees": ("trees", [[read("arrays", OF_TWO, tree="first"),
                             read("arrays", ["b"], 600, 800, tree="inner/second")]], {}),
    # entry ranges, and the same again
    "cuts": ("cuts", [[read("array", ["x", "z"], start, stop)] for start, stop in SOME_CUTS], {}),
    "border": ("cuts", [[read("arrays", ["x", "z"], 0, 4500)], [read("arrays", ["x", "z"], 4500, 10000)]], {}),
    "again": ("cuts", [[read("array", ["x"]), read("array", ["x"]), read("arrays", ["x", "z"], 0, 2000)]], {}),
    "twice": ("cuts", [[read("arrays", ["x", "z"])], [read("arrays", ["z", "number"])]], {}),
    "steps": ("cuts", [[read("iterate", ["x", "z"], step=1700)]], {}),
    "awkward": ("cuts", [[read("awkward", ["z"], 100, 7100)]], {}),
    "in-threads": ("cuts", [[read("in_threads", ["x", "z"])]], {}),
    # every source, and ways to name a file
    "threads": ("cuts", [[read("arrays", ["x", "z"], 0, 6500)]], {"source": "MultithreadedFileSource"}),
    "mapped": ("cuts", [[read("arrays", ["x", "z"], 0, 6500)]], {"source": "MemmapSource", "unseen": True}),
    "relative": ("cuts", [[read("arrays", ["x", "z"])]], {"given_as": "relative"}),
    "url": ("cuts", [[read("arrays", ["x", "z"])]], {"given_as": "url"}),
    "object": ("cuts", [[read("arrays", ["x", "z"])]], {"given_as": "object"}),
    "remote": ("cuts", [[read("arrays", ["x", "z"], 0, 6500)]], {"remote": True}),
    "remote-parts": ("cuts", [[read("arrays", ["x", "z"], 0, 6500)]], {"remote": True, "source": "HTTPSource"}),
    "remote-tiny": ("tiny", [[read("arrays", OF_TWO)]], {"remote": True, "source": "HTTPSource"}),
    "remote-by-threads": ("big", [[read("arrays", ["steps", "small"])]],
                          {"remote": True, "source": "MultithreadedHTTPSource"}),
    # readers that do not ask uproot for arrays
    "plain": ("cuts", [[read("plain", ["z", "number"])]], {}),
    "plain-big": ("big", [[read("plain", ["energy", "small"])]], {}),
    "plain-tiny": ("wide", [[read("plain", ["b001", "b100", "b200"])]], {}),
    "small": ("cuts", [[read("small", ["x", "z"])]], {}),
    "raw": ("cuts", [[read("raw", ["number"], 1000, 5000)]], {}),
    "fromfile": ("cuts", [[read("fromfile", ["x", "z"])]], {}),
    "basket": ("cuts", [[read("basket", ["z", "x"], 2000, 7000)]], {}),
    "basket-and-arrays": ("cuts", [[read("arrays", ["x"]), read("basket", ["z"], 0, 5000)]], {}),
    # no baskets
    "ntuple": ("ntuple", [[read("fields", ["x", "z"], tree="ntuple")]], {}),
    "both": ("both", [[read("fields", ["a", "b"], tree="ntuple"), read("arrays", ["x", "z"])]], {}),
}


# From an S3 server, by uproot's default: fsspec and s3fs.
IN_BUCKET = {
    "s3": ("cuts", [[read("arrays", ["x", "z"], 0, 6500)]], {}),
    "s3-tiny": ("tiny", [[read("arrays", OF_TWO)]], {}),
    "s3-big": ("big", [[read("arrays", ["steps", "small"])]], {}),
    "s3-again": ("cuts", [[read("arrays", ["x", "z"])], [read("arrays", ["z", "number"])]], {}),
}


def has(module):
    import importlib.util

    return importlib.util.find_spec(module) is not None


def possible():
    """On this Python and with its packages."""
    import uproot

    left_out = set() if has("aiohttp") else {name for name in SCENARIOS if name.startswith("remote")}
    if not hasattr(uproot.behaviors, "RNTuple") and not hasattr(uproot.models, "RNTuple"):
        left_out |= {"ntuple", "both"}
    left_out.update(HIDDEN_IN_BUFFERS)
    return {name: what for name, what in SCENARIOS.items() if name not in left_out}


# ---- a server that knows ranges ----------------------------------------------------------------


def part(data, first, last):
    """One range of DATA: its name and its bytes."""
    part = data[int(first):int(last) + 1]
    return f"bytes {first}-{int(first) + len(part) - 1}/{len(data)}", part


class Ranges(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        data = Path(self.translate_path(self.path)).read_bytes()
        wanted = self.headers.get("Range", f"bytes=0-{len(data) - 1}").split("=")[1].split(",")
        parts = [part(data, *wish.strip().split("-")) for wish in wanted]
        self.send_response(206)
        if len(parts) == 1:
            range_of, body = parts[0]
            self.send_header("Content-Range", range_of)
        else:
            body = b"".join(b"\r\n--next\r\nContent-Type: application/octet-stream\r\nContent-Range: "
                            + range_of.encode() + b"\r\n\r\n" + one for range_of, one in parts)
            body += b"\r\n--next--\r\n"
            self.send_header("Content-Type", "multipart/byteranges; boundary=next")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Accept-Ranges", "bytes")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def serve(directory):
    """URL of DIRECTORY, as long as this process lives."""

    def handler(*args):
        return Ranges(*args, directory=str(directory))

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


# ---- the job -----------------------------------------------------------------------------------


class Job:
    def __init__(self, where, source, directory):
        self.where, self.input = where, Path(source)
        self.data = Path(directory).resolve() / "data"
        self.data.mkdir(exist_ok=True)
        self.asked, self.url = [], None
        self.client = self.connect() if "://" in where else None

    def connect(self):
        from distributed import Client

        return Client(self.where)

    def copy(self, path, scenario):
        name = f"{scenario}.root" if self.client else f"{scenario}-{self.where}.root"
        shutil.copyfile(path, self.data / name)
        return str(self.data / name)

    def note(self, scenario, file, reads, path=None, seen=True):
        """FILE is how cupping may call it, PATH where it lies."""
        self.asked.append({"scenario": scenario, "file": file, "path": path or file, "seen": seen,
                           "reads": reads})

    def place(self, path):
        """As a remote file."""
        self.url = self.url or serve(self.data)
        return f"{self.url}/{Path(path).name}"

    def submit(self, name, path, tasks, options):
        """Futures of the tasks, which may run in any order."""
        import branches_tasks

        file = self.place(path) if options.get("remote") else path
        self.note(name, file, [read for task in tasks for read in task], path,
                  not options.get("unseen"))
        return [self.client.submit(branches_tasks.run, file, task, options, key=f"{name}-{number}",
                                   pure=False)
                for number, task in enumerate(tasks)]

    def uproot(self):
        futures = []
        for name, (file, tasks, options) in possible().items():
            path = self.copy(self.input / f"{file}.root", name)
            futures += self.submit(name, path, located(path, tasks), options)
        self.client.gather(futures)

    def s3(self):
        """The server answers "t/KEY/NAME" with NAME, so each scenario has a file of its own."""
        import branches_tasks

        endpoint, _, bucket = os.environ["CUPPING_TEST_S3"].rpartition("/")
        storage = {"key": "k", "secret": "s", "endpoint_url": endpoint}
        futures = []
        for name, (file, tasks, options) in IN_BUCKET.items():
            key = f"{bucket}/t/{name}/{file}.root"
            self.note(name, f"{endpoint}/{key}", [read for task in tasks for read in task],
                      str(self.input / f"{file}.root"))
            futures += [self.client.submit(branches_tasks.run, f"s3://{key}", task,
                                           {**options, "storage": storage}, key=f"{name}-{number}",
                                           pure=False)
                        for number, task in enumerate(tasks)]
        self.client.gather(futures)

    def root(self):
        """Files that ROOT wrote: some branches, all, and a few of them once more."""
        futures = []
        for path in root_files():
            for name, tasks in root_tasks(path).items():
                copy = self.copy(path, f"{name}-{path.stem}")
                futures += self.submit(Path(copy).stem, copy, tasks, {})
        self.client.gather(futures)

    def coffea(self):
        import branches_coffea

        path = self.input / "nano.root"
        for name, file, reads in branches_coffea.run(self.where, self.client, path, self.copy):
            self.note(name, file, reads)

    def write(self, directory):
        name = "cluster" if self.client else self.where
        (Path(directory) / f"asked-{name}.json").write_text(json.dumps(self.asked, indent=1))


def located(path, tasks):
    """Where baskets lie, for reads that need to know it."""
    import branches_truth

    for task in tasks:
        for one in task:
            if one["how"] in ("basket", "plain", "small", "raw", "fromfile"):
                one["baskets"] = branches_truth.places(path, one)
    return tasks


def root_files():
    import branches_truth

    return branches_truth.root_files(os.environ.get("CUPPING_TEST_ROOT_FILES", ""))


def root_tasks(path):
    import branches_truth

    trees, ntuples = branches_truth.readable(path)
    tasks = {f"root-pages-{name}": [[read("fields", fields, tree=name)]]
             for name, fields in ntuples.items()}
    for tree, names in trees.items():
        some, few = names[:: max(len(names) // 5, 1)][:5], names[1:3] or names
        short = tree.replace("/", "-")
        tasks[f"root-some-{short}"] = [[read("arrays", some, tree=tree)]]
        tasks[f"root-all-{short}"] = [[read("arrays", names, tree=tree)]]
        tasks[f"root-few-{short}"] = [[read("array", few, tree=tree)], [read("array", few[:1], tree=tree)]]
    return tasks


def main() -> None:
    where, source, directory, sets = sys.argv[1:]
    job = Job(where, source, directory)
    for name in sets.split(","):
        getattr(job, name)()
    job.write(directory)
    if job.client:
        job.client.close()


if __name__ == "__main__":
    main()
