#!/usr/bin/env python3
"""Trino and Spark count the rows of a partition in a loop while tidegate swaps it, rolls it back and cleans up (C-50 … C-60): every count is that of one
run, and none is an error or empty.

usage: swap_readers.py --tidegate BINARY [--swaps N]

Two tables on SeaweedFS, one in a Hive Metastore and one in Glue (moto), which are swapped by turns. Trino reads both, Spark the metastore's. Each run has a number
of rows of its own, in at least four files. When every phase and every read began and ended is noted: each single swap, rollback and clean-up must have had a read
of each engine going on.
"""
import argparse
import bisect
import collections
import dataclasses
import os
import pathlib
import sys
import tempfile
import threading
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "e2e")]

import duckdb  # noqa: E402

import program  # noqa: E402
import servers  # noqa: E402
import trino_server  # noqa: E402
from spark_reference import start_spark  # noqa: E402

DAY = "day=2026-11-01"
MIN_AGE_SECONDS = 60  # longer than the longest read
SETTINGS = """
[hive_catalog]
url = "{catalog}"

[[publish]]
table = "sales.daily"
partition_by = ["day"]
location = "s3://warehouse/{name}"
source = "{source}"
select = "SELECT id, run, text FROM rows WHERE day = {{day}}"
max_file = "1MB"
min_age = "{min_age}s"
"""
SQL = "SELECT run, count(*) FROM {table} GROUP BY run"


def rows(number):
    return 90_000 + number


@dataclasses.dataclass
class Span:
    what: str
    began: float
    ended: float


class Table:
    """One table, and what was done with it."""

    def __init__(self, tidegate, folder, name, catalog):
        self.tidegate, self.catalog, self.config = tidegate, catalog, folder / f"{name}.toml"
        self.phases = []
        self.config.write_text(SETTINGS.format(catalog=catalog, name=name, source=folder / "source.duckdb", min_age=MIN_AGE_SECONDS))

    def do(self, what, command, *more):
        began = time.monotonic()
        done = self.tidegate.must(command, "sales.daily", DAY, "--config", self.config, "--json", *more)
        self.phases.append(Span(what, began, time.monotonic()))
        return done.json


class Reader(threading.Thread):
    """Asks in a loop. `ask` gives [[run, count]]."""

    def __init__(self, name, table, ask):
        super().__init__(name=name)
        self.table, self.ask = table, ask
        self.reads, self.wrong, self.seen = [], [], collections.Counter()
        self.stopping = threading.Event()

    def run(self):
        while not self.stopping.is_set():
            began = time.monotonic()
            try:
                answer = [[int(cell) for cell in row] for row in self.ask()]
            except Exception as error:  # each is a finding
                answer = f"{type(error).__name__}: {error}"
            self.reads.append(Span("read", began, time.monotonic()))
            if isinstance(answer, list) and len(answer) == 1 and answer[0][1] == rows(answer[0][0]):
                self.seen[answer[0][0]] += 1
            else:
                self.wrong.append(str(answer)[:500])

    def unwatched(self):
        """The phases with no read going on."""
        ends = [read.ended for read in self.reads]  # they follow each other
        out = []
        for phase in self.table.phases:
            next_read = bisect.bisect_left(ends, phase.began)
            if next_read == len(self.reads) or self.reads[next_read].began > phase.ended:
                out.append(phase)
        return out

    def report(self):
        """What is wrong with it, in words."""
        all_swaps = sum(phase.what == "swap" for phase in self.table.phases)
        longest = max(read.ended - read.began for read in self.reads if read.ended > self.table.phases[0].began)  # the first ones are slow
        during = collections.Counter(phase.what for phase in self.table.phases)
        for phase in self.unwatched():
            during[phase.what] -= 1
        print(f"  {self.name}: {len(self.reads)} reads of {len(self.seen)} runs, the longest {longest:.1f} s; watched {dict(during)}", flush=True)
        out = [f"{self.name}: {one}" for one in self.wrong[:5]]
        if self.wrong:
            out.append(f"{self.name}: {len(self.wrong)} reads of {len(self.reads)} were wrong")
        out += [f"{self.name}: no read during a {phase.what}" for phase in self.unwatched()[:3]]
        if longest > MIN_AGE_SECONDS / 2:
            out.append(f"{self.name}: a read took {longest:.0f} s, too near to min_age")
        if len(self.seen) < all_swaps / 3:
            out.append(f"{self.name}: it saw {len(self.seen)} runs of {all_swaps}")
        return out


def write_source(folder, number):
    with duckdb.connect(str(folder / "source.duckdb")) as db:
        db.execute("CREATE OR REPLACE TABLE rows AS SELECT '2026-11-01' AS day, i AS id, $run AS run, md5(i::VARCHAR) || md5((i + 1)::VARCHAR) AS text "
                   "FROM range($rows) t(i)", {"run": number, "rows": rows(number)})


def spark_settings(store, metastore):
    return {"spark.jars": ",".join(map(str, sorted((program.ROOT / ".deps/spark-s3").glob("*.jar")))),
            "spark.sql.catalogImplementation": "hive",
            "spark.sql.hive.metastore.version": "4.0.1",
            "spark.sql.hive.metastore.jars": "path",
            "spark.sql.hive.metastore.jars.path": f"{program.ROOT}/.deps/spark-hive/*.jar",
            "spark.hadoop.hive.metastore.uris": f"thrift://127.0.0.1:{metastore.ports[0]}",
            "spark.hadoop.fs.s3.impl": "org.apache.hadoop.fs.s3a.S3AFileSystem",  # the table's location says s3://
            "spark.hadoop.fs.s3a.endpoint": store.endpoint,
            "spark.hadoop.fs.s3a.endpoint.region": store.region,
            "spark.hadoop.fs.s3a.path.style.access": "true"}


def trino_catalogs(store, metastore, glue):
    common = trino_server.HIVE.format(endpoint=store.endpoint, region=store.region)
    return {"hive": common + trino_server.METASTORE.format(port=metastore.ports[0]),
            "glue": common + trino_server.GLUE.format(region=glue.region, endpoint=glue.endpoint)}


def swap(tables, folder, swaps):
    """The tables by turns; after some swaps a rollback, a clean-up, or both."""
    began = time.monotonic()
    for number in range(1, swaps + 1):
        write_source(folder, number)
        table = tables[number % len(tables)]
        (done,) = table.do("swap", "publish")["partitions"]
        assert done["outcome"] == "published" and done["files"] >= 4, done
        if number % 3 == 0:
            table.do("rollback", "rollback")
        if number % 5 < 2:
            table.do("clean", "clean")
        if number % 50 == 0:
            print(f"  {number} swaps in {time.monotonic() - began:.0f} s", flush=True)


def read_while_swapping(tables, readers, folder, swaps):
    for reader in readers:
        reader.start()
    try:
        while any(not reader.reads and reader.is_alive() for reader in readers):  # the engines are warm
            time.sleep(0.1)
        swap(tables, folder, swaps)
    finally:
        for reader in readers:
            reader.stopping.set()
        for reader in readers:
            reader.join()
    return [line for reader in readers for line in reader.report()]


def compare(binary, folder, swaps, store, metastore, glue):
    """What is wrong, in words."""
    servers.client(store).create_bucket(Bucket="warehouse")
    metastore.create_database("sales")
    servers.client(glue, "glue").create_database(DatabaseInput={"Name": "sales"})
    tidegate = program.Tidegate(binary, folder / "cwd", {**store.environment(), "AWS_ENDPOINT_URL_GLUE": glue.endpoint})
    hive, in_glue = (Table(tidegate, folder, name, url) for name, url in (("hive", metastore.url), ("glue", f"glue://{glue.region}")))
    write_source(folder, 0)
    for table in (hive, in_glue):
        table.do("swap", "publish")
        table.phases.clear()
    with trino_server.Trino(None, folder / "trino", trino_catalogs(store, metastore, glue)) as trino:
        (folder / "spark").mkdir()
        spark = start_spark(folder / "spark", spark_settings(store, metastore))
        try:
            trino.wait()
            readers = [Reader("Trino on the metastore", hive, lambda: trino.query(SQL.format(table="hive.sales.daily"))[1]),
                       Reader("Trino on Glue", in_glue, lambda: trino.query(SQL.format(table="glue.sales.daily"))[1]),
                       Reader("Spark on the metastore", hive, lambda: spark.sql(SQL.format(table="sales.daily")).collect())]
            return read_while_swapping((hive, in_glue), readers, folder, swaps)
        finally:
            spark.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tidegate", type=pathlib.Path, default=program.ROOT / "build/release/bin/tidegate")
    parser.add_argument("--swaps", type=int, default=1000)
    args = parser.parse_args()
    store = servers.SeaweedFs()
    metastore, glue = servers.HiveMetastore(store=store), servers.Moto()
    with tempfile.TemporaryDirectory(prefix="tidegate-swap-readers-") as folder, store, servers.running([metastore, glue]):
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            del os.environ[name]
        os.environ.update({name: value for name, value in store.environment().items() if name != "AWS_ENDPOINT_URL"})  # Spark and Trino have it in their settings
        wrong = compare(args.tidegate.resolve(), pathlib.Path(folder).resolve(), args.swaps, store, metastore, glue)
    print("\n".join(wrong) or f"{args.swaps} swaps: every count was that of one run")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
