#!/usr/bin/env python3
"""SIGKILL at random moments loses nothing, shows nobody half a table, and the next run ends in the same tables (issue 3, point 5).

usage: test_kill.py --tidegate BINARY [--kills N] [--seed S]

Each kill waits for the first write of its run, then for a random part of the time that an unkilled run takes from its first to
its last write. So the kills spread evenly over the writes; where each one fell is told from what was on the disk. Every third
kill of a delivery is aimed at its last part, where folders are sealed, as that part is short.
"""
import dataclasses
import hashlib
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import statistics
import subprocess
import tempfile
import time

import duckdb

import program
import checks
import readers
import tree
import watch

SEED = int(program.option("--seed", str(time.time_ns() % 1_000_000_000)))
KILLS = int(program.option("--kills", "20"))
CALIBRATION_RUNS = 3
INSIDE_AT_LEAST = 0.8

FULL, KEYED, GROWING = 10, 12, 4
NAMES = {"full": [f"crowd.full{i:02d}" for i in range(FULL)], "keyed": [f"crowd.keyed{i:02d}" for i in range(KEYED)],
         "growing": [f"crowd.growing{i:02d}" for i in range(GROWING)]}
ENTRY = {"full": 'mode = "full"', "keyed": 'mode = "parts"\nkey = ["id"]\nchanged_at = "changed_at"',
         "growing": 'mode = "parts"\nappend_only = true\nchanged_at = "changed_at"'}
HOURS = ["v2/2025-03-03/03", "v2/2025-03-03/04", "v2/2025-03-03/05"]


def hour_start(delivery):
    _, date, hour = delivery.split("/")
    return f"{date}T{hour}:00:00Z"


class Crowd:
    """Many small tables, so that a run has many writes; made once for both tests."""

    def __init__(self, tidegate, folder):
        self.tidegate, self.folder = tidegate, pathlib.Path(folder)
        self.source, self.config = self.folder / "source.duckdb", self.folder / "tidegate.toml"
        self.bucket, self.lake = self.folder / "bucket", self.folder / "lake"
        self.config.write_text("".join(f'[[table]]\nname = "{name}"\n{ENTRY[kind]}\n\n' for kind, names in NAMES.items() for name in names))
        with duckdb.connect(str(self.source)) as db:
            db.execute("SET TimeZone = 'UTC'; CREATE SCHEMA crowd")
            for number, name in enumerate(name for names in NAMES.values() for name in names):
                db.execute(f"""CREATE TABLE {name} AS SELECT i AS id, md5((i + {number})::VARCHAR) AS text, 0 AS version,
                               '2025-03-01T00:00:00Z'::TIMESTAMPTZ + to_minutes(i) AS changed_at FROM range(150 + {number}) t(i)""")

    def happen(self, until):
        """The last hour before `until`: every fifth row changes, where rows change at all, and some are new."""
        with duckdb.connect(str(self.source)) as db:
            db.execute("SET TimeZone = 'UTC'")
            for kind, names in NAMES.items():
                for name in names:
                    if kind != "growing":
                        db.execute(f"""UPDATE {name} SET version = version + 1, text = md5(text),
                                       changed_at = '{until}'::TIMESTAMPTZ - INTERVAL 10 MINUTE WHERE hash(id, '{until}') % 5 = 0""")
                    db.execute(f"""INSERT INTO {name} SELECT (SELECT max(id) FROM {name}) + i, md5(i || '{until}'), 0,
                                   '{until}'::TIMESTAMPTZ - to_minutes(i) FROM range(1, 30) t(i)""")

    def deliver_arguments(self, delivery, *more):
        return ["deliver", self.source, self.bucket, "--config", self.config, "--delivery", delivery, *more]

    def ingest_arguments(self, *more):
        return ["ingest", self.bucket, self.lake, "--config", self.config, *more]

    def deliver_history(self):
        self.tidegate.must(*self.deliver_arguments("v1/__initial__", "--at", "2025-03-01T07:00:00Z"))
        self.tidegate.must(*self.deliver_arguments("v1/2025-03-02"))


@dataclasses.dataclass
class Timeline:
    """Seconds from the start of a run."""
    first: float    # write
    trigger: float  # first write of a file of the name that kills may wait for
    last: float     # write
    end: float


@dataclasses.dataclass
class Kill:
    seed: int
    place: str       # before, inside, after: of the run's writes
    moment: float    # as a part of an unkilled run's duration
    writing: float   # seconds from the trigger to the last write that was done
    progress: int    # tables that were done at death


class Killing(program.Case):
    """How both tests go. Theirs are `arguments`, `restore`, `whole`, `tables_done`, `check_at_death` and `check_at_end`."""
    root = None  # the tree that the run writes into
    trigger = None  # name of a file; every third kill waits for it

    def setUp(self):
        super().setUp()
        self.crowd = Crowd(self.tidegate, self.folder)
        self.db = checks.connect(program.EXTENSIONS)
        self.addCleanup(self.db.close)

    def timeline(self):
        """Run to the end. The times of change of the files tell when each was written, hard links too."""
        self.restore()
        before = {path: os.lstat(path).st_ctime_ns for path in self.paths()}
        start = time.time_ns()
        self.tidegate.must(*self.arguments())
        end = time.time_ns()
        now = {path: os.lstat(path).st_ctime_ns for path in self.paths()}
        written = {path: changed for path, changed in now.items() if changed != before.get(path)}
        first = min(written.values())
        trigger = min((c for path, c in written.items() if os.path.basename(path) == self.trigger), default=first)
        return Timeline(*((t - start) / 1e9 for t in (first, trigger, max(written.values()), end)))

    def paths(self):
        return [path for folder, _, files in os.walk(self.root) for path in [folder, *(os.path.join(folder, f) for f in files)]]

    def kill_once(self, seed, trigger, length, usual):
        """Start a run and kill it at a random moment after the trigger; where that fell is read from the disk."""
        delay = random.Random(seed).random() * length
        self.restore()
        before = tree.snapshot(self.root)
        with watch.Watch(self.root) as writes:
            start = time.monotonic()
            process = self.tidegate.start(*self.arguments())
            writes.wait_for(process, trigger)
            triggered = time.time()
            try:
                process.wait(delay)
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
            moment = time.monotonic() - start
            code = process.wait()
        self.assertIn(code, (0, -signal.SIGKILL))
        if tree.snapshot(self.root) == before:
            place = "before"
        else:
            place = "after" if code == 0 or self.whole() else "inside"
        writing = max(os.lstat(path).st_ctime for path in self.paths()) - triggered
        return Kill(seed, place, moment / usual.end, writing, self.tables_done())

    def run_kills(self):
        usual = [self.timeline() for _ in range(CALIBRATION_RUNS)]
        median = Timeline(*(statistics.median(getattr(t, f.name) for t in usual) for f in dataclasses.fields(Timeline)))
        print(f"  an unkilled run: first write after {median.first:.3f} s, last {median.last:.3f} s, end {median.end:.3f} s; "
              f"{KILLS} kills, seeds from {SEED}", flush=True)
        kills, lengths = [], {None: min(t.last - t.first for t in usual), self.trigger: min(t.last - t.trigger for t in usual)}
        for number, seed in enumerate(range(SEED, SEED + KILLS)):
            trigger = self.trigger if number % 3 == 2 else None
            kill = self.kill_once(seed, trigger, lengths[trigger], median)
            kills.append(kill)
            # The machine may be busier or idler than it was: follow it.
            lengths[trigger] = 0.9 * min(lengths[trigger], kill.writing) if kill.place == "after" else lengths[trigger] * 1.02
            with self.subTest(seed=seed, kill=kill):
                self.check_at_death()
                self.tidegate.must(*self.arguments())
                self.check_at_end()
        self.show(kills)
        inside = sum(kill.place == "inside" for kill in kills)
        self.assertGreaterEqual(inside, INSIDE_AT_LEAST * len(kills), "kills between the first and the last write")

    @staticmethod
    def show(kills):
        buckets = [0] * 10
        for kill in kills:
            buckets[min(9, int(kill.moment * 10))] += 1
        print("  kills by their moment, as a part of an unkilled run's duration:")
        for number, count in enumerate(buckets):
            print(f"    {number * 10:3d} %{'–' if number < 9 else ' '}{f'{number * 10 + 10:3d} %' if number < 9 else 'on   '}  {count:3d} {'#' * count}".rstrip())
        places = ", ".join(f"{sum(k.place == place for k in kills)} {place}" for place in ("before", "inside", "after"))
        print(f"  {places} (of the time from the first to the last write)")
        print(f"  tables that were done at death: {sorted(k.progress for k in kills)}", flush=True)


class KilledIngest(Killing):
    """A lake that is behind: tables of a few days ago, some not there at all; a run brings all of them to the last hour."""

    def setUp(self):
        super().setUp()
        crowd, self.root, self.columns = self.crowd, self.crowd.lake, {}
        crowd.deliver_history()
        self.tidegate.must(*crowd.ingest_arguments("--exclude", "crowd.*3"))
        self.base = self.folder / "base"
        shutil.copytree(crowd.lake, self.base)
        for hour in HOURS:
            crowd.happen(hour_start(hour))
            self.tidegate.must(*crowd.deliver_arguments(hour))
        self.old = self.contents()
        self.assertEqual(len(self.old), sum(map(len, NAMES.values())) - 3)
        self.tidegate.must(*crowd.ingest_arguments())
        self.new, self.pointers_at_end = self.contents(), self.pointers()
        self.assertEqual(len(self.new), sum(map(len, NAMES.values())))
        for name in self.new:
            self.assertNotEqual(self.new[name], self.old.get(name), "each table has something to lose")
        self.check_against_reference()

    def check_against_reference(self):
        keys = {name: {"full": None, "keyed": ["id"], "growing": []}[kind] for kind, names in NAMES.items() for name in names}
        for name, (_, wrong) in checks.compare_with_reference(self.db, self.crowd.bucket, self.crowd.lake, keys).items():
            self.assertEqual(wrong, 0, name)

    def arguments(self):
        return self.crowd.ingest_arguments()

    def restore(self):
        shutil.rmtree(self.crowd.lake)
        shutil.copytree(self.base, self.crowd.lake)  # metadata holds absolute paths: the same place

    def contents(self):
        """{table: (rows, checksum)} of the tables that exist."""
        return {name: self.content(name, checks.lake_scan(self.crowd.lake, name)) for name in self.existing()}

    def content(self, name, relation):
        if name not in self.columns:  # they stay: to ask each time would take half the time of the test
            self.columns[name] = readers.columns_of(self.db, relation)
        return self.db.execute(checks.checksum_sql(relation, self.columns[name])).fetchone()

    def existing(self):
        return sorted({f"{p.parts[-4]}.{p.parts[-3]}" for p in self.crowd.lake.glob("*/*/metadata/v*.metadata.json")})

    def pointers(self):
        """What a reader follows: each table's newest metadata, its hint, and the catalog."""
        out = {}
        for name in self.existing():
            folder = pathlib.Path(self.crowd.lake, *name.split("."))
            hint = folder / "metadata/version-hint.text"
            out[name] = (pathlib.Path(checks.newest_metadata(folder)).name, hint.read_text() if hint.exists() else None)
        if (self.crowd.lake / "catalog.db").exists():
            out["catalog.db"] = self.catalog()
        return out

    def catalog(self):
        """What catalog.db says, read from a copy: a reader may have to roll a journal back, which writes."""
        copy = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        try:
            for file in self.crowd.lake.glob("catalog.db*"):
                shutil.copy(file, copy)
            db = sqlite3.connect(copy / "catalog.db")
            try:
                return sorted(db.execute("SELECT table_name, metadata_location FROM iceberg_tables").fetchall())
            except sqlite3.OperationalError as error:  # killed before its first transaction
                return str(error)
            finally:
                db.close()
        finally:
            shutil.rmtree(copy)

    def whole(self):
        return self.pointers() == self.pointers_at_end

    def tables_done(self):
        at_death = self.pointers()
        return sum(at_death.get(name, [None])[0] == self.pointers_at_end[name][0] for name in self.new)

    def check_at_death(self):
        found = self.contents()
        self.assertLessEqual(self.old.keys(), found.keys(), "no table is lost")
        for name, content in found.items():
            self.assertIn(content, (self.old.get(name), self.new[name]), f"{name} is neither the old table nor the new one")
        # A reader that is led by the hint sees one of the two as well.
        for name in random.Random(SEED).sample(sorted(found), 4):
            folder = self.crowd.lake.joinpath(*name.split("."))
            if (folder / "metadata/version-hint.text").exists():
                self.assertIn(self.content(name, f"iceberg_scan('{folder}')"), (self.old.get(name), self.new[name]), name)

    def check_at_end(self):
        self.assertEqual(self.contents(), self.new)
        found = self.pointers()
        wrong = {name: (found.get(name), wanted) for name, wanted in self.pointers_at_end.items() if found.get(name) != wanted}
        self.assertEqual(wrong, {}, "(newest metadata, version-hint.text), found and wanted: readers that a hint leads see an older table")

    def test_a_killed_ingest_leaves_whole_tables_and_is_finished_by_the_next(self):
        self.run_kills()


class KilledDeliver(Killing):
    """An hour of many tables."""
    trigger = "_STATE"  # the first of these files comes after all data files, and before the first seal

    def setUp(self):
        super().setUp()
        crowd, self.root = self.crowd, self.crowd.bucket
        crowd.deliver_history()
        self.hour = HOURS[0]
        crowd.happen(hour_start(self.hour))
        self.v1 = tree.snapshot(crowd.bucket / "v1")
        self.tidegate.must(*self.arguments())
        self.reference = self.folder / "reference"
        shutil.copytree(crowd.bucket / "v2", self.reference / "v2")
        self.paths_at_end = self.relative_paths(crowd.bucket)
        self.assertEqual(len(self.sealed()), sum(map(len, NAMES.values())))

    def arguments(self):
        return self.crowd.deliver_arguments(self.hour)

    def restore(self):
        shutil.rmtree(self.crowd.bucket / "v2", ignore_errors=True)
        shutil.rmtree(self.crowd.bucket / ".tidegate-tmp", ignore_errors=True)
        for names in NAMES.values():  # empty folders are no objects; they can be watched
            for name in names:
                self.crowd.bucket.joinpath("v2", *name.split(".")).mkdir(parents=True)

    @staticmethod
    def relative_paths(root):
        return {str(p.relative_to(root)) for p in (root / "v2").rglob("*") if p.is_file()}

    def sealed(self):
        """Sealed folders of v2, relative to the bucket."""
        return sorted(str(p.parent.relative_to(self.crowd.bucket)) for p in self.crowd.bucket.glob("v2/*/*/**/_SUCCESS"))

    def whole(self):
        return self.relative_paths(self.crowd.bucket) == self.paths_at_end

    def tables_done(self):
        return len(self.sealed())

    def content(self, folder):
        """The names of a folder's files, and its rows as a checksum."""
        names = sorted(p.name for p in folder.iterdir() if not p.name.startswith("_"))
        relation = f"read_parquet({[str(folder / name) for name in names]}, hive_partitioning = false)"
        return names, readers.checksum(self.db, relation)

    def check_folder(self, relative):
        mine, wanted = self.crowd.bucket / relative, self.reference / relative
        digests = [{p.name: hashlib.sha256(p.read_bytes()).digest() for p in folder.iterdir()} for folder in (mine, wanted)]
        if digests[0] != digests[1]:
            self.assertEqual(self.content(mine), self.content(wanted), relative)

    def manifests(self, root):
        return {str(p.relative_to(root)): p.read_bytes() for p in (root / "v2").glob("_manifests/**/*") if p.is_file()}

    def check_at_death(self):
        self.assertEqual(tree.snapshot(self.crowd.bucket / "v1"), self.v1, "v1 is as it was")
        for folder in self.sealed():
            self.check_folder(folder)
        manifests = self.manifests(self.crowd.bucket)
        if manifests:
            self.assertEqual(manifests, self.manifests(self.reference), "a manifest is whole")
            self.assertEqual(len(self.sealed()), sum(map(len, NAMES.values())), "the manifest comes after every seal")

    def check_at_end(self):
        self.assertEqual(self.relative_paths(self.crowd.bucket), self.paths_at_end)
        self.check_at_death()
        for path in self.paths_at_end:
            if path.endswith("/_STATE"):
                states = [json.loads((root / path).read_text()) for root in (self.crowd.bucket, self.reference)]
                self.assertEqual(*states, path)

    def test_a_killed_delivery_leaves_no_torn_folder_and_is_finished_by_the_next(self):
        self.run_kills()


if __name__ == "__main__":
    program.main()
