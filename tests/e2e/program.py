"""Running the program under test, and a test file as a program: `test_x.py --tidegate BINARY [unittest options]`."""
import dataclasses
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "demo"), str(ROOT / "tests/servers")]  # the demo's checks and reference logic are ours, too

EXTENSIONS = ROOT / ".deps/duckdb/extensions"
CRASHES = ("terminate called", "Assertion", "Segmentation fault", "core dumped", "Sanitizer", "Traceback", "internal error")


@dataclasses.dataclass
class Done:
    """How one run ended."""
    arguments: list
    code: int  # negative: the signal that ended it
    out: str
    err: str
    peak_rss_bytes: int

    @property
    def json(self):
        return json.loads(self.out)

    def __str__(self):
        return f"tidegate {' '.join(self.arguments)}\nended with {self.code}\n--- stdout\n{self.out}\n--- stderr\n{self.err}"


class Tidegate:
    """The program. Its working folder is empty, so that no tidegate.toml is found by chance; `environment` are variables it has on
    top of ours."""

    def __init__(self, binary, folder, environment=None):
        self.binary = str(binary)
        self.folder = pathlib.Path(folder)
        self.environment = environment or {}
        self.folder.mkdir(parents=True, exist_ok=True)

    def start(self, *arguments, out=subprocess.DEVNULL, err=subprocess.DEVNULL, **popen):
        ours = {k: v for k, v in os.environ.items() if k != "TIDEGATE_CONFIG" and not k.startswith("AWS_")}
        return subprocess.Popen([self.binary, *map(str, arguments)], cwd=self.folder, env={**ours, **self.environment},
                                stdin=subprocess.DEVNULL, stdout=out, stderr=err, **popen)

    def __call__(self, *arguments, limit_seconds=300, **popen):
        """Run to the end, whatever the end is. A run that hangs is killed, and fails the test."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            process = self.start(*arguments, out=out, err=err, **popen)
            hung = threading.Event()
            guard = threading.Timer(limit_seconds, lambda: (hung.set(), process.kill()))
            guard.start()
            _, status, usage = os.wait4(process.pid, 0)
            guard.cancel()
            process.returncode = os.waitstatus_to_exitcode(status)
            texts = []
            for file in (out, err):
                file.seek(0)
                texts.append(file.read().decode("utf-8", "backslashreplace"))
        done = Done(list(map(str, arguments)), process.returncode, *texts, usage.ru_maxrss * 1024)
        if hung.is_set():
            raise AssertionError(f"did not end within {limit_seconds} s: {done}")
        if done.code < 0 or any(word in done.err for word in CRASHES):
            raise AssertionError(f"crashed: {done}")
        return done

    def must(self, *arguments, **options):
        done = self(*arguments, **options)
        if done.code != 0:
            raise AssertionError(str(done))
        return done


class Case(unittest.TestCase):
    """A test with a temporary folder and the program."""
    binary = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tidegate-e2e-")).resolve()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.tidegate = Tidegate(self.binary, self.folder / "cwd")


def option(name, default=None):
    """Take `--name VALUE` out of the command line."""
    if name not in sys.argv:
        return default
    at = sys.argv.index(name)
    value = sys.argv[at + 1]
    del sys.argv[at:at + 2]
    return value


def main():
    Case.binary = pathlib.Path(option("--tidegate", ROOT / "build/release/bin/tidegate")).resolve()
    began = time.monotonic()
    outcome = unittest.main(module="__main__", exit=False, verbosity=2).result
    print(f"{outcome.testsRun} tests in {time.monotonic() - began:.1f} s")
    sys.exit(0 if outcome.wasSuccessful() else 1)
