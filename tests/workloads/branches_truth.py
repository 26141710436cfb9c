"""What uproot itself says of the baskets that a job requested.

    branches_truth.py DIRECTORY        by a Python with the same uproot as the job's

Takes DIRECTORY/asked-*.json of branches_job.py, and removes DIRECTORY/data, so that the report is made
of the logs alone. Written: DIRECTORY/truth.json, {scenario: {"file", "rows": [{"tree", "branch",
"baskets", "compressed_bytes", "uncompressed_bytes" (null: cannot be known), "reread_bytes"}], "pages":
of RNTuples, or null}}.
"""

import json
import shutil
import sys
from collections import Counter
from pathlib import Path

import uproot


# ---- what there is -----------------------------------------------------------------------------


def root_files(directories):
    """ROOT files in DIRECTORIES, which are separated by colons."""
    return [path for directory in directories.split(":") if directory
            for path in sorted(Path(directory).glob("*.root"))]


def is_grouped(branch):
    return isinstance(branch.interpretation, uproot.interpretation.grouped.AsGrouped)


def names_of(tree):
    """Branches that uproot can read and that hold baskets."""
    found = []
    for name, branch in tree.iteritems(recursive=True):
        try:
            if branch.num_baskets and not is_grouped(branch):
                branch.array(library="np", entry_stop=1)
                found.append(name)
        except Exception:  # noqa: S112, BLE001: whatever uproot cannot read
            continue
    return found


def readable(path):
    """Of each tree its branches, of each RNTuple its fields: two dictionaries."""
    with uproot.open(path, array_cache=None) as file:
        kinds = file.classnames(cycle=False)
        trees = {name: names_of(file[name]) for name, kind in kinds.items() if kind == "TTree"}
        return trees, {name: [field.name for field in file[name].fields]
                       for name, kind in kinds.items() if kind.endswith("::RNTuple")}


# ---- baskets -----------------------------------------------------------------------------------


def limits(read, entries):
    return read["start"] or 0, entries if read["stop"] is None else read["stop"]


def numbers(branch, start, stop):
    """Of the baskets that this uproot reads for entries from START to STOP: versions differ at borders.
    Some may be part of the tree's own record."""
    return [number for number, _ in branch.entries_to_ranges_or_baskets(start, stop)]


def placed(branch, start, stop):
    """The same, but only the baskets that have a place of their own in the file."""
    found = branch.entries_to_ranges_or_baskets(start, stop)
    return [number for number, place in found if isinstance(place, tuple)]


def places(path, read):
    """[branch, number, offset, bytes] of each basket that READ is about."""
    with uproot.open(path) as file:
        tree = file[read["tree"]]
        start, stop = limits(read, tree.num_entries)
        return [[name, i, int(tree[name].member("fBasketSeek")[i]), tree[name].basket_compressed_bytes(i)]
                for name in read["branches"] for i in placed(tree[name], start, stop)]


def row(tree, branch, counts, seen):
    """COUNTS: how often each basket was read."""
    def total(of_basket, extra=0):
        return sum((times - extra) * of_basket(i) for i, times in counts.items())

    return {
        "tree": tree.name,
        "branch": branch.name,
        "baskets": sum(counts.values()),
        "compressed_bytes": total(branch.basket_compressed_bytes),
        "uncompressed_bytes": total(branch.basket_uncompressed_bytes) if seen else None,
        "reread_bytes": total(branch.basket_compressed_bytes, 1),
    }


def rows_of(file, reads, seen):
    counts = {}
    for read in reads:
        tree = file[read["tree"]]
        start, stop = limits(read, tree.num_entries)
        for name in read["branches"]:
            found = counts.setdefault((read["tree"], name), Counter())
            found.update(numbers(tree[name], start, stop))
    return [row(file[tree], file[tree][name], found, seen)
            for (tree, name), found in counts.items() if found]


# ---- pages -------------------------------------------------------------------------------------


def columns_of(ntuple, fields):
    """Records of the columns that FIELDS and what is inside of them have."""
    records, wanted = ntuple.field_records, set()
    for i, field in enumerate(records):
        if field.field_name in fields or field.parent_field_id in wanted:
            wanted.add(i)
    return [column for column in ntuple.column_records if column.field_id in wanted]


def add_block(pages, locator, size):
    """Of SIZE bytes, uncompressed."""
    stored = locator.num_bytes
    if stored < size:  # else it is stored as it is, with nothing to see it by
        pages["count"] += 1
        pages["compressed_bytes"] += stored
        pages["uncompressed_bytes"] += size


def add_lists(pages, ntuple):
    """Lists of pages are in blocks that look like theirs."""
    for group in ntuple.footer.cluster_group_records:
        link = group.page_list_link
        add_block(pages, link.locator, link.env_uncomp_size)


def pages_of(file, reads):
    pages = {"count": 0, "compressed_bytes": 0, "uncompressed_bytes": 0}
    for read in reads:
        ntuple = file[read["tree"]]
        add_lists(pages, ntuple)
        for column in columns_of(ntuple, read["branches"]):
            for cluster in ntuple.page_link_list:
                for page in cluster[column.idx].pages:
                    add_block(pages, page.locator, (page.num_elements * column.nbits + 7) // 8)
    return pages


# ---- all of it ---------------------------------------------------------------------------------


def truth_of(asked):
    with uproot.open(asked["path"]) as file:
        rows = [read for read in asked["reads"] if read["how"] != "fields"]
        pages = [read for read in asked["reads"] if read["how"] == "fields"]
        return {"file": asked["file"], "rows": rows_of(file, rows, asked["seen"]),
                "pages": pages_of(file, pages) if pages else None}


def main() -> None:
    directory = Path(sys.argv[1])
    asked = [one for path in directory.glob("asked-*.json") for one in json.loads(path.read_text())]
    truth = {one["scenario"]: truth_of(one) for one in asked}
    (directory / "truth.json").write_text(json.dumps(truth, indent=1))
    shutil.rmtree(directory / "data")


if __name__ == "__main__":
    main()
