"""What each server answers where servers that speak S3 differ, as the table in README.md: `probe.py [NAME …]`.

Each probe tells in a few words what came; `ok` stands for what S3 itself documents. Not a test: it fails on nothing, it shows.
"""
import base64
import concurrent.futures
import contextlib
import html
import http.client
import struct
import sys
import time
import urllib.parse

import servers

PROBES = {}
MIB = 1 << 20


def probe(title):
    def keep(function):
        PROBES[title] = function
        return function
    return keep


class Bucket:
    """A fresh bucket and short ways to ask."""

    def __init__(self, server, name):
        self.server, self.name = server, name
        self.s3 = servers.client(server)
        self.s3.create_bucket(Bucket=name)

    def ask(self, operation, **arguments):
        """The code and the word for an error: (200, answer) or (412, "PreconditionFailed")."""
        try:
            answer = getattr(self.s3, operation)(Bucket=self.name, **arguments)
            return answer["ResponseMetadata"]["HTTPStatusCode"], answer
        except self.s3.exceptions.ClientError as error:
            return error.response["ResponseMetadata"]["HTTPStatusCode"], error.response["Error"]["Code"]

    def code(self, operation, **arguments):
        return self.ask(operation, **arguments)[0]

    def put(self, key, body=b"x", **arguments):
        return self.ask("put_object", Key=key, Body=body, **arguments)

    def etag(self, key, body=b"x"):
        return self.put(key, body)[1]["ETag"]

    def upload(self, key, sizes=(1,), create=None, part=None):
        """Parts that wait for their completion: arguments of complete_multipart_upload."""
        upload = self.ask("create_multipart_upload", Key=key, **(create or {}))[1]["UploadId"]
        parts = []
        for number, size in enumerate(sizes, 1):
            body = b"p" * size
            extra = part(body) if part else {}
            answer = self.ask("upload_part", Key=key, UploadId=upload, PartNumber=number, Body=body, **extra)[1]
            parts.append({"ETag": answer["ETag"], "PartNumber": number, **extra})
        return {"Key": key, "UploadId": upload, "MultipartUpload": {"Parts": parts}}

    def keys(self, **arguments):
        """All pages."""
        keys, more = [], {}
        for _ in range(100):
            answer = self.s3.list_objects_v2(Bucket=self.name, **arguments, **more)
            keys += [entry["Key"] for entry in answer.get("Contents", [])]
            if not answer["IsTruncated"]:
                return keys
            more = {"ContinuationToken": answer["NextContinuationToken"]}
        raise AssertionError("the list never ends")

    def raw(self, method, path, body=b"", headers=None, sign=None):
        """One signed request as given, by botocore's signer: (code, headers, body)."""
        servers.boto3()
        import botocore.auth
        import botocore.awsrequest
        import botocore.credentials
        request = botocore.awsrequest.AWSRequest(method, f"{self.server.endpoint}/{self.name}{path}", data=body, headers=headers or {})
        keys = botocore.credentials.Credentials(self.server.access_key, self.server.secret_key)
        signer = (sign or botocore.auth.S3SigV4Auth)(keys, "s3", self.server.region)
        signer.add_auth(request)
        target = urllib.parse.urlsplit(request.url)
        connection = http.client.HTTPConnection(target.netloc, timeout=30)
        with contextlib.closing(connection):
            connection.request(method, f"{target.path}?{target.query}" if target.query else target.path, body, dict(request.headers.items()))
            response = connection.getresponse()
            return response.status, response.headers, response.read()


def say(*pairs):
    """`ok` if each code is the wanted one, or else what came where."""
    wrong = [f"{what}: {got} for {wanted}" for what, got, wanted in pairs if got != wanted]
    return "; ".join(wrong) or "ok"


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return base64.b64encode(struct.pack(">I", crc ^ 0xFFFFFFFF)).decode()


@probe("PutObject If-None-Match: *")
def put_if_none_match(b):
    first = b.put("k", IfNoneMatch="*")[0]
    return say(("absent", first, 200), ("present", b.put("k", IfNoneMatch="*")[0], 412))


@probe("PutObject If-Match")
def put_if_match(b):
    etag = b.etag("k")
    return say(("wrong", b.put("k", IfMatch='"0123"')[0], 412), ("right", b.put("k", b"y", IfMatch=etag)[0], 200),
               ("absent key", b.put("none", IfMatch=etag)[0], 404))


def race(ask):
    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        codes = list(pool.map(ask, range(16)))
    return codes.count(200)


@probe("16 writers at once, one may win (20 rounds each)")
def races(b):
    created = [race(lambda n, r=r: b.put(f"new{r}", bytes([n]), IfNoneMatch="*")[0]) for r in range(20)]
    swapped = []
    for r in range(20):
        etag = b.etag(f"old{r}")
        swapped.append(race(lambda n, r=r, etag=etag: b.put(f"old{r}", bytes([n]) * 2, IfMatch=etag)[0]))
    return "; ".join(f"{what}: up to {max(wins)}, at least {min(wins)} won" for what, wins in
                     (("If-None-Match", created), ("If-Match", swapped)) if set(wins) != {1}) or "ok"


@probe("CompleteMultipartUpload If-None-Match: *")
def complete_if_none_match(b):
    absent = b.code("complete_multipart_upload", **b.upload("k"), IfNoneMatch="*")
    second = b.upload("k")
    present = b.code("complete_multipart_upload", **second, IfNoneMatch="*")
    left = b.code("list_parts", Key="k", UploadId=second["UploadId"])
    return say(("absent", absent, 200), ("present", present, 412)) + ("" if left == 200 else "; the upload is gone after the 412")


@probe("CompleteMultipartUpload If-Match")
def complete_if_match(b):
    etag = b.etag("k")
    wrong = b.code("complete_multipart_upload", **b.upload("k"), IfMatch='"0123"')
    return say(("wrong", wrong, 412), ("right", b.code("complete_multipart_upload", **b.upload("k"), IfMatch=etag), 200))


@probe("CompleteMultipartUpload twice")
def complete_twice(b):
    upload = b.upload("k")
    return say(("first", b.code("complete_multipart_upload", **upload), 200), ("again", b.code("complete_multipart_upload", **upload), 200))


@probe("Parts: 1 byte before the last, wrong ETag, wrong order")
def part_rules(b):
    small, other, order = b.upload("k", (1, 1)), b.upload("k"), b.upload("k", (5 * MIB, 1))
    other["MultipartUpload"]["Parts"][0]["ETag"] = '"00000000000000000000000000000000"'
    order["MultipartUpload"]["Parts"].reverse()
    return say(*((what, b.code("complete_multipart_upload", **upload), 400) for what, upload in
                 (("too small", small), ("ETag", other), ("order", order))))


@probe("PutObject x-amz-checksum-crc32c")
def put_crc32c(b):
    right = b.put("k", b"abc", ChecksumCRC32C=crc32c(b"abc"))[0]
    wrong = b.put("w", b"abc", ChecksumCRC32C=crc32c(b"abd"))[0]
    head = b.ask("head_object", Key="k", ChecksumMode="ENABLED")[1]
    shown = isinstance(head, dict) and head.get("ChecksumCRC32C") == crc32c(b"abc")
    return say(("right", right, 200), ("wrong", wrong, 400), ("in HEAD", shown, True))


def upload_crc32c(b, kind):
    upload = b.upload("k", (5 * MIB, 3), {"ChecksumAlgorithm": "CRC32C", "ChecksumType": kind},
                      lambda body: {"ChecksumCRC32C": CRC_OF_PARTS[len(body)]})
    code, answer = b.ask("complete_multipart_upload", **upload)
    head = b.ask("head_object", Key="k", ChecksumMode="ENABLED")[1]
    shown = head.get("ChecksumCRC32C") if isinstance(head, dict) else head
    return say(("complete", code if code == 200 else answer, 200), ("in HEAD", bool(shown), True),
               ("type", isinstance(head, dict) and head.get("ChecksumType"), kind))


CRC_OF_PARTS = {}


@probe("UploadPart x-amz-checksum-crc32c")
def part_crc32c(b):
    for size in (5 * MIB, 3):
        CRC_OF_PARTS.setdefault(size, crc32c(b"p" * size))
    upload = b.s3.create_multipart_upload(Bucket=b.name, Key="k", ChecksumAlgorithm="CRC32C")["UploadId"]
    part = {"Key": "k", "UploadId": upload, "PartNumber": 1, "Body": b"abc"}
    wrong = b.code("upload_part", **part, ChecksumCRC32C=crc32c(b"abd"))
    code, right = b.ask("upload_part", **part, ChecksumCRC32C=crc32c(b"abc"))
    return say(("right", code, 200), ("wrong", wrong, 400), ("in the answer", code == 200 and "ChecksumCRC32C" in right, True))


@probe("CRC32C of a multipart object, COMPOSITE")
def composite(b):
    return upload_crc32c(b, "COMPOSITE")


@probe("CRC32C of a multipart object, FULL_OBJECT")
def full_object(b):
    return upload_crc32c(b, "FULL_OBJECT")


@probe("Content-MD5 and x-amz-content-sha256 that do not match")
def digests(b):
    md5 = b.put("k", b"abc", ContentMD5=base64.b64encode(bytes(16)).decode())[0]
    sha = raw_with_wrong_hash(b)
    return say(("MD5", md5, 400), ("SHA-256", sha, 400))


def raw_with_wrong_hash(b):
    servers.boto3()
    import botocore.auth

    class Wrong(botocore.auth.S3SigV4Auth):
        def payload(self, request):
            return "0" * 64
    return b.raw("PUT", "/w", b"abc", sign=Wrong)[0]


@probe("UNSIGNED-PAYLOAD over plain HTTP")
def unsigned(b):
    servers.boto3()
    import botocore.auth

    class Unsigned(botocore.auth.S3SigV4Auth):
        def payload(self, request):
            return "UNSIGNED-PAYLOAD"
    return say(("PUT", b.raw("PUT", "/u", b"abc", sign=Unsigned)[0], 200))


@probe("A request signed 20 minutes ago; for another region; with a wrong secret")
def signatures(b):
    servers.boto3()
    import datetime
    import botocore.auth

    class Late(botocore.auth.S3SigV4Auth):
        def add_auth(self, request):
            at = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(minutes=20)
            request.context["timestamp"] = at.strftime("%Y%m%dT%H%M%SZ")
            self._modify_request_before_signing(request)
            canonical = self.canonical_request(request)
            self._inject_signature_to_request(request, self.signature(self.string_to_sign(request, canonical), request))

    class Elsewhere(botocore.auth.S3SigV4Auth):
        def __init__(self, keys, service, region):
            super().__init__(keys, service, "eu-north-1")

    class Wrong(botocore.auth.S3SigV4Auth):
        def __init__(self, keys, service, region):
            super().__init__(botocore.credentials.Credentials(keys.access_key, "wrong"), service, region)
    words = {}
    for what, sign in (("late", Late), ("region", Elsewhere), ("secret", Wrong)):
        code, _, body = b.raw("GET", "", sign=sign)
        words[what] = f"{code} {body.partition(b'<Code>')[2].partition(b'<')[0].decode()}".strip()
    return say(("late", words["late"], "403 RequestTimeTooSkewed"), ("region", words["region"], "400 AuthorizationHeaderMalformed"),
               ("secret", words["secret"], "403 SignatureDoesNotMatch"))


ORDER = ["o/a", "o/a!", "o/a/b", "o/a0", "o/aé", "o/b", "o/\U00010000", "o/\uffee"]


def put_all(b, keys):
    return [key for key in keys if b.put(key)[0] != 200]


@probe("Lists in byte order, also from page to page")
def order(b):
    refused = put_all(b, ORDER)
    want = sorted(set(ORDER) - set(refused), key=str.encode)
    whole, paged = b.keys(), b.keys(MaxKeys=1)
    out = [f"refused {refused}"] if refused else []
    if whole != want:
        out.append("whole: " + " ".join(whole) if sorted(whole) == sorted(want) else f"whole lacks {sorted(set(want) - set(whole))}")
    if paged != whole:
        out.append(f"pages of 1 lack {sorted(set(whole) - set(paged))}" if set(paged) != set(whole) else "pages of 1: other order")
    return ascii("; ".join(out))[1:-1] or "ok"


@probe("start-after: exactly what is greater by bytes")
def start_after(b):
    refused = put_all(b, ORDER)
    have = [key for key in ORDER if key not in refused]
    out = []
    for after in ("o/a", "o/a!", "o/a/", "o/a/b", "o/a/c", "o/a00", "o/", "o0"):
        got, want = set(b.keys(StartAfter=after)), {key for key in have if key.encode() > after.encode()}
        for what, keys in (("lacks", want - got), ("has", got - want)):
            if keys:
                out.append(f"after {after} {what} {' '.join(sorted(keys))}")
    return ascii("; ".join(out))[1:-1] or "ok"


def common_prefixes(b, **arguments):
    answer = b.s3.list_objects_v2(Bucket=b.name, Delimiter="/", **arguments)
    return [entry["Prefix"] for entry in answer.get("CommonPrefixes", [])]


@probe("start-after with a prefix and a delimiter")
def start_after_delimiter(b):
    put_all(b, ["p/1/x", "p/2/x", "p/2/y", "p/3/x"])
    seen = {after: " ".join(common_prefixes(b, Prefix="p/", StartAfter=after)) for after in ("p/2", "p/2/", "p/2/x", "p/2/y", "p/20")}
    inside = [after for after in ("p/2/", "p/2/x") if "p/2/" in seen[after]]
    return say(("after p/2", seen["p/2"], "p/2/ p/3/"), ("after its last key", seen["p/2/y"], "p/3/"), ("after p/20", seen["p/20"], "p/3/")) + (
        f"; after {' and '.join(inside)} shows p/2/" if inside else "; after p/2/ and p/2/x hides p/2/")


@probe("A delimiter and pages of 1")
def delimiter_pages(b):
    put_all(b, ["a/1", "a/2", "b", "c/1"])
    seen, more = [], {}
    for _ in range(20):
        answer = b.s3.list_objects_v2(Bucket=b.name, Delimiter="/", MaxKeys=1, **more)
        seen += [e["Prefix"] for e in answer.get("CommonPrefixes", [])] + [e["Key"] for e in answer.get("Contents", [])]
        if not answer["IsTruncated"]:
            break
        more = {"ContinuationToken": answer["NextContinuationToken"]}
    return say(("seen", seen, ["a/", "b", "c/"]))


@probe("A prefix that ends inside a name, and `a` beside `a/b`")
def prefixes(b):
    refused = put_all(b, ["d/ab", "d/abc", "d/ab/c"])
    want = [key for key in ("d/ab", "d/abc", "d/ab/c") if key not in refused]
    out = [f"refused {' '.join(refused)}"] if refused else []
    if sorted(b.keys(Prefix="d/ab")) != sorted(want):
        out.append(f"prefix d/ab: {' '.join(b.keys(Prefix='d/ab'))}")
    return "; ".join(out) or "ok"


@probe("Folders without objects as CommonPrefixes")
def empty_folders(b):
    b.put("e/f/g")
    b.code("delete_object", Key="e/f/g")
    if not common_prefixes(b):
        return "ok"
    began = time.monotonic()
    while common_prefixes(b) and time.monotonic() - began < 20:
        time.sleep(0.2)
    return f"shown for {time.monotonic() - began:.0f} s after the last object was deleted" + (" and more" if common_prefixes(b) else "")


@probe("Keys with a slash at the end, two slashes, dots")
def odd_keys(b):
    out = []
    for key in ("m/", "n//x", "/lead", "q/./x", "q/../x", "z" * 255 + "/y", "z" * 256 + "/y", "w" * 1024):
        code, what = b.put(key)
        shown = key if len(key) < 20 else f"{len(key)} bytes"
        if code != 200:
            out.append(f"{shown}: {code} {what}")
        elif key not in b.keys(Prefix=key[:3]):
            out.append(f"{shown}: listed as {' '.join(k[:20] for k in b.keys(Prefix=key[:1])) or 'nothing'}")
        b.code("delete_object", Key=key)
    return "; ".join(out) or "ok"


@probe("encoding-type=url")
def encoding(b):
    keys = ["a b", "a+b", "a%20b", "a&b<c>", "ü/é", "a\x01b", "a*b", "a'b", "a=b/c~d"]
    refused = put_all(b, keys)
    body = b.raw("GET", "?encoding-type=url&list-type=2")[2].decode()
    names = [html.unescape(part.partition("<")[0]) for part in body.split("<Key>")[1:]]
    out = [f"refused {refused}"] if refused else []
    if "<EncodingType>url" in body:
        read = [urllib.parse.unquote_plus(name) for name in names]
        out.append("a blank is " + " ".join(name for name in names if urllib.parse.unquote_plus(name) == "a b"))
        out.append("`/` is %2F" if any("%2F" in name for name in names) else "`/` stays")
    else:
        read = names
        out.append("ignored: names are plain, and the answer does not say url")
    lost = sorted(set(keys) - set(refused) - set(read))
    if lost:
        out.append(f"cannot be read back: {ascii(lost)}")
    return "; ".join(out)


@probe("GET of a range")
def ranges(b):
    b.put("k", b"0123456789")
    codes = {spec: b.ask("get_object", Key="k", Range=f"bytes={spec}") for spec in ("2-4", "-3", "8-99", "10-", "0-0")}
    body = {spec: answer["Body"].read() for spec, (code, answer) in codes.items() if code == 206}
    b.put("empty", b"")
    return say(("2-4", body.get("2-4"), b"234"), ("-3", body.get("-3"), b"789"), ("8-99", body.get("8-99"), b"89"),
               ("past the end", codes["10-"][0], 416), ("empty object", b.code("get_object", Key="empty", Range="bytes=0-9"), 416))


@probe("GET of a range with If-Match")
def range_if_match(b):
    etag = b.etag("k", b"0123456789")
    return say(("right", b.code("get_object", Key="k", Range="bytes=1-2", IfMatch=etag), 206),
               ("wrong", b.code("get_object", Key="k", Range="bytes=1-2", IfMatch='"0123"'), 412),
               ("HEAD wrong", b.code("head_object", Key="k", IfMatch='"0123"'), 412),
               ("If-None-Match", b.code("get_object", Key="k", IfNoneMatch=etag), 304))


@probe("GET partNumber")
def part_number(b):
    b.code("complete_multipart_upload", **b.upload("k", (5 * MIB, 3)))
    code, answer = b.ask("get_object", Key="k", PartNumber=2)
    return say(("code", code, 206), ("bytes", code < 300 and len(answer["Body"].read()), 3),
               ("PartsCount", code < 300 and answer.get("PartsCount"), 2))


@probe("ETags: MD5, and MD5-N of multipart")
def etags(b):
    import hashlib
    plain = b.etag("k", b"abc").strip('"')
    b.code("complete_multipart_upload", **b.upload("m", (5 * MIB, 3)))
    head = b.ask("head_object", Key="m")[1]["ETag"].strip('"')
    md5s = b"".join(hashlib.md5(b"p" * size).digest() for size in (5 * MIB, 3))
    return say(("put", plain, hashlib.md5(b"abc").hexdigest()), ("multipart", head, hashlib.md5(md5s).hexdigest() + "-2"))


@probe("CopyObject x-amz-copy-source-if-match")
def copy_if_match(b):
    etag, source = b.etag("k"), {"Bucket": b.name, "Key": "k"}
    return say(("right", b.code("copy_object", Key="c", CopySource=source, CopySourceIfMatch=etag), 200),
               ("wrong", b.code("copy_object", Key="d", CopySource=source, CopySourceIfMatch='"0123"'), 412))


@probe("CopyObject If-None-Match: * at the target")
def copy_if_none_match(b):
    b.put("k")
    source = {"Bucket": b.name, "Key": "k"}
    return say(("absent", b.code("copy_object", Key="c", CopySource=source, IfNoneMatch="*"), 200),
               ("present", b.code("copy_object", Key="c", CopySource=source, IfNoneMatch="*"), 412))


@probe("CopyObject: metadata kept and replaced; odd source names; onto itself")
def copy_metadata(b):
    out, strange = [], "s p/ü+%&=?.txt"
    b.put(strange, Metadata={"one": "1"}, ContentType="text/csv")
    source = {"Bucket": b.name, "Key": strange}
    out.append(("copy", b.code("copy_object", Key="c", CopySource=source), 200))
    head = b.ask("head_object", Key="c")[1]
    out.append(("kept", isinstance(head, dict) and (head["Metadata"], head["ContentType"]), ({"one": "1"}, "text/csv")))
    b.code("copy_object", Key="r", CopySource=source, MetadataDirective="REPLACE", Metadata={"two": "2"})
    head = b.ask("head_object", Key="r")[1]
    out.append(("replaced", isinstance(head, dict) and head["Metadata"], {"two": "2"}))
    out.append(("onto itself", b.code("copy_object", Key=strange, CopySource=source), 400))
    return say(*out)


@probe("UploadPartCopy with a range and if-match")
def part_copy(b):
    etag, source = b.etag("k", b"0123456789"), {"Bucket": b.name, "Key": "k"}
    upload = b.s3.create_multipart_upload(Bucket=b.name, Key="c")["UploadId"]
    part = {"Key": "c", "UploadId": upload, "PartNumber": 1, "CopySource": source, "CopySourceRange": "bytes=2-4"}
    wrong = b.code("upload_part_copy", **part, CopySourceIfMatch='"0123"')
    code, answer = b.ask("upload_part_copy", **part, CopySourceIfMatch=etag)
    if code != 200:
        return f"{code} {answer}"
    parts = [{"PartNumber": 1, "ETag": answer["CopyPartResult"]["ETag"]}]
    b.code("complete_multipart_upload", Key="c", UploadId=upload, MultipartUpload={"Parts": parts})
    return say(("wrong", wrong, 412), ("bytes", b.ask("get_object", Key="c")[1]["Body"].read(), b"234"))


@probe("DeleteObjects: present, absent, odd names, quiet")
def delete_objects(b):
    names = ["a", "b c", "ü&<>", "a%2Fb"]
    put_all(b, names)
    answer = b.s3.delete_objects(Bucket=b.name, Delete={"Objects": [{"Key": key} for key in [*names, "none"]]})
    told = [entry["Key"] for entry in answer.get("Deleted", [])]
    b.put("q")
    quiet = b.s3.delete_objects(Bucket=b.name, Delete={"Quiet": True, "Objects": [{"Key": "q"}]})
    many = b.code("delete_objects", Delete={"Objects": [{"Key": f"k{n}"} for n in range(1001)]})
    return say(("left", b.keys(), []), ("told", sorted(told), sorted([*names, "none"])), ("quiet", len(quiet.get("Deleted", [])), 0),
               ("1001 keys", many, 400))


@probe("DeleteObject If-Match")
def delete_if_match(b):
    etag = b.etag("k")
    wrong = b.code("delete_object", Key="k", IfMatch='"0123"')
    there = b.code("head_object", Key="k")
    return say(("wrong", wrong, 412), ("still there", there, 200), ("right", b.code("delete_object", Key="k", IfMatch=etag), 204))


@probe("Storage class GLACIER: GET before a restore")
def glacier(b):
    put = b.put("k", b"cold", StorageClass="GLACIER")
    listed = b.s3.list_objects_v2(Bucket=b.name).get("Contents", [{}])[0].get("StorageClass")
    get, copy = b.ask("get_object", Key="k"), b.ask("copy_object", Key="c", CopySource={"Bucket": b.name, "Key": "k"})
    return say(("put", put[0], 200), ("listed as", listed, "GLACIER"),
               *((what, code if code == 200 else word, "InvalidObjectState") for what, (code, word) in (("GET", get), ("copy", copy))))


@probe("RestoreObject: 202, again, the HEAD")
def restore(b):
    b.put("k", b"cold", StorageClass="GLACIER")
    ask = {"Key": "k", "RestoreRequest": {"Days": 1, "GlacierJobParameters": {"Tier": "Bulk"}}}
    first, again = b.ask("restore_object", **ask), b.ask("restore_object", **ask)
    head = b.ask("head_object", Key="k")[1]
    shown = head.get("Restore") if isinstance(head, dict) else head
    word = again[0] if again[0] < 300 else f"{again[0]} {again[1]}"
    return f"{first[0] if first[0] < 300 else f'{first[0]} {first[1]}'}, then {word}; HEAD: {(shown or 'nothing').partition(', expiry')[0]}"


@probe("OptionalObjectAttributes=RestoreStatus in a list")
def restore_status(b):
    b.put("k", b"cold", StorageClass="GLACIER")
    b.code("restore_object", Key="k", RestoreRequest={"Days": 1})
    code, answer = b.ask("list_objects_v2", OptionalObjectAttributes=["RestoreStatus"])
    status = answer["Contents"][0].get("RestoreStatus") if code == 200 else code
    return f"ok: {status['IsRestoreInProgress']}" if isinstance(status, dict) else str(status or "not in the answer")


@probe("Versions: ids, delete markers, GET of an old one")
def versions(b):
    code, word = b.ask("put_bucket_versioning", VersioningConfiguration={"Status": "Enabled"})
    if code != 200:
        return f"{code} {word}"
    first, second = b.put("k", b"1")[1].get("VersionId"), b.put("k", b"2")[1].get("VersionId")
    gone = b.ask("delete_object", Key="k")[1]
    old = b.ask("get_object", Key="k", VersionId=first)[1]
    listed = b.s3.list_object_versions(Bucket=b.name)
    return say(("ids", bool(first and second and first != second), True), ("marker", gone.get("DeleteMarker"), True),
               ("old", isinstance(old, dict) and old["Body"].read(), b"1"), ("listed", len(listed.get("Versions", [])), 2),
               ("GET", b.code("get_object", Key="k"), 404))


@probe("Lists of uploads that wait; abort")
def uploads(b):
    upload = b.upload("u/k")
    listed = b.s3.list_multipart_uploads(Bucket=b.name, Prefix="u/").get("Uploads", [])
    aborted = b.code("abort_multipart_upload", Key="u/k", UploadId=upload["UploadId"])
    again = b.code("abort_multipart_upload", Key="u/k", UploadId=upload["UploadId"])
    return say(("listed", [entry["Key"] for entry in listed], ["u/k"]), ("abort", aborted, 204), ("again", again, 404))


@probe("Words for what is not there")
def absent(b):
    bucket = servers.client(b.server)
    try:
        bucket.list_objects_v2(Bucket="no-such-bucket-here")
        no_bucket = "200"
    except bucket.exceptions.ClientError as error:
        no_bucket = error.response["Error"]["Code"]
    return say(("GET", b.ask("get_object", Key="none")[1], "NoSuchKey"), ("HEAD", b.code("head_object", Key="none"), 404),
               ("bucket", no_bucket, "NoSuchBucket"), ("DELETE", b.code("delete_object", Key="none"), 204))


@probe("Headers: Date, request id, keep-alive, Accept-Ranges")
def headers(b):
    b.put("k")
    _, sent, _ = b.raw("GET", "/k")
    return say(*((name, len(sent.get_all(name, [])), 1) for name in ("Date", "x-amz-request-id", "Accept-Ranges")),
               ("Connection", sent.get("Connection", "keep-alive").lower(), "keep-alive"))


def run(server):
    """Title: answer."""
    answers = {}
    for number, (title, function) in enumerate(PROBES.items()):
        try:
            answers[title] = function(Bucket(server, f"probe{number:03}"))
        except Exception as error:
            answers[title] = f"{type(error).__name__}: {error}"[:160].replace(server.secret_key, "***")
        print(f"{server.name}: {title}: {answers[title]}", file=sys.stderr, flush=True)
    return answers


def main():
    names = sys.argv[1:] or [name for name, kind in servers.KINDS.items() if kind.is_installed()]
    tables = {}
    for name in names:
        kind = servers.KINDS[name]
        with kind(versioned=True) if name == "versitygw" else kind() as server:
            tables[name] = run(server)
    print("| What | " + " | ".join(names) + " |\n" + "|" + "---|" * (len(names) + 1))
    for title in PROBES:
        print(f"| {title} | " + " | ".join(tables[name][title].replace("|", "\\|") for name in names) + " |")


if __name__ == "__main__":
    main()
