# SPDX-License-Identifier: Apache-2.0
"""ArcticDB on LMDB."""

import os

import arcticdb
import numpy as np
import pandas as pd
from arcticdb import QueryBuilder
from arcticdb_ext import set_config_int

from .base import Peer

ANSWERS = {"c": ("val", "count"), "s": ("val", "sum"), "mi": ("val", "min"), "ma": ("val", "max")}


class ArcticDB(Peer):
    title = "ArcticDB"
    note = (
        "LMDB, a symbol for each series, its default LZ4 and segments of 100,000 rows; buckets by "
        "QueryBuilder.resample; Q1 and Q5 read a column or a range and add with numpy; Q9 merges eight answers")

    def version(self):
        return arcticdb.__version__

    def connect(self, group):
        set_config_int("VersionStore.NumCPUThreads", self.threads)
        set_config_int("VersionStore.NumIOThreads", self.threads)
        self.arctic = arcticdb.Arctic(f"lmdb://{self.place(group)}/lmdb?map_size=4GB")
        self.library = self.arctic.get_library("b", create_if_missing=True)

    def frame(self, times, values):
        return pd.DataFrame({"val": values}, index=pd.DatetimeIndex((times * 1000).view("M8[ns]")))

    def ingest(self, group, prepared):
        self.connect(group)
        for series, (times, values) in prepared.items():
            self.library.write(str(series), self.frame(times, values))
        self.close()

    def open(self, group):
        self.connect(group)

    def close(self):
        self.library = self.arctic = None

    def call(self):
        return self.library.has_symbol("0")

    @staticmethod
    def microseconds(frame):
        return frame.index.to_numpy().view("i8") // 1000

    def range(self, first, end):
        return pd.Timestamp(first * 1000), pd.Timestamp((end - 1) * 1000)

    def aggregate(self, series):
        values = self.library.read(str(series)).data["val"].to_numpy()
        return len(values), values.sum(), values.min(), values.max()

    def frame_of_buckets(self, series, width):
        query = QueryBuilder().resample(f"{width // 1_000_000}s", origin="epoch").agg(ANSWERS)
        found = self.library.read(str(series), query_builder=query).data
        return found[found["c"] > 0]

    def columns(self, frame):
        return [self.microseconds(frame)] + [frame[name].to_numpy() for name in ANSWERS]

    def buckets(self, series, width):
        return self.columns(self.frame_of_buckets(series, width))

    def buckets_of_all(self, width):
        parts = pd.concat([self.frame_of_buckets(series, width) for series in range(len(self.library.list_symbols()))])
        merged = parts.groupby(level=0).agg({"c": "sum", "s": "sum", "mi": "min", "ma": "max"})
        return self.columns(merged)

    def total(self, series, first, end):
        return np.sum(self.library.read(str(series), date_range=self.range(first, end)).data["val"].to_numpy())

    def samples(self, found):
        return self.microseconds(found), found["val"].to_numpy()

    def read(self, series):
        return self.samples(self.library.read(str(series)).data)

    def last(self, series):
        times, values = self.samples(self.library.tail(str(series), n=1).data)
        return times[-1], values[-1]

    def between(self, series, first, end):
        return self.samples(self.library.read(str(series), date_range=self.range(first, end)).data)

    def begin_batches(self):
        self.fresh("batch")
        self.connect("batch")
        self.begun = False

    def batch(self, times, values):
        write = self.library.append if self.begun else self.library.write
        write("0", self.frame(times, values))
        self.begun = True

    def end_batches(self, count):
        found = self.library.get_description("0").row_count
        self.close()
        assert found == count, f"{found} samples of {count}"
        assert os.path.isdir(self.place("batch"))
