"""tools/check_layers.py must see every way to break the table: each test plants one in a tree of its own."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import tool

check_layers = tool.load("check_layers")


class PlantedViolations(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)

    def plant(self, file, text):
        path = self.root / "src/tidegate" / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def problems(self, **kwargs):
        return check_layers.problems(self.root, **kwargs)

    def assert_one(self, *words, **kwargs):
        found = self.problems(**kwargs)
        self.assertEqual(len(found), 1, found)
        for word in words:
            self.assertIn(word, found[0])

    def test_a_tree_that_keeps_the_table_has_no_problem(self):
        self.plant("store/a.cc", '#include "tidegate/base/status.h"\n#include <fcntl.h>\n#include <vector>\n#include <sys/stat.h>\n')
        self.plant("store/a_test.cc", '#include <gtest/gtest.h>\n#include "tidegate/store/a.h"\n')
        self.assertEqual(self.problems(), [])

    def test_an_include_against_the_direction_is_found_with_its_line(self):
        self.plant("base/a.h", '// first line\n#include "tidegate/store/object_store.h"\n')
        self.assert_one("base/a.h:2", "base/ may not include store/")

    def test_deliver_and_ingest_never_include_each_other(self):
        self.plant("deliver/a.cc", '#include "tidegate/ingest/plan.h"\n')
        self.plant("ingest/a.cc", '#include "tidegate/deliver/plan.h"\n')
        self.assertEqual(len(self.problems()), 2)

    def test_an_include_in_a_sub_folder_or_written_with_spaces_is_found(self):
        self.plant("engine/duckdb/a.cc", '  #  include "tidegate/table/metadata.h"\n')
        self.assert_one("engine/duckdb/a.cc:1", "engine/ may not include table/")

    def test_a_folder_that_the_table_lacks_is_found(self):
        self.plant("common/a.h", "")
        self.assert_one("src/tidegate/common", "not in the table")

    def test_a_file_outside_any_folder_is_found(self):
        self.plant("a.cc", "")
        self.assert_one("src/tidegate/a.cc")

    def test_a_third_party_header_outside_its_leaf_is_found(self):
        for header in ("arrow/api.h", "parquet/arrow/reader.h", "duckdb.h", "CLI/CLI.hpp", "toml++/toml.h", "sqlite3.h", "xxhash.h"):
            with self.subTest(header):
                self.plant("status/a.cc", f"#include <{header}>\n")
                self.assert_one(header, "belongs to")

    def test_a_third_party_header_in_its_leaf_is_allowed(self):
        self.plant("parquet/a.cc", "#include <arrow/api.h>\n#include <parquet/types.h>\n")
        self.plant("engine/duckdb/a.cc", "#include <duckdb.h>\n")
        self.assertEqual(self.problems(), [])

    def test_json_comes_only_through_its_one_header(self):
        self.plant("base/json.h", "#include <nlohmann/json.hpp>\n")
        self.plant("base/log.cc", "#include <nlohmann/json.hpp>\n")
        self.assert_one("base/log.cc", "base/json.h")

    def test_test_headers_stay_in_tests(self):
        self.plant("store/a.cc", "#include <gtest/gtest.h>\n")
        self.assert_one("gtest/gtest.h")

    def test_a_header_that_nobody_owns_is_found(self):
        self.plant("store/a.cc", "#include <boost/any.hpp>\n")
        self.assert_one("boost/any.hpp", "no owner")

    def test_a_quoted_include_must_name_the_whole_path(self):
        self.plant("store/a.cc", '#include "object_store.h"\n')
        self.assert_one("whole path")

    def test_a_cycle_in_the_table_is_found(self):
        self.plant("a/a.h", "")
        layers = {"a": check_layers.Layer("", ("b",)), "b": check_layers.Layer("", ("c",)), "c": check_layers.Layer("", ("a",))}
        self.assert_one("cycle", "a -> b -> c -> a", layers=layers)

    def test_a_row_that_names_an_unknown_folder_is_found(self):
        self.plant("a/a.h", "")
        self.assert_one("b, which is not in the table", layers={"a": check_layers.Layer("", ("b",))})

    def test_the_program_exits_1_and_names_the_violation(self):
        self.plant("base/a.h", '#include "tidegate/cli/main.h"\n')
        done = subprocess.run([sys.executable, check_layers.__file__, "--root", str(self.root)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("src/tidegate/base/a.h:1: base/ may not include cli/", done.stdout)


class Document(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.file = self.folder / "architecture.md"

    def test_what_was_written_compares_equal_and_keeps_the_rest(self):
        self.file.write_text(f"# Before\n{check_layers.BEGIN}\nold\n{check_layers.END}\nAfter\n")
        self.assertIsNone(check_layers.write(self.file))
        self.assertIsNone(check_layers.compare(self.file))
        self.assertTrue(self.file.read_text().startswith("# Before\n"))
        self.assertTrue(self.file.read_text().endswith("\nAfter\n"))

    def test_a_stale_block_is_found(self):
        self.file.write_text(f"{check_layers.BEGIN}\nold\n{check_layers.END}\n")
        self.assertIn("make layers", check_layers.compare(self.file))

    def test_missing_markers_are_found(self):
        self.file.write_text("# No block\n")
        self.assertIn(check_layers.BEGIN, check_layers.compare(self.file))

    def test_a_missing_file_is_found(self):
        self.assertIn("architecture.md", check_layers.compare(self.file))

    def test_the_diagram_leaves_out_edges_that_a_longer_path_implies(self):
        edges = set(check_layers.needed_edges(check_layers.LAYERS))
        self.assertIn(("table", "parquet"), edges)
        self.assertNotIn(("table", "base"), edges)


if __name__ == "__main__":
    unittest.main()
