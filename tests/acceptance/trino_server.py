"""Trino on one lake, opened by name through a catalog in SQLite, or on Hive-style tables: started on a free port of the loopback, asked over its HTTP
protocol, stopped."""
import base64
import datetime as dt
import decimal
import pathlib
import socket
import struct
import subprocess
import time

import requests

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRINO, JAVA = ROOT / ".deps/trino", ROOT / ".deps/java/bin/java"

CONFIG = """\
coordinator=true
node-scheduler.include-coordinator=true
node.environment=test
node.bind-ip=127.0.0.1
node.internal-address=127.0.0.1
http-server.http.port={port}
discovery.uri=http://127.0.0.1:{port}
catalog.config-dir={folder}/catalog
plugin.dir={trino}/plugin
query.max-memory-per-node=256MB
"""
FOLDER = """\
connector.name=iceberg
iceberg.catalog.type=jdbc
iceberg.jdbc-catalog.driver-class=org.sqlite.JDBC
iceberg.jdbc-catalog.connection-url=jdbc:sqlite:{lake}/catalog.db
iceberg.jdbc-catalog.catalog-name=tidegate
iceberg.jdbc-catalog.default-warehouse-dir={lake_uri}
fs.hadoop.enabled=true
"""
BUCKET = """\
connector.name=iceberg
iceberg.catalog.type=jdbc
iceberg.jdbc-catalog.driver-class=org.sqlite.JDBC
iceberg.jdbc-catalog.connection-url=jdbc:sqlite:{catalog}
iceberg.jdbc-catalog.catalog-name=lakes
iceberg.jdbc-catalog.default-warehouse-dir={lake}
iceberg.register-table-procedure.enabled=true
fs.native-s3.enabled=true
s3.endpoint={endpoint}
s3.region={region}
s3.path-style-access=true
"""
# Hive-style tables in a bucket. Nothing is remembered between two queries.
HIVE = """\
connector.name=hive
hive.metastore-cache-ttl=0s
hive.metastore-stats-cache-ttl=0s
fs.native-s3.enabled=true
s3.endpoint={endpoint}
s3.region={region}
s3.path-style-access=true
"""
METASTORE = """\
hive.metastore=thrift
hive.metastore.uri=thrift://127.0.0.1:{port}
"""
GLUE = """\
hive.metastore=glue
hive.metastore.glue.region={region}
hive.metastore.glue.endpoint-url={endpoint}
hive.metastore.glue.aws-access-key=test
hive.metastore.glue.aws-secret-key=test
"""
# Otherwise Trino rounds times to milliseconds for its client.
HEADERS = {"X-Trino-User": "acceptance", "X-Trino-Catalog": "lake", "X-Trino-Time-Zone": "UTC", "X-Trino-Client-Capabilities": "PARAMETRIC_DATETIME"}


class TrinoError(Exception):
    """`name`: what Trino calls it: TABLE_NOT_FOUND."""

    def __init__(self, message, name=""):
        super().__init__(message)
        self.name = name


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Trino:
    """`catalog`: what the file of the catalog `lake` says, FOLDER or BUCKET above. `others`: more catalogs by name, HIVE and one of those below it."""

    def __init__(self, catalog, folder, others=None):
        self.folder, port = pathlib.Path(folder), free_port()
        self.url = f"http://127.0.0.1:{port}"
        (self.folder / "catalog").mkdir(parents=True)
        (self.folder / "tmp").mkdir()
        (self.folder / "config.properties").write_text(CONFIG.format(folder=self.folder, port=port, trino=TRINO))
        for name, text in {**({"lake": catalog} if catalog else {}), **(others or {})}.items():
            (self.folder / f"catalog/{name}.properties").write_text(text)
        # setpriv: a test that is killed leaves no server behind. Java itself and not Trino's launcher: the process is the server.
        command = ["setpriv", "--pdeathsig", "KILL", JAVA, "-Xmx768m", "-XX:ReservedCodeCacheSize=192m", "-XX:+EnableDynamicAgentLoading",
                   "--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow",
                   "-Duser.timezone=UTC", f"-Djava.io.tmpdir={self.folder / 'tmp'}",
                   f"-Dconfig={self.folder / 'config.properties'}", "-cp", f"{TRINO}/lib/*", "io.trino.server.TrinoServer"]
        with open(self.folder / "log", "wb") as log:
            self.process = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def wait(self, limit_seconds=180):
        """Until it answers; then its version is known."""
        end = time.monotonic() + limit_seconds
        while True:
            if self.process.poll() is not None or time.monotonic() > end:
                raise TrinoError(f"Trino did not start: {(self.folder / 'log').read_text()[-3000:]}")
            try:
                info = requests.get(f"{self.url}/v1/info", timeout=5).json()
                if not info["starting"]:
                    self.version = info["nodeVersion"]["version"]
                    return
            except requests.RequestException:  # not yet, or not whole yet
                pass
            time.sleep(0.2)

    def query(self, sql, limit_seconds=120, schema="", session=""):
        """Names of the columns, and the rows in Python's types. `schema`: for names without one; `session`: "name=value"."""
        headers = {**HEADERS, **({"X-Trino-Schema": schema} if schema else {}), **({"X-Trino-Session": session} if session else {})}
        end = time.monotonic() + limit_seconds
        answer = requests.post(f"{self.url}/v1/statement", data=sql.encode(), headers=headers, timeout=60).json()
        columns, data = [], []
        while True:
            if "error" in answer:
                raise TrinoError(answer["error"]["message"], answer["error"].get("errorName", ""))
            columns = answer.get("columns", columns)
            data += answer.get("data", [])
            if "nextUri" not in answer:
                break
            if time.monotonic() > end:
                requests.delete(answer["nextUri"], headers=HEADERS, timeout=60)
                raise TrinoError(f"no end within {limit_seconds} s: {sql}")
            answer = requests.get(answer["nextUri"], headers=HEADERS, timeout=60).json()
        types = [column["typeSignature"] for column in columns]
        return [column["name"] for column in columns], [[value_of(t, cell) for t, cell in zip(types, row)] for row in data]


def value_of(signature, cell):
    """A cell of Trino's JSON in the type that its column has."""
    if cell is None:
        return None
    inner = [argument["value"] for argument in signature["arguments"]]
    match signature["rawType"]:
        case "decimal":
            return decimal.Decimal(cell)
        case "real":
            return struct.unpack("f", struct.pack("f", float(cell)))[0]  # the shortest text of a 32-bit number
        case "double":
            return float(cell)
        case "date":
            return dt.date.fromisoformat(cell)
        case "timestamp":
            return dt.datetime.fromisoformat(cell)
        case "timestamp with time zone":
            return dt.datetime.fromisoformat(cell.removesuffix(" UTC")).replace(tzinfo=dt.timezone.utc)
        case "varbinary":
            return base64.b64decode(cell)
        case "array":
            return [value_of(inner[0], item) for item in cell]
        case "map":  # its keys are texts here, as JSON's are
            return [(key, value_of(inner[1], item)) for key, item in cell.items()]
        case "row":
            return {field["fieldName"]["name"]: value_of(field["typeSignature"], item) for field, item in zip(inner, cell)}
    return cell
