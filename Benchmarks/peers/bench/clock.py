# SPDX-License-Identifier: Apache-2.0
"""Timing and files."""

import gc
import os
import statistics
import time
from contextlib import contextmanager

# A faster body is repeated within a run until the run takes this long, as on the Swift side.
ROUND = 0.005
# A query with this total time in seconds is not repeated.
LONGEST = 2.0


@contextmanager
def quiet():
    """No garbage collection during a measurement."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def once(body):
    begun = time.perf_counter()
    body()
    return time.perf_counter() - begun


def warm(body, runs, questions=1, known=None):
    """Seconds of each run for one query. `known` is the time of an earlier run, if there was one."""
    with quiet():
        # A slow body is already warm from the earlier run; a fast body runs once more to measure its duration.
        first = known if known is not None and known > LONGEST / 4 else once(body)
        repeats = max(1, int(ROUND / max(first, 1e-9)))
        seconds, spent = [], 0
        while len(seconds) < runs and spent < LONGEST:
            begun = time.perf_counter()
            for _ in range(repeats):
                body()
            taken = time.perf_counter() - begun
            spent += taken
            seconds.append(taken / repeats / questions)
        return seconds


def row(identity, group, mode, seconds, **more):
    """One measured row, with the names used by the report."""
    return dict(
        id=identity, set=group, mode=mode, median_s=statistics.median(seconds), min_s=min(seconds), runs=len(seconds),
        **more)


def can_drop_caches():
    return os.access("/proc/sys/vm/drop_caches", os.W_OK)


def drop_caches():
    os.sync()
    with open("/proc/sys/vm/drop_caches", "w") as file:
        file.write("3")


def sync_tree(directory):
    """Syncs every file and directory to the disk."""
    for root, _, files in os.walk(directory):
        for name in [os.path.join(root, file) for file in files] + [root]:
            try:
                descriptor = os.open(name, os.O_RDONLY)
            except OSError:
                continue
            os.fsync(descriptor)
            os.close(descriptor)


def tree_bytes(directory):
    """Bytes of all files; holes in sparse files do not count."""
    length = blocks = 0
    for root, _, files in os.walk(directory):
        for name in files:
            status = os.stat(os.path.join(root, name))
            length += status.st_size
            blocks += status.st_blocks * 512
    return min(length, blocks)
