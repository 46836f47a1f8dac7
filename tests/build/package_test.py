"""The installed program runs by itself: with an empty environment, and with nothing out of the build tree or .deps.

  package_test.py BUILD_TREE DEPS_DIR PROGRAM
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, DEPS, PROGRAM = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.prefix = pathlib.Path(tempfile.mkdtemp()).resolve() / "a prefix with spaces"
        cls.addClassCleanup(shutil.rmtree, cls.prefix.parent)
        subprocess.run(["cmake", "--install", BUILD, "--prefix", cls.prefix, "--strip"], check=True, capture_output=True)
        cls.program = cls.prefix / "bin/tidegate"

    def version(self, program):
        return subprocess.run([program, "--version"], env={}, capture_output=True, text=True, check=True).stdout

    def test_it_tells_its_version_with_an_empty_environment(self):
        self.assertRegex(self.version(self.program), r"\d+\.\d+\.\d+")

    def test_the_program_in_the_build_tree_runs_too(self):
        self.assertEqual(self.version(PROGRAM), self.version(self.program))

    def test_it_still_runs_after_the_prefix_moved(self):
        moved = self.prefix.with_name("moved")
        shutil.copytree(self.prefix, moved, symlinks=True)
        self.assertRegex(self.version(moved / "bin/tidegate"), r"\d+\.\d+\.\d+")

    def test_every_library_comes_from_the_prefix_or_the_system(self):
        said = subprocess.run(["ldd", self.program], env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=True).stdout
        self.assertNotIn("not found", said)
        for path in re.findall(r"=> (/.*?) \(0x", said):
            resolved = pathlib.Path(path).resolve()
            self.assertFalse(resolved.is_relative_to(BUILD) or resolved.is_relative_to(DEPS), path)
        for library in ("libarrow.so", "libparquet.so", "libduckdb.so"):
            self.assertRegex(said, rf"{library}\S* => {re.escape(str(self.prefix))}/")

    def test_no_search_path_points_out_of_the_prefix(self):
        for file in [self.program, *(self.prefix / "lib/tidegate").iterdir()]:
            said = subprocess.run(["readelf", "-d", file], capture_output=True, text=True, check=True).stdout
            for paths in re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", said):
                for path in paths.split(":"):
                    self.assertTrue(path.startswith("$ORIGIN"), f"{file}: {path}")

    def test_every_licence_is_there_and_says_something(self):
        licences = self.prefix / "share/doc/tidegate/licences"
        folders = {folder.name for folder in licences.iterdir()}
        self.assertGreaterEqual(folders, {"arrow", "duckdb", "libcli11-dev", "libfmt-dev", "nlohmann-json3-dev",
                                          "libpugixml-dev", "libsqlite3-dev", "libtomlplusplus-dev", "libxxhash-dev", "zlib1g-dev"})
        for file in (file for file in licences.rglob("*") if file.is_file()):
            self.assertGreater(file.stat().st_size, 100, file)
        for name in ("LICENSE", "NOTICE"):
            self.assertTrue((self.prefix / "share/doc/tidegate" / name).exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
