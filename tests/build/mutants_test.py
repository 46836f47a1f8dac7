"""tools/mutants.py finds its places in the code and tells survivors from the dead."""

import pathlib
import tempfile
import unittest

import tool

mutants = tool.load("mutants")


def mutant(find, replace="x", file="a.cc"):
    return mutants.Mutant("some", "a mistake", file, find, replace, ("ingest",))


class Places(unittest.TestCase):
    def test_every_mutant_finds_its_place_in_the_code(self):
        self.assertEqual(mutants.check(mutants.MUTANTS, tool.ROOT), [])

    def test_white_space_does_not_matter(self):
        self.assertEqual(mutants.mutate("a;\n  if (b)\n    return  c;\nd;", mutant("if(b) return c;", "e;")), "a;\n  e;\nd;")

    def test_a_place_that_is_gone_or_not_the_only_one_is_an_error(self):
        for text in ("", "f(); f();"):
            with self.assertRaisesRegex(ValueError, "some: its place is found"):
                mutants.mutate(text, mutant("f();"))

    def test_check_tells_of_each_mutant_that_has_lost_its_place(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "a.cc").write_text("f();")
            problems = mutants.check([mutant("f();"), mutant("g();"), mutant("f();", file="b.cc")], pathlib.Path(folder))
        self.assertEqual(len(problems), 2)


class Verdicts(unittest.TestCase):
    def test_failed_tests_are_read_from_the_report(self):
        report = {"testsuites": [{"name": "A", "testsuite": [{"name": "good"}, {"name": "bad", "failures": [{}]}]}]}
        self.assertEqual(mutants.failed_tests(report), ["A.bad"])

    def test_a_survivor_stands_out(self):
        lines = "\n".join(mutants.table([(mutant("f();"), []), (mutant("f();"), ["ingest: A.b", "ingest: A.c"])]))
        self.assertIn("SURVIVED", lines)
        self.assertIn("killed by ingest: A.b and 1 more", lines)


if __name__ == "__main__":
    unittest.main()
