"""A vendor's history of one table of messages, made up the same way each time: an initial copy, days, then hours of updates.

Of the rows of a day or an hour one in ten is a newer version of an earlier row: most of them of about the last day, some of
the last weeks, a few of any age, as people edit and systems answer late.
"""
import pathlib

TABLE = "bench.messages"
CATALOG = '[[table]]\nname = "bench.messages"\nmode = "parts"\nkey = ["message_id"]\nchanged_at = "updated_at"\n'
COLUMNS = ["message_id", "tenant_id", "conversation_id", "sent_at", "role", "body", "tokens", "updated_at"]
ROW_GROUP = 131_072
SIZES = {  # rows of the initial copy, days, rows a day, hours, rows an hour
    "small": (1_000_000, 10, 20_000, 12, 10_000),
    "full": (10_000_000, 20, 100_000, 24, 50_000),
}


def uuid(number, salt):
    h = f"md5(concat({number}, '{salt}'))"
    return f"concat({h}[1:8], '-', {h}[9:12], '-4', {h}[14:16], '-a', {h}[18:20], '-', {h}[21:32])"


def rows_sql(numbers, changed_at):
    """One row for each number of `numbers`, a query with the columns n and version."""
    body = " || ' ' || ".join(f"md5(concat(n, version, {i}))[1:{5 + i % 7}] || ' ' || words[(1 + hash(n, version, {i}) % 200)::BIGINT]" for i in range(12))
    return f"""SELECT {uuid('n', 'message')} AS message_id, 'tenant_' || (hash(n // 256) % 500) AS tenant_id,
        {uuid('n // 256', 'conversation')} AS conversation_id, '2025-01-01'::TIMESTAMP + to_seconds(n * 3) AS sent_at,
        ['user', 'assistant', 'system', 'tool'][(1 + hash(n, 'role') % 4)::BIGINT] AS role, {body} AS body,
        (20 + hash(n, version) % 40)::INTEGER AS tokens, {changed_at} AS updated_at
        FROM ({numbers}), (SELECT list('word' || i || repeat('x', i % 9)) AS words FROM range(200) t(i))"""


class History:
    """Writes the folders of the contract with DuckDB, oldest first."""

    def __init__(self, db, bucket, size):
        self.db, self.bucket = db, pathlib.Path(bucket)
        self.initial, self.days, self.day_rows, self.hours, self.hour_rows = SIZES[size]
        self.top = 0  # numbers below it were used
        self.moment = 0
        self.last_hour = -1

    def write_all(self):
        step = max(1, self.initial // 8)
        for file, start in enumerate(range(0, self.initial, step)):
            numbers = f"SELECT i AS n, 0 AS version FROM range({start}, {min(start + step, self.initial)}) t(i)"
            self._write("v1", "etl_date=__initial__", file, rows_sql(numbers, "'2026-01-01'::TIMESTAMP"))
        self._seal("v1", "etl_date=__initial__")
        self.top = self.initial
        for day in range(self.days):
            self._part("v1", f"etl_date=2026-01-{day + 1:02d}", self.day_rows)
        manifest = self.bucket / "v2/_manifests/snapshot_date=2026-02-01/snapshot_hour=00/manifest.json"
        manifest.parent.mkdir(parents=True)
        manifest.write_text('{"snapshot_date": "2026-02-01", "snapshot_hour": "00", "complete": true, "tables_delivered": '
                            '[{"schema": "bench", "table": "messages", "mode": "incremental_append"}]}')
        for _ in range(self.hours):
            self.next_hour()

    def next_hour(self):
        self.last_hour += 1
        self._part("v2", f"etl_date=2026-02-{1 + self.last_hour // 24:02d}/etl_hour={self.last_hour % 24:02d}", self.hour_rows)

    def _part(self, version, folder, rows):
        updates = rows // 10
        self.moment += 1
        self._write(version, folder, 0, self._part_sql(rows - updates, updates))
        self._seal(version, folder)
        self.top += rows - updates

    def _part_sql(self, fresh, updates):
        draw = f"(hash(i, {self.moment}) % 1000000) / 1000000.0"
        age = (f"CASE WHEN i % 100 < 70 THEN -ln(1 - {draw}) * {self.day_rows} WHEN i % 100 < 98 "
               f"THEN {self.day_rows} * pow(60, {draw}) ELSE {draw} * {self.top} END")
        old = f"SELECT DISTINCT greatest(0, {self.top} - 1 - ({age})::BIGINT) AS n, {self.moment} AS version FROM range({updates}) t(i)"
        new = f"SELECT i AS n, 0 AS version FROM range({self.top}, {self.top + fresh}) t(i)"
        return rows_sql(f"{new} UNION ALL {old}", f"'2026-01-01'::TIMESTAMP + to_hours({self.moment})")

    def _folder(self, version, folder):
        path = self.bucket.joinpath(version, *TABLE.split("."), folder)
        path.mkdir(parents=True, exist_ok=True)
        return path

    def _write(self, version, folder, split, sql):
        target = self._folder(version, folder) / f"0000_part_{split:02d}.parquet"
        self.db.execute(f"COPY ({sql}) TO '{target}' (FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE {ROW_GROUP})")

    def _seal(self, version, folder):
        (self._folder(version, folder) / "_SUCCESS").touch()
