"""What the log of native_job.py has of native frames, against what its functions are known to do. Symbols by nm.

    native_check.py LOGS [b]       b: plugin_a was not used before it was unloaded
"""

import bisect
import subprocess
import sys
from pathlib import Path

from raw_log import NATIVE, Log

CALL = ["call", "native_calls_back"]
OWN = "libnative.so", "libthrows.so", "libplugin_a.so", "libplugin_b.so"


class Symbols:
    """Names of functions in a library: (start, end, name)."""

    def __init__(self, path):
        out = subprocess.run(["nm", "-S", "--defined-only", path], capture_output=True, text=True, check=True).stdout
        rows = [line.split() for line in out.splitlines()]
        self.rows = sorted((int(row[0], 16), int(row[0], 16) + int(row[1], 16), row[3])
                           for row in rows if len(row) == 4 and row[2] in "tTwW")

    def name(self, offset):
        start, end, name = self.rows[bisect.bisect_right(self.rows, (offset, 1 << 64, "")) - 1]
        assert start <= offset < end, (hex(offset), name)
        return name.split(".")[0]  # of clones, too


def build_id(path):
    out = subprocess.run(["readelf", "-n", path], capture_output=True, text=True, check=True).stdout
    return next(line.split()[-1] for line in out.splitlines() if "Build ID" in line)


def names_of(log, node, symbols):
    """Innermost first: functions of ours and of Python by name, others as [library]."""
    while node:
        node, of, at = log.nodes[node]
        if of in log.codes:
            yield log.codes[of]["name"]
        elif of > NATIVE:
            path = log.modules[of - NATIVE][0]
            library = Path(path).name
            if library in OWN and path not in symbols:
                assert log.modules[of - NATIVE][1] == build_id(path)
                symbols[path] = Symbols(path)
            yield symbols[path].name(at) if library in OWN else f"[{library}]"


def here(name):
    """Names of functions as this Python has them."""
    return name if sys.version_info >= (3, 11) else name.split(".")[-1]


def known(names):
    return [name for name in names if name[0] != "["]


def stacks(log, task, use, least):
    """Of uses of at least so many bytes in all: the most of them first."""
    rows = {}
    for number, node, what, _count, amount, _ns in log.uses:
        if log.tasks.get(number) == task and what == use:
            rows[node] = rows.get(node, 0) + amount
    symbols = {}
    found = [list(names_of(log, node, symbols)) for node, amount in sorted(rows.items(), key=lambda r: -r[1])
             if amount >= least]
    assert found, (task, use, rows)
    return found


def expect(log, task, use, least, names):
    for found in stacks(log, task, use, least):
        assert known(found)[:len(names)] == names, (task, found)
    return found


def interpreter_between(found, inner, outer):
    """Between two Python functions none of the interpreter's own is reported."""
    between = found[found.index(inner) + 1:found.index(outer)]
    assert not any("python3" in name and "_ctypes" not in name for name in between), between


def main():
    log = Log(next(Path(sys.argv[1]).glob("*.cup")))
    large, whole = 8 << 20, 4 << 20
    assert not log.health["native_apart"], log.health
    expect(log, "reads", "read", whole, ["read_all", "native_reads", "reads"])
    expect(log, "allocates", "alloc", large, ["take_some", "native_allocates", "allocates"])
    found = expect(log, "calls_back", "alloc", large,
                   ["take_some", "native_allocates", here("calls_back.<locals>.back"), *CALL, "calls_back"])
    expect(log, "calls_back_twice", "read", whole,
           ["read_all", "native_reads", *(here("calls_back_twice.<locals>.inner"), *CALL,
                                          here("calls_back_twice.<locals>.outer"), *CALL)])
    found = expect(log, "sorts", "alloc", large, [here("sorts.<locals>.key"), "sorts"])
    interpreter_between(found, here("sorts.<locals>.key"), "sorts")
    assert found[0][0] == "[", "what allocates is reported"
    expect(log, "unpacks", "alloc", 1 << 20, [])
    drop = "_ZN7kitchenL4dropElPl"
    expect(log, "throws", "alloc", large, ["_ZN7kitchen5serveIdEEPT_m", *[drop] * 6, "throws", "throws"])
    if sys.argv[2:] == ["b"]:
        expect(log, "plugin_b", "alloc", large, ["plugin_b"])
        assert not log.health["native_missed"]
    else:
        expect(log, "plugin_a", "alloc", large, ["plugin_a"])
        expect(log, "plugin_b", "alloc", large, [here("plugin.<locals>.<lambda>")])
        assert log.health["native_missed"] and any("unloaded" in note for note in log.notes), log.notes
    print(len(log.modules), "modules,", sum(node[1] >= NATIVE for node in log.nodes.values()), "native nodes")


if __name__ == "__main__":
    main()
