#!/usr/bin/env python3
"""Earlier states of a lake: asked for with `query --at`, and read by other programs, too (issue 4).

usage: test_time_travel.py --tidegate BINARY
"""
import datetime as dt
import shutil

import program
import checks
import readers
import shop
import tree
from pyiceberg.table import StaticTable

DONE, FAILED, USAGE = range(3)


class Lake(program.Case):
    def setUp(self):
        super().setUp()
        self.shop = shop.Shop(self.tidegate, self.folder)
        self.lake = self.shop.lake
        self.db = checks.connect(program.EXTENSIONS)
        self.addCleanup(self.db.close)

    def hour(self, number):
        return shop.FIRST_HOUR + dt.timedelta(hours=number)

    def ends(self, code, *arguments):
        done = self.tidegate(*arguments)
        self.assertEqual(done.code, code, done)
        return done

    def now(self):
        """{table: (rows, checksum)} of the whole lake."""
        return readers.by_tidegate(self.tidegate, self.db, self.lake, readers.tables_of(self.lake))

    def at(self, delivery):
        return readers.by_tidegate(self.tidegate, self.db, self.lake, readers.tables_of(self.lake), "--at", delivery)

    def a_history(self, hours=3):
        """v1, then some hours with a new column between; {delivery: state}, as it was seen after each ingest."""
        s, seen = self.shop, {}
        s.deliver_v1()
        s.ingest()
        seen["2025-03-12"] = self.now()
        for number in range(hours):
            if number == 1:
                s.alter("ALTER TABLE shop.orders ADD COLUMN coupon VARCHAR; ALTER TABLE shop.products DROP tags")
            s.deliver_hour(self.hour(number))
            s.ingest()
            seen[self.hour(number).strftime("%Y-%m-%dT%H")] = self.now()
        self.assertEqual(len({str(state) for state in seen.values()}), hours + 1, "each delivery changed something")
        return seen


class QueryAt(Lake):
    def test_shows_what_was_seen_after_each_delivery(self):
        seen = self.a_history()
        for delivery, state in seen.items():
            with self.subTest(delivery):
                self.assertEqual(self.at(delivery), state)
        self.assertEqual(self.at("v1/2025-03-12"), seen["2025-03-12"])
        self.assertEqual(self.at("v2/2025-03-13/03"), seen["2025-03-13T03"])
        self.assertEqual(self.at("2025-04-01T00"), self.now(), "nothing is later than that")

    def test_a_table_that_was_not_there_yet(self):
        s = self.shop
        s.deliver_initial()
        s.ingest()
        s.deliver(shop.daily(shop.INITIAL))  # the full table comes for the first time
        s.ingest()
        tables = self.tidegate.must("query", self.lake, "SHOW TABLES", "--at", "v1/__initial__", "--json").json
        self.assertEqual(sorted(t["name"] for t in tables), ["clicks", "orders", "stock"])
        done = self.ends(FAILED, "query", self.lake, "FROM shop.products", "--at", "v1/__initial__")
        self.assertIn("'shop.products': it was not there yet as of v1/__initial__", done.err)

    def test_a_delivery_that_cannot_be_is_wrong_usage(self):
        self.a_history(1)
        for text in ("2025-03-13T3", "yesterday", "v2/2025-03-13", "2025-02-30"):
            with self.subTest(text):
                self.assertIn("--at: a delivery is written", self.ends(USAGE, "query", self.lake, "SELECT 1", "--at", text).err)


class Expire(Lake):
    def expire(self, *more, days=30):
        now = shop.stamp(dt.datetime.now(dt.timezone.utc) + dt.timedelta(days=days))
        return self.tidegate.must("expire", self.lake, "--now", now, "--json", *more).json["tables"]

    def table(self, name):
        return StaticTable.from_metadata(checks.newest_metadata(self.lake.joinpath(*name.split("."))))

    def files(self, name):
        """All that lies under data/ of a table."""
        return {f"file://{p}" for p in self.lake.joinpath(*name.split("."), "data").rglob("*") if p.is_file()}

    def check_readers(self):
        """Others read every state that is left; the files on disk are those that PyIceberg finds in these states."""
        ours = self.now()
        for name in readers.tables_of(self.lake):
            table = self.table(name)
            for reader in (readers.by_duckdb, readers.by_duckdb_folder, readers.by_pyiceberg, readers.by_pyiceberg_catalog):
                self.assertEqual(reader(self.db, self.lake, name), ours[name], (name, reader.__name__))
            for snapshot in table.snapshots():
                rows = table.scan(snapshot_id=snapshot.snapshot_id).to_arrow().num_rows
                path = checks.newest_metadata(self.lake.joinpath(*name.split(".")))
                by_duckdb = self.db.execute(f"SELECT count(*) FROM iceberg_scan('{path}', snapshot_from_id = {snapshot.snapshot_id})").fetchone()[0]
                self.assertEqual(by_duckdb, rows, (name, snapshot.snapshot_id))
            self.assertEqual(set(table.inspect.all_files().column("file_path").to_pylist()), self.files(name), name)

    def test_what_is_left_reads_as_before_in_every_reader(self):
        seen = self.a_history(4)
        newest = list(seen)[-2:]
        done = {t["table"]: t for t in self.expire("--keep-last", "2")}
        self.assertEqual({t["snapshots_left"] for t in done.values()}, {2})
        self.assertEqual({name: len(t["snapshots"]) for name, t in done.items()}, dict.fromkeys(shop.KEYS, 3))
        self.assertTrue(done["shop.products"]["files"])
        for delivery in newest:
            self.assertEqual(self.at(delivery), seen[delivery], delivery)
        gone = self.ends(FAILED, "query", self.lake, "FROM shop.orders", "--at", "2025-03-13T04")
        self.assertIn("state as of v2/2025-03-13/04 was expired: the oldest state that is still there is as of v2/2025-03-13/05", gone.err)
        self.check_readers()
        self.assertEqual({(len(t["snapshots"]), len(t["files"]), len(t["orphans"])) for t in self.expire("--keep-last", "2")}, {(0, 0, 0)})
        self.shop.deliver_hour(self.hour(4))
        self.shop.ingest()
        self.check_readers()
        self.assertEqual(self.at(newest[-1]), seen[newest[-1]])
        vendor = checks.compare_with_reference(self.db, self.shop.bucket, self.lake, shop.KEYS)
        self.assertEqual({n: wrong for n, (_, wrong) in vendor.items()}, dict.fromkeys(shop.KEYS, 0))

    def test_what_a_killed_run_left_goes_and_what_a_run_is_about_to_commit_stays(self):
        s = self.shop
        self.a_history(2)
        applied = self.lake / "shop/orders/data/v2/2025-03-13/03/0000_part_00-0123456789abcdef.parquet"
        staged = self.lake / "shop/orders/data/v2/2025-03-13/05/0000_part_00-0123456789abcdef.parquet"
        manifest = self.lake / "shop/orders/metadata/0123-m0.avro"
        for path in (applied, staged, manifest):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"left behind")
        state = self.now()
        self.expire("--keep-last", "100", days=2)
        self.assertTrue(applied.exists(), "it is young")
        before = tree.snapshot(self.lake)
        plan = self.expire("--keep-last", "100", "--plan")
        self.assertEqual(tree.snapshot(self.lake), before)
        done = self.expire("--keep-last", "100", "--table", "shop.orders")
        self.assertEqual([t for t in plan if t["table"] == "shop.orders"], done)
        self.assertEqual([path.exists() for path in (applied, staged, manifest)], [False, True, False])
        self.assertEqual(self.now(), state)

    def test_wrong_usage(self):
        self.a_history(1)
        for arguments, says in [(["--older-than", "7"], "--older-than"), (["--orphans-older-than", "59m"], "at least 1h"), (["--keep-last", "0"], "--keep-last")]:
            self.assertIn(says, self.ends(USAGE, "expire", self.lake, *arguments).err)
        self.assertIn("no such table", self.ends(DONE, "expire", self.lake, "--table", "shop.nothing").out)


class Rollback(Lake):
    def test_goes_back_in_every_reader_and_the_next_ingest_goes_forward_again(self):
        seen = self.a_history(3)
        delivery = "2025-03-13T03"  # before a column came and another went
        plan = self.tidegate.must("lake", "rollback", self.lake, "--to", delivery, "--plan", "--json").json
        self.assertEqual({t["step"] for t in plan["tables"]}, {"back"})
        self.assertEqual(self.now(), seen["2025-03-13T05"], "a plan changes nothing")
        done = self.tidegate.must("lake", "rollback", self.lake, "--to", delivery, "--json").json
        self.assertEqual(done["tables"], plan["tables"])
        self.assertEqual(self.now(), seen[delivery])
        for name in readers.tables_of(self.lake):
            for reader in (readers.by_duckdb, readers.by_duckdb_folder, readers.by_pyiceberg, readers.by_pyiceberg_catalog):
                self.assertEqual(reader(self.db, self.lake, name), seen[delivery][name], (name, reader.__name__))
        self.shop.ingest()
        self.assertEqual(self.now(), seen["2025-03-13T05"])
        for name in readers.tables_of(self.lake):
            for reader in (readers.by_duckdb, readers.by_pyiceberg):
                self.assertEqual(reader(self.db, self.lake, name), seen["2025-03-13T05"][name], (name, reader.__name__))

    def test_a_hold_lasts_until_it_is_released(self):
        seen = self.a_history(2)
        ingest = ["ingest", self.shop.bucket, self.lake, "--config", self.shop.config]
        self.tidegate.must("lake", "rollback", self.lake, "shop.orders", "--to", "2025-03-13T03", "--hold", "--reason", "wrong prices")
        for _ in range(2):
            done = self.ends(4, *ingest, "--detailed-exitcode")
            self.assertRegex(done.err, "shop.orders: on hold since .*at v2/2025-03-13/03: wrong prices")
        self.assertEqual(self.now()["shop.orders"], seen["2025-03-13T03"]["shop.orders"])
        self.assertIn("shop.orders: released", self.tidegate.must("lake", "release", self.lake).out)
        self.ends(DONE, *ingest, "--detailed-exitcode")
        self.assertEqual(self.now(), seen["2025-03-13T04"])

    def test_wrong_usage(self):
        self.a_history(1)
        back = ["lake", "rollback", self.lake]
        for code, arguments, says in [(USAGE, [*back], "--to"), (USAGE, [*back, "--to", "noon"], "--to"), (USAGE, [*back, "orders", "--to", "2025-03-13T03"], "orders"),
                                      (USAGE, [*back, "--to", "2025-03-13T03", "--reason", "x"], "--hold"), (USAGE, ["lake"], "subcommand"),
                                      (FAILED, [*back, "shop.nothing", "--to", "2025-03-13T03"], "shop.nothing")]:
            self.assertIn(says, self.ends(code, *arguments).err)
        for command in ("rollback", "release"):
            self.assertIn(f"Examples:\n  tidegate lake {command} ", self.ends(DONE, "lake", command, "--help").out)


class FullRefresh(Lake):
    def test_builds_the_same_tables_anew_and_refuses_to_lose_rows(self):
        s, seen = self.shop, self.a_history(2)
        ingest = ["ingest", s.bucket, self.lake, "--config", s.config, "--json", "--full-refresh", "shop.*"]
        plan = {t["table"]: t["action"] for t in self.ends(DONE, *ingest, "--plan").json["tables"]}
        self.assertEqual(plan, {"shop.orders": "rebuild", "shop.clicks": "rebuild", "shop.stock": "rebuild", "shop.products": "replace"})
        done = {t["table"]: t["action"] for t in self.ends(DONE, *ingest).json["tables"]}
        self.assertEqual(done, plan)
        self.assertEqual(self.now(), seen["2025-03-13T04"])
        for delivery in seen:
            self.assertEqual(self.at(delivery), seen[delivery], "earlier states are there still")
        for name in readers.tables_of(self.lake):
            self.assertEqual(readers.by_pyiceberg(self.db, self.lake, name), self.now()[name])
        shutil.rmtree(s.bucket / "v1/shop/orders/etl_date=2025-03-11")
        refused = self.ends(FAILED, *ingest[:-1], "shop.orders").json["problems"]
        self.assertEqual([(p["reason"], p["table"]) for p in refused], [("loss", "shop.orders")])
        self.assertIn("v1/2025-03-11", refused[0]["message"])
        self.assertEqual(self.now(), seen["2025-03-13T04"])
        self.ends(DONE, *ingest[:-1], "shop.orders", "--accept-loss")
        gone = self.tidegate.must("query", self.lake, "SELECT count(*) AS n FROM shop.orders WHERE etl_date = '2025-03-11'", "--json").json
        self.assertEqual(gone, [{"n": 0}])

    def test_wrong_usage(self):
        self.a_history(1)
        ingest = ["ingest", self.shop.bucket, self.lake, "--config", self.shop.config]
        self.assertIn("'shop.order'", self.ends(USAGE, *ingest, "--full-refresh", "shop.order").err)
        self.assertIn("--full-refresh", self.ends(USAGE, *ingest, "--accept-loss").err)


if __name__ == "__main__":
    program.main()
