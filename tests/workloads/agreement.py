"""Reads one profile through every output of cupping, and compares what they say.

    agreement.py CUPPING PROFILE SCRATCH-DIRECTORY

Prints one line for each name that has two values, and for each name of NAMES that an output does
not state any more; exit status 1 if there are any. Then it changes single values of each output,
and prints a line if that is not found.

Three checks find names that are not listed here: labels (a row of a table has the value that the
JSON has under that row's name, and compare has it under the same label), phrases (a figure with the
same words around it is the same figure in all texts), and keys (a key of one JSON object is the
same value in all of them).
"""

import copy
import csv
import functools
import html
import json
import math
import os
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

# --- figures as texts ---

SCALES = {
    "": ("", 1), "%": ("share", 1e-2), "x": ("", 1),
    "B": ("bytes", 1), "kB": ("bytes", 1e3), "MB": ("bytes", 1e6), "GB": ("bytes", 1e9),
    "TB": ("bytes", 1e12), "MB/s": ("bytes/s", 1e6), "GB/s": ("bytes/s", 1e9),
    "kB/s": ("bytes/s", 1e3), "B/s": ("bytes/s", 1),
    "Mbit/s": ("bytes/s", 1e6 / 8), "Gbit/s": ("bytes/s", 1e9 / 8), "kbit/s": ("bytes/s", 1e3 / 8),
    "s": ("s", 1), "ms": ("s", 1e-3), "us": ("s", 1e-6), "µs": ("s", 1e-6), "ns": ("s", 1e-9),
    "min": ("s", 60), "h": ("s", 3600),
    "Hz": ("1/s", 1), "kHz": ("1/s", 1e3), "MHz": ("1/s", 1e6), "/s": ("1/s", 1),
}  # fmt: skip
UNIT = "|".join(sorted((re.escape(unit) for unit in SCALES if unit), key=len, reverse=True))
FIGURE = rf"(?<![\w.,:/-])[<-]?\d[\d,]*(?:\.\d+)?(?: ?(?:{UNIT})(?![\w/%]))?(?![\w:]|\.\d|-\w)"


class Figure:
    """A number as a text shows it: between low and high in the unit's base."""

    def __init__(self, text: str):
        number, unit = re.fullmatch(r"([<-]?[\d,]+(?:\.\d+)?) ?(.*)", text).groups()
        self.text = text
        self.kind, scale = SCALES[unit]
        digits = number.lstrip("<").replace(",", "")
        step = 10 ** -len(digits.partition(".")[2]) if not self.kind == "" or "." in digits else 0
        value = float(digits)
        self.low, self.high = sorted(((value - step / 2) * scale, (value + step / 2) * scale))
        if number.startswith("<"):
            self.low = 0
        slack = 1e-9 * max(abs(self.low), abs(self.high))
        self.low, self.high = self.low - slack, self.high + slack

    def may_equal(self, other: "Figure") -> bool:
        return self.low <= other.high and other.low <= self.high

    def may_be(self, value: float) -> bool:
        return self.low <= value <= self.high


# Units of JSON keys: what multiplies a value so that it is in the base unit of its figure.
ENDINGS = {
    "_ns": 1e-9, "_khz": 1e3, "_mbs": 1e6, "_gbps": 1e9 / 8, "_pct": 1e-2, "_percentage": 1e-2,
    "_mb": 2**20,
}  # fmt: skip


def in_base(name: str, value: float) -> float:
    name = re.sub(r"_(min|max|avg|dask|peak)$", "", name)
    for ending, scale in ENDINGS.items():
        if name.endswith(ending):
            return value * scale
    return value * 1e-2 if "_pct" in name else value


# --- outputs ---


class Outputs:
    """texts: name of an output -> its text; documents: name -> what its JSON or CSV holds."""

    def __init__(self):
        self.texts: dict[str, str] = {}
        self.documents: dict[str, object] = {}


def run(*arguments) -> str:
    """Standard output. What cannot be drawn of this run is not written."""
    environment = os.environ | {"COLUMNS": "1000", "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
    done = subprocess.run(
        [str(argument) for argument in arguments],
        capture_output=True, env=environment, encoding="utf-8",
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"{arguments}: {done.stderr}")
    return done.stdout


def text_of_html(page: str) -> str:
    """Cells of tables and facts are apart by two blanks, as in the report's text."""
    page = re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.S)
    page = re.sub(r"</(td|th|dt|b)>", "  ", page)
    page = re.sub(r"</(?:p|tr|div|li|h\d|text|desc|title|figcaption|table|caption|dd)>", "\n", page)
    return html.unescape(re.sub(r"<[^>]*>", "", page))


def text_of_svg(picture: str) -> str:
    """A line for each text. The caption's lines, up to the first that ends a sentence, are one."""
    texts = re.findall(r"<text.*?</text>", picture, re.S)
    text = "\n".join(html.unescape(re.sub(r"<[^>]*>", "", text)) for text in texts)
    caption = re.search(r" UTC\. [^\n.](?:.*\n)*?.*\.$", text, re.M)
    return text.replace(caption[0], caption[0].replace("\n", " ")) if caption else text


def read_csv(path: Path) -> list[dict]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, strict=True))


def read_prometheus(text: str) -> dict[str, float]:
    rows = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            name, value = line.rsplit(" ", 1)
            rows[re.sub(r'run="[^"]*",?', "", name).replace("{}", "")] = float(value)
    return rows


def read_outputs(cupping: str, profile: str, scratch: Path) -> Outputs:
    outputs = Outputs()
    texts, documents = outputs.texts, outputs.documents
    documents["report --json"] = json.loads(run(cupping, "report", profile, "--json", "-"))
    documents["tasks --json"] = json.loads(run(cupping, "tasks", profile, "--json", "-"))["tasks"]
    compared = run(cupping, "compare", profile, profile, "--json", "-")
    documents["compare --json"] = json.loads(compared)
    texts["report"] = run(cupping, "report", profile)
    texts["report --full"] = run(cupping, "report", "--full", profile)
    help_text = " ".join(run(cupping, "help", "report").split())
    sections = re.search(r"only this section: (.*?) --", help_text)[1].replace(" or ", ", ")
    for section in sections.split(", "):
        texts[f"report --only {section}"] = run(cupping, "report", "--only", section, profile)
    texts["compare"] = run(cupping, "compare", profile, profile)
    run(cupping, "plot", "--html", scratch / "page.html", profile)
    page = (scratch / "page.html").read_text(encoding="utf-8")
    texts["page"] = text_of_html(page)
    run(cupping, "plot", "--all", "--format", "svg", "-o", scratch / "plots", profile)
    for path in sorted((scratch / "plots").glob("*.svg")):
        texts[f"plot {path.stem}"] = text_of_svg(path.read_text(encoding="utf-8"))
    run(cupping, "export", profile, "--to", "csv", "-o", scratch / "csv")
    for path in sorted((scratch / "csv").glob("*.csv")):
        documents[path.stem + ".csv"] = read_csv(path)
    documents["prometheus"] = read_prometheus(
        run(cupping, "export", profile, "--to", "prometheus", "-o", "-")
    )
    run(cupping, "export", profile, "--to", "collapsed", "-o", scratch / "collapsed")
    documents["collapsed"] = {
        path.stem: sum(int(line.rsplit(" ", 1)[1]) for line in path.read_text().splitlines())
        for path in (scratch / "collapsed").glob("*.collapsed")
    }
    run(cupping, "export", profile, "--to", "roastcoffea", "-o", scratch / "roastcoffea")
    documents["roastcoffea"] = json.loads((scratch / "roastcoffea/metrics.json").read_text())
    return outputs


# In a place of NAMES: one of the figures that stand alone in a plot.
ANY = "(F)$"

# --- names that are stated in sentences, captions and exports ---

# A name in the JSON -> where it is stated. In a text: the expression whose group is the figure; F
# stands for a figure. In an export: the key. An output ending in * stands for all that begin so; at
# least one of them must state it.
FIRST = ("report", "report --full", "page")
NAMES = {
    "workflow.wall_time": [
        (FIRST, r"^ *wall time  +(F)"),
        ("prometheus", "cupping_run_duration_seconds"), ("roastcoffea", "elapsed_time_seconds"),
    ],
    "workflow.process_s": [
        (FIRST, r"processing (F), merging"),
        ("prometheus", 'cupping_stage_duration_seconds{stage="process"}'),
    ],
    "workflow.merge_s": [
        (FIRST, r"processing .*?, merging (F)"),
        ("prometheus", 'cupping_stage_duration_seconds{stage="merge"}'),
    ],
    "workflow.total_events": [
        (FIRST, r"(F) events; "),
        ("prometheus", "cupping_events_total"), ("roastcoffea", "total_events"),
    ],
    "workflow.event_rate_wall_khz": [
        (FIRST, r"events/s  +(F)"),
        ("prometheus", "cupping_events_per_second"), ("roastcoffea", "event_rate_elapsed_khz"),
    ],
    "workflow.event_rate_thread_hz": [(FIRST, r"events; (F) for each")],
    "workflow.num_chunks": [
        (FIRST[:2], r"tasks, (F) chunks"), ("report --full", r"^Chunks  (F) used"),
        ("plot runtime-events", r"(F) chunks whose"), ("plot chunk-runtime", r"(F) chunks whose"),
        ("plot progress", r"(F) chunks whose"),
        ("prometheus", "cupping_chunks_total"), ("roastcoffea", "num_chunks"),
    ],
    "workflow.total_bytes_read": [
        (FIRST, r"(F) to tasks"), ("prometheus", "cupping_read_bytes_total"),
    ],
    "workflow.delivered_rate_mbs": [
        (FIRST, r"^ *read  +(F)  "),
        ("prometheus", 'cupping_throughput_bytes_per_second{bytes="delivered"}'),
    ],
    "workflow.total_thread_cpu_time": [
        (FIRST, r"of the threads' time: (F) of"), ("prometheus", "cupping_task_cpu_seconds_total"),
    ],
    "workflow.total_task_time": [("prometheus", "cupping_task_seconds_total")],
    "time_budget.threads_s": [
        (FIRST, r"of the threads' time: .*? of (F)"), ("plot time-budget", ANY),
    ],
    "time_budget.task_cpu_s": [
        (FIRST[:2], r"CPU in tasks [^(\n]*\((F)\)"), ("plot time-budget", r", " + ANY),
    ],
    "time_budget.gil_wait_s": [
        (FIRST[:2], r"GIL [<\d][^(\n]*\((F)\)"), ("plot time-budget", r", " + ANY),
        ("plot gil-pressure", r"waited for the GIL for (F)"),
    ],
    "branches.reread_bytes": [
        (FIRST, r"trees' bytes[^;\n]*; (?:at most )?(F) read more than once"),
        ("prometheus", "cupping_basket_reread_bytes_total"),
    ],
    "branches.bytes_share": [
        (FIRST, r"share read  +(F)"), ("report --only branches", r"branches, (F) of their bytes"),
        ("prometheus", "cupping_tree_bytes_read_ratio"),
    ],
    "branches.compression_ratio": [
        (FIRST[1:], r"compression  +(F)"), ("plot compression-ratio", r"branches together: (F)"),
        ("plot compression-ratio-files", r"files together: (F)"),
        ("prometheus", "cupping_basket_compression_ratio"),
    ],
    "workers.peak_memory_bytes": [
        ("report", r"(?:^ *memory(?!(?:(?!slowest)[\s\S])*samples saw)  +|samples saw\s+)(F)"),
        (FIRST[1:], r"per worker on average, at most (F)"),
        ("prometheus", "cupping_worker_peak_memory_bytes"), ("roastcoffea", "peak_memory_bytes"),
    ],
    "workers.executing_utilization_pct": [
        ("plot efficiency-summary", ANY),
        ("prometheus", "cupping_executing_tasks_per_core_ratio"),
    ],
    "chunks.statistics.time_s.median": [
        ("plot runtime-events", r"Median (F)"), ("plot chunk-runtime", r"median (F)"),
    ],
    "chunks.statistics.process_s.mean": [("roastcoffea", "chunk_duration_mean")],
    "chunks.fits.memory_request.worker_bytes": [(FIRST[1:], r"an estimate of (F)")],
    "chunks.statistics.memory_delta_bytes.mean": [("roastcoffea", "chunk_mem_delta_mean_mb")],
    "attribution.import_bytes": [(FIRST, r"(F) imports")],
    "functions.read_bytes": [("collapsed", "read")],
    "efficiency.thread_cpu_efficiency": [("prometheus", "cupping_thread_cpu_efficiency_ratio")],
    "efficiency.core_efficiency": [
        ("plot efficiency-summary", ANY), ("prometheus", "cupping_core_efficiency_ratio"),
        ("roastcoffea", "core_efficiency"),
    ],
    "efficiency.speedup_factor": [
        ("prometheus", "cupping_speedup_ratio"), ("roastcoffea", "speedup_factor"),
    ],
}  # fmt: skip


def value_at(document, path: str):
    for part in path.split("."):
        document = document[part]
    return document


def check_names(outputs: Outputs) -> Iterator[str]:
    for path, places in NAMES.items():
        name = path.rpartition(".")[2]
        value = value_at(outputs.documents["report --json"], path)
        for where, expression in places if value is not None else ():
            for output in [where] if isinstance(where, str) else where:
                check = check_key if output in outputs.documents else check_text
                for line in check(outputs, output, expression, in_base(name, value)):
                    yield f"{path} is {value:g}; {line}"


def check_key(outputs, output, key, value) -> Iterator[str]:
    found = outputs.documents[output].get(key)
    if found is None or not math.isclose(in_base(key, found), value, rel_tol=1e-6):
        yield f"{output}, {key}: {found}"


@functools.cache
def figures_in(text: str, expression: str) -> list[Figure]:
    pattern = expression.replace("F", FIGURE, 1)
    return [Figure(figure) for figure in re.findall(pattern, text, re.M)]


def check_text(outputs, output, expression, value) -> Iterator[str]:
    """One that does not draw in this run has no text."""
    if output not in outputs.texts and output.startswith("plot "):
        return
    found = figures_in(outputs.texts[output], expression)
    right = [figure.may_be(value) for figure in found]
    if not found:
        yield f"{output} does not state it any more ({expression})"
    elif not (any(right) if expression.endswith(ANY) else all(right)):
        yield f"{output}: {', '.join(figure.text for figure in found)}"


# --- labels ---


ROW = rf" +(\S+(?: \S+)*)  +({FIGURE})  ([a-z]\w+)"


@functools.cache
def rows_of(text: str) -> list[tuple[str, str, str]]:
    """Rows of tables that have the name of their key: label, figure and name."""
    rows = [re.fullmatch(ROW, line) for line in text.splitlines()]
    return [row.groups() for row in rows if row]


def check_labels(outputs: Outputs) -> Iterator[str]:
    """The report's tables name the key in the JSON behind each figure; compare has the same."""
    report = outputs.documents["report --json"]
    labels = {}
    for output, text in outputs.texts.items():
        if not output.startswith("report"):
            continue
        section = output.rpartition(" ")[2]
        for label, figure, name in rows_of(text):
            if not isinstance(report.get(section), dict):
                continue
            labels[section, name] = figure
            value = report[section].get(name)
            labels[section, name] = figure
            if value is None or not Figure(figure).may_be(in_base(name, value)):
                yield f"{section}.{name} is {value}, in {output}: {label} {figure}"
    if len(labels) < 50:
        yield f"only {len(labels)} rows of the report's tables name their key"
    for row in outputs.documents["compare --json"]["figures"]:
        first, second = row["values"]
        if row["row"] is None and isinstance(report.get(row["section"]), dict):
            value = report[row["section"]].get(row["name"], first)
            if not first == second == value and not (
                isinstance(value, float) and math.isclose(first, value, rel_tol=1e-6)
            ):
                yield f"{row['section']}.{row['name']} is {value}, in compare: {first} and {second}"


# --- sums ---

# A name -> rows and columns of them whose sum is the same; "-": a column that is in two others.
TASKS, CHUNKS = ("tasks --json", "tasks.csv"), ("chunks.csv",)
SUMS = {
    "workflow.total_task_time": (TASKS, ("wall_s",)),
    "workflow.total_thread_cpu_time": (TASKS, ("cpu_s", "helper_cpu_s")),
    "workflow.total_bytes_read": (TASKS, ("read_bytes", "mapped_bytes", "recv_bytes", "-server_read_bytes")),
    "time_budget.gil_wait_s": (TASKS, ("gil_wait_s",)),
    "time_budget.io_wait_s": (TASKS, ("io_wait_s",)),
    "fine.helper_gil_wait_s": (TASKS, ("helper_gil_wait_s",)),
    "branches.compressed_bytes": (TASKS, ("bytes_read_compressed",)),
    "workflow.total_events": (CHUNKS, ("events",)),
    "chunks.process_s": (CHUNKS, ("process_s",)),
    "attribution.read_bytes + attribution.other_process_bytes": (("files.csv",), ("read_bytes",)),
    "branches.baskets": (("branches.csv",), ("baskets",)),
    "branches.reread_bytes": (("branches.csv",), ("reread_bytes",)),
    "branches.uncompressed_bytes": (("branches.csv",), ("uncompressed_bytes",)),
}


def check_sums(outputs: Outputs) -> Iterator[str]:
    report = outputs.documents["report --json"]
    for path, (documents, columns) in SUMS.items():
        values = [value_at(report, part) for part in path.split(" + ")]
        for document in documents if None not in values else ():
            rows = outputs.documents[document]
            found = sum((-1 if column[0] == "-" else 1) * float(row[column.lstrip("-")] or 0)
                        for row in rows for column in columns)
            if not math.isclose(sum(values), found, rel_tol=1e-6):
                yield f"{path} is {sum(values)}; {document}, sum of {', '.join(columns)}: {found}"


# --- products ---


def check_rate_of_threads(outputs: Outputs) -> Iterator[str]:
    """The rate of each thread times the threads is the rate of the run."""
    rate = outputs.documents["report --json"]["workflow"]["event_rate_wall_khz"]
    for output in FIRST[:2] if rate else ():
        text = outputs.texts[output]
        each = re.search(r"events; ([\d,]+)/s for each(?: of ([\d.]+) threads)?", text)
        threads = each and (each[2] or re.search(r", (\d+) threads?,", text)[1])
        product = float(each[1].replace(",", "")) * float(threads) if each else 0
        if not math.isclose(product, 1e3 * rate, rel_tol=0.01):
            yield f"{output}: {threads} threads make {product:g} events/s, not {1e3 * rate:g}"


# --- phrases ---

# Phrases whose figure is another one each time, with the reason. Numbers of things are none.
MANY = {
    r"\W*": "no words",
    r"(at most|up to|of|to|after|threshold|during the chunks|rows|self|cpu)":
        "belongs to the row or the sentence around it",
    r"(up to can be saved|by a rough estimate)": "of each advice",
    r"at [\d.k]+|up to [KMG]i?B|.*…": "a mark or a box of a plot",
    r"(boxes below|functions that .*|and more .*)": "of each table or flame graph",
}  # fmt: skip


@functools.cache
def phrases_of(text: str) -> tuple[tuple[str, Figure], ...]:
    """Clauses that have exactly one figure: the words, and the figure."""
    phrases = []
    for line in text.splitlines():
        cells = [cell.strip() for cell in re.split(r"  +", line.strip())]
        if re.fullmatch(ROW, line) or sum(bool(re.fullmatch(FIGURE, cell)) for cell in cells) > 1:
            continue  # a row of a table
        sentence = re.sub(rf"^([^;:,]+)  ({FIGURE})(?=  |$)", r"\1 \2", "  ".join(cells))
        for clause in re.split(r"[;:()]|, (?!\d{3}\b)|,$|  +|\. |\.$| of which | of ", sentence):
            figures = re.findall(FIGURE, clause)
            if len(figures) == 1:
                words = " ".join(clause.replace(figures[0], " ").lower().split())
                phrases.append((words.strip(" .,-"), Figure(figures[0])))
    return tuple(phrases)


def check_phrases(outputs: Outputs) -> Iterator[str]:
    stated = defaultdict(list)
    for output, text in outputs.texts.items():
        for words, figure in phrases_of(text) if not output.endswith("lines") else ():
            if figure.kind and not re.fullmatch("|".join(MANY), words):
                stated[words, figure.kind].append((output, figure))
    for (words, _), places in stated.items():
        for output, figure in places[1:]:
            if not figure.may_equal(places[0][1]):
                first = places[0]
                yield f"'{words}' is {first[1].text} in {first[0]}, {figure.text} in {output}"
                break


# --- keys ---

# Objects of the JSON about a part of the run, or with another method: their keys begin anew.
PARTS = {"functions": "what stacks were seen of", "merge": "tasks that merge", "losses": "chunks"}
# Keys that mean something else in one object. docs/roastcoffea.md and the sources in the report say
# the same to users.
OTHER_KEYS = {
    "roastcoffea.total_bytes_read": "what Coffea requested, as roastcoffea has it",
    "chunks.process_s": "inside process(), summed; workflow.process_s is the length of the stage",
    "branches.read_amplification": "over baskets; workflow.read_amplification_baskets is the same",
}


def check_keys(outputs: Outputs) -> Iterator[str]:
    """A section's figures have names of their own, or the value of the others' of that name."""
    stated = defaultdict(list)
    report = outputs.documents["report --json"]
    objects = [(n, part) for n, part in report.items() if isinstance(part, dict) and n not in PARTS]
    for name, part in [*objects, ("roastcoffea", outputs.documents["roastcoffea"])]:
        for key, value in part.items():
            if isinstance(value, (int, float)) and f"{name}.{key}" not in OTHER_KEYS:
                stated[key].append((name, value))
    for key, places in stated.items():
        for name, value in places[1:]:
            if not math.isclose(value, places[0][1], rel_tol=1e-6):
                yield f"{places[0][0]}.{key} is {places[0][1]}; {name}.{key}: {value}"


def disagreements(outputs: Outputs) -> list[str]:
    checks = (
        check_names, check_labels, check_sums, check_rate_of_threads, check_phrases, check_keys,
    )  # fmt: skip
    return [line for check in checks for line in check(outputs)]


# --- the checks find what is wrong ---


def other_figure(text: str) -> str:
    """The same figure with another first digit."""
    return re.sub(r"\d", lambda digit: str((int(digit[0]) + 3) % 9 + 1), text, count=1)


def breakages(outputs: Outputs) -> Iterator[tuple[str, Outputs]]:
    """Copies of the outputs in which one value is wrong: in each place of NAMES, in a table, in a
    row that is part of a sum, and of a name that an output states anew."""
    for path, places in NAMES.items():
        known = value_at(outputs.documents["report --json"], path) is not None
        for where, expression in places if known else ():
            for output in [where] if isinstance(where, str) else where:
                broken = Outputs()
                broken.texts, broken.documents = dict(outputs.texts), dict(outputs.documents)
                if output in outputs.documents:
                    document = dict(outputs.documents[output])
                    document[expression] = 1.1 * (document.get(expression) or 1)
                    broken.documents[output] = document
                elif output in outputs.texts and not expression.endswith(ANY):
                    pattern = expression.replace("F", FIGURE, 1)
                    text, found = outputs.texts[output], None
                    for found in re.finditer(pattern, text, re.M):
                        break
                    if not found:
                        continue
                    start, stop = found.span(1)
                    broken.texts[output] = text[:start] + other_figure(found[1]) + text[stop:]
                else:
                    continue
                yield f"{path} in {output}", broken
    for what, change in {
        "a row of --only workflow": lambda o: o.texts.update(
            {"report --only workflow": re.sub(
                r"  (\S+ k?Hz)  event_rate_agg_khz", "  1 Hz  event_rate_agg_khz",
                o.texts["report --only workflow"])}),
        "a task's CPU time": lambda o: o.documents["tasks --json"][0].update(cpu_s=12345),
        "a phrase that a new plot states": lambda o: o.texts.update(
            {"plot new": "Tasks waited; 98.7 TB imports."}),
        "a key that an export adds": lambda o: o.documents["roastcoffea"].update(threads_s=1e9),
        "compare": lambda o: o.documents["compare --json"]["figures"][2].update(values=[1, 1]),
    }.items():  # fmt: skip
        broken = copy.deepcopy(outputs)
        change(broken)
        yield what, broken


def main() -> int:
    outputs = read_outputs(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
    found = disagreements(outputs)
    missed = [what for what, broken in breakages(outputs) if disagreements(broken) == found]
    print("".join(f"{line}\n" for line in found), end="")
    print("".join(f"a wrong value is not found: {what}\n" for what in missed), end="")
    return bool(found or missed)


sys.exit(main())
