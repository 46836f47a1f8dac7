"""A small shop as a source database, delivered hour by hour: one full table, one keyed table with real updates, one that only
grows, and one with a composite key of a date, a decimal and two texts."""
import datetime as dt
import pathlib

import duckdb

CATALOG = """\
[[table]]
name = "shop.products"
mode = "full"

[[table]]
name = "shop.orders"
mode = "parts"
key = ["id"]
event_time = "placed_at"
changed_at = "changed_at"

[[table]]
name = "shop.clicks"
mode = "parts"
append_only = true
event_time = "seen_at"
changed_at = "seen_at"

[[table]]
name = "shop.stock"
mode = "parts"
key = ["day", "weight", "hall", "shelf"]
changed_at = "counted_at"
"""
KEYS = {"shop.products": None, "shop.orders": ["id"], "shop.clicks": [], "shop.stock": ["day", "weight", "hall", "shelf"]}
PARTS = [name for name, key in KEYS.items() if key is not None]

# Instants of the history. Everything is UTC, and past, so that `deliver` takes it for done.
BEGIN = dt.datetime(2025, 3, 1, 0)
INITIAL = dt.datetime(2025, 3, 10, 7)
FIRST_HOUR = dt.datetime(2025, 3, 13, 3)


def stamp(when):
    return when.strftime("%Y-%m-%dT%H:%M:%SZ")


def daily(when):
    return f"v1/{when.date()}"


def hourly(when):
    return f"v2/{when.date()}/{when.hour:02d}"


def hour_folders(bucket, when):
    """The folders of one hour, the manifest's among them."""
    return sorted(p for p in pathlib.Path(bucket, "v2").glob(f"**/*_date={when.date()}/*_hour={when.hour:02d}"))


class Shop:
    """The source, and the bucket that it is delivered into."""

    def __init__(self, tidegate, folder, history_rows=400):
        self.tidegate = tidegate
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.source = self.folder / "source.duckdb"
        self.bucket, self.lake, self.config = self.folder / "bucket", self.folder / "lake", self.folder / "tidegate.toml"
        self.config.write_text(CATALOG)
        self.now = BEGIN
        self._sql("""
            CREATE SCHEMA shop;
            CREATE TABLE shop.products (id INTEGER, name VARCHAR, price DECIMAL(12,2), tags VARCHAR[], size STRUCT(w REAL, h REAL), listed_at TIMESTAMP);
            CREATE TABLE shop.orders (id BIGINT, customer VARCHAR, quantity INTEGER, total DECIMAL(10,2), ratio REAL, paid BOOLEAN,
                                      memo VARCHAR, placed_at TIMESTAMPTZ, changed_at TIMESTAMPTZ);
            CREATE TABLE shop.clicks (seen_at TIMESTAMPTZ, page VARCHAR, payload BLOB, ms DOUBLE);
            CREATE TABLE shop.stock (day DATE, weight DECIMAL(10,3), hall VARCHAR, shelf VARCHAR, pieces INTEGER, counted_at TIMESTAMPTZ);
            INSERT INTO shop.products SELECT i, CASE WHEN i % 7 = 0 THEN NULL ELSE 'Ding “' || i || E'”\n\t' END, i / 3, ['a', NULL, 'ü' || i][1:i % 4],
                {'w': i / 4, 'h': NULL}, '2025-01-01'::TIMESTAMP + to_seconds(i) FROM range(60) t(i)""")
        self.happen(INITIAL, orders=history_rows, clicks=history_rows)

    def _sql(self, text, parameters=None):
        with duckdb.connect(str(self.source)) as db:
            db.execute("SET TimeZone = 'UTC'")
            return db.execute(text, parameters) if parameters else db.execute(text)

    def alter(self, text):
        self._sql(text)

    def happen(self, until, orders=60, clicks=60):
        """Let the shop work from `now` until `until`: new rows, and changes of older ones, all within that time."""
        seconds = int((until - self.now).total_seconds())
        span = {"begin": stamp(self.now), "seconds": seconds}
        with duckdb.connect(str(self.source)) as db:
            db.execute("SET TimeZone = 'UTC'")
            db.execute("SET VARIABLE before = (SELECT coalesce(max(id), 0) FROM shop.orders)")
            moment = "$begin::TIMESTAMPTZ + to_seconds((hash({}) % $seconds::UBIGINT)::BIGINT)"
            db.execute(f"""UPDATE shop.orders SET paid = NOT coalesce(paid, false), total = total + 0.01, memo = md5(id::VARCHAR || $begin),
                           changed_at = {moment.format("id, 1")} WHERE hash(id, $begin) % 8 = 0""", span)
            db.execute(f"""INSERT INTO shop.orders BY NAME
                SELECT getvariable('before') + i AS id, CASE i % 5 WHEN 0 THEN NULL WHEN 1 THEN '' ELSE 'K' || hash(i) % 97 END AS customer,
                       i % 9 AS quantity, (i * 37 % 10000) / 100 AS total, i / 7 AS ratio, [true, false, NULL][1 + i % 3] AS paid,
                       md5(i::VARCHAR || $begin) AS memo, {moment.format("i, 2")} AS placed_at, placed_at AS changed_at
                FROM range(1, $orders + 1) t(i)""", {**span, "orders": orders})
            db.execute(f"""INSERT INTO shop.clicks BY NAME
                SELECT {moment.format("i, 3")} AS seen_at, '/p/' || i % 11 AS page, md5(i::VARCHAR || $begin)::BLOB AS payload,
                       CASE WHEN i % 13 = 0 THEN NULL ELSE sqrt(i) END AS ms FROM range($clicks) t(i)""", {**span, "clicks": clicks})
            # Halls and shelves that read the same when glued together, and weights that differ in the last digit.
            db.execute(f"""UPDATE shop.stock SET pieces = pieces + 1, counted_at = {moment.format("weight, hall, 4")}
                           WHERE hash(day, weight, shelf, $begin) % 5 = 0""", span)
            db.execute(f"""INSERT INTO shop.stock BY NAME
                SELECT $until::TIMESTAMPTZ::DATE AS day, w / 1000 AS weight, hall, shelf, w % 50 AS pieces, {moment.format("w, 5")} AS counted_at
                FROM range(1, 21) t(w), (VALUES ('ab', 'c'), ('a', 'bc'), ('', 'abc')) h(hall, shelf)
                WHERE NOT EXISTS (FROM shop.stock s WHERE s.day = $until::TIMESTAMPTZ::DATE)""", {**span, "until": stamp(until)})
            db.execute("UPDATE shop.products SET price = price + 0.05 WHERE hash(id, $begin) % 6 = 0", {"begin": span["begin"]})
            db.execute("DELETE FROM shop.products WHERE id = (SELECT min(id) FROM shop.products)")
        self.now = until

    def deliver(self, delivery, *more):
        return self.tidegate.must("deliver", self.source, self.bucket, "--config", self.config, "--delivery", delivery, "--json", *more).json

    def ingest(self, *more):
        return self.tidegate.must("ingest", self.bucket, self.lake, "--config", self.config, "--json", *more).json

    def deliver_initial(self):
        self.deliver("v1/__initial__", "--at", stamp(INITIAL))

    def deliver_day(self, when):
        self.happen(when)
        self.deliver(daily(when))

    def deliver_hour(self, when, **amount):
        self.happen(when, **amount)
        self.deliver(hourly(when))

    def deliver_v1(self):
        """The history, and three days."""
        self.deliver_initial()
        self.deliver(daily(INITIAL))
        for day in (1, 2):
            self.deliver_day(INITIAL + dt.timedelta(days=day))
