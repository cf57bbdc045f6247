"""Exceptions of emitted code name the user's line too, in a note below the traceback."""

from __future__ import annotations

from s2s.errors import S2SError, place
from s2s.ir.core import Loc


def name_line(error: BaseException) -> None:
    """Add a note with the statement of the user that the emitted line which raised `error` stands for.

    Nothing where the error does not come from emitted code. Python shows notes from 3.11 on.
    """
    if isinstance(error, S2SError):
        return
    found: Loc | None = None
    trace = error.__traceback__
    while trace is not None:
        lines = trace.tb_frame.f_globals.get("__s2s_lines__")
        if lines is not None:
            found = lines.get(trace.tb_lineno)
        trace = trace.tb_next
    if found is None:
        return
    note = "\n".join(["That line was emitted for", *place(found)])
    notes = getattr(error, "__notes__", [])
    if note not in notes:
        error.__notes__ = [*notes, note]  # as add_note does, which 3.10 has not
