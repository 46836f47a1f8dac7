#!/usr/bin/env python3
"""The command line: exit codes, help for wrong usage, --plan, --json, and `ready` as a scheduler asks it.

usage: test_usage.py --tidegate BINARY
"""
import datetime as dt
import json
import shutil

import program
import shop
import tree

HOUR = shop.FIRST_HOUR
DONE, FAILED, USAGE, NOTHING_NEW, WAITS = range(5)


class CommandLine(program.Case):
    def setUp(self):
        super().setUp()
        self.shop = shop.Shop(self.tidegate, self.folder)
        self.bucket, self.lake, self.config = self.shop.bucket, self.shop.lake, self.shop.config

    def ends(self, code, *arguments):
        done = self.tidegate(*arguments)
        self.assertEqual(done.code, code, done)
        return done

    def test_wrong_usage_exits_2_and_says_what_is_right(self):
        s = self.shop
        typo = self.folder / "typo.toml"
        typo.write_text('[[table]]\nname = "shop.orders"\nmode = "part"\n')
        field = self.folder / "field.toml"
        field.write_text('[[table]]\nname = "shop.orders"\nmode = "parts"\nkeys = ["id"]\n')
        deliver = ["deliver", s.source, self.bucket, "--config", self.config]
        for arguments, says in [
                ([], "subcommand"), (["ingst"], "ingst"), (["ingest"], "SRC"), (["ingest", self.bucket], "LAKE"),
                (["ingest", self.bucket, self.lake, "--tabel", "x"], "--tabel"), (["ingest", self.bucket, self.lake, "--jobs", "0"], "--jobs"),
                ([*deliver, "--delivery", "v2/2025-03-13/3"], "v2/2025-03-13/3"), ([*deliver, "--delivery", "2025-03-13"], "v1/YYYY-MM-DD"),
                ([*deliver, "--delivery", "v2/2999-01-01/03"], "not come yet"), ([*deliver, "--delivery", "v1/__initial__"], "--at"),
                ([*deliver, "--delivery", "v2/2025-03-13/03", "--at", "yesterday"], "yesterday"),
                ([*deliver, "--delivery", "v2/2025-03-13/03", "--reseed", "shop.nothing"], "shop.nothing"),
                ([*deliver, "--slices", "1000"], "--slices"), (["query", self.lake], "SQL"), (["query", self.lake, "SELECT 1", "--format", "xml"], "xml"),
                (["ingest", self.bucket, self.lake, "--config", typo], r"typo.toml:3"), (["ingest", self.bucket, self.lake, "--config", field], "keys"),
                (["ingest", self.bucket, self.lake, "--now", "noon"], "noon")]:
            with self.subTest(arguments=[str(a) for a in arguments]):
                done = self.ends(USAGE, *arguments)
                self.assertIn(says, done.err)
        self.assertFalse(self.bucket.exists(), "no folder was made for a run that could not begin")
        self.assertFalse(self.lake.exists())

    def test_what_is_not_there_fails_by_name(self):
        for arguments in (["ingest", self.folder / "nowhere", self.lake], ["status", self.folder / "nowhere"], ["init", self.folder / "nowhere"],
                          ["query", self.folder / "nowhere", "SELECT 1"], ["history", self.folder / "nowhere"],
                          ["ingest", self.folder, self.lake, "--config", self.folder / "nowhere"]):
            with self.subTest(arguments=[str(a) for a in arguments]):
                self.assertIn("nowhere", self.ends(FAILED, *arguments).err)
        self.assertFalse((self.folder / "nowhere").exists())
        self.assertIn("ftp://", self.ends(FAILED, "ingest", "ftp://host/bucket", self.lake).err)

    def test_help_has_examples_and_exits_0(self):
        for command in ("deliver", "ingest", "query", "status", "ready", "history", "init", "expire", "lake"):
            with self.subTest(command):
                self.assertRegex(self.ends(DONE, command, "--help").out, f"Examples?:\n  tidegate {command} ")
        self.assertRegex(self.ends(DONE, "--version").out, r"^tidegate \d+\.\d+\.\d+\n$")

    def test_plan_changes_nothing(self):
        s = self.shop
        s.deliver_v1()
        s.happen(HOUR)
        before = tree.snapshot(self.folder)
        plan = ["deliver", s.source, self.bucket, "--config", self.config, "--delivery", shop.hourly(HOUR), "--plan"]
        self.assertIn("nothing was changed", self.ends(DONE, *plan).out)
        self.assertEqual(len(self.ends(DONE, *plan, "--json").json["tables"]), 4)
        self.assertEqual(tree.snapshot(self.folder), before)

        s.ingest("--table", "shop.orders")
        s.deliver(shop.hourly(HOUR))
        before = tree.snapshot(self.folder)
        plan = ["ingest", self.bucket, self.lake, "--config", self.config, "--plan"]
        self.assertIn("nothing was changed", self.ends(DONE, *plan).out)
        planned = {t["table"]: (t["action"], len(t["folders"])) for t in self.ends(DONE, *plan, "--json").json["tables"]}
        self.assertEqual(tree.snapshot(self.folder), before)
        done = {t["table"]: (t["action"], len(t["folders"])) for t in s.ingest()["tables"]}
        self.assertEqual({n: p for n, p in planned.items() if n != "shop.products"}, {n: d for n, d in done.items() if n != "shop.products"})
        self.assertEqual(planned["shop.products"][0], done["shop.products"][0])

    def test_plan_before_the_first_run(self):
        """What a newcomer types first: the bucket, or the lake, is not there yet."""
        done = self.ends(DONE, "deliver", self.shop.source, self.bucket, "--config", self.config, "--delivery", shop.daily(shop.INITIAL), "--plan")
        for name in shop.KEYS:
            self.assertIn(name.replace(".", "/"), done.out)
        self.assertFalse(self.bucket.exists())
        self.shop.deliver_v1()
        done = self.ends(DONE, "ingest", self.bucket, self.lake, "--config", self.config, "--plan")
        for name in shop.KEYS:
            self.assertIn(name, done.out)
        self.assertFalse(self.lake.exists())

    def test_json_of_every_command_is_json_alone(self):
        s = self.shop
        s.deliver_v1()
        s.deliver_hour(HOUR)
        s.ingest()
        for arguments in (["deliver", s.source, self.bucket, "--config", self.config, "--delivery", shop.hourly(HOUR)],
                          ["ingest", self.bucket, self.lake, "--config", self.config], ["status", self.bucket, self.lake], ["status", self.bucket],
                          ["history", self.lake], ["history", self.lake, "shop.orders"], ["query", self.lake, "FROM shop.products"],
                          ["query", self.lake, "SELECT * FROM tidegate_history"], ["ready", self.bucket, "shop.orders"]):
            for more in ([], ["--verbose"]):
                with self.subTest(arguments=arguments[0], more=more):
                    self.assertTrue(json.loads(self.ends(DONE, *arguments, "--json", *more).out))
        history = self.ends(DONE, "history", self.lake, "shop.orders", "--json").json
        self.assertEqual(sum(len(entry["folders"]) for entry in history), 5)
        self.assertEqual({entry["rows_in"] for entry in history}, {t["rows_in"] for t in self.tidegate.must(
            "query", self.lake, "SELECT rows_in FROM tidegate_history WHERE table_name = 'shop.orders'", "--json").json})

    def test_detailed_exit_codes(self):
        s = self.shop
        s.deliver_v1()
        ingest = ["ingest", self.bucket, self.lake, "--config", self.config]
        self.ends(DONE, *ingest, "--detailed-exitcode")
        self.ends(NOTHING_NEW, *ingest, "--detailed-exitcode")
        self.ends(DONE, *ingest)
        s.happen(HOUR)
        s.deliver(shop.hourly(HOUR), "--exclude", "shop.stock")  # the manifest says so
        self.ends(WAITS, *ingest, "--detailed-exitcode")
        done = self.ends(DONE, *ingest)
        self.assertRegex(done.out, "shop.stock: (missing|pending) since " + shop.hourly(HOUR))
        s.deliver(shop.hourly(HOUR))
        self.ends(DONE, *ingest, "--detailed-exitcode")
        later = HOUR + dt.timedelta(hours=1)
        s.deliver_hour(later)
        broken = self.bucket / f"v2/shop/orders/etl_date={later.date()}/etl_hour={later.hour:02d}/0000_part_00.parquet"
        broken.write_bytes(b"broken")
        self.ends(FAILED, *ingest, "--detailed-exitcode")

    def test_ready_as_a_scheduler_asks(self):  # C-16
        s = self.shop
        s.deliver_v1()
        ready = ["ready", self.bucket, "shop.orders"]
        folder = f"v2/shop/orders/etl_date={HOUR.date()}/etl_hour={HOUR.hour:02d}"
        self.assertEqual(self.ends(DONE, *ready).out, "v1/shop/orders/etl_date=2025-03-12\n", "the newest")
        self.assertEqual(self.ends(DONE, *ready, "__initial__").out, "v1/shop/orders/etl_date=__initial__\n")
        self.assertEqual(self.ends(1, *ready, HOUR.date(), "03").out, "", "not sealed: nothing is printed")
        s.deliver_hour(HOUR)
        self.assertEqual(self.ends(DONE, *ready, HOUR.date(), "03").out, folder + "\n")
        self.assertEqual(self.ends(DONE, "ready", self.bucket, "shop.products", HOUR.date(), "03", "--json").json["ready"], True)
        (self.bucket / folder / "_SUCCESS").unlink()
        self.assertEqual(self.ends(1, *ready, HOUR.date(), "03", "--wait", "1s").out, "")
        self.ends(1, "ready", self.bucket, "shop.nothing")
        shutil.copytree(self.bucket, self.folder / "other")
        for arguments in ([self.folder / "nowhere", "shop.orders"], [self.bucket, "orders"], [self.bucket, "shop.orders", "2025-02-30"],
                          [self.bucket, "shop.orders", "2025-03-13", "3"], [self.bucket, "shop.orders", "--wait", "soon"],
                          [self.bucket], [self.bucket, "shop.orders", "--what"]):
            with self.subTest(arguments=[str(a) for a in arguments]):
                done = self.tidegate("ready", *arguments)
                self.assertGreaterEqual(done.code, 5, done)
                self.assertEqual(done.out, "")
                self.assertNotEqual(done.err, "")

    def test_a_table_that_the_choice_leaves_out_is_not_touched(self):
        s = self.shop
        s.deliver_v1()
        s.ingest("--table", "shop.*", "--exclude", "*.orders", "--exclude", "*.stock")
        self.assertEqual(sorted(p.name for p in (self.lake / "shop").iterdir()), ["clicks", "products"])

    def test_a_pipe_that_closes_is_no_crash(self):
        s = self.shop
        s.deliver_v1()
        s.ingest()
        process = self.tidegate.start("query", self.lake, "SELECT a.*, b.* FROM shop.orders a, shop.orders b", "--format", "csv", out=program.subprocess.PIPE)
        process.stdout.read(100)
        process.stdout.close()
        self.assertIn(process.wait(60), (FAILED, -program.signal.SIGPIPE))


if __name__ == "__main__":
    program.main()
