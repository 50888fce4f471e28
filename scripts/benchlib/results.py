# SPDX-License-Identifier: GPL-2.0
#
# Results of the benchmark: what the guest printed, what the module's results.json
# has, and the file in which those of several kernels are together.

import json
import os
import sys

SCHEMA = "ftrace-bench-comparison/6"
MODULE_SCHEMA = "ftrace-bench/3"
# Of the module's members, those that say how and where it measured
HOW = ["kernel", "arch", "clock", "cpu", "machine", "governor", "warmup_ms",
       "duration_ms", "batch_us", "near_distance", "far_distance"]


class Unusable(Exception):
    """No file of results, or one of another schema."""


def usage(script):
    """Print the comment block at the head of a script as its help text."""
    with open(script, encoding="utf-8") as file:
        for line in list(file)[3:]:
            if not line.startswith("#"):
                break
            print(line[1:].removeprefix(" ").rstrip())


def wants_help():
    return bool({"-h", "--help"} & set(sys.argv[1:]))


def read_parts(text):
    """The documents of a guest's results by their name."""
    parts = {}
    name = None
    for line in text.splitlines(keepends=True):
        if line.startswith("=== "):
            name = line[4:].strip()
            parts[name] = ""
        elif name:
            parts[name] += line
    return parts


def read_size(text):
    """Sizes in bytes: sections of the kernel, and the text of its modules."""
    size = {"kernel": {}, "modules": {}}
    for line in text.splitlines():
        if not line:
            continue
        name, value = line.split()
        where = "kernel" if name.startswith(".") else "modules"
        size[where][name] = int(value)
    return size


def compiler(version):
    """The first thing in parentheses behind who built it on which machine."""
    depth = 0
    start = None
    seen = 0
    for i, char in enumerate(version):
        if char == "(":
            depth += 1
            if depth == 1:
                seen += 1
                start = i + 1
        elif char == ")":
            depth -= 1
            if depth == 0 and seen == 2:
                return version[start:i].split(",")[0]
    return None


def from_module(module):
    """What the module alone knows of a kernel, as on hardware."""
    if module["schema"] != MODULE_SCHEMA:
        raise Unusable(f"{module['schema']}, not {MODULE_SCHEMA}")
    result = {key: module[key] for key in HOW}
    result.update(version=None, config=None, compiler=None, series=None,
                  rows=module["rows"], syscalls=[], cost=None,
                  cost_2_processors=None, size={"kernel": {}, "modules": {}})
    return result


def from_guest(parts):
    """All that is known about a kernel that was measured in QEMU."""
    result = from_module(json.loads(parts["module"]))
    system = json.loads(parts["system"])
    host = json.loads(parts["host"])
    result.update(version=system["version"], config=system["config"],
                  compiler=compiler(system["version"]),
                  series=host["series"] or None,
                  machine=f"QEMU {host['qemu']}, {host['cpu']}",
                  syscalls=json.loads(parts["syscalls"]),
                  cost=json.loads(parts["cost"]),
                  size=read_size(parts.get("size", "")))
    if "cost-2" in parts:
        result["cost_2_processors"] = json.loads(parts["cost-2"])
    for perf in "perf-2", "perf-8":
        if perf in parts:
            result["cost"] += json.loads(parts[perf])
    return result


def read_kernel(path):
    """One kernel's results, and the unit that they are in."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        if text.startswith("=== ") or "\n=== " in text:
            return from_guest(read_parts(text)), "guest instructions per call"
        module = json.loads(text)
        return from_module(module), module["unit"] + " per call"
    except (ValueError, KeyError, TypeError) as err:
        raise Unusable(f"no usable results in {path}: {err!r}") from err


def read_merged(path):
    """Results of several kernels, or those of one as if they were of several."""
    try:
        with open(path, encoding="utf-8") as file:
            merged = json.load(file)
        if merged["schema"] == MODULE_SCHEMA:
            merged = {"schema": SCHEMA, "arch": merged["arch"],
                      "unit": merged["unit"] + " per call",
                      "kernels": {merged["kernel"]: from_module(merged)}}
    except (OSError, ValueError, KeyError, TypeError) as err:
        raise Unusable(f"no usable results in {path}: {err}") from err
    if merged["schema"] != SCHEMA:
        raise Unusable(f"{path} is {merged['schema']}, not {SCHEMA}")
    return merged


def rows_of(kernel):
    """The rows of calls by their name."""
    return {row["name"]: row for row in kernel["rows"]}


def costs_of(kernel, which="cost"):
    return {cost["name"]: cost for cost in kernel[which] or []}


def number(row, key):
    """A number of a row, or None: a row may be missing or have no numbers."""
    return row[key] if row and row["status"] == "ok" else None


def union(lists):
    """All that is in any list, in order."""
    return list(dict.fromkeys(item for one in lists for item in one))


def dump(value, depth=0):
    """JSON with a line for each row, so that changes can be read."""
    if depth < 4 and isinstance(value, dict) and value:
        inner = [f"{' ' * (depth + 1)}{json.dumps(key)}: {dump(item, depth + 1)}"
                 for key, item in value.items()]
        return "{\n" + ",\n".join(inner) + "\n" + " " * depth + "}"
    if depth < 4 and isinstance(value, list) and value:
        inner = [" " * (depth + 1) + json.dumps(item) for item in value]
        return "[\n" + ",\n".join(inner) + "\n" + " " * depth + "]"
    return json.dumps(value)


def write_merged(path, merged):
    """Complete or not at all. Returns what went wrong, or None."""
    temporary = f"{path}.tmp.{os.getpid()}" if not os.path.exists(path) or \
        os.path.isfile(path) else path
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(dump(merged) + "\n")
        if temporary != path:
            os.replace(temporary, path)
    except OSError as err:
        if temporary != path and os.path.exists(temporary):
            os.unlink(temporary)
        return f"cannot write {path}: {err.strerror}"
    return None
