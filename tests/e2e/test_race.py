#!/usr/bin/env python3
"""Many ingests of one lake at once: each commit has one winner, the others plan again or find nothing to do; no row is lost or doubled.

usage: test_race.py --tidegate BINARY [--ingests N] [--rounds N]
"""
import datetime as dt
import json
import tempfile

import program
import checks
import readers
import shop

INGESTS = int(program.option("--ingests", "8"))
ROUNDS = int(program.option("--rounds", "4"))


class ManyIngests(program.Case):
    """Keyed, append-only and full tables, and in each round more than one folder to apply."""

    def test_the_lake_is_that_of_one_ingest_after_another(self):
        store = shop.Shop(self.tidegate, self.folder / "shop")
        store.deliver_v1()
        db = checks.connect(program.EXTENSIONS)
        self.addCleanup(db.close)
        commits = {}
        for number in range(ROUNDS):
            for hour in (2 * number, 2 * number + 1):
                store.deliver_hour(shop.FIRST_HOUR + dt.timedelta(hours=hour))
            reports = self.ingest_at_once(store)
            for table in shop.KEYS:
                commits[table] = commits.get(table, 0) + sum(self.committed(report, table) for report in reports)
        alone = store.folder / "alone"
        self.tidegate.must("ingest", store.bucket, alone, "--config", store.config)
        for table in shop.KEYS:
            self.assertEqual(readers.by_duckdb(db, store.lake, table), readers.by_duckdb(db, alone, table), table)
            folders = [folder for commit in self.history(store.lake, table) for folder in commit["folders"]]
            self.assertEqual(len(folders), len(set(folders)), f"{table}: a folder was applied twice")
            self.assertEqual(len(self.history(store.lake, table)), commits[table], f"{table}: not each commit has one winner")

    def ingest_at_once(self, store):
        """Start them all, then wait for all; each must end well."""
        running = []
        for _ in range(INGESTS):
            out, err = tempfile.TemporaryFile(), tempfile.TemporaryFile()
            self.addCleanup(out.close)
            self.addCleanup(err.close)
            process = self.tidegate.start("ingest", store.bucket, store.lake, "--config", store.config, "--jobs", "2", "--json", out=out, err=err)
            running.append((process, out, err))
        reports = []
        for process, out, err in running:
            code = process.wait(timeout=120)
            for file in (out, err):
                file.seek(0)
            self.assertEqual(code, 0, err.read().decode())
            reports.append(json.loads(out.read()))
        return reports

    @staticmethod
    def committed(report, table):
        return sum(1 for t in report["tables"] if t["table"] == table and "snapshot_id" in t)

    def history(self, lake, table):
        return self.tidegate.must("history", lake, table, "--json").json


if __name__ == "__main__":
    program.main()
