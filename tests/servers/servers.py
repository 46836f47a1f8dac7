"""Servers that speak S3 (and some, other services of AWS), and one that speaks Google Cloud Storage, started for a test and gone with it.
See README.md for which is good for what.

    with servers.SeaweedFs() as server:
        server.endpoint, server.access_key, server.secret_key, server.region, server.environment()
        servers.client(server, "s3").create_bucket(Bucket="b")

Each has ports of its own on the loopback interface, keys made up when it starts, and its data in a temporary folder. guard.py ends it and
removes the folder, also when the test is killed.
"""
import base64
import contextlib
import functools
import http.client
import json
import os
import pathlib
import secrets
import shutil
import socket
import string
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPS = pathlib.Path(os.environ.get("TIDEGATE_DEPS_DIR") or ROOT / ".deps").resolve() / "servers"
GUARD = pathlib.Path(__file__).with_name("guard.py")
FOREIGN = ("AWS_", "PYTHON", "WEED_", "VGW_", "MOTO_", "MINISTACK_")  # variables of the caller that would change a server
TRIES = 4  # with other ports, where another program was quicker to take one


class ServerError(Exception):
    pass


def free_ports(count):
    """Ports that nothing listens on now. All are held until all are found, so they differ."""
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def random_text(length, letters):
    return "".join(secrets.choice(letters) for _ in range(length))


def listens(pid, port):
    """Whether this very process listens on the port: another server's answer must not be taken for ours."""
    try:
        lines = pathlib.Path(f"/proc/{pid}/net/tcp").read_text().splitlines()[1:]
        wanted = {f"socket:[{line.split()[9]}]" for line in lines
                  if line.split()[3] == "0A" and line.split()[1].endswith(f":{port:04X}")}
        return any(os.readlink(file) in wanted for file in pathlib.Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return False


def is_running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


class Server:
    """One server. The classes below say how each is started."""
    name = None
    needs = None  # what must be there, below DEPS
    port_count = 1
    region = "us-east-1"
    checks_signatures = True
    ready_path, ready_codes = "/", range(100, 500)
    limit_seconds = 60

    def __init__(self):
        self.access_key = "AK" + random_text(18, string.ascii_uppercase + "234567")
        self.secret_key = random_text(40, string.ascii_letters + string.digits)
        self.guard = self.pid = self.folder = None

    @classmethod
    def is_installed(cls):
        return (DEPS / cls.needs).exists()

    @property
    def endpoint(self):
        return f"http://127.0.0.1:{self.ports[0]}"

    def environment(self):
        """For a client of AWS: this server, these keys, and nothing that stands in the home folder of who runs the test."""
        return {"AWS_ENDPOINT_URL": self.endpoint, "AWS_ACCESS_KEY_ID": self.access_key, "AWS_SECRET_ACCESS_KEY": self.secret_key,
                "AWS_REGION": self.region, "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
                "AWS_EC2_METADATA_DISABLED": "true"}

    def prepare(self):
        """Write what the server reads into self.folder."""

    def command(self):
        raise NotImplementedError

    def server_environment(self):
        return {}

    def left_behind(self):
        """Files outside its folder that the server makes and leaves."""
        return []

    def start(self):
        """Begin to start it; wait() comes next. Two steps, so that several can start side by side."""
        if not self.is_installed():
            raise ServerError(f"{self.name} is not installed: run tools/deps.sh build servers")
        self.ports = free_ports(self.port_count)
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix=f"tidegate-{self.name}-"))
        self.prepare()
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(FOREIGN)}
        job = {"command": list(map(str, self.command())), "folder": str(self.folder), "log": str(self.folder / "log"),
               "environment": {**inherited, "TMPDIR": str(self.folder), **self.server_environment()}, "left_behind": self.left_behind()}
        file = self.folder / "job.json"
        file.touch(mode=0o600)
        file.write_text(json.dumps(job))
        self.guard = subprocess.Popen([sys.executable, "-I", "-S", str(GUARD), str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      start_new_session=True)
        self.pid = int(self.guard.stdout.readline() or 0)
        if not self.pid:
            self.give_up("could not be started")
        return self

    def log(self):
        text = (self.folder / "log").read_text(errors="replace") if (self.folder / "log").exists() else ""
        return text.replace(self.secret_key, "***")

    def give_up(self, what):
        tail = "\n  ".join(self.log().splitlines()[-15:])
        self.stop()
        raise ServerError(f"{self.name} {what}. The end of its log:\n  {tail}")

    def answers(self):
        if not listens(self.pid, self.ports[0]):
            return False
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.ports[0], timeout=5)
            connection.request("GET", self.ready_path)
            return connection.getresponse().status in self.ready_codes
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()

    def wait(self):
        """Until it answers. One that ended by itself had a port taken from it, most likely: another try with others."""
        began, tries = time.monotonic(), 1
        while not self.answers():
            if not is_running(self.pid):
                if tries == TRIES:
                    self.give_up(f"ended by itself {TRIES} times")
                self.stop()
                self.start()
                tries += 1
            if time.monotonic() - began > self.limit_seconds:
                self.give_up(f"did not answer within {self.limit_seconds} s")
            time.sleep(0.02)
        return self

    def stop(self):
        if not self.guard:
            return
        self.guard.stdin.close()
        self.guard.stdout.close()
        try:
            self.guard.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.guard.kill()  # the server dies with it
            self.guard.wait()
            shutil.rmtree(self.folder, ignore_errors=True)
        self.guard = None

    def __enter__(self):
        self.start()
        try:
            return self.wait()
        except BaseException:
            self.stop()
            raise

    def __exit__(self, *_):
        self.stop()


class SeaweedFs(Server):
    """S3 with checked signatures and conditions that hold under races; STS for web identities if `iam` is given (see web_identity)."""
    name, needs = "seaweedfs", "seaweedfs/weed"
    port_count = 8
    ready_path, ready_codes = "/status", (200,)

    def __init__(self, iam=None):
        super().__init__()
        self.iam = iam

    def prepare(self):
        keys = {"accessKey": self.access_key, "secretKey": self.secret_key}
        admin = {"name": "admin", "credentials": [keys], "actions": ["Admin", "Read", "Write", "List", "Tagging"]}
        (self.folder / "data").mkdir()
        (self.folder / "s3.json").write_text(json.dumps({"identities": [admin]}))
        if self.iam:
            (self.folder / "iam.json").write_text(json.dumps(self.iam))

    def command(self):
        names = [f"{part}.port{grpc}" for part in ("s3", "master", "volume", "filer") for grpc in ("", ".grpc")]
        return [DEPS / self.needs, "server", "-dir=data", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-master.telemetry=false",
                "-master.volumeSizeLimitMB=1024", "-volume.max=10000", "-volume.preStopSeconds=0", "-s3", "-s3.config=s3.json",
                "-s3.port.iceberg=0", "-s3.port.lance=0", *(f"-{name}={port}" for name, port in zip(names, self.ports)),
                *(["-s3.iam.config=iam.json"] if self.iam else [])]

    def left_behind(self):
        kinds = ("s3", "master", "volume", "filer")
        return [f"/tmp/seaweedfs-{kind}{grpc}-{port}.sock" for kind in kinds for grpc in ("", "-grpc") for port in self.ports]


class Versitygw(Server):
    """S3 over a folder, quick and small. `versioned` keeps old versions in a folder of their own, for buckets that turn it on."""
    name, needs = "versitygw", "versitygw/versitygw"

    def __init__(self, versioned=False):
        super().__init__()
        self.versioned = versioned

    def prepare(self):
        for name in ("data", "versions"):
            (self.folder / name).mkdir()

    def command(self):
        return [DEPS / self.needs, "--port", f"127.0.0.1:{self.ports[0]}", "--region", self.region, "--keep-alive", "--quiet", "posix",
                *(["--versioning-dir", self.folder / "versions"] if self.versioned else []), self.folder / "data"]

    def server_environment(self):
        return {"ROOT_ACCESS_KEY": self.access_key, "ROOT_SECRET_KEY": self.secret_key}


class Moto(Server):
    """Glue, Athena's API without its meaning, and S3, all in memory."""
    name, needs = "moto", "moto/moto/server.py"
    checks_signatures = False

    def command(self):
        return [sys.executable, "-S", "-m", "moto.server", "-H", "127.0.0.1", "-p", self.ports[0]]

    def server_environment(self):
        return {"PYTHONPATH": str(DEPS / "moto")}


class Ministack(Server):
    """S3 whose restores stay pending, and Glue, in memory."""
    name, needs = "ministack", "ministack/ministack/app.py"
    checks_signatures = False

    def command(self):
        return [sys.executable, "-S", "-m", "hypercorn", "ministack.app:app", "-b", f"127.0.0.1:{self.ports[0]}"]

    def server_environment(self):
        return {"PYTHONPATH": str(DEPS / "ministack"), "GATEWAY_PORT": str(self.ports[0]), "MINISTACK_HOST": "127.0.0.1",
                "MINISTACK_REGION": self.region}


class FakeGcs(Server):
    """Google Cloud Storage's JSON API in memory. It speaks no S3 and looks at no token: see gcs_bucket.py for a client."""
    name, needs = "fake-gcs-server", "fake-gcs-server/fake-gcs-server"
    checks_signatures = False

    def command(self):
        return [DEPS / self.needs, "-backend", "memory", "-scheme", "http", "-host", "127.0.0.1", "-port", self.ports[0], "-log-level", "error"]

    def environment(self):
        """For a client of Google: this server, which it asks without an identity."""
        return {"CLOUD_STORAGE_EMULATOR_ENDPOINT": self.endpoint}


class HiveMetastore(Server):
    """Hive's metastore, in memory, over plain Thrift. `store` is a server of S3 whose buckets it looks into, by Hadoop's S3A (`make acceptance` brings
    that). Without one each of `buckets` is an empty folder to it: enough for a catalog, which seldom looks at files."""
    name, needs = "hms", "hms/hive-standalone-metastore-server-4.0.1.jar"
    checks_signatures = False

    def __init__(self, store=None, buckets=("warehouse", "w")):
        super().__init__()
        self.store, self.buckets = store, buckets

    @classmethod
    def is_installed(cls):
        return super().is_installed() and shutil.which("java") is not None

    @property
    def url(self):
        """As tidegate takes it."""
        return f"hive://127.0.0.1:{self.ports[0]}"

    def create_database(self, name):
        """By the demo's own client: Hive's programs are not here."""
        done = subprocess.run([sys.executable, ROOT / "examples/partition-swap/metastore.py", self.url, "create-database", name],
                              capture_output=True, text=True, timeout=60)
        if done.returncode != 0:
            raise ServerError(f"the database {name} was not made: {done.stderr}")

    def s3a(self):
        keys = {"endpoint": self.store.endpoint, "endpoint.region": self.store.region, "access.key": self.store.access_key,
                "secret.key": self.store.secret_key, "path.style.access": "true", "connection.ssl.enabled": "false"}
        return {"fs.s3.impl": "org.apache.hadoop.fs.s3a.S3AFileSystem", **{f"fs.s3a.{name}": value for name, value in keys.items()}}

    def folders(self):
        overlay = "org.apache.hadoop.fs.viewfs.ViewFileSystemOverloadScheme"
        found = {}
        for scheme in ("s3", "s3a"):
            found |= {f"fs.{scheme}.impl": overlay, f"fs.viewfs.overload.scheme.target.{scheme}.impl": "org.apache.hadoop.fs.LocalFileSystem"}
        for bucket in self.buckets:
            found[f"fs.viewfs.mounttable.{bucket}.linkMergeSlash"] = (self.folder / "buckets" / bucket).as_uri()
        return found

    def prepare(self):
        for bucket in self.buckets:
            (self.folder / "buckets" / bucket).mkdir(parents=True)
        settings = {
            "metastore.thrift.bind.host": "127.0.0.1",
            "metastore.server.thrift.transport": "",
            "metastore.async.log.enabled": "false",
            "metastore.metastore.event.db.notification.api.auth": "false",
            "metastore.task.threads.always": "",
            "metastore.task.threads.remote": "",
            "metastore.create.as.acid": "false",
            "metastore.schema.verification": "false",
            "datanucleus.schema.autoCreateAll": "true",
            "javax.jdo.option.ConnectionURL": "jdbc:derby:memory:hms;create=true",
            "javax.jdo.option.ConnectionDriverName": "org.apache.derby.jdbc.EmbeddedDriver",
            "metastore.warehouse.dir": (self.folder / "managed").as_uri(),
            "metastore.warehouse.external.dir": (self.folder / "external").as_uri(),
            "hadoop.tmp.dir": str(self.folder / "tmp"),
            **(self.s3a() if self.store else self.folders()),
        }
        properties = "".join(f"<property><name>{name}</name><value>{value}</value></property>\n" for name, value in settings.items())
        file = self.folder / "metastore-site.xml"
        file.touch(mode=0o600)
        file.write_text(f"<configuration>\n{properties}</configuration>\n")
        (self.folder / "metastore-log4j2.properties").write_text(
            "status = ERROR\nrootLogger.level = WARN\nrootLogger.appenderRef.root.ref = console\nappender.console.type = Console\n"
            "appender.console.name = console\nappender.console.layout.type = PatternLayout\nappender.console.layout.pattern = %d %p %c: %m%n\n")

    def command(self):
        jars = [self.folder, DEPS / "hms/*", *([DEPS.parent / "spark-s3/*"] if self.store else [])]
        return ["java", "-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Djava.net.preferIPv4Stack=true",
                f"-Djava.io.tmpdir={self.folder}", f"-Dderby.stream.error.file={self.folder / 'derby.log'}",
                "--add-opens=java.base/java.net=ALL-UNNAMED", "-cp", ":".join(map(str, jars)), "org.apache.hadoop.hive.metastore.HiveMetaStore",
                "-p", self.ports[0]]

    def environment(self):
        return self.store.environment() if self.store else {}

    def answers(self):
        return listens(self.pid, self.ports[0])  # it does so once it is ready

    def log(self):
        text = super().log()
        return text.replace(self.store.secret_key, "***") if self.store else text


# Those that speak S3.
KINDS = {kind.name: kind for kind in (SeaweedFs, Versitygw, Moto, Ministack)}


def web_identity(issuer, client_id, role="reader", actions=("s3:*",)):
    """SeaweedFS's configuration where who has a token of this issuer (its keys are at ISSUER/jwks) may take on one role."""
    trust = {"Effect": "Allow", "Principal": {"Federated": "*"}, "Action": ["sts:AssumeRoleWithWebIdentity"]}
    allowed = {"Effect": "Allow", "Action": list(actions), "Resource": ["*"]}
    oidc = {"issuer": issuer, "clientId": client_id, "jwksUri": f"{issuer}/jwks"}
    return {
        "sts": {"tokenDuration": "1h", "maxSessionLength": "12h", "issuer": "seaweedfs-sts",
                "signingKey": base64.b64encode(secrets.token_bytes(32)).decode(),
                "providers": [{"name": "test", "type": "oidc", "enabled": True, "config": oidc}]},
        "policy": {"defaultEffect": "Deny", "storeType": "memory"},
        "policies": [{"name": "Allowed", "document": {"Version": "2012-10-17", "Statement": [allowed]}}],
        "roles": [{"roleName": role, "roleArn": f"arn:aws:iam::role/{role}", "attachedPolicies": ["Allowed"],
                   "trustPolicy": {"Version": "2012-10-17", "Statement": [trust]}}],
    }


@contextlib.contextmanager
def running(several):
    """Start servers side by side."""
    with contextlib.ExitStack() as stack:
        for server in several:
            stack.callback(server.stop)
            server.start()
        for server in several:
            server.wait()
        yield several


@functools.cache
def boto3():
    """It stands beside moto and not in the venv, which has other versions of what both need."""
    sys.path.insert(0, str(DEPS / "moto"))
    import boto3 as module
    return module


def client(server, service="s3", *, endpoint=None, access_key=None, secret_key=None, **options):
    """A boto3 client that asks once and says what came, unless `retries` says otherwise."""
    options = {"retries": {"total_max_attempts": 1}, "s3": {"addressing_style": "path"}, "read_timeout": 60, **options}
    config = boto3().session.Config(**options)
    return boto3().session.Session().client(
        service, endpoint_url=endpoint or server.endpoint, region_name=server.region, config=config,
        aws_access_key_id=access_key or server.access_key, aws_secret_access_key=secret_key or server.secret_key)
