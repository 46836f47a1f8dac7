#!/usr/bin/env python3
"""Ways to a bucket: TLS and a private CA, a proxy, virtual hosts, profiles, no identity at all; and what `doctor` says of each.

usage: test_s3_reach.py --tidegate BINARY
"""
import json
import secrets
import urllib.parse

import program
import fault_proxy
import fronts
import on_server
import shop


class Reach(on_server.Case):
    def deliver(self, name="reach"):
        store = shop.Shop(self.tidegate, self.folder / name, history_rows=20)
        store.bucket, store.lake = f"s3://deliveries/{name}", self.folder / "lake"
        store.deliver_initial()
        return store

    def status(self, store, *more, environment=None):
        return program.Tidegate(self.binary, self.folder / "cwd", environment or self.environment)("status", store.bucket, "--config", store.config, *more)

    def checks(self, *arguments, environment=None, code=0):
        done = program.Tidegate(self.binary, self.folder / "cwd", environment or self.environment)("doctor", *arguments, "--json")
        self.assertEqual(done.code, code, str(done))
        self.shows_no_secret(done)
        return {check["check"]: check for check in done.json["checks"]}


class Network(Reach):
    def test_a_private_ca_is_trusted_where_it_is_named(self):
        store = self.deliver()
        with fronts.TlsFront(self.server.endpoint, self.folder) as front:
            there = ["--endpoint-url", front.endpoint]
            refused = self.status(store, *there)
            self.assertEqual(refused.code, 1)
            self.assertIn("certificate is not trusted", refused.err)
            self.assertIn("--ca-bundle", refused.err)
            self.assertEqual(self.status(store, *there, "--ca-bundle", front.certificate).code, 0)
            self.assertEqual(self.status(store, *there, environment={**self.environment, "AWS_CA_BUNDLE": str(front.certificate)}).code, 0)
            self.tidegate.must("ingest", store.bucket, "s3://lakes/over-tls", "--config", store.config, *there, "--ca-bundle", front.certificate)
            done = self.tidegate.must("query", "s3://lakes/over-tls", "SELECT count(*) AS n FROM shop.orders", "--json", *there, "--ca-bundle", front.certificate)
            self.assertEqual(json.loads(done.out), [{"n": 20}])

    def test_a_proxy_carries_the_requests_unless_the_host_is_excepted(self):
        store = self.deliver()
        with fronts.Proxy() as proxy:
            environment = {**self.environment, "http_proxy": proxy.url}
            self.assertEqual(self.status(store, environment=environment).code, 0)
            seen = len(proxy.requests)
            self.assertGreater(seen, 0)
            self.assertEqual(self.status(store, environment={**environment, "no_proxy": "127.0.0.1"}).code, 0)
            self.assertEqual(len(proxy.requests), seen)

    def test_names_that_lead_nowhere_say_so(self):
        store = self.deliver()
        for url, words in (("http://no-such-host.invalid", "DNS"), ("http://127.0.0.1:1", "no answer"), ("ftp://x", "is no URL")):
            done = self.status(store, "--endpoint-url", url, environment={**self.environment, "AWS_MAX_ATTEMPTS": "2"})
            self.assertIn(done.code, (1, 2))
            self.assertIn(words, done.err)


class Identity(Reach):
    def profile(self, name, **settings):
        file = self.folder / "config"
        file.write_text(f"[profile {name}]\n" + "".join(f"{key} = {value}\n" for key, value in settings.items()))
        environment = {k: v for k, v in self.environment.items() if not k.startswith("AWS_")}
        return {**environment, "AWS_CONFIG_FILE": str(file), "AWS_SHARED_CREDENTIALS_FILE": "/dev/null", "AWS_EC2_METADATA_DISABLED": "true"}

    def test_a_profile_brings_keys_endpoint_and_region(self):
        store = self.deliver()
        environment = self.profile("vendor", aws_access_key_id=self.server.access_key, aws_secret_access_key=self.server.secret_key,
                                   endpoint_url=self.proxy.endpoint, region="us-east-1")
        done = self.status(store, "--profile", "vendor", "-v", environment=environment)
        self.assertEqual(done.code, 0, str(done))
        self.assertIn("identity: profile 'vendor'", done.err)
        self.shows_no_secret(done)
        self.assertEqual(self.status(store, "--profile", "nobody", environment=environment).code, 1)

    def test_a_bucket_has_a_section_of_its_own(self):
        store = self.deliver()
        environment = self.profile("vendor", aws_access_key_id=self.server.access_key, aws_secret_access_key=self.server.secret_key)
        store.config.write_text(store.config.read_text() + f'\n[[store]]\nurl = "s3://deliveries"\nprofile = "vendor"\nendpoint_url = "{self.proxy.endpoint}"\n')
        done = self.status(store, environment=environment)
        self.assertEqual(done.code, 0, str(done))

    def test_without_any_identity_it_says_where_it_looked(self):
        store = self.deliver()
        environment = self.profile("empty")
        done = self.status(store, "--endpoint-url", self.proxy.endpoint, environment=environment)
        self.assertEqual(done.code, 1)
        self.assertIn("aws configure", done.err)

    def test_anonymous_requests_carry_no_signature(self):
        store = self.deliver()
        self.proxy.forget()
        done = self.status(store, "--no-sign-request")
        self.assertEqual(done.code, 1)  # this server lets nobody in without keys
        self.assertIn("docs/permissions.md", done.err)


class Doctor(Reach):
    def test_it_tells_what_is_allowed_and_what_to_mend(self):
        store = self.deliver()
        checks = self.checks(store.bucket)
        self.assertEqual({name: check["state"] for name, check in checks.items() if name in ("identity", "list", "read", "write", "region", "clock")},
                         {"identity": "ok", "list": "ok", "read": "ok", "write": "not done", "region": "ok", "clock": "ok"})
        self.assertIn("AbortIncompleteMultipartUpload", checks["lifecycle"]["advice"])
        written = self.checks("s3://lakes/doctor", "--write")
        self.assertEqual(written["write"]["state"], "ok")
        self.assertEqual(self.place("s3://lakes/doctor").keys(), [])

    def test_a_wrong_key_and_a_wrong_bucket_are_told_apart(self):
        wrong = {**self.environment, "AWS_SECRET_ACCESS_KEY": secrets.token_urlsafe(30)}
        self.assertIn("secret key", self.checks("s3://deliveries", environment=wrong, code=1)["list"]["found"])
        self.assertIn("no such bucket", self.checks("s3://nowhere-to-be-found", code=1)["list"]["found"])

    def test_a_clock_that_is_off_is_told(self):
        with self.faults(fault_proxy.Rule("answer", code="RequestTimeTooSkewed", status=403, date_shift_seconds=3600, times=1)):
            checks = self.checks("s3://deliveries")
        self.assertEqual(checks["list"]["state"], "ok")  # signed with the server's time


if __name__ == "__main__":
    program.main()
