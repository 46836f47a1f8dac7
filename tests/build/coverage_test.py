"""tools/coverage.py adds up per folder and holds the floors."""

import unittest

import tool

coverage = tool.load("coverage")


class Floors(unittest.TestCase):
    def test_lines_are_added_up_per_folder(self):
        files = {"src/tidegate/table/a.cc": (9, 10), "src/tidegate/table/sub/b.cc": (0, 10), "src/tidegate/base/c.cc": (1, 1)}
        self.assertEqual(coverage.by_folder(files), {"table": (9, 20), "base": (1, 1)})

    def test_a_folder_below_its_floor_is_named_and_one_on_it_is_not(self):
        self.assertEqual(coverage.below_floor({"table": (89, 100), "contract": (90, 100)}), ["table"])

    def test_a_folder_that_was_not_measured_is_below_its_floor(self):
        self.assertEqual(coverage.below_floor({"contract": (1, 1)}), ["table"])


if __name__ == "__main__":
    unittest.main()
