#!/usr/bin/env python3
"""Plants known mistakes in a copy of the source tree, one at a time, and demands that the tests turn red for each.

  tools/mutants.py [-j N] [NAME …]   all, or those named; prints which test killed each; exit 1 if one survives
  tools/mutants.py --check           only look whether each mistake still finds its place in the code

The copy lies in a temporary folder and shares the compiler's cache with the tree it came from, so only what a mistake
touches is compiled.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TEST_SECONDS = 300


@dataclasses.dataclass(frozen=True)
class Mutant:
    name: str
    why: str
    file: str
    find: str  # matched token by token, whatever the white space; must stand in the file exactly once
    replace: str
    tests: tuple[str, ...]  # folders whose unit tests are built and run


MUTANTS = (
    Mutant("success-ignored", "_SUCCESS is ignored: a folder counts as sealed as soon as it is there",
           "src/tidegate/bucket/bucket_view.h", "return seal.has_value();", "return true;", ("bucket", "ingest")),
    Mutant("text-order", "folders are ordered as text, __initial__ after all dates",
           "src/tidegate/contract/folder.cc",
           "if (a.is_initial() != b.is_initial()) return b.is_initial() <=> a.is_initial();", "", ("contract", "ingest")),
    Mutant("hour-as-number", "an hour is read as a number: 03 becomes 3",
           "src/tidegate/contract/folder.cc", "delivery.hour = std::string(*hour);",
           "delivery.hour = std::to_string(std::stoi(std::string(*hour)));", ("contract", "ingest")),
    Mutant("greatest-seen", "progress is the greatest folder seen: a late folder counts as applied",
           "src/tidegate/ingest/checkpoint.cc",
           "const auto after = ranges_.upper_bound(delivery);"
           "return after != ranges_.begin() && delivery <= std::prev(after)->second;",
           "return !ranges_.empty() && delivery <= Max();", ("ingest",)),
    Mutant("rewrites-all", "every hour writes all rows of the table anew",
           "src/tidegate/ingest/plan.cc", "const bool rebuild = anew && !now.no_rebuild;",
           "const bool news = plan.before && !folders.empty() &&"
           " !plan.before->applied.Contains(folders.rbegin()->first);\n"
           "  const bool rebuild = (anew || news) && !now.no_rebuild;", ("ingest",)),
    Mutant("late-wins", "a folder that comes late wins over a newer one that the table holds",
           "src/tidegate/ingest/supersede.cc", "if (delivery < delivery_of_[newest.file])",
           "if (delivery != delivery_of_[newest.file])", ("ingest",)),
    Mutant("reseed-appends", "a reseed is added to the old copy",
           "src/tidegate/ingest/table_job.cc", "change.remove_all = plan_.action != Action::kAppend;",
           "change.remove_all = plan_.action != Action::kAppend && plan_.action != Action::kReseed;", ("ingest",)),
    Mutant("null-key-collapses", "rows whose key is null are one row",
           "src/tidegate/ingest/supersede.cc", "if (row.null_key) { out.null_keys.push_back(ref);",
           "if (row.null_key && row.position < 0) { out.null_keys.push_back(ref);", ("ingest",)),
    Mutant("null-key-vanishes", "rows whose key is null are hidden, and nobody is told",
           "src/tidegate/ingest/table_job.cc", "if (keys.null_keys.empty()) return {};",
           "if (keys.null_keys.empty() || !keys.null_keys.empty()) return {};", ("ingest",)),
    Mutant("column-shifts", "columns are matched by their place: where one is missing, the others shift",
           "src/tidegate/ingest/schema_fit.cc",
           "std::find_if(out.fields.begin(), out.fields.end(), [&](const Field& f) { return f.name == column.name; });"
           "if (it == out.fields.end()) { const auto constants",
           "out.fields.begin() + std::min(&column - file_columns.data(), std::ssize(out.fields));\n"
           "    if (it == out.fields.end()) { const auto constants", ("ingest",)),
    Mutant("checkpoint-apart", "progress is not that of the current snapshot: a rollback does not take it back",
           "src/tidegate/ingest/table_state.cc", "for (const table::Snapshot* snapshot : metadata.Ancestry()) {",
           "std::vector<const table::Snapshot*> all;\n"
           "  for (auto it = metadata.snapshots.rbegin(); it != metadata.snapshots.rend(); ++it) all.push_back(&*it);\n"
           "  for (const table::Snapshot* snapshot : all) {", ("ingest",)),
    Mutant("commits-twice", "a retry plans from the progress before the commit that came first",
           "src/tidegate/ingest/ingest.cc",
           "turn = TryTable(name, std::move(state), choice);"
           "if (turn.status.code() != Code::kPreconditionFailed) return turn;"
           "auto again = LoadTableState(lake_, name);  // another writer committed first\n",
           "const auto stale = state.checkpoint;\n"
           "      turn = TryTable(name, std::move(state), choice);\n"
           "      if (turn.status.code() != Code::kPreconditionFailed) return turn;\n"
           "      auto again = LoadTableState(lake_, name);\n"
           "      if (again.ok()) again->checkpoint = stale;\n", ("ingest",)),
    Mutant("collision-is-equality", "two keys that meet in one slot of the hash table are taken for the same",
           "src/tidegate/ingest/key_table.h", "while (slots[at].row != 0 && slots[at].key != key) at = (at + 1) & mask;",
           "if (slots[at].row != 0 && slots[at].key != key) at &= mask;", ("ingest",)),
    Mutant("key-parts-run-together", "the parts of a key are joined without their lengths",
           "src/tidegate/parquet/key_cells.cc", "for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>(length >> shift);",
           "static_cast<void>(length);", ("parquet",)),
    Mutant("etag-not-pinned", "a reader in a bucket takes whatever generation of the object is there",
           "src/tidegate/store/s3/s3_object_store.cc",
           "return NewS3Reader(*client_, transfers_, WithFullKey(object), seen.key);",
           "object.etag.clear();\n  return NewS3Reader(*client_, transfers_, WithFullKey(object), seen.key);", ("store",)),
    Mutant("create-unconditional", "create-if-absent is sent without its condition: it overwrites",
           "src/tidegate/store/s3/s3_client.cc",
           'if (condition.absent) call.request.headers.push_back({"if-none-match", "*"});', "", ("store",)),
    Mutant("first-page-only", "only the first page of a listing is read",
           "src/tidegate/store/s3/s3_listing.cc",
           "if (page.next.empty() || (may_stop && gatherer.size() >= request.max_entries + spare)) break;", "break;", ("store",)),
    Mutant("upload-done-twice", "an upload whose last reply was lost is written a second time",
           "src/tidegate/store/s3/s3_client.cc",
           "return ResolvePut(key, put_id, condition, size_bytes, answer.status()); } void",
           "static_cast<void>(put_id);\n  return Put(key, std::string(size_bytes, 'x'), condition);\n}\n\nvoid", ("store",)),
    Mutant("wrong-path-signed", "the signature is over another path than the one that is sent: dt%3D1",
           "src/tidegate/aws/sigv4.cc", 'request.method + "\\n" + request.path + "\\n"',
           'request.method + "\\n" + UriEncode(request.path, true) + "\\n"', ("aws",)),
    Mutant("runs-by-prefix", "clean-up deletes by prefix: what begins like the run goes with it",
           "src/tidegate/publish/clean.cc", "for (const store::ObjectInfo& file : run.files) { if (file.key != mark)",
           'const auto all = store.List({.prefix = run.folder.substr(0, run.folder.rfind("run="))});\n'
           "  for (const store::ObjectInfo& file : all->objects) {\n    if (file.key != mark)", ("publish",)),
    Mutant("signature-before-flip", "the signature is written before readers are moved",
           "src/tidegate/publish/publish.cc", "if (!passed) outcome_.end = PublishEnd::kAuditFailed;",
           "TG_RETURN_IF_ERROR(MarkPublished(outcome_.plan.folder, Content(), ports_));\n"
           "    if (!passed) outcome_.end = PublishEnd::kAuditFailed;", ("publish",)),
    Mutant("clean-without-catalog", "clean-up takes the newest run for the current one, without a look at the catalog",
           "src/tidegate/publish/clean.cc", "TG_RETURN_IF_ERROR(ReadCatalog(definition, values, ports, pointed, out));",
           "if (!out.runs.empty()) out.current = out.runs.back().folder;\n"
           "  if (out.current) out.referenced.insert(*out.current);\n"
           "  if (out.runs.empty()) TG_RETURN_IF_ERROR(ReadCatalog(definition, values, ports, pointed, out));", ("publish",)),
    Mutant("location-from-memory", "the newest run counts as the current one, whatever the catalog says",
           "src/tidegate/publish/rollback.cc",
           "out.current = RunAt(out.runs, ports.root.url(), out.partition.location);",
           "out.current = out.runs.empty() ? nullptr : &out.runs.back();", ("publish",)),
    Mutant("partition-column-written", "the partition column is written into the files",
           "src/tidegate/publish/partition_plan.cc", "if (ToLower(column) != ToLower(partition.name)) continue;",
           "if (ToLower(column) != ToLower(partition.name) || !column.empty()) continue;", ("publish",)),
    Mutant("entry-errors-ignored", "of a change of several partitions only the whole answer is looked at",
           "src/tidegate/publish/flip.cc",
           "out[which[n]] = ReadBack(table, requests[which[n]], answer, ports);",
           "out[which[n]] = answers.ok() ? Status() : ReadBack(table, requests[which[n]], answer, ports);", ("publish",)),
    Mutant("flip-without-compare", "a partition is changed whatever changed it meanwhile",
           "src/tidegate/catalog/embedded/embedded_catalog.cc", "AND version \" \"= ?7", 'AND version \" \"!= ?7 || \'x\'',
           ("catalog",)),
)


def pattern(text):
    return re.compile(r"\s*".join(re.escape(token) for token in re.findall(r"\w+|[^\w\s]", text)))


def mutate(text, mutant):
    """The text with the mistake in it. Errors: ValueError where its place is not found exactly once."""
    places = list(pattern(mutant.find).finditer(text))
    if len(places) != 1:
        raise ValueError(f"{mutant.name}: its place is found {len(places)} times in {mutant.file}: {mutant.find}")
    return text[:places[0].start()] + mutant.replace + text[places[0].end():]


def check(mutants, root):
    problems = []
    for mutant in mutants:
        try:
            mutate((root / mutant.file).read_text(), mutant)
        except (OSError, ValueError) as error:
            problems.append(str(error))
    return problems


def copy_tree(target):
    """What git knows or would add, as it stands in the work tree."""
    names = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                           capture_output=True, check=True).stdout.decode().split("\0")
    for name in names:
        if name and (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    (target / ".deps").symlink_to(ROOT / ".deps")


class Tree:
    """The copy, and its build tree."""

    def __init__(self, root, jobs):
        self.root, self.jobs = root, jobs
        self.build = root / "build/release"
        self.environment = dict(os.environ, CCACHE_BASEDIR=str(root), CCACHE_NOHASHDIR="1")

    def run(self, command):
        done = subprocess.run(command, cwd=self.root, env=self.environment, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"failed: {' '.join(map(str, command))}\n{(done.stdout + done.stderr)[-4000:]}")

    def configure(self):
        self.run(["cmake", "--preset", "release"])

    def red_tests(self, folders):
        """Build and run the unit tests of some folders; the names of those that failed."""
        self.run(["ninja", "-C", self.build, f"-j{self.jobs}", *(f"tidegate_{folder}_test" for folder in folders)])
        return [f"{folder}: {test}" for folder in folders for test in self.run_tests(folder)]

    def run_tests(self, folder):
        program = self.build / "src/tidegate" / folder / f"tidegate_{folder}_test"
        report = self.build / f"{folder}.json"
        report.unlink(missing_ok=True)
        try:
            done = subprocess.run([program, "--gtest_brief=1", f"--gtest_output=json:{report}"], cwd=program.parent,
                                  capture_output=True, timeout=TEST_SECONDS)
        except subprocess.TimeoutExpired:
            return ["(hangs)"]
        if not report.exists():
            return ["(crashes)"]
        failed = failed_tests(json.loads(report.read_text()))
        return failed or (["(exits with an error)"] if done.returncode != 0 else [])


def failed_tests(report):
    return [f"{suite['name']}.{test['name']}" for suite in report["testsuites"] for test in suite["testsuite"]
            if test.get("failures")]


def kill(tree, mutant):
    file = tree.root / mutant.file
    original = file.read_text()
    file.write_text(mutate(original, mutant))
    red = tree.red_tests(mutant.tests)
    file.write_text(original)
    return red


def table(results):
    """Lines for people; a mutant without red tests has survived."""
    for mutant, red in results:
        verdict = f"killed by {red[0]}" + (f" and {len(red) - 1} more" if len(red) > 1 else "") if red else "SURVIVED"
        yield f"{mutant.name:22} {mutant.why}\n{'':22} {verdict}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-j", dest="jobs", type=int, default=os.cpu_count())
    parser.add_argument("--check", action="store_true")
    parser.add_argument("names", nargs="*", metavar="NAME")
    args = parser.parse_args()
    unknown = set(args.names) - {mutant.name for mutant in MUTANTS}
    if unknown:
        parser.error(f"no such mutant: {', '.join(sorted(unknown))}; there are {', '.join(m.name for m in MUTANTS)}")
    mutants = [mutant for mutant in MUTANTS if not args.names or mutant.name in args.names]
    if problems := check(mutants, ROOT):
        sys.exit("\n".join(problems))
    if args.check:
        return
    with tempfile.TemporaryDirectory(prefix="tidegate-mutants-") as folder:
        tree = Tree(pathlib.Path(folder).resolve(), args.jobs)
        copy_tree(tree.root)
        tree.configure()
        if red := tree.red_tests(sorted({test for mutant in mutants for test in mutant.tests})):
            sys.exit("the tests are red without any mutant:\n  " + "\n  ".join(red))
        print("without a mutant all tests pass", flush=True)
        results = []
        for mutant in mutants:
            results.append((mutant, kill(tree, mutant)))
            print(*table(results[-1:]), sep="\n", flush=True)
    killed = sum(bool(red) for _, red in results)
    print(f"{killed} of {len(results)} mutants killed")
    sys.exit(0 if killed == len(results) else 1)


if __name__ == "__main__":
    main()
