"""The table that is printed."""

from __future__ import annotations

import math
from typing import Any

#: The columns, and how wide they are.
RATIOS = {"gradient/primal": 17, "s2s/hand": 10, "s2s/tuned": 11, "first/hand": 12, "peak/hand": 11}


def heading(about: dict[str, Any]) -> str:
    packages = ", ".join(f"{name} {version}" for name, version in about["packages"].items())
    threads = f"{about['threads']} thread" + ("s" if about["threads"] > 1 else "")
    columns = f"{'kernel':<16}{'form':<8}{'primal':>10}{'s2s':>10}{'first':>11}{'peak':>9}"
    columns += "".join(name.rjust(width) for name, width in RATIOS.items())
    return f"Python {about['python']}, {packages}\n{about['processor']}, {threads} each\n\n{columns}"


def line(row: dict[str, Any]) -> str:
    """A row: times, ratios, then what others take and what failed."""
    columns, found = row["columns"], row["ratios"]
    s2s = columns.get("s2s", {})
    cells = [_time(columns.get(name, {}).get("s")).rjust(10) for name in ("primal", "s2s")]
    cells += [_time(s2s.get("first_s")).rjust(11), _memory(s2s.get("peak")).rjust(9)]
    cells += [(f"{found[name]:.2f}" if name in found else "").rjust(width) for name, width in RATIOS.items()]
    others = [f"  {name} {_short(ratio)}" for name, ratio in found.items() if name not in RATIOS]
    failed = [f"\n    {name}: {text.strip().splitlines()[0]}" for name, text in row["errors"].items()]
    return f"{row['kernel']:<16}{row['form']:<8}" + "".join(cells + others + failed)


def summary(rows: list[dict[str, Any]]) -> str:
    """Geometric means and worst of each ratio, for each form."""
    lines = [""]
    for form in ("loops", "arrays"):
        found = {row["kernel"]: row["ratios"] for row in rows if row["form"] == form}
        for name in dict.fromkeys(name for ratios in found.values() for name in ratios):
            values = {kernel: ratios[name] for kernel, ratios in found.items() if name in ratios}
            # Where the divisor is s2s, the least is the worst.
            worst = (min if name.endswith("/s2s") else max)(values, key=values.__getitem__)
            mean = geometric_mean(list(values.values()))
            lines.append(
                f"{form:<8}{name:<20} geometric mean {_short(mean):>8} of {len(values):>2}   "
                f"worst {_short(values[worst]):>8} ({worst})"
            )
    return "\n".join(lines)


def geometric_mean(values: list[float]) -> float:
    """The mean of ratios.

    >>> geometric_mean([1.0, 4.0])
    2.0
    """
    return math.exp(sum(map(math.log, values)) / len(values))


def _short(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio < 100 else f"{ratio:.0f}"


def _time(seconds: float | None) -> str:
    if seconds is None:
        return "-"
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if seconds * scale >= 1.0:
            return f"{seconds * scale:.2f} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def _memory(count: int | None) -> str:
    return "-" if count is None else f"{count / 2**20:.1f} MB"
