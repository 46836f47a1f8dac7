"""The fault proxy passes what it should unharmed, counts it, and each fault is what it says."""
import email.utils
import hashlib
import http.client
import json
import pathlib
import socket
import subprocess
import sys
import threading
import time
import unittest
import urllib.request

import servers
from fault_proxy import FaultProxy, Rule, control, operation_of

HERE = pathlib.Path(__file__).parent
MIB = 1 << 20
BODY = bytes(range(256)) * 4096  # 1 MiB


def setUpModule():
    global SERVER
    SERVER = servers.SeaweedFs()
    unittest.addModuleCleanup(SERVER.stop)
    SERVER.start().wait()
    servers.client(SERVER).create_bucket(Bucket="bucket")


class Proxied(unittest.TestCase):
    server = None  # SeaweedFS, unless a class names another

    def setUp(self):
        self.proxy = self.enterContext(FaultProxy((self.server or SERVER).endpoint))
        self.s3 = self.client()
        self.direct = servers.client(self.server or SERVER)

    def client(self, **options):
        s3 = servers.client(self.server or SERVER, endpoint=self.proxy.endpoint, **options)
        self.addCleanup(s3.close)
        return s3

    def fault_of(self, ask, s3=None):
        """What the client makes of it: S3's word for an error, or the name of an exception."""
        s3 = s3 or self.s3
        try:
            ask(s3)
        except s3.exceptions.ClientError as error:
            return error.response["Error"]["Code"]
        except Exception as error:
            return type(error).__name__
        return None

    def get(self, s3):
        return s3.get_object(Bucket="bucket", Key="k")["Body"].read()

    def put(self, s3):
        return s3.put_object(Bucket="bucket", Key="new", Body=b"new")

    def exists(self, key):
        return self.direct.list_objects_v2(Bucket="bucket", Prefix=key)["KeyCount"] == 1


class Passing(Proxied):
    def test_a_hundred_megabytes_pass_both_ways_unharmed(self):
        body = hashlib.shake_256(b"seed").digest(MIB) * 100
        self.s3.put_object(Bucket="bucket", Key="big", Body=body)
        self.assertEqual(hashlib.sha256(self.direct.get_object(Bucket="bucket", Key="big")["Body"].read()).digest(), hashlib.sha256(body).digest())
        self.assertEqual(hashlib.sha256(self.s3.get_object(Bucket="bucket", Key="big")["Body"].read()).digest(), hashlib.sha256(body).digest())
        operations = self.proxy.counts()["operations"]
        self.assertEqual((operations["PUT"]["received"], operations["GET"]["sent"]), (100 * MIB, 100 * MIB))
        self.direct.delete_object(Bucket="bucket", Key="big")

    def test_it_does_not_hold_what_it_passes(self):
        program = subprocess.Popen([sys.executable, HERE / "fault_proxy.py", "--upstream", SERVER.endpoint], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        self.addCleanup(program.wait)
        self.addCleanup(program.stdin.close)
        self.addCleanup(program.stdout.close)
        endpoint = json.loads(program.stdout.readline())["endpoint"]
        servers.client(SERVER, endpoint=endpoint).put_object(Bucket="bucket", Key="big", Body=bytes(200 * MIB))
        status = pathlib.Path(f"/proc/{program.pid}/status").read_text()
        self.assertLess(int(status.partition("VmHWM:")[2].split()[0]), 100 << 10)
        self.direct.delete_object(Bucket="bucket", Key="big")

    def test_requests_share_a_connection(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.proxy.port)
        self.addCleanup(connection.close)
        local = set()
        for _ in range(3):
            connection.request("GET", "/status")
            connection.getresponse().read()
            local.add(connection.sock and connection.sock.getsockname())
        self.assertEqual(len(local), 1)
        self.assertNotIn(None, local)

    def test_requests_at_once(self):
        self.direct.put_object(Bucket="bucket", Key="k", Body=BODY)
        s3 = self.client(max_pool_connections=16)
        wrong = []
        threads = [threading.Thread(target=lambda: [wrong.append(1) for _ in range(10) if self.get(s3) != BODY]) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        self.assertEqual(self.proxy.counts()["operations"]["GET"], {"requests": 160, "received": 0, "sent": 160 * MIB})

    def test_what_is_asked_is_counted_and_logged(self):
        s3 = self.s3
        s3.put_object(Bucket="bucket", Key="c/k v", Body=b"0123456789")
        s3.get_object(Bucket="bucket", Key="c/k v", Range="bytes=2-4")["Body"].read()
        s3.head_object(Bucket="bucket", Key="c/k v")
        s3.copy_object(Bucket="bucket", Key="c/2", CopySource={"Bucket": "bucket", "Key": "c/k v"})
        s3.list_objects_v2(Bucket="bucket", Prefix="c/")
        upload = {"Bucket": "bucket", "Key": "c/m", "UploadId": s3.create_multipart_upload(Bucket="bucket", Key="c/m")["UploadId"]}
        part = s3.upload_part(**upload, PartNumber=1, Body=b"part")
        s3.complete_multipart_upload(**upload, MultipartUpload={"Parts": [{"ETag": part["ETag"], "PartNumber": 1}]})
        s3.delete_objects(Bucket="bucket", Delete={"Objects": [{"Key": "c/2"}]})
        s3.delete_object(Bucket="bucket", Key="c/k v")
        counts = self.proxy.counts()
        names = ("PUT", "GET RANGE", "HEAD", "COPY", "LIST", "CREATE UPLOAD", "PART", "COMPLETE UPLOAD", "DELETE MANY", "DELETE")
        self.assertEqual({name: kind["requests"] for name, kind in counts["operations"].items()}, dict.fromkeys(names, 1))
        self.assertEqual(counts["methods"], {"PUT": 3, "GET": 2, "HEAD": 1, "POST": 3, "DELETE": 1})
        ranged = self.proxy.log()[1]
        self.assertEqual({name: ranged[name] for name in ("number", "path", "key", "range", "status", "sent", "fault")},
                         {"number": 2, "path": "/bucket/c/k%20v", "key": "c/k v", "range": "bytes=2-4", "status": 206, "sent": 3, "fault": None})
        self.assertEqual(self.proxy.faults(), [])

    def test_operations_of_other_services_have_their_names(self):
        self.assertEqual(operation_of("POST", "", "", {}, {"x-amz-target": "AWSGlue.GetTable"}), "GetTable")


class PassingMoto(Proxied):
    kind = servers.Moto

    @classmethod
    def setUpClass(cls):
        if not cls.kind.is_installed():
            raise unittest.SkipTest(f"{cls.kind.name} is not installed: tools/deps.sh build servers brings it")
        cls.server = cls.enterClassContext(cls.kind())

    def test_what_it_says_passes_unharmed(self):
        self.s3.create_bucket(Bucket="bucket")
        self.s3.put_object(Bucket="bucket", Key="a b/ü", Body=BODY)
        self.assertEqual(self.s3.get_object(Bucket="bucket", Key="a b/ü")["Body"].read(), BODY)
        self.assertEqual([entry["Key"] for entry in self.s3.list_objects_v2(Bucket="bucket")["Contents"]], ["a b/ü"])
        for number in range(50):
            self.s3.put_object(Bucket="bucket", Key=f"k{number}", Body=b"x")
        self.assertEqual(self.proxy.counts()["operations"]["PUT"]["requests"], 51)


class PassingVersitygw(PassingMoto):
    kind = servers.Versitygw


class PassingMinistack(PassingMoto):
    kind = servers.Ministack


class Faults(Proxied):
    def setUp(self):
        super().setUp()
        self.direct.put_object(Bucket="bucket", Key="k", Body=BODY)
        self.direct.delete_object(Bucket="bucket", Key="new")

    def struck(self):
        return [entry["fault"] for entry in self.proxy.faults()]

    def test_refused_connections_come_back(self):
        self.proxy.plan([Rule("refuse", operation="GET", nth=1, refuse_ms=500)])
        self.assertIn(self.fault_of(self.get), ("ConnectionClosedError", "EndpointConnectionError"))
        with self.assertRaises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", self.proxy.port))
        began = time.monotonic()
        while self.fault_of(self.get) and time.monotonic() - began < 10:
            time.sleep(0.05)
        self.assertEqual(self.get(self.s3), BODY)
        self.assertEqual(self.struck(), ["refuse"])

    def test_a_reset_before_the_server_was_asked(self):
        self.proxy.plan([Rule("reset_before", operation="PUT", times=1)])
        self.assertEqual(self.fault_of(self.put), "ConnectionClosedError")
        self.assertFalse(self.exists("new"))
        self.assertIsNone(self.fault_of(self.put))

    def test_a_reset_after_the_server_did_it(self):
        self.proxy.plan([Rule("reset_after", operation="PUT", times=1)])
        self.assertEqual(self.fault_of(self.put), "ConnectionClosedError")
        self.assertTrue(self.exists("new"))
        self.assertEqual((self.proxy.faults()[0]["status"], self.struck()), (200, ["reset_after"]))

    def test_a_delay(self):
        self.proxy.plan([Rule("delay", operation="GET", delay_ms=300)])
        began = time.monotonic()
        self.assertEqual(self.get(self.s3), BODY)
        self.assertGreaterEqual(time.monotonic() - began, 0.3)

    def test_a_stall_sends_half_and_then_nothing(self):
        self.proxy.plan([Rule("stall", operation="GET")])
        connection = self.direct_get("k")
        connection.sock.settimeout(0.5)
        answer = connection.getresponse()
        read = bytearray()
        with self.assertRaises(TimeoutError):
            while piece := answer.read1(65536):
                read += piece
        self.assertEqual(bytes(read), BODY[:MIB // 2])

    def direct_get(self, key):
        url = self.s3.generate_presigned_url("get_object", Params={"Bucket": "bucket", "Key": key})
        connection = http.client.HTTPConnection("127.0.0.1", self.proxy.port)
        self.addCleanup(connection.close)
        connection.request("GET", url.removeprefix(self.proxy.endpoint))
        return connection

    def test_a_stall_without_a_body_is_silence(self):
        self.proxy.plan([Rule("stall", operation="HEAD")])
        s3 = self.client(read_timeout=0.5)
        self.assertEqual(self.fault_of(lambda s3: s3.head_object(Bucket="bucket", Key="k"), s3), "ReadTimeoutError")

    def test_a_body_that_is_cut_short(self):
        self.proxy.plan([Rule("cut", operation="GET", at=0.25)])
        with self.assertRaises(http.client.IncompleteRead) as caught:
            self.direct_get("k").getresponse().read()
        self.assertEqual(caught.exception.partial, BODY[:MIB // 4])

    def test_a_list_that_is_cut_short(self):
        self.proxy.plan([Rule("cut", operation="LIST")])
        self.assertIsNotNone(self.fault_of(lambda s3: s3.list_objects_v2(Bucket="bucket")))

    def test_bytes_that_are_not_what_they_were(self):
        self.proxy.plan([Rule("corrupt", operation="GET", count=3)])
        answer = self.direct_get("k").getresponse().read()
        self.assertEqual([place for place in range(MIB) if answer[place] != BODY[place]], [MIB // 2 + n for n in range(3)])

    def test_an_upload_that_is_not_what_it_was_is_refused_by_its_checksum(self):
        self.proxy.plan([Rule("corrupt_upload", operation="PUT")])
        self.assertIsNotNone(self.fault_of(self.put))
        self.assertFalse(self.exists("new"))

    def test_errors_in_the_words_of_s3(self):
        for code, status in (("InternalError", 500), ("SlowDown", 503), ("TooManyRequests", 429), ("AccessDenied", 403), ("ExpiredToken", 400),
                             ("RequestTimeTooSkewed", 403)):
            with self.subTest(code):
                self.proxy.forget()
                self.proxy.plan([Rule("answer", code=code)])
                self.assertEqual(self.fault_of(self.put), code)
                self.assertEqual((self.proxy.faults()[0]["status"], self.struck()), (status, [f"answer {code}"]))
                self.assertFalse(self.exists("new"))

    def test_an_error_for_what_was_done_and_one_with_200(self):
        self.proxy.plan([Rule("answer", after=True, operation="PUT"), Rule("answer", status=200, operation="COPY")])
        self.assertEqual(self.fault_of(self.put), "InternalError")
        self.assertTrue(self.exists("new"))
        self.assertEqual(self.fault_of(lambda s3: s3.copy_object(Bucket="bucket", Key="c", CopySource="bucket/k")), "InternalError")

    def test_a_clock_that_is_wrong(self):
        self.proxy.plan([Rule("answer", code="RequestTimeTooSkewed", date_shift_seconds=-3600)])
        answer = self.direct_get("k").getresponse()
        told = email.utils.parsedate_to_datetime(answer.headers["Date"]).timestamp()
        self.assertAlmostEqual(told, time.time() - 3600, delta=5)
        self.assertIn(b"<ServerTime>", answer.read())

    def test_a_redirect_names_the_region(self):
        for status in (301, 307):
            self.proxy.plan([Rule("redirect", status=status, region="eu-west-1", location="http://127.0.0.1:1/bucket/k")])
            answer = self.direct_get("k").getresponse()
            self.assertEqual((answer.status, answer.headers["x-amz-bucket-region"], answer.headers["Location"]),
                             (status, "eu-west-1", "http://127.0.0.1:1/bucket/k"))

    def test_the_connection_stays_after_an_error(self):
        self.proxy.plan([Rule("answer", times=1)])
        connection = self.direct_get("k")
        connection.getresponse().read()
        before = connection.sock
        url = self.s3.generate_presigned_url("get_object", Params={"Bucket": "bucket", "Key": "k"})
        connection.request("GET", url.removeprefix(self.proxy.endpoint))
        self.assertEqual(connection.getresponse().read(), BODY)
        self.assertIs(connection.sock, before)


class Plans(Proxied):
    def keys_that_failed(self, *rules, seed=0, keys=range(40), rounds=1):
        self.proxy.plan(rules, seed)
        return [(turn, key) for turn in range(rounds) for key in keys
                if self.fault_of(lambda s3, key=key: s3.head_object(Bucket="bucket", Key=f"p/{key}")) == "503"]

    def rule(self, **match):
        return Rule("answer", code="SlowDown", **match)

    def test_the_nth_of_those_that_match(self):
        self.assertEqual(self.keys_that_failed(self.rule(nth=3), keys=range(5)), [(0, 2)])
        self.assertEqual(self.keys_that_failed(self.rule(key="p/1", nth=[1, 3]), keys=range(1), rounds=3), [])
        self.assertEqual(self.keys_that_failed(self.rule(key="p/1", nth=[1, 3]), keys=(0, 1), rounds=3), [(0, 1), (2, 1)])
        self.assertEqual(self.keys_that_failed(self.rule(operation="GET"), keys=range(3)), [])
        self.assertEqual(self.keys_that_failed(self.rule(operation=["GET", "HEAD"], times=2), keys=range(5)), [(0, 0), (0, 1)])

    def test_a_pattern_is_for_the_whole_key(self):
        self.assertEqual(self.keys_that_failed(self.rule(key="p/*1"), keys=(1, 10, 11, 21)), [(0, 1), (0, 11), (0, 21)])

    def test_chance_hangs_on_the_seed_and_not_on_the_order(self):
        rule = {"probability": 0.3}
        one = self.keys_that_failed(self.rule(**rule), seed=1, rounds=2)
        self.assertEqual(self.keys_that_failed(self.rule(**rule), seed=1, rounds=2), one)
        self.assertEqual(sorted(self.keys_that_failed(self.rule(**rule), seed=1, rounds=2, keys=range(39, -1, -1))), sorted(one))
        self.assertNotEqual(self.keys_that_failed(self.rule(**rule), seed=2, rounds=2), one)
        self.assertTrue(10 < len(one) < 40, len(one))
        self.assertNotEqual({key for turn, key in one if turn == 0}, {key for turn, key in one if turn == 1})

    def test_a_fault_that_is_none_is_refused(self):
        with self.assertRaisesRegex(ValueError, "no fault is called explode"):
            Rule("explode")

    def test_another_program_gives_its_plan_over_http(self):
        with control(self.proxy) as address:
            def ask(method, path, body=None):
                request = urllib.request.Request(address + path, json.dumps(body).encode() if body else None, method=method)
                with urllib.request.urlopen(request) as answer:
                    return json.load(answer)
            ask("PUT", "/plan", {"seed": 3, "rules": [{"action": "answer", "code": "SlowDown", "nth": 1}]})
            self.assertEqual(self.fault_of(lambda s3: s3.list_objects_v2(Bucket="bucket")), "SlowDown")
            self.assertEqual([entry["operation"] for entry in ask("GET", "/faults")], ["LIST"])
            self.assertEqual(ask("GET", "/counts")["methods"], {"GET": 1})
            with self.assertRaises(urllib.error.HTTPError) as caught:
                ask("PUT", "/plan", {"rules": [{"action": "explode"}]})
            self.assertIn("no fault is called explode", caught.exception.read().decode())
            caught.exception.close()
            ask("DELETE", "/log")
            self.assertEqual(ask("GET", "/log"), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
