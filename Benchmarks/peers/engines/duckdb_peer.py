# SPDX-License-Identifier: Apache-2.0
"""DuckDB: one table, a table per series, and Parquet files."""

import os

import duckdb
import numpy as np
import pyarrow as pa

from .base import Peer

ANSWERS = "count(*) c, sum(val) s, min(val) mi, max(val) ma"


class OneTable(Peer):
    title = "DuckDB, one table"
    note = (
        "one table (series UTINYINT, ts BIGINT, val DOUBLE) in order, its own compression (ALP, bit packing); "
        "INSERT SELECT from Arrow, CHECKPOINT; compacted by COPY FROM DATABASE into a fresh file; results as numpy "
        "columns; appends are synced to its log")

    def version(self):
        return duckdb.__version__

    def connect(self, group):
        db = duckdb.connect(f"{self.place(group)}/samples.duckdb")
        db.execute(f"SET threads={self.threads}")
        return db

    def source(self, series):
        """The table expression of one series, and its condition."""
        return "s", f"series = {series}"

    def all_series(self):
        return "s"

    def ingest(self, group, prepared):
        table = pa.concat_tables([
            pa.table({"series": np.full(len(times), series, "u1"), "ts": times, "val": values})
            for series, (times, values) in prepared.items()])
        with self.connect(group) as db:
            db.register("rows", table)
            db.execute("CREATE TABLE s (series UTINYINT, ts BIGINT, val DOUBLE)")
            db.execute("INSERT INTO s SELECT series, ts, val FROM rows")
            db.execute("CHECKPOINT")

    def compact(self, group):
        path = f"{self.place(group)}/samples.duckdb"
        with duckdb.connect() as db:
            db.execute(f"ATTACH '{path}' AS old; ATTACH '{path}.new' AS new; COPY FROM DATABASE old TO new")
            db.execute("DETACH new; DETACH old")
        os.replace(path + ".new", path)

    def open(self, group):
        self.db = self.connect(group)

    def close(self):
        self.db.close()

    def select(self, what, series, condition="", rest=""):
        table, own = self.source(series)
        where = " AND ".join(part for part in (own, condition) if part)
        return self.db.execute(f"SELECT {what} FROM {table} {'WHERE ' + where if where else ''} {rest}")

    def call(self):
        return self.db.execute("SELECT 1").fetchone()

    def aggregate(self, series):
        return self.select(ANSWERS, series).fetchone()

    def columns(self, found, width):
        found = found.fetchnumpy()
        return found["b"] * width, found["c"], found["s"], found["mi"], found["ma"]

    def buckets(self, series, width):
        return self.columns(self.select(f"ts // {width} b, {ANSWERS}", series, rest="GROUP BY b ORDER BY b"), width)

    def buckets_of_all(self, width):
        sql = f"SELECT ts // {width} b, {ANSWERS} FROM {self.all_series()} GROUP BY b ORDER BY b"
        return self.columns(self.db.execute(sql), width)

    def total(self, series, first, end):
        return self.select("sum(val)", series, f"ts >= {first} AND ts < {end}").fetchone()[0] or 0

    def samples(self, series, condition=""):
        found = self.select("ts, val", series, condition).fetchnumpy()
        return found["ts"], found["val"]

    def read(self, series):
        return self.samples(series)

    def last(self, series):
        table, own = self.source(series)
        if own:
            return self.select("ts, val", series, rest="ORDER BY ts DESC LIMIT 1").fetchone()
        # The maximum comes from statistics, the sample from one row group.
        return self.select("ts, val", series, f"ts = (SELECT max(ts) FROM {table})").fetchone()

    def between(self, series, first, end):
        return self.samples(series, f"ts >= {first} AND ts < {end}")

    def begin_batches(self):
        self.fresh("batch")
        self.db = self.connect("batch")
        self.db.execute("CREATE TABLE s (ts BIGINT, val DOUBLE)")

    def batch(self, times, values):
        if len(times) == 1:
            self.db.execute("INSERT INTO s VALUES (?, ?)", [int(times[0]), float(values[0])])
        else:
            rows = pa.table({"ts": times, "val": values})  # the query finds it by its name
            self.db.execute("INSERT INTO s SELECT ts, val FROM rows")

    def end_batches(self, count):
        found = self.db.execute("SELECT count(*) FROM s").fetchone()[0]
        self.db.close()
        assert found == count, f"{found} samples of {count}"


class TablePerSeries(OneTable):
    title = "DuckDB, table per series"
    note = "as duckdb, but a table (ts BIGINT, val DOUBLE) for each series, so that no query filters by series"

    def source(self, series):
        return f"s{series}", ""

    def all_series(self):
        return "(" + " UNION ALL ".join(f"SELECT ts, val FROM s{k}" for k in range(self.count())) + ")"

    def count(self):
        return len(self.db.execute("SELECT 1 FROM duckdb_tables()").fetchall())

    def ingest(self, group, prepared):
        with self.connect(group) as db:
            db.execute("BEGIN")
            for series, (times, values) in prepared.items():
                db.register("rows", pa.table({"ts": times, "val": values}))
                db.execute(f"CREATE TABLE s{series} AS SELECT ts, val FROM rows")
            db.execute("COMMIT")
            db.execute("CHECKPOINT")

    def begin_batches(self):
        raise NotImplementedError("as duckdb: appends go to one table")


class Parquet(OneTable):
    title = "DuckDB, Parquet"
    note = "a Parquet file for each series, written and read by DuckDB: PARQUET_VERSION v2, zstd, 122,880-row groups"

    def source(self, series):
        return f"'{self.place(self.group)}/{series}.parquet'", ""

    def all_series(self):
        return f"'{self.place(self.group)}/*.parquet'"

    def ingest(self, group, prepared):
        with duckdb.connect() as db:
            db.execute(f"SET threads={self.threads}")
            for series, (times, values) in prepared.items():
                db.register("rows", pa.table({"ts": times, "val": values}))
                db.execute(
                    f"COPY rows TO '{self.place(group)}/{series}.parquet' "
                    "(FORMAT parquet, PARQUET_VERSION v2, COMPRESSION zstd)")

    def compact(self, group):
        pass

    def open(self, group):
        self.group = group
        self.db = duckdb.connect()
        self.db.execute(f"SET threads={self.threads}")
        # Caches footers, as a program with repeated queries would.
        self.db.execute("SET parquet_metadata_cache=true")

    def begin_batches(self):
        raise NotImplementedError("a Parquet file is written once")
