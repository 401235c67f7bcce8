# SPDX-License-Identifier: Apache-2.0
"""What a peer is."""

import os
import shutil

from bench import clock


class Peer:
    """Times are microseconds; series are numbers from 0; answers are sequences of numbers or arrays.

    A peer keeps each set in a directory of its own. What it cannot do raises NotImplementedError with the reason.
    """

    title = ""
    # Settings, for the report.
    note = ""
    # Sets whose samples do not come back as they went in, and why.
    lossy = {}
    # Loading a set takes so long, or is so laborious, that it is timed once.
    loads_once = False

    def __init__(self, root, threads):
        self.root, self.threads = root, threads

    def version(self):
        raise NotImplementedError

    def place(self, group):
        return f"{self.root}/{group}"

    def fresh(self, group):
        """An empty place for a set."""
        shutil.rmtree(self.place(group), ignore_errors=True)
        os.makedirs(self.place(group))

    def start(self):
        """Before everything: a server starts here."""

    def stop(self):
        """After everything."""

    def prepare(self, group, columns):
        """Brings columns into the form that `ingest` takes; not timed."""
        return columns

    def ingest(self, group, prepared):
        """Loads a set in bulk and closes it."""
        raise NotImplementedError("has no bulk load")

    def sync(self, group):
        """Whatever `ingest` left to the system goes to the disk; timed."""
        clock.sync_tree(self.place(group))

    def compact(self, group):
        """What the peer offers to make a set small; not timed."""

    def settle(self):
        """After all sets are loaded."""

    def size(self, group):
        return clock.tree_bytes(self.place(group))

    def open(self, group):
        raise NotImplementedError

    def close(self):
        """Undoes `open`."""

    def forget(self):
        """Before the system's cache is dropped: let go of everything kept between openings."""

    def call(self):
        """The cheapest call: what every question through this binding costs at least."""
        raise NotImplementedError

    def aggregate(self, series):
        """Count, sum, least and greatest."""
        raise NotImplementedError

    def buckets(self, series, width):
        """Start, count, sum, least and greatest of each bucket that has samples, as five columns."""
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
        """An empty place for small appends."""
        raise NotImplementedError("has no small durable append")

    def batch(self, times, values):
        """Appends samples to series 0; on the disk when this returns."""
        raise NotImplementedError

    def end_batches(self, count):
        """Checks that `count` samples are there, and closes."""
        raise NotImplementedError
