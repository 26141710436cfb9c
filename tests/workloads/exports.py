"""Reads exports, and compares them with the report and with Coffea's own report of the run.

    exports.py PROFILE-REPORT.json JOB.json CSV-DIRECTORY MEASUREMENT-DIRECTORY FILE.prom

JOB.json is what coffea_job.py wrote of its only run. Prints one line for each thing that differs;
exit status 1 if there are any.
"""

import ast
import csv
import json
import math
import sys
from datetime import datetime
from pathlib import Path

import uproot

wrong = []


def expect(what: str, found, expected) -> None:
    if isinstance(expected, float) or isinstance(found, float):
        same = found is not None and math.isclose(found, expected, rel_tol=1e-6, abs_tol=1e-6)
    else:
        same = found == expected
    if not same:
        wrong.append(f"{what}: {found!r}, not {expected!r}")


# --- CSV ---


def cell(value) -> str | None:
    """As CSV has it; None: not comparable as text."""
    if value is None:
        return ""
    return value if isinstance(value, str) else None


def compare_row(table: str, row: dict, reported: dict) -> None:
    flat = {name: value for name, value in reported.items() if not isinstance(value, (list, dict))}
    expect(f"{table}: names", list(row), list(flat))
    for name, value in flat.items():
        if isinstance(value, (int, float)):
            expect(f"{table}: {name}", float(row[name]), float(value))
        else:
            expect(f"{table}: {name}", row[name], cell(value))


def check_csv(directory: Path, report: dict) -> None:
    for table in ("chunks", "files", "branches", "workers"):
        with open(directory / f"{table}.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file, strict=True))
        reported = report[table]["rows"]
        expect(f"{table}: rows", len(rows), len(reported))
        for row, expected in zip(rows, reported):
            compare_row(table, row, expected)
    with open(directory / "samples.csv", newline="", encoding="utf-8") as file:
        samples = list(csv.DictReader(file, strict=True))
    addresses = {worker["worker"] for worker in report["workers"]["rows"]}
    expect("samples: workers", {row["worker"] for row in samples} - addresses, set())
    expect("samples: any by the scheduler", "scheduler" in {row["by"] for row in samples}, True)


# --- roastcoffea ---


def check_tracking(data: dict, report: dict) -> None:
    times = {datetime.fromisoformat(time) for time in data.pop("worker_counts")}
    addresses = {worker["worker"] for worker in report["workers"]["rows"]}
    for name, timelines in data.items():
        expect(f"{name}: workers", set(timelines) - addresses, set())
        for points in timelines.values():
            here = [datetime.fromisoformat(time) for time, _ in points]
            expect(f"{name}: in order", here, sorted(here))
            expect(f"{name}: times", set(here) - times, set())
    expect("worker_memory: any", any(data["worker_memory"].values()), True)


def check_measurement(directory: Path, report: dict, coffea: dict) -> None:
    metrics = json.loads((directory / "metrics.json").read_text())
    start, stop = map(float, (directory / "start_end_time.txt").read_text().strip().split(","))
    expect("start_end_time", stop - start, metrics["elapsed_time_seconds"])
    expect("num_chunks", metrics["num_chunks"], coffea["chunks"])
    expect("total_events", metrics["total_events"], coffea["entries"])
    expect("total_bytes_read", metrics["total_bytes_read"], coffea["bytesread"])
    processtime = float(coffea["processtime"])
    if abs(metrics["total_cpu_time"] / processtime - 1) > 0.005:
        wrong.append(f"total_cpu_time: {metrics['total_cpu_time']}, not {processtime}")
    stretches = {ast.literal_eval(key): value for key, value in metrics["chunk_info"].items()}
    expect("chunk_info: bytes", sum(value[2] for value in stretches.values()), coffea["bytesread"])
    expect("chunk_info: events", sum(key[2] - key[1] for key in stretches), coffea["entries"])
    chunks = metrics["raw_chunk_metrics"]
    expect("durations", sum(chunk["duration"] for chunk in chunks), metrics["total_cpu_time"])
    expect("branches", len({b for c in chunks for b in c["accessed_branches"]}),
           metrics["total_branches_read"])
    spans = {ast.literal_eval(key): value for key, value in metrics["raw_span_metrics"].items()}
    cpu = sum(value for key, value in spans.items() if key[2] == "thread-cpu")
    reported = metrics["processor_cpu_time_seconds"] + metrics["overhead_cpu_time_seconds"]
    if abs(cpu / reported - 1) > 0.005:
        wrong.append(f"thread-cpu of all spans: {cpu}, not {reported}")
    check_tracking(metrics["tracking_data"], report)


def check_files(directory: Path) -> None:
    metrics = json.loads((directory / "metrics.json").read_text())
    for path, reported in metrics["file_metadata"].items():
        tree = uproot.open(path)["Events"]
        expect(f"{path}: tree bytes", reported["total_tree_bytes"], tree.compressed_bytes)
        expect(f"{path}: ratio", reported["compression_ratio"],
               tree.compressed_bytes / tree.uncompressed_bytes)
    expect("compression_ratios", len(metrics["compression_ratios"]), len(metrics["file_metadata"]))


# --- Prometheus ---


def check_prometheus(path: Path, report: dict) -> None:
    series = dict(line.rsplit(" ", 1) for line in path.read_text().splitlines() if line[0] != "#")
    flow = report["workflow"]
    figures = {
        "cupping_run_duration_seconds": flow["wall_time"],
        "cupping_requested_bytes_total": flow["total_bytes_read_coffea"],
        "cupping_read_bytes_total": flow["total_bytes_read"],
        "cupping_events_total": flow["total_events"],
        "cupping_task_cpu_seconds_total": flow["total_thread_cpu_time"],
        "cupping_basket_compressed_bytes_total": flow["bytes_read_compressed"],
        "cupping_basket_uncompressed_bytes_total": flow["bytes_read_uncompressed"],
    }
    for name, value in figures.items():
        expect(name, [float(v) for k, v in series.items() if k.split("{")[0] == name], [value])
    for name, of in (("prefix_tasks", "tasks_by_prefix"), ("dataset_chunks", "datasets")):
        found = sum(float(v) for k, v in series.items() if k.startswith(f"cupping_{name}_total{{"))
        expect(name, found, float(sum(r[name.split("_")[1]] for r in report[of]["rows"])))


def main() -> int:
    report, job = (json.loads(Path(name).read_text()) for name in sys.argv[1:3])
    check_csv(Path(sys.argv[3]), report)
    check_measurement(Path(sys.argv[4]), report, job["runs"][0]["metrics"])
    check_files(Path(sys.argv[4]))
    check_prometheus(Path(sys.argv[5]), report)
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
