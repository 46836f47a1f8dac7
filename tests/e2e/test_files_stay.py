#!/usr/bin/env python3
"""An hour's ingest leaves every file as it is and writes about as much as the hour brought (issue 3, point 4).

usage: test_files_stay.py --tidegate BINARY
"""
import datetime as dt
import pathlib

import program
import checks
import shop
import tree
from pyiceberg.table import StaticTable

HOURS = 5
SPARE_BYTES = 2_000_000
# So much text that does not compress that writing the table anew would be seen in the bytes.
HISTORY_ROWS = 250_000


def data_files(lake):
    """The data files in the lake's tree, delete files and metadata left out."""
    return {path: found for path, found in tree.files(lake).items() if "/data/" in path and "-deletes-" not in path}


def live_files(lake, name):
    """Paths of the data files that the table's current snapshot reads."""
    table = StaticTable.from_metadata(checks.newest_metadata(pathlib.Path(lake, *name.split("."))))
    return {task.file.file_path for task in table.scan().plan_files()}


class FilesStay(program.Case):
    def open_shop(self, history_rows=400):
        s = self.shop = shop.Shop(self.tidegate, self.folder, history_rows)
        s.deliver_v1()
        s.ingest()
        return s

    def hour(self, number):
        return shop.FIRST_HOUR + dt.timedelta(hours=number)

    def delivered_bytes(self, when):
        folders = shop.hour_folders(self.shop.bucket, when)
        self.assertEqual(len(folders), 5, "four tables and a manifest")
        return sum(f.stat().st_size for folder in folders for f in folder.iterdir())

    def test_an_hour_rewrites_no_data_file_and_writes_little_more_than_it_brought(self):
        s = self.open_shop(HISTORY_ROWS)
        history = sum(found.st_size for found in data_files(s.lake).values())
        self.assertGreater(history, 3 * SPARE_BYTES, "else a rewrite would hide in the spare bytes")
        for number in range(HOURS):
            s.deliver_hour(self.hour(number))
            before, live_before = tree.files(s.lake), {name: live_files(s.lake, name) for name in shop.PARTS}
            report = s.ingest()
            after = tree.files(s.lake)
            with self.subTest(hour=number):
                superseded = sum(t["rows_superseded"] for t in report["tables"])
                self.assertGreater(superseded, 0, "the hour brings real updates")
                for path in data_files(s.lake).keys() & before.keys():
                    was, now = before[path], after[path]
                    self.assertEqual((now.st_ino, now.st_mtime_ns, now.st_size), (was.st_ino, was.st_mtime_ns, was.st_size), path)
                gone = {p for p in before if "/data/" in p and "-deletes-" not in p} - after.keys()
                self.assertEqual(gone, set(), "data files that existed are still there")
                for name in shop.PARTS:
                    self.assertLessEqual(live_before[name], live_files(s.lake, name), f"{name} still reads the files it read before")
                self.check_bytes(number, before, after, report)

    def check_bytes(self, number, before, after, report):
        brought, written = self.delivered_bytes(self.hour(number)), tree.bytes_written(before, after)
        bucket_inodes = {(f.st_dev, f.st_ino) for f in tree.files(self.shop.bucket).values()}
        linked = sum(f.st_size for p, f in after.items() if p not in before and (f.st_dev, f.st_ino) in bucket_inodes)
        print(f"  hour {number}: brought {brought:,} bytes, wrote {written:,} ({linked:,} of them by linking)", flush=True)
        self.assertLessEqual(written, brought + SPARE_BYTES)
        self.assertLessEqual(report["lake_bytes_written"], brought + SPARE_BYTES, "what the tool itself counts")
        self.assertGreaterEqual(report["lake_bytes_written"] + report["lake_bytes_adopted"], sum(t["bytes_in"] for t in report["tables"]))

    def test_a_run_with_nothing_new_writes_nothing_and_reads_no_data(self):
        s = self.open_shop()
        s.deliver_hour(self.hour(0))
        s.ingest()
        lake, bucket = tree.snapshot(s.lake), tree.snapshot(s.bucket)
        report = s.ingest()
        self.assertEqual(report["outcome"], "nothing_new")
        self.assertEqual(report["bucket_data_bytes_read"], 0)
        self.assertEqual(report["lake_bytes_written"], 0)
        self.assertEqual(report["lake_bytes_adopted"], 0)
        self.assertEqual(tree.snapshot(s.lake), lake)
        self.assertEqual(tree.snapshot(s.bucket), bucket)

    def test_delivering_a_sealed_hour_again_changes_nothing(self):
        s = self.open_shop()
        s.deliver_hour(self.hour(0))
        before = tree.snapshot(s.bucket)
        s.happen(self.hour(1))
        s.deliver(shop.hourly(self.hour(0)))
        self.assertEqual(tree.snapshot(s.bucket), before)


if __name__ == "__main__":
    program.main()
