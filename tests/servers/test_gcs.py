"""Deliveries in a bucket of Google Cloud Storage, through the real program, on an emulator: read into a lake in a folder and into one in S3,
the same tables as out of a folder. Nothing is written there, and what cannot be done says what to do instead.

  test_gcs.py --tidegate BINARY [unittest options]
"""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import program
import checks
import gcs_bucket
import readers
import servers
import shop

HOUR = shop.FIRST_HOUR
FOLDER = "v2/shop/orders/etl_date=2025-03-13/etl_hour=03"


class Gcs(program.Case):
    @classmethod
    def setUpClass(cls):
        if not servers.FakeGcs.is_installed():
            raise unittest.SkipTest(f"{servers.FakeGcs.name} is not installed: tools/deps.sh build servers brings it")
        cls.server, cls.s3_server = servers.FakeGcs(), servers.SeaweedFs()
        cls.enterClassContext(servers.running([cls.server, cls.s3_server]))
        cls.s3 = servers.client(cls.s3_server)
        cls.addClassCleanup(cls.s3.close)
        cls.s3.create_bucket(Bucket="lakes")
        cls.bucket = gcs_bucket.Bucket(cls.server.endpoint, "deliveries")
        cls.bucket.create()

    def setUp(self):
        super().setUp()
        self.tidegate = program.Tidegate(self.binary, self.folder / "cwd", {**self.s3_server.environment(), **self.server.environment()})
        self.shop = shop.Shop(self.tidegate, self.folder / "shop")
        self.prefix = f"{self.id().rpartition('.')[2]}/from=shop"
        self.url = f"gs://deliveries/{self.prefix}"
        self.db = checks.connect(program.EXTENSIONS, self.s3_server)
        self.addCleanup(self.db.close)

    def upload(self):
        self.bucket.upload(self.shop.bucket, self.prefix)

    def of(self, command, *arguments, **options):
        return self.tidegate.must(command, *arguments, "--config", self.shop.config, "--json", **options).json

    def refused(self, *arguments, code=1):
        done = self.tidegate(*arguments)
        self.assertEqual(done.code, code, done)
        return done.err

    def check_lakes(self, lakes):
        """All of them are the source, and the same as a lake out of the folder that was uploaded."""
        wanted = self.folder / "wanted"
        self.of("ingest", self.shop.bucket, wanted)
        names = readers.tables_of(wanted)
        self.assertEqual(names, sorted(shop.KEYS))
        for lake in lakes:
            found = checks.compare_with_source(self.db, lake, self.shop.source, names)
            self.assertEqual({name: wrong for name, (_, wrong) in found.items() if wrong}, {}, lake)
            for name in names:
                self.assertEqual(readers.by_duckdb(self.db, lake, name), readers.by_duckdb(self.db, wanted, name), (lake, name))


class Deliveries(Gcs):
    def test_they_become_the_same_tables_in_a_folder_and_in_s3(self):
        lakes = [self.folder / "lake", f"s3://lakes/{self.prefix}"]
        self.shop.deliver_v1()
        self.shop.deliver_hour(HOUR)
        self.upload()
        for lake in lakes:
            report = self.of("ingest", self.url, lake)
            self.assertEqual((report["outcome"], report["problems"]), ("done", []))
        self.check_lakes(lakes)
        self.shop.deliver_hour(HOUR.replace(hour=4))
        self.upload()
        for lake in lakes:
            self.of("ingest", self.url, lake)
        self.check_lakes(lakes)
        for lake in lakes:
            again = self.tidegate("ingest", self.url, lake, "--config", self.shop.config, "--json", "--detailed-exitcode")
            self.assertEqual((again.code, again.json["outcome"], again.json["bucket_data_bytes_read"]), (3, "nothing_new", 0), again)
            self.assertEqual({table["state"] for table in self.of("status", self.url, lake)["tables"]}, {"current"})

    def test_ready_and_init_read_them(self):
        self.shop.deliver_hour(HOUR)
        self.upload()
        self.assertEqual(self.tidegate.must("ready", self.url, "shop.orders", "2025-03-13", "03").out.strip(), FOLDER)
        self.assertEqual(self.tidegate("ready", self.url, "shop.orders", "2025-03-13", "04").code, 1)
        self.assertEqual({table["state"] for table in self.of("status", self.url)["tables"]}, {"current"})
        self.assertIn('name = "shop.orders"', self.tidegate.must("init", self.url).out)
        self.assertIn("nothing lies in cold storage", self.tidegate.must("restore", self.url, "--config", self.shop.config).out)

    def test_a_file_that_was_replaced_is_noticed(self):
        lake = self.folder / "lake"
        self.shop.deliver_v1()
        self.shop.deliver_hour(HOUR)
        self.upload()
        self.of("ingest", self.url, lake)
        rows = readers.by_duckdb(self.db, lake, "shop.orders")
        [file] = (self.shop.bucket / FOLDER).glob("*.parquet")
        self.bucket.put(f"{self.prefix}/{FOLDER}/{file.name}", file.read_bytes())
        done = self.tidegate("ingest", self.url, lake, "--config", self.shop.config, "--json")
        self.assertEqual([(p["reason"], p["folder"]) for p in done.json["problems"]], [("changed", FOLDER)], done)
        self.assertEqual(readers.by_duckdb(self.db, lake, "shop.orders"), rows)

    def test_a_section_of_the_settings_names_the_server_of_one_bucket(self):
        self.shop.deliver_hour(HOUR)
        self.upload()
        del self.tidegate.environment["CLOUD_STORAGE_EMULATOR_ENDPOINT"]
        with self.shop.config.open("a") as file:
            file.write(f'\n[[store]]\nurl = "gs://deliveries"\nendpoint_url = "{self.server.endpoint}"\n')
        self.assertEqual(self.of("ingest", self.url, f"s3://lakes/{self.prefix}")["outcome"], "done")

    def test_requests_are_counted(self):
        self.shop.deliver_hour(HOUR)
        self.upload()
        report = self.of("ingest", self.url, self.folder / "lake")
        kinds = report["bucket_requests_by_kind"]
        self.assertEqual(sum(kinds.values()), report["bucket_requests"])
        self.assertGreater(min(kinds["list"], kinds["read"]), 0)
        self.assertLessEqual(set(kinds), {"list", "head", "read"})


class Limits(Gcs):
    def test_a_bucket_that_is_not_there_is_an_error(self):
        for command in (("ingest", "gs://elsewhere", "lake"), ("status", "gs://elsewhere"), ("init", "gs://elsewhere")):
            self.assertIn("'gs://elsewhere': there is no such bucket: check its name", self.refused(*command))
        self.assertIn("there is no such bucket", self.refused("ready", "gs://elsewhere", "shop.orders", code=5))

    def test_no_lake_is_kept_there_and_nothing_delivered(self):
        self.shop.deliver_hour(HOUR)
        lake = self.url + "/lake"
        for command in (("ingest", self.shop.bucket, lake), ("ingest", self.shop.bucket, lake, "--plan"), ("query", lake, "SELECT 1"),
                        ("status", self.shop.bucket, lake), ("expire", lake), ("history", lake), ("rejects", lake),
                        ("deliver", self.shop.source, self.url, "--delivery", shop.hourly(HOUR)),
                        ("deliver", self.shop.source, self.url, "--plan", "--delivery", shop.hourly(HOUR))):
            message = self.refused(*command, "--config", self.shop.config)
            self.assertIn("deliveries in gs:// are read, nothing is written there. Keep the lake in a folder or in S3", message, command)

    def test_doctor_says_what_works(self):
        self.bucket.put(f"{self.prefix}/a", b"x")
        checks_made = self.tidegate.must("doctor", self.url, "--write", "--json").json["checks"]
        self.assertEqual([(c["check"], c["state"]) for c in checks_made], [("list", "ok"), ("read", "ok"), ("write", "not done")])
        self.assertIn("nothing is written there", checks_made[2]["found"])
        self.assertIn("there is no such bucket", self.tidegate("doctor", "gs://elsewhere").out)

    def test_two_servers_for_one_bucket_are_refused(self):
        message = self.refused("status", self.url, "--endpoint-url", "http://127.0.0.1:9", code=2)
        self.assertIn("CLOUD_STORAGE_EMULATOR_ENDPOINT", message)

    def test_a_broken_key_file_is_told_without_its_content(self):
        del self.tidegate.environment["CLOUD_STORAGE_EMULATOR_ENDPOINT"]
        file = self.folder / "key.json"
        file.write_text('{"type": "service_account", "private_key": "VERYSECRET"}')
        self.tidegate.environment["GOOGLE_APPLICATION_CREDENTIALS"] = str(file)
        message = self.refused("status", self.url)
        self.assertIn("name a key file in GOOGLE_APPLICATION_CREDENTIALS", message)
        self.assertNotIn("VERYSECRET", message)


if __name__ == "__main__":
    program.main()
