"""Files that are replaced as a whole."""

from __future__ import annotations

import os
import tempfile


def write_whole(path: str | os.PathLike, content: bytes) -> None:
    """Replaces a file by one with this content, which only this user can read."""
    descriptor, temporary = tempfile.mkstemp(dir=os.path.dirname(path) or ".")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
