"""The bar chart of the README."""

from __future__ import annotations

from pathlib import Path
from typing import Any

#: In the order of the bars, with a colour for each.
BARS = {
    "hand": "#6b7280", "s2s": "#2563eb", "jax": "#f59e0b", "torch": "#dc2626",
    "autograd": "#10b981", "tangent": "#a855f7",
}  # fmt: skip


def draw(rows: list[dict[str, Any]], about: dict[str, Any], path: Path) -> None:
    """Bars of gradient/primal for each kernel, in a panel for each form; on a logarithmic axis."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    forms = [form for form in ("loops", "arrays") if any(row["form"] == form for row in rows)]
    figure, panels = plt.subplots(len(forms), 1, figsize=(13.0, 3.6 * len(forms)), squeeze=False, layout="constrained")
    for panel, form in zip(panels[:, 0], forms, strict=True):
        _panel(panel, [row for row in rows if row["form"] == form and "s" in row["columns"].get("primal", {})])
        panel.set_title(f"Gradient / function compiled by numba, {form} (less is better)", loc="left", fontsize=10)
    threads = f"{about['threads']} thread" + ("s" if about["threads"] > 1 else "")
    figure.suptitle(f"{about['processor']}, {threads}, warm", x=0.99, ha="right", fontsize=8, color="#6b7280")
    figure.savefig(path, dpi=110, metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(figure)


def _panel(panel: Any, rows: list[dict[str, Any]]) -> None:
    columns = [name for name in BARS if any("s" in row["columns"].get(name, {}) for row in rows)]
    width = 0.8 / max(1, len(columns))
    for number, column in enumerate(columns):
        places, heights = [], []
        for place, row in enumerate(rows):
            times = row["columns"]
            if "s" in times.get(column, {}):
                places.append(place + (number - (len(columns) - 1) / 2) * width)
                heights.append(times[column]["s"] / times["primal"]["s"])
        panel.bar(places, heights, width, label=column, color=BARS[column])
    panel.axhline(1.0, color="black", linewidth=0.6)
    panel.set_yscale("log")
    panel.set_xticks(range(len(rows)), [row["kernel"] for row in rows], rotation=45, ha="right", fontsize=8)
    panel.set_xlim(-0.6, len(rows) - 0.4)
    panel.spines[["top", "right"]].set_visible(False)
    panel.legend(frameon=False, fontsize=8, ncols=len(columns), loc="upper right")
