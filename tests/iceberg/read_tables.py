#!/usr/bin/env python3
"""Do other engines read our tables right? Writes them with WRITER, reads them with PyIceberg and DuckDB, compares rows.

  read_tables.py --writer PROGRAM [--extensions FOLDER]
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
EXPECTED = json.loads((HERE / "expected.json").read_text())


def plain(value):
    """A value as JSON has it: numbers, lists and objects stay, the rest becomes text."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {key: plain(one) for key, one in value.items()}
    return str(value)


def same(reader, name, rows, wanted=None):
    wanted = EXPECTED[name] if wanted is None else wanted
    found = sorted((plain(list(row)) for row in rows), key=lambda row: row[0])
    if found == wanted:
        return True
    print(f"{reader}: {name}: rows differ\n  found  {found}\n  wanted {wanted}", file=sys.stderr)
    return False


def newest(folder):
    return max((folder / "metadata").glob("v*.metadata.json"), key=lambda path: int(path.name[1:].split(".")[0]))


def rows_of(arrow):
    return [tuple(row.values()) for row in arrow.to_pylist()]


def read_with_pyiceberg(lake):
    from pyiceberg.catalog.sql import SqlCatalog
    from pyiceberg.expressions import EqualTo
    from pyiceberg.table import StaticTable

    good = True
    catalog = SqlCatalog("tidegate", uri=f"sqlite:///{lake}/catalog.db")
    listed = sorted(name for _, name in catalog.list_tables("shop"))
    if listed != sorted(EXPECTED):
        print(f"PyIceberg: the catalog lists {listed}", file=sys.stderr)
        good = False
    for name in EXPECTED:
        static = StaticTable.from_metadata(str(newest(lake / "shop" / name)))
        good &= same("PyIceberg by path", name, rows_of(static.scan().to_arrow()))
        named = catalog.load_table(("shop", name))
        good &= same("PyIceberg by name", name, rows_of(named.scan().to_arrow()))
        summary = static.current_snapshot().summary
        deleted = int(summary["total-position-deletes"])
        if int(summary["total-records"]) - deleted != len(EXPECTED[name]):
            print(f"{name}: total-records {summary['total-records']} − {deleted} is not the number of rows", file=sys.stderr)
            good = False
    append = catalog.load_table("shop.append")
    good &= same("PyIceberg, bounds", "append", rows_of(append.scan(row_filter=EqualTo("id", 12)).to_arrow()), [[12, None]])
    constants = catalog.load_table("shop.constants")
    hour = constants.scan(row_filter=EqualTo("etl_hour", "04")).to_arrow()
    good &= same("PyIceberg, partition", "constants", rows_of(hour), [[5, "v2", "2026-11-03", "04"]])
    first = append.snapshots()[0].snapshot_id
    good &= same("PyIceberg, time travel", "append", rows_of(append.scan(snapshot_id=first).to_arrow()), EXPECTED["append"][:2])
    return good


def read_with_duckdb(lake, extensions):
    import duckdb

    db = duckdb.connect(config={"allow_unsigned_extensions": "false", "autoinstall_known_extensions": "false"})
    for extension in ("avro", "iceberg"):
        db.execute(f"LOAD '{extensions / extension}.duckdb_extension'")
    db.execute("SET TimeZone = 'UTC'")
    good = True
    for name in EXPECTED:
        folder = lake / "shop" / name
        for how, path in (("by folder", folder), ("by metadata", newest(folder))):
            good &= same(f"DuckDB {how}", name, rows_of(db.sql(f"SELECT * FROM iceberg_scan('{path}')").to_arrow_table()))
    bounded = db.execute(f"SELECT * FROM iceberg_scan('{lake}/shop/append') WHERE id = 12").fetchall()
    good &= same("DuckDB, bounds", "append", bounded, [[12, None]])
    hour = db.execute(f"SELECT * FROM iceberg_scan('{lake}/shop/constants') WHERE etl_hour = '04'").fetchall()
    good &= same("DuckDB, partition", "constants", hour, [[5, "v2", "2026-11-03", "04"]])
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--writer", type=pathlib.Path, required=True)
    parser.add_argument("--extensions", type=pathlib.Path, help="folder of avro and iceberg for DuckDB")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tidegate-iceberg-") as folder:
        lake = pathlib.Path(folder).resolve() / "lake"
        subprocess.run([arguments.writer, lake], check=True)
        good = read_with_pyiceberg(lake)
        if arguments.extensions:
            good &= read_with_duckdb(lake, arguments.extensions)
    print("all readers agree" if good else "readers disagree")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
