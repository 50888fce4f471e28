# SPDX-License-Identifier: GPL-2.0
#
# What must be true of results: the path that each case takes, which follows from
# what it attaches, and that nothing costs more than it did.

from benchlib.results import costs_of, number, rows_of

# A sample may be off by a tick of the clock at each end.
CALL_TOLERANCE = 0.5
# Rows in which not all calls cost the same: tracers fill pages of a buffer
UNEVEN = {"function-tracer": 0.01, "function-graph": 0.01}
# Registering allocates memory and meets interrupts. While detaching waits the kernel
# may do something else that was due, such as flushing unmapped addresses.
COST_TOLERANCE = 0.05
COST_SLACK = {"on": 30000, "off": 6000000}
# On several processors it is time that counts, with what the others do and are waited
# for meanwhile. Waits end with a tick, of which there are a hundred a second. Detaching
# waits for RCU tasks, which sleeps for a tenth of a second between two grace periods.
TIME_TOLERANCE = 0.1
TIME_SLACK = {"on": 30000000, "off": 100000000}
UNITS = {"busy": "instructions", "elapsed": "ns"}

STOCK_KPROBES = {"arm64": {"kprobe"}, "riscv": {"regs+list"},
                 "powerpc": {"regs+single"}}
PATCHED_KPROBES = {"regs+call_ops"}
TRACERS = "function-tracer", "function-graph"
UNSUPPORTED = {"unsupported"}
EXTERNAL = ["bpf-kprobe", "bpf-kretprobe", "bpf-kprobe-multi",
            "bpf-kretprobe-multi", "bpf-fentry", "bpf-fexit",
            "bpf-fentry-fexit", "bpf-fmod_ret", *TRACERS]
# Fprobe's flags
ENTRY = 1


def is_patched(name):
    """Is a kernel of this name one with the series? None: nobody knows."""
    if name.startswith("patched") or name in ("again", "debian"):
        return True
    return False if name.startswith("stock") else None


def stock_path(arch, row):
    """The list function, and nothing that has to do with direct calls."""
    case = row["case"]
    if row["ops"] is None:
        if case in ("bpf-kprobe", "bpf-kretprobe"):
            return STOCK_KPROBES[arch]
        if case in TRACERS:
            return UNSUPPORTED if arch == "riscv" else {"single"}
        return UNSUPPORTED
    if row["direct"] or row["trampoline"] or row["fprobe"]:
        return UNSUPPORTED
    if not row["ops"]:
        return {"none"}
    return {"regs+list" if row["regs"] else "list"}


def patched_path(arch, row):
    """Literals, sets, and direct calls; branches to trampolines on arm64 only."""
    case = row["case"]
    near = arch == "arm64"
    if row["ops"] is None:
        if case in ("bpf-kprobe", "bpf-kretprobe"):
            return PATCHED_KPROBES
        if case == "bpf-kprobe-multi":
            return {"regs+call_ops"}
        if case in ("bpf-kretprobe-multi", *TRACERS):
            return {"call_ops"}
        # Where BPF's trampolines are is up to the kernel.
        return {"direct-far", "direct-near"} if near else {"direct-far"}
    if row["direct"] and row["ops"]:
        return {"direct-late"}
    if row["direct"] == "near" or row["trampoline"] == "near":
        kind = "direct-near" if row["direct"] else "trampoline"
        return {kind} if near else UNSUPPORTED
    if row["direct"] == "far":
        return {"direct-far"}
    if row["trampoline"] == "far":
        return {"trampoline-far"} if near else UNSUPPORTED
    if row["fprobe"]:
        regs = row["fprobe"] & ENTRY
        return {"regs+call_ops" if regs else "call_ops"}
    if not row["ops"]:
        return {"none"}
    kind = "set" if row["ops"] > 1 else "call_ops"
    return {"regs+" + kind if row["regs"] else kind}


def control_path(row):
    """The control: stock 6.1 has trampolines for each ops, and direct calls."""
    case = row["case"]
    if row["ops"] is None:
        if case in ("bpf-kprobe", "bpf-kretprobe", *TRACERS):
            return {"trampoline"}
        return UNSUPPORTED if case.endswith("-multi") else {"direct-near"}
    if row["fprobe"] or "far" in (row["direct"], row["trampoline"]):
        return UNSUPPORTED
    if row["direct"]:
        return {"direct-late" if row["ops"] else "direct-near"}
    if not row["ops"]:
        return {"none"}
    return {"list" if row["ops"] > 1 else "trampoline"}


def expected_path(arch, name, row):
    """The paths that are right for a row; None if that is not known."""
    patched = is_patched(name)
    if patched is None:
        return None
    if row["case"] == "kprobe-trap":
        return {"kprobe"} if arch in ("arm64", "riscv") else UNSUPPORTED
    if arch == "x86_64":
        return control_path(row)
    return (patched_path if patched else stock_path)(arch, row)


def wrong_rows(arch, name, rows):
    """What is wrong with the rows of one kernel."""
    if is_patched(name) is not None:
        for case in ["untraced", "ops1", "ops100-irr100", *EXTERNAL]:
            if case not in rows:
                yield f"{case}: no such row"
    for case, row in rows.items():
        want = expected_path(arch, name, row)
        if row["ops"] is None and row["case"] not in EXTERNAL:
            yield f"{case}: a row that nobody expects"
        if row["status"] == "unsupported":
            if want and "unsupported" not in want:
                yield f"{case}: unsupported: {row['reason']}"
        elif row["status"] != "ok":
            yield f"{case}: {row['status']}: {row['reason']}"
        elif want and row["path"] not in want:
            yield (f"{case}: path is {row['path']}, not "
                   f"{' or '.join(sorted(want))}")
        elif row["path"].startswith("unknown:"):
            yield f"{case}: path is {row['path']}"
        elif row["hits"] is None or row["hits"] != row["expected_hits"]:
            yield f"{case}: {row['hits']} hits, not {row['expected_hits']}"


def unequal(rows):
    """The point of it all: irrelevant ops must not cost anything."""
    for case, row in rows.items():
        alone = rows.get(case.partition("-irr")[0])
        cost, other = number(row, "overhead"), number(alone, "overhead")
        if row is alone or cost is None or other is None or \
           alone["path"] not in ("call_ops", "set", "trampoline") or \
           row["path"] != alone["path"]:
            continue
        tick = max(row["resolution"], alone["resolution"])
        if abs(cost - other) > CALL_TOLERANCE + tick:
            yield (f"{case}: {cost} instructions per call, but "
                   f"{other} without irrelevant ops")


def miscalculated(rows):
    """Rows whose numbers cannot be."""
    for case, row in rows.items():
        if row["median"] is None:
            continue
        if not row["min"] <= row["median"] <= row["max"]:
            yield f"{case}: the median is not between least and greatest"
        # The median of differences and the difference of medians: as far apart
        # as the samples of a row may be without being noise.
        allowed = 0.02 * row["median"] + 2 * row["resolution"] + 0.01
        if abs(row["median"] - row["untraced"] - row["overhead"]) > allowed:
            yield f"{case}: the overhead is not what untraced leaves"
        if row["calls"] % row["batch_calls"]:
            yield (f"{case}: {row['calls']} calls in batches of "
                   f"{row['batch_calls']}")


def miscounted(arch, name, syscalls):
    """Programs that were not called once by each system call, or not at all."""
    for row in syscalls:
        what = f"system call, {row['name']}"
        wanted = 0 if row["name"] == "none" else row["calls"]
        # What attaches to the tracee of the module does so here.
        can = expected_path(arch, name, {"case": "bpf-" + row["name"],
                                         "ops": None}) or UNSUPPORTED
        if row["status"] == "unsupported":
            if "unsupported" not in can or row["name"] == "none":
                yield f"{what}: unsupported: {row['reason']}"
        elif row["status"] != "ok" or row["hits"] != wanted:
            yield f"{what}: {row['hits']} hits in {row['calls']} calls"


def not_all(arch, name, costs):
    """Rows that failed, or in which not all functions got traced or untraced."""
    for row in costs or []:
        wanted = row["expected_sites"]
        case = "bpf-" + row["name"].removesuffix("-traced").rpartition("-")[0]
        can = expected_path(arch, name, {"case": case, "ops": None}) \
            if case in EXTERNAL else UNSUPPORTED
        if row["status"] == "failed" or row["status"] == "unsupported" and \
           can and "unsupported" not in can:
            yield f"{row['name']}: {row['status']}: {row['reason']}"
        for way, sites in ("on", wanted), ("off", -wanted):
            if row["status"] == "ok" and row[way]["sites"] != sites:
                yield (f"{row['name']} {way}: the number of functions that are "
                       f"traced changed by {row[way]['sites']}, not {sites}")


def dearer_calls(old, new):
    """Rows of calls that cost more than they did."""
    before = rows_of(old)
    for case, row in rows_of(new).items():
        cost, was = number(row, "overhead"), number(before.get(case), "overhead")
        if cost is None or was is None:
            continue
        most = was + max(CALL_TOLERANCE, UNEVEN.get(row["case"], 0) * was) + \
            row["resolution"]
        if cost > most:
            yield f"{case}: overhead {cost}, not {was} or less"


def dearer_costs(old, new):
    """The same of turning tracing on and off."""
    before = costs_of(old)
    for case, row in costs_of(new).items():
        for way in ("on", "off"):
            was = number(before.get(case), way)
            now = number(row, way)
            if not was or not now:
                continue
            # Of several processors nobody knows which instructions are for this.
            unit = "elapsed" if was["busy"] is None else "busy"
            if was[unit] is None or now[unit] is None:
                continue
            if unit == "busy":
                most = was[unit] * (1 + COST_TOLERANCE) + COST_SLACK[way]
            else:
                most = was[unit] * (1 + TIME_TOLERANCE) + TIME_SLACK[way]
            if now[unit] > most:
                yield (f"{case} {way}: {now[unit]} {UNITS[unit]}, not "
                       f"{was[unit]} or less")


def dearer(old, new):
    """All that costs more; other compilers make other code."""
    if old["compiler"] == new["compiler"]:
        yield from dearer_calls(old, new)
        yield from dearer_costs(old, new)


def above_stock(name, stock, kernel):
    """
    What costs more on the kernel of this name, with the series, than on stock. Debian's
    configuration is another one, with many more functions. On riscv "patched" has
    preemption, which stock cannot have there: that shows in a breakpoint, where the
    series changes nothing.
    """
    if not is_patched(name) or name == "debian":
        return
    for line in dearer(stock, kernel):
        if not (name == "patched" and stock["arch"].startswith("riscv") and
                line.startswith("kprobe-trap")):
            yield f"{line}, as on stock"
