"""Functions given as text, in a module with a file, where their source is found."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def imported(folder: Path, name: str, functions: Iterable[str]) -> Any:
    """A module called `name`, made in `folder`, with these functions of NumPy."""
    path = folder / f"{name}.py"
    path.write_text("import numpy as np\n\n\n" + "\n\n".join(functions))
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made
