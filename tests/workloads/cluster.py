"""Run the demo's analysis on a real Dask cluster under cupping-run, then report.

Starts `dask scheduler` and `dask worker` (each in a session of its own), runs demo.py against them,
stops them in good order and prints `cupping report`. `make demo` calls it without options; tests
and benchmarks choose events, threads, interpreter, or no profile at all for an A/B comparison.

Whatever ends it, signals included, no process stays behind: signals only set a flag, so none
arrives between the start of a process and its entry in the list; and this process is the reaper of
all its descendants, so even one that left its session is found.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
PR_SET_CHILD_SUBREAPER = 36
DOES_NOT_END = "does not end"

stop_signal = 0
started = time.monotonic()


class Stop(Exception):
    """One line for the user; status is the exit status."""

    def __init__(self, text: str, status: int = 1):
        super().__init__(text)
        self.status = status


def on_signal(number: int, _frame) -> None:
    global stop_signal
    stop_signal = stop_signal or number


def pause(seconds: float = 0.05) -> None:
    if not stop_signal:
        time.sleep(seconds)
    if stop_signal:
        raise Stop(f"interrupted by {signal.Signals(stop_signal).name}", 128 + stop_signal)


def shown(path: Path) -> str:
    """Relative where that is the shorter name: below the current directory."""
    path = path.resolve()
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


def say(text: str) -> None:
    print(f"[{time.monotonic() - started:6.1f} s] {text}", flush=True)


class Process:
    """A child in a session of its own, its output in a file of its own."""

    all: list[Process] = []
    directory: Path | None = None  # where they start; None: here

    def __init__(self, name: str, command: list, logs: Path, show: bool = False):
        self.name, self.log = name, logs / f"{name}.log"
        self.started = time.monotonic()
        with open(self.log, "wb") as log:
            self.popen = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=None if show else log,
                stderr=log,
                cwd=Process.directory,
                start_new_session=True,
            )
        self.usage = None  # of it and all descendants that were waited for
        Process.all.append(self)

    def ended(self) -> bool:
        if self.popen.returncode is None:
            pid, status, usage = os.wait4(self.popen.pid, os.WNOHANG)
            if pid:
                self.popen.returncode = os.waitstatus_to_exitcode(status)
                self.usage = usage
        return self.popen.returncode is not None

    def failure(self) -> Stop:
        lines = self.log.read_text(errors="replace").splitlines()[-15:]
        return Stop(
            "\n".join(lines + [f"{self.name} ended with status {self.popen.returncode}: {self.log}"])
        )

    def wait(self, timeout: float, note: str = "") -> None:
        said = time.monotonic()
        while not self.ended():
            if time.monotonic() - self.started > timeout:
                raise Stop(f"{self.name} takes more than {timeout:.0f} s: {self.log}")
            if note and time.monotonic() - said > 5:
                said = time.monotonic()
                say(f"{note}: {said - self.started:.0f} s")
            pause()
        if self.popen.returncode != 0:
            raise self.failure()

    def finish(self, timeout: float, innermost: bool = False) -> None:
        """Ask it to end (SIGTERM to the process that we started, as a batch system does). INNERMOST: Dask's own
        process, so that a tool around it sees it end."""
        if not self.ended():
            os.kill(innermost_dask(self.popen.pid) if innermost else self.popen.pid, signal.SIGTERM)
        deadline = time.monotonic() + timeout
        while not self.ended():
            if time.monotonic() > deadline:
                raise Stop(f"{self.name} {DOES_NOT_END}: {self.log}")
            pause()

    @classmethod
    def end_all(cls) -> None:
        """Nothing survives this: polite, then not; sessions, then single descendants."""
        for number, patience in ((signal.SIGTERM, 2.0), (signal.SIGKILL, 2.0)):
            alive = [p for p in cls.all if group_lives(p.popen.pid)]
            for process in alive:
                signal_quietly(os.killpg, process.popen.pid, number)
            deadline = time.monotonic() + patience
            while alive and time.monotonic() < deadline:
                reap()
                alive = [p for p in alive if group_lives(p.popen.pid)]
                time.sleep(0.02)
        deadline = time.monotonic() + 2.0
        while (rest := children()) and time.monotonic() < deadline:
            for pid in rest:
                signal_quietly(os.kill, pid, signal.SIGKILL)
            reap()
            time.sleep(0.02)


def signal_quietly(kill, target: int, number: int) -> None:
    try:
        kill(target, number)
    except (ProcessLookupError, PermissionError):
        pass


def group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def reap() -> None:
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def children() -> list[int]:
    try:
        text = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    except OSError:  # a kernel built without it
        return []
    return [int(pid) for pid in text.split()]


def children_of(pid: int) -> list[int]:
    return [int(child) for thread in Path(f"/proc/{pid}/task").iterdir()
            for child in (thread / "children").read_text().split()]


def innermost_dask(pid: int) -> int:
    """The process below PID, or PID itself, that runs `dask` and has no child that does."""
    dask = [child for child in children_of(pid) if b"dask" in Path(f"/proc/{child}/cmdline").read_bytes()]
    return innermost_dask(dask[0]) if dask else pid


def cpu_of_tree(pid: int) -> float:
    """User and system seconds so far of a process and its living descendants."""
    ticks, todo = 0, [pid]
    while todo:
        pid = todo.pop()
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            ticks += int(fields[11]) + int(fields[12])
            todo += children_of(pid)
        except OSError:
            continue  # ended meanwhile
    return ticks / os.sysconf("SC_CLK_TCK")


def dask(python: Path, what: str) -> list:
    """The `dask` beside the interpreter; in old releases it is a program `dask-scheduler`."""
    program = Path(python).parent / "dask"
    return [program, what] if program.exists() else [f"{program}-{what}"]


def scheduler_address(path: Path, scheduler: Process) -> str:
    while True:
        if scheduler.ended():
            raise scheduler.failure()
        if time.monotonic() - scheduler.started > 600:
            raise Stop(f"the scheduler does not come up: {scheduler.log}")
        try:
            return json.loads(path.read_text())["address"]
        except (OSError, ValueError, KeyError):
            pause()


def profile_directory(args: argparse.Namespace) -> Path:
    if args.output:
        return args.output.resolve()
    while True:  # one second, one directory: as cupping-run names them
        path = Path.cwd() / time.strftime("cupping-%Y%m%d-%H%M%S")
        try:
            path.mkdir()
            return path
        except FileExistsError:
            pause(0.3)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("--events", type=int, default=600_000)
    add("--chunksize", type=int, default=12_500)
    add("--threads", type=int, default=2, help="of each worker")
    add("--workers", type=int, default=1)
    add("--files", type=Path, help="directory of the input, written if missing and kept")
    add("--rntuple", action="store_true", help="RNTuples instead of TTrees")
    add("-o", "--output", type=Path, help="profile directory (default: ./cupping-DATE-TIME)")
    add("--no-profile", action="store_true", help="the same job without cupping")
    add("--no-nanny", action="store_true")
    add("--no-report", action="store_true")
    add("--python", type=Path, default=Path(sys.executable), help="interpreter of the cluster")
    add("--logs", type=Path, help="directory for the output of all processes")
    add("--json", type=Path, help="write times, CPU seconds and Coffea's metrics here")
    add("--cupping-run", type=Path, default=TOP / "wrappers" / "cupping-run", help="another cupping-run")
    add("--under", default="", help="command put before `dask worker`, such as strace")
    add("--timeout", type=int, default=900, help="seconds for the analysis")
    add("--program", nargs=argparse.REMAINDER, help="a program and its arguments, instead of the demo's analysis; "
        "it gets --scheduler ADDRESS --json FILE as well, and writes {\"wall\": seconds} there")
    return parser.parse_args()


def write_files(args: argparse.Namespace, files: Path, logs: Path) -> None:
    if not (files / "files.json").exists():
        say(f"writing {args.events} events in six files: {shown(files)}")
    command = [sys.executable, HERE / "mktree.py", files, "--events", args.events]
    Process("mktree", command + ["--rntuple"] * args.rntuple, logs).wait(600)


def run(args: argparse.Namespace) -> None:
    kind = "rntuple" if args.rntuple else "ttree"
    files = args.files or TOP / "build" / "demo-data" / f"{kind}-{args.events}"
    logs = args.logs or TOP / "build" / "demo-logs"
    shutil.rmtree(logs, ignore_errors=True)
    logs.mkdir(parents=True)

    if not args.program:
        write_files(args, files, logs)

    profile = None if args.no_profile else profile_directory(args)
    cupping = [args.cupping_run, "-o", profile, "--"] if profile else []
    scheduler_file = logs / "scheduler.json"

    say("starting a scheduler" + (" under cupping-run" if profile else ""))
    scheduler = Process("scheduler", [
        *cupping, *dask(args.python, "scheduler"), "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
        "--scheduler-file", scheduler_file,
    ], logs)
    address = scheduler_address(scheduler_file, scheduler)
    say(f"starting {args.workers} worker(s) of {args.threads} threads for {address}")
    worker = Process("worker", [
        *cupping, *args.under.split(), *dask(args.python, "worker"), address, "--no-dashboard",
        "--nthreads", args.threads, "--nworkers", args.workers,
        "--nanny" if not args.no_nanny else "--no-nanny",
        "--local-directory", logs / "scratch", "--death-timeout", 60,
    ], logs)

    say(f"running the analysis ({shown(Path(args.program[0])) if args.program else 'tests/workloads/demo.py'})")
    metrics = logs / "coffea.json"
    program = args.program or [HERE / "demo.py", files / "files.json", "--chunksize", args.chunksize]
    client = Process("analysis", [
        *cupping, args.python, *program, "--scheduler", address, "--json", metrics,
    ], logs, show=not args.no_report)
    client.wait(args.timeout, note="analysis running")
    job_cpu_s = cpu_of_tree(worker.popen.pid)

    say("stopping worker and scheduler")
    worker.finish(120, innermost=bool(args.under))
    scheduler.finish(30)
    if args.json:
        result = json.loads(metrics.read_text())
        args.json.write_text(json.dumps({
            "coffea": result,
            "wall_s": result["wall"],
            "worker_cpu_s": worker.usage.ru_utime + worker.usage.ru_stime,
            "worker_system_s": worker.usage.ru_stime,
            "worker_switches": worker.usage.ru_nvcsw,
            "worker_faults": worker.usage.ru_minflt,
            "worker_cpu_until_job_end_s": job_cpu_s,
            "scheduler_cpu_s": scheduler.usage.ru_utime + scheduler.usage.ru_stime,
            "worker_status": worker.popen.returncode,
            "profile": str(profile) if profile else None,
        }, indent=1))
    if profile and not args.no_report:
        say(f"profile: {shown(profile)}")
        print(flush=True)
        report = Process("report", [TOP / "build" / "cupping", "report", profile], logs, show=True)
        report.wait(120)
        print(f"\nThe profile is in {shown(profile)} (./cupping-latest points to it).\n"
              f"Again: build/cupping report; task by task: build/cupping tasks")


def guarded(name: str, work, *arguments) -> int:
    """The exit status that work() gives, 0 for None. Whatever ends it, no process stays behind."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, on_signal)
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        return work(*arguments) or 0
    except Stop as stop:
        if sys.stdout.isatty():
            print()  # a progress bar may stand in this line
        print(f"{name}: {stop}", file=sys.stderr)
        return stop.status
    finally:
        Process.end_all()


def main() -> int:
    return guarded("demo", run, arguments())


if __name__ == "__main__":
    sys.exit(main())
