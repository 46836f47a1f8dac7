#!/usr/bin/env python3
"""Moves files between a folder and a bucket, beside the tools that people use for that, in one run on one server (versitygw).

usage: s3.py [--files N] [--megabytes N] [--rounds N]

Down and up: each tool in a process of its own, start-up included, one after the other in each round; medians, ratios to ours, peak memory.
After each transfer the files are compared: names, sizes, and a checksum of each.
TMPDIR on a memory file system (/dev/shm) takes the disk out of the figures; it needs four times the files.
"""
import argparse
import hashlib
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/servers"))

import servers  # noqa: E402

COPY = ROOT / "build/release/bench/tidegate_s3_copy"
PYTHON = ROOT / ".deps/venv/bin/python"
EXTENSION = ROOT / ".deps/duckdb/extensions/httpfs.duckdb_extension"
BUCKET = "bench"

# Each gets SOURCE and TARGET: a folder, or a prefix in the bucket.
BOTO3 = """
import concurrent.futures, os, pathlib, sys
import boto3
from boto3.s3.transfer import TransferConfig
way, folder, prefix = sys.argv[1:]
client = boto3.client("s3", config=boto3.session.Config(max_pool_connections=32))
config = TransferConfig(multipart_chunksize=16 << 20, max_concurrency=10)
folder = pathlib.Path(folder)
def names():
    if way == "up":
        return sorted(p.name for p in folder.iterdir())
    return [o["Key"].rsplit("/", 1)[1] for o in client.list_objects_v2(Bucket="bench", Prefix=prefix + "/")["Contents"]]
def move(name):
    if way == "up":
        client.upload_file(str(folder / name), "bench", f"{prefix}/{name}", Config=config)
    else:
        client.download_file("bench", f"{prefix}/{name}", str(folder / name), Config=config)
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    list(pool.map(move, names()))
"""

PYARROW = """
import os, sys
import pyarrow.fs as fs
way, folder, prefix = sys.argv[1:]
s3 = fs.S3FileSystem(access_key=os.environ["AWS_ACCESS_KEY_ID"], secret_key=os.environ["AWS_SECRET_ACCESS_KEY"], scheme="http",
                     endpoint_override=os.environ["AWS_ENDPOINT_URL"].removeprefix("http://"), region=os.environ["AWS_REGION"])
local, there = (fs.LocalFileSystem(), folder), (s3, f"bench/{prefix}")
(a, b), (c, d) = (local, there) if way == "up" else (there, local)
fs.copy_files(b, d, source_filesystem=a, destination_filesystem=c, chunk_size=16 << 20, use_threads=True)
"""

# DuckDB moves no files; it reads them whole. Down only.
DUCKDB = """
import os, sys
import duckdb
way, folder, prefix = sys.argv[1:]
db = duckdb.connect()
db.execute(f"LOAD '{os.environ['HTTPFS']}'")
db.execute(f"CREATE SECRET (TYPE s3, KEY_ID '{os.environ['AWS_ACCESS_KEY_ID']}', SECRET '{os.environ['AWS_SECRET_ACCESS_KEY']}', URL_STYLE 'path', USE_SSL false, "
           f"REGION '{os.environ['AWS_REGION']}', ENDPOINT '{os.environ['AWS_ENDPOINT_URL'].removeprefix('http://')}')")
print(db.execute(f"SELECT sum(octet_length(content)) FROM read_blob('s3://bench/{prefix}/*')").fetchall())
"""


def tidegate(way, folder, prefix):
    places = [str(folder), f"s3://{BUCKET}/{prefix}"]
    return [COPY, "2", *(places if way == "up" else reversed(places))]


def script(text):
    return lambda way, folder, prefix: [PYTHON, "-c", text, way, folder, prefix]


TOOLS = {"tidegate": tidegate, "boto3": script(BOTO3), "pyarrow": script(PYARROW), "duckdb": script(DUCKDB)}


class Failed(Exception):
    pass


def run(command, environment):
    """Seconds and peak memory of one process."""
    began = time.monotonic()
    process = subprocess.Popen(list(map(str, command)), env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise Failed(f"ended with {os.waitstatus_to_exitcode(status)}")
    return time.monotonic() - began, usage.ru_maxrss / 1024


def make_files(folder, count, megabytes):
    folder.mkdir()
    for number in range(count):
        with open(folder / f"part-{number:04}.parquet", "wb") as file:
            for _ in range(megabytes):
                file.write(os.urandom(1 << 20))


def digests(folder):
    out = {}
    for path in sorted(pathlib.Path(folder).iterdir()):
        with open(path, "rb") as file:
            out[path.name] = hashlib.file_digest(file, "blake2b").hexdigest()
    return out


class Bench:
    def __init__(self, server, folder, wanted):
        self.client, self.folder, self.wanted = servers.client(server, "s3"), folder, wanted
        self.client.create_bucket(Bucket=BUCKET)
        self.environment = {**os.environ, **server.environment(), "HTTPFS": str(EXTENSION),
                            "PYTHONPATH": str(ROOT / ".deps/servers/moto")}
        self.pyarrow_environment = {k: v for k, v in self.environment.items() if k != "PYTHONPATH"}

    def environment_of(self, name):
        return self.environment if name == "boto3" else self.pyarrow_environment

    def measure(self, way, name):
        """A peer may fail now and then (pyarrow does, on this server): it is measured again. We may not."""
        for left in (2, 1, 0):
            try:
                return getattr(self, way)(name)
            except Failed as failed:
                print(f"{way} {name}: {failed}", file=sys.stderr, flush=True)
                if name == "tidegate" or not left:
                    raise SystemExit(f"{way} {name} failed") from failed

    def up(self, name):
        took = run(TOOLS[name]("up", self.folder / "files", f"up-{name}"), self.environment_of(name))
        keys = self.client.list_objects_v2(Bucket=BUCKET, Prefix=f"up-{name}/")["Contents"]
        sizes = {key["Key"].rsplit("/", 1)[1]: key["Size"] for key in keys}
        if sizes != {path.name: path.stat().st_size for path in (self.folder / "files").iterdir()}:
            raise Failed("it did not write what it should have")
        if name != "tidegate":  # ours stays for the way down
            for key in keys:
                self.client.delete_object(Bucket=BUCKET, Key=key["Key"])
        return took

    def down(self, name):
        target = self.folder / "down"
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir()
        took = run(TOOLS[name]("down", target, "up-tidegate"), self.environment_of(name))
        if name != "duckdb" and digests(target) != self.wanted:
            raise Failed("it did not read what is there")
        return took


def report(way, rows, megabytes):
    print(f"\n{way}: {megabytes:,} MB")
    print(f"{'tool':10}  {'seconds':>8}  {'MB/s':>6}  {'to ours':>7}  {'peak MB':>8}")
    ours = statistics.median(seconds for seconds, _ in rows["tidegate"])
    for name, took in rows.items():
        seconds = statistics.median(one for one, _ in took)
        print(f"{name:10}  {seconds:8.2f}  {megabytes / seconds:6.0f}  {seconds / ours:7.2f}  {max(peak for _, peak in took):8.0f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, default=20)
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tidegate-bench-") as folder, servers.Versitygw() as server:
        folder = pathlib.Path(folder)
        make_files(folder / "files", args.files, args.megabytes)
        bench = Bench(server, folder, digests(folder / "files"))
        results = {"up": {}, "down": {}}
        for number in range(args.rounds):
            for way, names in (("up", ["tidegate", "boto3", "pyarrow"]), ("down", list(TOOLS))):
                for name in names[number % len(names):] + names[:number % len(names)] if number else names:
                    results[way].setdefault(name, []).append(bench.measure(way, name))
                    print(f"{way} {name}: {results[way][name][-1][0]:.2f} s", file=sys.stderr, flush=True)
        for way, rows in results.items():
            report(way, rows, args.files * args.megabytes)


if __name__ == "__main__":
    main()
