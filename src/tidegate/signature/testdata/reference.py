#!/usr/bin/env python3
"""Content signatures by docs/formats/signature.md, and by nothing else: no code of tidegate's, no database.

usage: reference.py VECTORS          compares the signatures that a file of vectors names with those computed here
       reference.py VECTORS --write  writes them there

A vector has rows; a row has cells by column; a cell is a kind and a value, both as the document names them: ["number", "1.5"], ["text", "ab"],
["nested", "[1;n]"], ["null"]. A number is a decimal fraction, of a date the days, of times the microseconds, of other floats the bits as a signed number.
"""
import fractions
import hashlib
import json
import pathlib
import sys

P = 2**61 - 1
Q = 2**61 - 31
WORD = 2**64


def md5_halves(data):
    digest = hashlib.md5(data).digest()
    return int.from_bytes(digest[:8], "big"), int.from_bytes(digest[8:], "big")


def hash_element(data):
    upper, lower = md5_halves(data)
    return upper % P, lower % Q


def number_element(text):
    number = fractions.Fraction(text)
    return tuple(number.numerator * pow(number.denominator, -1, prime) % prime for prime in (P, Q))


def add(a, b):
    return (a[0] + b[0]) % P, (a[1] + b[1]) % Q


def times(a, b):
    return a[0] * b[0] % P, a[1] * b[1] % Q


def element(kind, value=None):
    if kind == "number":
        return number_element(value)
    tag = hash_element(f"tgs2 {kind}".encode())
    if kind == "null":
        return tag
    if kind in ("text", "uuid", "nested"):
        return add(tag, hash_element(value.encode()))
    if kind == "binary":
        return add(tag, hash_element(bytes.fromhex(value)))
    assert kind in ("boolean", "float", "date", "time", "timestamp"), kind
    return add(tag, number_element(value))


def key(name):
    p, q = hash_element(name.encode())
    return max(p, 1), max(q, 1)


def product(row):
    a, b = hash_element(b"tgs2 row")
    for name, cell in row.items():
        a, b = add((a, b), times(key(name), element(*cell)))
    return a * a % P * b


def signature(names, rows):
    products = [product(row) for row in rows]
    upper = sum(value // WORD for value in products) % WORD
    lower = sum(value % WORD for value in products) % WORD
    ordered = sorted(name.encode() for name in names)
    digest = hashlib.md5(b"".join(b"s%d:" % len(name) + name for name in ordered)).hexdigest()
    return f"tgs2:{len(rows)}:{upper}:{lower}:{digest}"


def main():
    path = pathlib.Path(sys.argv[1])
    vectors = json.loads(path.read_text())
    wrong = 0
    for vector in vectors["vectors"]:
        computed = signature(vector["columns"], vector["rows"])
        if vector.get("signature") != computed:
            wrong += 1
            print(f"{vector['what']}: {vector.get('signature')} stands there, {computed} was computed")
        vector["signature"] = computed
    if "--write" in sys.argv[2:]:
        path.write_text(json.dumps(vectors, indent=1, ensure_ascii=False) + "\n")
        return 0
    print(f"{len(vectors['vectors'])} vectors, {wrong} of them wrong")
    return 1 if wrong or not vectors["vectors"] else 0


if __name__ == "__main__":
    sys.exit(main())
