"""mneme/_meta.py - user metadata beside the rows of a buffer on disk, committed with them.

One file holds the metadata of the coming commit, those of the commit before, and the hash of the
manifest that the coming commit replaces. Whichever of the two the manifest on disk belongs to is
valid: a crash between the two writes loses nothing and mixes nothing.
"""

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

_FILE = "python_meta.json"


def _manifest(path: str) -> str:
    try:
        return hashlib.sha256(Path(path, "manifest").read_bytes()).hexdigest()
    except FileNotFoundError:
        return ""


def _write(path: str, content: dict[str, Any]) -> None:
    text = json.dumps({"version": 1, **content})
    os.makedirs(path, exist_ok=True)
    new = Path(path, _FILE + ".new")
    with new.open("w") as file:
        file.write(text + "\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, Path(path, _FILE))


def read(path: str) -> Any:
    """The metadata of the commit that is on disk; None if it has none."""
    file = Path(path, _FILE)
    try:
        content = json.loads(file.read_text())
        return content["before" if content["replaces"] == _manifest(path) else "meta"]
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise RuntimeError(f"{file} is corrupt: {error!r}") from None


def commit(path: str, meta: Any, write_rows: Callable[[], None]) -> None:
    """Metadata and rows: both, or neither."""
    try:
        json.dumps(meta)
    except (TypeError, ValueError) as error:
        raise ValueError(f"meta must be what JSON can write: {error}") from None
    before, replaces = read(path), _manifest(path)
    if replaces:
        _write(path, {"meta": meta, "before": before, "replaces": replaces})
    write_rows()
    if _manifest(path) == replaces or not replaces:  # no row was new, or there was no manifest
        _write(path, {"meta": meta, "before": None, "replaces": ""})


def remove(path: str) -> None:
    Path(path, _FILE).unlink(missing_ok=True)
