"""Comparing tables: lake, source and reference logic, row by row or by a checksum that does not depend on row order."""
import json
import pathlib
import subprocess

import duckdb

import reference

CONSTANTS = {"contract_version", "etl_date", "etl_hour", "snapshot_date", "snapshot_hour"}


def newest_metadata(table_folder, db=None):
    """The lake's pointer: the greatest N of vN.metadata.json. In a bucket it is `db` that lists."""
    if str(table_folder).startswith("s3://"):
        found = [row[0] for row in db.execute(f"FROM glob('{table_folder}/metadata/v*.metadata.json')").fetchall()]
    else:
        found = map(str, pathlib.Path(table_folder, "metadata").glob("v*.metadata.json"))
    return max(found, key=lambda path: int(path.rpartition("/v")[2].split(".")[0]))


def connect(extensions, server=None):
    """DuckDB with its iceberg extension: a reader that nobody here wrote. `server`: whose buckets it reads, too."""
    db = duckdb.connect(config={"autoinstall_known_extensions": "false"})
    db.execute("SET TimeZone = 'UTC'")
    for name in ("avro", "iceberg", *(["httpfs"] if server else [])):
        db.execute(f"LOAD '{pathlib.Path(extensions) / (name + '.duckdb_extension')}'")
    if server:
        db.execute(f"""CREATE SECRET (TYPE s3, KEY_ID '{server.access_key}', SECRET '{server.secret_key}', REGION '{server.region}',
                       ENDPOINT '{server.endpoint.removeprefix("http://")}', URL_STYLE path, USE_SSL false)""")
    return db


def lake_scan(lake, name, db=None):
    folder = "/".join([str(lake), *name.split(".")])
    return f"iceberg_scan('{newest_metadata(folder, db)}')"


def columns_of(db, relation):
    return [row[0] for row in db.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall() if row[0] not in CONSTANTS]


def differences(db, left, right):
    """Rows of one side that the other lacks, repeats counted."""
    sql = f"SELECT count(*) FROM (({left}) EXCEPT ALL ({right}))"
    other = f"SELECT count(*) FROM (({right}) EXCEPT ALL ({left}))"
    return db.execute(sql).fetchone()[0] + db.execute(other).fetchone()[0]


def compare_with_source(db, lake, source, names):
    """{table: (rows, differences)} of the lake, read by DuckDB's iceberg extension, against the source database."""
    db.execute(f"ATTACH '{source}' AS source_now (READ_ONLY)")
    try:
        out = {}
        for name in names:
            columns = ", ".join(columns_of(db, f"source_now.{name}"))
            mine = f"SELECT {columns} FROM {lake_scan(lake, name, db)}"
            rows = db.execute(f"SELECT count(*) FROM ({mine})").fetchone()[0]
            out[name] = (rows, differences(db, mine, f"SELECT {columns} FROM source_now.{name}"))
        return out
    finally:
        db.execute("DETACH source_now")


def compare_with_reference(db, bucket, lake, keys):
    """{table: (rows, differences)} of the lake against the vendor's reference logic over the same bucket."""
    out = {}
    for name, key in keys.items():
        relation = lake_scan(lake, name, db)
        columns = columns_of(db, relation)
        wanted = reference.query(bucket, name, columns, key)
        mine = f"SELECT {', '.join(columns)} FROM {relation}"
        rows = db.execute(f"SELECT count(*) FROM ({mine})").fetchone()[0]
        out[name] = (rows, differences(db, mine, wanted))
    return out


def checksum_sql(relation, columns):
    """Rows and an order-free checksum: the sum of a 64-bit hash of each row's text. The same in every DuckDB of one release."""
    cells = ", ".join(f"coalesce({c}::VARCHAR, chr(1))" for c in columns)
    return f"SELECT count(*) AS n, coalesce(sum(hash({cells})::HUGEINT), 0)::VARCHAR AS checksum FROM {relation}"


def tidegate_query(binary, lake, sql):
    """Rows of `tidegate query … --format json`, a list of objects."""
    done = subprocess.run([binary, "query", str(lake), sql, "--format", "json"], check=True, capture_output=True, text=True, timeout=300)
    return json.loads(done.stdout)
