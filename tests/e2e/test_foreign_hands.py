#!/usr/bin/env python3
"""Another engine, PyIceberg, changes a table of the lake: the next ingest goes on right, and says what it did not take.

usage: test_foreign_hands.py --tidegate BINARY
"""
import datetime as dt
import pathlib
import re

import program
import readers
import checks
import shop
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import CommitFailedException
from pyiceberg.serializers import ToOutputFile
from pyiceberg.table import StagedTable
from pyiceberg.types import StringType


class LakeCatalog(SqlCatalog):
    """PyIceberg over a lake, committing as the lake does: the next vN.metadata.json, only if it is absent (docs/formats/lake.md)."""

    def _update_and_stage_table(self, current_table, table_identifier, requirements, updates):
        staged = super()._update_and_stage_table(current_table, table_identifier, requirements, updates)
        folder, version = re.fullmatch(r"(.*/metadata)/v(\d+)\.metadata\.json", current_table.metadata_location).groups()
        return StagedTable(staged.name(), staged.metadata, f"{folder}/v{int(version) + 1}.metadata.json", staged.io, self)

    @staticmethod
    def _write_metadata(metadata, io, metadata_path):
        path = pathlib.Path(metadata_path.removeprefix("file://"))
        whole = path.with_name("." + path.name)
        ToOutputFile.table_metadata(metadata, io.new_output(str(whole)), overwrite=True)
        try:
            path.hardlink_to(whole)  # whole at once, and only if it is absent
        except FileExistsError as taken:
            raise CommitFailedException(f"somebody has committed {path.name}: load the table again") from taken
        finally:
            whole.unlink()


class ForeignHands(program.Case):
    def setUp(self):
        super().setUp()
        self.shop = shop.Shop(self.tidegate, self.folder)
        self.db = checks.connect(program.EXTENSIONS)
        self.addCleanup(self.db.close)
        self.shop.deliver_v1()
        self.shop.ingest()
        self.shop.deliver_hour(shop.FIRST_HOUR)
        self.shop.ingest()

    def next_hour(self, number=1):
        self.shop.deliver_hour(shop.FIRST_HOUR + dt.timedelta(hours=number))
        return self.shop.ingest()

    def catalog(self, kind=LakeCatalog):
        return kind("tidegate", uri=f"sqlite:///{self.shop.lake}/catalog.db")

    def check(self):
        """Every reader sees what the bucket holds, by the vendor's own logic."""
        lake = self.shop.lake
        ours = readers.by_tidegate(self.tidegate, self.db, lake, list(shop.KEYS))
        for name in shop.KEYS:
            for reader in (readers.by_duckdb, readers.by_duckdb_folder, readers.by_pyiceberg, readers.by_pyiceberg_catalog):
                with self.subTest(table=name, reader=reader.__name__):
                    self.assertEqual(reader(self.db, lake, name), ours[name])
        vendor = checks.compare_with_reference(self.db, self.shop.bucket, lake, shop.KEYS)
        self.assertEqual({n: wrong for n, (_, wrong) in vendor.items()}, dict.fromkeys(shop.KEYS, 0))

    def test_what_a_rollback_takes_back_is_applied_again(self):
        for name in shop.KEYS:
            table = self.catalog().load_table(name)
            table.manage_snapshots().rollback_to_snapshot(table.current_snapshot().parent_snapshot_id).commit()
            self.assertEqual(len(self.catalog().load_table(name).history()), 3)
        report = self.shop.ingest()
        self.assertEqual({t["table"]: len(t["folders"]) for t in report["tables"]}, dict.fromkeys(shop.KEYS, 1))
        self.check()
        self.next_hour()
        self.check()

    def test_expired_snapshots_change_nothing(self):
        for name in shop.KEYS:
            self.catalog().load_table(name).maintenance.expire_snapshots().older_than(dt.datetime.now() + dt.timedelta(days=1)).commit()
            self.assertEqual(len(self.catalog().load_table(name).snapshots()), 1)
        self.assertEqual(self.shop.ingest()["outcome"], "nothing_new")
        self.next_hour()
        self.check()

    def test_an_added_column_stays(self):
        for name in ("shop.orders", "shop.clicks"):
            with self.catalog().load_table(name).update_schema() as update:
                update.add_column("remark", StringType())
        self.assertEqual(self.shop.ingest()["outcome"], "nothing_new")
        self.next_hour()
        for name in ("shop.orders", "shop.clicks"):
            self.assertIn("remark", self.catalog().load_table(name).schema().column_names)
        self.shop.alter("ALTER TABLE shop.orders ADD COLUMN remark VARCHAR")
        self.shop.alter("UPDATE shop.orders SET remark = 'seen', changed_at = TIMESTAMPTZ '2025-03-13 04:30:00+00' WHERE id % 2 = 0")
        self.next_hour(2)
        orders = self.catalog().load_table("shop.orders").scan().to_arrow().to_pylist()
        self.assertEqual({row["remark"] for row in orders}, {None, "seen"})

    def test_of_two_writers_one_wins(self):
        catalog_db = self.shop.lake / "catalog.db"
        stale = catalog_db.read_bytes()
        self.next_hour()
        catalog_db.write_bytes(stale)  # PyIceberg bases its commit on the version before
        with self.assertRaises(CommitFailedException):
            with self.catalog().load_table("shop.orders").update_schema() as update:
                update.add_column("remark", StringType())
        self.assertEqual(self.shop.ingest()["outcome"], "nothing_new")
        self.assertNotIn("remark", self.catalog().load_table("shop.orders").schema().column_names)
        self.check()

    def test_a_commit_through_catalog_db_alone_is_not_taken_and_that_is_said(self):
        table = self.catalog(SqlCatalog).load_table("shop.orders")
        with table.update_schema() as update:
            update.add_column("remark", StringType())
        self.assertRegex(self.catalog().load_table("shop.orders").metadata_location, r"/\d{5}-.*\.metadata\.json$")
        report = self.next_hour()
        said = [w for w in report["warnings"] if w["kind"] == "foreign_commit"]
        self.assertEqual([w["table"] for w in said], ["shop.orders"])
        self.assertRegex(said[0]["message"], r"\d{5}-.*\.metadata\.json")
        self.assertNotIn("remark", self.catalog().load_table("shop.orders").schema().column_names)
        self.check()
        self.assertEqual([w for w in self.shop.ingest()["warnings"] if w["kind"] == "foreign_commit"], [])


if __name__ == "__main__":
    program.main()
