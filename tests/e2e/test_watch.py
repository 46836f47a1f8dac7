#!/usr/bin/env python3
"""`tidegate ingest --watch`: it follows deliveries that come while it runs, reads its settings again, and stops cleanly.

usage: test_watch.py --tidegate BINARY
"""
import collections
import datetime as dt
import json
import queue
import shutil
import signal
import subprocess
import threading
import time

import program
import shop
import watch
import checks

HOUR = shop.FIRST_HOUR
# A time at which both a day of v1 and an hour of v2 are awaited: looks come each 200 ms, and no sweep comes by itself.
AWAITED = HOUR + dt.timedelta(hours=4, minutes=5)
LIMIT = 60  # seconds for anything to happen; most of it takes one


class Watching:
    """A running watch. Its lines are read as they come; it is killed at the end of the test whatever happens."""

    def __init__(self, case, *more, now=AWAITED):
        s = case.shop
        arguments = ["ingest", s.bucket, s.lake, "--config", s.config, "--watch", "--poll", "200ms", *more]
        self.process = case.tidegate.start(*arguments, "--now", shop.stamp(now), out=subprocess.PIPE, err=subprocess.PIPE, text=True)
        case.addCleanup(self.close)
        self.case, self.lines, self.said = case, queue.Queue(), collections.deque()
        self.ended = threading.Event()
        self.readers = [threading.Thread(target=self._read, args=(self.process.stdout, self.lines.put), daemon=True),
                        threading.Thread(target=self._read, args=(self.process.stderr, self.said.append), daemon=True)]
        for reader in self.readers:
            reader.start()

    @staticmethod
    def _read(stream, take):
        for line in stream:
            take(line.rstrip("\n"))

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for reader in self.readers:
            reader.join(LIMIT)
        self.process.stdout.close()
        self.process.stderr.close()

    def line(self):
        """The next line on stdout."""
        try:
            return self.lines.get(timeout=LIMIT)
        except queue.Empty:
            raise AssertionError(f"no line came within {LIMIT} s; it said: {list(self.said)}") from None

    def says(self, text):
        """Wait until a line on stderr holds this."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            if any(text in line for line in list(self.said)):
                return
            time.sleep(0.02)
        raise AssertionError(f"it never said {text!r}, but: {list(self.said)}")

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(LIMIT)


class Watch(program.Case):
    def setUp(self):
        super().setUp()
        self.shop = shop.Shop(self.tidegate, self.folder)
        self.db = checks.connect(program.EXTENSIONS)
        self.addCleanup(self.db.close)

    def hour(self, number):
        return HOUR + dt.timedelta(hours=number)

    def check_tables(self):
        s = self.shop
        for side in (checks.compare_with_source(self.db, s.lake, s.source, list(shop.KEYS)),
                     checks.compare_with_reference(self.db, s.bucket, s.lake, shop.KEYS)):
            self.assertEqual({name: wrong for name, (_, wrong) in side.items()}, dict.fromkeys(shop.KEYS, 0))

    def nothing_is_left_to_do(self):
        self.assertEqual(self.shop.ingest()["outcome"], "nothing_new")

    def test_each_delivery_has_a_line_and_the_tables_are_right(self):
        s = self.shop
        s.deliver_v1()
        watching = Watching(self)
        before = [watching.line().split(" ", 1) for _ in range(4)]
        self.assertEqual([text.split(":")[0] for _, text in before],
                         ["v1/__initial__", *(shop.daily(shop.INITIAL + dt.timedelta(days=d)) for d in range(3))])
        for number in range(3):
            s.deliver_hour(self.hour(number))
            at, text = watching.line().split(" ", 1)
            self.assertRegex(at, r"^2025-03-13T07:\d\d:\d\dZ$")
            self.assertRegex(text, rf"^{shop.hourly(self.hour(number))}: 4 tables, [\d,]+ rows$")
            self.check_tables()
        self.assertEqual(watching.stop(), 0)
        self.assertTrue(watching.lines.empty(), "one line a delivery")
        self.nothing_is_left_to_do()

    def test_json_is_an_object_a_line(self):
        s = self.shop
        s.deliver_v1()
        s.ingest()
        watching = Watching(self, "--json")
        watching.says("nothing new: 4 tables up to date (contract v1)")
        report = s.deliver(shop.hourly(HOUR))
        line = json.loads(watching.line())
        self.assertEqual(line["delivery"], shop.hourly(HOUR))
        self.assertEqual(sorted(t["table"] for t in line["tables"]), sorted(shop.KEYS))
        self.assertEqual({t["table"]: t["rows_in"] for t in line["tables"]}, {t["table"]: t["rows"] for t in report["tables"]})
        self.assertEqual((line["problems"], line["waiting"]), ([], []))
        self.assertEqual(watching.stop(signal.SIGINT), 0)

    def test_a_table_that_lands_late_is_noticed_by_its_manifest(self):  # C-33
        s = self.shop
        s.deliver_v1()
        s.happen(HOUR)
        s.deliver(shop.hourly(HOUR), "--exclude", "shop.stock")
        watching = Watching(self)
        while not watching.line().split(" ", 1)[1].startswith(shop.hourly(HOUR)):
            pass
        s.deliver(shop.hourly(HOUR))
        self.assertIn(f"{shop.hourly(HOUR)}: 1 table", watching.line())
        self.assertEqual(watching.stop(), 0)
        self.check_tables()

    def test_sigterm_in_the_middle_ends_with_0_and_a_rerun_is_right(self):
        s = self.shop
        s.deliver_v1()
        for number in range(6):
            s.deliver_hour(self.hour(number))
        for delay in (0.0, 0.001, 0.003, 0.006, 0.012, 0.025, 0.05):  # after the first write; a run takes about 40 ms
            shutil.rmtree(s.lake, ignore_errors=True)
            s.lake.mkdir()
            with watch.Watch(s.lake) as writes:
                watching = Watching(self, "--jobs", "1")
                writes.wait_for(watching.process)
                time.sleep(delay)
                self.assertEqual(watching.stop(), 0, list(watching.said))
            watching.close()
            self.assertEqual([line for line in watching.said if "error" in line], [])
            committed = len(list(s.lake.glob("*/*/metadata/v1.metadata.json")))
            print(f"  stopped {delay * 1000:.0f} ms after the first write: {committed} of 4 tables committed", flush=True)
            s.ingest()
            self.check_tables()
            self.nothing_is_left_to_do()

    def test_a_second_signal_ends_it_at_once(self):
        """While it is stopped by the first one, which it cannot answer: both are delivered when it goes on."""
        self.shop.deliver_v1()
        watching = Watching(self)
        watching.says("tables updated")
        watching.process.send_signal(signal.SIGSTOP)
        watching.process.send_signal(signal.SIGTERM)
        watching.process.send_signal(signal.SIGINT)
        watching.process.send_signal(signal.SIGCONT)
        self.assertIn(watching.process.wait(LIMIT), (-signal.SIGTERM, -signal.SIGINT))

    def test_sighup_takes_a_changed_catalog(self):
        s = self.shop
        full = s.config.read_text()
        s.deliver_v1()
        # Without its key the table would keep every version of a row: so this watch must not begin it.
        s.config.write_text(full.replace('key = ["id"]\n', 'key = ["no_such_column"]\n'))
        watching = Watching(self)
        watching.says("no_such_column")
        s.config.write_text(full)
        watching.process.send_signal(signal.SIGHUP)
        watching.says(f"settings read again: {s.config}")
        watching.says("1 of 4 tables updated")
        self.assertEqual(watching.stop(), 0)
        self.check_tables()

    def test_a_broken_file_at_sighup_keeps_the_old_settings(self):
        s = self.shop
        full = s.config.read_text()
        s.deliver_v1()
        watching = Watching(self)
        watching.says("4 of 4 tables updated")
        for broken, says in (("[[table]\n", "tidegate.toml:1"), ('[ingest]\npoll = "often"\n', "poll: a length of time"), (None, "cannot read")):
            if broken is None:
                s.config.unlink()
            else:
                s.config.write_text(broken)
            watching.process.send_signal(signal.SIGHUP)
            watching.says(says)
        self.assertIn("stay in force", watching.said[-1])
        s.config.write_text(full)
        s.deliver_hour(HOUR)
        while shop.hourly(HOUR) not in watching.line():
            pass
        self.assertEqual(watching.stop(), 0)
        self.check_tables()

    def test_what_cannot_begin_ends_at_once(self):
        s = self.shop
        s.bucket.mkdir()
        ingest = ["ingest", s.bucket, s.lake, "--config", s.config]
        for code, arguments, says in [
                (1, ["ingest", self.folder / "nowhere", s.lake, "--watch"], "nowhere"),
                (2, [*ingest, "--poll", "5s"], "--watch"), (2, [*ingest, "--watch", "--plan"], "--plan"),
                (2, [*ingest, "--watch", "--detailed-exitcode"], "--detailed-exitcode"),
                (2, [*ingest, "--watch", "--poll", "fast"], "--poll"), (2, [*ingest, "--watch", "--poll", "1h"], "15m"),
                (2, [*ingest, "--watch", "--daily-at", "7"], "--daily-at"), (2, [*ingest, "--watch", "--now", "noon"], "--now")]:
            with self.subTest([str(a) for a in arguments]):
                done = self.tidegate(*arguments, limit_seconds=LIMIT)
                self.assertEqual(done.code, code, done)
                self.assertIn(says, done.err)


if __name__ == "__main__":
    program.main()
