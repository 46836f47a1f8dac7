"""Publish on a Hive Metastore, through the real program: tables in a bucket and in a folder, odd partition values, a rollback, a clean-up, and errors
that say what to do.

  test_publish_hive.py --tidegate BINARY [unittest options]
"""
import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import duckdb

import program
import servers

DAY = "day=2026-11-01"
SETTINGS = """
[hive_catalog]
url = "{catalog}"

[[publish]]
table = "{table}"
partition_by = ["day"]
location = "{location}"
source = "{folder}/source.duckdb"
select = "SELECT id, text FROM rows WHERE day = {{day}}"
min_age = "0s"
"""


class Publish(program.Case):
    """One metastore and one bucket for all tests."""

    @classmethod
    def setUpClass(cls):
        if not servers.HiveMetastore.is_installed():
            raise unittest.SkipTest(f"{servers.HiveMetastore.name} is not installed: tools/deps.sh build servers brings it")
        cls.server, cls.s3_server = servers.HiveMetastore(), servers.SeaweedFs()
        cls.enterClassContext(servers.running([cls.server, cls.s3_server]))
        cls.s3 = servers.client(cls.s3_server)
        cls.addClassCleanup(cls.s3.close)
        cls.s3.create_bucket(Bucket="warehouse")
        cls.server.create_database("sales")

    def setUp(self):
        super().setUp()
        self.tidegate = program.Tidegate(self.binary, self.folder / "cwd", self.s3_server.environment())
        self.config = self.folder / "tidegate.toml"
        self.table = f"sales.{self.id().rpartition('.')[2]}"

    def settings(self, location, catalog=None):
        self.config.write_text(SETTINGS.format(catalog=catalog or self.server.url, table=self.table, location=location, folder=self.folder))

    def source(self, rows, day="2026-11-01"):
        with duckdb.connect(str(self.folder / "source.duckdb")) as db:
            db.execute("CREATE TABLE IF NOT EXISTS rows (day VARCHAR, id BIGINT, text VARCHAR)")
            db.execute("DELETE FROM rows WHERE day IS NOT DISTINCT FROM ?", [day])
            db.execute("INSERT INTO rows SELECT ?, i, md5(i::VARCHAR) FROM range(?) t(i)", [day, rows])

    def run_on(self, command, *arguments):
        return self.tidegate.must(command, self.table, *arguments, "--config", self.config)

    def ask(self, sql):
        return self.tidegate.must("query", self.server.url, sql, "--json").json

    def count(self):
        return self.ask(f"SELECT count(*) AS n FROM {self.table}")[0]["n"]

    def tell_the_story(self, location):
        self.settings(location)
        self.source(100)
        self.run_on("publish", DAY)
        self.assertEqual(self.count(), 100)
        self.assertIn("nothing to do", self.run_on("publish", DAY, "--plan").out)
        for rows in (120, 130):
            self.source(rows)
            self.run_on("publish", DAY)
            self.assertEqual(self.count(), rows)
        self.run_on("rollback", DAY)
        self.assertEqual(self.count(), 120)
        self.run_on("clean", DAY)
        self.assertEqual(self.count(), 120)
        runs = self.tidegate.must("runs", self.table, "--config", self.config, "--json").json["partitions"][0]["runs"]
        self.assertIn("current", [run["state"] for run in runs])
        self.source(140)
        self.run_on("publish", DAY)
        self.assertEqual(self.count(), 140)

    def test_the_story_in_a_bucket(self):
        self.tell_the_story(f"s3://warehouse/{self.table}")

    def test_the_story_in_a_bucket_by_hadoops_name(self):
        self.tell_the_story(f"s3a://warehouse/{self.table}")

    def test_the_story_in_a_folder(self):
        self.tell_the_story(self.folder / "a b")

    def test_odd_partition_values(self):
        values = ["a b", "it's", "50%", "a/b", "12:30", "a=b", "Zürich", "日本", "NULL", 'say "x"', "[1]{2}", "a\\b", " lead", None]
        for number, value in enumerate(values):
            self.source(number + 1, value)
        self.settings(f"s3://warehouse/{self.table}")
        text = self.config.read_text().replace("WHERE day = {day}", "WHERE day IS NOT DISTINCT FROM {day}")
        self.config.write_text(text.replace("min_age", 'partitions = "SELECT DISTINCT day FROM rows"\nmin_age'))
        self.assertEqual(len(self.run_on("publish").out.splitlines()), len(values))
        seen = {row["day"]: row["n"] for row in self.ask(f"SELECT day, count(*) AS n FROM {self.table} GROUP BY day")}
        self.assertEqual(seen, {value: number + 1 for number, value in enumerate(values)})
        self.source(77, "a/b")
        self.run_on("publish", "day=a%2Fb")
        self.assertEqual(self.ask(f"SELECT count(*) AS n FROM {self.table} WHERE day = 'a/b'"), [{"n": 77}])
        self.run_on("rollback", "day=a%2Fb")
        self.assertEqual(self.ask(f"SELECT count(*) AS n FROM {self.table} WHERE day = 'a/b'"), [{"n": 4}])

    def test_a_hundred_and_one_partitions_are_moved_together(self):
        with duckdb.connect(str(self.folder / "source.duckdb")) as db:
            db.execute("CREATE TABLE rows AS SELECT (1000 + i)::VARCHAR AS day, i AS id, 'x' AS text FROM range(101) t(i)")
        self.settings(f"s3://warehouse/{self.table}")
        self.config.write_text(self.config.read_text().replace("min_age", 'partitions = "SELECT day FROM rows"\nmin_age'))
        self.run_on("publish")
        with duckdb.connect(str(self.folder / "source.duckdb")) as db:
            db.execute("INSERT INTO rows SELECT day, id + 1000, text FROM rows")
        self.run_on("publish")
        self.assertEqual(self.ask(f"SELECT count(*) AS n, count(DISTINCT day) AS days FROM {self.table}"), [{"n": 202, "days": 101}])

    def test_errors_say_what_to_do(self):
        self.source(1)
        self.settings(f"s3://warehouse/{self.table}")
        missing = self.tidegate("rollback", self.table, DAY, "--config", self.config)
        self.assertIn("there is no such thing", missing.err)
        self.config.write_text(self.config.read_text().replace("sales.", "nowhere."))
        done = self.tidegate("publish", self.table.replace("sales.", "nowhere."), DAY, "--config", self.config)
        self.assertEqual(done.code, 1)
        self.assertIn("there is no database 'nowhere'", done.err)
        (port,) = servers.free_ports(1)
        self.settings(f"s3://warehouse/{self.table}", catalog=f"hive://127.0.0.1:{port}")
        done = self.tidegate("publish", self.table, DAY, "--config", self.config)
        self.assertIn("is the server up, and is it this port?", done.err)
        self.settings(f"s3://warehouse/{self.table}", catalog="hive://")
        self.assertIn("write it as hive://host:9083", self.tidegate("publish", self.table, DAY, "--config", self.config).err)

    def story(self, **variables):
        environment = {**os.environ, **self.s3_server.environment(), "PATH": f"{self.binary.parent}:{os.environ['PATH']}",
                       "DEMO_FOLDER": str(self.folder / "de mo"), "HIVE_METASTORE": self.server.url, **variables}
        done = subprocess.run([str(program.ROOT / "examples/partition-swap/demo.sh"), "--hive", "story"], env=environment, capture_output=True, text=True,
                              timeout=120)
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual(re.findall(r"^\d+$", done.stdout, re.M), ["100", "120", "100"])
        self.assertFalse((self.folder / "de mo").exists())

    def test_the_example_in_a_folder_with_a_database_of_its_own(self):
        for _ in range(2):  # the table was taken away
            self.story()

    def test_the_example_in_a_bucket(self):
        self.story(DEMO_DATABASE="sales", DEMO_BUCKET="warehouse", DEMO_PREFIX="de/mo")


if __name__ == "__main__":
    program.main()
