#!/usr/bin/env python3
"""Many ingests of one lake in a bucket at once: as in test_race.py, each commit has one winner, and no row is lost or doubled.

usage: test_s3_race.py --tidegate BINARY [--ingests N] [--rounds N]
"""
import collections
import datetime as dt
import json
import tempfile

import program
import on_server
import readers
import servers
import shop

INGESTS = int(program.option("--ingests", "8"))
ROUNDS = int(program.option("--rounds", "2"))


class ManyIngests:
    """Keyed, append-only and full tables; the first round begins the lake, and in each more than one folder is to be applied."""

    def test_the_lake_is_that_of_one_ingest_after_another(self):
        store = shop.Shop(self.tidegate, self.folder / "shop")
        store.bucket, store.lake = "s3://deliveries/race", "s3://lakes/race"
        store.deliver_v1()
        db, commits = self.connect(), collections.Counter()
        for number in range(ROUNDS):
            for hour in (2 * number, 2 * number + 1):
                store.deliver_hour(shop.FIRST_HOUR + dt.timedelta(hours=hour))
            for report in self.ingest_at_once(store):
                commits.update(table["table"] for table in report["tables"] if table.get("snapshot_id"))
        alone = "s3://lakes/alone"
        self.tidegate.must("ingest", store.bucket, alone, "--config", store.config)
        for table in shop.KEYS:
            self.assertEqual(readers.by_duckdb(db, store.lake, table), readers.by_duckdb(db, alone, table), table)
            history = self.tidegate.must("history", store.lake, table, "--json").json
            folders = [folder for commit in history for folder in commit["folders"]]
            self.assertEqual(len(folders), len(set(folders)), f"{table}: a folder was applied twice")
            self.assertEqual(commits[table], len(history), f"{table}: each commit is told by one run")
        self.assertEqual(store.ingest()["outcome"], "nothing_new")
        self.assertGreater(self.lost(), 0, "nothing was contended for")
        print(f"  {self.kind.name}: {INGESTS} at once, {ROUNDS} rounds: {dict(commits)} commits, {self.lost()} lost to another", flush=True)

    def lost(self):
        """Commits that another was quicker to make."""
        return sum(entry["status"] in (409, 412) and entry["key"].endswith(".metadata.json") for entry in self.proxy.log())

    def ingest_at_once(self, store):
        with tempfile.TemporaryDirectory() as outputs:
            runs = []
            for number in range(INGESTS):
                out, err = (open(f"{outputs}/{number}.{kind}", "w+b") for kind in ("out", "err"))
                runs.append((self.tidegate.start("ingest", store.bucket, store.lake, "--config", store.config, "--json", out=out, err=err), out, err))
            return [self.report(*run) for run in runs]

    def report(self, process, out, err):
        with out, err:
            code = process.wait(timeout=120)
            out.seek(0)
            err.seek(0)
            self.assertEqual(code, 0, err.read().decode())
            return json.loads(out.read())


class OnSeaweedFs(ManyIngests, on_server.Case):
    pass


class OnVersitygw(ManyIngests, on_server.Case):
    kind = servers.Versitygw


if __name__ == "__main__":
    program.main()
