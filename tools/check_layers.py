#!/usr/bin/env python3
"""Who may include whom under src/tidegate. The table below is the architecture; the docs draw it from here.

  tools/check_layers.py [--root DIR]        check every #include; exit 1 and one line for each that breaks the table
  tools/check_layers.py --markdown          print the diagram and the table as they stand in docs/architecture.md
  tools/check_layers.py --write FILE        put them between the markers of FILE
  tools/check_layers.py --compare FILE      exit 1 where FILE does not hold them
"""

import argparse
import dataclasses
import difflib
import fnmatch
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- layers:begin -->", "<!-- layers:end -->"


@dataclasses.dataclass(frozen=True)
class Layer:
    what: str
    may_include: tuple[str, ...] = ()


BELOW_APP = ("base", "schema", "contract", "store", "bucket", "parquet", "sqlite", "athena", "catalog", "table", "engine", "signature", "query", "deliver",
             "ingest", "upkeep", "status", "thaw", "publish", "declare", "net", "aws")

# A folder stands below everything it may include.
LAYERS = {
    "base": Layer("results and error codes, UTC time, text, JSON, hashes, log; no domain knowledge"),
    "schema": Layer("columns and types of a table, as Iceberg has them", ("base",)),
    "contract": Layer("paths, partitions, manifests, versions, the table catalog; pure", ("base",)),
    "net": Layer("HTTP, behind one port; no knowledge of any service", ("base",)),
    "aws": Layer("identities, signatures and retries of AWS and of servers that speak its protocol", ("base", "net")),
    "store": Layer("objects in a bucket or a folder, behind one port", ("base", "net", "aws")),
    "bucket": Layer("what a bucket of the contract holds", ("base", "contract", "store")),
    "parquet": Layer("footers, key scans, rewrites, capped and delete files", ("base", "schema", "store")),
    "sqlite": Layer("one SQLite file behind a small surface", ("base",)),
    "athena": Layer("statements in Amazon Athena: run, wait, read what came", ("base", "net", "aws")),
    "catalog": Layer("Hive-style tables: the port to catalogs (a file, Glue, the Hive Metastore), types, partition paths",
                     ("base", "schema", "net", "aws", "sqlite", "athena")),
    "table": Layer("the lake table: Iceberg metadata, delete files, commits",
                   ("base", "schema", "contract", "store", "parquet", "sqlite")),
    "engine": Layer("running SQL somewhere, behind one port", ("base",)),
    "signature": Layer("one value for the content of a set of rows, from files or in SQL", ("base", "store", "parquet", "engine")),
    "query": Layer("SQL over the tables of a lake or a catalog",
                   ("base", "schema", "contract", "store", "catalog", "table", "engine")),
    "deliver": Layer("writes deliveries: plan, then run",
                     ("base", "schema", "contract", "store", "bucket", "parquet", "engine")),
    "ingest": Layer("brings lake tables up to date: plan, then run",
                    ("base", "schema", "contract", "store", "bucket", "parquet", "table")),
    "upkeep": Layer("looks after lake tables: time travel, expiry, rollback",
                    ("base", "contract", "store", "bucket", "schema", "table", "ingest")),
    "status": Layer("what was delivered, what is missing, how fresh it is",
                    ("base", "contract", "store", "bucket", "schema", "table", "ingest")),
    "thaw": Layer("restores of what lies in cold storage: plan, ask, wait",
                  ("base", "contract", "aws", "store", "bucket", "ingest")),
    "publish": Layer("partitions of Hive-style tables: build aside, audit, flip, roll back, clean",
                     ("base", "schema", "store", "parquet", "athena", "catalog", "engine", "signature")),
    "declare": Layer("the tables of a delivery bucket, declared in a Hive-style catalog",
                     ("base", "schema", "contract", "store", "bucket", "catalog")),
    "app": Layer("settings and composition: the one place that builds concrete backends", BELOW_APP),
    "cli": Layer("one file per command", (*BELOW_APP, "app")),
}

TESTS = ("*_test.cc", "*_test.h", "*_fixture.h", "*_fixture.cc", "*conformance*", "*/test_*")

# Third-party headers and the files that may include them, as patterns below src/tidegate.
OWNERS = {
    "arrow/c/*": ("signature/*", "parquet/*", "table/*", "engine/*", "deliver/*", "publish/*"),  # the C data interface, between engines and files
    "arrow/*": ("parquet/*", "table/*", "store/gcs/*", "engine/*_test.cc", "signature/*"),
    "parquet/*": ("parquet/*", "table/*", "signature/*"),
    "duckdb.h": ("engine/*",),
    "CLI/*": ("cli/*",),
    "toml++/*": ("contract/*", "app/*"),
    "sqlite3.h": ("sqlite/*", "table/*_test.cc"),
    "nlohmann/*": ("base/json.h",),
    "xxhash.h": ("base/*",),
    "curl/*": ("net/*",),
    "openssl/*": ("aws/*", "store/s3/*"),
    "pugixml.hpp": ("aws/*", "store/s3/*"),
    "zlib.h": ("table/*", "parquet/*"),
    "fmt/*": ("*",),
    "gtest/*": TESTS,
    "gmock/*": TESTS,
}

# Headers of the C++ and C libraries and of Linux, which any folder may use.
SYSTEM = re.compile(r"[a-z0-9_]+|(sys|netinet|arpa|linux)/[a-z0-9_]+\.h|"
                    r"(unistd|fcntl|dirent|dlfcn|netdb|signal|poll|termios|pwd|spawn|time|fnmatch|glob|stdlib|string|errno|endian)\.h")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def table_problems(layers):
    """A folder that the table names but does not describe, and any cycle."""
    for name, layer in layers.items():
        for other in layer.may_include:
            if other not in layers:
                yield f"the table lets {name} include {other}, which is not in the table"
    done, path = set(), []

    def visit(name):
        if name in path:
            yield "the table has a cycle: " + " -> ".join([*path[path.index(name):], name])
        elif name not in done and name in layers:
            path.append(name)
            for other in layers[name].may_include:
                yield from visit(other)
            path.pop()
            done.add(name)

    for name in layers:
        yield from visit(name)


def include_problem(file, quote, header, layers, owners):
    """Why this file may not include this header, or None."""
    folder = file.split("/")[0]
    if header.startswith("tidegate/"):
        target = header.split("/")[1]
        if target == folder or target in layers[folder].may_include:
            return None
        return f"{folder}/ may not include {target}/: {header}"
    if quote == '"':
        return f"write the whole path, from tidegate/ on: {header}"
    for pattern, files in owners.items():
        if fnmatch.fnmatchcase(header, pattern):
            if any(fnmatch.fnmatchcase(file, allowed) for allowed in files):
                return None
            return f"<{header}> belongs to {', '.join(files)} alone"
    return None if SYSTEM.fullmatch(header) else f"<{header}> has no owner in tools/check_layers.py"


def source_problems(root, layers, owners):
    base = root / "src/tidegate"
    for folder in sorted(path.name for path in base.iterdir() if path.is_dir()):
        if folder not in layers:
            yield f"src/tidegate/{folder}: not in the table of tools/check_layers.py"
    for path in sorted(base.rglob("*")):
        if path.suffix not in (".h", ".cc"):
            continue
        file = path.relative_to(base).as_posix()
        if "/" not in file:
            yield f"src/tidegate/{file}: a source file belongs in a folder of the table"
            continue
        if file.split("/")[0] not in layers:
            continue
        text = path.read_text()
        for match in INCLUDE.finditer(text):
            problem = include_problem(file, match[1], match[2], layers, owners)
            if problem:
                line = text.count("\n", 0, match.start(2)) + 1
                yield f"src/tidegate/{file}:{line}: {problem}"


def problems(root=ROOT, layers=None, owners=None):
    layers, owners = layers or LAYERS, owners or OWNERS
    found = list(table_problems(layers))
    return found or list(source_problems(root, layers, owners))


def reachable(name, layers):
    found = set()
    for other in layers[name].may_include:
        found |= {other} | reachable(other, layers)
    return found


def needed_edges(layers):
    """The edges that say something new: those not implied by a longer path."""
    for name, layer in layers.items():
        for other in layer.may_include:
            if not any(other in reachable(third, layers) for third in layer.may_include):
                yield name, other


def headers_of(name, owners):
    return [header for header, files in owners.items() if any(file.startswith(f"{name}/") and not file.endswith("_test.cc") for file in files)]


def markdown(layers=None, owners=None):
    layers, owners = layers or LAYERS, owners or OWNERS
    lines = ["```mermaid", "flowchart TD"]
    lines += [f"  {name} --> {other}" for name, other in needed_edges(layers)]
    lines += ["```", "", "| Folder | What it is | May include | Third-party headers |", "|---|---|---|---|"]
    for name, layer in layers.items():
        headers = ", ".join(f"`{header}`" for header in headers_of(name, owners))
        lines.append(f"| `{name}/` | {layer.what} | {', '.join(layer.may_include) or '–'} | {headers or '–'} |")
    return "\n".join(lines) + "\n"


def split_document(text):
    """The text before, between and after the markers, or None."""
    match = re.fullmatch(rf"(.*{BEGIN}\n)(.*)({END}.*)", text, re.DOTALL)
    return match.groups() if match else None


def write(file):
    parts = split_document(file.read_text())
    if not parts:
        return f"{file}: has no lines {BEGIN} and {END}"
    file.write_text(parts[0] + markdown() + parts[2])
    return None


def compare(file):
    parts = split_document(file.read_text()) if file.exists() else None
    if not parts:
        return f"{file}: has no lines {BEGIN} and {END}"
    if parts[1] == markdown():
        return None
    diff = difflib.unified_diff(parts[1].splitlines(), markdown().splitlines(), str(file), "tools/check_layers.py", lineterm="")
    return f"{file} differs from the table; run `make layers`\n" + "\n".join(diff)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--write", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--compare", type=pathlib.Path, metavar="FILE")
    arguments = parser.parse_args()
    if arguments.markdown:
        sys.stdout.write(markdown())
        return 0
    if arguments.write or arguments.compare:
        found = [write(arguments.write) if arguments.write else compare(arguments.compare)]
    else:
        found = problems(arguments.root)
    found = [problem for problem in found if problem]
    print("\n".join(found) if found else "layers: as the table says")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
