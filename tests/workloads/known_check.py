"""Compares the report with what the functions of known_job.py really did: function, line, prefix, bytes,
CPU time and memory.

    known_check.py DIRECTORY WHAT CUPPING       WHAT: "tasks" or "processor"

Exit status 1, and a line for each thing that is wrong.
"""

import json
import re
import sys
from pathlib import Path

from checks import expect, finish, run_cupping

HERE = Path(__file__).parent


def labels(file):
    """{what the comment at its end says: number of the line}"""
    found = {}
    for number, line in enumerate((HERE / file).read_text().splitlines(), 1):
        names = line.rpartition("  # ")[2] if "  # " in line else ""
        found.update({name: number for name in names.split("; ") if ": " in name})
    return found


def short(row):
    return row["function"].split(".")[-1]


def at_line(functions, file, number):
    """The row of a line: of the outermost function, where a lambda has it too; zeros if there is none."""
    rows = [row for row in functions["lines"] if row["file"] == file and row["line"] == number]
    nothing = {"total_read_bytes": 0, "total_cpu_s": 0, "total_alloc_bytes": 0}
    return min(rows, key=lambda row: row["first_line"], default=nothing)


def close_to(amount, known, part, more, *what):
    expect(abs(amount - known) <= part * known + more, *what, amount, "not", known)


# ---- tasks -------------------------------------------------------------------------------------


def own_reads(functions, prefix):
    """{function: bytes} of those of PREFIX that read themselves."""
    return {row["function"]: row["read_bytes"] for row in functions["by_prefix"]
            if row["prefix"] == prefix and row["read_bytes"]}


def check_read(functions, name, known, lines):
    least, most = known["bytes"], known["bytes"] + known["room"]
    for what in ("call", "read"):
        if f"{name}: {what}" in lines:
            amount = at_line(functions, "known_tasks.py", lines[f"{name}: {what}"])["total_read_bytes"]
            expect(least <= amount <= most, f"{name}: {what}", amount, "not", least)
    if not known["function"]:
        return
    reads = own_reads(functions, name)
    mine = {function: amount for function, amount in reads.items()
            if function == known["function"] or function.endswith("." + known["function"])}
    expect(least <= sum(mine.values()) <= most, name, "read itself", reads)
    expect(sum(reads.values()) - sum(mine.values()) <= known["room"], name, "read elsewhere", reads)


def check_use(functions, name, expected, lines):
    row, times = at_line(functions, "known_tasks.py", lines[f"{name}: use"]), expected["tasks"][name]["times"]
    close_to(row["total_cpu_s"], times * expected["cpu_s"], 0.1, 0.04, name, "CPU")
    # Small allocations beside the known ones: each that is recorded stands for 1.5 MiB.
    close_to(row["total_alloc_bytes"], times * expected["alloc_bytes"], 0, 3 * (3 << 19), name, "allocated")


def check_kernels(functions, expected, lines):
    """What C does belongs to the line that asked for it, and to the package that is innermost."""
    for package in ("numpy", "awkward"):
        row = at_line(functions, "known_tasks.py", lines[f"kernels: {package}"])
        close_to(row["total_cpu_s"], expected["cpu_s"], 0.15, 0.04, package, "CPU")
        self_s = sum(row["cpu_s"] for row in functions["by_prefix"]
                     if row["prefix"] == "kernels" and row["package"] == package)
        expect(self_s > 0.4 * expected["cpu_s"], package, "itself", self_s)


def check_text(cupping, profile, name, known):
    """The function is in the text of its own prefix, with the place where it is defined."""
    text = run_cupping(cupping, "report", profile, "--only", "functions", "--prefix", name)
    short_name = (known["function"] or name).split(".")[-1]
    expect(re.search(rf"{re.escape(short_name)} .*:\d+\s*$", text, re.M), name, "is not reported:", text)


def check_loop(report):
    """Tasks that take turns on one thread: each has its own section, and lies within no other's."""
    rows = {row["key"]: row for row in report["sections"]["by_task"] if row["section"] == "on the loop"}
    expect(sorted(rows) == [f"on_loop-{i}" for i in range(6)], "on the loop:", rows)
    for i in range(6):
        row = rows[f"on_loop-{i}"]
        expect((row["parent"], row["entries"], row["read_bytes"]) == (None, 1, 5000 + 1000 * i), row)


def check_tasks(expected, report, cupping, profile):
    lines = labels("known_tasks.py")
    for name, known in expected["tasks"].items():
        check_read(report["functions"], name, known, lines)
        check_use(report["functions"], name, expected, lines)
        check_text(cupping, profile, name, known)
    check_kernels(report["functions"], expected, lines)
    check_loop(report)
    used = [row for row in report["functions"]["rows"] if row["function"] == "use"]
    expect(len(used) == 1, "use:", len(used), "rows")
    times = sum(known["times"] for known in expected["tasks"].values())
    close_to(used[0]["total_cpu_s"], expected["cpu_s"] * times, 0.1, 0.1, "use: CPU")
    expect(len(expected["tasks"]) >= 12, "too few tasks")


# ---- the processor -----------------------------------------------------------------------------


def check_shares(functions, known):
    rows = {short(row): row for row in functions["by_prefix"] if row["prefix"] == "Known"}
    for weight in ("total_cpu_s", "total_read_bytes", "total_alloc_bytes"):
        whole = sum(rows[name][weight] for name in known["shares"])
        shares = {name: rows[name][weight] / whole for name in known["shares"]}
        print(weight, whole, "of", known[weight.replace("total_", "")], shares)
        for name, share in known["shares"].items():
            expect(abs(shares[name] - share) < 0.02, weight, name, shares[name], "not", share)
        close_to(whole, known[weight.replace("total_", "")], 0.04, 0, weight)


def check_branches(report, lines, chunks):
    for branch in ("Muon_pt", "MET_pt"):
        rows = [row for row in report["functions"]["branches"] if row["branch"] == branch]
        expect([row["line"] for row in rows] == [lines[f"branch: {branch}"]], branch, rows)
        expect(sum(row["baskets"] for row in rows) >= chunks, branch, rows)


def check_phases(functions, known):
    """process() has what its functions use; what its branches took is in other phases."""
    rows = {row["phase"]: row for row in functions["phases"] if row["prefix"] == "Known"}
    print({name: row["cpu_s"] for name, row in rows.items()})
    expect(rows["process"]["cpu_s"] >= 0.96 * known["cpu_s"], "process", rows["process"]["cpu_s"])
    close_to(rows["process"]["read_bytes"], known["read_bytes"], 0.04, 0, "process: read")
    expect(rows["columns"]["read_bytes"] > 0, "columns", rows["columns"]["read_bytes"])


def one_row(rows, **names):
    found = [row for row in rows if all(row[name] == value for name, value in names.items())]
    expect(len(found) == 1, names, found)
    return found[0]


def check_sections(report, known):
    """What the processor named: with what is known of the function in it, for all chunks and each."""
    sections, part = report["sections"], known["shares"]["half"]
    half = one_row(sections["rows"], section="half", parent="work", prefix="Known")
    expect((half["tasks"], half["chunks"], half["entries"]) == (known["chunks"],) * 3, half)
    expect(half["read_bytes"] == part * known["read_bytes"], half["read_bytes"])
    close_to(half["cpu_s"], part * known["cpu_s"], 0.01, 0, "section: CPU")
    close_to(half["alloc_bytes"], part * known["alloc_bytes"], 0.02, 0, "section: allocated")
    work = one_row(sections["rows"], section="work", parent=None, prefix="Known")
    expect(abs(work["self_s"] + half["wall_s"] - work["wall_s"]) < 1e-6, "itself", work, half)
    each = [row for row in sections["by_task"] if row["section"] == "half"]
    chunks = {(row["file"], row["entry_start"], row["dataset"]) for row in each}
    expect(len(each) == len(chunks) == known["chunks"], "by task", each)
    expect(all(row["read_bytes"] * known["chunks"] == half["read_bytes"] for row in each), "by task", each)
    values = [row for row in sections["values_by_task"] if row["value"] == "events_seen"]
    expect([row["sum"] for row in values] == [row["entry_stop"] - row["entry_start"] for row in values], values)
    expect(sum(row["sum"] for row in values) == known["events"] > 0, "values", values)
    expect(sections["dropped"] == 0, "dropped")


def check_activity(report, known):
    """Dask's own way to name a part."""
    activity = one_row(report["fine"]["user_activities"], activity="the fifth", prefix="Known")
    expect(activity["value"] >= known["shares"]["fifth"] * known["cpu_s"], activity)


def check_tables(cupping, profile):
    """They are in the text and in the page, too."""
    text = run_cupping(cupping, "report", profile, "--only", "sections")
    expect(re.search(r"^  half .*\bKnown\b", text, re.M), text)
    expect(re.search(r"^  dataset .* half .*\n(  (TTbar|ZToMuMu) .*s.*\n){6}", text, re.M), text)
    expect("the fifth (Known)" in run_cupping(cupping, "report", profile, "--only", "fine"), "fine")
    page = run_cupping(cupping, "plot", profile, "--html", "-")
    for heading in ("Sections", "Sections task by task"):
        expect(f">{heading}<" in page, heading, "is not in the page")


def check_processor(expected, report, cupping, profile):
    known, functions = expected["processor"], report["functions"]
    check_shares(functions, known)
    check_branches(report, labels("known_processor.py"), known["chunks"])
    check_phases(functions, known)
    check_sections(report, known)
    check_activity(report, known)
    check_tables(cupping, profile)


def main(directory, what, cupping):
    profile = str(Path(directory) / "profile")
    expected = json.loads((Path(directory) / "expected.json").read_text())
    report = json.loads(run_cupping(cupping, "report", profile, "--json", "-"))
    {"tasks": check_tasks, "processor": check_processor}[what](expected, report, cupping, profile)
    return finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
