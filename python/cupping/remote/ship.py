"""The library as a parcel for workers: libcupping.so and what it loads, each with its hash."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zlib
from pathlib import Path
from typing import Any

from ..profile import Error

LIBRARY = "libcupping.so"
NAMES = (LIBRARY, "libcupping-unwind.so")  # the second one only the wheel has


def find_library() -> Path:
    """libcupping.so of this installation: in a checkout, below a prefix, or of the wheel (also after
    `pip install --user`, `--prefix` or `--target`)."""
    here = Path(__file__).resolve().parents[2]
    places = [here.parent / "build", here.parent, here.parent.parent / "cupping", here / "lib" / "cupping",
              Path(sysconfig.get_path("data")) / "lib" / "cupping"]
    for place in places:
        if (place / LIBRARY).is_file():
            return place / LIBRARY
    raise Error(f"{LIBRARY} was not found in {' or '.join(map(str, places))}: run make, or install cupping here")


def without_symbols(path: Path) -> bytes:
    """The file without what only debuggers read, if `strip` is here: a fifth of its size."""
    with tempfile.TemporaryDirectory(prefix="cupping-") as scratch:
        stripped = Path(scratch) / path.name
        strip = shutil.which("strip")
        if strip and subprocess.run([strip, "--strip-debug", "-o", stripped, path], check=False,
                                    capture_output=True).returncode == 0:
            return stripped.read_bytes()
        return path.read_bytes()


def read_version(library: Path) -> str:
    """The version that the library writes into its logs: that of this installation."""
    from ..profile import run_command

    return run_command("version").decode().split()[-1]


def pack(library: Path | None = None) -> dict[str, Any]:
    """{"hash": of all files, "version": of the library, "files": {name: (sha256, bytes, compressed)}}"""
    library = library or find_library()
    files, whole = {}, hashlib.sha256()
    for name in NAMES:
        path = library.parent / name
        if path.is_file():
            text = without_symbols(path)
            digest = hashlib.sha256(text).hexdigest()
            files[name] = (digest, len(text), zlib.compress(text, 9))
            whole.update(f"{name} {digest}\n".encode())
    return {"hash": whole.hexdigest(), "version": read_version(library), "files": files}
