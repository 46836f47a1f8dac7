#!/usr/bin/env python3
"""Buckets and lakes in S3: the same tables as in folders, for every reader; copies by the server; errors that say what to do.

usage: test_s3.py --tidegate BINARY
"""
import concurrent.futures
import datetime as dt
import itertools

import program
import checks
import on_server
import readers
import shop

HOUR = shop.FIRST_HOUR


class S3(on_server.Case):
    def hour(self, number):
        return HOUR + dt.timedelta(hours=number)

    def new_shop(self, name, **options):
        """A shop whose bucket and lake are in S3."""
        store = shop.Shop(self.tidegate, self.folder / name, **options)
        store.bucket, store.lake = f"s3://deliveries/{name}/from=shop", f"s3://lakes/team=a/{name}"
        return store

    def ingest(self, store, bucket, lake, *more):
        return self.tidegate.must("ingest", bucket, lake, "--config", store.config, "--json", *more).json


class Pairs:
    """One source delivered into a folder and into a bucket, and from each a lake in a folder and one in a bucket."""

    def __init__(self, case, store):
        self.case, self.store, self.db = case, store, case.connect()
        self.folder = store.folder / "bucket"
        self.buckets = {"folder": self.folder, "s3": store.bucket}
        self.lakes = {pair: store.folder / f"lake-of-{pair[0]}" if pair[1] == "folder" else f"{store.lake}/of={pair[0]}"
                      for pair in itertools.product(("folder", "s3"), repeat=2)}
        self.mirror = store.folder / "mirror"  # of the bucket in S3

    def deliver(self, delivery, *more):
        store = self.store
        for bucket in self.buckets.values():
            store.tidegate.must("deliver", store.source, bucket, "--config", store.config, "--delivery", delivery, *more)

    def deliver_hour(self, when):
        self.store.happen(when)
        self.deliver(shop.hourly(when))

    def hide(self, when):
        """Takes an hour out of both buckets; what is returned brings it back."""
        place, marks = self.case.place(self.store.bucket), (f"_date={when.date()}/", f"_hour={when.hour:02d}/")
        keys = [key for key in place.keys() if all(mark in key for mark in marks)]
        objects = {key: place.get(key) for key in keys}
        place.delete(keys)
        files = {self.folder / key: (self.folder / key).read_bytes() for key in keys}
        for file in files:
            file.unlink()

        def bring_back():
            for key, data in objects.items():
                place.put(key, data)
            for file, data in files.items():
                file.write_bytes(data)
        self.case.assertEqual(len([key for key in keys if key.endswith("_SUCCESS")]), 4)
        return bring_back

    def check(self, step, equals_source=True):
        """Ingests all, and lets every reader count and sum each table of each lake."""
        case, store = self.case, self.store
        for (source, target), lake in self.lakes.items():
            case.ingest(store, self.buckets[source], lake)
        names = readers.tables_of(self.lakes["folder", "folder"])
        ours, in_s3 = (readers.by_tidegate(store.tidegate, self.db, self.lakes[place, place], names) for place in ("folder", "s3"))
        case.assertEqual(ours, in_s3, step)
        for pair, lake in self.lakes.items():
            with case.subTest(step=step, pair=pair):
                self.check_readers(lake, names, ours)
        case.place(store.bucket).download(self.mirror)
        lake = self.lakes["s3", "s3"]
        self.check_against("the reference logic", checks.compare_with_reference(
            self.db, self.mirror, lake, {name: shop.KEYS[name] for name in names}))
        if equals_source:
            self.check_against("the source", checks.compare_with_source(self.db, lake, store.source, names))
        print(f"  {step}: " + ", ".join(f"{name} {rows}" for name, (rows, _) in ours.items()), flush=True)
        return names

    def check_readers(self, lake, names, ours):
        server = self.case.server if str(lake).startswith("s3:") else None
        for name in names:
            self.case.assertEqual(readers.by_duckdb(self.db, lake, name), ours[name], name)
            self.case.assertEqual(readers.by_duckdb_folder(self.db, lake, name), ours[name], name)
            self.case.assertEqual(readers.by_pyiceberg(self.db, lake, name, server), ours[name], name)
            self.check_hint(lake, name)

    def check_hint(self, lake, name):
        newest = checks.newest_metadata(readers.folder_of(lake, name), self.db)
        hint = self.db.execute(f"SELECT content FROM read_text('{readers.folder_of(lake, name)}/metadata/version-hint.text')").fetchone()[0]
        self.case.assertEqual(hint.strip(), newest.rpartition("/v")[2].split(".")[0], name)

    def check_against(self, what, found):
        self.case.assertEqual({name: wrong for name, (_, wrong) in found.items() if wrong}, {}, what)


class EveryPair(S3):
    def test_each_delivery_of_a_history_makes_the_same_tables_everywhere(self):
        store = self.new_shop("pairs")
        pairs = Pairs(self, store)
        pairs.deliver("v1/__initial__", "--at", shop.stamp(shop.INITIAL))
        self.assertEqual(pairs.check("v1 __initial__"), sorted(shop.PARTS))
        pairs.deliver(shop.daily(shop.INITIAL))
        store.happen(shop.INITIAL + dt.timedelta(days=1))
        pairs.deliver(shop.daily(store.now))
        self.assertEqual(pairs.check("v1, two days"), sorted(shop.KEYS))
        pairs.deliver_hour(self.hour(0))
        pairs.check("the switch, v2 03")
        store.alter("ALTER TABLE shop.orders ADD COLUMN coupon VARCHAR; ALTER TABLE shop.orders ALTER quantity TYPE BIGINT")
        store.happen(self.hour(1))
        store.alter(f"UPDATE shop.orders SET coupon = 'c' || id, quantity = 5000000000 + id WHERE changed_at >= '{shop.stamp(self.hour(0))}'")
        pairs.deliver(shop.hourly(self.hour(1)))
        pairs.check("v2 04, a new column and a wider type")
        pairs.deliver_hour(self.hour(2))
        pairs.deliver_hour(self.hour(3))
        bring_back = pairs.hide(self.hour(2))
        pairs.check("v2 06, while 05 is late", equals_source=False)
        bring_back()
        pairs.check("v2 05, late")


class Server(S3):
    def test_the_server_copies_and_data_does_not_come_to_us(self):
        """Footers and keys are read, at most 256 KiB at a time. The bodies of files that are taken over as they are stay there."""
        store = self.new_shop("copies", history_rows=1)
        store.alter("INSERT INTO shop.clicks SELECT '2025-03-05T00:00:00Z'::TIMESTAMPTZ + to_milliseconds(i), '/p/' || i, "
                    "(md5(i::VARCHAR) || md5(i::VARCHAR || 'x'))::BLOB, i FROM range(60000) t(i)")
        store.deliver_v1()
        place = self.place(store.bucket)
        sizes = {key: o["Size"] for key, o in place.objects().items() if key.endswith(".parquet")}
        big = max(sizes, key=sizes.get)
        self.assertGreater(sizes[big], 2_000_000)
        self.proxy.forget()
        report = store.ingest()
        asked = [entry for entry in self.proxy.log() if entry["path"].startswith("/deliveries/") and entry["key"].endswith(".parquet")]
        self.assertLessEqual({entry["operation"] for entry in asked}, {"GET RANGE"})
        self.assertLessEqual(sum(entry["sent"] for entry in asked if entry["key"].endswith(big)), 256 << 10)
        counts = self.proxy.counts()["operations"]
        adopted = sum(table["files"] for table in report["tables"])
        self.assertEqual(counts["COPY"]["requests"], adopted)
        self.assertNotIn("PART", counts)
        self.assertLess(counts["PUT"]["received"], 200_000, "metadata alone is sent")
        self.assertGreater(report["lake_bytes_adopted"], 2_000_000)
        self.proxy.forget()
        self.assertEqual(store.ingest()["outcome"], "nothing_new")
        self.assertEqual([e for e in self.proxy.log() if e["method"] in ("PUT", "POST", "DELETE") or e["key"].endswith(".parquet")], [])

    def test_every_command_knows_buckets(self):
        store = self.new_shop("commands")
        initial = self.tidegate("ready", store.bucket, "shop.orders")
        self.assertEqual((initial.code, initial.out), (1, ""))
        store.deliver_v1()
        store.ingest()
        for number in range(3):
            store.deliver_hour(self.hour(number))
            store.ingest()
        db = self.connect()
        self.check_ready_and_init(store)
        self.check_status_and_history(store)
        now = {name: readers.by_duckdb(db, store.lake, name) for name in shop.KEYS}
        self.check_rollback(store, db, now)
        self.check_expire(store, db, now)

    def check_ready_and_init(self, store):
        done = self.tidegate.must("ready", store.bucket, "shop.orders", "2025-03-13", "03")
        self.assertEqual(done.out.strip(), "v2/shop/orders/etl_date=2025-03-13/etl_hour=03")
        self.assertEqual(self.tidegate("ready", store.bucket, "shop.orders", "2025-03-13", "09").code, 1)
        written = self.tidegate.must("init", store.bucket).out
        for name in shop.KEYS:
            self.assertIn(f'name = "{name}"', written)

    def check_status_and_history(self, store):
        status = self.tidegate.must("status", store.bucket, store.lake, "--config", store.config, "--json").json
        self.assertEqual(sorted(t["table"] for t in status["tables"]), sorted(shop.KEYS))
        self.assertEqual({t["state"] for t in status["tables"]}, {"current"})
        commits = self.tidegate.must("history", store.lake, "shop.orders", "--json").json
        self.assertEqual(len(commits), 4)
        self.assertEqual(self.tidegate.must("rejects", store.lake, "--json").json, [])

    def check_rollback(self, store, db, now):
        before = {row["table_name"]: row["n"] for row in self.query_counts(store, "--at", "2025-03-13T04")}
        self.tidegate.must("lake", "rollback", store.lake, "--to", "2025-03-13T04", "--hold", "--reason", "a test")
        self.assertEqual({row["table_name"]: row["n"] for row in self.query_counts(store)}, before)
        self.assertEqual({name: readers.by_duckdb_folder(db, store.lake, name)[0] for name in shop.KEYS}, before)
        self.assertNotEqual(before, {name: rows for name, (rows, _) in now.items()})
        self.tidegate.must("lake", "release", store.lake)
        store.ingest()
        self.assertEqual({name: readers.by_duckdb_folder(db, store.lake, name) for name in shop.KEYS}, now)

    def query_counts(self, store, *more):
        sql = " UNION ALL ".join(f"SELECT '{name}' AS table_name, count(*) AS n FROM {name}" for name in shop.KEYS)
        return self.tidegate.must("query", store.lake, sql, "--format", "json", *more).json

    def check_expire(self, store, db, now):
        before = self.place(store.lake).keys()
        self.tidegate.must("expire", store.lake, "--older-than", "0s", "--keep-last", "1", "--plan")
        self.assertEqual(self.place(store.lake).keys(), before, "a plan changes nothing")
        self.tidegate.must("expire", store.lake, "--older-than", "0s", "--keep-last", "1")
        after = self.place(store.lake).keys()
        self.assertLess(len([k for k in after if k.endswith(".parquet")]), len([k for k in before if k.endswith(".parquet")]))
        for name in shop.KEYS:
            self.assertEqual(readers.by_duckdb(db, store.lake, name), now[name], name)
            self.assertEqual(readers.by_duckdb_folder(db, store.lake, name), now[name], name)
            self.assertEqual(readers.by_pyiceberg(db, store.lake, name, self.server), now[name], name)
        self.assertEqual(store.ingest()["outcome"], "nothing_new")

    def test_an_error_names_the_bucket_the_cause_and_the_next_step_and_no_key(self):
        store = self.new_shop("errors", history_rows=20)
        store.deliver_initial()
        ingest = lambda bucket, lake: ["ingest", bucket, lake, "--config", store.config]  # noqa: E731
        lake = store.folder / "lake"
        nowhere = self.ask_nobody(ingest(store.bucket, store.folder / "other-lake"))
        wrong = "wrong" + self.server.secret_key[5:]
        unknown = "AK" + self.server.access_key[2:][::-1]
        refused = on_server.fault_proxy.Rule("answer", key="v1/", code="AccessDenied")
        for title, arguments, environment, says in [
                ("no such bucket", ingest("s3://no-such-bucket/x", lake), {}, ["s3://no-such-bucket", "no such bucket", "check its name"]),
                ("a lake in no bucket", ingest(store.bucket, "s3://no-such-bucket/lake"), {}, ["s3://no-such-bucket", "no such bucket", "check its name"]),
                ("no such bucket to deliver into", ["deliver", store.source, "s3://no-such-bucket", "--config", store.config, "--delivery",
                                                    "v1/__initial__", "--at", shop.stamp(shop.INITIAL)], {}, ["s3://no-such-bucket", "no such bucket"]),
                ("a query of no bucket", ["query", "s3://no-such-bucket/lake", "SELECT 1"], {}, ["s3://no-such-bucket", "no such bucket"]),
                ("status of no bucket", ["status", "s3://no-such-bucket/x"], {}, ["s3://no-such-bucket", "no such bucket"]),
                ("a wrong secret", ingest(store.bucket, lake), {"AWS_SECRET_ACCESS_KEY": wrong}, ["s3://deliveries", "secret key does not belong"]),
                ("an unknown key", ingest(store.bucket, lake), {"AWS_ACCESS_KEY_ID": unknown}, ["s3://deliveries", "does not know this access key", "check"]),
                ("half a pair of keys", ingest(store.bucket, lake), {"AWS_SECRET_ACCESS_KEY": ""}, ["AWS_SECRET_ACCESS_KEY"]),
                ("no identity", ingest(store.bucket, lake), {"AWS_SECRET_ACCESS_KEY": "", "AWS_ACCESS_KEY_ID": ""}, ["no identity", "profile"]),
                ("no bucket in the URL", ingest("s3://", lake), {}, ["s3://"]),
                ("refused", ingest(store.bucket, lake), {}, ["s3://deliveries", "may not", "docs/permissions.md"])]:
            with self.subTest(title), self.faults(*([refused] if title == "refused" else [])):
                self.tidegate.environment = {**self.environment, **environment}
                self.fails(self.tidegate(*arguments, limit_seconds=60), title, says, wrong)
        self.tidegate.environment = self.environment
        self.shows_no_secret(self.tidegate.must(*ingest(store.bucket, lake), "-v"))
        self.fails(nowhere.result(), "no server", ["s3://deliveries", "127.0.0.1", "attempts"])

    def fails(self, done, title, says, *secrets):
        self.assertIn(done.code, (1, 2), done)
        for text in says:
            self.assertIn(text, done.err)
        self.shows_no_secret(done, *secrets)
        print(f"  {title}: {done.err.strip()}", flush=True)

    def ask_nobody(self, arguments):
        """A run at a port where nothing listens. It asks again for a while, so it goes on beside the others."""
        environment = {**self.environment, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{on_server.servers.free_ports(1)[0]}"}
        run = program.Tidegate(self.binary, self.folder / "nowhere", environment)
        pool = concurrent.futures.ThreadPoolExecutor(1)
        self.addCleanup(pool.shutdown)
        return pool.submit(run, *arguments, limit_seconds=180)


if __name__ == "__main__":
    program.main()
