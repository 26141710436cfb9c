"""The cost of Python stacks in the demo job, as a share of the workers' CPU seconds: the CPU sampler and the stacks of allocations together
should take 2 % at most.

Directly: the CPU time of the sampler's own thread, which the log holds (cpu_sampler_ns), and stacks of allocations,
counted, times what one takes at most. And by comparison: the same job with all stacks (CUPPING_STACKS=0 is the other
side, which has neither these nor those of reads and waits), by turns, worker CPU from the kernel. Pairs that
ran at the same time as other work differ by more than that: the noise floor says by how much jobs of one side differ.
"""

import os
import runpy
import statistics
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
PAIRS = int(os.environ.get("BENCH_PAIRS", "8"))
STACK_NS = 1000  # 8_stacks.py: 150 for one that was met before, at depth 40; and its sum, and the log's part
NEW_NS = 20000  # of a stack with new frames
LIMIT = 0.02

sys.path.insert(0, str(TOP / "tests/workloads"))
import raw_log  # noqa: E402

bench = runpy.run_path(str(TOP / "tests/bench/2_cost.py"))


def job(where, profile, stacks):
    os.environ["CUPPING_STACKS"] = "1" if stacks else "0"
    return bench["run_job"]("demo", where, profile)["worker_cpu_s"]


def direct(profile):
    """(sampler, stacks of allocations) in seconds, of the logs with tasks."""
    sampler = allocations = 0.0
    for log in map(raw_log.Log, profile.glob("*.cup")):
        if not log.tasks:
            continue
        samples = sum(use[3] for use in log.uses if use[2] == "alloc")
        new = sum(1 for _ in {use[1] for use in log.uses if use[2] == "alloc"})
        sampler += log.health["cpu_sampler_ns"] / 1e9
        allocations += (samples * STACK_NS + new * NEW_NS) / 1e9
        print(f"  {log.health['cpu_samples']} samples of the CPU, {log.health['cpu_samples_torn']} torn, in "
              f"{log.health['cpu_sampler_ns'] / 1e6:.1f} ms of the sampler's CPU; {samples} stacks of allocations, "
              f"{new} different ones")
    return sampler, allocations


def main():
    off, on, shares = [], [], []
    with tempfile.TemporaryDirectory(prefix="cupping-bench-") as directory:
        where = Path(directory)
        for number in range(PAIRS):
            with_stacks, without = where / f"on-{number}", where / f"off-{number}"
            sides = [(off, without, False), (on, with_stacks, True)]
            for series, profile, stacks in sides if number % 2 == 0 else reversed(sides):
                series.append(job(where, profile, stacks))
            print(f"pair {number + 1} of {PAIRS}: {off[-1]:.2f} s without, {on[-1]:.2f} s with stacks; "
                  f"load {os.getloadavg()[0]:.1f}", flush=True)
            sampler, allocations = direct(with_stacks)
            shares.append((sampler / on[-1], allocations / on[-1]))
    bench["show"]("worker CPU", off, on)
    total = sorted(sum(share) for share in shares)
    print(f"directly: sampler {100 * statistics.median(s for s, _ in shares):.2f} %, allocations "
          f"{100 * statistics.median(a for _, a in shares):.2f} % of worker CPU; together "
          f"{100 * total[0]:.2f} to {100 * total[-1]:.2f} %, median {100 * statistics.median(total):.2f} %"
          f"{'' if statistics.median(total) <= LIMIT else '  over'}")


if __name__ == "__main__":
    main()
