"""tools/lint.py: each check finds what is planted for it, and the memory of clang-tidy forgets when it must."""

import pathlib
import shutil
import sys
import tempfile
import unittest

import tool

sys.path.insert(0, str(tool.ROOT / "tools"))
lint = tool.load("lint")


class Planted(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        self.addCleanup(setattr, lint, "ROOT", lint.ROOT)
        lint.ROOT = self.root

    def plant(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        lint.own_includes.cache_clear()
        return path

    def test_a_left_over_marker_is_found_with_its_line(self):
        file = self.plant("a.cc", "int a;\n// TO" + "DO: later\n")
        self.assertEqual(lint.check_markers([file], self.root), ["a.cc:2: left-over marker: TO" + "DO"])

    def test_a_word_that_holds_a_marker_is_fine(self):
        self.assertEqual(lint.check_markers([self.plant("a.cc", "// HA" + "CKNEY carriage\n")], self.root), [])

    def test_python_that_does_not_compile_is_found(self):
        file = self.plant("a.py", "def f(:\n")
        self.assertEqual(len(lint.check_python([file])), 1)

    def key(self, command="g++ -c a.cc", versions="1"):
        entry = {"file": str(self.root / "src/a.cc"), "directory": str(self.root / "build"), "command": command}
        return lint.verdict_key(entry, versions)

    def test_a_verdict_hangs_on_the_file_its_headers_its_command_and_the_tools(self):
        self.plant("src/a.cc", '#include "tidegate/base/a.h"\n')
        self.plant("src/tidegate/base/a.h", '#include "tidegate/base/b.h"\n')
        self.plant("src/tidegate/base/b.h", '#include "tidegate/base/a.h"\nint b;\n')
        before = self.key()
        self.assertEqual(self.key(), before)
        self.assertNotEqual(self.key(command="g++ -O2 -c a.cc"), before)
        self.assertNotEqual(self.key(versions="2"), before)
        self.plant("src/tidegate/base/b.h", "int changed;\n")
        self.assertNotEqual(self.key(), before)

    def test_a_verdict_is_the_same_in_another_clone(self):
        self.plant("src/a.cc", "int a;\n")
        before = self.key(command=f"g++ -I{self.root}/src -o {self.root}/build/a.o")
        other = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, other)
        self.root = lint.ROOT = other
        self.plant("src/a.cc", "int a;\n")
        self.assertEqual(self.key(command=f"g++ -I{self.root}/src -o {self.root}/build/a.o"), before)


if __name__ == "__main__":
    unittest.main()
