#!/usr/bin/env python3
"""Athena with its own engine: the story of the document through the program, where Trino runs the queries (C-50 … C-58).

usage: athena.py --tidegate BINARY

The facade of Athena's API (tests/servers/athena_facade.py) stands over Glue in moto, a bucket in SeaweedFS, and Trino with the Hive connector
on both. UNLOAD is a CREATE TABLE AS in a second catalog, kept in a folder, whose table is dropped and whose files stay.
"""
import contextlib
import pathlib
import re
import sys
import tempfile
import uuid

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "servers"), str(pathlib.Path(__file__).resolve().parents[1] / "e2e")]

import athena_facade  # noqa: E402
import program  # noqa: E402
import servers  # noqa: E402
import test_athena  # noqa: E402
import trino_server  # noqa: E402

STORAGE = """\
connector.name=hive
hive.non-managed-table-writes-enabled=true
hive.storage-format=PARQUET
fs.native-s3.enabled=true
s3.endpoint={storage.endpoint}
s3.region={storage.region}
s3.path-style-access=true
s3.aws-access-key={storage.access_key}
s3.aws-secret-key={storage.secret_key}
"""
GLUE = STORAGE + """\
hive.metastore=glue
hive.metastore.glue.region={catalog.region}
hive.metastore.glue.endpoint-url={catalog.endpoint}
hive.metastore.glue.aws-access-key={catalog.access_key}
hive.metastore.glue.aws-secret-key={catalog.secret_key}
"""
UNLOADS = STORAGE + """\
hive.metastore=file
hive.metastore.catalog.dir=s3://results/unloads
"""


class Trino:
    """The executor: the facade's port to an engine."""

    def __init__(self, tables, server):
        self.tables, self.server = tables, server
        self.server.query("CREATE SCHEMA IF NOT EXISTS unloads.default")

    def ask(self, query, sql, session=""):
        try:
            return self.server.query(sql, schema=query.database, session=session)
        except trino_server.TrinoError as error:
            raise athena_facade.Failed(f"{error.name}: {error}") from error

    def select(self, query, sql):
        names, rows = self.ask(query, sql)
        return names, [[None if cell is None else str(cell) for cell in row] for row in rows]

    def unload(self, query, sql, to, compression):
        name = f"unloads.default.u{uuid.uuid4().hex}"
        create = f"CREATE TABLE {name} WITH (format = 'PARQUET', external_location = '{to}') AS {sql}"
        _, [[rows]] = self.ask(query, create, session=f"unloads.compression_codec={compression}")
        self.ask(query, f"DROP TABLE {name}")
        return sorted(self.tables.keys(to)), rows


@contextlib.contextmanager
def running():
    """As athena_facade.running, with Trino."""
    with servers.running([servers.SeaweedFs(), servers.Moto()]) as (storage, catalog), tempfile.TemporaryDirectory(prefix="tidegate-trino-") as folder:
        s3 = servers.client(storage)
        for bucket in ("warehouse", "results"):
            s3.create_bucket(Bucket=bucket)
        texts = {"lake": GLUE.format(storage=storage, catalog=catalog), "unloads": UNLOADS.format(storage=storage)}
        with trino_server.Trino(texts["lake"], folder, others={"unloads": texts["unloads"]}) as trino:
            trino.wait()
            print(f"  Trino {trino.version}", flush=True)
            with athena_facade.over(storage, catalog, lambda tables, _: Trino(tables, trino)) as cloud:
                yield cloud


class OnTrino(test_athena.Case):
    # Trino hands its condition to Glue, and a quote in a value becomes an expression that moto does not read.
    odd_values = [value for value in test_athena.Case.odd_values if "'" not in value]

    @classmethod
    def setUpClass(cls):
        cls.cloud = cls.enterClassContext(running())

    def by_trino(self, sql):
        """What a reader sees who knows nothing of tidegate."""
        return self.cloud.athena.statements.executor.server.query(sql, schema="sales")[1]

    def count(self, where="true"):
        by_tidegate = super().count(where)
        self.assertEqual(self.by_trino(f"SELECT count(*) FROM daily WHERE {where}"), [[by_tidegate]])
        return by_tidegate


class Story(OnTrino):
    test_the_story_of_the_document = test_athena.Publish.test_the_story_of_the_document
    test_the_same_content_is_built_compared_and_taken_away_again = test_athena.Publish.test_the_same_content_is_built_compared_and_taken_away_again
    test_the_signature_does_not_depend_on_the_engine = test_athena.Publish.test_the_signature_does_not_depend_on_the_engine
    test_odd_partition_values = test_athena.Publish.test_odd_partition_values
    test_audits_run_over_what_athena_wrote = test_athena.Publish.test_audits_run_over_what_athena_wrote
    test_literals_have_the_type_of_their_partition_column = test_athena.Publish.test_literals_have_the_type_of_their_partition_column

    def test_types_of_every_kind(self):
        """What Trino writes of each type has the same signature as what DuckDB writes, and fits the table that was declared from it."""
        athena = ("SELECT CAST(1 AS integer) AS i, CAST(2 AS bigint) AS l, REAL '1.5' AS r, DOUBLE '2.5' AS d, DECIMAL '12.34' AS n, true AS b, "
                  "'text' AS t, DATE '2026-11-01' AS a, TIMESTAMP '2026-11-01 10:00:00.123' AS s, CAST(NULL AS varchar) AS z "
                  "WHERE {day} = '2026-11-01'")
        self.settings(select=athena)
        self.published()
        self.settings(select=athena)
        text = self.config.read_text().replace('engine = "athena"', 'engine = "embedded"')
        self.config.write_text(re.sub("REAL '1.5'", "CAST(1.5 AS real)", text).replace("DOUBLE '2.5'", "CAST(2.5 AS double)")
                               .replace("DECIMAL '12.34'", "CAST(12.34 AS decimal(4,2))"))
        self.assertIn("unchanged, nothing was built", self.published().out)


class Statements(OnTrino):
    def setUp(self):
        super().setUp()
        self.settings(catalog="athena://us-east-1")

    said = test_athena.Statements.said
    test_the_story_of_the_document = test_athena.Statements.test_the_story_of_the_document


if __name__ == "__main__":
    program.main()
