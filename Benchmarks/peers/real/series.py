# SPDX-License-Identifier: Apache-2.0
"""A real series, and clocks for recordings that count samples."""

from dataclasses import dataclass

import numpy as np

# 2026-01-01T00:00:00Z in nanoseconds: the start of recordings without a date.
EPOCH = 1_767_225_600_000_000_000
SECOND = 1_000_000_000


@dataclass
class Series:
    """Times in nanoseconds since 1970-01-01 UTC, not descending, and doubles."""

    name: str
    group: str
    source: str
    times: np.ndarray
    values: np.ndarray

    def check(self):
        assert self.times.dtype == np.int64 and self.values.dtype == np.float64, self.name
        assert len(self.times) == len(self.values) > 0, self.name
        assert (np.diff(self.times) >= 0).all(), f"{self.name}: times descend"
        assert np.isfinite(self.values).all(), f"{self.name}: values that are not finite"


def ticks(count, hertz, start=EPOCH):
    """The times of a converter that runs at a whole number of hertz, each rounded down to a nanosecond."""
    return start + np.arange(count, dtype=np.int64) * SECOND // hertz


def pieces(counts, hertz, gap=10):
    """The times of consecutive recordings with `gap` seconds between them."""
    parts, start = [], EPOCH
    for count in counts:
        parts.append(ticks(count, hertz, start))
        start = int(parts[-1][-1]) // SECOND * SECOND + gap * SECOND
    return np.concatenate(parts)


def tidy(name, group, source, times, values):
    """A series of the samples with a finite value, in order of time."""
    times, values = np.asarray(times, np.int64), np.asarray(values, np.float64)
    keep = np.isfinite(values)
    times, values = times[keep], values[keep]
    order = np.argsort(times, kind="stable")
    return Series(name, group, source, times[order], values[order])
