"""The demo's source: flights of 2013 from New York, replayed hour by hour into a DuckDB file.

A flight appears in the source at its scheduled departure, its arrival columns empty; when it has landed (departure + air time,
in UTC) the same row is updated. So its delivery comes twice, hours apart: a real late update. Flights that never took off, or
whose air time is unknown, are never updated.
"""
import pathlib

import duckdb

# What `tidegate deliver` and `tidegate ingest` need to know about the tables.
CATALOG = """\
# Tables of the demo. Full tables come as a whole copy; tables in parts as what changed since the delivery before.
[[table]]
name = "nyc.airlines"
mode = "full"

[[table]]
name = "nyc.airports"
mode = "full"

[[table]]
name = "nyc.planes"
mode = "full"

[[table]]
name = "nyc.flights"
mode = "parts"
key = ["flight_date", "carrier", "flight", "origin"]
event_time = "scheduled_at"
changed_at = "changed_at"

[[table]]
name = "nyc.weather"
mode = "parts"
append_only = true
event_time = "observed_at"
changed_at = "observed_at"
"""

PARTS = {"nyc.flights", "nyc.weather"}
TABLES = ["nyc.airlines", "nyc.airports", "nyc.flights", "nyc.planes", "nyc.weather"]

ARRIVAL = ["landed_at", "arr_time", "arr_delay", "air_time"]


class Replay:
    """The source database, and the year that has not happened yet."""

    def __init__(self, data, folder):
        self.source = pathlib.Path(folder) / "source.duckdb"
        self.db = duckdb.connect(str(pathlib.Path(folder) / "year.duckdb"))
        self.db.execute("SET TimeZone = 'UTC'")
        self._load_year(pathlib.Path(data))
        self._attach()
        self.db.execute("CREATE SCHEMA src.nyc")
        for name in ("airlines", "airports", "planes"):
            self.db.execute(f"CREATE TABLE src.nyc.{name} AS FROM {name}")
        self.db.execute("CREATE TABLE src.nyc.flights AS SELECT * EXCLUDE (lands_at), scheduled_at AS changed_at FROM flights LIMIT 0")
        self.db.execute("CREATE TABLE src.nyc.weather AS FROM weather LIMIT 0")
        self._detach()
        self.until = None

    def _load_year(self, data):
        csv = "read_csv(?, nullstr = 'NA')"
        for name in ("airlines", "airports", "planes"):
            self.db.execute(f"CREATE TABLE {name} AS FROM {csv}", [str(data / f"{name}.csv")])
        self.db.execute(f"CREATE TABLE weather AS SELECT time_hour::TIMESTAMPTZ AS observed_at, * EXCLUDE (time_hour) FROM {csv}",
                        [str(data / "weather.csv")])
        self.db.execute(f"""
            CREATE TABLE flights AS
            SELECT make_date(year, month, day) AS flight_date, carrier, flight::INTEGER AS flight, origin, dest, tailnum,
                   time_hour::TIMESTAMPTZ + to_minutes(minute::INTEGER) AS scheduled_at,
                   scheduled_at + to_minutes(dep_delay::INTEGER) AS departed_at,
                   departed_at + to_minutes(air_time::INTEGER) AS lands_at,
                   sched_dep_time::INTEGER AS sched_dep_time, dep_time::INTEGER AS dep_time, dep_delay::INTEGER AS dep_delay,
                   sched_arr_time::INTEGER AS sched_arr_time, lands_at AS landed_at, arr_time::INTEGER AS arr_time,
                   arr_delay::INTEGER AS arr_delay, air_time::INTEGER AS air_time, distance::INTEGER AS distance
            FROM {csv}""", [str(data / "flights.csv")])

    def _attach(self):
        self.db.execute(f"ATTACH '{self.source}' AS src")

    def _detach(self):
        self.db.execute("DETACH src")

    def advance(self, until):
        """Let the source's clock go on to `until`, a UTC time as text: what happened before it is in the tables then."""
        since = self.until or "1900-01-01T00:00:00Z"
        blank = ", ".join(f"NULL AS {c}" for c in ARRIVAL)
        self._attach()
        try:
            self.db.execute("BEGIN")
            self.db.execute(f"""INSERT INTO src.nyc.flights BY NAME
                SELECT * EXCLUDE (lands_at) REPLACE ({blank}), scheduled_at AS changed_at
                FROM flights WHERE scheduled_at >= ?::TIMESTAMPTZ AND scheduled_at < ?::TIMESTAMPTZ""", [since, until])
            assign = ", ".join(f"{c} = year.{c}" for c in ARRIVAL)
            # A flight may depart, and even land, before its schedule says: the update then comes with the row itself.
            self.db.execute(f"""UPDATE src.nyc.flights AS f
                SET {assign}, changed_at = greatest(year.lands_at, year.scheduled_at)
                FROM flights AS year
                WHERE f.flight_date = year.flight_date AND f.carrier = year.carrier AND f.flight = year.flight
                  AND f.origin = year.origin AND f.landed_at IS NULL AND year.lands_at < ?::TIMESTAMPTZ""", [until])
            self.db.execute("""INSERT INTO src.nyc.weather SELECT * FROM weather
                WHERE observed_at >= ?::TIMESTAMPTZ AND observed_at < ?::TIMESTAMPTZ""", [since, until])
            self.db.execute("COMMIT")
        finally:
            self._detach()
        self.until = until
