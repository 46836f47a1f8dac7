#!/usr/bin/env python3
"""Lake tables open in other engines, with equal rows after every kind of change, and Iceberg's Java library takes every file (issue 4, point 4).

usage: engines.py --tidegate BINARY

A small shop is delivered and ingested step by step: updates, new columns, wider types, a reseed, a rollback, a full table's new copy, tables without
rows, an expiry. After every step each table is read by `tidegate query`, PyIceberg, DuckDB, Spark and Trino; columns, number of rows and a checksum of
all cells must be equal, and the rows must be those of the source, or of the state that was gone back to.
"""
import argparse
import dataclasses
import datetime as dt
import itertools
import pathlib
import sys
import tempfile
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[1] / "e2e")]

import duckdb  # noqa: E402
import pyiceberg  # noqa: E402
import pyarrow.parquet as pq  # noqa: E402
from pyiceberg.table import StaticTable  # noqa: E402

import program  # noqa: E402
import checks  # noqa: E402
import readers  # noqa: E402
import shop  # noqa: E402
from canonical import Rows  # noqa: E402
from iceberg_java import JavaLibrary  # noqa: E402
from spark_reference import lake_table, start_spark  # noqa: E402
import trino_server  # noqa: E402

CATALOG = shop.CATALOG + """
[[table]]
name = "shop.things"
mode = "parts"
key = ["id"]
changed_at = "changed_at"

[[table]]
name = "shop.prices"
mode = "parts"
key = ["id"]
changed_at = "changed_at"

[[table]]
name = "shop.alerts"
mode = "parts"
append_only = true
event_time = "raised_at"

[[table]]
name = "shop.closed"
mode = "full"
"""
HOURLY = {"shop.orders", "shop.clicks", "shop.stock", "shop.products", "shop.things", "shop.closed"}  # changed by every hour
ALL = HOURLY | {"shop.prices", "shop.alerts"}


@dataclasses.dataclass
class Step:
    label: str
    changed: set  # tables whose rows or columns the step changed
    like: str = None  # the step whose state this is again; None: the source's


class History(shop.Shop):
    """The shop, with tables that are hard on readers: `things` has every type with its extremes, an hour of `prices` supersedes all rows of an
    earlier file, `alerts` begins without rows, and `closed` ends so."""

    def __init__(self, tidegate, folder):
        super().__init__(tidegate, folder)
        self.config.write_text(CATALOG)
        self.alter("""
            CREATE TABLE shop.things (id BIGINT, small INTEGER, r REAL, price DECIMAL(5,2), huge DECIMAL(38,10), d DOUBLE, ok BOOLEAN, day DATE,
                                      plain TIMESTAMP, zoned TIMESTAMPTZ, said VARCHAR, raw BLOB, numbers INTEGER[], lines STRUCT(sku VARCHAR, n INTEGER)[],
                                      nested STRUCT(a VARCHAR, numbers INTEGER[], c STRUCT(x REAL, y DATE)), pairs MAP(VARCHAR, INTEGER), changed_at TIMESTAMPTZ);
            CREATE TABLE shop.prices (id INTEGER, price DECIMAL(9,2), changed_at TIMESTAMPTZ);
            INSERT INTO shop.prices SELECT i, i / 8, '2025-03-05 00:00:00+00' FROM range(40) t(i);
            CREATE TABLE shop.alerts (raised_at TIMESTAMPTZ, what VARCHAR, lines STRUCT(sku VARCHAR, n INTEGER)[]);
            CREATE TABLE shop.closed (id INTEGER, tags VARCHAR[]);
            INSERT INTO shop.closed SELECT i, ['a', NULL] FROM range(5) t(i)""")
        self.add_things(shop.INITIAL, 60)

    def add_things(self, until, count):
        """New things of the last minute before `until`. Each value is an extreme of its type, or null. Lists of structs are never null: PyIceberg 0.12
        reads them as empty."""
        moments = "['0001-01-01', '1582-10-10 01:02:03', '1969-12-31 23:59:59.999999', '9999-12-31 23:59:59.999999', NULL][1 + i % 5]"
        self.alter(rf"""INSERT INTO shop.things BY NAME
            SELECT coalesce((SELECT max(id) FROM shop.things), 0) + i AS id,
                   [-2147483648, 2147483647, 0, NULL][1 + i % 4] AS small,
                   ['NaN', '-Infinity', '-0', '1.1', '1e-45', '3.4028235e38', NULL][1 + i % 7]::REAL AS r,
                   ['-999.99', '999.99', '0.00', NULL][1 + i % 4]::DECIMAL(5,2) AS price,
                   [NULL, '-9999999999999999999999999999.9999999999', '0.0000000001'][1 + i % 3]::DECIMAL(38,10) AS huge,
                   ['NaN', 'Infinity', '-0', '5e-324', '1.7976931348623157e308', NULL][1 + i % 6]::DOUBLE AS d,
                   [true, false, NULL][1 + i % 3] AS ok,
                   ['0001-01-01', '1582-10-10', '1969-12-31', '9999-12-31', NULL][1 + i % 5]::DATE AS day,
                   {moments}::TIMESTAMP AS plain, {moments}::TIMESTAMPTZ AS zoned,
                   ['', ' ', 'NULL', E'a\r\n\t\\"''b', chr(0) || 'x', chr(1114111), 'e' || chr(769), chr(65279), chr(8238) || 'abc', 'é', NULL][1 + i % 11] AS said,
                   ['', '\x00\xFF', '\x80', NULL][1 + i % 4]::BLOB AS raw,
                   [[], NULL, [1, NULL], [NULL]][1 + i % 4] AS numbers,
                   [[], [NULL, {{'sku': NULL, 'n': 1}}], [{{'sku': 'ü', 'n': NULL}}]][1 + i % 3] AS lines,
                   [NULL, {{'a': NULL, 'numbers': NULL, 'c': NULL}}, {{'a': '', 'numbers': [], 'c': {{'x': 1.1, 'y': NULL}}}}][1 + i % 3] AS nested,
                   [NULL, MAP {{}}, MAP {{'a': i, 'b': NULL}}][1 + i % 3] AS pairs,
                   '{shop.stamp(until)}'::TIMESTAMPTZ - to_seconds(1 + i % 60) AS changed_at FROM range(1, {count} + 1) t(i)""")

    def happen(self, until, **amount):
        super().happen(until, **amount)
        if until > shop.INITIAL:  # before that, the tables are not there
            self.add_things(until, 6)
            self.alter(f"UPDATE shop.things SET small = id, changed_at = '{shop.stamp(until)}'::TIMESTAMPTZ - to_seconds(60 + id) WHERE id % 7 = 0")

    def hour(self, number):
        return shop.FIRST_HOUR + dt.timedelta(hours=number)

    def take_hour(self, number, *reseeds):
        """Deliver the source as it is at that hour, and ingest. {table: what the report says of it}"""
        self.deliver(shop.hourly(self.hour(number)), *(word for name in reseeds for word in ("--reseed", name)))
        report = self.ingest()
        if report["problems"] or report["held"]:
            raise AssertionError(f"not everything was taken: {report}")
        return {table["table"]: table for table in report["tables"]}

    def steps(self):
        """Each step, once it is done."""
        yield from self.grow()
        yield from self.go_back_and_forth()
        yield from self.lose_rows_and_files()

    def grow(self):
        self.deliver_v1()
        self.ingest()
        yield Step("first build", ALL)

        self.happen(self.hour(0))
        taken = self.take_hour(0)
        assert all(taken[name]["rows_superseded"] for name in ("shop.orders", "shop.stock", "shop.things")), taken
        yield Step("an hour with updates", HOURLY)

        self.happen(self.hour(1))
        self.alter("ALTER TABLE shop.orders ADD COLUMN coupon VARCHAR; ALTER TABLE shop.clicks ADD COLUMN seen INTEGER[];"
                   "ALTER TABLE shop.things ADD COLUMN more STRUCT(a DATE, b VARCHAR)")
        since = shop.stamp(self.hour(0))
        self.alter(f"UPDATE shop.orders SET coupon = 'c' || id WHERE changed_at >= '{since}'; UPDATE shop.clicks SET seen = [1, NULL] WHERE seen_at >= '{since}';"
                   f"UPDATE shop.things SET more = {{'a': '2025-01-01', 'b': NULL}} WHERE changed_at >= '{since}'")
        self.take_hour(1)
        yield Step("columns added", HOURLY)

        self.happen(self.hour(2))
        self.alter("ALTER TABLE shop.orders ALTER quantity TYPE BIGINT; ALTER TABLE shop.orders ALTER ratio TYPE DOUBLE; ALTER TABLE shop.orders ALTER total TYPE DECIMAL(18,2);"
                   "ALTER TABLE shop.things ALTER small TYPE BIGINT; ALTER TABLE shop.things ALTER r TYPE DOUBLE; ALTER TABLE shop.things ALTER price TYPE DECIMAL(30,2)")
        self.alter(f"""UPDATE shop.things SET small = 9223372036854775807, r = 1e300, price = '1234567890123456789012345678.90', changed_at = '{shop.stamp(self.hour(1))}'
                       WHERE id % 5 = 0""")
        self.take_hour(2)
        yield Step("types widened", HOURLY)

    def go_back_and_forth(self):
        self.happen(self.hour(3))
        self.alter("ALTER TABLE shop.orders ALTER quantity TYPE VARCHAR; ALTER TABLE shop.orders DROP coupon; ALTER TABLE shop.things DROP more;"
                   "ALTER TABLE shop.things ALTER numbers TYPE VARCHAR[]; DELETE FROM shop.orders WHERE id % 10 = 0; DELETE FROM shop.clicks WHERE page = '/p/3'")
        rebuilt = {"shop.orders", "shop.clicks", "shop.things"}
        taken = self.take_hour(3, *rebuilt)
        assert {name for name, table in taken.items() if table["action"] == "reseed"} == rebuilt, taken
        yield Step("reseed with other columns", HOURLY)

        self.tidegate.must("lake", "rollback", self.lake, "--to", self.hour(0).strftime("%Y-%m-%dT%H"))
        yield Step("rolled back", HOURLY, like="an hour with updates")

        self.ingest()
        yield Step("applied again", HOURLY, like="reseed with other columns")

        self.happen(self.hour(4))
        self.alter("ALTER TABLE shop.products DROP tags; ALTER TABLE shop.products ALTER listed_at TYPE VARCHAR; ALTER TABLE shop.products ADD COLUMN made_on DATE;"
                   "ALTER TABLE shop.products ADD COLUMN size.d DOUBLE; UPDATE shop.products SET made_on = '2025-01-01', size = {'w': size.w, 'h': size.h, 'd': 0.1} WHERE id % 2 = 0")
        self.take_hour(4)
        yield Step("a full table's copy with other columns", HOURLY)

    def lose_rows_and_files(self):
        self.happen(self.hour(5))
        self.alter(f"UPDATE shop.prices SET price = -price, changed_at = '{shop.stamp(self.hour(4))}'")
        taken = self.take_hour(5)
        assert taken["shop.prices"]["rows_superseded"] == 40, taken
        yield Step("all rows of a file superseded", HOURLY | {"shop.prices"})

        self.happen(self.hour(6))
        then = shop.stamp(self.hour(5))
        self.alter(f"DELETE FROM shop.closed; INSERT INTO shop.alerts VALUES ('{then}', 'low', [{{'sku': 'a', 'n': 1}}]), ('{then}', NULL, [])")
        self.take_hour(6)
        yield Step("a full table without rows, first rows of another", ALL - {"shop.prices"})

        later = dt.datetime.now(dt.timezone.utc) + dt.timedelta(days=30)
        report = self.tidegate.must("expire", self.lake, "--keep-last", "2", "--now", shop.stamp(later), "--json").json
        removed = {table["table"] for table in report["tables"] if table["files"]}
        assert removed >= {"shop.products", "shop.orders", "shop.clicks"}, report
        yield Step("expired", set(), like="a full table without rows, first rows of another")

        self.happen(self.hour(7))
        self.deliver(shop.hourly(self.hour(7)))
        self.lose_file("v2/shop/closed/*/snapshot_hour=10/*.parquet")
        self.ingest()
        yield Step("an hour after the expiry, a copy without files", HOURLY - {"shop.closed"})

    def lose_file(self, pattern):
        (file,) = self.bucket.glob(pattern)
        file.unlink()


class Engines:
    """{engine: a function that reads a table of the lake}; the first is the one that others are compared with."""

    def __init__(self, history, spark, trino, folder):
        self.history, self.lake, self.spark, self.trino, self.folder = history, history.lake, spark, trino, folder
        self.db = self.connect()
        self.read = {"tidegate query": self.by_tidegate, f"PyIceberg {pyiceberg.__version__}": self.by_pyiceberg, f"DuckDB {duckdb.__version__}": self.by_duckdb,
                     f"Spark {spark.version}": self.by_spark, f"Trino {trino.version}": self.by_trino}

    def connect(self):
        return checks.connect(program.EXTENSIONS)

    def tables(self):
        return readers.tables_of(self.lake)

    def by_tidegate(self, name):
        file = self.folder / "copy.parquet"
        self.history.tidegate.must("query", self.lake, f"COPY (FROM {name}) TO '{file}'")
        return Rows.of_arrow(pq.read_table(file))

    def by_pyiceberg(self, name):
        return Rows.of_arrow(StaticTable.from_metadata(checks.newest_metadata(self.lake.joinpath(*name.split(".")))).scan().to_arrow())

    def by_duckdb(self, name):
        return Rows.of_arrow(self.db.sql(f"FROM {checks.lake_scan(self.lake, name, self.db)}").to_arrow_table())

    def by_spark(self, name):
        return Rows.of_arrow(lake_table(self.spark, self.lake, name).toArrow())

    def by_trino(self, name):
        return Rows(*self.trino.query(f"SELECT * FROM {name}"))


class Comparison:
    """`java`: Iceberg's own library, to look at the files, too."""

    def __init__(self, engines, java=None):
        self.engines, self.java = engines, java
        self.states = {}  # step: {table: rows}
        self.rows = self.differences = 0

    def step(self, step):
        began, names = time.monotonic(), self.engines.tables()
        state = {name: self.read(step, name) for name in names}
        self.check_state(step, state)
        for name in names if self.java else []:
            self.java.check(step.label, self.engines.lake, name)
        self.states[step.label] = state
        print(f"  {step.label}: " + ", ".join(f"{name.removeprefix('shop.')} {len(rows)}" for name, rows in state.items())
              + f"  ({time.monotonic() - began:.0f} s)", flush=True)

    def differs(self, message):
        print(message, flush=True)
        self.differences += 1

    def read(self, step, name):
        """What the first engine read; the others are held to it."""
        first = None
        for engine, read in self.engines.read.items():
            try:
                rows = read(name)
            except Exception as error:  # whatever an engine says, the others are asked, too
                self.differs(f"{step.label}: {name}: {engine} cannot read it: {str(error)[:500]}")
                continue
            self.rows += len(rows)
            if first is None:
                first = rows
            if rows != first:
                self.differs(f"{step.label}: {name}: {engine}: {first.difference(rows)}")
        if first is None:
            raise AssertionError(f"{step.label}: no engine reads {name}")
        return first

    def check_state(self, step, state):
        """The rows are those that they should be, not only the same in every engine."""
        before = list(self.states.values())[-1:]
        changed = {name for name in state if not before or state[name] != before[0][name]}
        if changed != step.changed:
            self.differs(f"{step.label}: changed were {sorted(changed)}, not {sorted(step.changed)}")
        for name, wrong in self.against_source(state) if step.like is None else self.against_state(state, step.like):
            self.differs(f"{step.label}: {name}: {wrong}")

    def against_source(self, state):
        source = checks.compare_with_source(self.engines.db, self.engines.lake, self.engines.history.source, list(state))
        return [(name, f"{wrong} rows differ from the source") for name, (_, wrong) in source.items() if wrong]

    def against_state(self, state, label):
        return [(name, f"not as after '{label}': {self.states[label][name].difference(rows)}") for name, rows in state.items() if rows != self.states[label][name]]

    def report(self):
        """Print what was done and found. The exit code."""
        print(f"{len(self.states)} steps, {len(ALL)} tables, {len(self.engines.read)} readers: {self.rows:,} rows compared, {self.differences} differences")
        if self.java:
            files = ", ".join(f"{len(paths)} {kind}" for kind, paths in self.java.seen.items())
            print(f"{files} with {self.java.entries} entries validated by Iceberg {self.java.version}, {self.java.faults} faults")
        return 1 if self.differences or self.java and self.java.faults else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tidegate", type=pathlib.Path, default=program.ROOT / "build/release/bin/tidegate")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tidegate-engines-") as folder:
        folder = pathlib.Path(folder).resolve()
        history = History(program.Tidegate(args.tidegate.resolve(), folder / "cwd"), folder / "shop")
        steps = history.steps()
        first = next(steps)  # makes catalog.db, before Trino opens it
        (folder / "spark").mkdir()
        catalog = trino_server.FOLDER.format(lake=history.lake, lake_uri=history.lake.as_uri())
        with trino_server.Trino(catalog, folder / "trino") as trino:
            spark = start_spark(folder / "spark")
            try:
                trino.wait()
                comparison = Comparison(Engines(history, spark, trino, folder), JavaLibrary(spark))
                print(f"{', '.join(comparison.engines.read)}; Iceberg's Java library {comparison.java.version}", flush=True)
                for step in itertools.chain([first], steps):
                    comparison.step(step)
            finally:
                spark.stop()
    sys.exit(comparison.report())


if __name__ == "__main__":
    main()
