"""Runs a program beside servers, which are up before it starts and gone after it: the code it ends with is ours.

    run_with.py --servers seaweedfs,moto [--if-installed versitygw] [--proxied seaweedfs] [--hms] -- PROGRAM ARGUMENT…

For each server the program finds TIDEGATE_TEST_S3_<NAME> (its endpoint), TIDEGATE_TEST_S3_<NAME>_KEY, …_SECRET, …_REGION and …_BUCKET, an
empty bucket; for one that is proxied, too, …_PROXY (the endpoint of a fault proxy before it) and …_CONTROL (where that proxy takes its plan).
With --hms there is a Hive Metastore, too: TIDEGATE_TEST_HMS_HOST and …_PORT. Where it is not installed, nothing is run, and the code is 77.
With --athena, which needs seaweedfs and moto, also TIDEGATE_TEST_ATHENA: athena_facade.py over both.
"""
import argparse
import contextlib
import ctypes
import os
import signal
import subprocess
import sys

import athena_facade
import fault_proxy
import servers

LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1
BUCKET = "tidegate-test"
SKIPPED = 77


def names(text):
    wanted = [name for name in text.split(",") if name]
    for name in wanted:
        if name not in servers.KINDS:
            raise argparse.ArgumentTypeError(f"no server is called {name}; there are {', '.join(servers.KINDS)}")
    return wanted


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--servers", type=names, default=[], metavar="NAME,…")
    parser.add_argument("--if-installed", type=names, default=[], metavar="NAME,…", help="these, too, but not where they are not installed")
    parser.add_argument("--proxied", type=names, default=[], metavar="NAME,…", help="before these of them there is a fault proxy, too")
    parser.add_argument("--hms", action="store_true", help="a Hive Metastore, too")
    parser.add_argument("--athena", action="store_true", help="Athena's API over seaweedfs and moto")
    parser.add_argument("program", nargs="+")
    given = parser.parse_args()
    if given.athena and not {"seaweedfs", "moto"} <= set(given.servers):
        parser.error("--athena needs --servers seaweedfs,moto")
    return given


def variables(server):
    prefix = f"TIDEGATE_TEST_S3_{server.name.upper()}"
    return {prefix: server.endpoint, f"{prefix}_KEY": server.access_key, f"{prefix}_SECRET": server.secret_key, f"{prefix}_REGION": server.region,
            f"{prefix}_BUCKET": BUCKET}


@contextlib.contextmanager
def proxies(several):
    """The variables of a fault proxy before each."""
    found = {}
    with contextlib.ExitStack() as stack:
        for server in several:
            proxy = stack.enter_context(fault_proxy.FaultProxy(server.endpoint))
            prefix = f"TIDEGATE_TEST_S3_{server.name.upper()}"
            found |= {f"{prefix}_PROXY": proxy.endpoint, f"{prefix}_CONTROL": stack.enter_context(fault_proxy.control(proxy))}
        yield found


@contextlib.contextmanager
def athena(wanted, several):
    """The variable of Athena's facade, where it is wanted."""
    if not wanted:
        yield {}
        return
    by_name = {server.name: server for server in several}
    with athena_facade.over(by_name["seaweedfs"], by_name["moto"]) as cloud:
        yield {"TIDEGATE_TEST_ATHENA": cloud.athena.endpoint}


def chosen(wanted, if_installed):
    for name in if_installed:
        if servers.KINDS[name].is_installed():
            wanted = [*wanted, name]
        else:
            print(f"without {name}, which is not installed: tools/deps.sh build servers brings it", file=sys.stderr, flush=True)
    return [servers.KINDS[name]() for name in dict.fromkeys(wanted)]


@contextlib.contextmanager
def metastore(wanted):
    """The variables of a Hive Metastore."""
    if not wanted:
        yield {}
        return
    with servers.HiveMetastore() as server:
        yield {"TIDEGATE_TEST_HMS_HOST": "127.0.0.1", "TIDEGATE_TEST_HMS_PORT": str(server.ports[0])}


def run(program, environment):
    """Its end is ours: an exit code, or 128 and the signal, as a shell says it. It does not outlive us."""
    process = subprocess.Popen(program, env=environment, preexec_fn=lambda: LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL))
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda number, _: process.send_signal(number))
    code = process.wait()
    return code if code >= 0 else 128 - code


def main():
    given = arguments()
    if given.hms and not servers.HiveMetastore.is_installed():
        print("the Hive Metastore is not installed: tools/deps.sh build servers brings it", file=sys.stderr)
        return SKIPPED
    try:
        with servers.running(chosen(given.servers, given.if_installed)) as several, \
                proxies([server for server in several if server.name in given.proxied]) as found, metastore(given.hms) as hive, \
                athena(given.athena, several) as facade:
            environment = {**os.environ, **found, **hive, **facade}
            for server in several:
                servers.client(server, "s3").create_bucket(Bucket=BUCKET)
                environment.update(variables(server))
            return run(given.program, environment)
    except (servers.ServerError, OSError) as error:
        print(f"run_with.py: {error}", file=sys.stderr)
        return 125


if __name__ == "__main__":
    sys.exit(main())
