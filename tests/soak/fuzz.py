"""Every verb of cupping on logs, measurement directories and Coffea reports that were mutated at random, with
hostile names in them: escape sequences, <script>, formulas of spreadsheets, paths that lead out, long keys,
lengths of 4 GiB, logs that are cut off while they are read.

    fuzz.py [--rounds N] [--seconds S] [--seed N] [--cupping PROGRAM] [--profile DIR] [-o DIR]

A verb must end by itself, with a status that its help names; text has no control characters, JSON is JSON,
pages have no script but their own, and no cell of a CSV file begins a formula. Without --rounds it goes on for
--seconds (600; FUZZ_SECONDS= may be set). What it found is kept in the directory of -o (build/fuzz). A seed always
makes the same inputs from the same profile. --profile: one that you recorded; half of the mutated directories are
copies of it. Exit status 1 if anything was found.
"""

import argparse
import csv
import gzip
import io
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
GENERATOR = TOP / "build/tests/generate_log"
LIMIT_S = 300  # of a verb
HOSTILE = [
    b"\x1b]0;title\x07\x1b[2J",
    b"\x9b31m\r\x08\x00\x7f\xc2\x9b",
    b"</script><script>alert(1)</script>",
    b"<img src=x onerror=alert(1)>",
    b"=cmd|' /C calc'!A0",
    b"+1-2,\"a\"\"b\n",
    b"@SUM(A1:A9)",
    b"../../../../tmp/cupping-escaped",
    b"%s%n%1000000d",
    b"\xff\xfe\xc0\x80\xed\xa0\x80",
    b"\xe2\x80\xae\xe2\x80\xa8",
    b"{\"a\": [",
    b"\\u0000\\",
]
NUMBERS = [0, 1, 7, 8, 0x7F, 0x80, 0xFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 32, (1 << 63) - 1, (1 << 64) - 1]


def put(data, at, new):
    data[at : at + len(new)] = new[: max(0, len(data) - at)]


def mutate(dice, original):
    data = bytearray(original)
    texts = [(found.start(), found.end()) for found in re.finditer(rb"[\w/.:@-]{6,}", data)]
    for _ in range(dice.choice([1, 1, 2, 4, 16, 64])):
        kind, at = dice.randrange(8), dice.randrange(len(data) or 1)
        if kind < 2 and texts:
            start, end = dice.choice(texts)
            put(data, start, (dice.choice(HOSTILE) * 9)[: end - start])
        elif kind == 2:
            width = dice.choice([1, 2, 4, 8])
            put(data, at, (dice.choice(NUMBERS) & ((1 << 8 * width) - 1)).to_bytes(width, "little"))
        elif kind == 3:
            put(data, at // 8 * 8, dice.choice(NUMBERS).to_bytes(8, "little"))
        elif kind == 4:
            put(data, at, bytes([dice.randrange(256)]))
        elif kind == 5:
            other = dice.randrange(len(data) or 1) // 8 * 8
            put(data, at // 8 * 8, bytes(data[other : other + dice.choice([8, 64, 512])]))
        elif kind == 6:
            start, end = dice.choice(texts) if texts else (at, at)
            put(data, start, b"k" * 65536 if dice.random() < 0.1 else b"/" * (end - start))
        elif dice.random() < 0.2:
            del data[at:]
    return bytes(data)


# ---- what must hold of an output ---------------------------------------------------------------------------


def check_text(data):
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return f"not UTF-8: {error}"
    found = re.search(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]", data)
    return f"control character at {data[max(0, found.start() - 60):found.start() + 20]!r}" if found else None


def check_json(data):
    try:
        json.loads(data)
    except ValueError as error:
        return f"no JSON: {error}"
    return check_text(data)


def check_page(data):
    found = re.search(rb"<script>alert|<img src=x", data)
    return f"a name became a tag: {data[max(0, found.start() - 60):found.start() + 40]!r}" if found else check_text(data)


def check_csv(data):
    try:
        rows = list(csv.reader(io.StringIO(data.decode(), newline=""), strict=True))
    except (ValueError, csv.Error) as error:
        return f"no CSV: {error}"
    for row in rows:
        for cell in row:
            if re.match(r"[=@\t\r](?!;|$)|\+(?![\d.;]|inf|nan|$)|-(?![\d. ;]|inf|nan|$)", cell):
                return f"a cell that begins a formula: {cell[:60]!r}"
    return check_text(data.replace(b"\r\n", b"\n"))


CHECKS = {".json": check_json, ".html": check_page, ".svg": check_page, ".csv": check_csv, ".collapsed": check_text,
          ".prom": check_text, ".tsv": check_text}


def verbs(first, second, out):
    """Command line, check of standard output."""
    yield ["report", first], check_text
    yield ["report", first, "--full"], check_text
    yield ["report", first, "--json"], check_json
    yield ["report", first, "--only", "losses"], check_text
    yield ["tasks", first], check_text
    yield ["tasks", first, "--csv", f"{out}/tasks.csv"], check_text
    yield ["top", first, "--once"], check_text
    yield ["plot", first, "--all", "--format", "svg", "-o", f"{out}/plots"], check_text
    yield ["plot", first, "--html", f"{out}/page.html"], check_text
    yield ["compare", first, second], check_text
    yield ["compare", first, second, "--json", f"{out}/compare.json"], check_text
    yield ["compare", first, second, "--csv", f"{out}/compare.csv"], check_text
    for name in ["roastcoffea", "csv", "columns", "collapsed"]:
        yield ["export", first, "--to", name, "-o", f"{out}/{name}"], check_text
    for name in ["perfetto", "speedscope"]:
        yield ["export", first, "--to", name, "-o", f"{out}/{name}.json"], check_text
    yield ["export", first, "--to", "replay", "-o", f"{out}/reads.tsv"], check_text
    yield ["export", first, "--to", "prometheus", "-o", f"{out}/cupping.prom"], check_text
    for log in sorted(Path(first).glob("*.cup"))[:1]:
        yield ["dump", str(log)], check_text
        yield ["merge", first, "-o", f"{out}/merged.cup"], check_text
        yield ["report", f"{out}/merged.cup", "--json"], check_json
        yield ["merge", first, "--anonymize", "-o", f"{out}/anonymous.cup"], check_text
        yield ["report", f"{out}/anonymous.cup", "--json"], check_json


def cut_while_read(path, dice):
    """Makes the log shorter and longer while a verb reads it."""
    size = os.path.getsize(path)
    for _ in range(20):
        os.truncate(path, dice.randrange(size + 1))
        time.sleep(0.002)
        os.truncate(path, size)


def run(cupping, words):
    """Status and standard output. CUPPING-like settings of the terminal do not matter."""
    environment = {**os.environ, "ASAN_OPTIONS": "allocator_may_return_null=1:detect_leaks=0", "COLUMNS": "100"}
    return subprocess.run([cupping, *words], capture_output=True, timeout=LIMIT_S, env=environment, stdin=subprocess.DEVNULL)


def judge(cupping, words, check):
    try:
        ended = run(cupping, words)
    except subprocess.TimeoutExpired:
        return f"did not end within {LIMIT_S} s"
    if ended.returncode < 0:
        return f"{signal.Signals(-ended.returncode).name}: {ended.stderr[-400:].decode(errors='replace')}"
    if ended.returncode not in (0, 1, 2) or b"Sanitizer" in ended.stderr or b"runtime error" in ended.stderr:
        return f"status {ended.returncode}: {ended.stderr[:600].decode(errors='replace')}"
    return check_text(ended.stderr) or (check(ended.stdout) if check and ended.returncode == 0 else None)


def check_files(out):
    for path in sorted(Path(out).rglob("*")):
        check = CHECKS.get(path.suffix) if path.is_file() else None
        wrong = check(path.read_bytes()) if check else None
        if wrong:
            yield f"{path.relative_to(out)}: {wrong}"


class Round:
    def __init__(self, home, cupping, seeds, seed):
        self.dice = random.Random(seed)
        self.cupping, self.name = cupping, f"seed {seed}"
        self.home = home / f"seed-{seed}"
        shutil.rmtree(self.home, ignore_errors=True)
        self.out = self.home / "out"
        self.out.mkdir(parents=True)
        self.directories = [self.make_profile(seeds, name) for name in ("one", "two")]

    def make_profile(self, seeds, name):
        directory = self.home / name
        shutil.copytree(self.dice.choice(seeds), directory)
        files = sorted(path for path in directory.rglob("*") if path.is_file())
        for path in self.dice.sample(files, min(len(files), self.dice.choice([1, 1, 2, 5]))):
            path.write_bytes(mutate(self.dice, path.read_bytes()))
        return str(directory)

    def run(self):
        """Yields what was found; keeps the inputs then."""
        count = found = 0
        logs = list(Path(self.directories[0]).glob("*.cup"))
        for words, check in verbs(*self.directories, self.out):
            cutter = None
            if logs and self.dice.random() < 0.05:
                cutter = threading.Thread(target=cut_while_read, args=(logs[0], random.Random(self.dice.random())))
                cutter.start()
            wrong = judge(self.cupping, words, check)
            if cutter:
                cutter.join()
            count += 1
            if wrong:
                found += 1
                yield f"{self.name}: cupping {' '.join(words)}: {wrong}"
        for wrong in check_files(self.out):
            found += 1
            yield f"{self.name}: {wrong}"
        if found == 0:
            shutil.rmtree(self.home)
        Round.verbs += count

    verbs = 0


def make_seeds(home, cupping):
    """Sound directories: small logs, a log of format 3, a measurement directory of roastcoffea."""
    if not GENERATOR.exists():
        sys.exit(f"fuzz.py: {GENERATOR} is missing: run `make tests`")
    seeds = [home / "sound-small", home / "sound-old", home / "sound-roastcoffea"]
    for seed in seeds:
        shutil.rmtree(seed, ignore_errors=True)
    subprocess.run([GENERATOR, seeds[0], "6", "2", "2", "3", "4"], check=True, stdout=subprocess.DEVNULL)
    seeds[1].mkdir()
    with gzip.open(TOP / "tests/data/logs/format-3.cup.gz") as packed:
        (seeds[1] / "host-1-1.cup").write_bytes(packed.read())
    subprocess.run([cupping, "export", seeds[1], "--to", "roastcoffea", "-o", seeds[2]], check=True, stdout=subprocess.DEVNULL)
    return [seeds[0], seeds[0], seeds[1], seeds[2]]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--seconds", type=float, default=float(os.environ.get("FUZZ_SECONDS", "600")))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cupping", default=str(TOP / "build" / "cupping"))
    parser.add_argument("--profile", type=Path)
    parser.add_argument("-o", dest="home", type=Path, default=TOP / "build" / "fuzz")
    options = parser.parse_args()
    options.home.mkdir(parents=True, exist_ok=True)
    seeds = make_seeds(options.home, options.cupping)
    seeds += [options.profile] * len(seeds) if options.profile else []
    until, seed, found = time.monotonic() + options.seconds, options.seed, 0
    while seed < options.seed + options.rounds if options.rounds else time.monotonic() < until:
        for wrong in Round(options.home, options.cupping, seeds, seed).run():
            print(wrong, flush=True)
            found += 1
        seed += 1
    print(f"{seed - options.seed} rounds, {Round.verbs} runs of a verb, {found} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
