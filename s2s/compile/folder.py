"""Modules on disk, from which numba can cache machine code between processes."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

_lock = threading.RLock()


def cache_folder() -> Path:
    """`$S2S_CACHE_DIR`, else a folder `s2s` where the platform keeps caches; made if it is not there."""
    chosen = os.environ.get("S2S_CACHE_DIR")
    folder = Path(chosen) if chosen else _user_caches() / "s2s"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _user_caches() -> Path:
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def import_text(name: str, text: str, versions: Sequence[str]) -> ModuleType:
    """The module of `text`, imported from a file whose name depends on the text and on `versions`."""
    digest = hashlib.sha256("\n".join([*versions, text]).encode()).hexdigest()[:20]
    module_name = f"s2s_{name}_{digest}"
    path = cache_folder() / f"{module_name}.py"
    with _lock:
        loaded = sys.modules.get(module_name)
        if loaded is not None and loaded.__file__ == str(path):
            return loaded
        if not (path.exists() and path.read_text(encoding="utf-8") == text):
            write_atomically(path, text)
        spec = importlib.util.spec_from_file_location(module_name, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[module_name]
            raise
        return module


def write_atomically(path: Path, text: str) -> None:
    """Write a file so that no other process ever sees half of it."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
