# SPDX-License-Identifier: GPL-2.0
#
# What the patched kernel may cost at most: the table scripts/bench-expected.

import math
import os
import re

from benchlib.expect import COST_SLACK, COST_TOLERANCE
from benchlib.results import costs_of, number, rows_of

TABLE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                     "bench-expected")
UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9}


class Wrong(Exception):
    """A line of the table that cannot be read."""


class Limit:
    """A line of the table. @goal and @limit are None if there is none."""

    def __init__(self, fields):
        self.arch, self.row, self.figure = fields[:3]
        self.goal, self.limit = map(read_number, fields[3:])

    def gate(self):
        """What counts: what has been reached, else the goal."""
        return self.goal if self.limit is None else self.limit

    def name(self):
        return f"{self.row} {self.figure}"

    def set_limit(self, value):
        """
        As little above what it is now as that may vary; none if it is the goal. Calls
        whose goal is reached may vary with the compiler.
        """
        if self.goal is not None and value <= self.goal:
            most = math.ceil(value * (1 + COST_TOLERANCE)) + 1
            reached = self.figure == "overhead" and 0 < most < self.goal
            self.limit = most if reached else None
            return
        if self.figure == "overhead":
            self.limit = round(value) + 1
            return
        most = value * (1 + COST_TOLERANCE)
        if self.figure == "off busy":
            # The kernel does what was due while somebody waits.
            most = value + min(value, COST_SLACK["off"])
        elif self.figure.endswith("elapsed"):
            most = 2 * value
        self.limit = read_number(write_number(most))

    def line(self):
        return "\t".join([self.arch, self.row, self.figure,
                          write_number(self.goal), write_number(self.limit)])


def read_number(text):
    """A number with a unit; None for a dash, and "?" is no limit yet."""
    if text == "-":
        return None
    if text == "?":
        return math.inf
    match = re.fullmatch(r"([0-9.]+)([kMG]?)", text)
    if not match:
        raise Wrong(f"no number: {text}")
    return round(float(match[1]) * UNITS[match[2]], 6)


def write_number(value):
    """Three digits of it, rounded up, if there are more."""
    if value is None:
        return "-"
    if value == math.inf:
        return "?"
    for unit, factor in reversed(UNITS.items()):
        if value >= factor * (1 if unit != "k" else 10) or not unit:
            break
    value /= factor
    digits = max(0, 3 - len(str(int(value))))
    value = math.ceil(round(value * 10**digits, 6)) / 10**digits
    return f"{value:g}{unit}"


def read_table(path=TABLE):
    """Its lines: each a Limit, or what is a comment or empty as it is."""
    with open(path, encoding="utf-8") as file:
        for text in file.read().splitlines():
            fields = text.split("\t")
            if not text or text.startswith("#"):
                yield text
            elif len(fields) != 5:
                raise Wrong(f"{path}: no five fields: {text}")
            else:
                yield Limit(fields)


def section(arch, name):
    """What the table has for the kernel of this name instead of an architecture."""
    return {"patched": arch, "debian": f"{arch}-debian"}.get(name)


def limits_of(arch, path=TABLE):
    return [line for line in read_table(path)
            if isinstance(line, Limit) and line.arch == arch]


def figures(kernel):
    """All that can have a limit, by the name of the row and that of the figure."""
    found = {}
    for name, row in rows_of(kernel).items():
        # Whole instructions. A batch may be off by a tick of the clock at each end.
        cost = number(row, "overhead")
        found[name, "overhead"] = None if cost is None else round(cost)
    two, ten = found.get(("ops2", "overhead")), found.get(("ops10", "overhead"))
    if two is not None and ten is not None:
        found["ops-further", "overhead"] = (ten - two) / 8
    for name, row in costs_of(kernel).items():
        for way in "on", "off":
            for key in "busy", "elapsed", "flushes":
                value = number(row, way)
                found[name, f"{way} {key}"] = value and value.get(key)
    traced = found.get(("fentry-1-traced", "on busy"))
    alone = found.get(("fentry-1", "on busy"))
    if traced and alone:
        found["fentry-1-traced", "on ratio"] = traced / alone
    return found


def exceeded(arch, kernel, path=TABLE):
    """What costs more than it may, or cannot be told, on the patched kernel."""
    found = figures(kernel)
    for limit in limits_of(arch, path):
        gate = limit.gate()
        value = found.get((limit.row, limit.figure))
        if gate in (None, math.inf):
            continue
        if value is None:
            yield f"{limit.name()}: no figure, but a limit"
        elif value > gate:
            goal = "" if limit.goal in (gate, None) else \
                f" (the goal is {write_number(limit.goal)})"
            yield (f"{limit.name()}: {round(value, 3):.12g} is over the limit of "
                   f"{write_number(gate)}{goal}")
