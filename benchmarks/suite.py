"""Run a kernel in a process of its own and gather what it says."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from typing import Any

from benchmarks import machine

#: Seconds for all of one kernel in one form.
LIMIT = 300
#: Bytes below which peaks are not compared: memory is measured in pages.
PAGES = 200_000


def run(name: str, form: str, given: argparse.Namespace) -> dict[str, Any]:
    """The row of one kernel in one form: times and peaks by column, and the ratios.

    What cannot be interrupted (a compiler in C++) is ended from here; what was found until then is kept.
    """
    options = {key: getattr(given, key) for key in ("targets", "peers", "threads", "repeats")}
    command = [sys.executable, "-m", "benchmarks.worker", name, form, json.dumps(options)]
    row: dict[str, Any] = {"kernel": name, "form": form, "columns": {}, "errors": {}}
    try:
        done = subprocess.run(
            command, env=machine.environment(given.threads), capture_output=True, text=True, timeout=LIMIT, check=False
        )
        text, trouble = done.stdout, done.stderr if done.returncode else ""
    except subprocess.TimeoutExpired as error:
        text = error.stdout.decode() if isinstance(error.stdout, bytes) else (error.stdout or "")
        trouble = f"ended after {LIMIT} s"
    for line in text.splitlines():
        if line.startswith("{"):
            _take(row, json.loads(line))
    if trouble:
        row["errors"]["process"] = trouble.strip().splitlines()[-1][:300]
    return row | {"ratios": ratios(row["columns"])}


def _take(row: dict[str, Any], facts: dict[str, Any]) -> None:
    if "times" in facts:
        for column, time in facts["times"].items():
            row["columns"][column]["s"] = time
    elif "error" in facts:
        row["errors"][facts["column"]] = facts["error"]
    elif "absent" not in facts:
        row["columns"][facts["column"]] = {"first_s": facts["first_s"], "peak": facts["peak"]}


def ratios(columns: dict[str, dict[str, Any]]) -> dict[str, float]:
    """What the columns say of each other.

    >>> columns = {"primal": {"s": 1.0}, "hand": {"s": 1.6, "first_s": 2.0}, "jax": {"s": 30.0}}
    >>> ratios({**columns, "s2s": {"s": 2.0, "first_s": 3.0}})
    {'gradient/primal': 2.0, 's2s/hand': 1.25, 'first/hand': 1.5, 'jax/s2s': 15.0}

    What is timed at the small size is divided by s2s at that size.

    >>> ratios({"s2s": {"s": 2.0}, "jax loops": {"s": 30.0}, "s2s small": {"s": 0.5}})
    {'jax loops/s2s': 60.0}
    """
    times = {name: facts["s"] for name, facts in columns.items() if "s" in facts}
    if "s2s" not in times:
        return {}
    found = {}
    for name, time in times.items():
        if name == "primal":
            found["gradient/primal"] = times["s2s"] / time
        elif name in ("hand", "tuned"):
            found[f"s2s/{name}"] = times["s2s"] / time
        elif name == "jax loops":
            if "s2s small" in times:
                found["jax loops/s2s"] = time / times["s2s small"]
        elif name not in ("s2s", "s2s small"):
            found[f"{name}/s2s"] = time / times["s2s"]
        if name == "hand":
            found |= _beside_hand(columns["s2s"], columns["hand"])
    return found


def _beside_hand(s2s: dict[str, Any], hand: dict[str, Any]) -> dict[str, float]:
    """First call and peak memory; the latter where there is enough of it to be seen in pages."""
    found = {}
    if "first_s" in s2s and "first_s" in hand:
        found["first/hand"] = s2s["first_s"] / hand["first_s"]
    if s2s.get("peak") and (hand.get("peak") or 0) >= PAGES:
        found["peak/hand"] = s2s["peak"] / hand["peak"]
    return found
