#!/usr/bin/env python3
"""A bucket as the vendor's retention leaves it after two years (C-42): what a look costs does not grow with the history (issue 4, point 5).

usage: two_years.py --tidegate BINARY [--days N]

Parts tables have a folder an hour; of full tables there is a copy an hour for seven days, before that one a day; all of small files. The lake is built when half of the
history is there, and brought up to date when all of it is. Each time, an ingest with no news and a status must read no data, and ask the bucket no more than before.
"""
import argparse
import datetime as dt
import io
import json
import pathlib
import sys
import tempfile
import time

import pyarrow as pa
import pyarrow.parquet as pq

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/e2e")]

import program  # noqa: E402

SWITCH = dt.datetime(2025, 1, 1, 3)
PARTS, FULL = ["shop.orders", "shop.clicks"], ["shop.customers", "shop.prices"]
CATALOG = """
[[table]]
name = "shop.orders"
mode = "parts"
key = ["id"]

[[table]]
name = "shop.clicks"
mode = "parts"
append_only = true

[[table]]
name = "shop.customers"
mode = "full"

[[table]]
name = "shop.prices"
mode = "full"
"""
KEPT_HOURLY = dt.timedelta(days=7)


class Bucket:
    """Files that all hold the same few rows."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.root.mkdir()
        rows = io.BytesIO()
        pq.write_table(pa.table({"id": pa.array(range(5), pa.int64()), "text": [str(i) * 9 for i in range(5)]}), rows)
        self.sample = rows.getvalue()
        self.objects = 0

    def folder(self, table, shape, when):
        out = self.root / "v2" / pathlib.Path(*table.split(".")) / f"{shape}_date={when.date()}" / f"{shape}_hour={when.hour:02}"
        out.mkdir(parents=True)
        (out / "0000_part_00.parquet").write_bytes(self.sample)
        (out / "_SUCCESS").touch()
        self.objects += 2

    def hour(self, when, end):
        for table in PARTS:
            self.folder(table, "etl", when)
        if when >= end - KEPT_HOURLY or when.hour == 23:
            for table in FULL:
                self.folder(table, "snapshot", when)
        delivered = [{"schema": t.split(".")[0], "table": t.split(".")[1], "mode": "incremental_append" if t in PARTS else "full_refresh"}
                     for t in PARTS + FULL]
        manifest = self.root / f"v2/_manifests/snapshot_date={when.date()}/snapshot_hour={when.hour:02}/manifest.json"
        manifest.parent.mkdir(parents=True)
        manifest.write_text(json.dumps({"complete": True, "tables_delivered": delivered, "tables_missing": [], "tables_pending": []}))
        self.objects += 1

    def write(self, begin, end):
        while begin < end:
            self.hour(begin, end)
            begin += dt.timedelta(hours=1)


class Look:
    """What a quiet run and a status cost now."""

    def __init__(self, tidegate, bucket, lake, config, now):
        stamp = (now + dt.timedelta(minutes=30)).strftime("%Y-%m-%dT%H:%M:%SZ")
        common = ["--config", config, "--now", stamp, "--json"]
        began = time.monotonic()
        self.ingest = tidegate.must("ingest", bucket, lake, *common).json
        self.ingest_seconds, began = time.monotonic() - began, time.monotonic()
        self.status = tidegate.must("status", bucket, lake, *common).json
        self.status_seconds = time.monotonic() - began

    def faults(self):
        out = []
        if self.ingest["outcome"] != "nothing_new" or self.ingest["listed_all"]:
            out.append(f"the quiet ingest was {self.ingest['outcome']}, listed_all {self.ingest['listed_all']}")
        if any(table["state"] != "current" for table in self.status["tables"]):
            out.append(f"status: {self.status['summary']}")
        for name, report in (("ingest", self.ingest), ("status", self.status)):
            if report["bucket_data_bytes_read"] != 0:
                out.append(f"{name} read {report['bucket_data_bytes_read']} bytes of data")
        return out

    def __str__(self):
        return (f"quiet ingest {self.ingest['bucket_requests']} requests, 0 data bytes, {self.ingest_seconds:.2f} s; "
                f"status {self.status['bucket_requests']} requests, 0 data bytes, {self.status_seconds:.2f} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tidegate", type=pathlib.Path, default=ROOT / "build/release/bin/tidegate")
    parser.add_argument("--days", type=int, default=730)
    args = parser.parse_args()
    faults, looks = [], []
    with tempfile.TemporaryDirectory(prefix="tidegate-two-years-") as folder:
        folder = pathlib.Path(folder)
        config, lake = folder / "tidegate.toml", folder / "lake"
        config.write_text(CATALOG)
        tidegate = program.Tidegate(args.tidegate.resolve(), folder / "cwd")
        bucket = Bucket(folder / "bucket")
        begin = SWITCH
        for days in (args.days // 2, args.days):
            end = SWITCH + dt.timedelta(days=days)
            bucket.write(begin, end)
            newest = end - dt.timedelta(hours=1)
            began = time.monotonic()
            report = tidegate.must("ingest", bucket.root, lake, "--config", config, "--now", newest.strftime("%Y-%m-%dT%H:%M:%SZ"), "--json",
                                   limit_seconds=1500).json
            applied = sum(len(table["folders"]) for table in report["tables"])
            looks.append(Look(tidegate, bucket.root, lake, config, newest))
            print(f"{days} days, {bucket.objects:,} objects: {applied:,} folders applied in {time.monotonic() - began:.0f} s, "
                  f"{report['bucket_requests']:,} requests; then {looks[-1]}", flush=True)
            faults += [f"after {days} days: {fault}" for fault in looks[-1].faults()]
            begin = end
        for what in ("ingest", "status"):
            before, after = (getattr(look, what)["bucket_requests"] for look in looks)
            if after > before:
                faults.append(f"{what} asked the bucket {before} times after half of the history, {after} times after all of it")
    print("\n".join(faults) or "requests do not grow with the history, no data is read")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
