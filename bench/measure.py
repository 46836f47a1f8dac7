"""Run one command; print its seconds, its peak memory in bytes, and how it ended, as JSON.

A process of its own, and a small one: a child counts the memory of the process that started it as its own.
"""
import json
import os
import sys
import time

start = time.monotonic()
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ,
                       file_actions=[(os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)])
_, status, usage = os.wait4(child, 0)
print(json.dumps({"seconds": time.monotonic() - start, "peak_bytes": usage.ru_maxrss * 1024,
                  "code": os.waitstatus_to_exitcode(status)}))
