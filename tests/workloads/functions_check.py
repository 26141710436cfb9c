"""Compares the functions of uses_job.py in the report and the exports with what they really did.

    functions_check.py DIRECTORY CUPPING

Exit status 1, and a line for each thing that is wrong.
"""

import json
import sys
import tempfile
from pathlib import Path

from checks import expect, finish, run_cupping

JOB = Path(__file__).with_name("uses_job.py")
TEXT = JOB.read_text().splitlines()
LITTLE = 30000  # bytes read in pieces that are too small to be looked at each


def by_name(rows, amount):
    sums = {}
    for row in rows:
        if row["file"] and row["file"].endswith(JOB.name):
            sums[row["function"].split(".")[-1]] = sums.get(row["function"].split(".")[-1], 0) + row[amount]
    return sums


def label(line):
    return TEXT[line - 1].rpartition("  # ")[2] if line and "  # " in TEXT[line - 1] else None


def check_reads(functions, tasks, expected):
    read = sum(task["read_bytes"] for task in tasks)
    expect(abs(functions["read_bytes"] - read) <= LITTLE * 3, "read", functions["read_bytes"], "of", read)
    found = {}
    for row in functions["lines"]:
        if row["file"].endswith(JOB.name) and label(row["line"]):
            found[label(row["line"])] = found.get(label(row["line"]), 0) + row["total_read_bytes"]
    print(found)
    for names in ("one", "several", "itself", "submit or result"):
        least = sum(what["lines"].get(names, 0) for what in expected.values() if "lines" in what)
        expect(sum(found.get(name, 0) for name in names.split(" or ")) >= least > 0, names, found, "not", least)


def check_branches(report):
    """Which line asked for which branches; in sum what was read of them."""
    rows, found = report["functions"]["branches"], {}
    for row in rows:
        found.setdefault(label(row["line"]), set()).add(row["branch"])
    print(found)
    expect(found.get("one") == {"Muon_pt"}, "one", found)
    expect(found.get("several") == {"Jet_pt", "Jet_eta", "MET_pt"}, "several", found)
    for amount in ("baskets", "compressed_bytes"):
        expect(sum(row[amount] for row in rows) == report["branches"][amount] > 0, amount, report["branches"][amount])


def check_amounts(functions, expected):
    amounts = by_name(functions["rows"], "total_alloc_bytes")
    times = by_name(functions["rows"], "total_cpu_s")
    print(amounts, times)
    allocated = next(what["alloc"] for what in expected.values() if "alloc" in what)
    for name, amount in allocated.items():
        expect(abs(amounts.get(name, 0) - amount) < 0.09 * sum(allocated.values()), name, amounts.get(name), amount)
    shares = next(what["cpu"] for what in expected.values() if "cpu" in what)
    whole = sum(times[name] for name in shares)
    for name, share in shares.items():
        expect(abs(times[name] / whole - share) < 0.02, name, times[name] / whole, "not", share)


def check_sums(functions):
    for amount in ("cpu_s", "wait_s", "read_bytes", "alloc_bytes"):
        whole = functions[amount]
        for part in (functions["rows"], functions["packages"],
                     [row for row in functions["phases"] if row["prefix"] is None],
                     [row for row in functions["phases"] if row["prefix"] is not None]):
            expect(abs(sum(row[amount] for row in part) - whole) <= 1e-6 * max(whole, 1), amount, whole)
    expect(functions["cpu_samples"] > 100, "samples", functions["cpu_samples"])
    expect(functions["orphans"] == 0 and functions["damaged_records"] == 0, "orphans or damage")


def check_exports(functions, cupping, profile):
    scope = json.loads(run_cupping(cupping, "export", profile, "--to", "speedscope", "-o", "-"))
    expect(abs(scope["profiles"][0]["endValue"] / 1e6 - functions["cpu_s"]) < 0.01 * functions["cpu_s"], "speedscope")
    with tempfile.TemporaryDirectory() as directory:
        run_cupping(cupping, "export", profile, "--to", "collapsed", "-o", f"{directory}/out")
        lines = (Path(directory) / "out/read.collapsed").read_text().splitlines()
    expect(sum(int(line.rpartition(" ")[2]) for line in lines) == functions["read_bytes"], "collapsed")
    trace = json.loads(run_cupping(cupping, "export", profile, "--to", "perfetto", "-o", "-"))
    expect(any(event["ph"] == "X" and event["name"] == "allocates" for event in trace["traceEvents"]), "perfetto")


def main(directory, cupping):
    profile = str(Path(directory) / "profile")
    expected = json.loads((Path(directory) / "expected.json").read_text())
    report = json.loads(run_cupping(cupping, "report", profile, "--json", "-"))
    functions = report["functions"]
    tasks = json.loads(run_cupping(cupping, "tasks", profile, "--json", "-"))["tasks"]
    check_reads(functions, tasks, expected)
    check_branches(report)
    check_amounts(functions, expected)
    check_sums(functions)
    check_exports(functions, cupping, profile)
    return finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
