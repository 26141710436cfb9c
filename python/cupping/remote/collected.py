"""collected.json in a profile directory: what the client knows of the workers beside their logs, for the
report. {"refused": [{"worker": address, "why": text}], "logs": {...}}"""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

NAME = "collected.json"
_lock = threading.Lock()


def update(directory: Path, **parts: Any) -> None:
    """Replaces these parts of the file, in one step, and keeps the others. Called by any thread."""
    path = Path(directory) / NAME
    with _lock:
        known = json.loads(path.read_text()) if path.exists() else {}
        new = path.with_name(f".{NAME}.{os.getpid()}")
        new.write_text(json.dumps({**known, **parts}, indent=1) + "\n")
        new.rename(path)
