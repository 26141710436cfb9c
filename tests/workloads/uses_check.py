"""Compares the tasks of uses_job.py in the logs, by line and function, with what they really did.

    uses_check.py DIRECTORY KIND CUPPING    KIND: "lines", "alloc" or "cpu"

Exit status 1, and a line for each thing that is wrong.
"""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import raw_log
from checks import expect, finish

JOB = Path(__file__).with_name("uses_job.py")
TEXT = JOB.read_text().splitlines()
ROOM = {"alloc": 0.09, "cpu": 0.02}  # of all; alloc: four standard deviations of samples of 1.5 MiB
ASLEEP_NS = 0.45e9  # three sleeps, of which up to a tenth is missing, as the sampler's period grows meanwhile
ASLEEP_ROOM = 2.7  # periods: three standard deviations of the sum, each sleep being known to within one or so


def label(line):
    """What the comment at its end says."""
    return TEXT[line - 1].rpartition("  # ")[2] if line and "  # " in TEXT[line - 1] else f"line {line}"


def own_frames(log, node):
    """Those of the job's own functions, innermost first: (function, label of the line)."""
    return [(name, label(log.line(code, at))) for name, code, at in log.frames(node)
            if code and log.codes[code]["file"].endswith(JOB.name)]


def by_own(uses, log, key, use, what):
    """{what of the outermost, or any, own frame: (bytes, ns)} of a task."""
    bytes_of, ns_of = Counter(), Counter()
    for task, node, name, _, amount, ns in uses:
        if name != use or log.tasks.get(task) != key:
            continue
        for each in what(own_frames(log, node)):
            bytes_of[each] += amount
            ns_of[each] += ns
    return bytes_of, ns_of


def outermost_line(frames):
    return [frames[-1][1]] if frames else ["none"]


def functions(frames):
    return {name.split(".")[-1] for name, _ in frames}


def check_lines(log, key, reported, row):
    found, _ = by_own(log.uses, log, key, "read", outermost_line)
    print(key, row["read_bytes"], dict(found))
    expect(sum(found.values()) == row["read_bytes"], key, "read", row["read_bytes"], "by line", dict(found))
    expect(set(found) <= {"open", *" or ".join(reported).split(" or ")}, key, "read by", set(found))
    for names, least in reported.items():
        amount = sum(found[name] for name in names.split(" or "))
        expect(least <= amount, key, names, "read", amount, "not", least)


def check_alloc(log, key, reported, row):
    found, _ = by_own(log.uses, log, key, "alloc", functions)
    print(key, row["alloc_bytes"], dict(found))
    for name, amount in reported.items():
        room = ROOM["alloc"] * sum(reported.values())
        expect(abs(found[name] - amount) < room, key, name, found[name], "not", amount)


def period_ns(log, key, function):
    """Wall time that a sample of FUNCTION itself stands for, off the CPU, on average."""
    found = [(times, ns) for task, node, use, times, _, ns in log.uses
             if use == "off_cpu" and log.tasks.get(task) == key
             and own_frames(log, node)[:1] and own_frames(log, node)[0][0].split(".")[-1] == function]
    return sum(ns for _, ns in found) / max(1, sum(times for times, _ in found))


def check_cpu(log, key, reported, row):
    _, found = by_own(log.uses, log, key, "cpu", functions)
    _, waits = by_own(log.uses, log, key, "off_cpu", functions)
    whole = sum(found[name] for name in reported)
    print(key, row["cpu_s"], {k: v / 1e9 for k, v in found.items()}, {k: v / 1e9 for k, v in waits.items()})
    for name, share in reported.items():
        expect(abs(found[name] / whole - share) < ROOM["cpu"], key, name, found[name] / whole, "not", share)
    expect(0.9 < whole / 3e9 < 1.1, key, "CPU", whole)
    least = 0.9 * ASLEEP_NS - ASLEEP_ROOM * period_ns(log, key, "computes")
    expect(waits["computes"] > least, key, "asleep", waits["computes"], "not", least)


CHECKS = {"lines": check_lines, "alloc": check_alloc, "cpu": check_cpu}


def main(directory, kind, cupping):
    profile = Path(directory) / "profile"
    reported = subprocess.run([cupping, "tasks", profile, "--json", "-"], capture_output=True, check=True)
    rows = {row["key"]: row for row in json.loads(reported.stdout)["tasks"]}
    expected = json.loads((Path(directory) / "expected.json").read_text())
    logs = [log for log in map(raw_log.Log, profile.glob("*.cup")) if log.tasks]
    keys = [key for key, what in expected.items() if kind in what]
    expect(keys, "nothing to check")
    for key in keys:
        with_key = [log for log in logs if key in log.tasks.values()]
        expect(len(with_key) == 1, key, "is in", len(with_key), "logs")
        for log in with_key:
            CHECKS[kind](log, key, expected[key][kind], rows[key])
    for log in logs:
        print({name: value for name, value in log.health.items() if "stack" in name or "cpu_s" in name}, log.notes)
        expect(log.health["stacks_dropped"] == 0, "dropped:", log.health["stacks_dropped"])
    return finish()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
