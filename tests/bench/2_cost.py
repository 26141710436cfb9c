"""The cost that the library adds to the demo job: worker CPU seconds, wall seconds, memory, log.

The same job with and without, by turns, nanny on both sides (it sets MALLOC_TRIM_THRESHOLD_). CPU is
user + system of the worker with its nanny, up to the end of the process. The measured
difference is compared with the computed one: counted calls, times what 1_calls.py measures.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
PAIRS = int(os.environ.get("BENCH_PAIRS", "10"))
EVENTS = os.environ.get("BENCH_EVENTS", "600000")


def job(where: Path, profile: Path | None) -> dict:
    result = where / "job.json"
    command = [sys.executable, TOP / "tests/workloads/cluster.py", "--events", EVENTS, "--no-report",
               "--json", result, "--logs", where / "logs"]
    command += ["-o", profile] if profile else ["--no-profile"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return json.loads(result.read_text())


def report(profile: Path) -> dict:
    out = subprocess.run([TOP / "build/cupping", "report", profile, "--json", "-"],
                         check=True, capture_output=True, text=True).stdout
    return json.loads(out)


def tasks(profile: Path) -> list:
    out = subprocess.run([TOP / "build/cupping", "tasks", profile, "--json", "-"],
                         check=True, capture_output=True, text=True).stdout
    return json.loads(out)["tasks"]


def show(name: str, off: list, on: list) -> None:
    ratios = sorted(b / a for a, b in zip(off, on))
    floor = sorted(a / b for a, b in zip(off, off[1:] + off[:1]))
    print(f"{name:24s} min {min(on) / min(off):.4f}  median {statistics.median(on) / statistics.median(off):.4f}"
          f"  pairs {ratios[0]:.3f} to {ratios[-1]:.3f}"
          f"  noise floor {floor[0]:.3f} to {floor[-1]:.3f}  (without: {statistics.median(off):.2f} s)")


def computed_s(rows: list) -> tuple[float, str]:
    """By the limits of 1_calls.py, which are above what is measured."""
    reads = sum((row["read_calls"] or 0) + (row["write_calls"] or 0) for row in rows)
    allocations = sum(row["alloc_calls"] or 0 for row in rows)
    cost = reads * 310e-9 + allocations * 8e-9 + len(rows) * 10e-6
    return cost, f"{len(rows)} tasks x 10 us, {allocations} allocations x 8 ns, {reads} transfers x 310 ns"


def main() -> None:
    off, on = [], []
    with tempfile.TemporaryDirectory(prefix="cupping-bench-") as directory:
        where = Path(directory)
        for number in range(PAIRS):
            profile = where / f"profile-{number}"
            sides = [(off, None), (on, profile)]
            for series, target in sides if number % 2 == 0 else reversed(sides):
                series.append(job(where, target))
            print(f"pair {number + 1} of {PAIRS}: {off[-1]['worker_cpu_s']:.2f} s without, "
                  f"{on[-1]['worker_cpu_s']:.2f} s with", flush=True)
        rows = tasks(profile)
        summary = report(profile)
        logs = list(profile.glob("*.cup"))
        assert sum(row["read_bytes"] for row in rows) > 0 and rows, "the tool was not on"
        print(f"\nthe tool was on: {len(rows)} tasks, {sum(row['read_bytes'] for row in rows)} bytes read")
    show("worker CPU", [r["worker_cpu_s"] for r in off], [r["worker_cpu_s"] for r in on])
    show("analysis wall", [r["coffea"]["wall"] for r in off], [r["coffea"]["wall"] for r in on])
    cost, how = computed_s(rows)
    base = statistics.median(r["worker_cpu_s"] for r in off)
    print(f"computed: {cost:.4f} s = {100 * cost / base:.3f} % of worker CPU ({how})")
    print(f"health.anchor_ns: {summary['health'].get('anchor_ns', 0) / 1e9:.4f} s in task begins and ends")
    print(f"logs: {len(logs)} files")


if __name__ == "__main__":
    main()
