"""Amazon Athena as far as its users can tell, for tests: its API on the loopback interface, over a Glue (moto) and a bucket (SeaweedFS).

    with athena_facade.running() as cloud:
        run(program, env=cloud.environment())
        cloud.athena.calls["StopQueryExecution"]

What it does as Athena does
- StartQueryExecution with its token, workgroup and result location; GetQueryExecution, GetQueryResults in pages, StopQueryExecution.
- SELECT reads the registered partitions of Glue's tables, from where each points to.
- UNLOAD writes files without an extension into a folder that must be empty, and a manifest into the result location; at most 100 partitions;
  column names must be there and differ. A SELECT without rows writes no file.
- ALTER TABLE … ADD PARTITION, SET LOCATION, DROP PARTITION and CREATE EXTERNAL TABLE become calls of Glue.
- What goes wrong ends FAILED, in Athena's words.

What it does on request: see Options. Rows are computed by an executor: DuckDb here, Trino in tests/acceptance/athena.py.
"""
import collections
import contextlib
import dataclasses
import http.server
import json
import pathlib
import re
import tempfile
import threading
import uuid

import servers

EXTENSIONS = servers.DEPS.parent / "duckdb/extensions"
MOST_PARTITIONS = 100
MOST_BYTES = 262_144
ROWS_OF_A_PAGE = 1000
NAME = r"(?:`[^`]+`|[A-Za-z_][\w]*)"
TABLE = rf"({NAME})\.({NAME})"
TEXT = r"'(?:[^']|'')*'"
SPEC = rf"PARTITION\s*\((\s*{NAME}\s*=\s*{TEXT}\s*(?:,\s*{NAME}\s*=\s*{TEXT}\s*)*)\)"


class Refused(Exception):
    """StartQueryExecution and its like answer with an error."""

    def __init__(self, kind, message):
        super().__init__(message)
        self.kind = kind


class Failed(Exception):
    """A query ends FAILED."""

    def __init__(self, reason, category=2, error_type=1000, retryable=False):
        super().__init__(reason)
        self.error = {"ErrorCategory": category, "ErrorType": error_type, "Retryable": retryable, "ErrorMessage": reason}


class Stopped(Exception):
    pass


def text_of(literal):
    return literal[1:-1].replace("''", "'")


def ddl_text_of(literal):
    """Hive's grammar takes literals in a row for one: 'it''s' is its."""
    return literal[1:-1].replace("''", "")


def name_of(name):
    return name.strip().strip("`")


def bucket_and_key(location):
    bucket, _, key = location.removeprefix("s3://").partition("/")
    return bucket, key


@dataclasses.dataclass
class Options:
    """What a test turns on."""
    throttle: int = 0  # so many calls are answered with TooManyRequestsException
    lose_start_replies: int = 0  # so many starts happen, and their replies do not arrive
    hold: bool = False  # queries run until they are stopped or this is turned off
    manifest_misses: int = 0  # so many files are not in the manifest
    fail_with: Failed | None = None  # the next query ends so, whatever it is
    count_off_by: int = 0  # UpdateCount is so much greater
    workgroups: dict = dataclasses.field(default_factory=lambda: {"primary": ""})  # name: its result location, "" is none


@dataclasses.dataclass
class Query:
    id: str
    statement: str
    database: str
    output: str  # the result location, with a slash at its end
    state: str = "QUEUED"
    error: dict | None = None
    columns: list = dataclasses.field(default_factory=list)
    rows: list = dataclasses.field(default_factory=list)
    written: int = 0
    stopped: threading.Event = dataclasses.field(default_factory=threading.Event)
    interrupt: object = None


class Tables:
    """Glue's tables as an executor needs them."""

    def __init__(self, glue, s3):
        self.glue, self.s3 = glue, s3

    def find(self, database, table):
        with contextlib.suppress(self.glue.exceptions.EntityNotFoundException):
            return self.glue.get_table(DatabaseName=database, Name=table)["Table"]
        return None

    def all(self):
        for page in self.glue.get_paginator("get_databases").paginate():
            for database in page["DatabaseList"]:
                for tables in self.glue.get_paginator("get_tables").paginate(DatabaseName=database["Name"]):
                    for table in tables["TableList"]:
                        yield database["Name"], table

    def partitions(self, database, table):
        for page in self.glue.get_paginator("get_partitions").paginate(DatabaseName=database, TableName=table):
            yield from page["Partitions"]

    def keys(self, location):
        """What a reader of the location reads."""
        bucket, prefix = bucket_and_key(location)
        prefix = prefix.rstrip("/") + "/"
        for page in self.s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix):
            for found in page.get("Contents", []):
                rest = found["Key"].removeprefix(prefix)
                if not any(part.startswith(("_", ".")) for part in rest.split("/")) and found["Size"]:
                    yield f"s3://{bucket}/{found['Key']}"


class DuckDb:
    """The quick executor: DuckDB over the files that Glue's partitions point to."""

    def __init__(self, tables, storage):
        self.tables, self.storage = tables, storage

    def connect(self):
        import duckdb
        db = duckdb.connect(config={"allow_unsigned_extensions": "true"})
        db.execute(f"LOAD '{EXTENSIONS}/httpfs.duckdb_extension'")
        host = self.storage.endpoint.split("://")[1]
        db.execute(f"CREATE SECRET (TYPE s3, KEY_ID '{self.storage.access_key}', SECRET '{self.storage.secret_key}', REGION 'us-east-1', "
                   f"ENDPOINT '{host}', URL_STYLE 'path', USE_SSL false)")
        db.execute("SET TimeZone = 'UTC'")
        return db

    @staticmethod
    def quoted(text):
        return "'" + text.replace("'", "''") + "'"

    @classmethod
    def type_of(cls, hive):
        return {"string": "VARCHAR", "int": "INTEGER", "float": "REAL"}.get(hive, hive)

    def view(self, db, database, table):
        columns, keys = table["StorageDescriptor"]["Columns"], table.get("PartitionKeys", [])
        empty = ", ".join(f'CAST(NULL AS {self.type_of(one["Type"])}) AS "{one["Name"]}"' for one in columns + keys)
        selects = [f"SELECT {empty} WHERE false"]
        places = [(one["Values"], one["StorageDescriptor"]["Location"]) for one in self.tables.partitions(database, table["Name"])] if keys else [
            ([], table["StorageDescriptor"]["Location"])]
        for values, location in places:
            files = ", ".join(map(self.quoted, self.tables.keys(location)))
            if not files:
                continue
            constants = "".join(f', CAST({"NULL" if value == "__HIVE_DEFAULT_PARTITION__" else self.quoted(value)} AS {self.type_of(key["Type"])}) '
                                f'AS "{key["Name"]}"' for key, value in zip(keys, values))
            selects.append(f"SELECT *{constants} FROM read_parquet([{files}], hive_partitioning = false, union_by_name = true)")
        db.execute(f'CREATE SCHEMA IF NOT EXISTS "{database}"')
        db.execute(f'CREATE VIEW "{database}"."{table["Name"]}" AS ' + " UNION ALL BY NAME ".join(selects))

    @contextlib.contextmanager
    def asked(self, query, sql):
        """A connection that knows the tables whose names stand in the query."""
        import duckdb
        with self.connect() as db:
            query.interrupt = db.interrupt
            try:
                for database, table in self.tables.all():
                    if re.search(rf"\b{re.escape(table['Name'])}\b", sql, re.IGNORECASE):
                        self.view(db, database, table)
                if query.database:
                    db.execute(f'CREATE SCHEMA IF NOT EXISTS "{query.database}"')
                    db.execute(f'USE "{query.database}"')
                yield db
            except duckdb.InterruptException as error:
                raise Stopped from error
            except duckdb.CatalogException as error:
                name = re.search(r"with name (\S+) does not exist", str(error))
                raise Failed(f"TABLE_NOT_FOUND: line 1:15: Table 'awsdatacatalog.{query.database or 'default'}.{name[1] if name else '?'}' does not exist",
                             error_type=1301) from error
            except duckdb.BinderException as error:
                raise Failed("COLUMN_NOT_FOUND: line 1:8: Column cannot be resolved or requester is not authorized to access requested resources: "
                             f"{error}", error_type=1300) from error
            except duckdb.ParserException as error:
                raise Failed(f"SYNTAX_ERROR: line 1:1: mismatched input: {error}", error_type=1006) from error
            except duckdb.Error as error:
                raise Failed(f"HIVE_BAD_DATA: {error}", error_type=1001) from error

    def select(self, query, sql):
        """Names of the columns, and rows of texts."""
        with self.asked(query, sql) as db:
            found = db.execute(sql)
            names = [column[0] for column in found.description]
            return names, [[None if cell is None else str(cell).lower() if isinstance(cell, bool) else str(cell) for cell in row]
                           for row in found.fetchall()]

    def unload(self, query, sql, to, compression):
        """Writes files below `to`; returns their locations and the number of rows."""
        with self.asked(query, sql) as db, tempfile.TemporaryDirectory(prefix="tidegate-unload-") as folder:
            names = [column[0] for column in db.execute(sql).description]
            if len({name.lower() for name in names}) < len(names):
                raise Failed("SYNTAX_ERROR: line 1:1: Column name specified more than once", error_type=1006)
            db.execute(f"CREATE TEMP TABLE result AS {sql}\n")
            rows = db.execute("SELECT count(*) FROM result").fetchone()[0]
            parts = min(3, rows)
            bucket, prefix = bucket_and_key(to)
            written = []
            for part in range(parts):
                file = pathlib.Path(folder) / str(part)
                db.execute(f"COPY (SELECT * FROM result WHERE rowid % {parts} = {part}) TO '{file}' (FORMAT parquet, COMPRESSION {compression})")
                key = f"{prefix}20261102_140501_{part:05}_{uuid.uuid4().hex[:5]}_{uuid.uuid4()}"
                self.tables.s3.put_object(Bucket=bucket, Key=key, Body=file.read_bytes())
                written.append(f"s3://{bucket}/{key}")
            return written, rows


class Statements:
    """What a statement does."""

    def __init__(self, tables, executor, options):
        self.tables, self.executor, self.options = tables, executor, options
        self.kinds = [
            (rf"UNLOAD\s*\((.*)\)\s*TO\s*({TEXT})\s*WITH\s*\((.*)\)", self.unload),
            (rf"ALTER\s+TABLE\s+{TABLE}\s+ADD\s+(IF\s+NOT\s+EXISTS\s+)?({SPEC}\s+LOCATION\s+{TEXT}(?:\s+{SPEC}\s+LOCATION\s+{TEXT})*)", self.add),
            (rf"ALTER\s+TABLE\s+{TABLE}\s+({SPEC})\s+SET\s+LOCATION\s+({TEXT})", self.set_location),
            (rf"ALTER\s+TABLE\s+{TABLE}\s+DROP\s+(IF\s+EXISTS\s+)?({SPEC}(?:\s*,\s*{SPEC})*)", self.drop),
            (rf"CREATE\s+EXTERNAL\s+TABLE\s+{TABLE}\s*\((.*?)\)\s*PARTITIONED\s+BY\s*\((.*?)\)\s*STORED\s+AS\s+PARQUET\s+LOCATION\s+({TEXT})", self.create),
            (rf"DROP\s+TABLE\s+{TABLE}", self.drop_table),
        ]

    def run(self, query):
        statement = query.statement.strip()
        for pattern, act in self.kinds:
            if found := re.fullmatch(pattern, statement, re.IGNORECASE | re.DOTALL):
                return act(query, *found.groups())
        query.columns, query.rows = self.executor.select(query, statement)
        return None

    def unload(self, query, select, to, settings):
        to, settings = text_of(to), dict(re.findall(rf"(\w+)\s*=\s*({TEXT}|ARRAY\s*\[[^]]*\])", settings))
        if text_of(settings.get("format", "''")).upper() != "PARQUET":
            raise Failed("NOT_SUPPORTED: this facade writes PARQUET", error_type=1000)
        if "partitioned_by" in settings:
            by = ", ".join(text_of(one) for one in re.findall(TEXT, settings["partitioned_by"]))
            _, [[count]] = self.executor.select(query, f"SELECT count(*) AS n FROM (SELECT DISTINCT {by} FROM ({select}))")
            if int(count) > MOST_PARTITIONS:
                raise Failed(f"HIVE_TOO_MANY_OPEN_PARTITIONS: Exceeded limit of {MOST_PARTITIONS} open writers for partitions/buckets")
            raise Failed("NOT_SUPPORTED: this facade writes no partitions")
        bucket, prefix = bucket_and_key(to)
        if self.tables.s3.list_objects_v2(Bucket=bucket, Prefix=prefix, MaxKeys=1).get("Contents"):
            raise Failed(f"HIVE_PATH_ALREADY_EXISTS: Target directory for table 'awsdatacatalog.default.temp_{query.id}' already exists: {to}. "
                         "You may need to manually clean the data at this location before retrying. Athena will not delete data in your account.",
                         error_type=1200)
        compression = text_of(settings.get("compression", "'GZIP'"))
        written, query.written = self.executor.unload(query, select, to, compression)
        listed = written[:len(written) - self.options.manifest_misses] if self.options.manifest_misses else written
        bucket, prefix = bucket_and_key(query.output)
        self.tables.s3.put_object(Bucket=bucket, Key=f"{prefix}{query.id}-manifest.csv", Body="".join(f"{one}\n" for one in listed).encode())

    def table(self, database, name):
        found = self.tables.find(name_of(database), name_of(name))
        if not found:
            raise Failed(f"FAILED: SemanticException [Error 10001]: Table not found {name_of(database)}.{name_of(name)}", error_type=1003)
        return found

    def values(self, table, spec):
        given = {name_of(name): ddl_text_of(value) for name, value in re.findall(rf"({NAME})\s*=\s*({TEXT})", spec)}
        keys = [key["Name"] for key in table["PartitionKeys"]]
        if sorted(given) != sorted(keys):
            raise Failed(f"FAILED: SemanticException partition spec {given} doesn't contain all ({len(keys)}) partition columns", error_type=1003)
        return [given[key] for key in keys]

    def add(self, _query, database, name, if_absent, specs, *_):
        table = self.table(database, name)
        several = re.findall(rf"{SPEC}\s+LOCATION\s+({TEXT})", specs, re.IGNORECASE)
        if len(several) > MOST_PARTITIONS:
            raise Failed(f"too many partitions in one statement: {len(several)}", error_type=1003)
        for spec, location in several:
            descriptor = {**table["StorageDescriptor"], "Location": ddl_text_of(location)}
            wanted = {"Values": self.values(table, spec), "StorageDescriptor": descriptor}
            try:
                self.tables.glue.create_partition(DatabaseName=name_of(database), TableName=name_of(name), PartitionInput=wanted)
            except self.tables.glue.exceptions.AlreadyExistsException as error:
                if not if_absent:
                    raise Failed("FAILED: Execution Error, return code 1 from org.apache.hadoop.hive.ql.exec.DDLTask. "
                                 "AlreadyExistsException(message:Partition already exists.)", error_type=1003) from error

    def set_location(self, _query, database, name, _whole, spec, location):
        table = self.table(database, name)
        where = {"DatabaseName": name_of(database), "TableName": name_of(name)}
        values = self.values(table, spec)
        try:
            there = self.tables.glue.get_partition(**where, PartitionValues=values)["Partition"]
        except self.tables.glue.exceptions.EntityNotFoundException as error:
            raise Failed(f"FAILED: SemanticException [Error 10006]: Partition not found {values}", error_type=1003) from error
        there = {key: there[key] for key in ("Values", "StorageDescriptor", "Parameters") if key in there}
        there["StorageDescriptor"]["Location"] = ddl_text_of(location)
        self.tables.glue.update_partition(**where, PartitionValueList=values, PartitionInput=there)

    def drop(self, _query, database, name, if_there, specs, *_):
        table = self.table(database, name)
        for spec in re.findall(SPEC, specs, re.IGNORECASE):
            try:
                self.tables.glue.delete_partition(DatabaseName=name_of(database), TableName=name_of(name), PartitionValues=self.values(table, spec))
            except self.tables.glue.exceptions.EntityNotFoundException as error:
                if not if_there:
                    raise Failed("FAILED: SemanticException [Error 10006]: Partition not found", error_type=1003) from error

    def create(self, _query, database, name, columns, keys, location):
        def read(text):
            return [{"Name": name_of(one), "Type": kind.strip()} for one, kind in re.findall(rf"({NAME})\s+([^,()]+(?:\([^)]*\))?)", text)]
        parquet = "org.apache.hadoop.hive.ql.io.parquet"
        descriptor = {"Columns": read(columns), "Location": ddl_text_of(location), "InputFormat": f"{parquet}.MapredParquetInputFormat",
                      "OutputFormat": f"{parquet}.MapredParquetOutputFormat", "SerdeInfo": {"SerializationLibrary": f"{parquet}.serde.ParquetHiveSerDe"}}
        try:
            self.tables.glue.create_table(DatabaseName=name_of(database), TableInput={
                "Name": name_of(name), "TableType": "EXTERNAL_TABLE", "Parameters": {"EXTERNAL": "TRUE"}, "StorageDescriptor": descriptor,
                "PartitionKeys": read(keys)})
        except self.tables.glue.exceptions.AlreadyExistsException as error:
            raise Failed(f"FAILED: Execution Error, return code 1. AlreadyExistsException(message:Table {name_of(name)} already exists)",
                         error_type=1003) from error
        except self.tables.glue.exceptions.EntityNotFoundException as error:
            raise Failed(f"FAILED: SemanticException [Error 10072]: Database does not exist: {name_of(database)}", error_type=1003) from error

    def drop_table(self, _query, database, name):
        self.table(database, name)
        self.tables.glue.delete_table(DatabaseName=name_of(database), Name=name_of(name))


class Athena:
    """The service. `options` may be changed at any time."""

    def __init__(self, tables, executor):
        self.options = Options()
        self.statements = Statements(tables, executor, self.options)
        self.queries, self.tokens = {}, {}
        self.calls = collections.Counter()
        self.lock = threading.Lock()

    # The four calls.

    def start_query_execution(self, given):
        if len(given["QueryString"].encode()) > MOST_BYTES:
            raise Refused("InvalidRequestException", "1 validation error detected: Value at 'queryString' failed to satisfy constraint: length")
        workgroup = given.get("WorkGroup", "primary")
        if workgroup not in self.options.workgroups:
            raise Refused("InvalidRequestException", f"WorkGroup {workgroup} is not found.")
        output = given.get("ResultConfiguration", {}).get("OutputLocation") or self.options.workgroups[workgroup]
        if not output:
            raise Refused("InvalidRequestException", "No output location provided. You did not provide an output location for your query results.")
        with self.lock:
            token = given.get("ClientRequestToken")
            if token in self.tokens:
                before, query = self.tokens[token]
                if before != given:
                    raise Refused("InvalidRequestException", "Idempotent parameters do not match")
                return {"QueryExecutionId": query.id}
            query = Query(str(uuid.uuid4()), given["QueryString"], given.get("QueryExecutionContext", {}).get("Database", ""), output.rstrip("/") + "/")
            self.queries[query.id] = query
            if token:
                self.tokens[token] = given, query
        threading.Thread(target=self.work, args=(query,), daemon=True).start()
        return {"QueryExecutionId": query.id}

    def query(self, given):
        if given.get("QueryExecutionId") not in self.queries:
            raise Refused("InvalidRequestException", f"QueryExecution {given.get('QueryExecutionId')} was not found")
        return self.queries[given["QueryExecutionId"]]

    def get_query_execution(self, given):
        query = self.query(given)
        status = {"State": query.state}
        if query.error:
            status |= {"StateChangeReason": query.error["ErrorMessage"], "AthenaError": query.error}
        unloads = query.statement.lstrip().upper().startswith("UNLOAD")
        statistics = {"DataScannedInBytes": 0, **({"DataManifestLocation": f"{query.output}{query.id}-manifest.csv"} if unloads else {})}
        return {"QueryExecution": {"QueryExecutionId": query.id, "Query": query.statement, "Status": status, "Statistics": statistics,
                                   "ResultConfiguration": {"OutputLocation": query.output + query.id}}}

    def get_query_results(self, given):
        query = self.query(given)
        if query.state != "SUCCEEDED":
            raise Refused("InvalidRequestException", f"Query has not yet finished. Current state: {query.state}")
        lines = ([query.columns] if query.columns else []) + query.rows
        begin, most = int(given.get("NextToken", 0)), min(given.get("MaxResults", ROWS_OF_A_PAGE), ROWS_OF_A_PAGE)
        page = lines[begin:begin + most]
        rows = [{"Data": [{} if cell is None else {"VarCharValue": cell} for cell in line]} for line in page]
        answer = {"UpdateCount": query.written + self.options.count_off_by, "ResultSet": {"Rows": rows}}
        return answer | ({"NextToken": str(begin + most)} if begin + most < len(lines) else {})

    def stop_query_execution(self, given):
        query = self.query(given)
        query.stopped.set()
        if query.interrupt:
            with contextlib.suppress(Exception):
                query.interrupt()
        return {}

    # Beneath them.

    def work(self, query):
        query.state = "RUNNING"
        try:
            while self.options.hold and not query.stopped.wait(0.01):
                pass
            if query.stopped.is_set():
                raise Stopped
            if failure := self.options.fail_with:
                self.options.fail_with = None
                raise failure
            self.statements.run(query)
            query.state = "SUCCEEDED"
        except Stopped:
            query.state = "CANCELLED"
        except Failed as failure:
            query.error, query.state = failure.error, "FAILED"
        except Exception as error:  # pylint: disable=broad-except
            query.error = Failed(f"GENERIC_INTERNAL_ERROR: {error!r}", category=1, error_type=200).error
            query.state = "FAILED"

    def answer(self, operation, given):
        """Status and body."""
        with self.lock:
            self.calls[operation] += 1
            throttled = self.options.throttle > 0
            self.options.throttle -= throttled
        act = {"StartQueryExecution": self.start_query_execution, "GetQueryExecution": self.get_query_execution,
               "GetQueryResults": self.get_query_results, "StopQueryExecution": self.stop_query_execution}.get(operation)
        try:
            if throttled:
                raise Refused("TooManyRequestsException", "Rate exceeded")
            if not act:
                raise Refused("InvalidRequestException", f"this facade does not know {operation}")
            return 200, act(given)
        except Refused as error:
            return 400, {"__type": error.kind, "message": str(error)}

    def loses(self, operation):
        with self.lock:
            lost = operation == "StartQueryExecution" and self.options.lose_start_replies > 0
            self.options.lose_start_replies -= lost
            return lost

    def __enter__(self):
        athena = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                given = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"{}")
                operation = self.headers.get("X-Amz-Target", "").removeprefix("AmazonAthena.")
                status, body = athena.answer(operation, given)
                if athena.loses(operation):
                    self.close_connection = True
                    return
                data = json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/x-amz-json-1.1")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.endpoint = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()


@dataclasses.dataclass
class Cloud:
    """All that a user of Athena has."""
    storage: servers.Server
    catalog: servers.Server
    athena: Athena
    s3: object
    glue: object

    def environment(self):
        return {**self.storage.environment(), "AWS_ENDPOINT_URL_S3": self.storage.endpoint, "AWS_ENDPOINT_URL_GLUE": self.catalog.endpoint,
                "AWS_ENDPOINT_URL_ATHENA": self.athena.endpoint}


@contextlib.contextmanager
def over(storage, catalog, executor=DuckDb):
    """The facade over servers that run."""
    s3, glue = servers.client(storage), servers.client(catalog, "glue")
    tables = Tables(glue, s3)
    with Athena(tables, executor(tables, storage)) as athena:
        yield Cloud(storage, catalog, athena, s3, glue)


@contextlib.contextmanager
def running(executor=DuckDb):
    with servers.running([servers.SeaweedFs(), servers.Moto()]) as (storage, catalog), over(storage, catalog, executor) as cloud:
        yield cloud
