#!/usr/bin/env python3
"""Drive the conformance cases of this folder through the tidegate binary.

usage: run_cases.py --tidegate BINARY [--tz ZONE] [CASE …]

Runs every case (or those named by number), reads the lake with PyIceberg, and compares with check.py.
"""
import argparse
import datetime as dt
import decimal
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import pyiceberg.table
import pyiceberg.types as it

HERE = pathlib.Path(__file__).resolve().parent
WARNINGS = {"not_in_manifest", "repeated_key", "v1_folder_changed", "partition_column_in_file", "full_table_from_v1",
            "parts_folder_gone", "manifest_unreadable", "delivered_not_sealed", "late_fenced", "v2_folder_changed",
            "name_refused"}
SIMPLE = {it.BooleanType: "bool", it.IntegerType: "int32", it.LongType: "int64", it.FloatType: "float32",
          it.DoubleType: "float64", it.StringType: "string", it.DateType: "date", it.TimestampType: "timestamp[us]",
          it.TimestamptzType: "timestamptz[us]", it.BinaryType: "binary"}


def load(name):
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


check, make_bucket = load("check"), load("make_bucket")


def toml_value(value):
    return json.dumps(value)


def catalog_toml(case):
    """A case's settings and catalog as tidegate.toml."""
    out = []
    if "shrink_guard_rows" in case.get("settings", {}):
        out += ["[ingest]", f'shrink_guard_rows = {case["settings"]["shrink_guard_rows"]}', ""]
    for entry in case.get("catalog", []):
        out.append("[[table]]")
        out.append(f'name = {toml_value(entry["schema"] + "." + entry["table"])}')
        out.append(f'mode = {toml_value(entry["mode"])}')
        if entry.get("key"):
            out.append(f'key = {toml_value(entry["key"])}')
        for field in ("event_time", "version_column"):
            if entry.get(field):
                out.append(f"{field} = {toml_value(entry[field])}")
        if entry.get("append_only"):
            out.append("append_only = true")
        out.append("")
    return "\n".join(out)


def kind_of(typ):
    """An Iceberg type in the words of the cases."""
    if type(typ) in SIMPLE:
        return SIMPLE[type(typ)]
    if isinstance(typ, it.DecimalType):
        return f"decimal({typ.precision},{typ.scale})"
    if isinstance(typ, it.ListType):
        return f"list<{kind_of(typ.element_type)}>"
    if isinstance(typ, it.StructType):
        return "struct<" + ",".join(f"{f.name}:{kind_of(f.field_type)}" for f in typ.fields) + ">"
    return str(typ)


def plain(value):
    """An Arrow value as the JSON of the cases."""
    if isinstance(value, dt.datetime):
        aware = value.tzinfo is not None
        value = value.astimezone(dt.timezone.utc).replace(tzinfo=None) if aware else value
        return value.isoformat() + ("Z" if aware else "")
    if isinstance(value, (dt.date, decimal.Decimal)):
        return str(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return value


def newest_metadata(folder):
    versions = [p for p in (folder / "metadata").glob("v*.metadata.json")]
    return max(versions, key=lambda p: int(p.name.split(".")[0][1:]))


def dump_table(folder):
    table = pyiceberg.table.StaticTable.from_metadata(str(newest_metadata(folder)))
    columns = {f.name: kind_of(f.field_type) for f in table.schema().fields}
    rows = table.scan().to_arrow().to_pylist()
    return {"columns": columns, "rows": [[plain(row[c]) for c in columns] for row in rows]}


def dump_lake(lake):
    out = {}
    for metadata in sorted(lake.glob("*/*/metadata")):
        table = metadata.parent
        if list(metadata.glob("v*.metadata.json")):
            out[f"{table.parent.name}.{table.name}"] = dump_table(table)
    return out


def rejects_of(rows):
    out = {}
    for row in rows:
        out.setdefault(row["table_name"], []).append({k: row[k] for k in ("folder", "file", "row")})
    return out


def warning(entry):
    if entry["kind"] == "delivered_not_sealed":
        date, _, hour = entry["folder"].partition("_date=")[2].partition("/")
        return {"kind": entry["kind"], "table": entry["table"], "delivery": date + ("T" + hour[-2:] if hour else "")}
    out = {"kind": entry["kind"]}
    if entry["kind"] == "name_refused":
        return dict(out, name=entry["name"])
    if entry["kind"] == "full_table_from_v1":
        return dict(out, table=entry["table"])
    if entry["kind"] == "manifest_unreadable":
        date, hour = re.search(r"snapshot_date=([0-9-]+)(?:/snapshot_hour=([0-9]+))?", entry["folder"]).groups()
        return dict(out, delivery=date + (f"T{hour}" if hour else ""))
    if entry.get("folder"):
        out["folder"] = entry["folder"]
    if entry.get("count"):
        out["count"] = entry["count"]
    return out


def delivery_text(text):
    """v2/2026-11-03/04 → 2026-11-03T04, v1/2026-11-02 → 2026-11-02."""
    return "T".join(text.split("/")[1:])


def waiting(report, state):
    return [{"table": w["table"], "delivery": delivery_text(w["delivery"]), "reason": w["reason"] or None}
            for w in report["waiting"] if w["state"] == state]


def to_dump(report, lake, rejects):
    return {
        "tables": dump_lake(lake),
        "version": report["contract_version"],
        "exit": report["outcome"],
        "missing": waiting(report, "missing"),
        "pending": waiting(report, "pending"),
        "rejects": rejects_of(rejects),
        "held": [{"table": h["table"], "folder": h["folder"]} for h in report["held"]],
        "gaps": [{"folder": p["folder"], "reason": p["reason"]} for p in report["problems"]
                 if p["folder"] and p["reason"] in ("broken", "type", "column_case", "timestamp_range")],
        "delivered_through": {t["table"]: t["delivered_through"] for t in report["tables"] if t.get("delivered_through")},
        "warnings": [warning(w) for w in report["warnings"] if w["kind"] in WARNINGS],
        "data_bytes_read": report["bucket_data_bytes_read"],
    }


class Runner:
    def __init__(self, binary, zone):
        self.binary = binary
        self.environment = dict(os.environ, TZ=zone) if zone else dict(os.environ)

    def tidegate(self, *arguments):
        command = [self.binary, *map(str, arguments)]
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=120)

    def must(self, *arguments):
        done = self.tidegate(*arguments)
        if done.returncode != 0:
            raise RuntimeError(f"{arguments[0]}: exit {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def ingest(self, bucket, lake, config, now):
        done = self.tidegate("ingest", bucket, lake, "--config", config, "--json", *(["--now", now] if now else []))
        if done.returncode not in (0, 1) or not done.stdout.strip():
            raise RuntimeError(f"exit {done.returncode}: {done.stderr.strip()}")
        return json.loads(done.stdout)

    def run(self, path, scratch):
        """Differences of one case, as (step, text)."""
        case = json.loads(path.read_text(encoding="utf-8"))
        root = scratch / path.stem
        bucket_root = root / "bucket" / case.get("prefix", "")
        bucket_root.mkdir(parents=True)
        bucket = make_bucket.Bucket(bucket_root)
        config = root / "tidegate.toml"
        config.write_text(catalog_toml(case), encoding="utf-8")
        for index, step in enumerate(case["steps"]):
            lake = root / f"lake-{step.get('lake', 'main')}"
            if "ingest" not in step and "settle" not in step:
                make_bucket.apply(bucket, step, index)
                continue
            try:
                if "settle" in step:
                    self.must(step["settle"], bucket_root, lake, step["folder"], "--reason", step["reason"])
                    continue
                report = self.ingest(bucket_root, lake, config, step.get("now"))
                dump = to_dump(report, lake, json.loads(self.must("rejects", lake, "--json")))
            except (RuntimeError, ValueError, subprocess.TimeoutExpired) as error:
                return [(index, str(error))]
            differences = check.compare(step["expect"], dump, not case.get("partition_columns"))
            if differences:
                return [(index, d) for d in differences]
        return []


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tidegate", required=True)
    parser.add_argument("--tz")
    parser.add_argument("cases", nargs="*")
    args = parser.parse_args()
    paths = sorted(HERE.glob("[0-9][0-9]-*.json"))
    if args.cases:
        paths = [p for p in paths if p.name[:2] in args.cases]
    runner = Runner(args.tidegate, args.tz)
    passed, failed = [], []
    with tempfile.TemporaryDirectory(prefix="tidegate-cases-") as scratch:
        for path in paths:
            differences = runner.run(path, pathlib.Path(scratch))
            (failed if differences else passed).append(path.name[:2])
            for step, text in differences:
                print(f"{path.stem}: step {step}: {text}")
    print(f"{len(passed)} cases pass: {' '.join(passed)}")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
