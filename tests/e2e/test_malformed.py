#!/usr/bin/env python3
"""What is malformed gets a message that names it and says what is wrong, and every other table goes on (issue 3, point 6).

usage: test_malformed.py --tidegate BINARY

Each test plants one thing into a copy of a good bucket and ingests it into a new lake.
"""
import datetime as dt
import os
import pathlib
import re
import shutil
import tempfile
import unittest

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

import program
import checks
import readers
import shop

HOUR = shop.FIRST_HOUR
NEXT = HOUR + dt.timedelta(hours=1)
FOLDER = "v2/shop/orders/etl_date=2025-03-13/etl_hour=03"
FILE = FOLDER + "/0000_part_00.parquet"
MANIFEST = "v2/_manifests/snapshot_date=2025-03-13/snapshot_hour=03/manifest.json"
NOBODY = 65534
MEMORY_LIMIT = 500_000_000


class Malformed(program.Case):
    """A good bucket with two hours, and what its lake holds: with all folders, and without the one that tests break."""
    base = None

    @classmethod
    def setUpClass(cls):
        if Malformed.base is None:
            Malformed.make()

    @staticmethod
    def make():
        """Once for all classes."""
        base = Malformed.base = pathlib.Path(tempfile.mkdtemp(prefix="tidegate-e2e-")).resolve()
        unittest.addModuleCleanup(shutil.rmtree, base, ignore_errors=True)
        Malformed.db = checks.connect(program.EXTENSIONS)
        unittest.addModuleCleanup(Malformed.db.close)
        s = Malformed.shop = shop.Shop(program.Tidegate(program.Case.binary, base / "cwd"), base)
        s.deliver_v1()
        s.deliver_hour(HOUR)
        s.deliver_hour(NEXT)
        s.ingest()
        Malformed.good = Malformed.contents(s.lake)
        shutil.rmtree(s.lake)
        (s.bucket / FOLDER).rename(base / "away")
        s.ingest()
        Malformed.without_folder = Malformed.contents(s.lake)
        (base / "away").rename(s.bucket / FOLDER)
        assert [n for n in Malformed.good if Malformed.good[n] != Malformed.without_folder[n]] == ["shop.orders"]

    @classmethod
    def contents(cls, lake, leave_out=()):
        return {name: readers.by_duckdb(Malformed.db, lake, name) for name in readers.tables_of(lake) if name not in leave_out}

    def setUp(self):
        super().setUp()
        self.bucket, self.lake = self.folder / "bucket", self.folder / "lake"
        shutil.copytree(self.shop.bucket, self.bucket)

    def ingest(self, *more, **popen):
        return self.tidegate("ingest", self.bucket, self.lake, "--config", self.shop.config, *more, **popen)

    def put(self, key, data=b""):
        path = self.bucket / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def check(self, code, wanted, *says, **popen):
        """Ingest, for people and then, again, for machines: exit code, message, and every table."""
        done = self.ingest(**popen)
        self.assertEqual(done.code, code, done)
        said = self.lines(done.err)
        for text in says:
            self.assertTrue(any(re.search(text, line, re.IGNORECASE) for line in said), f"no line of stderr matches {text!r}: {done}")
        self.assertEqual(self.contents(self.lake), wanted, done)
        again = self.ingest("--json", **popen)
        self.assertEqual(again.code, code, "a gap stays open, a warning stays one")
        self.assertEqual(again.json["outcome"], "failed" if code else "nothing_new")
        self.assertEqual(self.contents(self.lake), wanted)
        return done, again.json

    def lines(self, text):
        for line in text.splitlines():
            self.assertNotRegex(line, r"[\x00-\x08\x0b-\x1f\x7f]", "control characters are escaped")
        return text.splitlines()

    def check_gap(self, *says, **popen):
        """The folder is a gap: its table has all other folders, the run fails and says which object and why."""
        done, report = self.check(1, self.without_folder, *says, **popen)
        self.assertEqual([(p["table"], p["folder"]) for p in report["problems"]], [("shop.orders", FOLDER)], done)
        return report["problems"][0]

    def check_warning(self, *says, wanted=None, **popen):
        return self.check(0, self.good if wanted is None else wanted, *says, **popen)

    def named(self, key):
        """As messages quote it."""
        return re.escape(key)


class BrokenParquet(Malformed):
    def test_truncated(self):
        path = self.bucket / FILE
        os.truncate(path, path.stat().st_size // 2)
        self.assertEqual(self.check_gap(f"{self.named(FILE)}.*truncated")["reason"], "broken")

    def test_without_its_last_byte(self):
        path = self.bucket / FILE
        os.truncate(path, path.stat().st_size - 1)
        self.check_gap(f"{self.named(FILE)}.*truncated")

    def test_text(self):
        self.put(FILE, b"id,customer\n1,K7\n" * 40)
        self.check_gap(f"{self.named(FILE)}.*not a Parquet file")

    def test_no_bytes(self):
        self.put(FILE)
        self.check_gap(f"{self.named(FILE)}.*empty")

    def test_a_footer_that_claims_4_gigabytes(self):
        self.put(FILE, b"PAR1" + b"x" * 200 + b"\xff\xff\xff\xffPAR1")
        self.check_gap(f"{self.named(FILE)}.*footer")

    def test_a_footer_of_noise(self):
        self.put(FILE, b"PAR1" + b"x" * 200 + (150).to_bytes(4, "little") + b"PAR1")
        self.check_gap(self.named(FILE))

    def test_pages_of_noise(self):
        """The footer is good, the bytes of the key column are not."""
        path = self.bucket / FILE
        column = pq.ParquetFile(path).metadata.row_group(0).column(0)
        self.assertEqual(column.path_in_schema, "id")
        begin = min(o for o in (column.dictionary_page_offset, column.data_page_offset) if o)
        data = bytearray(path.read_bytes())
        data[begin:begin + column.total_compressed_size] = b"\xff" * column.total_compressed_size
        path.write_bytes(data)
        self.check_gap(self.named(FOLDER))

    def test_one_of_two_files_is_broken(self):
        """Nothing of the folder is read."""
        self.put(FOLDER + "/0001_part_00.parquet", b"PAR1")
        self.check_gap(self.named(FOLDER + "/0001_part_00.parquet"))

    def test_a_column_twice_in_another_case(self):
        table = pq.read_table(self.bucket / FILE)
        pq.write_table(table.append_column("Customer", table["customer"]), self.bucket / FILE)
        self.assertEqual(self.check_gap(self.named(FOLDER), "Customer")["reason"], "column_case")

    def test_a_key_column_that_is_missing(self):
        pq.write_table(pq.read_table(self.bucket / FILE).drop_columns(["id"]), self.bucket / FILE)
        self.assertEqual(self.check_gap(self.named(FOLDER), "id")["reason"], "key")

    def test_a_type_that_does_not_fit(self):
        table = pq.read_table(self.bucket / FILE)
        at = table.schema.get_field_index("quantity")
        pq.write_table(table.set_column(at, "quantity", table["quantity"].cast(pa.string())), self.bucket / FILE)
        self.assertEqual(self.check_gap(f"{self.named(FOLDER)}.*quantity")["reason"], "type")

    def test_a_broken_copy_of_a_full_table_leaves_the_one_before(self):
        key = "v2/shop/products/snapshot_date=2025-03-13/snapshot_hour=04/0000_part_00.parquet"
        self.put(key, b"no Parquet")
        older = "SELECT count(*) FROM read_parquet('{}')".format(self.bucket / key.replace("hour=04", "hour=03"))
        done = self.ingest()
        self.assertEqual(done.code, 1, done)
        self.assertIn(key, done.err)
        found = self.contents(self.lake)
        self.assertEqual(found["shop.products"][0], duckdb.sql(older).fetchone()[0])
        self.assertEqual({n: c for n, c in found.items() if n != "shop.products"}, {n: c for n, c in self.good.items() if n != "shop.products"})

    def test_a_gap_closes_once_the_file_is_mended(self):
        good = (self.bucket / FILE).read_bytes()
        self.put(FILE, b"")
        self.check_gap(self.named(FILE))
        self.put(FILE, good)
        done = self.ingest()
        self.assertEqual(done.code, 0, done)
        self.assertEqual(self.contents(self.lake), self.good)

    def test_a_file_that_may_not_be_read(self):
        os.chmod(self.bucket / FILE, 0)
        popen = {}
        if os.geteuid() == 0:  # root may read all: be somebody else
            os.chmod(self.folder, 0o755)
            for folder in (self.lake, self.folder / "cwd"):
                folder.mkdir(exist_ok=True)
                os.chown(folder, NOBODY, NOBODY)
            os.chmod(self.shop.config.parent, 0o755)
            popen = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
            try:
                self.tidegate.must("--version", **popen)
            except (PermissionError, AssertionError) as error:
                self.skipTest(f"the program cannot be run as nobody: {error}")
        self.check_gap(self.named(FILE), "[Pp]ermission", **popen)


class BrokenManifests(Malformed):
    """A manifest that cannot be read counts as absent (C-33)."""

    def test_no_json(self):
        for name, text in {"text": b"hello", "cut": (self.bucket / MANIFEST).read_bytes()[:-5], "nothing": b"", "a list": b"[1]",
                           "binary": bytes(range(256)), "deep": b"[" * 1_000_000, "another hour": b'{"snapshot_date": "2024-01-01", "complete": 7}'}.items():
            with self.subTest(name):
                shutil.rmtree(self.lake, ignore_errors=True)
                self.put(MANIFEST, text)
                _, report = self.check_warning(self.named(MANIFEST))
                self.assertTrue([w for w in report["warnings"] if w["kind"].startswith("manifest_") and MANIFEST in w["folder"]], report["warnings"])

    def test_one_of_a_gigabyte_is_refused_unread(self):
        os.truncate(self.bucket / MANIFEST, 1 << 30)
        done, _ = self.check_warning(f"{self.named(MANIFEST)}.*larger")
        self.assertLess(done.peak_rss_bytes, MEMORY_LIMIT)
        status = self.tidegate.must("status", self.bucket, self.lake, "--config", self.shop.config)
        self.assertLess(status.peak_rss_bytes, MEMORY_LIMIT)
        self.assertIn(MANIFEST, status.err)

    def test_a_folder_of_that_name(self):
        (self.bucket / MANIFEST).unlink()
        self.put(MANIFEST + "/inner")
        self.check_warning(self.named(MANIFEST))


class OddNames(Malformed):
    """The contract's shape and names (C-1, C-2, C-5); what does not fit is not data, and is named."""

    def sealed(self, schema, table):
        folder = f"v2/{schema}/{table}/etl_date=2025-03-13/etl_hour=03"
        self.put(folder + "/0000_part_00.parquet", (self.bucket / FILE).read_bytes())
        self.put(folder + "/_SUCCESS")

    def test_names_of_tables_and_schemas(self):
        names = {"..evil": r"\.\.evil", "a b": "a b", "tab\there": r"tab\\(t|x09)here", "new\nline": r"new\\(n|x0a)line", "red\x1b[31m": r"red\\x1b\[31m",
                 "naïve": r"na(ï|\\x..)+ve", "semi;colon": "semi;colon", "-rf": "-rf", "quo'te": "quo.*te", "wild*": r"wild\*", "%2e%2e": "%2e%2e",
                 "etl_date=2025-03-13": "etl_date=2025-03-13"}
        for name in names:
            self.sealed("shop", name)
            self.sealed(name, "orders")
        done, _ = self.check_warning()
        said = self.lines(done.err)
        for name, shown in names.items():
            for what, path in (("table", f"v2/shop/{shown}"), ("schema", f"v2/{shown}")):
                with self.subTest(what, name=name):
                    self.assertTrue(any(re.search(path, line, re.IGNORECASE) for line in said), f"{path} is not named in\n{done.err}")

    def test_a_name_that_is_no_text(self):
        """Bytes that are not UTF-8: legal in a file system."""
        folder = os.fsencode(self.bucket / "v2/shop") + b"/bad\xff\xfe/etl_date=2025-03-13/etl_hour=03"
        os.makedirs(folder)
        pathlib.Path(os.fsdecode(folder), "_SUCCESS").write_bytes(b"")
        self.check_warning(r"bad\\xff\\xfe")

    def test_very_long_names_are_names(self):
        self.sealed("shop", "x" * 255)
        done = self.ingest()
        self.assertEqual(done.code, 0, done)
        found = self.contents(self.lake)
        self.assertEqual(found.pop("shop." + "x" * 255)[0], pq.read_metadata(self.bucket / FILE).num_rows)
        self.assertEqual(found, self.good)

    def test_keys_outside_the_contract_are_named(self):
        """Below v1/ and v2/, which are the contract's; a bucket may hold other things beside them."""
        keys = ["v1/readme.txt", "v2/readme.txt", "v2/shop/readme.txt", "v2/shop/orders/loose.parquet", "v2/shop/orders/etl_date=2025-03-13/etl_hour=3/0000_part_00.parquet",
                "v2/shop/orders/etl_date=2025-03-13/etl_hour=24/0000_part_00.parquet",
                "v2/shop/orders/etl_date=2025-02-30/etl_hour=03/0000_part_00.parquet",
                "v2/shop/orders/etl_date=__initial__/etl_hour=03/0000_part_00.parquet",
                "v2/shop/orders/date=2025-03-13/etl_hour=03/0000_part_00.parquet",
                "v2/shop/orders/etl_date=2025-03-13/0000_part_00.parquet", "v2/shop/orders/etl_date=2025-03-13/_SUCCESS",
                FOLDER + "/deeper/0000_part_00.parquet", FOLDER + "/readme.md", "v2/_manifests/manifest.json",
                "v2/_manifests/snapshot_date=2025-03-13/snapshot_hour=99/manifest.json"]
        for key in keys:
            self.put(key, (self.bucket / FILE).read_bytes())
        done, report = self.check_warning()
        told = done.err + "\n".join(w["folder"] + w["message"] for w in report["warnings"])
        for key in keys:
            with self.subTest(key=key):
                # Named itself, or by its folder, where many keys lie in one.
                self.assertTrue(key in told or os.path.dirname(key) + "'" in told, f"not named: {key}, in\n{done.err}")


class NoPlainFiles(Malformed):
    """Symlinks, folders and fifos where a file belongs. A sealed folder that cannot be read whole is a gap (C-15)."""

    def test_a_symlink_as_a_data_file(self):
        (self.bucket / FILE).rename(self.folder / "outside.parquet")
        (self.bucket / FILE).symlink_to(self.folder / "outside.parquet")
        self.check_gap(f"{self.named(FILE)}.*symlink")

    def test_a_symlink_beside_the_data_file(self):
        (self.bucket / FOLDER / "0001_part_00.parquet").symlink_to("/etc/passwd")
        done = self.ingest()
        self.assertRegex(done.err, f"{self.named(FOLDER)}/0001_part_00.parquet.*symlink")
        self.assertNotIn("root:", done.err + done.out)

    def test_each_symlink_is_named(self):
        others = ["v1/shop/link", "v2/shop/orders/etl_date=2025-03-13/etl_hour=09", "v2/shop/link"]
        for key in others:
            (self.bucket / key).symlink_to(self.shop.bucket / FOLDER, target_is_directory=True)
        done, _ = self.check_warning()
        for key in others:
            with self.subTest(key=key):
                self.assertIn(key, done.err)

    def test_a_symlink_as_a_folder(self):
        (self.bucket / FOLDER).rename(self.folder / "outside")
        (self.bucket / FOLDER).symlink_to(self.folder / "outside")
        self.check_warning(f"{self.named(FOLDER)}.*symlink", wanted=self.without_folder)

    def test_a_folder_as_a_data_file(self):
        """In a bucket such a key is another object, outside the layout (A-14): the folder holds no file."""
        (self.bucket / FILE).unlink()
        self.put(FILE + "/inner.parquet", (self.shop.bucket / FILE).read_bytes())
        self.check_warning(self.named(FILE), wanted=self.without_folder)

    def test_a_folder_as_the_seal(self):
        (self.bucket / FOLDER / "_SUCCESS").unlink()
        self.put(FOLDER + "/_SUCCESS/inner")
        self.check_warning(f"{self.named(FOLDER)}.*_SUCCESS", wanted=self.without_folder)

    def test_a_fifo_as_a_data_file(self):
        (self.bucket / FILE).unlink()
        os.mkfifo(self.bucket / FILE)
        self.check_gap(f"{self.named(FILE)}.*regular file")


class BrokenLake(Malformed):
    """One table of the lake cannot be read: it is named, the others go on."""

    def setUp(self):
        super().setUp()
        late = shop.hour_folders(self.bucket, NEXT)
        for number, folder in enumerate(late):
            folder.rename(self.folder / f"late{number}")
        self.assertEqual(self.ingest().code, 0)
        self.before = self.contents(self.lake)
        for number, folder in enumerate(late):
            (self.folder / f"late{number}").rename(folder)
        self.metadata = pathlib.Path(checks.newest_metadata(self.lake / "shop/orders"))

    def check_lake(self, *says):
        done = self.ingest()
        self.assertEqual(done.code, 1, done)
        for text in ("shop.orders", *says):
            self.assertRegex(done.err, text)
        others = {n: c for n, c in self.good.items() if n != "shop.orders"}
        self.assertEqual(self.contents(self.lake, leave_out=["shop.orders"]), others)
        for name, before in self.before.items():
            if name != "shop.orders":
                self.assertNotEqual(others[name], before, "there was something to do")
        return done

    def check_queries(self):
        """A query of other tables works; one of this table says that it is broken."""
        rows = self.tidegate.must("query", self.lake, "SELECT count(*) AS n FROM shop.clicks", "--json").json
        self.assertEqual(rows[0]["n"], self.good["shop.clicks"][0])
        done = self.tidegate("query", self.lake, "SELECT count(*) FROM shop.orders")
        self.assertEqual(done.code, 1, done)
        self.assertRegex(done.err, r"shop[./]orders")

    def check_status(self):
        """`status` reads metadata files, not what they name."""
        status = self.tidegate.must("status", self.bucket, self.lake, "--config", self.shop.config, "--json").json
        self.assertTrue({t["table"]: t.get("error") for t in status["tables"]}["shop.orders"])

    def test_metadata_that_is_no_json(self):
        self.metadata.write_text("{ not json")
        self.check_lake(re.escape(self.metadata.name))
        self.check_queries()
        self.check_status()

    def test_empty_metadata(self):
        self.metadata.write_text("")
        self.check_lake(re.escape(self.metadata.name))
        self.check_queries()
        self.check_status()

    def test_metadata_of_half_a_gigabyte(self):
        os.truncate(self.metadata, 1 << 29)
        done = self.check_lake(re.escape(self.metadata.name))
        self.assertLess(done.peak_rss_bytes, MEMORY_LIMIT)

    def test_a_manifest_list_of_noise(self):
        for path in self.metadata.parent.glob("snap-*.avro"):
            path.write_bytes(b"Obj\x01" + b"\xff" * 300)
        self.check_lake(r"snap-.*\.avro")
        self.check_queries()

    def test_a_manifest_that_is_gone(self):
        for path in self.metadata.parent.glob("*-m*.avro"):
            path.unlink()
        self.check_lake(r"-m\d+\.avro")
        self.check_queries()

    def test_a_data_file_that_is_gone(self):
        for path in (self.lake / "shop/orders/data").rglob("*.parquet"):
            path.unlink()
        self.check_lake(r"data/.*\.parquet")

    def test_a_hint_of_nonsense_is_looked_past(self):
        for text in ("", "nonsense", "-1", "999999999999999999999", "7"):
            (self.metadata.parent / "version-hint.text").write_text(text)
            with self.subTest(hint=text):
                self.assertEqual(self.ingest().code, 0)
                self.assertEqual(self.contents(self.lake), self.good)


class BrokenDestinations(Malformed):
    """`deliver`: what it finds in the bucket and in the source."""
    hour = NEXT + dt.timedelta(hours=1)

    def deliver(self, source=None):
        return self.tidegate("deliver", source or self.shop.source, self.bucket, "--config", self.shop.config, "--delivery", shop.hourly(self.hour))

    def test_a_state_of_noise_holds_up_its_table_alone(self):
        self.put("v2/shop/orders/_STATE", b"\x00\xff noise")
        done = self.deliver()
        self.assertEqual(done.code, 1, done)
        self.assertIn("v2/shop/orders/_STATE", done.out + done.err)
        sealed = {p.parts[-4] for p in self.bucket.glob("v2/shop/*/*/*hour=05/_SUCCESS")}
        self.assertEqual(sealed, {"clicks", "products", "stock"})

    def test_a_source_that_is_no_database(self):
        self.put("../no.duckdb", b"SELECT 1;\n" * 1000)
        done = self.deliver(self.folder / "no.duckdb")
        self.assertEqual(done.code, 1, done)
        self.assertIn("no.duckdb", done.err)

    def test_a_source_that_is_not_there(self):
        done = self.deliver(self.folder / "nowhere.duckdb")
        self.assertIn(done.code, (1, 2), done)
        self.assertIn("nowhere.duckdb", done.err)
        self.assertFalse((self.folder / "nowhere.duckdb").exists())

    def test_a_source_file_that_is_named_like_its_schema(self):
        """DuckDB then takes `shop.orders` for a name with a catalog; the program has to be clearer."""
        shutil.copy(self.shop.source, self.folder / "shop.duckdb")
        done = self.deliver(self.folder / "shop.duckdb")
        self.assertEqual(done.code, 0, done)


if __name__ == "__main__":
    program.main()
