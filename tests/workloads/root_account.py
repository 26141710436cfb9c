"""What uproot says of the trees of ROOT files, as lines of fields separated by tabs.

    root_account.py FILE...        of each: file, tree and branch lines
    root_account.py --write DIR    write files of every compression, then as above

    file PATH SIZE
    tree NAME ENTRIES COMPRESSED UNCOMPRESSED BRANCHES BORDERS...
    branch NAME BASKETS EMBEDDED ENTRIES COMPRESSED UNCOMPRESSED SETTING

BRANCHES counts those that hold baskets, and so do the lines that follow; BORDERS are the entries
where all of these begin a basket, and the end.
"""

import sys
from pathlib import Path

import awkward as ak
import numpy as np
import uproot

COMPRESSIONS = {
    "zlib": uproot.ZLIB(4),
    "lzma": uproot.LZMA(1),
    "lz4": uproot.LZ4(4),
    "zstd": uproot.ZSTD(3),
    "none": None,
}


def write(path: Path, compression) -> None:
    with uproot.recreate(path, compression=compression) as file:
        for name in ("Events", "dir/sub/Events2"):
            tree = file.mktree(name, {"x": "f4", "n": "i8", "Jet": "var * float32"})
            for step in (1000, 700, 1000, 5):
                numbers = np.arange(step)
                jets = ak.unflatten(np.ones(int((numbers % 4).sum()), "f4"), numbers % 4)
                tree.extend({"x": numbers.astype("f4"), "n": numbers, "Jet": jets})


def with_baskets(branch) -> list:
    inner = [found for each in branch.branches for found in with_baskets(each)]
    return ([branch] if getattr(branch, "num_baskets", 0) else []) + inner


def tell(*fields) -> None:
    print("\t".join(str(field) for field in fields))


def account(path: Path) -> None:
    tell("file", path, path.stat().st_size)
    with uproot.open(path) as file:
        for name, kind in file.classnames(recursive=True).items():
            if kind not in ("TTree", "TNtuple", "TNtupleD"):
                continue
            tree = file[name]
            branches = with_baskets(tree)
            sizes = [int(tree.member(member)) for member in ("fEntries", "fZipBytes", "fTotBytes")]
            borders = [int(entry) for entry in tree.common_entry_offsets()]
            tell("tree", name, *sizes, len(branches), *borders)
            for branch in branches:
                embedded = len(branch.embedded_baskets)
                baskets = branch.num_baskets - embedded
                tell(
                    "branch",
                    branch.member("fName"),
                    baskets,
                    embedded,
                    int(branch.member("fEntries")),
                    sum(branch.basket_compressed_bytes(i) for i in range(baskets)),
                    int(branch.member("fTotBytes")),
                    branch.member("fCompress"),
                )


def main() -> None:
    paths = [Path(argument) for argument in sys.argv[1:]]
    if sys.argv[1] == "--write":
        paths = [paths[1] / f"{name}.root" for name in COMPRESSIONS]
        for path in paths:
            write(path, COMPRESSIONS[path.stem])
    for path in paths:
        account(path)


if __name__ == "__main__":
    main()
