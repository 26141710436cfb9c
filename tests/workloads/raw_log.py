"""Records of a log as they stand in the file: strings, functions, nodes, health. See log_format.h,
whose names of health counters are read from its text."""

import re
import struct
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
STRING, NOTE, CODE, STACKS, STACK_USE = 1, 11, 33, 35, 36
STACKS_FEATURE = 15  # bit
CUT, HELPER, UNKNOWN = 0x7ffffff0, 0x7ffffff1, 2**32 - 1


def health_names():
    text = (TOP / "preload" / "log_format.h").read_text()
    part = text[text.index("#define CUP_HEALTH(X)"):text.index("enum cup_health {")]
    return re.findall(r'X\([A-Z_0-9]+,\s*"(\w+)"', part)


class Log:
    def __init__(self, path):
        data = Path(path).read_bytes()
        first, end = struct.unpack_from("<QQ", data, 24)
        self.pid, = struct.unpack_from("<I", data, 40)
        self.features, = struct.unpack_from("<Q", data, 72)
        size, = struct.unpack_from("<I", data, 16)
        names = health_names()
        self.strings, self.codes, self.nodes, self.notes, self.uses = {0: None}, {}, {}, [], []
        self.records = 0
        at = first
        while at < end:
            length, kind, fixed = struct.unpack_from("<IHH", data, at)
            if not length:
                break
            self.read(kind, data[at:at + length], fixed)
            self.records += 1
            at += length
        health = size - 8 * self.health_room()
        self.health = dict(zip(names, struct.unpack_from(f"<{len(names)}Q", data, health)))

    @staticmethod
    def health_room():
        text = (TOP / "preload" / "log_format.h").read_text()
        return int(re.search(r"CUP_HEALTH_ROOM = (\d+)", text)[1])

    def read(self, kind, record, fixed):
        tail = record[fixed:]
        if kind == STRING:
            number, size = struct.unpack_from("<II", record, 8)
            self.strings[number] = tail[:size].decode()
        elif kind == NOTE:
            self.notes.append(self.strings[struct.unpack_from("<I", record, 8)[0]])
        elif kind == CODE:
            self.read_code(record, tail)
        elif kind == STACKS:
            first, count = struct.unpack_from("<II", record, 8)
            for i in range(count):
                parent, of, at = struct.unpack_from("<III", tail, 12 * i)
                assert parent < first + i and (of in self.codes or of >= CUT), (parent, of, at)
                assert first + i == len(self.nodes) + 1
                self.nodes[first + i] = (parent, of, at)

    def read_code(self, record, tail):
        number, file, line, minor, qualified, name, table = struct.unpack_from("<IIIHHII", record, 8)
        assert number == len(self.codes) + 1
        self.codes[number] = dict(name=tail[:name].decode(), file=self.strings[file], line=line,
                                  minor=minor, qualified=qualified, table=tail[name:name + table])

    def stack(self, node):
        """Innermost first: (name, file, first line, offset)."""
        frames = []
        while node:
            node, of, at = self.nodes[node]
            code = self.codes.get(of, dict(name=None, file=None, line=of))
            frames.append((code["name"], code["file"], code["line"], at))
        return frames


def summary(directory):
    """Of all logs of a directory, as `name=number`."""
    logs = [Log(path) for path in Path(directory).glob("*.cup")]
    sums = {name: sum(log.health[name] for log in logs)
            for name in ("stacks_taken", "stacks_dropped", "codes_replaced", "records_dropped")}
    return {"logs": len(logs), "codes": sum(len(log.codes) for log in logs),
            "nodes": sum(len(log.nodes) for log in logs), **sums,
            "seen": sum(log.features >> STACKS_FEATURE & 1 for log in logs)}


if __name__ == "__main__":
    import sys
    print(*(f" {name}={number}" for name, number in summary(sys.argv[1]).items()))
