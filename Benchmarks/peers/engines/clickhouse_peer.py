# SPDX-License-Identifier: Apache-2.0
"""ClickHouse in process (chdb), with the codecs that make each set smallest."""

import chdb
import pyarrow as pa

from .base import Peer

# By set, the smallest of a dozen combinations.
CODECS = {
    "dist": ("CODEC(Delta, ZSTD(3))", "CODEC(ALP, LZ4)"),
    "energy": ("CODEC(GCD, Delta, ZSTD(3))", "CODEC(ALP, ZSTD(3))"),
    None: ("CODEC(GCD, DoubleDelta, LZ4)", "CODEC(ALP, LZ4)"),
}
DURABLE = (
    "fsync_after_insert=1, fsync_part_directory=1, min_rows_to_fsync_after_merge=1, min_bytes_for_wide_part=0")
BULK = "max_insert_block_size=1048576, min_insert_block_size_rows=4194304, min_insert_block_size_bytes=268435456"


class ClickHouse(Peer):
    title = "ClickHouse (chdb)"
    note = (
        "MergeTree ORDER BY (series, ts), wide parts; ts CODEC(GCD, DoubleDelta, LZ4), val CODEC(ALP, LZ4); for dist "
        "and energy partly ZSTD(3); INSERT SELECT from Arrow, fsync_after_insert=1, OPTIMIZE FINAL; results as an "
        "Arrow stream")

    def version(self):
        version = chdb.chdb_version
        return f"{version if isinstance(version, str) else '.'.join(map(str, version))} ({chdb.engine_version})"

    def connect(self, group):
        db = chdb.connect(f"{self.place(group)}/store")
        times, values = CODECS.get(group, CODECS[None])
        db.query("CREATE DATABASE IF NOT EXISTS b")
        db.query("SET allow_suspicious_codecs=1, allow_experimental_codecs=1, enable_alp_codec=1")
        db.query(
            f"CREATE TABLE IF NOT EXISTS b.s (series UInt8, ts Int64 {times}, val Float64 {values}) "
            f"ENGINE=MergeTree ORDER BY (series, ts) SETTINGS {DURABLE}")
        db.query(f"SET max_threads={self.threads}, max_insert_threads={self.threads}")
        # Groups sorted data in its order: faster for buckets.
        db.query("SET optimize_aggregation_in_order=1")
        return db

    def ingest(self, group, prepared):
        db = self.connect(group)
        for series, (times, values) in prepared.items():
            rows = pa.table({"ts": times, "val": values})  # the query finds it by its name
            db.query(f"INSERT INTO b.s SELECT {series}, ts, val FROM Python(rows) SETTINGS {BULK}")
        db.close()

    def compact(self, group):
        db = self.connect(group)
        db.query("OPTIMIZE TABLE b.s FINAL")
        db.close()

    def size(self, group):
        """The size of the active parts; merged parts are deleted minutes later."""
        db = self.connect(group)
        answer = str(db.query("SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database='b'", "CSV"))
        db.close()
        return int(answer)

    def open(self, group):
        self.db = self.connect(group)

    def close(self):
        self.db.close()

    def table(self, sql):
        data = self.db.query(sql, "ArrowStream").bytes()
        return pa.ipc.open_stream(pa.py_buffer(data)).read_all() if data else None

    def row(self, sql):
        return [column[0].as_py() for column in self.table(sql).columns]

    def call(self):
        return self.table("SELECT 1")

    def aggregate(self, series):
        return self.row(f"SELECT count(), sum(val), min(val), max(val) FROM b.s WHERE series={series}")

    def grouped(self, where, width):
        found = self.table(
            f"SELECT intDiv(ts, {width}) b, count() c, sum(val) s, min(val) mi, max(val) ma FROM b.s {where} "
            "GROUP BY b ORDER BY b")
        columns = [column.to_numpy() for column in found.columns]
        return [columns[0] * width] + columns[1:]

    def buckets(self, series, width):
        return self.grouped(f"WHERE series={series}", width)

    def buckets_of_all(self, width):
        return self.grouped("", width)

    def total(self, series, first, end):
        return self.row(f"SELECT sum(val) FROM b.s WHERE series={series} AND ts>={first} AND ts<{end}")[0]

    def samples(self, series, rest):
        found = self.table(f"SELECT ts, val FROM b.s WHERE series={series} {rest}")
        return ([], []) if found is None else [column.to_numpy() for column in found.columns]

    def read(self, series):
        return self.samples(series, "ORDER BY ts")

    def last(self, series):
        return self.row(f"SELECT ts, val FROM b.s WHERE series={series} ORDER BY ts DESC LIMIT 1")

    def between(self, series, first, end):
        return self.samples(series, f"AND ts>={first} AND ts<{end} ORDER BY ts")

    def begin_batches(self):
        self.fresh("batch")
        self.db = self.connect("batch")

    def batch(self, times, values):
        rows = ",".join(f"(0,{time},{value})" for time, value in zip(times.tolist(), values.tolist()))
        self.db.query(f"INSERT INTO b.s VALUES {rows}")

    def end_batches(self, count):
        found = self.row("SELECT count() FROM b.s")[0]
        self.db.close()
        assert found == count, f"{found} samples of {count}"
