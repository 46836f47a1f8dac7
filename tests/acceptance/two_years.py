#!/usr/bin/env python3
"""A bucket of 19 tables as the vendor's retention leaves it after two years (C-42): what a look costs does not grow with the history.

usage: two_years.py --tidegate BINARY [--days N] [--s3]     N from 300 on: a small bucket is listed as a whole each day

With --s3 the bucket is on a server (versitygw, else SeaweedFS), and the requests are counted by a proxy before it; what the program tells must be the same.

Of the three tables in parts there is a folder for each hour of all that time. Of the 16 full tables there is a copy for each hour of seven days, before that one a day. Each
folder holds one file, and all files hold the same few rows. The lake is built when half of the history is there, and brought up to date when all of it is. Each time:
- an ingest with no news and a status ask at most 2 requests and 1 a table, and read no data;
- an ingest with news asks at most 4 more for each table that has some, and 1 a data file: of all tables, then of one table that was pending;
- what they and the look into the holes of the past, once a day, ask for has not grown.
"""
import argparse
import concurrent.futures
import contextlib
import datetime as dt
import io
import json
import pathlib
import shutil
import sys
import tempfile
import time

import pyarrow as pa
import pyarrow.parquet as pq

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/e2e"), str(ROOT / "tests/servers")]

import fault_proxy  # noqa: E402
import program  # noqa: E402
import servers  # noqa: E402

SWITCH = dt.datetime(2025, 1, 1, 3)
HOUR = dt.timedelta(hours=1)
PARTS = ["datamart_claudia.claudia_messages", "datamart_claudia.claudia_prompt_revision", "datamart_cloudchat_saas.cloud_chat_messages"]
FULL = ["datamart_claudia." + name for name in (
    "claudia_contents", "claudia_conversation", "claudia_conversation_feedback", "claudia_csat", "eddie_result_outcomes")] + [
    "datamart_cloudchat_saas.cloud_chat_" + name for name in (
        "account_user_availability_histories", "agent_metrics", "contacts", "conversations", "conversations_custom_fields",
        "conversations_first_reply_metrics", "conversations_tags", "csat", "outbound_events", "tags", "team_metrics")]
TABLES = PARTS + FULL
CATALOG = "".join(f"""
[[table]]
name = "{name}"
mode = "parts"
{'key = ["id"]' if key else 'append_only = true'}
""" for name, key in zip(PARTS, (True, True, False))) + "".join(f"""
[[table]]
name = "{name}"
mode = "full"
""" for name in FULL)
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
        self.url, self.environment = self.root, None
        self.written, self.removed = [], []

    def settle(self):
        """Called when readers may look."""
        self.written, self.removed = [], []

    def count(self):
        """Starts to count requests anew."""

    def counted(self, told):
        """How many there were; a disk counts none, so what was told holds."""
        return told

    def path(self, table, when):
        shape = "etl" if table in PARTS else "snapshot"
        return self.root / "v2" / pathlib.Path(*table.split(".")) / f"{shape}_date={when.date()}" / f"{shape}_hour={when.hour:02}"

    def folder(self, table, when):
        out = self.path(table, when)
        out.mkdir(parents=True)
        (out / "0000_part_00.parquet").write_bytes(self.sample)
        (out / "_SUCCESS").touch()
        self.written += [out / "0000_part_00.parquet", out / "_SUCCESS"]
        self.objects += 2

    def manifest(self, when, pending=()):
        delivered = [{"schema": t.split(".")[0], "table": t.split(".")[1], "mode": "incremental_append" if t in PARTS else "full_refresh"}
                     for t in TABLES if t not in pending]
        late = [{"schema": t.split(".")[0], "table": t.split(".")[1], "reason": "late"} for t in pending]
        out = self.root / f"v2/_manifests/snapshot_date={when.date()}/snapshot_hour={when.hour:02}/manifest.json"
        self.objects += 0 if out.exists() else 1
        out.parent.mkdir(parents=True, exist_ok=True)
        self.written.append(out)
        out.write_text(json.dumps({"complete": not late, "tables_delivered": delivered, "tables_missing": [], "tables_pending": late}))

    def write(self, begin, end):
        """All hours of that time, as retention leaves them at its end."""
        for hour in range(int((end - begin) / HOUR)):
            when = begin + hour * HOUR
            kept = when >= end - KEPT_HOURLY or when.hour == 23
            for table in TABLES if kept else PARTS:
                self.folder(table, when)
            self.manifest(when)

    def thin(self, begin, end):
        """Retention takes the copies of that time, but for the last of each day."""
        for hour in range(int((end - begin) / HOUR)):
            when = begin + hour * HOUR
            for table in FULL if when.hour != 23 else ():
                if self.path(table, when).exists():
                    self.removed += list(self.path(table, when).iterdir())
                    shutil.rmtree(self.path(table, when))
                    self.objects -= 2


class S3Bucket(Bucket):
    """The same on a server. What is written goes there when it is settled, seals last."""

    def __init__(self, root, server, proxy):
        super().__init__(root)
        self.server, self.proxy, self.url = server, proxy, "s3://deliveries/two/years=2"
        self.environment = {**server.environment(), "AWS_ENDPOINT_URL": proxy.endpoint}
        self.clients = [servers.client(server) for _ in range(8)]
        self.clients[0].create_bucket(Bucket="deliveries")

    def key(self, path):
        return f"two/years=2/{path.relative_to(self.root)}"

    def put(self, number, paths):
        for path in paths:
            self.clients[number].put_object(Bucket="deliveries", Key=self.key(path), Body=path.read_bytes())

    def settle(self):
        there = [path for path in dict.fromkeys(self.written) if path.exists()]
        with concurrent.futures.ThreadPoolExecutor(len(self.clients)) as pool:
            for seals in (False, True):
                paths = [path for path in there if (path.name == "_SUCCESS") == seals]
                list(pool.map(self.put, range(len(self.clients)), [paths[i::len(self.clients)] for i in range(len(self.clients))]))
        for at in range(0, len(self.removed), 1000):
            keys = [{"Key": self.key(path)} for path in self.removed[at:at + 1000]]
            self.clients[0].delete_objects(Bucket="deliveries", Delete={"Objects": keys, "Quiet": True})
        super().settle()

    def count(self):
        self.proxy.forget()

    def counted(self, told):
        there = len(self.proxy.log())
        if there != told:
            raise SystemExit(f"the program tells of {told} requests, the proxy saw {there}")
        return there


class Look:
    """What runs cost, with the history as it is now. All numbers are requests to the bucket."""
    KINDS = ("quiet", "status", "daily", "news", "late")

    def __init__(self, tidegate, bucket, lake, config, newest):
        self.faults, self.asked, self.cost = [], {}, 0
        self.tidegate, self.bucket, self.lake, self.config = tidegate, bucket, lake, config
        tables = len(TABLES)
        quiet = self.run("quiet", "ingest", newest, "nothing_new", 2 + tables)
        self.cost, self.kinds = quiet["bucket_requests_cost_usd"], quiet["bucket_requests_by_kind"]
        status = self.run("status", "status", newest, None, 2 + tables)
        if any(table["state"] != "current" for table in status["tables"]):
            self.faults.append(f"status: {status['summary']}")
        self.run("daily", "ingest", newest + 25 * HOUR, "nothing_new", 10 * tables)
        bucket.manifest(newest + HOUR, pending=PARTS[:1])
        for table in TABLES[1:]:
            bucket.folder(table, newest + HOUR)
        self.run("news", "ingest", newest + 25 * HOUR, "done", 2 + tables + 5 * (tables - 1))
        bucket.folder(PARTS[0], newest + HOUR)
        bucket.manifest(newest + HOUR)
        self.run("late", "ingest", newest + 25 * HOUR, "done", 2 + tables + 5)

    def run(self, kind, command, now, outcome, most):
        stamp = (now + dt.timedelta(minutes=30)).strftime("%Y-%m-%dT%H:%M:%SZ")
        self.bucket.settle()
        self.bucket.count()
        report = self.tidegate.must(command, self.bucket.url, self.lake, "--config", self.config, "--now", stamp, "--json").json
        files = sum(table["files"] for table in report["tables"]) if command == "ingest" else 0
        on_disk = self.bucket.environment is None
        self.asked[kind] = self.bucket.counted(report["bucket_requests"]) + (files if on_disk else 0)  # on a disk a file is a link, and not counted
        if command == "ingest" and (report["outcome"] != outcome or (report["listed_all"] and kind != "daily")):
            self.faults.append(f"{kind}: the ingest was {report['outcome']}, listed_all {report['listed_all']}")
        if report["bucket_data_bytes_read"] != 0 and (on_disk or kind in ("quiet", "status", "daily")):
            self.faults.append(f"{kind}: read {report['bucket_data_bytes_read']} bytes of data")
        if self.asked[kind] > most:
            self.faults.append(f"{kind}: {self.asked[kind]} requests, {most} are allowed ({report['bucket_requests_by_kind']})")
        return report

    def __str__(self):
        return (f"quiet ingest {self.asked['quiet']} requests ({self.kinds}, ${self.cost:.6f}), status {self.asked['status']}, once a day "
                f"{self.asked['daily']}, news of {len(TABLES) - 1} tables {self.asked['news']}, of one {self.asked['late']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tidegate", type=pathlib.Path, default=ROOT / "build/release/bin/tidegate")
    parser.add_argument("--days", type=int, default=730)
    parser.add_argument("--s3", action="store_true")
    args = parser.parse_args()
    faults, looks = [], []
    with tempfile.TemporaryDirectory(prefix="tidegate-two-years-") as folder, contextlib.ExitStack() as stack:
        folder = pathlib.Path(folder)
        config, lake = folder / "tidegate.toml", folder / "lake"
        config.write_text(CATALOG)
        bucket = Bucket(folder / "bucket")
        if args.s3:
            server = stack.enter_context((servers.Versitygw if servers.Versitygw.is_installed() else servers.SeaweedFs)())
            bucket = S3Bucket(folder / "tree", server, stack.enter_context(fault_proxy.FaultProxy(server.endpoint)))
        tidegate = program.Tidegate(args.tidegate.resolve(), folder / "cwd", bucket.environment)
        begin = SWITCH
        for days in (args.days // 2, args.days):
            end = SWITCH + dt.timedelta(days=days)
            bucket.write(begin, end)
            bucket.thin(begin - KEPT_HOURLY, min(begin, end - KEPT_HOURLY))
            bucket.settle()
            began = time.monotonic()
            report = tidegate.must("ingest", bucket.url, lake, "--config", config, "--now", (end - HOUR).strftime("%Y-%m-%dT%H:%M:%SZ"), "--json",
                                   "--list-all", limit_seconds=3000).json
            applied = sum(len(table["folders"]) for table in report["tables"])
            looks.append(Look(tidegate, bucket, lake, config, end - HOUR))
            print(f"{days} days, {bucket.objects:,} objects: {applied:,} folders applied in {time.monotonic() - began:.0f} s, "
                  f"{report['bucket_requests']:,} requests; then {looks[-1]}", flush=True)
            faults += [f"after {days} days: {fault}" for fault in looks[-1].faults]
            begin = end + HOUR  # a look delivers an hour
        for kind in Look.KINDS:
            before, after = (look.asked[kind] for look in looks)
            if after > before:
                faults.append(f"{kind}: {before} requests after half of the history, {after} after all of it")
    print("\n".join(faults) or "requests do not grow with the history, no data is read")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
