"""Each server that is installed starts, keeps what it is given, knows its own keys, and leaves nothing behind."""
import contextlib
import glob
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import unittest
import urllib.error

import gcs_bucket
import servers

HERE = pathlib.Path(__file__).parent


def until(holds, seconds=20):
    began = time.monotonic()
    while not holds():
        if time.monotonic() - began > seconds:
            return False
        time.sleep(0.02)
    return True


def left_behind(folder, ports):
    return [*([folder] if os.path.exists(folder) else []), *(f for port in ports for f in glob.glob(f"/tmp/seaweedfs-*-{port}.sock"))]


def open_to_others(server):
    """Ports that this process listens on, but not on the loopback interface alone."""
    inodes = set()
    for file in pathlib.Path(f"/proc/{server.pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            inodes.add(os.readlink(file))
    lines = [line.split() for name in ("tcp", "tcp6") for line in pathlib.Path(f"/proc/{server.pid}/net/{name}").read_text().splitlines()[1:]]
    return [line[1] for line in lines if line[3] == "0A" and f"socket:[{line[9]}]" in inodes and not line[1].startswith("0100007F:")]


class EachServer:
    """The tests of one server; the classes below name it."""
    kind = None
    unknown_key = "InvalidAccessKeyId"  # what S3 says

    def setUp(self):
        if not self.kind.is_installed():
            self.skipTest(f"{self.kind.name} is not installed: tools/deps.sh build servers brings it")

    def test_it_keeps_what_it_is_given_and_goes_without_a_trace(self):
        with self.kind() as server:
            s3 = servers.client(server)
            s3.create_bucket(Bucket="kept")
            s3.put_object(Bucket="kept", Key="a/b c/ü", Body=b"content")
            self.assertEqual(s3.get_object(Bucket="kept", Key="a/b c/ü")["Body"].read(), b"content")
            pid, folder = server.pid, server.folder
            self.assertEqual(open_to_others(server), [])
        self.assertFalse(servers.is_running(pid))
        self.assertEqual(left_behind(folder, server.ports), [])

    def test_a_wrong_key_is_refused(self):
        if not self.kind.checks_signatures:
            self.skipTest(f"{self.kind.name} checks no signature")
        with self.kind() as server:
            for wrong, code in (({"secret_key": "wrong"}, "SignatureDoesNotMatch"), ({"access_key": "AKWRONG"}, self.unknown_key)):
                s3 = servers.client(server, **wrong)
                with self.assertRaises(s3.exceptions.ClientError) as caught:
                    s3.list_buckets()
                self.assertEqual(caught.exception.response["Error"]["Code"], code)

    def test_it_goes_with_a_test_that_is_killed(self):
        program = (f"import sys, time; sys.path.insert(0, {str(HERE)!r}); import servers\n"
                   f"with servers.KINDS[{self.kind.name!r}]() as server:\n"
                   "    print(server.pid, server.folder, *server.ports, flush=True)\n    time.sleep(600)")
        test = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
        pid, folder, *ports = test.stdout.readline().split()
        self.assertTrue(servers.is_running(int(pid)))
        test.send_signal(signal.SIGKILL)
        test.wait()
        test.stdout.close()
        self.assertTrue(until(lambda: not servers.is_running(int(pid))), "it still runs")
        self.assertTrue(until(lambda: not left_behind(folder, ports)), "it left files")

    def test_a_taken_port_makes_it_take_another(self):
        with servers.socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            server = self.kind()
            real, calls = servers.free_ports, []

            def ports(count):
                calls.append(count)
                return [taken.getsockname()[1], *real(count - 1)] if len(calls) == 1 else real(count)
            servers.free_ports = ports
            self.addCleanup(setattr, servers, "free_ports", real)
            with server:
                self.assertEqual(len(calls), 2)
                servers.client(server).list_buckets()


class SeaweedFs(EachServer, unittest.TestCase):
    kind = servers.SeaweedFs


class Versitygw(EachServer, unittest.TestCase):
    kind = servers.Versitygw
    unknown_key = "XAdminUserNotFound"

    def test_it_keeps_versions_if_asked_to(self):
        with self.kind(versioned=True) as server:
            s3 = servers.client(server)
            s3.create_bucket(Bucket="old")
            s3.put_bucket_versioning(Bucket="old", VersioningConfiguration={"Status": "Enabled"})
            first = s3.put_object(Bucket="old", Key="k", Body=b"1")["VersionId"]
            s3.put_object(Bucket="old", Key="k", Body=b"2")
            self.assertEqual(s3.get_object(Bucket="old", Key="k", VersionId=first)["Body"].read(), b"1")


class Moto(EachServer, unittest.TestCase):
    kind = servers.Moto

    def test_it_has_glue(self):
        with self.kind() as server:
            glue = servers.client(server, "glue")
            glue.create_database(DatabaseInput={"Name": "d"})
            self.assertEqual([found["Name"] for found in glue.get_databases()["DatabaseList"]], ["d"])


class Ministack(EachServer, unittest.TestCase):
    kind = servers.Ministack

    def test_a_restore_stays_pending(self):
        with self.kind() as server:
            s3 = servers.client(server)
            s3.create_bucket(Bucket="cold")
            s3.put_object(Bucket="cold", Key="k", Body=b"x", StorageClass="GLACIER")
            s3.restore_object(Bucket="cold", Key="k", RestoreRequest={"Days": 1})
            self.assertIn('ongoing-request="true"', s3.head_object(Bucket="cold", Key="k")["Restore"])


class FakeGcs(unittest.TestCase):
    def setUp(self):
        if not servers.FakeGcs.is_installed():
            self.skipTest(f"{servers.FakeGcs.name} is not installed: tools/deps.sh build servers brings it")

    def test_it_keeps_what_it_is_given_and_goes_without_a_trace(self):
        with servers.FakeGcs() as server:
            bucket = gcs_bucket.Bucket(server.endpoint, "kept")
            bucket.create()
            bucket.put("a/b c/ü", b"content")
            self.assertEqual(bucket.get("a/b c/ü"), b"content")
            bucket.delete("a/b c/ü")
            with self.assertRaises(urllib.error.HTTPError):
                bucket.get("a/b c/ü")
            pid, folder = server.pid, server.folder
            self.assertEqual(open_to_others(server), [])
        self.assertFalse(servers.is_running(pid))
        self.assertEqual(left_behind(folder, server.ports), [])


class HiveMetastore(unittest.TestCase):
    def setUp(self):
        if not servers.HiveMetastore.is_installed():
            self.skipTest(f"{servers.HiveMetastore.name} is not installed: tools/deps.sh build servers brings it")

    def test_it_keeps_what_it_is_given_and_goes_without_a_trace(self):
        with servers.HiveMetastore() as server:
            server.create_database("kept")
            with self.assertRaises(servers.ServerError):
                server.create_database("kept")
            pid, folder = server.pid, server.folder
            self.assertEqual(open_to_others(server), [])
        self.assertFalse(servers.is_running(pid))
        self.assertEqual(left_behind(folder, server.ports), [])


class RunWith(unittest.TestCase):
    def run_with(self, *arguments):
        return subprocess.run([sys.executable, HERE / "run_with.py", *arguments], capture_output=True, text=True)

    def test_the_program_finds_the_servers_and_its_code_is_kept(self):
        program = ("import os, sys, urllib.request as u\n"
                   "for name in ('SEAWEEDFS', 'MOTO'):\n"
                   "    prefix = f'TIDEGATE_TEST_S3_{name}'\n"
                   "    assert all(os.environ[prefix + end] for end in ('', '_KEY', '_SECRET', '_REGION'))\n"
                   "    try: u.urlopen(os.environ[prefix])\n"
                   "    except u.HTTPError: pass\n"
                   "sys.exit(7)")
        done = self.run_with("--servers", "seaweedfs,moto", "--", sys.executable, "-c", program)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (7, "", ""))

    def test_a_proxy_stands_before_a_server_and_can_be_told_what_to_do(self):
        program = ("import json, os, urllib.error, urllib.request as u\n"
                   "prefix = 'TIDEGATE_TEST_S3_MOTO'\n"
                   "plan = json.dumps({'rules': [{'action': 'answer', 'code': 'SlowDown', 'nth': 1}]}).encode()\n"
                   "u.urlopen(u.Request(os.environ[prefix + '_CONTROL'] + '/plan', plan, method='PUT'))\n"
                   "try: u.urlopen(os.environ[prefix + '_PROXY'])\n"
                   "except urllib.error.HTTPError as error: print(error.code)\n"
                   "print(u.urlopen(os.environ[prefix + '_PROXY']).status)")
        done = self.run_with("--servers", "moto", "--proxied", "moto", "--", sys.executable, "-c", program)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "503\n200\n", ""))

    def test_a_signal_that_ends_the_program_is_told_as_a_shell_does(self):
        done = self.run_with("--", sys.executable, "-c", "import os; os.kill(os.getpid(), 9)")
        self.assertEqual(done.returncode, 137)

    def test_a_name_that_is_none_is_refused(self):
        done = self.run_with("--servers", "minio", "--", "true")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no server is called minio", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
