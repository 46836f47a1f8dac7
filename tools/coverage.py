#!/usr/bin/env python3
"""Prints which share of its lines the tests ran, per folder of src/tidegate, and fails where a floor is not met.

  tools/coverage.py BUILD_TREE      after the tests ran in a tree of the preset "coverage"
"""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FLOORS = {"contract": 90.0, "table": 90.0}


def measure(build):
    """Lines run and lines in all, per file, without the tests themselves."""
    done = subprocess.run(["gcovr", "--root", ROOT, "--filter", "src/tidegate/", "--exclude", r".*_test\.cc", "--json-summary",
                           "-", "-j", "2", "--object-directory", build, build], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"gcovr failed: {done.stderr.strip()[-600:]}")
    return {file["filename"]: (file["line_covered"], file["line_total"]) for file in json.loads(done.stdout)["files"]}


def by_folder(files):
    folders = {}
    for name, (covered, total) in files.items():
        folder = name.split("/")[2]
        before = folders.get(folder, (0, 0))
        folders[folder] = (before[0] + covered, before[1] + total)
    return folders


def share(counts):
    return 100.0 * counts[0] / counts[1] if counts[1] else 100.0


def below_floor(folders, floors=None):
    return [folder for folder, floor in (floors or FLOORS).items() if share(folders.get(folder, (0, 1))) < floor]


def main():
    folders = by_folder(measure(pathlib.Path(sys.argv[1]).resolve()))
    low = below_floor(folders)
    for folder, counts in sorted(folders.items()):
        floor = f"   below its floor of {FLOORS[folder]:.0f} %" if folder in low else ""
        print(f"{folder:<10} {share(counts):5.1f} %  of {counts[1]:5} lines{floor}")
    total = (sum(counts[0] for counts in folders.values()), sum(counts[1] for counts in folders.values()))
    print(f"{'all':<10} {share(total):5.1f} %  of {total[1]:5} lines")
    return 1 if low else 0


if __name__ == "__main__":
    sys.exit(main())
