#!/usr/bin/env python3
"""The tables of a delivery bucket, declared: `tidegate ddl` (issue 6; C-6, C-10 … C-13).

usage: test_ddl.py --tidegate BINARY

What readers see through the declarations must be what the sealed folders hold, no more and no less.
"""
import datetime as dt
import shutil

import duckdb

import program
import shop


class Ddl(program.Case):
    def setUp(self):
        super().setUp()
        self.shop = shop.Shop(self.tidegate, self.folder, history_rows=100)
        self.bucket, self.catalog = self.shop.bucket, self.folder / "hive.db"
        self.shop.deliver_v1()

    def hour(self, number):
        self.shop.deliver_hour(shop.FIRST_HOUR + dt.timedelta(hours=number), orders=10, clicks=10)

    def sync(self, *more):
        done = self.tidegate.must("ddl", self.bucket, "--sync", "--apply", "--catalog", self.catalog, "--json", *more)
        return {table["table"]: table for table in done.json["tables"]}

    def ask(self, sql):
        return self.tidegate.must("query", self.catalog, sql, "--format", "csv").out.split()[1:]

    def of_files(self, *folders):
        """The rows of these folders, counted by DuckDB from the files alone."""
        files = [str(path) for folder in folders for path in self.bucket.glob(folder + "/*.parquet")]
        return str(duckdb.sql(f"SELECT count(*) FROM read_parquet({files})").fetchone()[0])

    def check(self, newest):
        for table in ("orders", "clicks", "stock"):
            self.assertEqual(self.ask(f"SELECT count(*) FROM shop.{table}_v1"), [self.of_files(f"v1/shop/{table}/etl_date=*")])
        self.assertEqual(self.ask("SELECT count(*) FROM shop.products"), [self.of_files(newest)])

    def test_v1_then_v2_then_nothing_new(self):
        first = self.sync()
        self.assertEqual(sorted(first), ["shop.clicks_v1", "shop.orders_v1", "shop.products", "shop.products_v1", "shop.stock_v1"])
        self.assertTrue(all(table["created"] for table in first.values()))
        self.check("v1/shop/products/snapshot_date=2025-03-12")
        self.assertIn("__initial__", self.ask("SELECT DISTINCT etl_date FROM shop.orders_v1"))
        for number in range(2):
            self.hour(number)
        second = self.sync()
        self.assertEqual((second["shop.orders_v2"]["partitions_added"], second["shop.products"]["partitions_moved"]), (2, 1))
        self.check("v2/shop/products/snapshot_date=2025-03-13/snapshot_hour=04")
        self.assertEqual(self.ask("SELECT DISTINCT etl_hour FROM shop.orders_v2 ORDER BY ALL"), ["03", "04"])
        again = self.sync()
        for table in again.values():
            self.assertEqual((table["created"], table["partitions_added"], table["partitions_moved"]), (False, 0, 0), table)

    def test_a_folder_without_its_seal_is_not_declared(self):
        self.hour(0)
        self.hour(1)
        for seal in self.bucket.glob("v2/shop/*/*/*_hour=04/_SUCCESS"):
            seal.unlink()
        self.sync()
        self.check("v2/shop/products/snapshot_date=2025-03-13/snapshot_hour=03")
        self.assertEqual(self.ask("SELECT DISTINCT etl_hour FROM shop.orders_v2"), ["03"])

    def test_views_for_duckdb(self):
        self.hour(0)
        statements = self.tidegate.must("ddl", self.bucket, "--duckdb", "--database", "in").out
        with duckdb.connect() as db:
            db.execute(statements)
            db.execute(statements)  # again
            for table in ("orders", "clicks"):
                counted = str(db.sql(f'SELECT count(*) FROM "in".{table}_v1').fetchone()[0])
                self.assertEqual(counted, self.of_files(f"v1/shop/{table}/etl_date=*"))
            self.assertEqual(db.sql('SELECT DISTINCT etl_date, etl_hour FROM "in".orders_v2').fetchall(), [("2025-03-13", "03")])
            newest = self.of_files("v2/shop/products/snapshot_date=2025-03-13/snapshot_hour=03")
            self.assertEqual(str(db.sql('SELECT count(*) FROM "in".products').fetchone()[0]), newest)

    def test_statements_for_athena_and_hive(self):
        text = self.tidegate.must("ddl", self.bucket, "--athena", "--sync", "--table", "shop.orders").out
        self.assertIn("CREATE EXTERNAL TABLE IF NOT EXISTS `shop`.`orders_v1`", text)
        self.assertIn("`total` decimal(10,2)", text)
        self.assertIn("PARTITION (`etl_date`='__initial__') LOCATION", text)
        self.assertNotIn("products", text)
        self.assertEqual(self.tidegate.must("ddl", self.bucket, "--hive", "--sync", "--table", "shop.orders").out, text)

    def test_new_columns_are_said(self):
        self.sync()
        self.shop.alter("ALTER TABLE shop.orders ADD COLUMN coupon VARCHAR")
        self.shop.deliver_day(self.shop.now + dt.timedelta(days=1))
        done = self.tidegate.must("ddl", self.bucket, "--sync", "--apply", "--catalog", self.catalog)
        self.assertIn("ALTER TABLE `shop`.`orders_v1` ADD COLUMNS (`coupon` string)", done.err)

    def test_a_broken_table_holds_up_no_other(self):
        for path in self.bucket.glob("v1/shop/orders/etl_date=2025-03-12/*.parquet"):
            path.write_bytes(b"PAR1 no")
        tables = self.sync()
        self.assertNotIn("shop.orders_v1", tables)
        self.assertIn("shop.clicks_v1", tables)

    def test_wrong_usage(self):
        for arguments, why in ((("--athena", "--hive"), "choose one"), ((), "choose whose statements"), (("--duckdb", "--apply"), "--apply is for catalogs"),
                               (("--athena", "--catalog", "x"), "where to --apply")):
            with self.subTest(arguments):
                done = self.tidegate("ddl", self.bucket, *arguments)
                self.assertEqual(done.code, 2)
                self.assertIn(why, done.err)
        shutil.rmtree(self.bucket)
        self.bucket.mkdir()
        self.assertIn("no delivered tables", self.tidegate("ddl", self.bucket, "--athena").err)


if __name__ == "__main__":
    program.main()
