"""Checks reports against docs/report.schema.json: validate.py SCHEMA REPORT.json...

Prints one line for each thing that is not as the schema says; exit status 1 if there are any. The
schema itself is checked, too: spoilt reports must be refused.
"""

import copy
import json
import sys
from pathlib import Path

from jsonschema import Draft202012Validator

# Where, and what it is spoilt with; MISSING: it is taken away.
MISSING = object()
SPOILT = [
    (("format",), "another"),
    (("version",), 2),
    (("hosts",), MISSING),
    (("workflow", "wall_time"), "12 s"),
    (("workflow", "t_start"), 1750000000.5),
    (("workflow", "total_events"), -1),
    (("workflow", "some_future_rate_gbps"), "fast"),
    (("workers", "avg_workers"), MISSING),
    (("workers", "rows"), None),
    (("efficiency", "wasted_by_reason", "killed"), MISSING),
    (("fine", "some_future_activity_s"), []),
    (("time_budget", "idle_s"), True),
    (("chunks", "count"), 1.5),
    (("datasets", "rows"), {}),
    (("branches", "rows"), {}),
    (("branches", "reread_bytes"), "many"),
    (("attribution", "by_way", "sole"), "none"),
    (("health", "warnings"), [1]),
    (("sources", "wall_time"), None),
]


def constant(name: str):
    raise ValueError(f"{name} is no JSON")


def spoil(report: dict, where: tuple, value) -> dict:
    spoilt = copy.deepcopy(report)
    inner = spoilt
    for name in where[:-1]:
        inner = inner[name]
    if value is MISSING:
        del inner[where[-1]]
    else:
        inner[where[-1]] = value
    return spoilt


def main() -> int:
    schema = json.loads(Path(sys.argv[1]).read_text())
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    wrong = []
    for path in sys.argv[2:]:
        report = json.loads(Path(path).read_text(), parse_constant=constant)
        wrong += [f"{path}: {e.json_path}: {e.message[:300]}" for e in validator.iter_errors(report)]
        wrong += [
            f"{path}: taken though {'.'.join(where)} is spoilt"
            for where, value in SPOILT
            if validator.is_valid(spoil(report, where, value))
        ]
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
