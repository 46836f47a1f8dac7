"""Runs one server beside a test, and ends it with the test, however that one ends.

`guard.py JOB.json`, started by servers.py. Its standard input is a pipe that the test holds: when it closes, since the test is done
or dead, the server and what it started are killed and its folder is removed. The server's process id goes to standard output.
"""
import contextlib
import ctypes
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1


def start(job):
    """In a group of its own, so that all of it can be ended; and it dies with the guard, too."""
    with open(job["log"], "ab") as log:
        return subprocess.Popen(job["command"], cwd=job["folder"], env=job["environment"], stdin=subprocess.DEVNULL, stdout=log,
                                stderr=log, start_new_session=True, preexec_fn=lambda: LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL))


def end(process, job):
    """By force: to say goodbye takes SeaweedFS half a minute, and the data goes anyway."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for file in job["left_behind"]:
        pathlib.Path(file).unlink(missing_ok=True)
    shutil.rmtree(job["folder"], ignore_errors=True)


def main():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: None)  # Ctrl-C is for the test, whose end is ours; the server does not inherit this
    job = json.loads(pathlib.Path(sys.argv[1]).read_text())
    process = start(job)
    print(process.pid, flush=True)
    while os.read(sys.stdin.fileno(), 1):
        pass
    end(process, job)


if __name__ == "__main__":
    main()
