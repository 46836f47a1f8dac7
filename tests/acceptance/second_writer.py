"""A vendor who is not `tidegate deliver`: the same rows of a delivery bucket, written by another library in other files.

As an UNLOAD of a warehouse does: files of its own sizes, small row groups, no statistics, gzip, zstd or brotli pages, columns in another
order in each folder, data pages of version 2, and INT96 times in one table.
"""
import hashlib
import pathlib
import random
import shutil

import pyarrow as pa
import pyarrow.parquet as pq

class SecondWriter:
    def __init__(self, bucket, out, int96=(), codecs=("gzip", "zstd", "brotli")):
        self.bucket, self.out, self.int96, self.codecs = pathlib.Path(bucket), pathlib.Path(out), set(int96), codecs

    def catch_up(self):
        """Write what is sealed in the first bucket and not yet here; manifests last."""
        for marker in sorted(self.bucket.glob("v[12]/*/*/**/_SUCCESS")):
            folder = marker.parent.relative_to(self.bucket)
            if not (self.out / folder / "_SUCCESS").exists():
                self.write_folder(folder)
        for manifest in sorted(self.bucket.glob("v[12]/_manifests/**/manifest.json")):
            target = self.out / manifest.relative_to(self.bucket)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(manifest, target)

    def write_folder(self, folder):
        chance = random.Random(hashlib.sha256(str(folder).encode()).digest())
        name = ".".join(folder.parts[1:3])
        files = sorted((self.bucket / folder).glob("*.parquet"))
        rows = pa.concat_tables([pq.ParquetFile(file).read() for file in files])
        names = list(rows.column_names)
        chance.shuffle(names)
        rows = rows.select(names)
        target = self.out / folder
        target.mkdir(parents=True, exist_ok=True)
        cuts = sorted(chance.sample(range(1, len(rows)), min(chance.randint(0, 3), max(len(rows) - 1, 0))))
        for number, (begin, end) in enumerate(zip([0, *cuts], [*cuts, len(rows)])):
            pq.write_table(rows.slice(begin, end - begin), target / f"{number:04}_part_00.parquet",
                           row_group_size=chance.randint(10, 80), compression=chance.choice(self.codecs), write_statistics=False,
                           use_dictionary=chance.random() < 0.5, data_page_version=chance.choice(("1.0", "2.0")), data_page_size=512,
                           use_deprecated_int96_timestamps=name in self.int96, store_schema=False)
        (target / "_SUCCESS").touch()
