# SPDX-License-Identifier: Apache-2.0
"""Columns written by gen.py: numpy arrays, or arrays of the standard library without numpy."""

import array
import json
import os

try:
    import numpy
except ImportError:
    numpy = None

MICROSECONDS = 1_000_000
MINUTE, HOUR, DAY = 60 * MICROSECONDS, 3_600 * MICROSECONDS, 86_400 * MICROSECONDS


class Data:
    """Sets of series; times are microseconds since 1970-01-01 UTC, ascending."""

    def __init__(self, directory):
        self.directory = directory
        with open(f"{directory}/manifest.json") as file:
            self.manifest = json.load(file)

    def has(self, name):
        return name in self.manifest["sets"]

    def series(self, name):
        """Times and values of one series."""
        return self._column(f"{name}.ts", "q"), self._column(f"{name}.val", "d")

    def count(self, name):
        """The samples of a set."""
        names = self.manifest["sets"][name]["series"]
        return sum(os.path.getsize(f"{self.directory}/{one}.ts") // 8 for one in names)

    def columns(self, name):
        """All series of a set, by number."""
        names = self.manifest["sets"][name]["series"]
        return {int(one.rsplit("_", 1)[1]): self.series(one) for one in names}

    def _column(self, name, kind):
        path = f"{self.directory}/{name}"
        if numpy is not None:
            return numpy.fromfile(path, "<i8" if kind == "q" else "<f8")
        column = array.array(kind)
        with open(path, "rb") as file:
            column.fromfile(file, os.path.getsize(path) // 8)
        return column
