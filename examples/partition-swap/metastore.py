#!/usr/bin/env python3
"""What the demo needs of a Hive Metastore beside tidegate: a database before, and no table left after.

  metastore.py hive://host:port create-database NAME     ends with 3 where there is one already
  metastore.py hive://host:port drop-table DATABASE NAME

No file is deleted. Source: hive_metastore.thrift of Apache Hive 4.0.1; the binary protocol of Apache Thrift, without Kerberos or TLS.
"""
import socket
import struct
import sys
import urllib.parse

BOOL, STRING, STRUCT, MAP = b"\x02", b"\x0b", b"\x0c", b"\x0d"


def text(value):
    return struct.pack(">i", len(value.encode())) + value.encode()


def struct_of(*fields):
    """Fields as (number, type, bytes)."""
    return b"".join(kind + struct.pack(">h", number) + value for number, kind, value in fields) + b"\0"


def call(url, name, *arguments):
    """b"" where all went well, else what the metastore answered."""
    place = urllib.parse.urlsplit(url)
    head = text(name) + struct.pack(">i", 1)
    fine = struct.pack(">I", 0x80010002) + head + b"\0"  # a reply with no exception
    answer = b""
    with socket.create_connection((place.hostname, place.port or 9083), timeout=60) as connection:
        connection.sendall(struct.pack(">I", 0x80010001) + head + struct_of(*arguments))
        while len(answer) < len(fine) and (more := connection.recv(4096)):
            answer += more
    return b"" if answer == fine else answer


def create_database(url, name):
    no_parameters = STRING + STRING + struct.pack(">i", 0)
    return call(url, "create_database", (1, STRUCT, struct_of((1, STRING, text(name)), (4, MAP, no_parameters))))


def drop_table(url, database, name):
    return call(url, "drop_table", (1, STRING, text(database)), (2, STRING, text(name)), (3, BOOL, b"\0"))


COMMANDS = {"create-database": (create_database, 1), "drop-table": (drop_table, 2)}


def main():
    function, count = COMMANDS.get(sys.argv[2] if len(sys.argv) > 2 else "", (None, 0))
    if not function or len(sys.argv) != 3 + count:
        sys.exit(__doc__)
    answer = function(sys.argv[1], *sys.argv[3:])
    if not answer:
        return
    if sys.argv[2] == "create-database" and answer[len(text("create_database")) + 8:][:3] == STRUCT + struct.pack(">h", 1):
        sys.exit(3)  # the first exception of this call: AlreadyExistsException
    sys.exit(f"{sys.argv[2]} {' '.join(sys.argv[3:])}: the metastore answered {answer.decode(errors='replace')!r}")


if __name__ == "__main__":
    main()
