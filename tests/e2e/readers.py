"""Rows and checksums of lake tables, each by another reader. The checksum (demo/checks.py) is a sum over the rows of a hash of
their text: it counts every row and every column, the delivery columns among them, and does not depend on the order of rows."""
import pathlib

import program  # noqa: F401  (finds demo/)
import checks
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import StaticTable


def tables_of(lake):
    """Names of the tables of a lake, as its folders show them."""
    return sorted(f"{p.parent.parent.name}.{p.parent.name}" for p in pathlib.Path(lake).glob("*/*/metadata"))


def folder_of(lake, name):
    return "/".join([str(lake), *name.split(".")])


def properties_of(server):
    """What PyIceberg wants to know of a server to read its buckets."""
    return {"s3.endpoint": server.endpoint, "s3.access-key-id": server.access_key, "s3.secret-access-key": server.secret_key,
            "s3.region": server.region, "s3.force-virtual-addressing": "false"}


def columns_of(db, relation):
    return [f'"{row[0]}"' for row in db.execute(f"DESCRIBE SELECT * FROM {relation}").fetchall()]


def checksum(db, relation):
    """(rows, checksum) of all columns of a relation."""
    return db.execute(checks.checksum_sql(relation, columns_of(db, relation))).fetchone()


def by_duckdb(db, lake, name):
    """DuckDB's iceberg extension, at the newest metadata file."""
    return checksum(db, checks.lake_scan(lake, name, db))


def by_duckdb_folder(db, lake, name):
    """DuckDB's iceberg extension, led by version-hint.text."""
    return checksum(db, f"iceberg_scan('{folder_of(lake, name)}')")


def _of_arrow(db, arrow):
    db.register("as_arrow", arrow)
    try:
        return checksum(db, "as_arrow")
    finally:
        db.unregister("as_arrow")


def by_pyiceberg(db, lake, name, server=None):
    """PyIceberg, at the newest metadata file; `server`: whose buckets the lake is in."""
    properties = properties_of(server) if server else {}
    return _of_arrow(db, StaticTable.from_metadata(checks.newest_metadata(folder_of(lake, name), db), properties).scan().to_arrow())


def by_pyiceberg_catalog(db, lake, name):
    """PyIceberg, by name through catalog.db."""
    catalog = SqlCatalog("tidegate", uri=f"sqlite:///{lake}/catalog.db")
    return _of_arrow(db, catalog.load_table(name).scan().to_arrow())


def by_tidegate(tidegate, db, lake, names, *more):
    """{name: (rows, checksum)} by `tidegate query`, all tables in one query. The columns are those that `query` shows."""
    described = tidegate.must("query", lake, "SELECT table_schema || '.' || table_name AS name, column_name FROM information_schema.columns "
                              "ORDER BY name, ordinal_position", "--format", "json", *more).json
    columns = {name: [f'"{row["column_name"]}"' for row in described if row["name"] == name] for name in names}
    parts = [f"SELECT '{name}' AS name, n, checksum FROM ({checks.checksum_sql(name, columns[name])})" for name in names]
    rows = tidegate.must("query", lake, " UNION ALL ".join(parts), "--format", "json", *more).json
    return {row["name"]: (row["n"], row["checksum"]) for row in rows}
