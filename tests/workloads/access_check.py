"""Compares the access extents in a profile's logs with what access_job.py's tasks did.

    access_check.py CUPPING PROFILE [EXPECTED.JSON]

Says what differs, a line each; then how many tasks and files it compared. Without what to expect, only
the bytes of each file: those of the extents against those that the report has from other counters."""

import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOM, GAP = 16, 32768


def values_of(line):
    return dict(re.findall(r'(\w+)=("[^"]*"|\S+)', line))


def read_log(cupping, log):
    """Keys and paths, and the access extents of both; without sets that are in an ACCESS record."""
    dump = subprocess.run([cupping, "dump", log], capture_output=True, text=True, check=True).stdout
    strings, files, keys, times = {}, {}, {}, {}
    extents, sets, reported, into = defaultdict(list), [], set(), None
    for line in dump.splitlines():
        words = line.split(maxsplit=3)
        if len(words) < 4:
            continue
        kind, values = words[2], values_of(line)
        if kind == "STRING":
            strings[values["id"]] = values["text"].strip('"')
        elif kind == "FILE":
            files[values["id"]] = strings[values["path"].strip("#")]
        elif kind == "TASK_BEGIN":
            keys[values["task"]] = values["key"].strip('"')
            times[values["task"]] = values["start"]
        elif kind == "ACCESS":
            reported.add((values["set"], values["sequence"]))
            into = extents[values["task"], values["file"]]
        elif kind == "EXTENTS":
            into = []
            sets.append((values, into))
        elif kind == "EXTENT":
            low, high = map(int, values["offset"].split("-"))
            into.append({"low": low, "high": high, "start": values["start"],
                         **{name: int(values[name]) for name in ("ns", "bytes", "calls", "jumps")}})
    for values, found in sets:
        if (values["set"], values["sequence"]) not in reported:
            extents[values["task"], values["file"]] += found
    return [(keys.get(task, ""), files.get(file, ""), sorted(found, key=lambda one: one["start"]),
             times.get(task, ""))
            for (task, file), found in extents.items() if found]


def bytes_read(cupping, profile):
    """By file, as the report has it from other counters."""
    report = subprocess.run([cupping, "report", profile, "--json", "-"], capture_output=True, check=True)
    return {row["file"]: row["read_bytes"] for row in json.loads(report.stdout)["files"]["rows"]
            if row["class"] == "data" and row["read_bytes"]}


def joined(reads):
    """As the library joins reads that go on, before there are too many."""
    extents = []
    for low, high, size, calls in reads:
        last = extents[-1] if extents else None
        if last and 0 <= low - last[1] <= GAP:
            last[1], last[2], last[3] = high, last[2] + size, last[3] + calls
        elif last and last[:2] == [low, high]:
            last[2], last[3] = last[2] + size, last[3] + calls
        else:
            extents.append([low, high, size, calls])
    return extents


def seen(found):
    return [[one["low"], one["high"], one["bytes"], one["calls"]] for one in found]


def covers(found, low, high):
    for one in sorted(found, key=lambda one: one["low"]):
        if one["low"] <= low < one["high"]:
            low = one["high"]
    return low >= high


def differs(key, reads, found):
    """Why; None if it is as it was done."""
    if any(calls is None for *_, calls in reads):
        lost = [(low, high) for low, high, *_ in reads if not covers(found, low, high)]
        return f"no record says that {lost} was read" if lost else None
    want = joined(reads)
    if key == "threads":  # whoever was first
        return None if sorted(want) == sorted(seen(found)) else f"{seen(found)} is not {want}"
    if len(want) <= ROOM:
        return None if want == seen(found) else f"{seen(found)} is not {want}"
    if len(found) > ROOM:
        return f"{len(found)} extents"
    for part, name in ((2, "bytes"), (3, "calls")):
        if sum(read[part] for read in reads) != sum(one[name] for one in found):
            return f"{name} were lost"
    lost = [read for read in reads if not any(one["low"] <= read[0] and read[1] <= one["high"] for one in found)]
    return f"{lost} is in no stroke" if lost else None


def main():
    cupping, profile = sys.argv[1:3]
    expected, compared = json.loads(Path(sys.argv[3]).read_text()) if sys.argv[3:] else {}, 0
    everything = [row for log in sorted(Path(profile).glob("*.cup")) for row in read_log(cupping, log)]
    for key, paths in expected.items():
        for path, reads in paths.items():
            rows = [row for row in everything if row[0] == key and row[1] == path]
            found = sorted((one for row in rows for one in row[2]), key=lambda one: one["start"])
            why = differs(key, reads, found)
            if why:
                print(f"{key}: {why}")
            if any(one["start"] < row[3] for row in rows for one in row[2]):
                print(f"{key}: a read before the task began")
            compared += 1
    files = bytes_read(cupping, profile)
    for path, read in files.items():
        reported = sum(one["bytes"] for row in everything if row[1] == path for one in row[2])
        if reported != read:
            print(f"{path}: extents of {reported} of {read} bytes")
    print(f"{compared} tasks, {len(files)} files")


if __name__ == "__main__":
    main()
