#!/usr/bin/env python3
"""Publish as a user runs it: partitions built aside and flipped, rolled back, cleaned up; on a disk and in S3 (C-50 … C-60).

usage: test_publish.py --tidegate BINARY [--swaps N] [--kills N] [--seed S]

Readers in a loop, through the catalog: each count must be that of one run, at every moment of N swaps, rollbacks and clean-ups.
SIGKILL at N moments between the first and the last write of a publish: readers see one of the two runs, the next publish ends the work,
and a clean-up leaves no orphan.
"""
import collections
import datetime as dt
import json
import os
import random
import re
import signal
import subprocess
import threading
import time

import duckdb

import program
import servers
import shop

SWAPS = int(program.option("--swaps", "12"))
KILLS = int(program.option("--kills", "10"))
SEED = int(program.option("--seed", str(time.time_ns() % 1_000_000_000)))
DAY = "day=2026-11-01"
SETTINGS = """
[hive_catalog]
url = "{catalog}"

[[publish]]
table = "sales.daily"
partition_by = ["day"]
location = "{location}"
source = "{folder}/source.duckdb"
select = "SELECT id, run, text FROM rows WHERE day = {{day}}"
max_file = "1MB"
min_age = "{min_age}"
{more}
"""


class Published(program.Case):
    """A source, settings, and questions about what readers see."""

    def setUp(self):
        super().setUp()
        self.config, self.catalog, self.location = self.folder / "tidegate.toml", self.folder / "hive.db", self.folder / "daily"
        self.settings()

    def settings(self, more="", min_age="24h", location=None):
        self.config.write_text(SETTINGS.format(folder=self.folder, catalog=self.catalog, location=location or self.location, more=more, min_age=min_age))

    def source(self, rows, run, day="2026-11-01"):
        """So many rows of a day; `run` is a mark in all of them."""
        with duckdb.connect(str(self.folder / "source.duckdb")) as db:
            db.execute("CREATE TABLE IF NOT EXISTS rows (day VARCHAR, id BIGINT, run BIGINT, text VARCHAR)")
            db.execute("DELETE FROM rows WHERE day = ?", [day])
            db.execute("INSERT INTO rows SELECT ?, i, ?, md5(i::VARCHAR) || md5((i + 1)::VARCHAR) FROM range(?) t(i)", [day, run, rows])

    def publish(self, *more, partition=DAY, of=None):
        return (of or self.tidegate)("publish", "sales.daily", partition, "--config", self.config, *more)

    def must(self, command, *more):
        return self.tidegate.must(command, "sales.daily", DAY, "--config", self.config, *more)

    def ask(self, sql, of=None):
        done = (of or self.tidegate)("query", self.catalog, sql, "--format", "csv")
        return [line.split(",") for line in done.out.split()[1:]] if done.code == 0 else done

    def count(self):
        return int(self.ask("SELECT count(*) FROM sales.daily")[0][0])

    def files(self):
        # os.walk passes over a folder that a clean-up takes away meanwhile.
        return {os.path.relpath(os.path.join(folder, name), self.location) for folder, _, names in os.walk(self.location) for name in names}


class Usage(Published):
    def test_the_story_of_the_document(self):
        self.source(100, 1)
        self.assertEqual(self.publish().code, 0)
        self.assertEqual(self.count(), 100)
        self.source(120, 2)
        self.assertIn("120 rows", self.publish().out)
        self.assertEqual(self.count(), 120)
        self.assertIn("points back to run", self.must("rollback").out)
        self.assertEqual(self.count(), 100)

    def test_the_same_content_is_not_built_again(self):
        self.source(100, 1)
        self.publish()
        before = self.files()
        done = self.publish("--detailed-exitcode", "--json")
        self.assertEqual((done.code, done.json["partitions"][0]["outcome"]), (3, "unchanged"))
        self.assertEqual(self.files(), before)

    def test_what_a_rollback_turned_away_waits_for_force(self):
        for number, rows in enumerate((100, 120)):
            self.source(rows, number)
            self.publish()
        self.must("rollback")
        done = self.publish("--detailed-exitcode")
        self.assertEqual(done.code, 4)
        self.assertIn("--force", done.out)
        self.assertEqual(self.publish("--force").code, 0)
        self.assertEqual(self.count(), 120)

    def test_a_failed_audit_says_what_and_where(self):
        self.source(100, 1)
        self.publish()
        self.settings("[publish.audit]\nmin_rows = 50")
        self.source(7, 2)
        done = self.publish()
        self.assertEqual(done.code, 1)
        self.assertIn("min_rows 50: 7 rows; readers stay where they are", done.err)
        self.assertEqual(self.count(), 100)
        self.assertIn("it failed an audit", self.must("runs").out)

    def test_a_plan_changes_nothing(self):
        self.source(100, 1)
        done = self.publish("--plan")
        self.assertIn("plan only: nothing was changed", done.out)
        self.assertEqual(self.files(), set())
        self.publish()
        before = self.files()
        self.source(110, 2)
        self.publish("--plan")
        self.must("clean", "--plan")
        self.assertEqual(self.files(), before)

    def test_old_runs_go_and_the_previous_one_stays(self):
        self.settings(min_age="0s")
        for number in range(4):
            self.source(100 + number, number)
            self.publish()
        self.must("clean")
        runs = self.tidegate.must("runs", "sales.daily", "--config", self.config, "--json").json["partitions"][0]["runs"]
        self.assertEqual([run["state"] for run in runs], ["kept for a rollback", "current"])
        self.must("rollback")
        self.assertEqual(self.count(), 102)

    def test_odd_partition_values(self):
        values = ["a b", "it's", "50%", "a/b", "12:30", "a=b", "Zürich", "NULL", 'say "x"', "[1]{2}", "a\\b"]
        for number, value in enumerate(values):
            self.source(number + 1, number, day=value)
        escaped = [re.sub(r"[\"#%'*/:=?\\{\[\]^]", lambda match: f"%{ord(match[0]):02X}", value) for value in values]
        done = self.tidegate.must("publish", "sales.daily", *(f"day={one}" for one in escaped), "--config", self.config)
        self.assertEqual(len(done.out.splitlines()), len(values))
        rows = self.tidegate.must("query", self.catalog, "SELECT day, count(*) AS n FROM sales.daily GROUP BY day", "--json").json
        self.assertEqual({row["day"]: row["n"] for row in rows}, {value: number + 1 for number, value in enumerate(values)})
        done = self.publish(partition="day=")
        self.assertEqual(done.code, 2)
        self.assertIn("could not tell them apart", done.err)

    def test_errors_say_what_to_do(self):
        self.source(1, 1)
        done = self.tidegate("publish", "sales.hourly", DAY, "--config", self.config)
        self.assertIn("they have sales.daily (docs/publish.md)", done.err)
        self.assertIn("write it as day=…", self.publish(partition="2026-11-01").err)
        self.assertIn("name the partitions, or give", self.tidegate("publish", "sales.daily", "--config", self.config).err)
        done = self.tidegate("rollback", "sales.daily", DAY, "--config", self.config)
        self.assertIn("there is no table", done.err)
        self.publish()
        done = self.tidegate("rollback", "sales.daily", DAY, "--config", self.config)
        self.assertIn("no complete run older than the current one", done.err)
        self.assertIn("`tidegate runs` shows", self.tidegate("rollback", "sales.daily", DAY, "--to", "x", "--config", self.config).err)
        self.settings("[publish.audit]\nno_rows = ['SELECT nope FROM build']")
        self.source(2, 2)
        self.assertIn("audit 'no_rows SELECT nope FROM build'", self.publish().err)

    def test_of_eight_publishers_one_wins(self):
        for publishers in (2, 8):
            for number in range(3):
                self.source(100 * publishers + number, number)
                started = [self.tidegate.start("publish", "sales.daily", DAY, "--config", self.config, "--detailed-exitcode") for _ in range(publishers)]
                codes = collections.Counter(one.wait(timeout=120) for one in started)
                self.assertEqual(codes[0], 1, codes)
                self.assertEqual(sum(codes[code] for code in (0, 3, 6)), publishers, codes)
                self.assertEqual(self.count(), 100 * publishers + number)

    def test_the_story_in_glue(self):
        """moto keeps Glue and the bucket."""
        with servers.Moto() as server:
            servers.client(server).create_bucket(Bucket="warehouse")
            servers.client(server, "glue").create_database(DatabaseInput={"Name": "sales"})
            tidegate = program.Tidegate(self.binary, self.folder / "cwd", server.environment())
            self.catalog = "glue://us-east-1"
            self.settings(location="s3://warehouse/daily")
            for number, rows in enumerate((100, 120)):
                self.source(rows, number)
                done = self.publish(of=tidegate)
                self.assertEqual(done.code, 0, done)
                self.assertEqual(self.ask("SELECT count(*) FROM sales.daily", of=tidegate), [[str(rows)]])
            self.assertIn("unchanged", self.publish(of=tidegate).out)
            tidegate.must("rollback", "sales.daily", DAY, "--config", self.config)
            self.assertEqual(self.ask("SELECT count(*) FROM sales.daily", of=tidegate), [["100"]])
            self.assertIn("kept", tidegate.must("runs", "sales.daily", "--config", self.config).out)
            partition = servers.client(server, "glue").get_partition(DatabaseName="sales", TableName="daily", PartitionValues=["2026-11-01"])["Partition"]
            self.assertIn("/run=", partition["StorageDescriptor"]["Location"])
            self.settings(location="s3://warehouse/daily")
            self.config.write_text(self.config.read_text().replace('"sales.daily"', '"nowhere.daily"'))
            done = tidegate("publish", "nowhere.daily", DAY, "--config", self.config)
            self.assertIn("there is no database 'nowhere'", done.err)

    def test_a_table_that_follows_a_lake(self):
        store = shop.Shop(self.tidegate, self.folder / "shop", history_rows=200)
        store.deliver_v1()
        self.config.write_text(f"""
[hive_catalog]
url = "{self.catalog}"
[[publish]]
table = "sales.daily"
partition_by = ["day"]
location = "{self.location}"
lake = "{store.lake}"
select = "SELECT id, total, paid FROM shop.orders WHERE CAST(placed_at AS DATE) = CAST({{day}} AS DATE)"
partitions = "SELECT CAST(placed_at AS DATE) FROM shop.orders"
""")
        outcomes = []
        for number in range(2):
            store.deliver_hour(shop.FIRST_HOUR + dt.timedelta(hours=number), orders=20)
            self.tidegate.must("ingest", store.bucket, store.lake, "--config", store.config)
            done = self.tidegate.must("publish", "sales.daily", "--config", self.config, "--json").json
            outcomes.append(collections.Counter(one["outcome"] for one in done["partitions"]))
            same = "SELECT count(*) AS n, sum(total) AS total, count(*) FILTER (paid) AS paid FROM "
            there = self.tidegate.must("query", self.catalog, same + "sales.daily", "--json").json
            self.assertEqual(there, self.tidegate.must("query", store.lake, same + "shop.orders", "--json").json)
        self.assertEqual(set(outcomes[0]), {"published"})
        self.assertIn("published", outcomes[1])
        self.assertLessEqual(set(outcomes[1]), {"published", "unchanged"})
        again = self.tidegate.must("publish", "sales.daily", "--config", self.config, "--json").json
        self.assertEqual({one["outcome"] for one in again["partitions"]}, {"unchanged"})

    def test_the_example(self):
        """examples/partition-swap tells its story."""
        environment = {**os.environ, "PATH": f"{self.binary.parent}:{os.environ['PATH']}", "DEMO_FOLDER": str(self.folder / "de mo")}
        done = subprocess.run([str(program.ROOT / "examples/partition-swap/demo.sh"), "story"], env=environment, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual([line for line in done.stdout.splitlines() if line.isdigit()], ["100", "120", "100"])
        self.assertFalse((self.folder / "de mo").exists())

    def test_in_a_bucket(self):
        with servers.SeaweedFs() as server:
            client = servers.client(server)
            client.create_bucket(Bucket="warehouse")
            tidegate = program.Tidegate(self.binary, self.folder / "cwd", server.environment())
            self.settings(location="s3://warehouse/a b/daily", min_age="0s")
            counts = []
            for number, rows in enumerate((100, 120, 130)):
                self.source(rows, number)
                done = self.publish(of=tidegate)
                self.assertEqual(done.code, 0, done)
                counts.append(int(self.ask("SELECT count(*) FROM sales.daily", of=tidegate)[0][0]))
            self.assertEqual(counts, [100, 120, 130])
            for command in ("rollback", "clean"):
                tidegate.must(command, "sales.daily", DAY, "--config", self.config)
            self.assertEqual(self.ask("SELECT count(*) FROM sales.daily", of=tidegate), [["120"]])
            self.assertEqual(self.publish(of=tidegate).out.count("turned this content away"), 1)
            self.stopped_by_ctrl_c(tidegate, client)
            self.assertEqual(self.publish("--force", of=tidegate).code, 0)  # at once: no lease is left
            self.assertEqual(self.ask("SELECT count(*) FROM sales.daily", of=tidegate), [["130"]])

    def stopped_by_ctrl_c(self, tidegate, client):
        usual = self.config.read_text()
        endless = "SELECT a.range AS id, b.range AS run, {day} AS text FROM range(1000000) a, range(1000000) b WHERE hash(a.range, b.range) = 0"
        self.config.write_text(usual.replace("SELECT id, run, text FROM rows WHERE day = {day}", endless))
        leases = lambda: [one["Key"] for one in client.list_objects_v2(Bucket="warehouse")["Contents"] if one["Key"].endswith("_tidegate_lease.json")]
        lease_of = lambda: json.loads(client.get_object(Bucket="warehouse", Key=leases()[0])["Body"].read())
        before = lease_of()["number"]
        with open(self.folder / "err", "wb") as err:
            process = tidegate.start("publish", "sales.daily", DAY, "--config", self.config, err=err)
            while lease_of()["number"] == before:
                self.assertIsNone(process.poll())
                time.sleep(0.02)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(timeout=60), 1)
        self.assertIn("day=2026-11-01: stopped on request; run the command again", (self.folder / "err").read_text())
        self.config.write_text(usual)


class Readers(Published):
    def test_every_count_is_that_of_one_run(self):
        """Builds of several files, swaps, rollbacks and clean-ups, and readers all the time."""
        self.settings(min_age="30s")  # longer than the longest query
        rows = lambda number: 90_000 + number  # noqa: E731
        self.source(rows(0), 0)
        self.assertGreaterEqual(self.publish("--json").json["partitions"][0]["files"], 4)
        seen, wrong, during, stop = collections.Counter(), [], collections.Counter(), threading.Event()
        phase = ["none"]

        def read():
            while not stop.is_set():
                began = phase[0]
                answer = self.ask("SELECT run, count(*) FROM sales.daily GROUP BY run")
                whole = isinstance(answer, list) and len(answer) == 1 and int(answer[0][1]) == rows(int(answer[0][0]))
                if not whole:
                    wrong.append(str(answer))
                    continue
                seen[int(answer[0][0])] += 1
                during[began] += 1
                during[phase[0]] += 1
        readers = [threading.Thread(target=read) for _ in range(2)]
        for reader in readers:
            reader.start()
        try:
            for number in range(1, SWAPS + 1):
                self.source(rows(number), number)
                phase[0] = "publish"
                self.assertEqual(self.publish().code, 0)
                if number % 3 == 0:
                    phase[0] = "rollback"
                    self.must("rollback")
                if number % 4 == 0:
                    phase[0] = "clean"
                    self.must("clean")
        finally:
            stop.set()
            for reader in readers:
                reader.join()
        print(f"  {SWAPS} swaps, {sum(seen.values())} reads of {len(seen)} runs, during {dict(during)}", flush=True)
        self.assertEqual(wrong, [])
        self.assertGreater(len(seen), SWAPS / 3)
        for one in ("publish", "rollback", "clean"):
            self.assertGreater(during[one], 0, one)


class Killed(Published):
    def writes_of(self, process):
        """Seconds from the first write of a publish to its last, as its files show."""
        first = last = None
        before = self.files()
        while process.poll() is None:
            if self.files() != before:
                first = first or time.monotonic()
                last = time.monotonic()
                before = self.files()
            time.sleep(0.002)
        return first, last

    def start(self):
        return self.tidegate.start("publish", "sales.daily", DAY, "--config", self.config, "--detailed-exitcode")

    def test_a_kill_leaves_readers_a_run_and_the_next_publish_ends_the_work(self):
        numbers = random.Random(SEED)
        print(f"  seed {SEED}", flush=True)
        self.settings(min_age="0s")
        rows = lambda number: 40_000 + number  # noqa: E731
        lengths = []
        for number in range(3):
            self.source(rows(number), number)
            first, last = self.writes_of(self.start())
            lengths.append(last - first)
        length, number, inside = min(lengths), 3, 0
        for kill in range(KILLS):
            self.source(rows(number), number)
            before = self.files()
            process = self.start()
            while self.files() == before and process.poll() is None:
                time.sleep(0.001)
            time.sleep(numbers.random() * length)
            inside += process.poll() is None
            process.send_signal(signal.SIGKILL)
            process.wait()
            answer = self.ask("SELECT run, count(*) FROM sales.daily GROUP BY run")
            self.assertIn(answer, ([[str(n), str(rows(n))]] for n in (number - 1, number)))
            self.expire_lease()
            self.assertIn(self.publish("--detailed-exitcode").code, (0, 3))
            self.assertEqual(self.count(), rows(number))
            number += 1
        for _ in range(2):  # the first one marks what was never seen unused
            self.must("clean")
        runs = self.must("runs", "--json").json["partitions"][0]["runs"]
        self.assertEqual([run["state"] for run in runs], ["kept for a rollback", "current"])
        folders = tuple(run["folder"] for run in runs)
        self.assertEqual([name for name in self.files() if not name.startswith(folders) and not name.endswith("_lease.json")], [])
        print(f"  {KILLS} kills, {inside} of them between the first and the last write", flush=True)
        self.assertGreaterEqual(inside, 0.8 * KILLS)

    def expire_lease(self):
        """Two minutes pass."""
        path = self.location / DAY / "_tidegate_lease.json"
        lease = json.loads(path.read_text())
        lease["until"] = "2020-01-01T00:00:00Z"
        temporary = path.with_name("_lease")
        temporary.write_text(json.dumps(lease))
        os.replace(temporary, path)


if __name__ == "__main__":
    program.main()
