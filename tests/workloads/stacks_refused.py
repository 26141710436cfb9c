"""Fields of the interpreter that are not where they are thought to be: verification refuses each.

    stacks_refused.py libstacks.so
"""

import ctypes
import os
import re
import sys
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent.parent
# Those before the code objects' are verified with the frames; of variables nothing is read here.
OPTIONAL = {"code_version": (3, 12), "thread_chunk": (3, 11)}  # since when there are such fields
BY_FRAMES = ("thread_frame", "thread_indirect", "frame_code", "frame_back", "frame_variables", "frame_owner",
             "code_name")


def names():
    text = (TOP / "preload" / "python" / "layout.h").read_text()
    return re.findall(r"X\((\w+), +\w+,", text[text.index("#define CUP_OFFSETS(X)"):])


class Deeper:
    """Names and labels differ, lines too."""

    def look(self, library, field, more):
        kept = ctypes.c_int()
        why = (lambda größe: library.stacks_refused(field, more, ctypes.byref(kept)))(1)
        return why, kept.value


library = ctypes.PyDLL(os.path.abspath(sys.argv[1]))
library.stacks_refused.restype = ctypes.c_char_p
library.stacks_lack.restype = ctypes.c_char_p
library.stacks_refused.argtypes = [ctypes.c_size_t, ctypes.c_ssize_t, ctypes.c_void_p]
fields = names()
assert len(fields) == library.stacks_fields(), fields
refused = 0
for field, name in enumerate(fields):
    if name in BY_FRAMES:
        continue
    for more in (-8, -4, 4, 8, 16):
        why, kept = Deeper().look(library, field, more)
        assert not kept, f"{name} {more:+d} is believed"
        is_there = sys.version_info >= OPTIONAL.get(name, (4,))
        assert why or not is_there or library.stacks_lack(), f"nothing is said of {name}"
        refused += 1
print(refused, "refused")
