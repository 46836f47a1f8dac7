"""Cold storage through the real program: what is frozen waits and everything else goes on; a restore is asked for, waited for, and what it
brings is taken. On moto (a restore is done at once) and on ministack (it stays pending).

  test_cold.py --tidegate BINARY [unittest options]
"""
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import pyarrow
import pyarrow.parquet

import servers
from fault_proxy import FaultProxy, Rule

TIDEGATE = None
BUCKET = "vendor"
CATALOG = """\
[[table]]
name = "shop.orders"
mode = "parts"
key = ["id"]

[[table]]
name = "shop.customers"
mode = "full"
"""


def parquet(rows):
    out = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table({"id": [row[0] for row in rows], "value": [row[1] for row in rows]}), out)
    return out.getvalue()


def hour(number):
    return f"deliveries/v2/shop/orders/etl_date=2026-11-03/etl_hour={number:02d}"


def copy(number):
    return f"deliveries/v2/shop/customers/snapshot_date=2026-11-03/snapshot_hour={number:02d}"


class Cold:
    """What both servers are asked; the classes below name them."""
    kind = None

    @classmethod
    def setUpClass(cls):
        if not cls.kind.is_installed():
            raise unittest.SkipTest(f"{cls.kind.name} is not installed: tools/deps.sh build servers brings it")
        cls.server = cls.enterClassContext(cls.kind())
        cls.s3 = servers.client(cls.server)

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="tidegate-cold-")))
        self.lake, self.config = self.folder / "lake", self.folder / "tidegate.toml"
        self.config.write_text(CATALOG)
        self.endpoint = self.server.endpoint
        self.s3.create_bucket(Bucket=BUCKET)
        self.addCleanup(self.remove_bucket)
        self.put("deliveries/v2/_manifests/snapshot_date=2026-11-03/snapshot_hour=03/manifest.json", b"{}")

    def remove_bucket(self):
        for page in self.s3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET):
            for found in page.get("Contents", []):
                self.s3.delete_object(Bucket=BUCKET, Key=found["Key"])
        self.s3.delete_bucket(Bucket=BUCKET)

    def put(self, key, body, storage_class="STANDARD"):
        self.s3.put_object(Bucket=BUCKET, Key=key, Body=body, StorageClass=storage_class)

    def deliver(self, folder, rows, storage_class="STANDARD"):
        self.put(folder + "/0000_part_00.parquet", parquet(rows), storage_class)
        self.put(folder + "/_SUCCESS", b"")

    def run_it(self, *arguments, code=0):
        environment = {**os.environ, **self.server.environment(), "AWS_ENDPOINT_URL": self.endpoint}
        done = subprocess.run([TIDEGATE, *map(str, arguments)], env=environment, capture_output=True, text=True, cwd=self.folder, timeout=120)
        self.assertEqual(done.returncode, code, f"{arguments}\n{done.stdout}\n{done.stderr}")
        return done

    def of(self, command, *more, code=0):
        """The report of `ingest`, `status` or `restore` over bucket and lake."""
        done = self.run_it(command, f"s3://{BUCKET}/deliveries", self.lake, "--config", self.config, "--json", *more, code=code)
        return json.loads(done.stdout)

    def rows(self, table="orders"):
        done = self.run_it("query", self.lake, f"SELECT id, value FROM shop.{table} ORDER BY id", "--json")
        return [(row["id"], row["value"]) for row in json.loads(done.stdout)]

    def state(self, table="shop.orders"):
        return next(found["state"] for found in self.of("status")["tables"] if found["table"] == table)

    def test_a_first_build_waits_and_nothing_fails(self):
        self.deliver(hour(3), [(1, "a"), (2, "a")])
        self.deliver(hour(4), [(1, "b")], "GLACIER")
        self.deliver(copy(4), [(7, "c")])
        report = self.of("ingest", "--detailed-exitcode", code=4)
        self.assertEqual(report["problems"], [])
        [cold] = report["cold"]
        self.assertEqual((cold["table"], cold["waits"], cold["reason"], cold["objects"], cold["of_folders"]),
                         ("shop.orders", "first_build", "frozen", 1, 2))
        self.assertEqual(self.rows("customers"), [(7, "c")])
        self.assertFalse((self.lake / "shop" / "orders").exists())
        self.assertEqual(self.state(), "frozen")
        self.assertIn("frozen", self.run_it("status", f"s3://{BUCKET}/deliveries", self.lake, "--config", self.config).stdout)

    def test_an_existing_table_takes_what_it_can_read(self):
        self.deliver(hour(3), [(1, "a"), (2, "a")])
        self.of("ingest")
        self.deliver(hour(4), [(1, "b"), (3, "b")], "GLACIER")
        self.deliver(hour(5), [(1, "c")])
        [cold] = self.of("ingest")["cold"]
        self.assertEqual([folder["folder"] for folder in cold["folders"]], [hour(4).removeprefix("deliveries/")])
        self.assertEqual(self.rows(), [(1, "c"), (2, "a")])

    def test_glacier_instant_retrieval_is_read_at_once(self):
        self.deliver(hour(3), [(1, "a")], "GLACIER_IR")
        report = self.of("ingest")
        self.assertEqual(report["cold"], [])
        self.assertEqual(self.rows(), [(1, "a")])
        self.assertEqual(self.of("restore")["objects"], 0)

    def test_a_plan_asks_for_nothing(self):
        self.deliver(hour(3), [(1, "a")], "GLACIER")
        self.deliver(hour(4), [(1, "b")], "DEEP_ARCHIVE")
        plan = self.of("restore", "--tier", "standard", "--days", 3)
        self.assertEqual((plan["objects"], plan["tier"], plan["days"], plan["usually_takes"]), (2, "Standard", 3, "up to 12 hours"))
        self.assertGreater(plan["cost_usd"]["total"], 0)
        text = self.run_it("restore", f"s3://{BUCKET}/deliveries", "--plan").stdout
        self.assertIn("shop.orders: 2 objects", text)
        self.assertIn("plan only", text)
        self.assertEqual(self.of("restore")["objects"], 2)

    def test_a_denial_prints_what_to_send_to_the_owner(self):
        self.deliver(hour(3), [(1, "it's")], "GLACIER")
        with FaultProxy(self.server.endpoint) as proxy:
            self.endpoint = proxy.endpoint
            proxy.plan([Rule("answer", operation="RESTORE", code="AccessDenied")])
            file = self.folder / "ask.csv"
            done = self.run_it("restore", f"s3://{BUCKET}/deliveries", "--yes", "--request-file", file, code=1)
        self.assertIn("s3:RestoreObject on arn:aws:s3:::vendor/deliveries/*", done.stderr)
        self.assertIn(f"aws s3api restore-object --bucket 'vendor' --key '{hour(3)}/0000_part_00.parquet'", done.stderr)
        self.assertEqual(file.read_text(), f"vendor,{hour(3)}/0000_part_00.parquet\n".replace("=", "%3D"))

    def test_one_that_fails_does_not_hold_up_the_others(self):
        for number in (3, 4, 5):
            self.deliver(hour(number), [(1, "a")], "GLACIER")
        with FaultProxy(self.server.endpoint) as proxy:
            self.endpoint = proxy.endpoint
            proxy.plan([Rule("answer", operation="RESTORE", key="etl_hour=04", code="AccessDenied")])
            report = self.of("restore", "--yes", code=1)
        self.assertEqual(report["restore"]["asked"], 2)
        self.assertEqual([failure["key"] for failure in report["restore"]["failed"]],
                         [hour(4).removeprefix("deliveries/") + "/0000_part_00.parquet"])
        self.assertFalse(report["restore"]["denied"])


class Moto(Cold, unittest.TestCase):
    kind = servers.Moto

    def test_what_was_restored_is_taken(self):
        self.deliver(hour(3), [(1, "a"), (2, "a")], "GLACIER")
        self.deliver(hour(4), [(1, "b")], "GLACIER")
        self.deliver(copy(3), [(7, "old")])
        self.deliver(copy(4), [(7, "new")], "GLACIER")
        self.assertEqual(len(self.of("ingest")["cold"]), 2)
        self.assertEqual(self.rows("customers"), [(7, "old")])
        report = self.of("restore", "--yes", "--wait", "1m")
        self.assertEqual((report["objects"], report["restore"]["asked"], report["wait"]["end"]), (3, 3, "readable"))
        self.assertEqual(self.of("restore", "--yes")["objects"], 0)  # asking again asks for nothing
        self.assertEqual(self.state(), "to ingest")
        self.assertEqual(self.of("ingest")["cold"], [])
        self.assertEqual(self.rows(), [(1, "b"), (2, "a")])
        self.assertEqual(self.rows("customers"), [(7, "new")])
        self.assertEqual(self.state(), "current")


class Ministack(Cold, unittest.TestCase):
    kind = servers.Ministack

    def test_what_is_being_restored_is_told_and_waited_for(self):
        self.deliver(hour(3), [(1, "a")], "GLACIER")
        self.deliver(hour(4), [(1, "b")], "GLACIER")
        report = self.of("restore", "--yes", "--wait", "1s", code=1)
        self.assertEqual((report["restore"]["asked"], report["wait"]["end"]), (2, "timed_out"))
        again = self.of("restore", "--yes")
        self.assertEqual((again["objects"], again["thawing"], again["restore"]["asked"]), (0, 2, 0))
        [cold] = self.of("ingest", "--detailed-exitcode", code=4)["cold"]
        self.assertEqual((cold["reason"], cold["objects"]), ("thawing", 2))
        self.assertEqual(self.state(), "thawing")


if __name__ == "__main__":
    if "--tidegate" in sys.argv:
        at = sys.argv.index("--tidegate")
        TIDEGATE = str(pathlib.Path(sys.argv[at + 1]).resolve())
        del sys.argv[at:at + 2]
    unittest.main(verbosity=2)
