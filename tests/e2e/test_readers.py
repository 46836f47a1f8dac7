#!/usr/bin/env python3
"""Every reader sees the same table, and it is the source's table (issue 3, points 2 and 3).

usage: test_readers.py --tidegate BINARY
"""
import datetime as dt
import shutil

import program
import readers
import checks
import shop


class EveryReaderSeesTheSourcesTable(program.Case):
    def setUp(self):
        super().setUp()
        self.shop = shop.Shop(self.tidegate, self.folder)
        self.db = checks.connect(program.EXTENSIONS)
        self.addCleanup(self.db.close)

    def check(self, step, equals_source=True):
        """Ingest, then let every reader count and sum each table."""
        self.shop.ingest()
        lake, names = self.shop.lake, readers.tables_of(self.shop.lake)
        ours = readers.by_tidegate(self.tidegate, self.db, lake, names)
        others = [readers.by_duckdb, readers.by_duckdb_folder, readers.by_pyiceberg]
        if (lake / "catalog.db").exists():
            others.append(readers.by_pyiceberg_catalog)
        for name in names:
            for reader in others:
                with self.subTest(step=step, table=name, reader=reader.__name__):
                    self.assertEqual(reader(self.db, lake, name), ours[name])
        vendor = checks.compare_with_reference(self.db, self.shop.bucket, lake, {n: shop.KEYS[n] for n in names})
        self.assertEqual({n: wrong for n, (_, wrong) in vendor.items()}, dict.fromkeys(names, 0), f"{step}: against the vendor's reference logic")
        self.assertEqual({n: rows for n, (rows, _) in vendor.items()}, {n: rows for n, (rows, _) in ours.items()}, step)
        if equals_source:
            source = checks.compare_with_source(self.db, lake, self.shop.source, names)
            self.assertEqual({n: wrong for n, (_, wrong) in source.items()}, dict.fromkeys(names, 0), f"{step}: against the source")
        print(f"  {step}: " + ", ".join(f"{n} {rows}" for n, (rows, _) in ours.items()) + f": {len(others) + 1} readers agree", flush=True)
        return names

    def hour(self, number):
        return shop.FIRST_HOUR + dt.timedelta(hours=number)

    def test_at_each_delivery_of_a_history(self):
        s = self.shop
        s.deliver_initial()
        self.assertEqual(self.check("v1 __initial__"), sorted(shop.PARTS))
        s.deliver(shop.daily(shop.INITIAL))
        self.assertEqual(self.check("v1, the same day"), sorted(shop.KEYS))
        for day in (1, 2):
            s.deliver_day(shop.INITIAL + dt.timedelta(days=day))
            self.check(f"v1, day {day}")
        s.deliver_hour(self.hour(0))
        self.check("the switch, v2 03")
        s.deliver_hour(self.hour(1))
        self.check("v2 04, with updates")
        s.alter("ALTER TABLE shop.orders ADD COLUMN coupon VARCHAR; ALTER TABLE shop.orders ALTER quantity TYPE BIGINT;"
                "ALTER TABLE shop.orders ALTER ratio TYPE DOUBLE; ALTER TABLE shop.orders ALTER total TYPE DECIMAL(18,2);"
                "ALTER TABLE shop.products DROP tags")
        s.happen(self.hour(2))
        s.alter(f"UPDATE shop.orders SET coupon = 'c' || id, quantity = 5000000000 + id WHERE changed_at >= '{shop.stamp(self.hour(1))}' AND id % 2 = 0")
        s.deliver(shop.hourly(self.hour(2)))
        self.check("v2 05, a new column and wider types")
        s.deliver_hour(self.hour(3))
        s.deliver_hour(self.hour(4))
        away = self.folder / "away"
        late = shop.hour_folders(s.bucket, self.hour(3))
        self.assertEqual(len(late), 5, "four tables and a manifest")
        for folder in late:
            (away / folder.relative_to(s.bucket)).parent.mkdir(parents=True, exist_ok=True)
            folder.rename(away / folder.relative_to(s.bucket))
        self.check("v2 07, while 06 is late", equals_source=False)
        for folder in late:
            (away / folder.relative_to(s.bucket)).rename(folder)
        self.check("v2 06, late")
        s.deliver_hour(self.hour(5))
        self.check("v2 08")

    def test_a_lake_made_at_once_is_the_same_as_one_made_hour_by_hour(self):
        s = self.shop
        s.deliver_v1()
        s.ingest()
        for number in range(3):
            s.deliver_hour(self.hour(number))
            s.ingest()
        names = readers.tables_of(s.lake)
        step_by_step = readers.by_tidegate(self.tidegate, self.db, s.lake, names)
        shutil.rmtree(s.lake)
        s.ingest()
        self.assertEqual(readers.by_tidegate(self.tidegate, self.db, s.lake, names), step_by_step)
        for name in names:
            self.assertEqual(readers.by_duckdb(self.db, s.lake, name), step_by_step[name])


if __name__ == "__main__":
    program.main()
