"""Random functions with a loop over samples, which use and reuse memory in all ways."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

HEAD = ["n, m = X.shape", "h = np.zeros(m)", "g = np.zeros(m)", "y = np.zeros(n)", "Z = np.zeros((n, m))", "s = 0.0"]
BOUNDS = [("0", "m"), ("0", "m"), ("0", "m"), ("1", "m"), ("0", "m - 1"), ("0", "i + 1"), ("i", "m")]
WHOLE = ["h[:] = 0.0", "g[:] = v[i]", "h[:] = g * v[i]", "g[1:] = W[1:]", "s += np.sum(g * g)", "y[i] = np.sum(h)"]


class Program:
    """A function of X (n, m), W (m) and v (n), as text."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines = [*HEAD, "for i in range(n):"]
        for _ in range(self.choice([2, 3])):
            self.block("    ", [], self.choice([1, 1, 2]))
        if self.random.random() < 0.3:
            self.lines.append("s += g[1]")
        self.lines.append("return np.sum(y * y) + s + np.sum(Z * Z)")
        body = "".join(f"    {line}\n" for line in self.lines)
        self.text = f"def f{seed}(X, W, v):\n{body}"

    def choice(self, options: Sequence[Any]) -> Any:
        return self.random.choice(options)

    def block(self, indent: str, inner: list[str], depth: int) -> None:
        for _ in range(self.choice([1, 1, 1, 2])):
            kind = self.random.random()
            if depth and kind < 0.6:
                j, (low, high) = "jk"[len(inner)], self.choice(BOUNDS)
                backwards = self.random.random() < 0.15
                bounds = f"{high} - 1, {low} - 1, -1" if backwards else f"{low}, {high}"
                self.lines.append(f"{indent}for {j} in range({bounds}):")
                self.block(indent + "    ", [*inner, j], depth - 1)
            elif depth and kind < 0.7:
                self.lines.append(f"{indent}if {self.choice(['v[i] > 0.5', 'i > 1', *(f'{j} > 1' for j in inner)])}:")
                self.block(indent + "    ", inner, 0)
            elif kind < 0.78:
                self.lines.append(indent + self.choice(WHOLE))
            else:
                self.lines.append(indent + self.store(inner))

    def store(self, inner: list[str]) -> str:
        array = self.choice(["h", "g", "h", "g", "y", "Z", "s"])
        j = self.choice(inner or ["0", "1"])
        sample = self.choice(["i", "i", "i", "0"])
        place = {"s": "s", "y": f"y[{sample}]", "Z": f"Z[i, {j}]"}.get(array, f"{array}[{j}]")
        return f"{place} {'+=' if array == 's' else self.choice(['=', '=', '+='])} {self.value(inner)}"

    def value(self, inner: list[str]) -> str:
        options = ["X[i, 0]", "v[i]", "0.5", "W[0]", "h[0]", "g[1]", "y[i]"]
        for j in inner:
            options += [f"X[i, {j}]", f"W[{j}]", f"h[{j}]", f"h[{j}]", f"g[{j}]", f"Z[i, {j}]"]
        a, b = self.choice(options), self.choice(options)
        return self.choice([f"{a} * {b}", f"{a} + {b}", f"np.sin({a})", f"{a} * {a}", a])
