"""Checks the rooms: each folder of sources includes only folders that stand before its own in
docs/contributing/architecture.md. So no circle of folders can arise.

    tests/check_rooms.py            exit status 1, and a line for each breach, if there is any
"""

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
TABLE = "docs/contributing/architecture.md"
FLOORS = ["include", "preload", "analysis", "plot", "cli"]
MOST_FILES = 25

breaches = []


def report(path, line, breach):
    breaches.append(f"{path}:{line}: {breach}")


def read_table():
    """The rooms in the order of the table, each with the line that it stands in."""
    rooms = {}
    for number, line in enumerate((TOP / TABLE).read_text().splitlines(), 1):
        row = re.match(r"\| `([a-z_/]+)/` +\|", line)
        if row:
            rooms[row[1]] = number
    return rooms


def find_sources():
    """The sources of each folder: {"preload/io": [path, ...]}, relative to the checkout."""
    folders = {}
    for floor in FLOORS:
        for path in sorted((TOP / floor).rglob("*.[ch]")):
            path = path.relative_to(TOP)
            folders.setdefault(str(path.parent), []).append(path)
    return folders


def check_table(rooms, folders):
    for folder, paths in folders.items():
        count = sum(path.suffix == ".c" for path in paths)
        if folder not in rooms:
            report(paths[0], 1, f"lies in {folder}/, which has no row: {TABLE} names every folder")
        if count > MOST_FILES:
            report(paths[0], 1, f"{folder}/ has {count} .c files: a room has at most {MOST_FILES}")
    for room, line in rooms.items():
        if room not in folders:
            report(TABLE, line, f"{room}/ has a row, but there is no such folder with sources")


def check_include(rooms, path, line, included):
    own, other = str(path.parent), str(pathlib.PurePath(included).parent)
    if {own.split("/")[0], other.split("/")[0]} == {"preload", "analysis"}:
        report(path, line, f"includes {included} of {other}/: preload/ and analysis/ share only include/")
    elif own in rooms and other in rooms and list(rooms).index(other) > list(rooms).index(own):
        report(path, line, f"includes {included} of {other}/, which is above its own: {TABLE} has the order")


def check_includes(rooms, paths):
    for path in paths:
        for number, line in enumerate((TOP / path).read_text().splitlines(), 1):
            include = re.match(r'#include "([^"]+/[^"]+)"', line)
            if include:
                check_include(rooms, path, number, include[1])


def main():
    rooms, folders = read_table(), find_sources()
    check_table(rooms, folders)
    for paths in folders.values():
        check_includes(rooms, paths)
    for breach in breaches:
        print(breach)
    if not breaches:
        print(f"rooms: {len(folders)}, each includes only those below it")
    return 1 if breaches else 0


sys.exit(main())
