"""What a data engineer would run instead, each in a process of its own, as a scheduler starts it.

  peers.py script FOLDERS OUT        DuckDB: all folders through row_number() into Parquet
  peers.py tuned FOLDERS OUT         DuckDB: the newest position of each repeated key, then a join (the best formulation known)
  peers.py load DATABASE FROM        DuckDB: the current table as a native table, from Parquet
  peers.py merge DATABASE FOLDER     DuckDB: one more folder into the native table
"""
import pathlib
import sys

import duckdb

from history import COLUMNS, ROW_GROUP

LIST = ", ".join(COLUMNS)


def order(path):
    """Place of a folder in the order of the contract (C-20)."""
    folder = path.parent.as_posix()
    return ("/v2/" in folder, "__initial__" not in folder, folder, path.name)


def all_files(bucket):
    return str([str(path) for path in sorted(pathlib.Path(bucket).glob("v*/*/*/**/*.parquet"), key=order)])


def copy_to(out, select):
    pathlib.Path(out).mkdir(parents=True)
    return f"COPY ({select}) TO '{out}/o' (FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE {ROW_GROUP}, FILE_SIZE_BYTES '200MB')"


def script(db, bucket, out):
    db.execute(copy_to(out, f"""SELECT {LIST} FROM read_parquet({all_files(bucket)}, hive_partitioning = false)
        QUALIFY row_number() OVER (PARTITION BY message_id ORDER BY file_index DESC, updated_at DESC, file_row_number DESC) = 1"""))


def tuned(db, bucket, out):
    files = f"read_parquet({all_files(bucket)}, hive_partitioning = false)"
    place = "file_index * 4294967296::UBIGINT + file_row_number"
    db.execute(f"CREATE TEMP TABLE repeated AS SELECT message_id, max({place}) AS newest FROM {files} GROUP BY ALL HAVING count(*) > 1")
    columns = ", ".join(f"f.{name}" for name in COLUMNS)
    db.execute(copy_to(out, f"SELECT {columns} FROM {files} f LEFT JOIN repeated USING (message_id) WHERE newest IS NULL OR newest = {place}"))


def load(db, source):
    db.execute(f"CREATE TABLE messages AS SELECT {LIST} FROM read_parquet('{source}/**/*.parquet')")


def merge(db, folder):
    assign = ", ".join(f"{name} = n.{name}" for name in COLUMNS)
    db.execute(f"""MERGE INTO messages t USING (SELECT {LIST} FROM read_parquet('{folder}/*.parquet', hive_partitioning = false)) n
        ON t.message_id = n.message_id WHEN MATCHED THEN UPDATE SET {assign} WHEN NOT MATCHED THEN INSERT""")


def main():
    task, first, second = sys.argv[1:]
    native = task in ("load", "merge")
    with duckdb.connect(first if native else ":memory:") as db:
        db.execute("SET preserve_insertion_order = false")
        {"script": script, "tuned": tuned, "load": load, "merge": merge}[task](db, *((second,) if native else (first, second)))


if __name__ == "__main__":
    main()
