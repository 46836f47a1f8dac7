#!/usr/bin/env python3
"""A lake in a bucket opens in Spark and Trino as it does in the others, with equal rows after every kind of change.

usage: s3_engines.py --tidegate BINARY

The steps and tables of engines.py, with bucket and lake on a real server of S3 that is started for it. Spark reads by the table's location and by its
name in a catalog over the lake's folders; both follow the newest commit by themselves. Trino has a catalog of its own: it shows the state that was
registered until a newer one is, by its procedures or in the catalog's database.
"""
import argparse
import collections
import contextlib
import fnmatch
import itertools
import os
import pathlib
import sqlite3
import sys
import tempfile

import engines
from pyiceberg.table import StaticTable

import bucket_folder
import checks
import program
import readers
import servers
import trino_server
from canonical import Rows
from spark_reference import start_spark

LAKE = "s3://lakes/team=a/shop"
# What a catalog of the kind "jdbc" keeps. Trino does not make these tables.
CATALOG_TABLES = """
    CREATE TABLE iceberg_tables (catalog_name TEXT NOT NULL, table_namespace TEXT NOT NULL, table_name TEXT NOT NULL, metadata_location TEXT,
                                 previous_metadata_location TEXT, iceberg_type TEXT, PRIMARY KEY (catalog_name, table_namespace, table_name));
    CREATE TABLE iceberg_namespace_properties (catalog_name TEXT NOT NULL, namespace TEXT NOT NULL, property_key TEXT NOT NULL, property_value TEXT,
                                               PRIMARY KEY (catalog_name, namespace, property_key));
"""


def spark_settings(server):
    """For a server that is not Amazon's. The keys come from the environment."""
    return {"spark.jars": ",".join(map(str, sorted((program.ROOT / ".deps/spark-s3").glob("*.jar")))),
            "spark.hadoop.fs.s3.impl": "org.apache.hadoop.fs.s3a.S3AFileSystem",  # the lake's metadata says s3://
            "spark.hadoop.fs.s3a.endpoint": server.endpoint,
            "spark.hadoop.fs.s3a.endpoint.region": server.region,
            "spark.hadoop.fs.s3a.path.style.access": "true",
            "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
            "spark.sql.catalog.lake.type": "hadoop",
            "spark.sql.catalog.lake.warehouse": LAKE,
            "spark.sql.catalog.lake.cache-enabled": "false"}


class History(engines.History):
    """Delivered into a bucket, and taken into a lake in another."""

    def __init__(self, tidegate, folder, s3):
        super().__init__(tidegate, folder)
        self.bucket, self.lake, self.s3 = "s3://deliveries/from=shop", LAKE, s3

    def lose_file(self, pattern):
        place = bucket_folder.Place(self.s3, self.bucket)
        (key,) = fnmatch.filter(place.keys(), pattern)
        place.delete([key])


class Engines(engines.Engines):
    def __init__(self, history, spark, trino, folder, server):
        self.server, self.catalog = server, folder / "lakes.db"
        self.registered = collections.defaultdict(list)  # by Trino, of each table: what it showed
        super().__init__(history, spark, trino, folder)
        self.read["Spark by name"] = self.by_spark_catalog

    def connect(self):
        return checks.connect(program.EXTENSIONS, self.server)

    def tables(self):
        paths = (key.split("/") for key in bucket_folder.Place(self.history.s3, self.lake).keys())
        return sorted({f"{path[0]}.{path[1]}" for path in paths if path[2:3] == ["metadata"]})

    def newest(self, name):
        return checks.newest_metadata(readers.folder_of(self.lake, name), self.db)

    def by_pyiceberg(self, name):
        return Rows.of_arrow(StaticTable.from_metadata(self.newest(name), readers.properties_of(self.server)).scan().to_arrow())

    def by_spark(self, name):
        return Rows.of_arrow(self.spark.read.format("iceberg").load(readers.folder_of(self.lake, name)).toArrow())

    def by_spark_catalog(self, name):
        return Rows.of_arrow(self.spark.table(f"lake.{name}").toArrow())

    def by_trino(self, name):
        shown = self.registered[name]
        if len(shown) == 1 and self.trino_rows(name) != shown[0]:  # later the expiry takes such states away
            raise AssertionError("it shows another state than the one that was registered")
        self.register(name, len(shown))
        shown.append(self.trino_rows(name))
        return shown[-1]

    def trino_rows(self, name):
        return Rows(*self.trino.query(f"SELECT * FROM {name}"))

    def register(self, name, times):
        """Both ways in turn: Trino's procedures, between which the table is not there, and one statement in the catalog's database."""
        schema, table = name.split(".")
        if times == 0:
            self.trino.query(f"CREATE SCHEMA IF NOT EXISTS {schema}")
        if times % 2 == 0:
            if times:
                self.trino.query(f"CALL system.unregister_table('{schema}', '{table}')")
            self.trino.query(f"CALL system.register_table('{schema}', '{table}', '{readers.folder_of(self.lake, name)}')")
            return
        with contextlib.closing(sqlite3.connect(self.catalog)) as db, db:
            changed = db.execute("UPDATE iceberg_tables SET metadata_location = ? WHERE (catalog_name, table_namespace, table_name) = ('lakes', ?, ?)",
                                 [self.newest(name), schema, table])
            assert changed.rowcount == 1, name


def compare(tidegate, server, folder):
    """The exit code."""
    with contextlib.closing(servers.client(server)) as s3, contextlib.closing(sqlite3.connect(folder / "lakes.db")) as catalog:
        for bucket in ("deliveries", "lakes"):
            s3.create_bucket(Bucket=bucket)
        catalog.executescript(CATALOG_TABLES)
        history = History(program.Tidegate(tidegate, folder / "cwd", server.environment()), folder / "shop", s3)
        steps = history.steps()
        first = next(steps)
        properties = trino_server.BUCKET.format(catalog=folder / "lakes.db", lake=LAKE, endpoint=server.endpoint, region=server.region)
        with trino_server.Trino(properties, folder / "trino") as trino:
            (folder / "spark").mkdir()
            spark = start_spark(folder / "spark", spark_settings(server))
            try:
                trino.wait()
                comparison = engines.Comparison(Engines(history, spark, trino, folder, server))
                print(", ".join(comparison.engines.read), flush=True)
                for step in itertools.chain([first], steps):
                    comparison.step(step)
            finally:
                spark.stop()
    return comparison.report()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tidegate", type=pathlib.Path, default=program.ROOT / "build/release/bin/tidegate")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tidegate-s3-engines-") as folder, servers.SeaweedFs() as server:
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            del os.environ[name]
        os.environ.update({name: value for name, value in server.environment().items() if name != "AWS_ENDPOINT_URL"})  # Spark and Trino have it in their settings
        code = compare(args.tidegate.resolve(), server, pathlib.Path(folder).resolve())
    sys.exit(code)


if __name__ == "__main__":
    main()
