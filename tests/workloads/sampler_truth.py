"""A task that does nothing but call functions of a few bytecodes, sampled: half(), third() and fifth() take 50,
30 and 20 % of its CPU time, and what they call is theirs alone, so that each stack can be distinguished from one
that never was.

    sampler_truth.py SECONDS     then, without the library: sampler_truth.py --check DIRECTORY

The shares that were really used are printed, and stand in DIRECTORY/shares.json ($CUPPING_DIR).
"""

import json
import os
import sys
import time
from collections import Counter
from pathlib import Path

ROOM = 0.02  # of the shares, besides what so many samples chosen at random may be off
CALLS = 200  # between two looks at the clock: some 20 us


def half_one(i):
    return i + 1


def half_two(i):
    return half_deep(i) - 1


def half_deep(i):
    return i * 2


def half(until):
    while time.thread_time() < until:
        for i in range(CALLS // 4):
            half_one(i)
            half_two(i)


def third_one(depth):
    return third_one(depth - 1) if depth else 1


def third_items(count):
    for i in range(count):
        yield third_item(i)


def third_item(i):
    return i


def third(until):
    while time.thread_time() < until:
        third_one(CALLS // 8)
        for _ in third_items(CALLS // 8):
            pass


class Fifth:
    def __init__(self, fifth_value):
        self.fifth_value = fifth_value

    @property
    def fifth_property(self):
        return self.fifth_value

    def __lt__(self, other):
        return self.fifth_value < other.fifth_value


def fifth_key(item):
    return item.fifth_property


def fifth(until):
    while time.thread_time() < until:
        items = [Fifth(i) for i in range(CALLS // 8)]
        sorted(items, key=fifth_key)
        max(items)


def whole(seconds):
    used, until = Counter(), time.thread_time() + seconds
    while time.thread_time() < until:
        for function, share in ((half, 5), (third, 3), (fifth, 2)):
            begin = time.thread_time()
            function(begin + share / 1000)
            used[function.__name__] += time.thread_time() - begin
    return {name: each / sum(used.values()) for name, each in used.items()}


# What each function is called by; a comprehension has a frame of its own before 3.12.
CALLERS = {
    "half_one": {"half"}, "half_two": {"half"}, "half_deep": {"half_two"},
    "third_one": {"third", "third_one"}, "third_items": {"third"}, "third_item": {"third_items"},
    "__init__": {"fifth", "<listcomp>"}, "<listcomp>": {"fifth"}, "fifth_key": {"fifth"},
    "fifth_property": {"fifth_key"}, "__lt__": {"fifth"},
    "half": {"whole"}, "third": {"whole"}, "fifth": {"whole"}, "whole": {"<lambda>"},
}


def names_of(log, node):
    """Innermost first, of this file; None: an unknown frame."""
    return [name and name.split(".")[-1] for name, code, _ in log.frames(node)
            if not code or log.codes[code]["file"].endswith("sampler_truth.py")]


def never_was(names):
    known = [name for name in names if name]
    return any(caller not in CALLERS[name] for name, caller in zip(known, known[1:]) if name in CALLERS)


def check_times(log, begun, ended):
    """What is kept with its time: at most ten a second, in order, at places where the thread was."""
    rows = [row for row in log.rows if log.tasks.get(row[3]) == "whole"]
    samples = sum(row[6] for row in rows)
    print(f"{samples} samples with their times, {sum(row[6] for row in rows if row[5])} on a core")
    assert 1 < samples < 10 * (ended - begun) / 1e9 + 3 and log.health["cpu_samples_dropped"] == 0
    assert all(begun - 1e9 < start <= stop < ended + 1e9 for _, start, stop, *_ in rows), rows
    assert all(a[2] <= b[1] for a, b in zip(rows, rows[1:])), rows  # of one thread
    assert not any(never_was(names_of(log, row[4])) for row in rows)
    assert any({"half", "third", "fifth"} & set(names_of(log, row[4])) for row in rows)


def check(directory):
    import raw_log

    reported = json.loads((Path(directory) / "shares.json").read_text())
    shares = reported["shares"]
    by_name, wrong, innermost, count, unknown, squares = Counter(), Counter(), Counter(), 0, 0, 0
    for log in map(raw_log.Log, Path(directory).glob("*.cup")):
        if "whole" in log.tasks.values():
            check_times(log, reported["begun"], reported["ended"])
        for task, node, use, times, _, ns in log.uses:
            if use != "cpu" or log.tasks.get(task) != "whole":
                continue
            names = names_of(log, node)
            count += times
            squares += ns * ns / max(times, 1)
            unknown += ns * (not names or names[0] is None)
            by_name.update({name: ns for name in set(names)})
            innermost[names[0] if names else None] += ns
            if never_was(names):
                wrong[" < ".join(map(str, names[:6]))] += times
    total = sum(innermost.values())
    found = {name: by_name[name] / total for name in shares}
    print(f"{count} samples, {sum(wrong.values())} never were, not known {100 * unknown / total:.2f} %;",
          {name: f"{share:.3f} of {shares[name]:.3f}" for name, share in found.items()})
    print({str(name): round(ns / total, 3) for name, ns in innermost.most_common(16)}, wrong.most_common(4))
    assert count > 50 and not wrong
    # Where the machine has no core left, samples stand for unequal times, so they are worth fewer equal ones.
    equal = total**2 / squares
    for name, share in shares.items():
        room = ROOM + 2.5 * (share * (1 - share) / equal) ** 0.5
        assert abs(found[name] - share) < room, (name, found[name], share, room, equal)
    assert unknown < 0.05 * total


def main(seconds):
    import run_task

    run_task.run("first", int)
    begun = time.time_ns()
    shares = run_task.run("whole", lambda: whole(seconds))
    reported = {"shares": shares, "begun": begun, "ended": time.time_ns()}
    (Path(os.environ["CUPPING_DIR"]) / "shares.json").write_text(json.dumps(reported))
    print(shares)


if __name__ == "__main__":
    check(sys.argv[2]) if sys.argv[1] == "--check" else main(float(sys.argv[1]))
