"""Small ROOT files, each made for one way in which baskets may lie in a file; the same bytes each time.

    branches_files.py DIRECTORY

What is there already is left alone. See FILES for what there is.
"""

import os
import sys
from pathlib import Path

VERSION = "1"  # of the data: another one rewrites them


def are_written(directory) -> bool:
    done = directory / "version"
    return done.exists() and done.read_text() == VERSION


if __name__ == "__main__" and are_written(Path(sys.argv[1])):
    sys.exit()  # before the imports, which take most of a second

import awkward as ak  # noqa: E402
import numpy as np  # noqa: E402
import uproot  # noqa: E402


def flat(rng, entries):
    """Compresses somewhat, as measured values do."""
    return rng.normal(0, 1, entries).round(2).astype("f4")


def jagged(rng, entries, mean=3):
    counts = rng.poisson(mean, entries)
    return ak.unflatten(flat(rng, int(counts.sum())), counts)


def three(rng, entries):
    return {"x": flat(rng, entries), "number": np.arange(entries, dtype="i8"), "z": jagged(rng, entries)}


def wide(rng, entries):
    """300 branches: some baskets of a few hundred bytes, some of a few thousand."""
    return {f"b{i:03d}": flat(rng, entries) if i % 7 else np.full(entries, i, "i4") for i in range(300)}


def tiny(rng, entries):
    return {name: flat(rng, entries) for name in ("a", "b", "c", "d")}


def big(rng, entries):
    """Megabytes in a basket: what hardly compresses, and what is more than one block of 16 MiB."""
    return {
        "energy": ak.unflatten(rng.random(entries * 40, dtype="f4"), np.full(entries, 40)),
        "small": np.arange(entries, dtype="i4"),
        "steps": ak.unflatten(np.repeat(np.arange(entries // 100, dtype="i8"), 75 * 100),
                              np.full(entries, 75)),
    }


def nano(rng, entries):
    """As NanoAOD: nMuon, Muon_pt, Muon_eta, ..."""
    counts = rng.poisson(2, entries)

    def of_muons():
        return ak.unflatten(flat(rng, int(counts.sum())), counts)

    return {
        "run": np.full(entries, 362104, "u4"),
        "luminosityBlock": np.arange(entries, dtype="u4") // 500,
        "event": np.arange(entries, dtype="u8"),
        "genWeight": flat(rng, entries),
        "MET_pt": np.abs(flat(rng, entries)),
        "MET_phi": flat(rng, entries),
        "Muon": ak.zip({name: of_muons() for name in ("pt", "eta", "phi", "mass", "charge")}),
    }


def types(columns):
    """mktree wants types, not data."""
    return {name: v.type.content if isinstance(v, ak.Array) else v.dtype for name, v in columns.items()}


def tree(file, name, seed, make, baskets, entries):
    """BASKETS of ENTRIES each, in every branch."""
    rng = np.random.default_rng(seed)
    writer = None
    for _ in range(baskets):
        columns = make(rng, entries)
        if writer is None:
            writer = file.mktree(name, types(columns))
        writer.extend(columns)


def ntuple(file, name, seed, make, clusters, entries):
    rng = np.random.default_rng(seed)
    writer = file.mkrntuple(name, make(rng, entries))
    for _ in range(clusters - 1):
        writer.extend(make(rng, entries))


def two_trees(file):
    """Branches of the same names; one tree is in a directory."""
    tree(file, "first", 11, tiny, 5, 500)
    tree(file, "inner/second", 12, tiny, 3, 700)


def both_kinds(file):
    tree(file, "tree", 13, three, 4, 3000)
    ntuple(file, "ntuple", 14, tiny, 4, 5000)


ZSTD = uproot.ZSTD(3)
FILES = {
    "zlib": (uproot.ZLIB(4), lambda file: tree(file, "tree", 1, three, 6, 3000)),
    "lzma": (uproot.LZMA(5), lambda file: tree(file, "tree", 2, three, 6, 3000)),
    "lz4": (uproot.LZ4(4), lambda file: tree(file, "tree", 3, three, 6, 3000)),
    "zstd": (ZSTD, lambda file: tree(file, "tree", 4, three, 6, 3000)),
    "none": (None, lambda file: tree(file, "tree", 5, three, 6, 3000)),
    "big": (ZSTD, lambda file: tree(file, "tree", 6, big, 2, 40000)),
    "tiny": (ZSTD, lambda file: tree(file, "tree", 7, tiny, 150, 40)),
    "wide": (ZSTD, lambda file: tree(file, "tree", 8, wide, 4, 700)),
    "cuts": (ZSTD, lambda file: tree(file, "tree", 9, three, 10, 1000)),
    "trees": (ZSTD, two_trees),
    "nano": (ZSTD, lambda file: tree(file, "Events", 15, nano, 12, 1000)),
    "ntuple": (ZSTD, lambda file: ntuple(file, "ntuple", 10, three, 5, 4000)),
    "both": (ZSTD, both_kinds),
}


def main() -> None:
    directory = Path(sys.argv[1])
    done = directory / "version"
    directory.mkdir(parents=True, exist_ok=True)
    done.unlink(missing_ok=True)
    for name, (compression, write) in FILES.items():
        part = directory / f"{name}.part"
        with uproot.recreate(part, compression=compression) as file:
            write(file)
        os.replace(part, directory / f"{name}.root")
    done.write_text(VERSION)


if __name__ == "__main__":
    main()
