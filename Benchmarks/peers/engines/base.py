# SPDX-License-Identifier: Apache-2.0
"""The interface of a peer."""

import os
import shutil

from bench import clock


class Peer:
    """Times are microseconds; series are numbers from 0; results are sequences of numbers or arrays.

    A peer keeps each set in a separate directory. Unsupported operations raise NotImplementedError with the reason.
    """

    title = ""
    # Settings, for the report.
    note = ""
    # Sets whose samples change on a round trip, and why.
    lossy = {}
    # Loading a set is slow or laborious, and therefore timed once.
    loads_once = False

    def __init__(self, root, threads):
        self.root, self.threads = root, threads

    def version(self):
        raise NotImplementedError

    def place(self, group):
        return f"{self.root}/{group}"

    def fresh(self, group):
        """Creates an empty directory for a set."""
        shutil.rmtree(self.place(group), ignore_errors=True)
        os.makedirs(self.place(group))

    def start(self):
        """Runs before everything else: starts a server."""

    def stop(self):
        """Runs after everything else."""

    def prepare(self, group, columns):
        """Converts columns into the form that `ingest` takes; not timed."""
        return columns

    def ingest(self, group, prepared):
        """Loads a set in bulk and closes it."""
        raise NotImplementedError("has no bulk load")

    def sync(self, group):
        """Syncs the data that `ingest` left to the system; timed."""
        clock.sync_tree(self.place(group))

    def compact(self, group):
        """Compacts a set with the means of the peer; not timed."""

    def settle(self):
        """Runs after all sets are loaded."""

    def size(self, group):
        return clock.tree_bytes(self.place(group))

    def open(self, group):
        raise NotImplementedError

    def close(self):
        """Reverts `open`."""

    def forget(self):
        """Releases everything kept between openings, before the system's cache is dropped."""

    def call(self):
        """The cheapest call: the minimum cost of every query through this binding."""
        raise NotImplementedError

    def aggregate(self, series):
        """Count, sum, minimum and maximum."""
        raise NotImplementedError

    def buckets(self, series, width):
        """Start, count, sum, minimum and maximum of each bucket with samples, as five columns."""
        raise NotImplementedError

    def buckets_of_all(self, width):
        """The same over all series of the set as one."""
        raise NotImplementedError("cannot bucket several series as one")

    def total(self, series, first, end):
        """The sum over first <= time < end."""
        raise NotImplementedError

    def read(self, series):
        """All times and all values, in order of time."""
        raise NotImplementedError

    def last(self, series):
        """Time and value of the last sample."""
        raise NotImplementedError("has no query for the last sample")

    def between(self, series, first, end):
        """Times and values with first <= time < end."""
        raise NotImplementedError

    def begin_batches(self):
        """Creates an empty store for small appends."""
        raise NotImplementedError("has no small durable append")

    def batch(self, times, values):
        """Appends samples to series 0 durably."""
        raise NotImplementedError

    def end_batches(self, count):
        """Checks that `count` samples are stored, and closes the store."""
        raise NotImplementedError
