"""Write the ROOT files of this directory, and for each what uproot says is in it.

    make.py [NAME...]

Written with ROOT 6.40.00 (the PyPI package "ROOT" 0.1a12, CPython 3.11) and uproot 5.7.7. FILE.json
lists every basket (tree, branch, offset, fNbytes, fKeylen, fObjlen, entries) and every compressed
page of an RNTuple (offset, stored and uncompressed bytes): by the branches' own tables of where
their baskets are, and their keys, which uproot reads one at a time.
"""

import json
import sys
from array import array
from pathlib import Path

import awkward as ak
import numpy as np
import ROOT
import uproot

HERE = Path(__file__).resolve().parent
ALGORITHMS = {"zlib": 101, "lzma": 207, "lz4": 404, "zstd": 505, "none": 0}
LONG_NAME = "a_branch_with_a_name_longer_than_what_one_byte_can_count_" * 5


def fill(tree: ROOT.TTree, entries: int, basket_bytes: int = 1000) -> None:
    """Branches of each simple shape; numbers that compress, and some that do not."""
    rng = np.random.default_rng(7)
    pt, run, n = array("f", [0.0]), array("i", [0]), array("i", [0])
    hits = array("d", 16 * [0.0])
    flag = array("b", [0])
    jets = ROOT.std.vector["float"]()
    nested = ROOT.std.vector["std::vector<float>"]()
    tree.Branch("pt", pt, "pt/F", basket_bytes)
    tree.Branch("run", run, "run/I", basket_bytes)
    tree.Branch("flag", flag, "flag/B", basket_bytes)
    tree.Branch("n", n, "n/I", basket_bytes)
    tree.Branch("hits", hits, "hits[n]/D", basket_bytes)
    tree.Branch("jets", jets, basket_bytes)
    tree.Branch("nested", nested, basket_bytes)
    for entry in range(entries):
        pt[0], run[0], flag[0], n[0] = rng.random(), 1, entry % 2, entry % 3
        for i in range(n[0]):
            hits[i] = rng.normal()
        jets.clear()
        nested.clear()
        for i in range(entry % 3):
            jets.push_back(i)
            nested.push_back(jets)
        tree.Fill()


def simple(path: Path, compression: int, entries: int = 240) -> None:
    file = ROOT.TFile(str(path), "RECREATE", "", compression)
    tree = ROOT.TTree("Events", "the title of a tree is not its name")
    fill(tree, entries)
    tree.Write()
    file.Close()


def merged(path: Path) -> None:
    """Baskets copied as they are, as hadd does."""
    parts = [path.with_suffix(f".part{i}") for i in range(2)]
    for part in parts:
        simple(part, 505, 300)
    merger = ROOT.TFileMerger(False)
    merger.OutputFile(str(path), "RECREATE", 505)
    for part in parts:
        merger.AddFile(str(part))
    assert merger.Merge()
    for part in parts:
        part.unlink()


def split(path: Path) -> None:
    """Branches of members of classes, also of those in a TClonesArray; a name of 285 bytes."""
    file = ROOT.TFile(str(path), "RECREATE", "", 404)
    file.mkdir("inner").cd()
    tree = ROOT.TTree("t", "t")
    vector, many = ROOT.TLorentzVector(), ROOT.TClonesArray("TVector3")
    number = array("i", [0])
    tree.Branch("v.", vector, 1000, 99)
    tree.Branch("many", many, 1000, 99)
    tree.Branch(LONG_NAME, number, "x/I", 1000)
    for entry in range(300):
        vector.SetXYZT(entry, 1, 2, entry / 3)
        many.Clear("C")
        for i in range(entry % 4):
            many.ConstructedAt(i).SetXYZ(i, entry, 0)
        number[0] = entry
        tree.Fill()
    tree.Write()
    file.Close()


def gaps(path: Path) -> None:
    """A tree that was saved several times, and objects deleted between its baskets."""
    file = ROOT.TFile(str(path), "RECREATE", "", 101)
    tree = ROOT.TTree("Events", "")
    number = array("i", [0])
    tree.Branch("x", number, "x/I", 400)
    for round_ in range(4):
        ROOT.TNamed(f"note{round_}", "-" * 300).Write()
        for entry in range(300):
            number[0] = entry * round_
            tree.Fill()
        tree.AutoSave()
        file.Delete(f"note{round_};*")
    tree.Write("", ROOT.TObject.kOverwrite)
    file.Close()


def write_rntuple(directory: ROOT.TFile, name: str, compression: int) -> None:
    model = ROOT.RNTupleModel.Create()
    model.MakeField["float"]("x")
    model.MakeField["std::vector<float>"]("v")
    options = ROOT.RNTupleWriteOptions()
    options.SetCompression(compression)
    options.SetMaxUnzippedPageSize(4096)
    options.SetInitialUnzippedPageSize(256)
    writer = ROOT.RNTupleWriter.Append(model, name, directory, options)
    entry = writer.CreateEntry()
    rng = np.random.default_rng(3)
    for i in range(2000):
        entry["x"] = rng.random()
        values = entry["v"]
        values.clear()
        for k in range(i % 4):
            values.push_back(k)
        writer.Fill(entry)
        if i == 1200:
            writer.CommitCluster()
    del entry, writer


def rntuple(path: Path, compression: int) -> None:
    file = ROOT.TFile(str(path), "RECREATE")
    write_rntuple(file, "nt", compression)
    file.Close()


def mixed(path: Path) -> None:
    """A TTree and an RNTuple in one file."""
    file = ROOT.TFile(str(path), "RECREATE", "", 505)
    tree = ROOT.TTree("Events", "")
    fill(tree, 150)
    tree.Write()
    write_rntuple(file, "nt", 505)
    file.Close()


def by_uproot(path: Path) -> None:
    """Baskets with the holes between them that uproot leaves."""
    with uproot.recreate(path, compression=uproot.LZ4(4)) as file:
        for i in range(2):
            x = np.arange(300, dtype="f4") + i
            jagged = ak.Array([[float(k) for k in range(e % 3)] for e in range(300)])
            columns = {"x": x, "n": x.astype("i8"), "j": jagged}
            if i == 0:
                file.mktree("t", columns)
            else:
                file["t"].extend(columns)


def trees(file: uproot.ReadOnlyDirectory) -> list[uproot.TTree]:
    names = file.keys(recursive=True, cycle=False, filter_classname="TTree")
    return [file[name] for name in dict.fromkeys(names)]


def baskets(tree: uproot.TTree) -> list[dict]:
    """Those that have a record; the last of a branch may be in the tree itself."""
    rows = []
    for branch in tree.itervalues(recursive=True):
        seeks = branch.member("fBasketSeek")
        for i in range(branch._num_normal_baskets):
            key = branch.basket_key(i)
            start, stop = branch.entry_offsets[i : i + 2]
            rows.append({
                "tree": tree.name, "branch": branch.name, "offset": int(seeks[i]),
                "bytes": int(key.fNbytes), "key_bytes": int(key.fKeylen),
                "object_bytes": int(key.fObjlen), "entries": int(stop - start),
            })
    return rows


def pages(ntuple: uproot.behaviors.RNTuple.RNTuple) -> list[dict]:
    """Those that are compressed. A page's description tells entries only: its bytes are read."""
    rows = []
    data = Path(ntuple.file.file_path).read_bytes()
    for columns in ntuple.page_link_list:
        for column in columns:
            for page in column.pages:
                at, stored = page.locator.offset, page.locator.num_bytes
                if data[at : at + 3] in (b"ZS\1", b"ZL\x08", b"L4\1", b"XZ\0"):
                    rows.append({"offset": at, "bytes": stored,
                                 "object_bytes": int.from_bytes(data[at + 6 : at + 9], "little")})
    return rows


def describe(path: Path) -> dict:
    with uproot.open(path) as file:
        found = {"size": path.stat().st_size, "baskets": [], "pages": []}
        for tree in trees(file):
            found["baskets"] += baskets(tree)
        for name in file.keys(recursive=True, cycle=False, filter_classname="*RNTuple*"):
            found["pages"] += pages(file[name])
    for rows in found["baskets"], found["pages"]:
        rows.sort(key=lambda row: row["offset"])
    return found


def write_json(path: Path, found: dict) -> None:
    rows = lambda name: ",\n  ".join(json.dumps(row) for row in found[name])
    path.write_text(f'{{"size": {found["size"]},\n "baskets": [\n  {rows("baskets")}],\n'
                    f' "pages": [\n  {rows("pages")}]}}\n')


MAKERS = {
    **{name: lambda path, number=number: simple(path, number)
       for name, number in ALGORITHMS.items()},
    "merged": merged, "split": split, "gaps": gaps, "mixed": mixed, "uproot": by_uproot,
    "rntuple_zstd": lambda path: rntuple(path, 505),
    "rntuple_lz4": lambda path: rntuple(path, 404),
    "rntuple_none": lambda path: rntuple(path, 0),
}


def main() -> None:
    for name in sys.argv[1:] or MAKERS:
        path = HERE / f"{name}.root"
        MAKERS[name](path)
        found = describe(path)
        write_json(path.with_suffix(".json"), found)
        print(name, found["size"], len(found["baskets"]), "baskets", len(found["pages"]), "pages")


if __name__ == "__main__":
    main()
