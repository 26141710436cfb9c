"""Draws a real profile with `cupping plot`, and compares the pictures with its report.

    plots.py pictures CUPPING PROFILE OUT    every file is a picture of the size asked for, twice the same
    plots.py left-out CUPPING PROFILE OUT    which plots cannot be drawn, and why, compared with the profile
    plots.py figures  CUPPING PROFILE OUT    figures on the page against the report's JSON
    plots.py shares   CUPPING PROFILE OUT    the same for --files, with the sizes in the files

Prints one line for each thing that is wrong; exit status 1 if there are any.
"""

import html
import json
import math
import re
import struct
import subprocess
import sys
import zlib
from pathlib import Path

wrong = []


def expect(what: str, found, expected) -> None:
    if found != expected:
        wrong.append(f"{what}: {found!r}, not {expected!r}")


def expect_near(what: str, found: float, expected: float, share: float) -> None:
    if not math.isclose(found, expected, rel_tol=share):
        wrong.append(f"{what}: {found!r}, not about {expected!r}")


class Run:
    def __init__(self, cupping: str, profile: str, out: str):
        self.cupping, self.profile, self.out = cupping, profile, Path(out)
        self.out.mkdir(parents=True, exist_ok=True)

    def __call__(self, verb: str, *options) -> subprocess.CompletedProcess:
        command = [self.cupping, verb, self.profile, *map(str, options)]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def report(self, *options) -> dict:
        return json.loads(self("report", "--json", "-", *options).stdout)

    def listed(self) -> dict[str, str]:
        """Of each plot of one run: why it cannot be drawn from the profile, or ""."""
        found = {}
        for line in self("plot", "--list").stdout.splitlines():
            if not line.startswith("compare"):  # those are plots of several runs
                reason = re.search(r" \(not from this profile: (.*)\)$", line)
                found[line.split()[0]] = reason.group(1) if reason else ""
        return found


# --- pictures ---


def size_of_png(picture: bytes) -> tuple[float, float]:
    """In inches; every chunk's checksum is right, and the pixels are there."""
    expect("signature", picture[:8], b"\x89PNG\r\n\x1a\n")
    at, pixels = 8, b""
    while at < len(picture):
        length, kind = struct.unpack(">I4s", picture[at : at + 8])
        data = picture[at + 8 : at + 8 + length]
        expect("checksum", zlib.crc32(kind + data), *struct.unpack(">I", picture[at + 8 + length :][:4]))
        if kind == b"IHDR":
            width, height = struct.unpack(">II", data[:8])
        pixels += data if kind == b"IDAT" else b""
        at += 12 + length
    expect("at least three bytes a pixel", len(zlib.decompress(pixels)) >= 3 * width * height, True)
    return width / 192, height / 192


def size_of_svg(picture: bytes) -> tuple[float, float]:
    from xml.etree import ElementTree

    root = ElementTree.fromstring(picture)
    return float(root.get("width")[:-2]) / 72, float(root.get("height")[:-2]) / 72


def size_of_pdf(picture: bytes) -> tuple[float, float]:
    expect("end", picture.rstrip().endswith(b"%%EOF"), True)
    box = re.search(rb"/MediaBox \[ 0 0 ([0-9.]+) ([0-9.]+) \]", picture)
    return float(box.group(1)) / 72, float(box.group(2)) / 72


SIZE_OF = {"png": size_of_png, "svg": size_of_svg, "pdf": size_of_pdf}


def draw(run: Run, name: str, *options) -> dict[str, bytes]:
    """All pictures, by their paths in the directory."""
    directory = run.out / name
    done = run("plot", "--all", "-o", directory, *options)
    paths = [Path(line) for line in done.stdout.splitlines()]
    expect(f"{options}: status", done.returncode, 0)
    expect(f"{options}: files", sorted(directory.iterdir()), sorted(paths))
    return {path.name: path.read_bytes() for path in paths}


def check_pictures(run: Run) -> None:
    drawable = {name for name, reason in run.listed().items() if not reason}
    for kind, inches in (("png", 3), ("png", 8), ("svg", 8), ("svg", 12), ("pdf", 8)):
        options = ("--format", kind, "--width", inches, *(["--dark"] if inches == 3 else []))
        pictures = draw(run, f"{kind}-{inches}", *options)
        expect(f"{options}: plots", {Path(name).stem for name in pictures}, drawable)
        for name, picture in pictures.items():
            width, height = SIZE_OF[kind](picture)
            expect_near(f"{name}: width", width, inches, 0.002)
            expect_near(f"{name}: height", height, inches * 0.625, 0.005)
        if inches == 8:
            again = draw(run, f"{kind}-again", *options)
            expect(f"{kind}: other bytes", [n for n in pictures if pictures[n] != again.get(n)], [])


# --- what is left out ---


def check_left_out(run: Run) -> None:
    report, listed = run.report(), run.listed()
    left_out = {name: reason for name, reason in listed.items() if reason}
    expect("hosts", len({row["host"] for row in report["chunks"]["rows"]}), 1)
    expect("bytes from servers", sum(row["recv_bytes"] or 0 for row in tasks(run)), 0)
    expect("left out", sorted(left_out.keys() & {"hosts", "servers", "gil-pressure", "wasted-work"}),
           ["hosts", "servers"])  # two threads a worker, and a chunk that failed once
    reported = run("plot", "--all", "-o", run.out / "some").stderr
    for name, reason in left_out.items():
        expect(f"{name} is reported", name in reported and reason in reported, True)
    asked = run("plot", "-o", run.out / "asked", "hosts", "chunk-runtime")
    expect("one of two: status", asked.returncode, 1)
    expect("one of two: files", [p.name for p in (run.out / "asked").iterdir()], ["chunk-runtime.png"])
    unknown = run("plot", "-o", run.out / "unknown", "no-such-plot")
    expect("no such plot: status", unknown.returncode, 2)
    expect("no such plot: directory", (run.out / "unknown").exists(), False)


def tasks(run: Run) -> list[dict]:
    rows = json.loads(run("tasks", "--json", "-").stdout)
    return rows if isinstance(rows, list) else rows["tasks"]


# --- figures ---

PREFIXES = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9}


class Page:
    def __init__(self, run: Run, *options):
        path = run.out / "page.html"
        expect("page: status", run("plot", "--html", path, *options).returncode, 0)
        self.text = path.read_text(encoding="utf-8")

    def svg(self, name: str) -> str:
        at = self.text.index(f'id="{name}-title"')
        return self.text[self.text.rindex("<svg", 0, at) : self.text.index("</svg>", at)]

    def caption(self, name: str) -> str:
        return html.unescape(re.search(rf'id="{name}-caption">([^<]*)', self.text).group(1))

    def tips(self, name: str) -> list[str]:
        return [html.unescape(tip) for tip in re.findall(r"<title>([^<]*)", self.svg(name))]

    def counted(self, name: str, what: str) -> int:
        """The "1,234 chunks" of a caption."""
        return int(re.search(rf"([0-9,]+) {what}", self.caption(name)).group(1).replace(",", ""))

    def amount(self, name: str, pattern: str) -> float:
        """Of a "12.3 MB" in a caption."""
        number, prefix = re.search(pattern, self.caption(name)).groups()
        return float(number) * PREFIXES[prefix]

    def columns(self, name: str, groups: set[str]) -> int:
        """The heights of all columns; stacked ones by where they end."""
        tops: dict[tuple, int] = {}
        for tip in self.tips(name):
            found = re.fullmatch(r"(?:(.*), )?(.* to .*): ([0-9]+)", tip)
            if found and (found.group(1) or "") in groups:
                tops[found.group(2)] = max(tops.get(found.group(2), 0), int(found.group(3)))
        return sum(tops.values())


def check_figures(run: Run) -> None:
    report, page = run.report(), Page(run)
    used = [row for row in report["chunks"]["rows"] if row["outcome"] == "used"]
    datasets = {row["dataset"] for row in used}
    for name in ("runtime-events", "chunk-runtime", "progress", "bytes-per-chunk"):
        expect(f"{name}: chunks", page.counted(name, "chunks"), len(used))
    expect("chunk-runtime: columns", page.columns("chunk-runtime", {""}), len(used))
    reason = run.listed()["branches-per-chunk"]  # a histogram would have one bar
    expect("branches-per-chunk", re.sub("[0-9]+ branches", "", reason), f"all {len(used)} chunks read ")
    dots = [tip for tip in page.tips("runtime-events") if re.match(rf"({'|'.join(datasets)}): ", tip)]
    expect("runtime-events: dots", len(dots), len(used))

    workers = {tip.split(" at ")[0] for tip in page.tips("worker-count") if tip.startswith("workers: ")}
    expect("worker-count", max(workers), f"workers: {len(report['workers']['rows'])}")

    files = report["files"]["rows"]
    delivered = sum(row["read_bytes"] for row in files)
    expect_near("access-sizes: bytes", page.amount("access-sizes", r"([0-9.]+) ([kMG]?)B in all"),
                delivered, 0.006)
    expect("access-sizes: reads", page.counted("access-sizes", "reads"),
           sum(row["read_calls"] for row in files))
    seconds = report["runs"][-1]["wall_time"]
    expect_near("data-rate: mean", page.amount("data-rate", r"mean ([0-9.]+) ([kMG]?)B/s"),
                delivered / seconds, 0.02)

    every = tasks(run)
    expect("task-stream: tasks", page.counted("task-stream", "tasks"),
           sum(row["stop"] is not None for row in every))
    branches = {row["branch"] for row in report["branches"]["rows"]}
    expect("compression-ratio: branches", page.counted("compression-ratio", "branches"), len(branches))
    failed = [tip for tip in page.tips("wasted-work") if re.fullmatch("failed: [0-9.]+ (s|ms|min)", tip)]
    expect("wasted-work: failed", len(failed), 1)


def check_shares(run: Run) -> None:
    """The files are still there, and say themselves what share of them was read."""
    elsewhere = ("--files", run.out)
    page = Page(run, *elsewhere)
    expect("share-read: whose word", "as the files' metadata say" in page.caption("share-read"), True)
    texts = re.findall(r"<text[^>]*>([^<]* %, [^<]* %)</text>", page.svg("share-read"))
    rows = [row for row in run.report(*elsewhere)["files"]["rows"] if row["share_of_bytes_pct"]]
    expected = [f"{row['share_of_bytes_pct']:.1f} %, {row['share_of_branches_pct']:.1f} %" for row in rows]
    expect("share-read: bars", sorted(texts), sorted(expected))
    check_branches(run, page, elsewhere)


def check_branches(run: Run, page: "Page", elsewhere: tuple) -> None:
    """Of each branch the share over all files, as the report's rows add up to."""
    read, whole = {}, {}
    for row in run.report(*elsewhere)["branches"]["rows"]:
        if row["file_bytes"]:
            name = row["branch"]
            read[name] = read.get(name, 0) + row["share_of_file_pct"] / 100 * row["file_bytes"]
            whole[name] = whole.get(name, 0) + row["file_bytes"]
    reported = dict(re.fullmatch(r"(\S+?):? .*?([0-9.]+) ?%", tip).groups()
                for tip in page.tips("share-read-branches"))
    expect("share-read-branches: rows", sorted(reported), sorted(whole))
    for name, share in reported.items():
        expect_near(f"share-read-branches: {name}", float(share), 100 * read[name] / whole[name], 0.01)


def main() -> int:
    what, cupping, profile, out = sys.argv[1:]
    checks = {"pictures": check_pictures, "left-out": check_left_out, "figures": check_figures,
              "shares": check_shares}
    checks[what](Run(cupping, profile, out))
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
