#!/usr/bin/env python3
"""Keys from an OpenID token: the program takes a role of a server that checks tokens, and takes it again when its keys run out.

usage: test_web_identity.py --tidegate BINARY

The server's sessions last four seconds, unless a role asks for more; runs are slowed down so that they take longer than that.
"""
import datetime as dt
import subprocess
import time

import program
import fault_proxy
import oidc_issuer
import on_server
import readers
import servers
import shop

ROLE = "arn:aws:iam::role/reader"
SESSION_SECONDS = 4
LIMIT = 60


class OnceMore(fault_proxy.Rule):
    """Strikes until the role was taken once more than it had been when the rule first struck. `asked` counts."""
    asked = before = None

    def strikes(self, request, chance):
        if not super().strikes(request, chance):
            return False
        self.before = self.asked() if self.before is None else self.before
        return self.asked() == self.before


class WebIdentity(on_server.Case):
    @classmethod
    def setUpClass(cls):
        cls.issuer = cls.enterClassContext(oidc_issuer.Issuer())
        iam = servers.web_identity(cls.issuer.url, cls.issuer.audience)
        iam["sts"]["tokenDuration"] = f"{SESSION_SECONDS}s"
        cls.kind = lambda: servers.SeaweedFs(iam=iam)
        cls.kind.is_installed = servers.SeaweedFs.is_installed
        cls.kind.name = servers.SeaweedFs.name
        super().setUpClass()
        cls.sts = cls.enterClassContext(fault_proxy.FaultProxy(cls.server.endpoint))

    def setUp(self):
        super().setUp()
        self.sts.plan([])
        self.sts.forget()
        self.tokens, self.token = [], self.folder / "token"
        self.write(self.issuer.token())
        name = self.id().rpartition(".")[2].removeprefix("test_")
        self.store = shop.Shop(self.tidegate, self.folder / "shop", history_rows=60)
        self.store.bucket, self.store.lake = f"s3://deliveries/{name}", f"s3://lakes/{name}"
        self.store.deliver_v1()
        keyless = {name: value for name, value in self.environment.items() if "KEY" not in name}
        self.bearer = program.Tidegate(self.binary, self.folder / "cwd", {
            **keyless, "AWS_ROLE_ARN": ROLE, "AWS_WEB_IDENTITY_TOKEN_FILE": str(self.token), "AWS_ENDPOINT_URL_STS": self.sts.endpoint})

    def write(self, token):
        """Whole, as one who replaces a token does it."""
        self.tokens.append(token)
        beside = self.folder / "token.new"
        beside.write_text(token + "\n")
        beside.rename(self.token)

    def taken(self):
        """How often the role was asked for."""
        return len(self.sts.log())

    def arguments(self, *more):
        return ["ingest", self.store.bucket, self.store.lake, "--config", self.store.config, *more]

    def shows_nothing_secret(self, text):
        for token in filter(None, self.tokens):
            self.assertNotIn(token, text)
            for part in filter(None, token.split(".")[1:]):
                self.assertNotIn(part, text, "the claims or the signature of a token are shown")

    def check_tables(self):
        self.assertEqual(self.store.ingest()["outcome"], "nothing_new")
        alone = self.store.lake + "-alone"
        self.tidegate.must("ingest", self.store.bucket, alone, "--config", self.store.config)
        db = self.connect()
        for name in shop.KEYS:
            self.assertEqual(readers.by_duckdb(db, self.store.lake, name), readers.by_duckdb(db, alone, name), name)

    def slowly(self, milliseconds):
        """Each write takes longer. With --jobs 1 a run of this test has about twenty, one after another."""
        return fault_proxy.Rule("delay", operation=["PUT", "COPY"], delay_ms=milliseconds)

    def refused(self):
        return [entry["status"] for entry in self.proxy.log() if entry["status"] in (400, 401, 403)]

    def test_a_good_token_is_all_it_needs(self):
        for more in (self.arguments("-v"), ["status", self.store.bucket, self.store.lake, "--config", self.store.config], ["history", self.store.lake],
                     ["query", self.store.lake, "SELECT count(*) FROM shop.orders"]):
            done = self.bearer.must(*more)
            self.shows_nothing_secret(done.out + done.err)
            self.assertEqual(ROLE in done.err, "-v" in more)
        self.assertIn(str(self.store.tidegate.must("query", self.store.lake, "SELECT count(*) AS n FROM shop.orders", "--json").json[0]["n"]), done.out)
        self.check_tables()

    def test_a_token_that_is_not_good_ends_in_an_error(self):
        stranger = self.enterContext(oidc_issuer.Issuer())
        missing = self.folder / "nowhere"
        for title, token, says in [
                ("expired", self.issuer.expired_token(), "token"), ("forged", self.issuer.forged_token(), "token"),
                ("altered", self.issuer.altered_token(), "token"), ("unsigned", self.issuer.unsigned_token(), "token"),
                ("of a stranger", stranger.token(), "token"), ("for others", self.issuer.token(aud="others"), "token"),
                ("empty", "", str(self.token)), ("absent", None, str(missing))]:
            with self.subTest(title):
                if token is not None:
                    self.write(token)
                self.bearer.environment["AWS_WEB_IDENTITY_TOKEN_FILE"] = str(self.token if token is not None else missing)
                done = self.bearer(*self.arguments(), limit_seconds=LIMIT)
                print(f"  {title}: {done.err.strip()}", flush=True)
                self.assertEqual(done.code, 1, done)
                self.assertIn(says, done.err)
                self.shows_nothing_secret(done.out + done.err)
        self.assertEqual(self.place(self.store.lake).keys(), [])

    def test_keys_that_run_out_in_the_middle_are_replaced(self):
        with self.faults(self.slowly(400)):
            began = time.monotonic()
            done = self.bearer.must(*self.arguments("--jobs", "1"))
            seconds = time.monotonic() - began
        self.assertGreater(seconds, SESSION_SECONDS * 1.5)
        self.assertGreaterEqual(self.taken(), 4, "for the bucket and for the lake, and then again")
        self.assertEqual(self.refused(), [], "no request went out with old keys")
        self.shows_nothing_secret(done.out + done.err)
        print(f"  {seconds:.1f} s, the role was taken {self.taken()} times", flush=True)
        self.check_tables()

    def test_keys_that_the_server_calls_expired_are_replaced(self):
        """Earlier than it said. These come from a profile, and would last a quarter of an hour."""
        config = self.folder / "config"
        config.write_text(f"[profile bearer]\nrole_arn = {ROLE}\nweb_identity_token_file = {self.token}\nduration_seconds = 900\n")
        for name in ("AWS_ROLE_ARN", "AWS_WEB_IDENTITY_TOKEN_FILE"):
            del self.bearer.environment[name]
        self.bearer.environment["AWS_CONFIG_FILE"] = str(config)
        expired = OnceMore("answer", operation=["PUT", "COPY"], nth=list(range(15, 1000)), code="ExpiredToken")
        expired.asked = self.taken
        with self.faults(expired, self.slowly(500)):
            done = self.bearer.must(*self.arguments("--jobs", "1", "--profile", "bearer"))
        self.assertEqual(self.taken(), 3, "for the bucket and for the lake, and then once more")
        self.assertGreaterEqual(len(self.refused()), 1)
        self.shows_nothing_secret(done.out + done.err)
        self.check_tables()

    def test_a_watch_outlives_its_keys(self):
        now = shop.stamp(shop.FIRST_HOUR + dt.timedelta(hours=4, minutes=5))
        watch = self.bearer.start(*self.arguments("--watch", "--poll", "200ms", "--now", now), out=subprocess.PIPE, err=subprocess.PIPE, text=True)
        self.addCleanup(watch.stderr.close)
        self.addCleanup(watch.stdout.close)
        self.addCleanup(watch.kill)
        for number in range(3):
            self.store.deliver_hour(shop.FIRST_HOUR + dt.timedelta(hours=number))
            self.until(lambda: self.taken() >= 4 + 2 * number)
        self.until(self.is_current)
        watch.terminate()
        out, err = watch.communicate(timeout=LIMIT)
        self.assertEqual(watch.returncode, 0, err)
        self.assertNotIn("error", err)
        self.shows_nothing_secret(out + err)
        self.check_tables()

    def is_current(self):
        """Is everything in the lake?"""
        status = self.tidegate.must("status", self.store.bucket, self.store.lake, "--config", self.store.config, "--json").json
        return {table["state"] for table in status["tables"]} == {"current"}

    def until(self, holds):
        end = time.monotonic() + LIMIT
        while not holds():
            self.assertLess(time.monotonic(), end, "it did not come to that")
            time.sleep(0.1)

    def test_a_token_that_turns_bad_in_the_middle_ends_the_run_and_a_good_one_ends_the_work(self):
        with self.faults(self.slowly(600)):
            self.proxy.forget()
            run = self.bearer.start(*self.arguments("--jobs", "1"), out=subprocess.PIPE, err=subprocess.PIPE, text=True)
            self.addCleanup(run.kill)
            self.until(lambda: any(entry["operation"] == "PUT" for entry in self.proxy.log()))
            self.write(self.issuer.expired_token())
            out, err = run.communicate(timeout=LIMIT)
        print(err, flush=True)
        self.assertEqual(run.returncode, 1, err)
        self.assertIn("token", err)
        self.shows_nothing_secret(out + err)
        self.write(self.issuer.token())
        self.bearer.must(*self.arguments())
        self.check_tables()


if __name__ == "__main__":
    program.main()
