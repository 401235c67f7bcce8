#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the bytes per location of GPX files as Parquet files (needs numpy and pyarrow).

    route_parquet.py FILE...

Each property of the points is a column: the time in nanoseconds, all others as doubles. Two sizes are printed: zstd
with the defaults of pyarrow, and zstd with DELTA_BINARY_PACKED for times and BYTE_STREAM_SPLIT for doubles. The exit
status is 3 if pyarrow is not installed.
"""

import argparse
import io
import sys

try:
    import pyarrow
    import pyarrow.parquet
except ModuleNotFoundError:
    sys.exit(3)

from real.rides import track


def columns(path):
    """The columns of a file by name; a missing number is null."""
    points = track(path)
    names = sorted({name for _, fields in points for name in fields})
    numbers = {name: [fields.get(name) for _, fields in points] for name in names}
    return {"time": [time for time, _ in points], **numbers}


def size(table, **options):
    file = io.BytesIO()
    pyarrow.parquet.write_table(table, file, compression="zstd", **options)
    return file.tell()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+")
    for path in parser.parse_args().files:
        found = columns(path)
        table = pyarrow.table(found)
        chosen = {name: "DELTA_BINARY_PACKED" if name == "time" else "BYTE_STREAM_SPLIT" for name in found}
        plain = size(table) / table.num_rows
        tuned = size(table, use_dictionary=False, column_encoding=chosen) / table.num_rows
        print(f"{path}: {table.num_rows} locations, zstd {plain:.1f}, chosen encodings {tuned:.1f}")


main()
