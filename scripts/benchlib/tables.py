# SPDX-License-Identifier: GPL-2.0
#
# Tables of results: lists of lines, each a list of cells, the head first.

from benchlib.results import costs_of, number, rows_of, union

CONTEXTS = ["task", "irqs-off", "migration-off", "in-bpf"]


def cell(value, digits=1):
    # Adding 0.0 makes a zero of a negative one.
    return "-" if value is None else f"{round(value, digits) + 0.0:.{digits}f}"


def short(value):
    """Large counts as people say them; the JSON has all digits."""
    if value is None:
        return "-"
    for limit, unit in ((10**9, " G"), (10**6, " M"), (10**3, " k")):
        if abs(value) >= limit:
            return f"{value / limit:.3g}{unit}"
    return str(value)


def ratio(first, other, digits=1):
    """How many times more the first one is."""
    # Less than what the tables show is nothing.
    if None in (first, other) or min(abs(first), abs(other)) < 0.05:
        return "-"
    return f"{first / other:.{digits}f}"


def wanted(names, only):
    return [name for name in only if name in names] if only else names


def calls_table(merged, only=()):
    """What calls cost."""
    kernels = {name: rows_of(kernel) for name, kernel in merged["kernels"].items()}
    names = list(kernels)
    unit = "insns/call" if "instructions" in merged["unit"] else merged["unit"]
    yield (["case"] + [f"{n} {unit}" for n in names] +
           [f"{n} overhead" for n in names] +
           [f"{names[0]}/{n}" for n in names[1:]] +
           [f"{n} path" for n in names])
    for case in wanted(union(kernels.values()), only):
        rows = [kernels[n].get(case) for n in names]
        cost = [number(row, "overhead") for row in rows]
        yield ([case] + [cell(number(row, "median")) for row in rows] +
               [cell(c) for c in cost] + [ratio(cost[0], c) for c in cost[1:]] +
               [row["path"] if row and row["status"] == "ok" else
                row["status"] if row else "-" for row in rows])


def context_table(merged, only=()):
    """The overhead of a case in each context, on the last kernel."""
    rows = rows_of(list(merged["kernels"].values())[-1])
    yield ["case"] + CONTEXTS
    for case in wanted(union([[row["case"] for row in rows.values()]]), only):
        cells = [number(rows.get(case if c == "task" else f"{case}@{c}"),
                        "overhead") for c in CONTEXTS]
        if cells[1:] != [None] * 3:
            yield [case] + [cell(c) for c in cells]


def overview_table(results, only=()):
    """The overhead of a case on each kernel of each architecture."""
    kernels = [(merged["arch"], name, rows_of(kernel)) for merged in results
               for name, kernel in merged["kernels"].items()]
    yield ["case"] + [f"{arch} {name}" for arch, name, _ in kernels]
    for case in wanted(union(rows for _, _, rows in kernels), only):
        yield [case] + [cell(number(rows.get(case), "overhead"))
                        for _, _, rows in kernels]


def spread_table(merged):
    """How far apart the samples of a case are, where they are at all."""
    yield ["case", "kernel", "min", "median", "max", "mad"]
    for name, kernel in merged["kernels"].items():
        for case, row in rows_of(kernel).items():
            if row["status"] == "ok" and \
               row["mad"] > max(0.05, 2 * row["resolution"]):
                yield [case, name] + [cell(row[key], 3) for key in
                                      ("min", "median", "max", "mad")]


def syscall_table(merged, only=()):
    """What a program costs a system call, and how much slower that gets."""
    names = list(merged["kernels"])
    rows = {n: {r["name"]: r for r in merged["kernels"][n]["syscalls"]}
            for n in names}
    yield (["getpgid() with"] + [f"{n} insns" for n in names] +
           [f"{n} loss" for n in names])
    for program in wanted(union(rows.values()), only):
        cells = [number(rows[n].get(program), "median") for n in names]
        line = [program] + [cell(c) for c in cells]
        for name, cost in zip(names, cells):
            base = number(rows[name].get("none"), "median")
            line.append("-" if not cost or not base else
                        f"{100 * (1 - base / cost):.1f} %")
        yield line


def cost_table(merged, only=()):
    """What it takes to turn tracing on and off."""
    names = list(merged["kernels"])
    costs = {n: costs_of(merged["kernels"][n]) for n in names}
    stalls = {n: costs_of(merged["kernels"][n], "cost_2_processors")
              for n in names}

    def value(row, way, key):
        found = number(row, way)
        if found and key == "memory":
            return sum(found["memory"].values())
        return found[key] if found else None

    with_stall = any(stalls.values())
    yield (["case"] +
           [f"{n} {way} insns" for way in ("on", "off") for n in names] +
           [f"{n} {way} ns" for way in ("on", "off") for n in names] +
           [f"{n} {way} bytes" for way in ("on", "off") for n in names] +
           [f"{n} stall ns" for n in names if with_stall])
    for case in wanted(union(costs.values()), only):
        if case.startswith("flushes-"):
            continue
        line = [case]
        for key in ("busy", "elapsed", "memory"):
            for way in ("on", "off"):
                line += [short(value(costs[n].get(case), way, key))
                         for n in names]
        for name in names if with_stall else []:
            both = [value(stalls[name].get(case), way, "stall")
                    for way in ("on", "off")]
            both = [b for b in both if b is not None]
            line.append(short(max(both) if both else None))
        yield line


def flush_table(merged, only=()):
    """How often TLBs, and instruction caches, are flushed to trace all functions."""
    names = list(merged["kernels"])
    costs = {n: costs_of(merged["kernels"][n]) for n in names}
    yield ["case"] + [f"{n} {way} flushes" for way in ("on", "off") for n in names]
    for case in wanted(union(costs.values()), only):
        if not case.startswith("flushes-"):
            continue
        found = [number(costs[n].get(case), way) for way in ("on", "off")
                 for n in names]
        yield [case] + [str(f["flushes"]) if f else "-" for f in found]


def size_table(merged, only=()):
    """How large kernel and modules are; the modules that all of them have."""
    names = list(merged["kernels"])
    sizes = [merged["kernels"][n]["size"] for n in names]
    yield ["bytes"] + names + [f"{n} growth" for n in names[1:]]
    lines = [(section, [s["kernel"].get(section) for s in sizes])
             for section in wanted(union(s["kernel"] for s in sizes), only)]
    common = [m for m in sizes[0]["modules"]
              if all(m in s["modules"] for s in sizes)]
    if common and not only:
        lines.append((f".text of {len(common)} modules",
                      [sum(s["modules"][m] for m in common) for s in sizes]))
    for what, values in lines:
        growth = ["-" if not values[0] or v is None else
                  f"{100 * (v - values[0]) / values[0]:.1f} %"
                  for v in values[1:]]
        yield [what] + ["-" if v is None else str(v) for v in values] + growth


def widths(lines):
    return [max(map(len, column)) for column in zip(*lines)]


def aligned(line, width):
    return [text.rjust(w) if text[:1].isdigit() or text[:1] == "-"
            else text.ljust(w) for text, w in zip(line, width)]


def markdown(lines):
    width = widths(lines)
    text = ["| " + " | ".join(aligned(line, width)) + " |" for line in lines]
    text.insert(1, "|" + "|".join("-" * (w + 2) for w in width) + "|")
    return text


def rest(lines):
    """As a simple table of reST"""
    width = widths(lines)
    rule = "  ".join("=" * w for w in width)
    text = ["  ".join(aligned(line, width)).rstrip() for line in lines]
    return [rule, text[0], rule, *text[1:], rule]
