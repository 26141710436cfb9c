"""What the library costs a worker, as shares of its CPU time, and what other tools cost it.

    2_cost.py [JOB ...]        some of the jobs of JOBS; none: all of them (`make cost`)

Three tables:

1. Shares. The job runs under cupping-run and `perf record` (the kernel's clock of CPU time). Each sample of the worker
   that was taken in the library, in libunwind, in a thread of the library, or in libc or the kernel below a call that
   the library made on its own, is its cost. For this the library is built with frame pointers (`make cost` does it).
   Other work on the machine does not change a share, so this measure sees 0.1 % where comparing runs sees a few per
   cent. What a job pays beyond it (caches that the library displaced, locks that were held for longer) is not in it.
   The job without the library must show none: the row "without". 13_turns.py measures the same by another way: as the
   CPU time of clusters with and without the library.
2. With and without, by turns, the order changing: CPU, system time, switches between threads, page faults, wall.
3. Other tools on the demo, by turns with nothing: wall and CPU, and that each of them recorded something.

The job "steady state" goes on for COST_STEADY seconds (default 600), of which only the last fifth is sampled: what a
worker pays that has run for long. COST_PAIRS: pairs of tables 2 and 3 (default 5; 0: table 1 only). COST_EVENTS: of
the demo.
"""

import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
PAIRS = int(os.environ.get("COST_PAIRS", "5"))
EVENTS = os.environ.get("COST_EVENTS", "600000")
STEADY_S = float(os.environ.setdefault("COST_STEADY", "600"))
HERTZ = 1999  # no divisor of the timer's rate
NEAR = 4  # frames: further out, a chain of frame pointers has most likely been broken by code without them

# The demo, and jobs of tests/workloads/cost_job.py: (name, the share that is asked for, in per cent).
JOBS = {"demo": 1.0, "no-op tasks": 2.0, "small allocations": 1.0, "preads of 4 KiB": 5.0, "thread pool": 1.0,
        "XRootD": 1.0, "steady state": 1.0}

# Other tools: (name, command before `dask worker`, the file that it writes). "{}" is a directory. Those without a
# command are Python code of the analysis (tests/workloads/rival_demo.py).
RIVALS = {
    "cupping": None,
    "memray": ("memray run -q -f -o {}/out.bin", "out.bin"),
    "memray --native": ("memray run -q -f --native -o {}/out.bin", "out.bin"),
    "heaptrack": (f"heaptrack -o {{}}/out {sys.executable}", "out.zst"),
    "py-spy 100 Hz": ("py-spy record -r 100 -f raw -o {}/out.txt --", "out.txt"),
    "py-spy --native": ("py-spy record -r 100 -f raw -n -o {}/out.txt --", "out.txt"),
    "scalene": ("scalene run -o {}/out.json", "out.json"),
    "strace -c": ("strace -c -f -o {}/out.txt", "out.txt"),
    "performance_report": ("", "out.html"),
    "decorator": ("", "out.json"),
}


def wrapper_of(library: Path, where: Path) -> Path:
    """A copy of cupping-run that preloads LIBRARY."""
    for folder in ("wrappers", "build"):
        (where / folder).mkdir(exist_ok=True)
    shutil.copy(library, where / "build/libcupping.so")
    return Path(shutil.copy(TOP / "wrappers/cupping-run", where / "wrappers"))


def run_job(name: str, where: Path, profile: Path | None = None, perf: Path | None = None, under: str = "",
            program: tuple = (), wrapper: Path | None = None) -> dict:
    result = where / "job.json"
    command = [sys.executable, TOP / "tests/workloads/cluster.py", "--no-report", "--json", result,
               "--logs", where / "logs", "--timeout", int(900 + 2 * STEADY_S)]
    command += ["-o", profile] if profile else ["--no-profile"]
    command += ["--no-nanny", "--under", under] if under else []
    command += ["--cupping-run", wrapper] if wrapper else []
    if program:
        command += ["--program", *program]
    else:
        command += ["--events", EVENTS] if name == "demo" else ["--program", TOP / "tests/workloads/cost_job.py", name]
    if perf:
        delay = ["-D", str(int(800 * STEADY_S))] * (name == "steady state")
        command = ["perf", "record", "-q", "-F", str(HERTZ), "-e", "cpu-clock", "-g", *delay, "-o", perf, "--", *command]
    subprocess.run([str(part) for part in command], check=True, stdout=subprocess.DEVNULL)
    return json.loads(result.read_text())


def cupping(verb: str, profile: Path) -> dict:
    return json.loads(subprocess.run([TOP / "build/cupping", verb, profile, "--json", "-"],
                                     check=True, capture_output=True, text=True).stdout)


# ---- 1. shares -----------------------------------------------------------------------------------------------------


def read_samples(perf: Path):
    """(thread's name, pid, [(function, file)]) of each sample, innermost function first."""
    text = subprocess.run(["perf", "script", "-i", perf, "-F", "comm,pid,tid,ip,sym,dso"],
                          capture_output=True, text=True, check=True, errors="replace").stdout
    for sample in text.split("\n\n"):
        head, *frames = sample.strip("\n").split("\n")
        found = re.match(r"\s*(.*?)\s+(\d+)/\d+", head)
        if found:
            yield found[1], int(found[2]), [re.match(r"\s*[0-9a-f]+ (.*) \((.*)\)$", frame).groups() for frame in frames]


def hooks_of(library: Path) -> set:
    text = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in text.splitlines()}


def classify(thread: str, frames: list, hooks: set) -> str:
    """Which part of the library took the sample; "": none. Where a hook itself is the library's innermost function, and
    not the innermost one of all, it has called the real function, which is the program's own cost."""
    user = [frame for frame in frames if "[kernel" not in frame[1]]
    if thread.startswith("cupping"):
        return "threads"
    inner = next((i for i, (_, file) in enumerate(user[:NEAR]) if "libcupping" in file), None)
    unwinds = bool(user) and "libunwind" in user[0][1]
    if not unwinds and (inner is None or (inner and user[inner][0].split("+")[0] in hooks)):
        return ""
    return "kernel" if len(user) < len(frames) else "libunwind" if unwinds else "own"


def count_shares(perf: Path, pids: set, hooks: set) -> tuple[Counter, int]:
    found = Counter(classify(thread, frames, hooks) for thread, pid, frames in read_samples(perf) if pid in pids)
    return found, sum(found.values())


def busiest(perf: Path) -> set:
    return {Counter(pid for _, pid, _ in read_samples(perf)).most_common(1)[0][0]}


def show_shares(name: str, found: Counter, samples: int, limit: float | None) -> None:
    share = sum(count for part, count in found.items() if part) / samples
    error = math.sqrt(share * (1 - share) / samples)
    parts = "".join(f"{100 * found[part] / samples:11.2f}" for part in ("own", "libunwind", "threads", "kernel"))
    asked = "" if limit is None else f"{limit:7.1f}{'' if 100 * share <= limit else '  over'}"
    print(f"{name:28s}{samples / HERTZ:8.1f}{parts}{100 * share:9.2f} +- {100 * error:4.2f}{asked}",
          flush=True)


def measure_shares(names: list, where: Path) -> None:
    print("Shares of the worker's CPU time, in per cent (with the standard error of the sum)\n"
          f"{'job':28s}{'CPU s':>8s}{'own code':>11s}{'libunwind':>11s}{'threads':>11s}{'kernel':>11s}{'sum':>9s}"
          f"{'':8s}{'asked':>7s}")
    perf = where / "perf.data"
    library = TOP / "build/frames/libcupping.so"
    wrapper, hooks = wrapper_of(library, where), hooks_of(library)
    for name in names:
        profile = where / "profile"
        run_job(name, where, profile, perf, wrapper=wrapper)
        pids = {task["pid"] for task in cupping("tasks", profile)["tasks"]}
        found, samples = count_shares(perf, pids, hooks)
        assert found["own"], "the tool was not on"
        show_shares(name, found, samples, JOBS[name])
        shutil.rmtree(profile)
        run_job(name, where, None, perf)
        show_shares("  without", *count_shares(perf, busiest(perf), hooks), None)


# ---- 2. and 3. pairs -----------------------------------------------------------------------------------------------

MEASURED = {"CPU s": "worker_cpu_s", "system s": "worker_system_s", "switches": "worker_switches",
            "page faults": "worker_faults", "wall s": "wall_s"}


def show_ratio(name: str, without: list, other: list) -> None:
    ratios = sorted(b / a for a, b in zip(without, other))
    floor = sorted(a / b for a, b in zip(without, without[1:] + without[:1]))
    print(f"  {name:18s} minima {min(other) / min(without):.3f}  medians "
          f"{statistics.median(other) / statistics.median(without):.3f}  pairs {ratios[0]:.3f} to {ratios[-1]:.3f}"
          f"  noise {floor[0]:.3f} to {floor[-1]:.3f}  (without: {statistics.median(without):.6g})", flush=True)


def measure_pairs(name: str, where: Path) -> None:
    sides = {False: [], True: []}
    for pair in range(PAIRS):
        for on in (pair % 2 == 1, pair % 2 == 0):
            profile = where / "profile"
            sides[on].append(run_job(name, where, profile if on else None))
            shutil.rmtree(profile, ignore_errors=True)
    print(f"{name}: with against without, {PAIRS} pairs, load {os.getloadavg()[0]:.1f}")
    for shown, field in MEASURED.items():
        show_ratio(shown, *([run[field] for run in sides[on]] for on in (False, True)))


def run_rival(name: str, where: Path) -> dict:
    out = where / "rival"
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    if RIVALS[name] is None:
        return run_job("demo", where, out / "profile", under="env")
    command, file = RIVALS[name]
    if command:
        run = run_job("demo", where, under=command.format(out))
    else:
        files = TOP / f"build/demo-data/ttree-{EVENTS}/files.json"
        run = run_job("demo", where, under="env", program=(TOP / "tests/workloads/rival_demo.py", name, out / file, files))
    assert (out / file).stat().st_size > 1000, f"{name} recorded nothing: {out / file}"
    return run


def is_there(name: str) -> bool:
    if name == "performance_report":
        return (TOP / "build/rivals/bokeh").is_dir()
    command = (RIVALS[name] or [""])[0]
    return not command or shutil.which(command.split()[0]) is not None


def measure_rivals(where: Path) -> None:
    there = list(filter(is_there, RIVALS))
    print(f"Other tools around the demo's worker, without a nanny, {PAIRS} pairs. "
          f"Not installed: {', '.join(sorted(set(RIVALS) - set(there))) or 'none'}")
    without, runs = [], {name: [] for name in there}
    for _ in range(PAIRS):
        without.append(run_job("demo", where, under="env"))
        for name in there:
            runs[name].append(run_rival(name, where))
    for name in there:
        print(name)
        for shown, field in {"wall s": "wall_s", "CPU s": "worker_cpu_until_job_end_s"}.items():
            show_ratio(shown, *([run[field] for run in many] for many in (without, runs[name])))


def main() -> None:
    names = sys.argv[1:] or list(JOBS)
    if not shutil.which("perf"):
        sys.exit("2_cost.py: perf is not installed: apt-get install linux-perf")
    os.environ["PATH"] = f"{TOP}/build/rivals/bin:{os.environ['PATH']}"
    os.environ["PYTHONPATH"] = f"{TOP}/build/rivals"
    with tempfile.TemporaryDirectory(prefix="cupping-cost-") as directory:
        measure_shares(names, Path(directory))
        for name in names if PAIRS else []:
            if name != "steady state":  # its tasks sleep, so the wall time is fixed, and five pairs take two hours
                measure_pairs(name, Path(directory))
        if PAIRS and "demo" in names:
            measure_rivals(Path(directory))


if __name__ == "__main__":
    main()
