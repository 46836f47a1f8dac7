"""Iceberg's own Java library reads what tidegate wrote beside the data: metadata, manifest lists, manifests. It runs in Spark's JVM."""
import collections
import json
import pathlib
import re

ADDED, EXISTING, DELETED = "ADDED", "EXISTING", "DELETED"


def members(text):
    """Of metadata, to be compared: Java writes some with other spaces, and empty lists that need not be there."""
    value = json.loads(re.sub(r"decimal\((\d+), ", r"decimal(\1,", text))
    return {name: item for name, item in value.items() if name not in ("statistics", "partition-statistics") or item}


class JavaLibrary:
    def __init__(self, spark):
        self.iceberg = spark._jvm.org.apache.iceberg
        self.io = self.iceberg.hadoop.HadoopFileIO(spark._jsc.hadoopConfiguration())
        self.version = self.iceberg.IcebergBuild.version()
        self.seen = collections.defaultdict(set)  # kind of file: paths
        self.entries = self.faults = 0

    def check(self, step, lake, name):
        """All metadata files of a table, and all manifests of all its snapshots."""
        self.where = f"{step}: {name}"
        versions = sorted(lake.joinpath(*name.split("."), "metadata").glob("v*.metadata.json"), key=lambda path: int(path.name[1:].split(".")[0]))
        try:
            for path in versions:
                metadata = self.check_metadata(path)
            read = {}
            for snapshot in metadata.snapshots():
                self.check_snapshot(snapshot, metadata.specsById(), read)
        except Exception as refused:  # whatever the library says, the other tables are checked, too
            self.fault(str(refused)[:500])

    def expect(self, what, found, wanted):
        if found != wanted:
            self.fault(f"{what}: {found}, not {wanted}")

    def fault(self, message):
        print(f"{self.where}: {message}", flush=True)
        self.faults += 1

    def check_metadata(self, path):
        parser = self.iceberg.TableMetadataParser
        metadata = parser.read(self.io, str(path))
        written = parser.toJson(metadata)
        ours, theirs = members(path.read_text()), members(written)
        self.expect(f"{path.name}: members that Java writes otherwise", sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name)), [])
        self.expect(f"{path.name}: what Java wrote reads the same", parser.toJson(parser.fromJson(written)) == written, True)
        self.seen["metadata files"].add(str(path))
        return metadata

    def check_snapshot(self, snapshot, specs, read):
        """`read`: what the manifests hold that other snapshots have, too."""
        self.seen["manifest lists"].add(snapshot.manifestListLocation())
        totals = collections.Counter()
        for manifest in snapshot.allManifests(self.io):
            if manifest.path() not in read:
                read[manifest.path()] = self.check_manifest(manifest, specs)
            totals += read[manifest.path()]
        summary = snapshot.summary()
        for total in ("total-data-files", "total-delete-files", "total-records", "total-position-deletes"):
            self.expect(f"snapshot {snapshot.snapshotId()}: {total}", int(summary[total]), totals[total])

    def check_manifest(self, manifest, specs):
        """What its live entries add to the totals of a snapshot."""
        path = pathlib.Path(manifest.path().removeprefix("file://"))
        self.expect(f"{path.name}: length", path.stat().st_size, manifest.length())
        deletes = manifest.content().toString() == "DELETES"
        files = self.iceberg.ManifestFiles
        reader = (files.readDeleteManifest if deletes else files.read)(manifest, self.io, specs)
        count, rows, totals, sequences = collections.Counter(), collections.Counter(), collections.Counter(), []
        entries = reader.entries().iterator()
        while entries.hasNext():
            entry = entries.next()
            status, file = entry.status().toString(), entry.file()
            count[status] += 1
            rows[status] += file.recordCount()
            if status != DELETED:
                sequences.append(entry.dataSequenceNumber())
                self.check_file(file)
        reader.close()
        live_files, live_rows = count[ADDED] + count[EXISTING], rows[ADDED] + rows[EXISTING]
        totals["total-delete-files" if deletes else "total-data-files"] = live_files
        totals["total-position-deletes" if deletes else "total-records"] = live_rows
        self.expect(f"{path.name}: files", [count[status] for status in (ADDED, EXISTING, DELETED)],
                    [manifest.addedFilesCount(), manifest.existingFilesCount(), manifest.deletedFilesCount()])
        self.expect(f"{path.name}: rows", [rows[status] for status in (ADDED, EXISTING, DELETED)],
                    [manifest.addedRowsCount(), manifest.existingRowsCount(), manifest.deletedRowsCount()])
        if sequences:
            self.expect(f"{path.name}: least sequence number", min(sequences), manifest.minSequenceNumber())
        if manifest.path() not in self.seen["manifests"]:
            self.seen["manifests"].add(manifest.path())
            self.entries += count.total()
        return totals

    def check_file(self, file):
        path = pathlib.Path(file.location().removeprefix("file://"))
        self.expect(f"{path}: size", path.stat().st_size if path.exists() else "no such file", file.fileSizeInBytes())
