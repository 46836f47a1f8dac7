"""`tidegate ddl` in catalogs that others read: a Hive Metastore and Glue, of a bucket in S3 (issue 6).

  test_ddl.py --tidegate BINARY [unittest options]
"""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import program
import servers
import shop


class Declared(program.Case):
    """`server` keeps the bucket, `catalog` is where it is declared."""

    def declare(self, server, catalog, scheme):
        s3 = servers.client(server)
        self.addCleanup(s3.close)
        s3.create_bucket(Bucket="vendor")
        local = shop.Shop(self.tidegate, self.folder / "shop", history_rows=60)
        local.deliver_v1()
        asked = program.Tidegate(self.binary, self.folder / "cwd", server.environment())

        def upload():
            for path in sorted(local.bucket.rglob("*")):
                if path.is_file():
                    s3.upload_file(str(path), "vendor", str(path.relative_to(local.bucket)))

        def sync():
            done = asked.must("ddl", "s3://vendor", "--sync", "--apply", "--catalog", catalog, "--database", "in", "--json")
            self.assertEqual(done.err, "")
            return {table["table"]: table for table in done.json["tables"]}

        def count(table):
            return asked.must("query", catalog, f'SELECT count(*) AS n FROM "in".{table}', "--json").json[0]["n"]

        upload()
        first = sync()
        self.assertTrue(all(table["created"] for table in first.values()))
        self.assertEqual(first["in.orders_v1"]["partitions_added"], 4)
        products = count("products")
        local.deliver_hour(shop.FIRST_HOUR, orders=5, clicks=5)
        upload()
        second = sync()
        self.assertEqual((second["in.orders_v2"]["partitions_added"], second["in.products"]["partitions_moved"]), (1, 1))
        self.assertEqual(count("products"), products - 1, "a product goes each hour: the newest copy is the one of that hour")
        again = sync()
        self.assertFalse(any(t["created"] or t["partitions_added"] or t["partitions_moved"] for t in again.values()), again)
        hive = asked.must("ddl", "s3://vendor", "--hive" if scheme == "s3a" else "--athena", "--sync", "--table", "shop.orders").out
        self.assertIn(f"LOCATION '{scheme}://vendor/v2/shop/orders/etl_date=2025-03-13/etl_hour=03/'", hive)


class OnCatalogs(Declared):
    def test_glue(self):
        with servers.Moto() as server:
            servers.client(server, "glue").create_database(DatabaseInput={"Name": "in"})
            self.declare(server, "glue://us-east-1", "s3")
            found = servers.client(server, "glue").get_partition(DatabaseName="in", TableName="orders_v2", PartitionValues=["2025-03-13", "03"])
            self.assertEqual(found["Partition"]["StorageDescriptor"]["Location"], "s3://vendor/v2/shop/orders/etl_date=2025-03-13/etl_hour=03")

    @unittest.skipUnless(servers.HiveMetastore.is_installed(), "the Hive Metastore is not installed: tools/deps.sh build servers brings it")
    def test_hive_metastore(self):
        metastore, store = servers.HiveMetastore(), servers.SeaweedFs()
        with servers.running([metastore, store]):
            metastore.create_database("in")
            self.declare(store, metastore.url, "s3a")


if __name__ == "__main__":
    program.main()
