#!/usr/bin/env python3
"""Earlier states of a lake: asked for with `query --at`, and read by other programs, too (issue 4).

usage: test_time_travel.py --tidegate BINARY
"""
import datetime as dt

import program
import checks
import readers
import shop

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


if __name__ == "__main__":
    program.main()
