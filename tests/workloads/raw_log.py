"""Records of a log as they stand in the file: strings, functions, nodes, health. See log_format.h,
whose names of health counters are read from its text."""

import dis
import re
import struct
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
STRING, TASK_BEGIN, NOTE, CODE, MODULE, NODES, STACK_USE = 1, 5, 11, 33, 34, 47, 36
CPU_SAMPLES = 41
STACKS_FEATURE, NATIVE_FEATURE = 17, 18  # bits
CUT, HELPER, NATIVE, UNKNOWN = 0x7ffffff0, 0x7ffffff1, 0x80000000, 2**32 - 1


def names_of(list_name, end):
    text = (TOP / "include" / "log_format.h").read_text()
    part = text[text.index(f"#define {list_name}(X)"):text.index(end)]
    return re.findall(r'X\([A-Z_0-9]+,\s*"(\w+)"', part)


def health_names():
    return names_of("CUP_HEALTH", "enum cup_health {")


USES = names_of("CUP_STACK_USES", "enum cup_stack_use {")


def number(data, at):
    """A LEB128 number, and where the next one stands."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7f) << shift
        shift, at = shift + 7, at + 1
        if byte < 0x80:
            return value, at


def lines_of(code):
    """(start, end, line)"""
    if hasattr(code, "co_lines"):
        return code.co_lines()
    starts = list(dis.findlinestarts(code))
    return [(at, following, line) for (at, line), (following, _) in zip(starts, [*starts[1:], (1 << 30, 0)])]


def unpacked(record, fixed):
    """A record and the length of its fixed part, as they would be without packing (packed_fixed.h)."""
    if not fixed & 0x8000:
        return record, fixed
    words, at, end = [], 8, fixed & 0x7fff
    while at < end:
        sizes, at = record[at], at + 1
        for shift in range(0, 8, 2):
            size = (0, 1, 2, 4)[sizes >> shift & 3]
            words.append(record[at:at + size].ljust(4, b"\0"))
            at += size
    longest = 64  # of the records that are packed
    plain = (record[:8] + b"".join(words)).ljust(longest, b"\0")[:longest]
    return plain + record[end:], longest


class Log:
    def __init__(self, path):
        data = Path(path).read_bytes()
        first, end = struct.unpack_from("<QQ", data, 24)
        self.pid, = struct.unpack_from("<I", data, 40)
        self.features, = struct.unpack_from("<Q", data, 72)
        size, = struct.unpack_from("<I", data, 16)
        names = health_names()
        self.strings, self.codes, self.nodes, self.notes, self.uses = {0: None}, {}, {}, [], []
        self.records, self.tasks, self.lines = 0, {}, {}  # tasks: their keys
        self.modules = {}  # path, build id
        self.rows = []  # of CPU_SAMPLES
        at = first
        while at < end:
            length, kind, fixed = struct.unpack_from("<IHH", data, at)
            if not length:
                break
            self.read(kind, *unpacked(data[at:at + length], fixed))
            self.records += 1
            at += length
        health = size - 8 * self.health_room()
        self.health = dict(zip(names, struct.unpack_from(f"<{len(names)}Q", data, health)))

    @staticmethod
    def health_room():
        text = (TOP / "include" / "log_format.h").read_text()
        return int(re.search(r"CUP_HEALTH_ROOM = (\d+)", text)[1])

    def read(self, kind, record, fixed):
        tail = record[fixed:]
        if kind == STRING:
            number, size = struct.unpack_from("<II", record, 8)
            self.strings[number] = tail[:size].decode()
        elif kind == NOTE:
            self.notes.append(self.strings[struct.unpack_from("<I", record, 8)[0]])
        elif kind == TASK_BEGIN:
            size, = struct.unpack_from("<I", record, 56)
            self.tasks[struct.unpack_from("<I", record, 8)[0]] = tail[:size].decode()
        elif kind == STACK_USE:
            self.read_uses(record, tail)
        elif kind == CPU_SAMPLES:
            self.read_cpu_samples(record, tail)
        elif kind == CODE:
            self.read_code(record, tail)
        elif kind == MODULE:
            module, path, base, size, _ = struct.unpack_from("<IIQII", record, 8)
            assert module == len(self.modules) + 1
            self.modules[module] = (self.strings[path], tail[:size].hex())
        elif kind == NODES:
            self.read_nodes(record, tail)

    def read_nodes(self, record, tail):
        first, count = struct.unpack_from("<II", record, 8)
        place = 0
        for node in range(first, first + count):
            step, place = number(tail, place)
            of, place = number(tail, place)
            at, place = number(tail, place)
            parent, of, at = node - step, (of >> 1 | of << 31) % 2**32, (at - 1) % 2**32
            assert 0 <= parent < node and (of in self.codes or CUT <= of <= NATIVE or not of or
                                           of - NATIVE in self.modules), (parent, of, at)
            assert node == len(self.nodes) + 1
            self.nodes[node] = (parent, of, at)

    def read_code(self, record, tail):
        number, file, line, minor, qualified, name, table = struct.unpack_from("<IIIHHII", record, 8)
        assert number == len(self.codes) + 1
        self.codes[number] = dict(name=tail[:name].decode(), file=self.strings[file], line=line,
                                  minor=minor, qualified=qualified, table=tail[name:name + table])

    def read_uses(self, record, tail):
        """(task, node, use, count, bytes, ns), of which the same node may come several times."""
        task, rows = struct.unpack_from("<II", record, 8)
        assert rows & 1 << 31
        node = use = at = 0
        for _ in range(rows & ~(1 << 31)):
            head, at = number(tail, at)
            if head & 1:  # at the node of the row before
                follow, step = (head >> 1), use
            else:
                node += head >> 1
                follow, at = number(tail, at)
                step = 0
            use = step + (follow >> 3)
            count, at = number(tail, at) if follow & 1 else (1, at)
            amount, at = number(tail, at) if follow & 2 else (0, at)
            ns, at = number(tail, at) if follow & 4 else (0, at)
            if use < len(USES):  # beyond: baskets that were asked for
                self.uses.append((task, node, USES[use], count, amount, ns))

    def read_cpu_samples(self, record, tail):
        """(tid, start ns, stop ns, task, node, on a core, samples)"""
        tid, rows, time = struct.unpack_from("<IIq", record, 8)
        task = node = at = 0
        for _ in range(rows):
            bits, at = number(tail, at)
            step, at = number(tail, at)
            values = [0, 0, 0, 0]  # differences of task and node, further samples and how long
            for i, bit in enumerate((2, 4, 8, 8)):
                if bits & bit:
                    values[i], at = number(tail, at)
            task += values[0] >> 1 ^ -(values[0] & 1)
            node += values[1] >> 1 ^ -(values[1] & 1)
            start = time + (step << 20)
            time = start + (values[3] << 20)
            self.rows.append((tid, start, time, task, node, bool(bits & 1), 1 + values[2]))

    def frames(self, node):
        """Innermost first: (name, code or 0, offset)."""
        while node:
            node, of, at = self.nodes[node]
            yield (self.codes[of]["name"], of, at) if of in self.codes else (None, 0, at)

    def without_native(self, node):
        """The innermost frame of a stack that is none of C."""
        while node and self.nodes[node][1] >= NATIVE:
            node = self.nodes[node][0]
        return node

    def line(self, code, at):
        """By this very interpreter, which must be of the same version; None: not known."""
        facts = self.codes[code]
        lines = self.lines.get(code)
        if lines is None:
            name = "co_linetable" if sys.version_info >= (3, 10) else "co_lnotab"
            # long enough for any offset
            made = (lambda: 0).__code__.replace(**{name: facts["table"], "co_code": bytes(1 << 16),
                                                   "co_firstlineno": facts["line"]})
            lines = self.lines[code] = list(lines_of(made))
        return next((line for start, end, line in lines if start <= at < end), None)

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
            for name in ("stacks_taken", "stacks_dropped", "codes_replaced", "records_dropped", "native_missed",
                         "native_apart")}
    return {"logs": len(logs), "codes": sum(len(log.codes) for log in logs),
            "nodes": sum(len(log.nodes) for log in logs), **sums,
            "modules": sum(len(log.modules) for log in logs),
            "native": sum(node[1] >= NATIVE for log in logs for node in log.nodes.values()),
            "taken_for_others": sum("taken for others" in note for log in logs for note in log.notes),
            "seen": sum(log.features >> STACKS_FEATURE & 1 for log in logs),
            "native_seen": sum(log.features >> NATIVE_FEATURE & 1 for log in logs)}


if __name__ == "__main__":
    print(*(f" {name}={number}" for name, number in summary(sys.argv[1]).items()))
