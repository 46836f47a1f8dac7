#!/usr/bin/env python3
"""Partitions built by Athena, through the real program: UNLOAD, checks, audits, flips, and what goes wrong on the way. Athena is
athena_facade.py, over Glue in moto and a bucket in SeaweedFS.

usage: test_athena.py --tidegate BINARY [unittest options]
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import duckdb  # noqa: E402

import athena_facade  # noqa: E402
import program  # noqa: E402
import servers  # noqa: E402

DAY = "day=2026-11-01"
SETTINGS = """
[hive_catalog]
url = "{catalog}"

[athena]
result_location = "{results}"
database = "sales"

[[publish]]
table = "sales.daily"
partition_by = ["{partition_by}"]
location = "s3://warehouse/{root}/daily"
engine = "athena"
select = '''{select}'''
partitions = "{partitions}"
min_age = "0s"
{more}
"""
PARQUET = "org.apache.hadoop.hive.ql.io.parquet"
ORDERS = {"Columns": [{"Name": "id", "Type": "bigint"}, {"Name": "amount", "Type": "double"}], "InputFormat": f"{PARQUET}.MapredParquetInputFormat",
          "OutputFormat": f"{PARQUET}.MapredParquetOutputFormat", "SerdeInfo": {"SerializationLibrary": f"{PARQUET}.serde.ParquetHiveSerDe"}}
SELECT = "SELECT id, amount FROM orders WHERE day = {day}"


class Case(program.Case):
    """One cloud for all tests of the class; each has a root and a database of its own."""
    odd_values = ["a b", "it's", "50%", "a/b", "12:30", "a=b", "Zürich", "NULL", 'say "x"', "[1]{2}", "a\\b"]

    @classmethod
    def setUpClass(cls):
        cls.cloud = cls.enterClassContext(athena_facade.running())
        for bucket in ("warehouse", "results"):
            cls.cloud.s3.create_bucket(Bucket=bucket)

    def setUp(self):
        super().setUp()
        self.root = self._testMethodName
        self.cloud.glue.create_database(DatabaseInput={"Name": "sales"})
        self.addCleanup(self.cloud.glue.delete_database, Name="sales")
        for name, value in vars(athena_facade.Options()).items():
            setattr(self.options, name, value)
        self.cloud.athena.calls.clear()
        self.config = self.folder / "tidegate.toml"
        self.settings()
        self.tidegate = program.Tidegate(self.binary, self.folder / "cwd", self.cloud.environment())
        self.cloud.glue.create_table(DatabaseName="sales", TableInput={
            "Name": "orders", "TableType": "EXTERNAL_TABLE", "PartitionKeys": [{"Name": "day", "Type": "string"}],
            "StorageDescriptor": {**ORDERS, "Location": f"s3://warehouse/{self.root}/orders"}})

    @property
    def options(self):
        return self.cloud.athena.options

    def settings(self, more="", select=SELECT, results="s3://results/athena/", catalog="glue://", partition_by="day", partitions="SELECT DISTINCT day FROM orders"):
        self.config.write_text(SETTINGS.format(more=more, select=select, results=results, catalog=catalog, partition_by=partition_by,
                                               partitions=partitions, root=self.root))

    def source(self, rows, day="2026-11-01"):
        """So many orders of a day, in a partition of Glue's."""
        file = self.folder / "orders.parquet"
        duckdb.sql(f"COPY (SELECT i AS id, i * 1.5::DOUBLE AS amount FROM range({rows}) t(i)) TO '{file}'")
        prefix = f"{self.root}/orders/{abs(hash(day))}-{rows}"
        self.cloud.s3.put_object(Bucket="warehouse", Key=f"{prefix}/file", Body=file.read_bytes())
        wanted = {"Values": [day], "StorageDescriptor": {**ORDERS, "Location": f"s3://warehouse/{prefix}"}}
        where = {"DatabaseName": "sales", "TableName": "orders"}
        try:
            self.cloud.glue.create_partition(**where, PartitionInput=wanted)
        except self.cloud.glue.exceptions.AlreadyExistsException:
            self.cloud.glue.update_partition(**where, PartitionValueList=[day], PartitionInput=wanted)

    def publish(self, *more, partition=DAY):
        return self.tidegate("publish", "sales.daily", *([partition] if partition else []), "--config", self.config, *more)

    def published(self, *more):
        done = self.publish(*more)
        self.assertEqual(done.code, 0, done)
        return done

    def must(self, command, *more):
        return self.tidegate.must(command, "sales.daily", DAY, "--config", self.config, *more)

    def count(self, where="true"):
        done = self.tidegate.must("query", "glue://", f"SELECT count(*) AS n FROM sales.daily WHERE {where}", "--json")
        return done.json[0]["n"]

    def partition(self, value="2026-11-01"):
        return self.cloud.glue.get_partition(DatabaseName="sales", TableName="daily", PartitionValues=[value])["Partition"]

    def keys(self):
        """What lies below the table, but leases."""
        pages = self.cloud.s3.get_paginator("list_objects_v2").paginate(Bucket="warehouse", Prefix=f"{self.root}/daily/")
        return sorted(found["Key"] for page in pages for found in page.get("Contents", []) if not found["Key"].endswith("_lease.json"))

    def stays(self, rows=100):
        """Readers see what they saw."""
        self.assertEqual(self.count(), rows)

    def calls(self, operation):
        return self.cloud.athena.calls[operation]


class Publish(Case):
    def test_the_story_of_the_document(self):
        self.source(100)
        self.assertIn("100 rows", self.published().out)
        self.assertEqual(self.count(), 100)
        self.source(120)
        self.published()
        self.assertEqual(self.count(), 120)
        self.must("rollback")
        self.assertEqual(self.count(), 100)
        done = self.publish("--detailed-exitcode")
        self.assertEqual(done.code, 4)
        self.assertIn("nothing was flipped: a rollback turned this content away", done.out)
        self.assertEqual(self.count(), 100)
        self.published("--force")
        self.assertEqual(self.count(), 120)

    def test_the_files_are_athenas_and_the_run_file_says_what_they_hold(self):
        self.source(100)
        self.published()
        run = self.tidegate.must("runs", "sales.daily", "--config", self.config, "--json").json["partitions"][0]["runs"][0]
        names = [key.rpartition("/")[2] for key in self.keys()]
        self.assertEqual(sum(not name.startswith("_") for name in names), 3)
        self.assertFalse([name for name in names if name.endswith(".parquet")])
        self.assertIn("_tidegate_run.json", names)
        self.assertEqual(run["state"], "current")
        parameters = self.partition()["Parameters"]
        self.assertRegex(parameters["tidegate.signature"], "[0-9a-f]{16}")

    def test_the_same_content_is_built_compared_and_taken_away_again(self):
        self.source(100)
        self.published()
        before, location = self.keys(), self.partition()["StorageDescriptor"]["Location"]
        done = self.publish("--detailed-exitcode", "--json")
        [outcome] = done.json["partitions"]
        self.assertEqual((done.code, outcome["outcome"]), (3, "unchanged"))
        self.assertEqual(self.keys(), before)
        self.assertEqual(self.partition()["StorageDescriptor"]["Location"], location)
        self.assertIn("unchanged, nothing was flipped", self.publish().out)

    def test_the_signature_does_not_depend_on_the_engine(self):
        """The same rows by DuckDB: nothing to do."""
        self.source(100)
        self.published()
        text = self.config.read_text().replace('engine = "athena"', 'engine = "embedded"')
        self.config.write_text(text.replace(SELECT, "SELECT i AS id, i * 1.5::DOUBLE AS amount FROM range(100) t(i) WHERE {day} = '2026-11-01'"))
        self.assertIn("unchanged, nothing was built", self.published().out)

    def test_a_plan_asks_athena_nothing(self):
        self.source(100)
        done = self.published("--plan")
        self.assertIn("computes rows only while it writes them", done.out)
        self.assertEqual(self.calls("StartQueryExecution"), 0)
        self.assertEqual(self.keys(), [])

    def test_partitions_come_from_athena_also_more_than_a_hundred(self):
        self.settings(select="SELECT 1 AS id WHERE {day} <> ''", partitions="SELECT i FROM range(104) t(i)")
        done = self.publish(partition=None)
        self.assertEqual(done.code, 0, done)
        self.assertEqual(len(done.out.splitlines()), 104)
        self.assertEqual(self.count(), 104)

    def test_odd_partition_values(self):
        values = self.odd_values
        for number, value in enumerate(values):
            self.source(number + 1, day=value)
        done = self.publish(partition=None)
        self.assertEqual(done.code, 0, done)
        rows = self.tidegate.must("query", "glue://", "SELECT day, count(*) AS n FROM sales.daily GROUP BY day", "--json").json
        self.assertEqual({row["day"]: row["n"] for row in rows}, {value: number + 1 for number, value in enumerate(values)})

    def test_literals_have_the_type_of_their_partition_column(self):
        self.settings(select="SELECT 1 AS id WHERE DATE '2026-11-01' = {day}", partition_by="day date")
        self.published()
        self.assertEqual(self.count("day = DATE '2026-11-01'"), 1)

    def test_audits_run_over_what_athena_wrote(self):
        self.source(100)
        self.published()
        self.source(120)
        self.settings("[publish.audit]\nmin_rows = 1\nunique = ['id']\nno_rows = ['FROM build WHERE amount > 170']")
        done = self.publish()
        self.assertEqual(done.code, 1)
        self.assertIn("no_rows FROM build WHERE amount > 170: 6 rows; readers stay where they are", done.err)
        self.stays()
        self.assertIn("it failed an audit", self.must("runs").out)

    def test_settings_that_athena_cannot_keep_are_refused(self):
        for more, word in (("max_file = '1MB'", "max_file"), ("source = 'x.duckdb'", "source"), ("compression = 'none'", "snappy or zstd")):
            self.settings(more)
            done = self.publish()
            self.assertEqual(done.code, 2)
            self.assertIn(word, done.err)
        self.assertEqual(self.calls("StartQueryExecution"), 0)


class GoesWrong(Case):
    def setUp(self):
        super().setUp()
        self.source(100)
        self.published()
        self.before = self.keys()
        self.source(120)
        self.cloud.athena.calls.clear()

    def fails(self, *words):
        done = self.publish()
        self.assertEqual(done.code, 1, done)
        for word in words:
            self.assertIn(word, done.err)
        self.stays()
        return done

    def recovers(self):
        """The next publish does the work, and clears what the failed one left."""
        self.published()
        self.assertEqual(self.count(), 120)
        runs = self.tidegate.must("runs", "sales.daily", "--config", self.config, "--json").json["partitions"][0]["runs"]
        self.assertEqual([run["state"] for run in runs], ["kept for a rollback", "current"])

    def test_a_select_that_fails(self):
        for select, words in (("SELECT nope FROM orders WHERE day = {day}", ("COLUMN_NOT_FOUND", "check the names")),
                              ("SELECT id FROM nowhere WHERE day = {day}", ("TABLE_NOT_FOUND", "awsdatacatalog.sales.nowhere")),
                              ("SELEC id FROM orders WHERE day = {day}", ("SYNTAX_ERROR", "mend the statement")),
                              ("SELECT id, id FROM orders WHERE day = {day}", ("more than once",))):
            self.settings(select=select)
            self.fails(*words)
        self.assertEqual(self.keys(), self.before)
        self.settings()
        self.recovers()

    def test_a_partition_column_in_the_select(self):
        self.settings(select="SELECT id, amount, day FROM orders WHERE day = {day}")
        self.fails("the partition column 'day'", "leave it out of the SELECT")
        self.settings()
        self.recovers()

    def test_a_select_without_rows(self):
        self.settings(select="SELECT id, amount FROM orders WHERE day = {day} AND id < 0")
        self.fails("gave no rows")

    def test_a_manifest_that_misses_a_file(self):
        self.options.manifest_misses = 1
        self.fails("does not name", "readers stay where they are")
        self.options.manifest_misses = 0
        self.recovers()

    def test_a_file_that_athena_did_not_write(self):
        unload = self.cloud.athena.statements.executor.unload

        def meddle(query, sql, to, compression):
            written = unload(query, sql, to, compression)
            bucket, prefix = athena_facade.bucket_and_key(to)
            self.cloud.s3.put_object(Bucket=bucket, Key=prefix + "theirs", Body=b"theirs")
            return written
        self.cloud.athena.statements.executor.unload = meddle
        self.addCleanup(setattr, self.cloud.athena.statements.executor, "unload", unload)
        self.fails("does not name", "theirs")

    def test_a_file_that_is_gone(self):
        unload = self.cloud.athena.statements.executor.unload

        def meddle(*given):
            written, rows = unload(*given)
            bucket, key = athena_facade.bucket_and_key(written[0])
            self.cloud.s3.delete_object(Bucket=bucket, Key=key)
            return written, rows
        self.cloud.athena.statements.executor.unload = meddle
        self.addCleanup(setattr, self.cloud.athena.statements.executor, "unload", unload)
        self.fails("which is not there")

    def test_a_folder_that_is_not_empty(self):
        unload = self.cloud.athena.statements.unload

        def meddle(query, select, to, settings):
            bucket, prefix = athena_facade.bucket_and_key(athena_facade.text_of(to))
            self.cloud.s3.put_object(Bucket=bucket, Key=prefix + "theirs", Body=b"theirs")
            return unload(query, select, to, settings)
        self.cloud.athena.statements.kinds[0] = (self.cloud.athena.statements.kinds[0][0], meddle)
        self.addCleanup(self.cloud.athena.statements.kinds.__setitem__, 0, (self.cloud.athena.statements.kinds[0][0], unload))
        self.fails("HIVE_PATH_ALREADY_EXISTS", "another program writes there")

    def test_rows_that_athena_counted_and_did_not_write(self):
        self.options.count_off_by = 1
        self.fails("Athena counted 121 rows", "its files hold 120")

    def test_throttling_is_waited_for(self):
        self.options.throttle = 3
        self.recovers()
        self.assertEqual(self.calls("StartQueryExecution"), 4)

    def test_a_start_whose_reply_was_lost_runs_once(self):
        self.options.lose_start_replies = 2
        queries = len(self.cloud.athena.queries)
        self.recovers()
        self.assertEqual(self.calls("StartQueryExecution"), 3)
        self.assertEqual(len(self.cloud.athena.queries) - queries, 1)

    def test_ctrl_c_stops_the_query(self):
        self.options.hold = True
        with open(self.folder / "err", "wb") as err:
            process = self.tidegate.start("publish", "sales.daily", DAY, "--config", self.config, err=err)
            while self.calls("GetQueryExecution") < 2:
                self.assertIsNone(process.poll())
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(timeout=60), 1)
        self.assertEqual(self.calls("StopQueryExecution"), 1)
        self.assertIn("was stopped", (self.folder / "err").read_text())
        self.assertEqual(list(self.cloud.athena.queries.values())[-1].state, "CANCELLED")
        self.options.hold = False
        self.stays()
        self.recovers()  # at once: the lease was ended, too

    def test_limits_and_refusals_say_what_to_do(self):
        for failure, words in ((athena_facade.Failed("Bytes scanned limit was exceeded"), "the workgroup bounds"),
                               (athena_facade.Failed("Query exhausted resources at this scale factor", 1, 1, True), "run again"),
                               (athena_facade.Failed("HIVE_BAD_DATA: Malformed Parquet file"), "a file that the statement reads")):
            self.options.fail_with = failure
            self.fails(words, f"type {failure.error['ErrorType']}")
        self.settings(results="")
        self.fails("No output location provided", "set result_location in [athena]")
        self.options.workgroups = {"primary": "s3://results/of-the-workgroup"}
        self.recovers()

    def test_a_statement_that_is_too_long(self):
        self.settings(select=SELECT + " -- " + "x" * 262_144)
        self.fails("Athena takes 262,144")
        self.assertEqual(self.calls("StartQueryExecution"), 0)


AWS = """\
#!{python}
# The few commands of AWS's command line that the example uses.
import json, os, sys
sys.path.insert(0, {moto!r})
import boto3
def client(name):
    return boto3.client(name, endpoint_url=os.environ["AWS_ENDPOINT_URL_" + name.upper()], region_name=os.environ["AWS_REGION"],
                        config=boto3.session.Config(s3={{"addressing_style": "path"}}))
what, at = sys.argv[1:3], sys.argv[-1]
if what == ["glue", "create-database"]:
    client("glue").create_database(DatabaseInput=json.loads(at))
elif what == ["glue", "delete-database"]:
    client("glue").delete_database(Name=at)
elif what[0] == "s3" and what[1] in ("ls", "rm"):
    bucket, _, prefix = at.removeprefix("s3://").partition("/")
    for page in client("s3").get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
        for found in page.get("Contents", []):
            print(found["Key"]) if what[1] == "ls" else client("s3").delete_object(Bucket=bucket, Key=found["Key"])
else:
    sys.exit(f"not known here: {{sys.argv}}")
"""


class Example(Case):
    def test_the_demo_tells_its_story(self):
        """examples/partition-swap/demo.sh --athena."""
        tools = self.folder / "bin"
        tools.mkdir()
        (tools / "aws").write_text(AWS.format(python=sys.executable, moto=str(servers.DEPS / "moto")))
        (tools / "aws").chmod(0o755)
        environment = {**os.environ, **self.cloud.environment(), "PATH": f"{tools}:{self.binary.parent}:{os.environ['PATH']}",
                       "DEMO_BUCKET": "warehouse", "DEMO_PREFIX": "the/demo", "DEMO_DATABASE": "demo", "ATHENA_WORKGROUP": "primary",
                       "DEMO_FOLDER": str(self.folder / "de mo")}
        done = subprocess.run([str(program.ROOT / "examples/partition-swap/demo.sh"), "--athena", "story"], env=environment, capture_output=True,
                              text=True, timeout=240)
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual([line for line in done.stdout.splitlines() if line.isdigit()], ["100", "120", "100"])
        self.assertFalse((self.folder / "de mo").exists())
        self.assertNotIn("Contents", self.cloud.s3.list_objects_v2(Bucket="warehouse", Prefix="the/demo/"))
        self.assertNotIn("demo", [one["Name"] for one in self.cloud.glue.get_databases()["DatabaseList"]])


class Statements(Case):
    """The catalog is changed by ALTER TABLE alone."""

    def setUp(self):
        super().setUp()
        self.settings(catalog="athena://us-east-1")

    def said(self, words):
        return sum(words in query.statement for query in self.cloud.athena.queries.values())

    def test_the_story_of_the_document(self):
        self.cloud.athena.queries.clear()
        self.source(100)
        self.published()
        self.assertEqual((self.said("CREATE EXTERNAL TABLE"), self.said("ADD IF NOT EXISTS")), (1, 1))
        self.assertEqual(self.count(), 100)
        self.assertIn("unchanged", self.published().out)
        self.source(120)
        self.published()
        self.assertEqual(self.said("SET LOCATION"), 1)
        self.assertEqual(self.count(), 120)
        self.must("rollback")
        self.assertEqual(self.count(), 100)
        self.assertEqual(self.publish("--detailed-exitcode").code, 4)
        self.source(130)
        self.published()
        self.assertEqual(self.count(), 130)
        self.source(120)
        self.assertEqual(self.publish("--detailed-exitcode").code, 4)  # still turned away
        self.published("--force")
        self.assertEqual(self.count(), 120)

    def test_what_the_catalog_says_of_another_run_is_not_believed(self):
        """Parameters of Glue stay where a statement moves the location: a wrong skip must not come of it."""
        self.settings()
        self.source(100)
        self.published()
        self.settings(catalog="athena://")
        self.source(120)
        self.published()
        self.settings()
        self.assertEqual(self.publish("--detailed-exitcode").code, 3)
        self.source(100)
        self.published()
        self.assertEqual(self.count(), 100)

    def test_many_partitions_in_one_statement(self):
        self.settings(catalog="athena://", select="SELECT 1 AS id WHERE {day} <> ''", partitions="SELECT i FROM range(103) t(i)")
        self.cloud.athena.queries.clear()
        done = self.publish(partition=None)
        self.assertEqual(done.code, 0, done)
        self.assertEqual(self.said("ADD IF NOT EXISTS"), 2)
        self.assertEqual(self.count(), 103)

    def test_odd_values_are_quoted_or_refused(self):
        values = ["a b", "50%", "a/b", "Zürich", "NULL", 'say "x"', "[1]{2}"]
        for number, value in enumerate([*values, "a\\b", "it's"]):
            self.source(number + 1, day=value)
        done = self.publish("--json", partition=None)
        self.assertEqual(done.code, 1)
        outcomes = {one["partition"]: one["outcome"] for one in done.json["partitions"]}
        self.assertEqual([name for name, outcome in outcomes.items() if outcome != "published"], ["day=a%5Cb", "day=it%27s"])
        for refused in ("day=a%5Cb", "day=it%27s"):
            self.assertIn("use the catalog glue://", done.json["partitions"][list(outcomes).index(refused)]["error"])
        rows = self.tidegate.must("query", "athena://", "SELECT day, count(*) AS n FROM sales.daily GROUP BY day", "--json").json
        self.assertEqual({row["day"]: row["n"] for row in rows}, {value: number + 1 for number, value in enumerate(values)})

    def test_a_statement_that_fails_leaves_readers_where_they_are(self):
        self.source(100)
        self.published()
        self.source(120)
        set_location = self.cloud.athena.statements.set_location

        def fail(*_):
            raise athena_facade.Failed("Access Denied: not authorized to perform: glue:UpdatePartition")
        at = next(i for i, (_, act) in enumerate(self.cloud.athena.statements.kinds) if act == set_location)
        kind = self.cloud.athena.statements.kinds[at]
        self.cloud.athena.statements.kinds[at] = (kind[0], fail)
        self.addCleanup(self.cloud.athena.statements.kinds.__setitem__, at, kind)
        done = self.publish()
        self.assertEqual(done.code, 1)
        self.assertIn("docs/permissions.md", done.err)
        self.stays()


if __name__ == "__main__":
    program.main()
