#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures one peer on the data of gen.py. kymo-bench compare runs it.

    worker.py PEER --data DIR --questions FILE --work DIR --out FILE [--threads N] [--runs N] [--sets a,b]
              [--commits N] [--limit SECONDS] [--no-cold]

FILE of --questions holds the ranges of Q5 and the minutes of Q8 in microseconds. The output is JSON: the peer's version
and settings, rows, and failed measurements with reasons.
"""

import argparse
import json
import os
import shutil
import sys


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer")
    parser.add_argument("--data", required=True)
    parser.add_argument("--questions", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--sets", default="hr,ecg,dist,energy")
    parser.add_argument("--commits", type=int, default=1000)
    parser.add_argument("--limit", type=float, default=300, help="time limit in seconds")
    parser.add_argument("--no-cold", dest="cold", action="store_false")
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


def main():
    options = arguments()
    # Libraries read these variables when they are loaded.
    for name in ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"):
        os.environ[name] = str(options.threads)
    from bench import clock
    from bench.data import Data
    from bench.suite import Suite
    from engines import create

    options.sets = options.sets.split(",")
    options.cold = options.cold and clock.can_drop_caches()
    with open(options.questions) as file:
        questions = json.load(file)
    options.ranges, options.minutes = questions["ranges"], questions["minutes"]
    root = f"{options.work}/{options.peer}"
    os.makedirs(root, exist_ok=True)
    peer = create(options.peer, root, options.threads)
    suite = Suite(peer, Data(options.data), options)
    try:
        version = peer.version()
        peer.start()
        suite.run()
    finally:
        peer.stop()
        shutil.rmtree(root, ignore_errors=True)
    result = dict(
        peer=options.peer, title=peer.title, version=version, note=peer.note, lossy=peer.lossy,
        threads=options.threads, rows=suite.rows, failures=suite.failures)
    with open(options.out, "w") as file:
        json.dump(result, file, indent=1, default=float)


if __name__ == "__main__":
    sys.exit(main())
