"""An HTTP/1.1 proxy before an S3 server: it counts what is asked, and lets requests go wrong by a plan.

    with FaultProxy(server.endpoint) as proxy:
        proxy.plan([Rule("answer", operation="PUT", nth=2, code="SlowDown"), Rule("cut", key="*.parquet", probability=0.1)], seed=7)
        ...                                      # the program talks to proxy.endpoint, with the server's keys
        proxy.counts(), proxy.log(), proxy.faults()

Requests and answers pass byte for byte, Host too, so that a signature made for the proxy's address holds at the server. Bodies stream.
The first rule that matches a request strikes. Whether a probability strikes hangs on the seed, on what is asked and on how often that
was asked before, not on the order in which threads come: the same run meets the same faults.

As a program: `fault_proxy.py --upstream http://127.0.0.1:PORT [--plan FILE]`. Its first line is {"endpoint": …, "control": …}. At the
control address: GET /counts, /log, /faults; PUT /plan with {"seed": 7, "rules": [{"action": "answer", "operation": "PUT", "nth": 2}]};
DELETE /log forgets what was counted.
"""
import argparse
import contextlib
import dataclasses
import email.utils
import fnmatch
import hashlib
import http.server
import json
import pathlib
import select
import socket
import struct
import sys
import threading
import time
import urllib.parse
from xml.sax.saxutils import escape

PIECE = 256 << 10
HEAD_LIMIT = 64 << 10
STALL_LIMIT_SECONDS = 600
ACTIONS = ("refuse", "reset_before", "reset_after", "delay", "stall", "cut", "corrupt", "corrupt_upload", "answer", "redirect")
STATUS = {"InternalError": 500, "ServiceUnavailable": 503, "SlowDown": 503, "TooManyRequests": 429, "AccessDenied": 403, "ExpiredToken": 400,
          "RequestTimeTooSkewed": 403, "RequestTimeout": 400, "OperationAborted": 409, "ConditionalRequestConflict": 409, "PreconditionFailed": 412,
          "NoSuchKey": 404, "NoSuchUpload": 404, "InvalidObjectState": 403, "SignatureDoesNotMatch": 403}


@dataclasses.dataclass
class Rule:
    """Which requests, and what happens to them. All that is given must hold."""
    action: str
    operation: object = None  # a name that operation_of gives, or a list of them
    method: str = None
    key: str = None  # a part of the key, or a pattern if it has * or ?; for lists it is the prefix that counts
    nth: object = None  # the 1st, 2nd … of the requests for which all of the above holds; or a list
    probability: float = None
    times: int = None  # then it has done enough
    delay_ms: int = 0  # first of all, for every action; all that "delay" does
    refuse_ms: int = 200  # "refuse": this connection is reset, and new ones are refused for so long
    at: float = 0.5  # "stall", "cut", "corrupt": after which part of the body
    count: int = 1  # "corrupt": so many bytes
    code: str = "InternalError"  # "answer": S3's word
    status: int = None  # "answer", "redirect": unless it is the usual one; an error may come with 200, too
    after: bool = False  # "answer": the server did it all the same
    date_shift_seconds: int = 0  # "answer": a clock that is wrong
    region: str = "eu-north-1"  # "redirect"
    location: str = None  # "redirect": its Location

    def __post_init__(self):
        if self.action not in ACTIONS:
            raise ValueError(f"no fault is called {self.action}; there are {', '.join(ACTIONS)}")
        if self.action == "answer" and not self.status and self.code not in STATUS:
            raise ValueError(f"{self.code} needs a status")
        self.operations = {self.operation} if isinstance(self.operation, str) else set(self.operation or ())
        self.numbers = {self.nth} if isinstance(self.nth, int) else set(self.nth or ())
        self.met = self.struck = 0

    def fits(self, request):
        return ((not self.operations or request.operation in self.operations) and self.method in (None, request.method)
                and (self.key is None or self.key_fits(request.key)))

    def key_fits(self, key):
        return fnmatch.fnmatchcase(key, self.key) if set(self.key) & set("*?[") else self.key in key

    def strikes(self, request, chance):
        """Counts the request, so it must be asked once for each."""
        if not self.fits(request):
            return False
        self.met += 1
        strikes = ((not self.numbers or self.met in self.numbers) and (self.probability is None or chance < self.probability)
                   and (self.times is None or self.struck < self.times))
        self.struck += strikes
        return strikes


class Gone(Exception):
    """The connection is over."""


class Head:
    """The first line and the headers of a message, as they came."""

    def __init__(self, lines):
        self.raw = b"".join(lines)
        self.first = lines[0].decode("latin-1").split(None, 2)
        self.fields = {}
        for line in lines[1:-1]:
            name, _, value = line.decode("latin-1").partition(":")
            self.fields.setdefault(name.strip().lower(), value.strip())

    def __getitem__(self, name):
        return self.fields.get(name, "")

    @property
    def is_chunked(self):
        return "chunked" in self["transfer-encoding"].lower()

    @property
    def length(self):
        return int(self["content-length"] or 0)

    @property
    def closes(self):
        return "close" in self["connection"].lower() or "HTTP/1.0" in self.first


class Peer:
    """One end of a connection."""

    def __init__(self, connection):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = connection
        self.reader = connection.makefile("rb", PIECE)

    def head(self):
        lines = []
        while not lines or lines[-1] not in (b"\r\n", b"\n"):
            line = self.reader.readline(HEAD_LIMIT)
            if not line.endswith(b"\n") or len(lines) > 200:
                raise Gone
            lines.append(line)
        return Head(lines)

    def send(self, data):
        self.socket.sendall(data)

    def pieces(self, length):
        while length:
            piece = self.reader.read1(min(length, PIECE))
            if not piece:
                raise Gone
            length -= len(piece)
            yield piece

    def rest(self):
        while piece := self.reader.read1(PIECE):
            yield piece

    def chunks(self):
        """(as it came, what it carries) of each."""
        while True:
            line = self.reader.readline(HEAD_LIMIT)
            size = int(line.split(b";")[0] or b"x", 16)
            if not size:
                while line not in (b"\r\n", b"\n", b""):
                    yield line, b""
                    line = self.reader.readline(HEAD_LIMIT)
                yield line, b""
                return
            data = b"".join(self.pieces(size))
            yield line + data + self.reader.readline(HEAD_LIMIT), data

    def is_readable(self, seconds):
        return bool(self.reader.peek(1)) if select.select([self.socket], [], [], seconds)[0] else False

    def close(self, reset=False):
        with contextlib.suppress(OSError):
            if reset:
                self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        for one in (self.reader, self.socket):
            with contextlib.suppress(OSError):
                one.close()


SUBRESOURCES = {"acl", "tagging", "versioning", "location", "policy", "lifecycle", "cors", "encryption", "notification", "object-lock", "retention",
                "legal-hold", "attributes", "torrent", "website", "logging", "replication", "ownershipControls", "publicAccessBlock"}


def operation_of(method, bucket, key, query, fields):
    """What is asked of S3, in a word or two; for other services the name in X-Amz-Target or the Action."""
    if method == "POST" and not bucket:
        return fields.get("x-amz-target", "").rpartition(".")[2] or "POST"
    if not bucket:
        return "LIST BUCKETS"
    if SUBRESOURCES & set(query):
        return "SUBRESOURCE"
    if not key:
        kinds = {"GET": "LIST UPLOADS" if "uploads" in query else "LIST VERSIONS" if "versions" in query else "LIST",
                 "POST": "DELETE MANY" if "delete" in query else "POST"}
        return kinds.get(method, f"{method} BUCKET")
    return object_operation(method, query, fields)


def object_operation(method, query, fields):
    is_copy, in_upload = "x-amz-copy-source" in fields, "uploadId" in query
    kinds = {
        "GET": "LIST PARTS" if in_upload else "GET RANGE" if "range" in fields or "partNumber" in query else "GET",
        "PUT": ("PART COPY" if is_copy else "PART") if in_upload else "COPY" if is_copy else "PUT",
        "POST": "CREATE UPLOAD" if "uploads" in query else "COMPLETE UPLOAD" if in_upload else "RESTORE" if "restore" in query else "POST",
        "DELETE": "ABORT UPLOAD" if in_upload else "DELETE",
    }
    return kinds.get(method, method)


class Request:
    """One request: what was asked, and what came of it."""

    def __init__(self, head):
        self.head = head
        self.method, target = head.first[0], head.first[1]
        self.path, _, self.query = target.partition("?")
        self.arguments = dict(urllib.parse.parse_qsl(self.query, keep_blank_values=True))
        bucket, _, key = self.path.lstrip("/").partition("/")
        self.operation = operation_of(self.method, bucket, key, self.arguments, head.fields)
        self.key = urllib.parse.unquote(key) if key else self.arguments.get("prefix", "")
        self.range = head["range"]
        self.number = self.status = self.received = self.sent = 0
        self.fault, self.began, self.seconds = None, time.monotonic(), None

    @property
    def identity(self):
        """The same in each run of a test, whatever ids its uploads get."""
        return "\n".join((self.operation, self.key, self.range, self.arguments.get("partNumber", ""), self.arguments.get("start-after", "")))

    @property
    def waits_for_continue(self):
        return self.head["expect"].lower() == "100-continue"

    def told(self):
        query = "&".join(part for part in self.query.split("&") if not part.startswith(("X-Amz-Signature=", "X-Amz-Security-Token=")))
        return {"number": self.number, "method": self.method, "operation": self.operation, "path": self.path, "query": query, "key": self.key,
                "range": self.range, "status": self.status, "received": self.received, "sent": self.sent, "fault": self.fault,
                "ms": None if self.seconds is None else round(self.seconds * 1000)}


class FaultProxy:
    """Listens while it is in a `with`; `port` 0 takes a free one."""

    def __init__(self, upstream, port=0):
        target = urllib.parse.urlsplit(upstream)
        self.upstream = (target.hostname, target.port or 80)
        self.lock = threading.Lock()
        self.stopping = threading.Event()
        self.peers = set()
        self.listener = self.bound(port)
        self.port = self.listener.getsockname()[1]
        self.endpoint = f"http://127.0.0.1:{self.port}"
        self.plan([])
        self.forget()

    # What a test asks.

    def plan(self, rules, seed=0):
        """From now on these rules hold, and their counting begins."""
        with self.lock:
            self.rules, self.seed, self.asked = list(rules), seed, {}

    def forget(self):
        with self.lock:
            self.number, self.requests = 0, []

    def log(self):
        """One dict for each request, also for those that are still on their way."""
        with self.lock:
            return [request.told() for request in self.requests]

    def faults(self):
        return [entry for entry in self.log() if entry["fault"]]

    def counts(self):
        """{"methods": {"GET": n}, "operations": {"GET RANGE": {"requests": n, "received": bytes, "sent": bytes}}} of bodies."""
        methods, operations = {}, {}
        for entry in self.log():
            methods[entry["method"]] = methods.get(entry["method"], 0) + 1
            kind = operations.setdefault(entry["operation"], {"requests": 0, "received": 0, "sent": 0})
            for name, more in (("requests", 1), ("received", entry["received"]), ("sent", entry["sent"])):
                kind[name] += more
        return {"methods": methods, "operations": operations}

    # Connections.

    @staticmethod
    def bound(port):
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        return listener

    def __enter__(self):
        self.up()
        return self

    def __exit__(self, *_):
        self.stopping.set()
        with self.lock:
            self.close_listener()
            peers = list(self.peers)
        for peer in peers:
            with contextlib.suppress(OSError):
                peer.socket.shutdown(socket.SHUT_RDWR)

    def close_listener(self):
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)  # wakes accept()
        self.listener.close()

    def down(self):
        """Connections are refused: the port is held, but nothing listens on it."""
        with self.lock:
            self.close_listener()
            self.listener = self.bound(self.port)

    def up(self):
        with self.lock:
            if self.stopping.is_set() or self.listener.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
                return
            self.listener.listen(512)
            threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def accept(self, listener):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=self.serve, args=(Peer(connection),), daemon=True).start()

    def serve(self, client):
        with self.lock:
            self.peers.add(client)
        try:
            while not self.stopping.is_set() and self.exchange(client):
                pass
            client.close()
        except (Gone, OSError, ValueError):
            client.close(reset=True)
        finally:
            with self.lock:
                self.peers.discard(client)

    def exchange(self, client):
        """One request and its answer; whether the connection stays."""
        if not client.reader.peek(1):
            return False
        request = Request(client.head())
        rule = self.choose(request)
        try:
            if not rule:
                return self.forward(client, request)
            self.stopping.wait(rule.delay_ms / 1000)
            return getattr(self, rule.action)(client, request, rule)
        finally:
            request.seconds = time.monotonic() - request.began

    def choose(self, request):
        with self.lock:
            self.number += 1
            request.number = self.number
            self.requests.append(request)
            again = self.asked[request.identity] = self.asked.get(request.identity, 0) + 1
            for number, rule in enumerate(self.rules):
                digest = hashlib.sha256(f"{self.seed}\n{number}\n{again}\n{request.identity}".encode()).digest()
                if rule.strikes(request, int.from_bytes(digest[:8], "big") / 2**64):
                    request.fault = f"{rule.action} {rule.code}" if rule.action == "answer" else rule.action
                    return rule
        return None

    # A request's way to the server, and the answer's way back.

    def forward(self, client, request, rule=None):
        with self.asked_upstream(client, request, rule) as (server, answer):
            return self.relay(client, request, server, answer, rule)

    @contextlib.contextmanager
    def asked_upstream(self, client, request, rule=None):
        """A connection for each request: none that the server closes just as it is used again."""
        server = Peer(socket.create_connection(self.upstream, timeout=60))
        server.socket.settimeout(None)
        try:
            server.send(request.head.raw)
            answer = self.before_body(client, request, server)
            if not answer:
                with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it answered early, and its answer says why
                    self.send_body(client, request, server, rule)
                answer = self.final_head(server)
            request.status = int(answer.first[1])
            yield server, answer
        finally:
            server.close(reset=True)  # leaves no port waiting

    def before_body(self, client, request, server):
        """Of a client that waits for 100: lets it go on, or gives the answer that came instead."""
        if not request.waits_for_continue:
            return None
        if server.is_readable(1):
            head = server.head()
            if head.first[1] != "100":
                request.head.fields["connection"] = "close"  # the body may or may not come
                return head
        client.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        return None

    @staticmethod
    def final_head(server):
        head = server.head()
        while head.first[1].startswith("1"):
            head = server.head()
        return head

    def send_body(self, client, request, server, rule):
        if request.head.is_chunked:
            pieces = (raw for raw, _ in client.chunks())
        else:
            pieces = client.pieces(request.head.length)
            if rule and rule.action == "corrupt_upload":
                pieces = corrupted(pieces, int(request.head.length * rule.at), rule.count)
        for piece in pieces:
            request.received += len(piece)
            server.send(piece)

    def read_body(self, client, request):
        """Away with it, so that the next request on the connection can be read."""
        if request.waits_for_continue:
            request.head.fields["connection"] = "close"
            return
        for piece in (raw for raw, _ in client.chunks()) if request.head.is_chunked else client.pieces(request.head.length):
            request.received += len(piece)

    @staticmethod
    def has_body(request, answer):
        return request.method != "HEAD" and answer.first[1] not in ("204", "304")

    def relay(self, client, request, server, answer, rule=None):
        """Whether the connection stays."""
        body, head, ends = [], answer.raw, answer.closes or request.head.closes
        if self.has_body(request, answer):
            if rule:
                head, body = self.spoiled(answer, server, rule)
            elif answer.is_chunked:
                body = (raw for raw, _ in server.chunks())
            elif "content-length" in answer.fields:
                body = server.pieces(answer.length)
            else:
                body, ends = server.rest(), True
        client.send(head)
        for piece in body:
            request.sent += len(piece)  # before, so that who has it finds it counted
            client.send(piece)
        return not ends and (not rule or rule.action not in ("cut", "stall"))

    def spoiled(self, answer, server, rule):
        """(head, body) of an answer whose body goes wrong. Its length is told, so one that came in chunks is collected first."""
        head, length, pieces = answer.raw, answer.length, server.pieces(answer.length)
        if answer.is_chunked:
            whole = b"".join(data for _, data in server.chunks())
            lines = [line for line in answer.raw.splitlines(True)[:-1] if not line.lower().startswith(b"transfer-encoding:")]
            head = b"".join(lines) + b"Content-Length: %d\r\n\r\n" % len(whole)
            length, pieces = len(whole), [whole]
        at = int(length * rule.at)
        if rule.action in ("stall", "cut"):
            return head, first(pieces, at)
        return head, corrupted(pieces, at, rule.count) if rule.action == "corrupt" else pieces

    # The faults.

    def refuse(self, client, request, rule):
        self.down()
        threading.Timer(rule.refuse_ms / 1000, self.up).start()
        raise Gone

    def reset_before(self, client, request, rule):
        raise Gone

    def reset_after(self, client, request, rule):
        """The server did it, and all that it said is lost."""
        self.swallow(client, request)
        raise Gone

    def swallow(self, client, request):
        with self.asked_upstream(client, request) as (server, answer):
            if self.has_body(request, answer):
                for _ in server.chunks() if answer.is_chunked else server.pieces(answer.length):
                    pass

    def delay(self, client, request, rule):
        return self.forward(client, request)

    def cut(self, client, request, rule):
        return self.forward(client, request, rule)

    corrupt = corrupt_upload = cut

    def stall(self, client, request, rule):
        """A part of the body; or where an answer has none, nothing at all. Then silence, until the client has enough of it."""
        with self.asked_upstream(client, request) as (server, answer):
            if self.has_body(request, answer):
                self.relay(client, request, server, answer, rule)
            self.be_silent(client)
        raise Gone

    def be_silent(self, client):
        until = time.monotonic() + STALL_LIMIT_SECONDS
        while time.monotonic() < until and not self.stopping.is_set():
            if select.select([client.socket], [], [], 0.1)[0]:
                try:
                    if not client.socket.recv(PIECE):
                        return
                except OSError:
                    return

    def answer(self, client, request, rule):
        status = rule.status or STATUS[rule.code]
        if rule.after:
            self.swallow(client, request)
        else:
            self.read_body(client, request)
        return self.say(client, request, status, rule.code, shift=rule.date_shift_seconds)

    def redirect(self, client, request, rule):
        status = rule.status or 301
        code = "PermanentRedirect" if status == 301 else "TemporaryRedirect"
        self.read_body(client, request)
        fields = {"x-amz-bucket-region": rule.region, **({"Location": rule.location} if rule.location else {})}
        return self.say(client, request, status, code, fields)

    def say(self, client, request, status, code, fields=None, shift=0):
        """An error as S3 words it; the connection stays."""
        now = time.time() + shift
        details = {"Code": code, "Message": "Injected by the test.", "Resource": request.path, "RequestId": f"FAULT{request.number:011}"}
        if code == "RequestTimeTooSkewed":
            details |= {"RequestTime": request.head["x-amz-date"], "MaxAllowedSkewMilliseconds": "900000",
                        "ServerTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now))}
        inside = "".join(f"<{name}>{escape(text)}</{name}>" for name, text in details.items())
        body = f'<?xml version="1.0" encoding="UTF-8"?>\n<Error>{inside}</Error>'.encode()
        closes = {"Connection": "close"} if request.head.closes else {}
        fields = {"Content-Type": "application/xml", "Content-Length": len(body), "Date": email.utils.formatdate(now, usegmt=True),
                  "x-amz-request-id": details["RequestId"], **closes, **(fields or {})}
        head = f"HTTP/1.1 {status} {code}\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields.items()) + "\r\n"
        body = b"" if request.method == "HEAD" else body
        request.status, request.sent = status, len(body)
        client.send(head.encode("latin-1") + body)
        return not request.head.closes


def first(pieces, length):
    for piece in pieces:
        if length <= 0:
            return
        yield piece[:length]
        length -= len(piece)


def corrupted(pieces, at, count):
    """All of it, with each bit of `count` bytes from `at` turned over."""
    place = 0
    for piece in pieces:
        begin, end = max(at - place, 0), min(at + count - place, len(piece))
        if begin < end:
            piece = piece[:begin] + bytes(byte ^ 0xFF for byte in piece[begin:end]) + piece[end:]
        place += len(piece)
        yield piece


class Control(http.server.BaseHTTPRequestHandler):
    """JSON over HTTP, for a test that is another program. `proxy` is set on the class that control() makes of it."""
    proxy = None

    def do_GET(self):
        answers = {"/counts": self.proxy.counts, "/log": self.proxy.log, "/faults": self.proxy.faults}
        self.reply(200, answers[self.path]()) if self.path in answers else self.reply(404, {"error": "there are /counts, /log and /faults"})

    def do_PUT(self):
        try:
            given = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))
            self.proxy.plan([Rule(**rule) for rule in given["rules"]], given.get("seed", 0))
        except (ValueError, TypeError, KeyError) as error:
            self.reply(400, {"error": str(error)})
        else:
            self.reply(200, {})

    def do_DELETE(self):
        self.proxy.forget()
        self.reply(200, {})

    def reply(self, status, content):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def control(proxy, port=0):
    """Its address, while in the `with`."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), type("ControlOf", (Control,), {"proxy": proxy}))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--upstream", required=True, metavar="URL")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--control-port", type=int, default=0)
    parser.add_argument("--plan", type=pathlib.Path, metavar="FILE", help="what PUT /plan takes")
    given = parser.parse_args()
    with FaultProxy(given.upstream, given.port) as proxy, control(proxy, given.control_port) as address:
        if given.plan:
            plan = json.loads(given.plan.read_text())
            proxy.plan([Rule(**rule) for rule in plan["rules"]], plan.get("seed", 0))
        print(json.dumps({"endpoint": proxy.endpoint, "control": address}), flush=True)
        sys.stdin.read()  # until who started it closes our input, or ends


if __name__ == "__main__":
    main()
