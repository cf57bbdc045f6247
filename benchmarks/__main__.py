"""Time s2s beside adjoints written by hand and other systems, as ratios.

    python -m benchmarks [KERNEL ...] [--form loops|arrays] [--targets cpu python parallel] [--peers jax ...]
                         [--threads N] [--repeats N] [--json PATH] [--chart PATH]
    python -m benchmarks --show PATH ... [--chart PATH]      what was measured before

A process for each kernel and form. Every gradient is checked before anything is timed: at a tiny size with
finite differences, at the size that is timed with the others. Systems take turns, and the times of the best
rounds are divided:

    gradient/primal   what a gradient costs, in runs of the function under numba (1.0: as much as the function)
    s2s/hand          how far from an adjoint written straightforwardly by hand, under numba (1.0 is as good)
    s2s/tuned         how far from one whose loops were changed by hand until it was fast
    NAME/s2s          how many times slower another system is
    jax loops/s2s     the same for JAX with the loops kept as loops, both at a small size
    first             the first call: transform and compile; first/hand: beside compiling the one by hand
    s2s parallel/s2s  target cpu with parallel=True, on as many threads as --threads says, beside the same on one
    peak              by how much the process grows in a call; peak/hand: beside the one by hand

JAX has a version of its own of each kernel, which stands beside both forms; PyTorch and autograd run the array form.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks import chart, machine, peers, report
from benchmarks.kernels import KERNELS
from benchmarks.suite import ratios, run


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("kernels", nargs="*", default=list(KERNELS), metavar="KERNEL", help=", ".join(KERNELS))
    parser.add_argument("--form", nargs="+", choices=("loops", "arrays"), default=["loops", "arrays"])
    parser.add_argument("--targets", nargs="+", choices=("cpu", "python", "parallel"), default=["cpu", "python"])
    parser.add_argument("--peers", nargs="*", choices=list(peers.PEERS), default=list(peers.PEERS))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--json", type=Path, help="write the measurements there")
    parser.add_argument("--chart", type=Path, help="draw the bar chart there (.svg or .png)")
    parser.add_argument("--show", nargs="+", type=Path, help="measure nothing: show these files, written by --json")
    return parser.parse_args()


def main() -> None:
    given = options()
    about = machine.describe(given.threads)
    source = measured(given)
    if given.show:
        files = [json.loads(path.read_text()) for path in given.show]
        about = files[0]["machine"]
        source = iter(row | {"ratios": ratios(row["columns"])} for file in files for row in file["rows"])
    print(report.heading(about))
    rows = []
    for row in source:
        print(report.line(row), flush=True)
        rows.append(row)
    print(report.summary(rows))
    if given.json is not None:
        given.json.write_text(json.dumps({"machine": about, "rows": rows}, indent=1) + "\n")
    if given.chart is not None:
        chart.draw(rows, about, given.chart)


def measured(given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    for name in given.kernels:
        for form in KERNELS[name].forms:
            if form in given.form:
                yield run(name, form, given)


if __name__ == "__main__":
    main()
