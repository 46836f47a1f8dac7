"""Rows of any engine as text, and a checksum of them that does not depend on their order.

Engines hand over values of Python's types (Arrow does, and trino_server makes them). One text stands for one value of one type: the integer 1, the
text "1", the decimal 1 and the decimal 1.0 are four. Two engines agree on a table when names of columns, number of rows and checksum are equal.
"""
import collections
import datetime as dt
import decimal
import hashlib
import json


def text(value):
    match value:
        case None | bool():
            return str(value)
        case int():
            return f"i{value}"
        case float():
            return f"f{value.hex()}"  # every bit, the sign of zero too; all NaN are one
        case decimal.Decimal():
            return f"d{value:f}"
        case dt.datetime() if value.tzinfo:
            return f"z{value.astimezone(dt.timezone.utc).replace(tzinfo=None).isoformat()}"
        case dt.datetime() | dt.date():
            return f"t{value.isoformat()}"
        case str():
            return json.dumps(value)
        case bytes():
            return f"x{value.hex()}"
        case [tuple(), *_]:  # a map: its entries have no order
            return "<" + ",".join(sorted(f"{text(key)}:{text(item)}" for key, item in value)) + ">"
        case list():
            return "[" + ",".join(map(text, value)) + "]"
        case dict():
            return "{" + ",".join(f"{name}:{text(item)}" for name, item in value.items()) + "}"
    raise TypeError(f"no text for {value!r}")


class Rows:
    """What one engine read of one table."""

    def __init__(self, columns, rows):
        self.columns = list(columns)
        self.texts = [",".join(map(text, row)) for row in rows]
        hashes = (hashlib.blake2b(row.encode("utf-8", "surrogatepass"), digest_size=16).digest() for row in self.texts)
        self.checksum = sum(int.from_bytes(digest) for digest in hashes) % 2**128

    @classmethod
    def of_arrow(cls, table):
        return cls(table.column_names, zip(*(column.to_pylist() for column in table.columns)))

    def __len__(self):
        return len(self.texts)

    def __eq__(self, other):
        return (self.columns, len(self), self.checksum) == (other.columns, len(other), other.checksum)

    def difference(self, other):
        """What `other` has otherwise, with a row to look at."""
        if self.columns != other.columns:
            return f"columns {other.columns}, not {self.columns}"
        mine, theirs = collections.Counter(self.texts), collections.Counter(other.texts)
        lost, added = mine - theirs, theirs - mine
        return (f"{len(other)} rows, not {len(self)}; {lost.total()} lost, such as {min(lost, default='none')}; "
                f"{added.total()} too many, such as {min(added, default='none')}")
