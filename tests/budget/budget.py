"""How many instructions the library adds to each call and to a task, counted by callgrind and compared with budgets.txt.

    budget.py           status 1 if a count is more than 10 % above its budget; 77: it cannot be counted here
    budget.py --write   the counts become the budgets, after a change that is meant to cost more, or that costs less

A count does not depend on the machine or on its load, but on the compiler: budgets.txt names the one it is of. Of five
blocks of 32 calls the cheapest counts: others may include what happens rarely, such as the growth of the log.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parent.parent
LIBRARY = TOP / "build" / "tests" / "budget" / "libbudget.so"
BUDGETS = HERE / "budgets.txt"
CALLS = 32  # as in libbudget.c
MORE, FEW = 1.1, 3  # a count is too high if it is above both: MORE times its budget, FEW instructions more
CANNOT = 77


def cannot(why):
    print(f"budget: not counted: {why}")
    sys.exit(CANNOT)


def count(where):
    """(compiler, {row: instructions of a call})"""
    data, profile = where / "data.bin", where / "profile"
    data.write_bytes(bytes(8192))
    environment = {"LD_PRELOAD": str(LIBRARY), "CUPPING_DIR": str(profile), "CUPPING_CPU_HZ": "0",
                   "PATH": os.environ["PATH"], "PYTHONHASHSEED": "0"}
    command = ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={where}/count",
               sys.executable, "-I", "-S", HERE / "program.py", data]
    run = subprocess.run([str(part) for part in command], env=environment, capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"budget: the program failed:\n{run.stdout}{run.stderr}")
    blocks = {}
    for path in where.glob("count.*"):
        text = path.read_text()
        name = re.search(r"^desc: Trigger: Client Request: (\w+) (.*)", text, re.M)
        if name:
            blocks.setdefault(name[2], {}).setdefault(name[1], []).append(int(re.search(r"^(?:summary|totals): (\d+)", text, re.M)[1]))
    return run.stdout.strip(), {name: round((min(kinds["hooked"]) - min(kinds.get("plain", [0]))) / CALLS)
                                for name, kinds in blocks.items()}


def read_budgets():
    of, *rows = BUDGETS.read_text().splitlines()
    return of, {name: int(number) for number, name in (row.split(None, 1) for row in rows)}


def write_budgets(of, counts):
    rows = [f"{counts[name]:7d}  {name}" for name in sorted(counts)]
    BUDGETS.write_text("\n".join([of, *rows]) + "\n")


def compare(budgets, counts):
    """Prints the table. The number of rows that are too high, or that only one of the two has."""
    wrong = 0
    print(f"{'budget':>8s} {'count':>8s}  instructions that the library adds to")
    for name in sorted(budgets | counts):
        budget, counted = budgets.get(name), counts.get(name)
        if budget is None or counted is None:
            remark = "no budget" if budget is None else "not counted"
        else:
            over = counted > MORE * budget and counted > budget + FEW
            remark = f"{100 * (counted - budget) / max(budget, 1):+.0f} %, too much" if over else ""
        wrong += remark != ""
        print(f"{budget if budget is not None else '-':>8} {counted if counted is not None else '-':>8}"
              f"  {name}{f': {remark}' if remark else ''}")
    return wrong


def main():
    if platform.machine() != "x86_64" or not shutil.which("valgrind"):
        cannot("valgrind is missing" if platform.machine() == "x86_64" else "the budgets are of x86_64")
    if not LIBRARY.exists():
        cannot("libbudget.so was not built: valgrind's headers were missing")
    with tempfile.TemporaryDirectory(dir="/tmp") as where:  # a fixed length: hooks hash the path
        of, counts = count(Path(where))
    if sys.argv[1:] == ["--write"]:
        write_budgets(of, counts)
        return 0
    known, budgets = read_budgets()
    if of != known:
        cannot(f"the library was built with {of}, and the budgets are of {known}")
    wrong = compare(budgets, counts)
    if wrong:
        print(f"budget: {wrong} rows. If it is meant so: {sys.executable} {Path(__file__).resolve()} --write")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
