#!/usr/bin/env python3
"""The checks of `make lint`: format, clang-tidy, layers, left-over markers, Python that compiles.

  tools/lint.py [-j N] [--build DIR]   run all; one line a check, then what is wrong; exit 1 if anything is
  tools/lint.py --fix-format           rewrite the C++ files in the house format

clang-tidy is slow, so a file that passed is remembered by everything its verdict hangs on: the file and the headers of
ours that it includes, how it is compiled, .clang-tidy, tools/deps.lock and the tools' versions. The memory is a folder
of empty files, outside the clone, so that the next clone profits too; entries unused for 30 days go.
"""

import argparse
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

import check_layers

ROOT = pathlib.Path(__file__).resolve().parent.parent
CACHE_DAYS = 30
# Written in two halves so that this file does not find itself.
MARKERS = re.compile(r"\b(" + "|".join(("TO" "DO", "FIX" "ME", "XX" "X", "HA" "CK", "un" "implemented", "not " "implemented")) + r")\b")
TEXT_SUFFIXES = {".h", ".cc", ".py", ".sh", ".cmake", ".txt", ".md", ".toml", ".json", ".lock", ".sql", ".html", ".js", ".css", ""}


def tracked_files(root):
    """What git knows or would add, so that build trees and downloads stay out."""
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=root,
                           capture_output=True, check=True).stdout.decode().split("\0")
    return [root / name for name in names if name and (root / name).is_file()]


def cpp_files(files):
    return [file for file in files if file.suffix in (".h", ".cc")]


def check_format(files):
    done = subprocess.run(["clang-format", "--dry-run", "-Werror", *cpp_files(files)], cwd=ROOT, capture_output=True, text=True)
    names = sorted({line.split(":")[0] for line in done.stderr.splitlines() if ": error:" in line})
    return [f"{pathlib.Path(name).relative_to(ROOT)}: not in the house format; run `make format`" for name in names]


def check_markers(files, root=ROOT):
    found = []
    for file in files:
        if file.suffix not in TEXT_SUFFIXES or file.name == "LICENSE":
            continue
        try:
            text = file.read_text()
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if match := MARKERS.search(line):
                found.append(f"{file.relative_to(root)}:{number}: left-over marker: {match[0]}")
    return found


def check_python(files):
    found = []
    for file in files:
        if file.suffix == ".py":
            try:
                compile(file.read_text(), str(file), "exec")
            except SyntaxError as error:
                found.append(f"{file}:{error.lineno}: {error.msg}")
    return found


@functools.cache
def own_includes(file):
    headers = re.findall(r'^\s*#\s*include\s*"(tidegate/[^"]+)"', file.read_text(), re.MULTILINE)
    return [path for header in headers if (path := ROOT / "src" / header).exists()]


def closure(file):
    """The file and every header of ours that it includes, directly or not."""
    found, due = {file}, [file]
    while due:
        for path in own_includes(due.pop()):
            if path not in found:
                found.add(path)
                due.append(path)
    return found


def verdict_key(entry, versions):
    """Names everything that clang-tidy's verdict on one compile command hangs on, the same in every clone."""
    digest = hashlib.sha256(versions.encode())
    command = entry["command"].replace(str(pathlib.Path(entry["directory"])), "BUILD").replace(str(ROOT), "ROOT")
    digest.update(command.encode())
    for path in sorted(closure(pathlib.Path(entry["file"]))):
        digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def tool_versions():
    said = [subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout for tool in ("clang-tidy", "g++")]
    said += [(ROOT / name).read_text() for name in (".clang-tidy", "tools/deps.lock")]
    return "\0".join(said)


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = pathlib.Path(base) / "tidegate/clang-tidy"
    folder.mkdir(parents=True, exist_ok=True)
    oldest = time.time() - CACHE_DAYS * 86400
    for file in folder.iterdir():
        if file.stat().st_mtime < oldest:
            file.unlink(missing_ok=True)
    return folder


def tidy_one(build, file):
    done = subprocess.run(["clang-tidy", "--quiet", "-p", build, "--extra-arg=-Wno-unknown-warning-option", file],
                          capture_output=True, text=True)
    if done.returncode == 0:
        return []
    lines = [line for line in done.stdout.splitlines() if re.search(r": (error|warning): ", line)]
    return lines or [f"{file}: clang-tidy failed: {(done.stdout + done.stderr).strip()[-400:]}"]


def is_checked(file):
    return file.is_relative_to(ROOT / "src") and not file.name.endswith("_test.cc")


def check_tidy(build, jobs):
    entries = json.loads((build / "compile_commands.json").read_text())
    entries = [entry for entry in entries if is_checked(pathlib.Path(entry["file"]))]
    versions, cache = tool_versions(), cache_folder()
    due = {}
    for entry in entries:
        passed = cache / verdict_key(entry, versions)
        if passed.exists():
            passed.touch()
        else:
            due[entry["file"]] = passed
    found = []
    with concurrent.futures.ThreadPoolExecutor(max_workers=jobs) as pool:
        for passed, problems in zip(due.values(), pool.map(functools.partial(tidy_one, build), due)):
            found += problems
            if not problems:
                passed.touch()
    return sorted(set(found))


def report(name, check):
    start = time.monotonic()
    problems = check()
    print(f"{name:<12} {'ok' if not problems else f'{len(problems)} to mend'} ({time.monotonic() - start:.1f} s)", flush=True)
    for problem in problems:
        print(f"  {problem}", flush=True)
    return not problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--fix-format", action="store_true")
    parser.add_argument("--without-tidy", action="store_true", help="the quick checks alone")
    arguments = parser.parse_args()
    files = tracked_files(ROOT)
    if arguments.fix_format:
        return subprocess.run(["clang-format", "-i", *cpp_files(files)]).returncode
    checks = {
        "format": lambda: check_format(files),
        "layers": check_layers.problems,
        "markers": lambda: check_markers(files),
        "python": lambda: check_python(files),
        "clang-tidy": lambda: check_tidy(arguments.build.resolve(), arguments.jobs),
    }
    if arguments.without_tidy:
        del checks["clang-tidy"]
    passed = [report(name, check) for name, check in checks.items()]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
