# SPDX-License-Identifier: Apache-2.0
"""The expected results with numpy, and the comparison with a peer's results."""

import numpy as np


def buckets(times, values, width):
    """Start, count, sum, minimum and maximum of each bucket with samples."""
    keys = times // width
    first = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]])
    counts = np.diff(np.r_[first, len(times)])
    return (
        keys[first] * width, counts, np.add.reduceat(values, first), np.minimum.reduceat(values, first),
        np.maximum.reduceat(values, first))


def merged(columns):
    """The samples of all series in order of time."""
    times = np.concatenate([pair[0] for pair in columns.values()])
    values = np.concatenate([pair[1] for pair in columns.values()])
    order = np.argsort(times, kind="stable")
    return times[order], values[order]


def aggregate(values):
    return len(values), values.sum(), values.min(), values.max()


def between(times, values, ranges):
    """Times and values of each range."""
    edges = [np.searchsorted(times, pair) for pair in ranges]
    return [(times[a:b], values[a:b]) for a, b in edges]


def totals(times, values, ranges):
    return [part.sum() for _, part in between(times, values, ranges)]


def near(found, wanted, what):
    """Sums may differ in their last digits; all other numbers are exact anyway."""
    found, wanted = np.asarray(found, float), np.asarray(wanted, float)
    assert found.shape == wanted.shape, f"{what}: {found.shape} numbers, not {wanted.shape}"
    assert np.allclose(found, wanted, rtol=1e-9, atol=1e-6), f"{what}: {found[:4]} is not {wanted[:4]}"


def near_buckets(found, wanted, what):
    for got, true, part in zip(found, wanted, ("start", "count", "sum", "minimum", "maximum")):
        near(got, true, f"{what} {part}")


def same(found, wanted, what):
    """Checks that the samples are identical."""
    assert np.array_equal(found[0], wanted[0]), f"{what}: wrong times"
    assert np.array_equal(found[1], wanted[1]), f"{what}: wrong values"
