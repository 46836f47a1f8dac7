"""canonical.py and trino_server.py: different values never look alike, equal ones always do."""

import datetime as dt
import decimal
import itertools
import math
import unittest

from canonical import Rows, text
from trino_server import value_of

NOON = dt.datetime(2025, 1, 1, 12)
BERLIN = dt.timezone(dt.timedelta(hours=1))
DIFFERENT = [None, True, False, 1, "1", "None", "", b"", b"1", 1.0, 0.0, -0.0, math.nan, math.inf, decimal.Decimal("1"), decimal.Decimal("1.0"), NOON,
             NOON.replace(tzinfo=BERLIN), NOON.replace(tzinfo=dt.timezone.utc), NOON.date(), [], [None], [1, 1], [[1], 1], ["1,1"], {"a": None}, {"b": None}, {"a": [1]},
             [("a", 1)], [("a", 2)], [["a", 1]]]


class Text(unittest.TestCase):
    def test_different_values_have_different_texts(self):
        for one, other in itertools.combinations(DIFFERENT, 2):
            self.assertNotEqual(text(one), text(other), (one, other))

    def test_one_instant_has_one_text_in_every_zone(self):
        self.assertEqual(text(NOON.replace(tzinfo=BERLIN)), text(NOON.replace(hour=11, tzinfo=dt.timezone.utc)))

    def test_a_map_has_no_order(self):
        self.assertEqual(text([("a", 1), ("b", None)]), text([("b", None), ("a", 1)]))


class Checksum(unittest.TestCase):
    def test_does_not_depend_on_the_order_of_rows_and_counts_repeats(self):
        rows = Rows(["a", "b"], [(1, "x"), (2, None), (1, "x")])
        self.assertEqual(rows, Rows(["a", "b"], [(1, "x"), (1, "x"), (2, None)]))
        for other in ([(1, "x"), (2, None)], [(1, "x"), (2, None), (2, None)], [(1, "x"), (2, None), (1, None)]):
            self.assertNotEqual(rows, Rows(["a", "b"], other))
        self.assertNotEqual(rows, Rows(["a", "c"], [(1, "x"), (2, None), (1, "x")]))

    def test_a_difference_shows_a_row_of_each_side(self):
        self.assertEqual(Rows(["a"], [(1,), (2,)]).difference(Rows(["a"], [(1,), (3,), (3,)])),
                         "3 rows, not 2; 1 lost, such as i2; 2 too many, such as i3")


def signature(raw, *inner):
    return {"rawType": raw, "arguments": [{"value": argument} for argument in inner]}


class OfTrino(unittest.TestCase):
    def test_cells_get_the_types_of_their_columns(self):
        real, decimals = signature("real"), signature("decimal", 5, 2)
        for column, cell, value in [
                (real, 1.1, 1.100000023841858), (real, "NaN", math.nan), (signature("double"), "-Infinity", -math.inf), (decimals, "1.10", decimal.Decimal("1.10")),
                (signature("date"), "0001-01-01", dt.date(1, 1, 1)), (signature("timestamp", 6), "2025-01-01 12:00:00.000000", NOON),
                (signature("timestamp with time zone", 6), "2025-01-01 12:00:00.000000 UTC", NOON.replace(tzinfo=dt.timezone.utc)), (signature("varbinary"), "AP8=", b"\x00\xff"),
                (signature("array", real), [None, 1.5], [None, 1.5]), (signature("map", signature("varchar"), decimals), {"k": "2.00"}, [("k", decimal.Decimal("2.00"))]),
                (signature("row", {"fieldName": {"name": "x"}, "typeSignature": real}), [0.5], {"x": 0.5}), (signature("varchar"), "1", "1"), (signature("bigint"), 1, 1)]:
            self.assertEqual(text(value_of(column, cell)), text(value), column)
            self.assertIsNone(value_of(column, None))


if __name__ == "__main__":
    unittest.main()
