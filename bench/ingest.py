#!/usr/bin/env python3
"""How fast `tidegate ingest` is, beside what its users would run instead: whole processes, in turn, on the same data.

  bench/ingest.py [--size small|full] [--rounds N] [--tidegate BINARY] [--only TASK]

Each round runs every contestant once. Before a time counts, the results are compared: rows and a checksum of the content.
Printed are medians, the ratio to tidegate, the peak memory, and the bytes that came to the disk.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "demo"))
import checks  # noqa: E402
import history  # noqa: E402

PEERS = pathlib.Path(__file__).with_name("peers.py")
MEASURE = pathlib.Path(__file__).with_name("measure.py")


@dataclasses.dataclass
class Sample:
    seconds: float
    peak_bytes: int
    bytes_written: int


def disk_bytes(root):
    """Bytes of the files below root that are there once: a file of several names belongs to the bucket."""
    paths = [path for path in pathlib.Path(root).rglob("*") if path.is_file()] if pathlib.Path(root).is_dir() else [pathlib.Path(root)]
    return sum(path.stat().st_size for path in paths if path.exists() and path.stat().st_nlink == 1)


def run(arguments, out):
    """One process, from its start to its end."""
    os.sync()
    before = disk_bytes(out)
    done = subprocess.run([sys.executable, "-S", "-E", MEASURE, *map(str, arguments)], capture_output=True, text=True, check=True)
    measured = json.loads(done.stdout)
    if measured["code"] != 0:
        sys.exit(f"failed: {arguments}\n{done.stderr}")
    return Sample(measured["seconds"], measured["peak_bytes"], disk_bytes(out) - before)


class Bench:
    def __init__(self, options, folder):
        self.tidegate, self.rounds, self.folder = options.tidegate, options.rounds, folder
        self.db = checks.connect(ROOT / ".deps/duckdb/extensions")
        self.bucket, self.config = folder / "bucket", folder / "tidegate.toml"
        self.config.write_text(history.CATALOG)
        self.history = history.History(self.db, self.bucket, options.size)
        self.history.write_all()
        files = list(self.bucket.rglob("*.parquet"))
        print(f"{options.size}: {len(files)} files, {sum(f.stat().st_size for f in files) / 1e6:,.0f} MB; medians of {self.rounds} rounds\n")

    def ingest(self, lake):
        return [self.tidegate, "ingest", self.bucket, lake, "--config", self.config]

    def content(self, relation):
        return self.db.execute(checks.checksum_sql(relation, history.COLUMNS)).fetchone()

    def in_lake(self, lake):
        return self.content(checks.lake_scan(lake, history.TABLE))

    def agree(self, contents):
        if len(set(contents.values())) != 1:
            sys.exit(f"the results differ, so their times say nothing: {contents}")

    def show(self, title, samples):
        """One line a contestant; the first is tidegate."""
        print(title)
        mine = statistics.median(s.seconds for s in next(iter(samples.values())))
        for name, all_of in samples.items():
            seconds = statistics.median(s.seconds for s in all_of)
            memory = statistics.median(s.peak_bytes for s in all_of) / 1e6
            written = statistics.median(s.bytes_written for s in all_of) / 1e6
            print(f"  {name:34} {seconds:8.3f} s  {seconds / mine:6.1f} ×  {memory:7,.0f} MB memory  {written:9,.2f} MB written")
        print(flush=True)

    def first(self):
        samples = {name: [] for name in ("tidegate ingest", "DuckDB, row_number", "DuckDB, tuned")}
        for _ in range(self.rounds):
            contents = {}
            for name, task in zip(samples, (None, "script", "tuned")):
                out = self.folder / "first" / (task or "lake")
                shutil.rmtree(out, ignore_errors=True)
                samples[name].append(run(self.ingest(out) if task is None else [sys.executable, PEERS, task, self.bucket, out], out))
                contents[name] = self.in_lake(out) if task is None else self.content(f"read_parquet('{out}/**/*.parquet')")
            self.agree(contents)
        self.show("First build of the current table from all folders", samples)

    def hour(self):
        """Also the run after it, that finds nothing new."""
        lake, native = self.folder / "hourly/lake", self.folder / "hourly/native.db"
        shutil.rmtree(lake.parent, ignore_errors=True)
        lake.parent.mkdir()
        run(self.ingest(lake), lake)
        current = self.folder / "hourly/current"
        run([sys.executable, PEERS, "tuned", self.bucket, current], current)
        run([sys.executable, PEERS, "load", native, current], native)
        names = ("tidegate ingest", "DuckDB, MERGE into a native table", "DuckDB, row_number over all")
        samples, idle = {name: [] for name in names}, []
        for _ in range(self.rounds):
            self.history.next_hour()
            hour = max(self.bucket.glob("v2/bench/messages/*/*"))
            out = self.folder / "hourly/script"
            shutil.rmtree(out, ignore_errors=True)
            samples[names[0]].append(run(self.ingest(lake), lake))
            samples[names[1]].append(run([sys.executable, PEERS, "merge", native, hour], native))
            samples[names[2]].append(run([sys.executable, PEERS, "script", self.bucket, out], out))
            idle.append(run(self.ingest(lake), lake))
            self.db.execute(f"ATTACH '{native}' AS native (READ_ONLY)")
            self.agree({names[0]: self.in_lake(lake), names[1]: self.content("native.messages"),
                        names[2]: self.content(f"read_parquet('{out}/**/*.parquet')")})
            self.db.execute("DETACH native")
        self.show("One more hour", samples)
        self.show("Nothing new", {"tidegate ingest": idle})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=history.SIZES, default="small")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tidegate", default=ROOT / "build/release/bin/tidegate")
    parser.add_argument("--only", choices=("first", "hour"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tidegate-bench-") as folder:
        bench = Bench(options, pathlib.Path(folder))
        for task in ("first", "hour"):
            if options.only in (None, task):
                getattr(bench, task)()


if __name__ == "__main__":
    main()
