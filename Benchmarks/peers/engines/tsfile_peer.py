# SPDX-License-Identifier: Apache-2.0
"""Apache TsFile, the file format of IoTDB."""

import importlib.metadata

import numpy as np
import pyarrow as pa
import tsfile

from bench import truth

from .base import Peer

BATCH = 2_000_000
EVER = 2**62


class TsFile(Peer):
    title = "TsFile"
    note = (
        "table model, the series as a tag, a file for each set, write_arrow_batch, the library's own encodings (time "
        "TS_2DIFF, double GORILLA, LZ4; its other encodings of doubles lose digits); the library has no aggregation: "
        "batches are read as Arrow and added with numpy")

    def version(self):
        return importlib.metadata.version("tsfile")

    def path(self, group):
        return f"{self.place(group)}/samples.tsfile"

    def ingest(self, group, prepared):
        tag = tsfile.ColumnSchema("series", tsfile.TSDataType.STRING, tsfile.ColumnCategory.TAG)
        field = tsfile.ColumnSchema("val", tsfile.TSDataType.DOUBLE, tsfile.ColumnCategory.FIELD)
        with tsfile.TsFileTableWriter(self.path(group), tsfile.TableSchema("s", [tag, field])) as writer:
            for series, (times, values) in prepared.items():
                for at in range(0, len(times), BATCH):
                    part = times[at : at + BATCH]
                    writer.write_arrow_batch(pa.record_batch({
                        "time": part, "series": pa.repeat(str(series), len(part)), "val": values[at : at + BATCH]}))

    def open(self, group):
        self.reader = tsfile.TsFileReader(self.path(group))
        self.series = None

    def close(self):
        self.reader.close()

    def call(self):
        """The cheapest query: an empty range."""
        return self.between(0, 0, 1)

    def between(self, series, first, end):
        times, values = [], []
        with self.reader.query_table(
            "s", ["val"], start_time=first, end_time=end - 1, tag_filter=tsfile.tag_eq("series", str(series)),
            batch_size=65_536,
        ) as query:
            while (batch := query.read_arrow_batch()) is not None:
                times.append(batch.column("time").to_numpy())
                values.append(batch.column("val").to_numpy())
        if not times:
            return np.array([], "i8"), np.array([])
        return np.concatenate(times).view("i8"), np.concatenate(values)

    def read(self, series):
        return self.between(series, -EVER, EVER)

    def aggregate(self, series):
        return truth.aggregate(self.read(series)[1])

    def buckets(self, series, width):
        return truth.buckets(*self.read(series), width)

    def buckets_of_all(self, width):
        return merge([self.buckets(series, width) for series in range(8)])

    def total(self, series, first, end):
        return self.between(series, first, end)[1].sum()


def merge(answers):
    """Merges the buckets of several series into one."""
    starts, counts, sums, least, greatest = (np.concatenate(column) for column in zip(*answers))
    order = np.argsort(starts, kind="stable")
    starts = starts[order]
    first = np.flatnonzero(np.r_[True, starts[1:] != starts[:-1]])
    return (
        starts[first], np.add.reduceat(counts[order], first), np.add.reduceat(sums[order], first),
        np.minimum.reduceat(least[order], first), np.maximum.reduceat(greatest[order], first))
