#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes real recordings as columns (needs numpy).

    real_series.py --data DIR --out DIR

DIR holds the folders `ecg`, `heart`, `motion`, `routes` and `fit` with the files listed in
Docs/Internals/Performance.md. For each series it writes two raw little-endian columns: N.ts (int64, nanoseconds since
1970-01-01 UTC, not descending) and N.val (float64); manifest.json lists them, and the reasons for unreadable
recordings.
"""

import argparse
import json
import os

from real import motion, rides, waves


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    series, missing = [], []
    for read in waves.READERS + motion.READERS + rides.READERS:
        try:
            for one in read(options.data):
                one.check()
                stem = str(len(series))
                one.times.astype("<i8").tofile(f"{options.out}/{stem}.ts")
                one.values.astype("<f8").tofile(f"{options.out}/{stem}.val")
                series.append(dict(
                    file=stem, name=one.name, group=one.group, source=one.source, samples=len(one.times)))
        except (OSError, ValueError, KeyError, IndexError, AssertionError) as problem:
            missing.append(f"{read.__name__}: {type(problem).__name__}: {problem}")
    with open(f"{options.out}/manifest.json", "w") as file:
        json.dump(dict(series=series, missing=missing), file, indent=1)


if __name__ == "__main__":
    main()
