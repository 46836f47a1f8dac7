#!/usr/bin/env python3
"""Random faults between tidegate and a server of S3: whatever goes wrong, no table is ever wrong, and a rerun ends the work.

usage: s3_faults.py --tidegate BINARY [--schedules N] [--seed S] [--only NUMBER] [--kind CLASS] [--at-once N] [--server NAME] [--show]

A schedule is one run of tidegate (a new lake, more hours for a lake, expire, a delivery, a delivery of big files) and some faults from a
class:
  passing   each fault is one that goes by, and fewer of them than tidegate has attempts: the run must end well, by itself
  lasting   something is refused, or broken for good: the run ends well if it can do without, or it ends in an error that names what it
            is about and what to do; never in a crash, and never with a table that is neither the old one nor the new one
  corrupt   bytes are turned over on their way. Over plain HTTP nobody promises to notice; what is noticed and what not is counted
After each, the rerun without faults must end well and in the right tables, which are those of a run without faults, every row once.
Schedule number N of a seed is always the same, but for which thread meets what.
"""
import argparse
import collections
import concurrent.futures
import contextlib
import dataclasses
import datetime as dt
import multiprocessing
import os
import pathlib
import random
import re
import shutil
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "e2e"))

import program  # noqa: E402
import bucket_folder  # noqa: E402
import checks  # noqa: E402
import fault_proxy  # noqa: E402
import readers  # noqa: E402
import servers  # noqa: E402
import shop  # noqa: E402

HISTORY = "s3://deliveries/history"  # v1 and an hour
HOURS = "s3://deliveries/hours"      # and two more
HOUR = shop.FIRST_HOUR + dt.timedelta(hours=2)
SCENARIOS = {"build": 6, "update": 8, "expire": 4, "deliver": 4, "big": 1}  # of so many schedules
CLASSES = {"passing": 12, "lasting": 6, "corrupt": 2}
SLOW = {"stall": 250, "silent": 120}  # one schedule of so many: a stall lasts 30 s, and to give up on a dead server takes as long
MOST_FAULTS = 8  # of a passing schedule: fewer than attempts of one request
WRITES = ("PUT", "COPY", "DELETE MANY", "PART", "COMPLETE UPLOAD", "CREATE UPLOAD")
NEXT_STEP = re.compile("again|check|see docs|log in|--|restore|set it|mend|tidegate |to find out|is needed")


@dataclasses.dataclass
class Outcome:
    number: int
    scenario: str
    kind: str
    rules: list
    code: int = 0
    err: str = ""
    faults: list = dataclasses.field(default_factory=list)
    rerun: bool = False
    wrong: list = dataclasses.field(default_factory=list)  # tables that are wrong, or not to be read
    broken: list = dataclasses.field(default_factory=list)  # other promises that were not kept
    seconds: float = 0


@dataclasses.dataclass
class Address:
    """What a worker needs to know of the server; the server itself stays with the process that started it."""
    name: str
    endpoint: str
    region: str
    access_key: str
    secret_key: str
    environment: dict

    @classmethod
    def of(cls, server):
        return cls(server.name, server.endpoint, server.region, server.access_key, server.secret_key, server.environment())


class Faults:
    """What goes wrong in a schedule, drawn at random among the requests that the run makes without faults."""

    def __init__(self, random_numbers, log, redirects):
        self.random, self.redirects = random_numbers, redirects
        self.asked = sorted(entry["operation"] for entry in log)
        self.keys = sorted(re.sub(r"-?[0-9a-f]{8}-[0-9a-f-]{27}.*|snap-.*", "", entry["key"]) for entry in log if "/" in entry["key"])

    def some_request(self, operations=None, other_than=()):
        """(operation, number of it)"""
        fitting = [name for name in self.asked if (not operations or name in operations) and name not in other_than] or self.asked
        name = self.random.choice(fitting)
        return name, self.random.randint(1, self.asked.count(name))

    def some_key(self):
        """A part of a key that is the same in each run: no unique ids in it."""
        return re.sub(r"^(hours|faults/[^/]+)/", "", self.random.choice(self.keys))  # what stands before differs from lake to lake

    def passing(self):
        left, rules, once = MOST_FAULTS, [], ["ExpiredToken", "RequestTimeTooSkewed", "redirect"]
        for _ in range(self.random.randint(1, 5)):
            times = min(left, self.random.choice((1, 1, 1, 2, 3)))
            if times < 1:
                break
            left -= times
            rules.append(self.one_that_passes(times, once))
        return rules

    def one_that_passes(self, times, once):
        choice = self.random.choice(("answer", "answer", "answer", "reset_after", "reset_after", "reset_before", "cut", "refuse", "delay", "burst",
                                     *once))
        if choice in once:  # they are mended, not waited for, and only twice
            once.clear()
            return self.mended(choice)
        operation, nth = self.some_request(WRITES if self.random.random() < 0.5 else None)
        if choice == "burst":
            return fault_proxy.Rule("answer", probability=self.random.uniform(0.02, 0.3), times=times, code="SlowDown")
        if choice == "cut":  # an answer that has a body
            operation, nth = self.some_request(("LIST", "GET", "GET RANGE", "COPY", "COMPLETE UPLOAD", "DELETE MANY"))
        more = self.answer(operation) if choice == "answer" else {}
        if choice == "delay":
            more = {"delay_ms": self.random.randint(5, 150)}
        if choice == "cut":
            more = {"at": self.random.random() * 0.98}
        if choice == "refuse":
            more = {"refuse_ms": self.random.randint(5, 60)}
            times = 1
        return fault_proxy.Rule(choice, operation=operation, nth=list(range(nth, nth + times)), times=times, **more)

    def answer(self, operation):
        codes = ("InternalError", "ServiceUnavailable", "SlowDown", "TooManyRequests", "RequestTimeout", "OperationAborted")
        code = self.random.choice(codes[:4] if operation == "HEAD" else codes)  # an answer to HEAD has no body that could say more
        after = operation in WRITES and code in ("InternalError", "ServiceUnavailable") and self.random.random() < 0.5
        return {"code": code, "after": after}

    def mended(self, choice):
        operation, nth = self.some_request()
        if choice == "redirect":
            return fault_proxy.Rule("redirect", operation=operation, nth=nth, times=1, **self.random.choice(self.redirects))
        shift = {"date_shift_seconds": self.random.choice((-7200, -1200, 1200, 86400))} if choice == "RequestTimeTooSkewed" else {}
        # A refused HEAD says nothing, so it is asked again with GET: what struck once is gone by then.
        return fault_proxy.Rule("answer", operation=operation, nth=nth, times=1, code=choice, **shift)

    def lasting(self):
        choice = self.random.choice(("key", "key", "key", "operation", "operation", "from now on", "gone", "precondition", "unsupported"))
        codes = {"key": ["AccessDenied"], "operation": ["AccessDenied"], "from now on": ["ExpiredToken", "RequestTimeTooSkewed", "InvalidAccessKeyId",
                 "SignatureDoesNotMatch", "NoSuchBucket"], "gone": ["NoSuchKey"], "precondition": ["PreconditionFailed"], "unsupported": ["NotImplemented"]}
        code = self.random.choice(codes[choice])
        status = {"InvalidAccessKeyId": 403, "NoSuchBucket": 404, "NotImplemented": 501}.get(code)
        if choice == "key":
            return [fault_proxy.Rule("answer", key=self.some_key(), code=code, status=status)]
        operation, nth = self.some_request(other_than=("HEAD",) if choice == "from now on" else ())
        if choice == "gone":
            return [fault_proxy.Rule("answer", operation="GET RANGE", nth=nth, code=code)]
        if choice == "precondition":
            return [fault_proxy.Rule("answer", operation=["PUT", "COMPLETE UPLOAD"], nth=nth, code=code)]
        if choice == "unsupported":
            operation = self.random.choice(("COPY", "PUT", "DELETE MANY", "CREATE UPLOAD"))
        numbers = list(range(nth, 1000)) if choice == "from now on" else None
        return [fault_proxy.Rule("answer", operation=operation, nth=numbers, code=code, status=status)]

    def silent(self):
        """The server is gone in the middle."""
        _, nth = self.some_request()
        return [fault_proxy.Rule("reset_before", nth=list(range(nth, 1000)))]

    def stall(self):
        operation, nth = self.some_request(("GET", "LIST", "PUT", "GET RANGE"))
        return [fault_proxy.Rule("stall", operation=operation, nth=nth, times=1, at=self.random.random())]

    def corrupt(self):
        at, count = self.random.random() * 0.999, self.random.choice((1, 1, 4, 64))
        if self.random.random() < 0.3:
            operation, nth = self.some_request(("PUT", "PART"))
            return [fault_proxy.Rule("corrupt_upload", operation=operation, nth=nth, times=1, at=at, count=count)]
        operation, nth = self.some_request(("GET", "GET RANGE", "GET RANGE", "LIST"))
        return [fault_proxy.Rule("corrupt", operation=operation, nth=nth, times=1, at=at, count=count)]


class Scenario:
    """One kind of run: what is there before it, its arguments, and what must be there after it. `lab` is where it runs."""

    def __init__(self, lab, mark):
        self.lab, self.mark, self.tidegate = lab, mark, lab.tidegate
        self.lake = f"s3://lakes/faults/{mark}"

    def prepare(self):
        pass

    def old(self):
        """{table: content} before the run."""
        return {}

    def content(self):
        """{table: content} now; a table that cannot be read is a table with the error."""
        out = {}
        for name in shop.KEYS:
            try:
                out[name] = readers.by_duckdb(self.lab.db, self.lake, name)
            except ValueError:  # no metadata: no table
                continue
            except Exception as error:
                out[name] = f"cannot be read: {error}"
        return out

    def new(self):
        return self.lab.expected["new"]

    def wrong_in_the_middle(self):
        old, new, now = self.old(), self.new(), self.content()
        return [f"{name}: {now.get(name)} is neither {old.get(name)} nor {new[name]}" for name in new
                if now.get(name) not in (old.get(name), new[name]) and not self.is_allowed(name)]

    def is_allowed(self, name):
        """Something between the old table and the new one?"""
        return False

    def wrong_at_end(self):
        new, now = self.new(), self.content()
        return [f"{name}: {now.get(name)} instead of {new.get(name)}" for name in sorted(new.keys() | now.keys()) if now.get(name) != new.get(name)]

    def clean_up(self):
        pass


class Build(Scenario):
    def arguments(self):
        return ["ingest", HOURS, self.lake, "--config", self.lab.config, "--json"]

    def is_allowed(self, name):
        """A folder that cannot be read is a gap (C-15): the table is that of the other folders."""
        commits = self.lab.quiet.must("history", self.lake, name, "--json").json
        folders = {folder for commit in commits for folder in commit["folders"]}
        with tempfile.TemporaryDirectory(dir=self.lab.folder) as bucket:
            for folder in folders | {"v2/_manifests"}:
                shutil.copytree(self.lab.folder / "hours" / folder, f"{bucket}/{folder}")
            found = checks.compare_with_reference(self.lab.db, bucket, self.lake, {name: shop.KEYS[name]})
        return found[name][1] == 0


class Update(Build):
    def prepare(self):
        self.lab.quiet.must("ingest", HISTORY, self.lake, "--config", self.lab.config)

    def old(self):
        return self.lab.expected["old"]


class Expire(Scenario):
    def prepare(self):
        for bucket in (HISTORY, HOURS):
            self.lab.quiet.must("ingest", bucket, self.lake, "--config", self.lab.config)

    def old(self):
        return self.new()

    def arguments(self):
        return ["expire", self.lake, "--older-than", "0s"]


class Deliver(Scenario):
    """The tables are the folders that are sealed."""
    source = "source"

    def __init__(self, lab, mark):
        super().__init__(lab, mark)
        self.lake = f"s3://deliveries/faults/{mark}"

    def arguments(self):
        return ["deliver", self.lab.folder / f"{self.source}.duckdb", self.lake, "--config", self.lab.config, "--compression", "none",
                "--delivery", "v1/__initial__", "--at", shop.stamp(HOUR)]

    def content(self):
        place = bucket_folder.Place(self.lab.s3, self.lake)
        etags = {key: etag for key, etag in place.etags().items() if not key.endswith("/_STATE")}
        sealed = [key.removesuffix("_SUCCESS") for key in etags if key.endswith("/_SUCCESS")]
        return {folder: sorted((key, etag) for key, etag in etags.items() if key.startswith(folder)) for folder in sealed}

    def new(self):
        return self.lab.expected[self.source]

    def clean_up(self):
        if self.source == "big":
            place = bucket_folder.Place(self.lab.s3, self.lake)
            place.delete(place.keys())


class Big(Deliver):
    """A file of more than 16 MiB goes up in parts."""
    source = "big"


KINDS = {"build": Build, "update": Update, "expire": Expire, "deliver": Deliver, "big": Big}


def told(rule):
    """What is not as usual in a rule."""
    usual = {field.name: field.default for field in dataclasses.fields(rule)}
    out = {name: value for name, value in dataclasses.asdict(rule).items() if value != usual[name]}
    if isinstance(rule.nth, list) and len(rule.nth) > 9:
        out["nth"] = f"{rule.nth[0]} and all after it"
    return out


def errors_of(done):
    """What a run said went wrong; with --json a part of it stands in the report."""
    with contextlib.suppress(ValueError):
        problems = [f"{problem['folder'] or problem['table']}: {problem['message']}" for problem in done.json["problems"]]
        return "\n".join([done.err.strip(), *problems])
    return done.err


class Lab:
    """What a worker has for itself: a proxy, the program that is led to it, and a reader that is not."""

    def __init__(self, given):
        self.binary, self.server, self.config, self.folder = given["binary"], given["server"], given["config"], given["folder"]
        self.proxy = fault_proxy.FaultProxy(self.server.endpoint)
        self.proxy.up()
        own = self.folder / f"worker-{os.getpid()}"
        environment = self.server.environment
        self.quiet = program.Tidegate(self.binary, own, environment)
        self.tidegate = program.Tidegate(self.binary, own, {**environment, "AWS_ENDPOINT_URL": self.proxy.endpoint})
        self.db = checks.connect(program.EXTENSIONS, self.server)
        self.s3 = servers.client(self.server)
        self.expected, self.logs = given.get("expected", {}), given.get("logs", {})

    def redirects(self):
        """For another region, and for the server's own address. versitygw wants its own region in signatures."""
        there = {"status": 307, "region": self.server.region, "location": self.server.endpoint + "/x"}
        other = [{"status": 301, "region": "eu-north-1"}, {"status": 307, "region": "eu-north-1"}]
        return [there, *([] if self.server.name == "versitygw" else other)]

    def run(self, number, scenario, kind, seed):
        outcome = Outcome(number, scenario, kind, [])
        began = time.monotonic()
        try:
            self.play(outcome, random.Random(f"{seed} {number}"))
        except AssertionError as error:  # a crash, or a rerun that failed
            outcome.broken.append(str(error))
        except Exception as error:
            outcome.broken.append(f"{type(error).__name__}: {error}")
        self.proxy.plan([])
        outcome.seconds = time.monotonic() - began
        return outcome

    def play(self, outcome, random_numbers):
        run = KINDS[outcome.scenario](self, f"{outcome.number}")
        run.prepare()
        rules = getattr(Faults(random_numbers, self.logs[outcome.scenario], self.redirects()), outcome.kind)()
        outcome.rules = [told(rule) for rule in rules]
        self.proxy.forget()
        self.proxy.plan(rules, outcome.number)
        done = self.tidegate(*run.arguments(), limit_seconds=240)
        outcome.faults = [entry["fault"] for entry in self.proxy.faults()]
        self.proxy.plan([])
        outcome.code, outcome.err = done.code, errors_of(done)
        self.judge(outcome, run, done)
        run.clean_up()

    def judge(self, outcome, run, done):
        if self.server.secret_key in done.err + done.out:
            outcome.broken.append("a secret is shown")
        if done.code == 0:
            outcome.wrong = run.wrong_at_end()
            if not outcome.wrong:
                return
            if "answer NoSuchKey" in outcome.faults:  # taken for retention: an older copy of a full table is right then (C-44)
                outcome.wrong = run.wrong_in_the_middle()
            if outcome.kind == "corrupt":  # nobody noticed: the rerun has nothing to mend it by
                return
        else:
            outcome.wrong = run.wrong_in_the_middle()
            self.judge_error(outcome, done)
        outcome.rerun = True
        self.quiet.must(*run.arguments(), limit_seconds=120)
        outcome.wrong += [f"after the rerun: {text}" for text in run.wrong_at_end()]

    @staticmethod
    def judge_error(outcome, done):
        if outcome.kind in ("passing", "stall"):
            outcome.broken.append("it passes, and the run failed")
        if "s3://" not in outcome.err and "shop/" not in outcome.err:
            outcome.broken.append("the error names no object")
        if outcome.kind == "corrupt":
            return
        if done.code != (2 if "there is no such bucket" in outcome.err else 1):  # a wrong name is wrong usage
            outcome.broken.append(f"exit code {done.code}")
        if not NEXT_STEP.search(outcome.err):
            outcome.broken.append("the error says no next step")


LAB = None


def enter(given):
    global LAB
    LAB = Lab(given)


def play(job):
    return LAB.run(*job)


def schedules(count, seed):
    """(number, scenario, class, seed) of each."""
    for number in range(1, count + 1):
        draw = random.Random(f"{seed} {number} kind")
        scenario = draw.choices(list(SCENARIOS), SCENARIOS.values())[0]
        kind = draw.choices(list(CLASSES), CLASSES.values())[0]
        slow = [name for name, every in SLOW.items() if number % every == 2]
        yield number, scenario, slow[0] if slow else kind, seed


def prepare(binary, server, folder):
    """The buckets, the source databases, and what is right."""
    s3 = servers.client(server)
    for bucket in ("deliveries", "lakes"):
        s3.create_bucket(Bucket=bucket)
    quiet = program.Tidegate(binary, folder / "cwd", server.environment)
    store = shop.Shop(quiet, folder / "shop", history_rows=60)
    store.bucket = HISTORY
    store.deliver_v1()
    store.deliver_hour(shop.FIRST_HOUR)
    bucket_folder.Place(s3, HISTORY).download(folder / "history")
    bucket_folder.Place(s3, HOURS).upload(folder / "history")
    store.bucket = HOURS
    for number in (1, 2):
        store.deliver_hour(shop.FIRST_HOUR + dt.timedelta(hours=number), orders=20, clicks=20)
    bucket_folder.Place(s3, HOURS).download(folder / "hours")
    shutil.copy(store.source, folder / "source.duckdb")
    store.alter("INSERT INTO shop.clicks SELECT '2025-03-05T00:00:00Z'::TIMESTAMPTZ + to_milliseconds(i), '/p/' || i, "
                "string_agg(md5(i || '-' || j), '')::BLOB, i FROM range(9000) t(i), range(64) s(j) GROUP BY i ORDER BY i")
    shutil.copy(store.source, folder / "big.duckdb")
    return {"binary": binary, "server": server, "config": store.config, "folder": folder}


def reference(given):
    """Each scenario without faults: what it asks, and the tables it makes."""
    lab = Lab(given)
    expected, logs = lab.expected, {}
    for name, kind in KINDS.items():
        run = kind(lab, f"reference-{name}")
        run.prepare()
        if name == "update":
            expected["old"] = run.content()
        lab.proxy.forget()
        lab.tidegate.must(*run.arguments())
        logs[name] = lab.proxy.log()
        found = run.content()
        place = {"deliver": "source", "big": "big"}.get(name, "new")
        if expected.setdefault(place, found) != found:
            raise SystemExit(f"{name} without faults: {found} is not {expected[place]}")
    vendor = checks.compare_with_source(lab.db, "s3://lakes/faults/reference-update", given["folder"] / "source.duckdb", list(shop.KEYS))
    if any(wrong for _, wrong in vendor.values()):
        raise SystemExit(f"without faults the lake is not the source: {vendor}")
    return {**given, "expected": expected, "logs": logs}


def tell(outcome, show):
    bad = outcome.wrong or outcome.broken
    if bad or show:
        print(f"schedule {outcome.number} ({outcome.scenario}, {outcome.kind}): exit {outcome.code}, {outcome.seconds:.1f} s, "
              f"struck {outcome.faults}\n  rules {outcome.rules}", flush=True)
        for text in [*outcome.wrong, *outcome.broken, outcome.err.strip()]:
            print(f"  {text}", flush=True)


def is_failure(outcome):
    """Corrupt bytes over plain HTTP are nobody's promise; a crash is, and so is a rerun."""
    return bool(outcome.broken) or (outcome.kind != "corrupt" and bool(outcome.wrong))


def figures(outcomes):
    print("\nclass     schedules  struck  ended well  error  rerun  wrong tables  promises not kept")
    for kind in (*CLASSES, *SLOW):
        mine = [o for o in outcomes if o.kind == kind]
        if mine:
            print(f"{kind:<9} {len(mine):>9}  {sum(bool(o.faults) for o in mine):>6}  {sum(o.code == 0 for o in mine):>10}  "
                  f"{sum(o.code != 0 for o in mine):>5}  {sum(o.rerun for o in mine):>5}  {sum(bool(o.wrong) for o in mine):>12}  "
                  f"{sum(bool(o.broken) for o in mine):>17}")
    print("by run:   " + ", ".join(f"{name} {n}" for name, n in collections.Counter(o.scenario for o in outcomes).most_common()))
    print("faults:   " + ", ".join(f"{name} {n}" for name, n in collections.Counter(f for o in outcomes for f in o.faults).most_common()))
    seconds = sorted(o.seconds for o in outcomes)
    print(f"a schedule takes {seconds[len(seconds) // 2]:.2f} s (median), {seconds[-1]:.1f} s at most")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tidegate", type=pathlib.Path, required=True)
    parser.add_argument("--schedules", type=int, default=40)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", type=int, help="this one of them")
    parser.add_argument("--kind", choices=(*CLASSES, *SLOW), help="of this class alone")
    parser.add_argument("--at-once", type=int, default=4)
    parser.add_argument("--server", default="seaweedfs", choices=("seaweedfs", "versitygw"))
    parser.add_argument("--show", action="store_true", help="tell of each schedule")
    return parser.parse_args()


def main():
    args, began = parse(), time.monotonic()
    kind = servers.KINDS[args.server]
    if not kind.is_installed():
        print(f"{args.server} is not installed: tools/deps.sh build servers brings it")
        return
    print(f"seed {args.seed}", flush=True)
    jobs = [job for job in schedules(args.schedules, args.seed) if args.only in (None, job[0]) and args.kind in (None, job[2])]
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tidegate-faults-"))
    with contextlib.ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        server = Address.of(stack.enter_context(kind()))
        given = reference(prepare(args.tidegate.resolve(), server, folder))
        pool = concurrent.futures.ProcessPoolExecutor(args.at_once, multiprocessing.get_context("spawn"), enter, (given,))
        outcomes = []
        with pool:
            for outcome in pool.map(play, jobs):
                tell(outcome, args.show)
                outcomes.append(outcome)
        figures(outcomes)
    print(f"{len(outcomes)} schedules in {time.monotonic() - began:.0f} s, seed {args.seed}")
    sys.exit(1 if any(map(is_failure, outcomes)) else 0)


if __name__ == "__main__":
    main()
