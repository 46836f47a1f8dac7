#!/usr/bin/env python3
"""Drive the conformance cases of this folder through the tidegate binary.

usage: run_cases.py --tidegate BINARY [--tz ZONE] [--server NAME [--lakes folder|s3]] [--at-once N] [CASE …]

Runs every case (or those named by number), reads the lake with PyIceberg, and compares with check.py. With --server the buckets are in
S3, on a server that is started for it (tests/servers), each below a prefix of its own in one bucket; so are the lakes, unless they are
said to be folders.

S3 does not let anyone set when an object was written, which is what cases 30 and 31 are about (C-35: is `__initial__` as old as the
reseed?). Where the server's objects are files, as versitygw's are, their time is set all the same. Elsewhere case 30 is played with all
its dates moved, so that what is written now is older than the reseed; case 31 wants one object before the reseed's day and one after it,
and is passed over.
"""
import argparse
import concurrent.futures
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
sys.path.insert(0, str(HERE.parent / "servers"))

import bucket_folder  # noqa: E402
import servers  # noqa: E402

# Where times cannot be set: move the dates so that this one is after tomorrow, or pass the case over.
NEEDS_TIMES = {"30": dt.date(2026, 11, 1), "31": None}
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


def newest_metadata(keys):
    """{schema.table: key of its newest metadata file}, from the keys of a lake."""
    out = {}
    for key in keys:
        if found := re.fullmatch(r"([^/]+)/([^/]+)/metadata/v(\d+)\.metadata\.json", key):
            name, version = f"{found[1]}.{found[2]}", int(found[3])
            out[name] = max(out.get(name, (0, "")), (version, key))
    return {name: key for name, (_, key) in sorted(out.items())}


def dump_table(location, properties):
    table = pyiceberg.table.StaticTable.from_metadata(location, properties)
    columns = {f.name: kind_of(f.field_type) for f in table.schema().fields}
    rows = table.scan().to_arrow().to_pylist()
    return {"columns": columns, "rows": [[plain(row[c]) for c in columns] for row in rows]}


class Folders:
    """Where a case's bucket and its lakes are."""

    def __init__(self, root, prefix):
        self.root, self.made = root, root / "bucket" / prefix  # make_bucket.py writes there
        self.made.mkdir(parents=True)
        self.bucket = self.made

    def bring(self):
        """What was made since the last time goes into the bucket."""

    def lake(self, name):
        return self.root / f"lake-{name}"

    def dump(self, lake):
        keys = [str(p.relative_to(lake)) for p in lake.glob("*/*/metadata/*")]
        return {name: dump_table(str(lake / key), {}) for name, key in newest_metadata(keys).items()}


class Buckets(Folders):
    """In S3: the bucket, and with `lakes` the lakes, too."""

    def __init__(self, root, prefix, server, lakes):
        super().__init__(root, prefix)
        self.server, self.lakes, self.brought = server, lakes, {}
        self.place = server.place("/".join(filter(None, (root.name, "bucket", prefix))))
        self.bucket = self.place.url

    def bring(self):
        files = {key: (file, file.stat()) for key, file in bucket_folder.files_of(self.made).items()}
        now = {key: (stat.st_mtime_ns, stat.st_ino) for key, (_, stat) in files.items()}
        self.place.delete(self.brought.keys() - now.keys())
        for key in now:
            if now[key] != self.brought.get(key):
                self.place.put(key, files[key][0].read_bytes())
                self.server.set_time(self.place.head + key, now[key][0])
        self.brought = now

    def lake(self, name):
        return self.server.place(f"{self.root.name}/lake-{name}").url if self.lakes else super().lake(name)

    def dump(self, lake):
        if not self.lakes:
            return super().dump(lake)
        keys = bucket_folder.Place(self.server.s3, lake).keys()
        return {name: dump_table(f"{lake}/{key}", self.server.properties) for name, key in newest_metadata(keys).items()}


class CaseServer:
    """A server with one bucket for all cases."""
    bucket = "cases"

    def __init__(self, server):
        self.server, self.s3 = server, servers.client(server)
        self.s3.create_bucket(Bucket=self.bucket)
        self.sets_times = server.name == "versitygw"  # its objects are files
        self.properties = {"s3.endpoint": server.endpoint, "s3.access-key-id": server.access_key, "s3.secret-access-key": server.secret_key,
                           "s3.region": server.region}

    def place(self, prefix):
        return bucket_folder.Place(self.s3, f"s3://{self.bucket}/{prefix}")

    def set_time(self, key, nanoseconds):
        if self.sets_times:
            os.utime(self.server.folder / "data" / self.bucket / key, ns=(nanoseconds, nanoseconds))


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


def to_dump(report, tables, rejects):
    return {
        "tables": tables,
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


def moved(text, days):
    """The text of a case with all dates so much later."""
    return re.sub(r"\d{4}-\d\d-\d\d", lambda date: str(dt.date.fromisoformat(date[0]) + dt.timedelta(days=days)), text)


class Runner:
    def __init__(self, binary, zone, server=None, lakes=True):
        self.binary, self.server, self.lakes = binary, server, lakes
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("AWS_")}
        self.environment |= {**({"TZ": zone} if zone else {}), **(server.server.environment() if server else {})}

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

    def case_of(self, path):
        """None where the server cannot play it."""
        text, number = path.read_text(encoding="utf-8"), path.name[:2]
        if not self.server or self.server.sets_times or number not in NEEDS_TIMES:
            return json.loads(text)
        reseed = NEEDS_TIMES[number]
        return reseed and json.loads(moved(text, (dt.datetime.now(dt.timezone.utc).date() - reseed).days + 2))

    def places(self, root, prefix):
        return Buckets(root, prefix, self.server, self.lakes) if self.server else Folders(root, prefix)

    def run(self, path, scratch):
        """Differences of one case, as (step, text); None where it cannot be played."""
        case = self.case_of(path)
        if case is None:
            return None
        root = scratch / path.stem
        places = self.places(root, case.get("prefix", ""))
        bucket = make_bucket.Bucket(places.made)
        config = root / "tidegate.toml"
        config.write_text(catalog_toml(case), encoding="utf-8")
        for index, step in enumerate(case["steps"]):
            if "ingest" not in step and "settle" not in step:
                make_bucket.apply(bucket, step, index)
                continue
            places.bring()
            lake = places.lake(step.get("lake", "main"))
            try:
                if "settle" in step:
                    self.must(step["settle"], places.bucket, lake, step["folder"], "--reason", step["reason"])
                    continue
                report = self.ingest(places.bucket, lake, config, step.get("now"))
                dump = to_dump(report, places.dump(lake), json.loads(self.must("rejects", lake, "--json")))
            except (RuntimeError, ValueError, subprocess.TimeoutExpired) as error:
                return [(index, str(error))]
            differences = check.compare(step["expect"], dump, not case.get("partition_columns"))
            if differences:
                return [(index, d) for d in differences]
        return []


def run_all(runner, paths, at_once):
    passed, failed, passed_over = [], [], []
    with tempfile.TemporaryDirectory(prefix="tidegate-cases-") as scratch, concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        for path, differences in zip(paths, pool.map(lambda path: runner.run(path, pathlib.Path(scratch)), paths)):
            (passed_over if differences is None else failed if differences else passed).append(path.name[:2])
            for step, text in differences or []:
                print(f"{path.stem}: step {step}: {text}")
    print(f"{len(passed)} cases pass: {' '.join(passed)}")
    if passed_over:
        print(f"passed over, since the time of an object cannot be set: {' '.join(passed_over)}")
    return passed and not failed


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tidegate", required=True)
    parser.add_argument("--tz")
    parser.add_argument("--server", metavar="NAME", help="the buckets are in S3, on this one of tests/servers")
    parser.add_argument("--lakes", choices=("folder", "s3"), default="s3", help="with --server: where the lakes are")
    parser.add_argument("--at-once", type=int, default=1, metavar="N", help="so many cases side by side")
    parser.add_argument("cases", nargs="*")
    return parser.parse_args()


def main():
    args = parse()
    paths = sorted(HERE.glob("[0-9][0-9]-*.json"))
    if args.cases:
        paths = [p for p in paths if p.name[:2] in args.cases]
    if not args.server:
        sys.exit(0 if run_all(Runner(args.tidegate, args.tz), paths, args.at_once) else 1)
    kind = servers.KINDS[args.server]
    if not kind.is_installed():
        print(f"{args.server} is not installed: tools/deps.sh build servers brings it")
        return
    with kind() as server:
        runner = Runner(args.tidegate, args.tz, CaseServer(server), args.lakes == "s3")
        sys.exit(0 if run_all(runner, paths, args.at_once) else 1)


if __name__ == "__main__":
    main()
