#!/usr/bin/env python3
"""Hive-style tables that follow tables of a lake, hour by hour: `tidegate publish --from LAKE.table` (issue 6).

usage: test_follow.py --tidegate BINARY

After each delivery the published table must hold what the lake holds, and only partitions whose rows changed are looked at.
"""
import datetime as dt
import json
import os
import signal
import time

import program
import shop

SETTINGS = """
[hive_catalog]
url = "{folder}/hive.db"

[[publish]]
table = "sales.clicks"
partition_by = ["day"]
location = "{folder}/clicks"
lake = "{folder}/lake"
follow = "shop.clicks"
partition_of = ["CAST(seen_at AS DATE)"]
{clicks}

[[publish]]
table = "sales.orders"
partition_by = ["day", "kind"]
location = "{folder}/orders"
lake = "{folder}/lake"
follow = "shop.orders"
partition_of = ["CAST(placed_at AS DATE)", "CASE WHEN quantity > 2 THEN 'many' WHEN quantity > 0 THEN 'a few' END"]
select = '''SELECT {columns} FROM shop.orders WHERE CAST(placed_at AS DATE) = CAST({{day}} AS DATE)
           AND (CASE WHEN quantity > 2 THEN 'many' WHEN quantity > 0 THEN 'a few' END) IS NOT DISTINCT FROM {{kind}}'''
{orders}
"""
CLICKS = "seen_at, page, payload, ms"
ORDERS = "id, customer, quantity, total, memo, placed_at, changed_at"


class Follow(program.Case):
    def setUp(self):
        super().setUp()
        self.shop = shop.Shop(self.tidegate, self.folder, history_rows=300)
        self.config = self.folder / "publish.toml"
        self.settings()
        self.shop.deliver_initial()
        self.shop.ingest()

    def settings(self, clicks="", orders="", columns=ORDERS):
        self.config.write_text(SETTINGS.format(folder=self.folder, clicks=clicks, orders=orders, columns=columns))

    def hour(self, number, **amount):
        self.shop.deliver_hour(shop.FIRST_HOUR + dt.timedelta(hours=number), **amount)
        self.shop.ingest()

    def follow(self, table, *more, code=0):
        """{partition: outcome} of one publish."""
        done = self.tidegate("publish", "--from", f"{self.shop.lake}.shop.{table}", "--config", self.config, "--json", *more)
        self.assertEqual(done.code, code, done)
        return {one["partition"]: one["outcome"] for one in done.json["tables"][0]["partitions"]}

    def rows(self, place, sql):
        return self.tidegate.must("query", place, sql, "--format", "csv").out

    def check(self, table, columns):
        """The published rows are those of the lake, and each lies in the partition of its day."""
        ask = f"SELECT {{}} day, {columns} FROM {{}}.{table} ORDER BY ALL"
        of = {"clicks": "CAST(seen_at AS DATE)::VARCHAR AS", "orders": "CAST(placed_at AS DATE)::VARCHAR AS"}[table]
        self.assertEqual(self.rows(self.folder / "hive.db", ask.format("", "sales")), self.rows(self.shop.lake, ask.format(of, "shop")))

    def state(self, table):
        return self.folder / table / f"_tidegate_follow/sales.{table}.json"

    def test_only_what_changed_is_looked_at(self):
        first = self.follow("clicks")
        self.assertEqual(set(first.values()), {"published"})
        self.assertGreater(len(first), 8)
        self.check("clicks", CLICKS)
        self.assertEqual(self.follow("clicks"), {}, "nothing changed")
        for number in range(3):
            self.hour(number)
            outcomes = self.follow("clicks")
            with self.subTest(number):
                self.check("clicks", CLICKS)
                self.assertEqual(set(outcomes.values()), {"published"})
                if number > 0:
                    self.assertEqual(list(outcomes), ["day=2025-03-13"], "clicks only come, and these are of that day")

    def test_updates_move_rows_between_partitions(self):
        self.follow("orders")
        self.check("orders", ORDERS)
        self.hour(0)
        self.follow("orders")
        self.shop.alter("UPDATE shop.orders SET quantity = 0, changed_at = '2025-03-13 04:30:00+00' WHERE id = 7")
        self.hour(1, orders=1, clicks=1)
        outcomes = self.follow("orders")
        self.assertIn("kind=__HIVE_DEFAULT_PARTITION__", str(outcomes))
        self.check("orders", ORDERS)
        self.assertEqual(self.follow("orders"), {})

    def test_a_failed_partition_stays_to_be_done(self):
        self.follow("clicks")
        self.hour(0)
        self.settings(clicks="[publish.audit]\nno_rows = [\"FROM build WHERE seen_at >= '2025-03-13'\"]")
        failed = self.follow("clicks", code=1)
        self.assertEqual(failed["day=2025-03-13"], "audit_failed")
        self.assertEqual(self.follow("clicks", code=1), {"day=2025-03-13": "audit_failed"}, "the others are done")
        self.settings()
        self.assertEqual(self.follow("clicks"), {"day=2025-03-13": "published"})
        self.check("clicks", CLICKS)

    def test_what_cannot_be_known_is_looked_at_whole(self):
        partitions = len(self.follow("orders"))
        with self.subTest("other settings"):
            self.settings(columns="id, total")
            self.assertEqual(set(self.follow("orders").values()), {"published"})
            self.settings()
            again = self.follow("orders")
            self.assertEqual((len(again), set(again.values())), (partitions, {"published"}))
            self.check("orders", ORDERS)
        with self.subTest("the snapshot has expired"):
            self.hour(0, orders=2)
            self.hour(1, orders=2)
            later = shop.stamp(dt.datetime.now(dt.timezone.utc) + dt.timedelta(days=30))
            self.tidegate.must("expire", self.shop.lake, "--now", later)
            done = self.tidegate.must("publish", "sales.orders", "--config", self.config)
            self.assertIn("all partitions, as the snapshot that was published last has expired", done.out)
            self.check("orders", ORDERS)
        with self.subTest("another column"):
            self.shop.alter("ALTER TABLE shop.orders ADD COLUMN coupon VARCHAR")
            self.hour(2)
            self.assertGreaterEqual(len(self.follow("orders")), partitions)
            self.check("orders", ORDERS)
        with self.subTest("another table of that name"):
            self.state("orders").write_text(self.state("orders").read_text().replace('"uuid":"', '"uuid":"0'))
            self.assertEqual(set(self.follow("orders").values()), {"unchanged"})

    def test_the_lake_goes_back(self):
        self.hour(0)
        self.follow("orders")
        self.hour(1)
        self.follow("orders")
        self.tidegate.must("lake", "rollback", self.shop.lake, "--to", "v2/2025-03-13/03")
        self.assertNotEqual(self.follow("orders"), {})
        self.check("orders", ORDERS)

    def test_killed_at_any_moment_it_ends_the_work(self):
        self.follow("clicks")
        for number in range(6):
            self.hour(number, clicks=30)
            started = self.tidegate.start("publish", "sales.clicks", "--config", self.config)
            time.sleep(0.05 * number)
            started.send_signal(signal.SIGKILL)
            started.wait()
            for lease in (self.folder / "clicks").rglob("_tidegate_lease.json"):  # they ran out
                lease.write_text(json.dumps(json.loads(lease.read_text()) | {"until": "2020-01-01T00:00:00Z"}))
            self.follow("clicks")
            self.check("clicks", CLICKS)

    def test_one_publisher_at_a_time(self):
        self.follow("clicks")
        self.hour(0)
        lease = self.folder / "clicks/_tidegate_follow/sales.clicks/_tidegate_lease.json"
        until = shop.stamp(dt.datetime.now(dt.timezone.utc) + dt.timedelta(minutes=1))
        text = lease.read_text()
        lease.write_text(text.replace(text.split('"until":"')[1].split('"')[0], until))
        done = self.tidegate("publish", "sales.clicks", "day=2025-03-13", "--config", self.config)
        self.assertEqual(done.code, 6, done)
        self.assertIn("another publisher is at work here", done.err)
        os.remove(lease)
        self.assertEqual(self.follow("clicks")["day=2025-03-13"], "published")

    def test_a_plan_changes_nothing(self):
        self.follow("clicks")
        self.hour(0)
        before = {path: path.stat().st_mtime_ns for path in self.folder.joinpath("clicks").rglob("*")}
        done = self.tidegate.must("publish", "--from", f"{self.shop.lake}.shop.clicks", "--config", self.config, "--plan")
        self.assertIn("day=2025-03-13", done.out)
        self.assertIn("plan only: nothing was changed", done.out)
        self.assertEqual({path: path.stat().st_mtime_ns for path in self.folder.joinpath("clicks").rglob("*")}, before)

    def test_wrong_usage_says_what_there_is(self):
        done = self.tidegate("publish", "--from", "lake.shop.nothing", "--config", self.config)
        self.assertEqual(done.code, 1)
        self.assertIn("shop.clicks, ", done.err)
        self.assertEqual(self.tidegate("publish", "--config", self.config).code, 2)
        self.assertEqual(self.tidegate("publish", "sales.clicks", "--from", "x", "--config", self.config).code, 2)
        self.settings(clicks="partitions = 'SELECT 1'")
        self.assertIn("leave partitions out", self.tidegate("publish", "sales.clicks", "--config", self.config).err)


if __name__ == "__main__":
    program.main()
