"""The vendor's reference job (hourly delivery, "Prepare the switch ahead of time") as SQL over a delivery bucket.

Full tables: the greatest folder that holds _SUCCESS, of the version in use. Tables in parts: all folders of v1, and of v2 once
it has a manifest, the latest row per key. It knows nothing of tidegate.
"""
import pathlib


def version_in_use(bucket):
    return "v2" if any((pathlib.Path(bucket) / "v2" / "_manifests").glob("**/*")) else "v1"


def latest_ready(bucket, version, schema, table):
    """The greatest sealed folder, by its path, as the reference job takes it."""
    root = pathlib.Path(bucket)
    return max(str(p.parent.relative_to(root)) for p in (root / version / schema / table).glob("**/_SUCCESS"))


def _files(folder):
    return [str(p) for p in sorted(pathlib.Path(folder).glob("**/*.parquet"))]


def query(bucket, name, columns, key):
    """SQL that gives the table's rows in the order of `columns`. `key`: None for a full table, [] for a plain union."""
    schema, table = name.split(".")
    version = version_in_use(bucket)
    names = ", ".join(columns)
    if key is None:
        return f"SELECT {names} FROM read_parquet({_files(pathlib.Path(bucket) / latest_ready(bucket, version, schema, table))})"
    files = _files(pathlib.Path(bucket) / "v1" / schema / table)
    if version == "v2":
        files += _files(pathlib.Path(bucket) / "v2" / schema / table)
    # Partition columns are read as strings from the path; hours and dates stay text.
    union = f"""SELECT *, regexp_extract(filename, 'etl_date=([^/]+)', 1) AS _date, regexp_extract(filename, 'etl_hour=([^/]+)', 1) AS _hour
                FROM read_parquet({files}, union_by_name = true, filename = true, hive_partitioning = false)"""
    if not key:
        return f"SELECT {names} FROM ({union})"
    return f"""SELECT {names} FROM ({union})
        QUALIFY row_number() OVER (PARTITION BY {', '.join(key)}
            ORDER BY CASE WHEN _date = '__initial__' THEN '0000-00-00' ELSE _date END DESC, _hour DESC) = 1"""
