# SPDX-License-Identifier: Apache-2.0
"""The expected results with the standard library alone: for small sets without numpy."""

from bisect import bisect_left
from itertools import groupby
from math import fsum, isclose


def buckets(times, values, width):
    """Start, count, sum, minimum and maximum of each bucket with samples."""
    rows = []
    for key, group in groupby(zip(times, values), lambda pair: pair[0] // width):
        part = [value for _, value in group]
        rows.append((key * width, len(part), fsum(part), min(part), max(part)))
    return list(zip(*rows))


def merged(columns):
    """The samples of all series in order of time."""
    pairs = sorted((pair for series in columns.values() for pair in zip(*series)), key=lambda pair: pair[0])
    return [time for time, _ in pairs], [value for _, value in pairs]


def aggregate(values):
    return len(values), fsum(values), min(values), max(values)


def between(times, values, ranges):
    """Times and values of each range."""
    edges = [[bisect_left(times, edge) for edge in pair] for pair in ranges]
    return [(list(times[a:b]), list(values[a:b])) for a, b in edges]


def totals(times, values, ranges):
    return [fsum(part) for _, part in between(times, values, ranges)]


def near(found, wanted, what):
    """Sums may differ in their last digits; all other numbers are exact anyway."""
    assert len(found) == len(wanted), f"{what}: {len(found)} numbers, not {len(wanted)}"
    for a, b in zip(found, wanted):
        assert isclose(a, b, rel_tol=1e-9, abs_tol=1e-6), f"{what}: {a} is not {b}"


def near_buckets(found, wanted, what):
    for got, true, part in zip(found, wanted, ("start", "count", "sum", "minimum", "maximum")):
        near(got, true, f"{what} {part}")


def same(found, wanted, what):
    """Checks that the samples are identical."""
    assert list(found[0]) == list(wanted[0]), f"{what}: wrong times"
    assert list(found[1]) == list(wanted[1]), f"{what}: wrong values"
