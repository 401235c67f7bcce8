# SPDX-License-Identifier: Apache-2.0
"""Parquet files written by pyarrow with tuned encodings and read by polars."""

import os

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from .base import Peer

SAMPLE, FEW = 100_000, 5_000


class Polars(Peer):
    title = "Parquet with polars"
    note = (
        "a file for each series, written by pyarrow: ts DELTA_BINARY_PACKED, val dictionary (hr, energy) or "
        "BYTE_STREAM_SPLIT (ecg, dist), LZ4 pages, 128 Ki rows per group, page index; read by polars' lazy scan; "
        "buckets by group_by(ts // width), which is faster than group_by_dynamic")

    def version(self):
        return f"{pl.__version__}, pyarrow {pa.__version__}"

    def ingest(self, group, prepared):
        for series, (times, values) in prepared.items():
            few = len(np.unique(values[:SAMPLE])) < FEW
            encoding = {"ts": "DELTA_BINARY_PACKED"} | ({} if few else {"val": "BYTE_STREAM_SPLIT"})
            pq.write_table(
                pa.table({"ts": times, "val": values}), f"{self.place(group)}/{series}.parquet",
                row_group_size=131_072, compression="lz4", use_dictionary=["val"] if few else False,
                column_encoding=encoding, write_page_index=True, data_page_size=65_536)

    def open(self, group):
        self.group = group

    def scan(self, series):
        return pl.scan_parquet(f"{self.place(self.group)}/{series}.parquet")

    def call(self):
        return pl.select(1).item()

    @staticmethod
    def answers():
        value = pl.col("val")
        return [pl.len().alias("c"), value.sum().alias("s"), value.min().alias("mi"), value.max().alias("ma")]

    def aggregate(self, series):
        return self.scan(series).select(self.answers()).collect().row(0)

    def grouped(self, frame, width):
        key = (pl.col("ts") // width * width).alias("b")
        found = frame.group_by(key).agg(self.answers()).sort("b").collect()
        return [found[name].to_numpy() for name in ("b", "c", "s", "mi", "ma")]

    def buckets(self, series, width):
        return self.grouped(self.scan(series), width)

    def buckets_of_all(self, width):
        count = len(os.listdir(self.place(self.group)))
        return self.grouped(pl.concat([self.scan(series) for series in range(count)]), width)

    def part(self, series, first, end):
        return self.scan(series).filter((pl.col("ts") >= first) & (pl.col("ts") < end))

    def total(self, series, first, end):
        return self.part(series, first, end).select(pl.col("val").sum()).collect().item() or 0

    def read(self, series):
        found = self.scan(series).collect()
        return found["ts"].to_numpy(), found["val"].to_numpy()

    def last(self, series):
        return self.scan(series).tail(1).collect().row(0)

    def between(self, series, first, end):
        found = self.part(series, first, end).collect()
        return found["ts"].to_numpy(), found["val"].to_numpy()

    def begin_batches(self):
        raise NotImplementedError("a Parquet file is written once")
