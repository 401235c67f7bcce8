# SPDX-License-Identifier: Apache-2.0
"""Plain SQLite. Needs the standard library alone; with numpy, results become arrays."""

import sqlite3
from itertools import repeat

from bench.data import numpy

from .base import Peer

CHUNK = 1_000_000


class SQLite(Peer):
    title = "SQLite"
    note = (
        "one table, PRIMARY KEY (series, ts) WITHOUT ROWID, WAL, synchronous=FULL, 512 MB cache, 2 GB of map; "
        "executemany, a million rows per transaction; VACUUM; buckets by GROUP BY ts / width")
    loads_once = True
    driver = sqlite3

    def version(self):
        return self.driver.sqlite_version

    def unlock(self, db):
        """Gives the key of an encrypted database."""

    def connect(self, group):
        db = self.driver.connect(f"{self.place(group)}/samples.sqlite", isolation_level=None)
        self.unlock(db)
        for setting in (
            "journal_mode=WAL", "synchronous=FULL", "cache_size=-524288", "mmap_size=2147483648", "temp_store=MEMORY",
        ):
            db.execute(f"PRAGMA {setting}")
        db.execute(
            "CREATE TABLE IF NOT EXISTS s (series INTEGER, ts INTEGER, val REAL, PRIMARY KEY (series, ts)) "
            "WITHOUT ROWID")
        return db

    def insert(self, db, series, times, values):
        db.execute("BEGIN")
        db.executemany("INSERT INTO s VALUES (?, ?, ?)", zip(repeat(series), times.tolist(), values.tolist()))
        db.execute("COMMIT")

    def ingest(self, group, prepared):
        db = self.connect(group)
        for series, (times, values) in prepared.items():
            for at in range(0, len(times), CHUNK):
                self.insert(db, series, times[at : at + CHUNK], values[at : at + CHUNK])
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.close()

    def compact(self, group):
        db = self.connect(group)
        db.execute("VACUUM")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.close()

    def open(self, group):
        self.db = self.connect(group)

    def close(self):
        self.db.close()

    def rows(self, sql, *parameters):
        return self.db.execute(sql, parameters).fetchall()

    def call(self):
        return self.rows("SELECT 1")

    def aggregate(self, series):
        return self.rows("SELECT count(*), sum(val), min(val), max(val) FROM s WHERE series = ?", series)[0]

    def grouped(self, width, where, *parameters):
        rows = self.rows(
            f"SELECT ts / {width} * {width} b, count(*), sum(val), min(val), max(val) FROM s {where} "
            "GROUP BY b ORDER BY b", *parameters)
        return numpy.array(rows).T if numpy is not None else list(zip(*rows))

    def buckets(self, series, width):
        return self.grouped(width, "WHERE series = ?", series)

    def buckets_of_all(self, width):
        return self.grouped(width, "")

    def total(self, series, first, end):
        sql = "SELECT total(val) FROM s WHERE series = ? AND ts >= ? AND ts < ?"
        return self.rows(sql, series, first, end)[0][0]

    def read(self, series):
        rows = self.rows("SELECT ts, val FROM s WHERE series = ? ORDER BY ts", series)
        if numpy is None:
            return list(zip(*rows))
        # Microseconds are below 2^53, and therefore exact as doubles.
        table = numpy.array(rows, dtype=numpy.float64)
        return table[:, 0].astype(numpy.int64), table[:, 1]

    def last(self, series):
        return self.rows("SELECT ts, val FROM s WHERE series = ? ORDER BY ts DESC LIMIT 1", series)[0]

    def between(self, series, first, end):
        rows = self.rows(
            "SELECT ts, val FROM s WHERE series = ? AND ts >= ? AND ts < ? ORDER BY ts", series, first, end)
        return [row[0] for row in rows], [row[1] for row in rows]

    def begin_batches(self):
        self.fresh("batch")
        self.db = self.connect("batch")

    def batch(self, times, values):
        self.insert(self.db, 0, times, values)

    def end_batches(self, count):
        found = self.rows("SELECT count(*) FROM s")[0][0]
        self.db.close()
        assert found == count, f"{found} samples of {count}"
