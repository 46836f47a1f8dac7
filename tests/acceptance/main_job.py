#!/usr/bin/env python3
"""The main job on real data: after every delivery each lake table equals the source and the vendor's reference logic (issue 3,
point 2). Runs demo/run.py and holds it to what it says.

usage: main_job.py --tidegate BINARY [--hours N]
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tidegate", type=pathlib.Path, required=True)
    parser.add_argument("--hours", type=int, default=48)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tidegate-main-job-") as folder:
        command = [sys.executable, ROOT / "demo/run.py", "--tidegate", args.tidegate, "--out", folder, "--hours", str(args.hours), "--check-each"]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    print(done.stdout)
    # Each delivery's line ends with the differences from both sides.
    deliveries = re.findall(r"^  v[12] .*, (\d+) differences$", done.stdout, re.MULTILINE)
    hours = [line for line in done.stdout.splitlines() if re.match(r"  v2 .*differences$", line)]
    failures = []
    if done.returncode != 0:
        failures.append(f"the demo ended with {done.returncode}")
    if len(hours) != args.hours:
        failures.append(f"{len(hours)} hours were checked, not {args.hours}")
    if any(count != "0" for count in deliveries):
        failures.append(f"differences after the deliveries: {deliveries}")
    if not re.search(r": 0 differences from the source, 0 from the reference logic$", done.stdout, re.MULTILINE):
        failures.append("the demo does not say that there were no differences")
    print("\n".join(failures) or f"{len(deliveries)} deliveries, each checked against source and reference logic: 0 differences")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
