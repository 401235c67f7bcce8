# SPDX-License-Identifier: Apache-2.0
"""Accelerometers and actigraphs."""

import csv
import gzip
from datetime import datetime, timezone
from itertools import groupby

import numpy as np

from .series import SECOND, Series, pieces


def utc(text, form):
    return int(datetime.strptime(text, form).replace(tzinfo=timezone.utc).timestamp()) * SECOND


def seglearn(root):
    """A wrist at 50 Hz, 140 consecutive recordings: accelerometer in g, gyroscope in rad/s."""
    path = "motion/seglearn_watch_50hz.csv.gz"
    with gzip.open(f"{root}/{path}", "rt") as lines:
        rows = list(csv.reader(lines))
    names, rows = rows[0], rows[1:]
    times = pieces([len(list(group)) for _, group in groupby(row[0] for row in rows)], 50)
    columns = np.array([row[4:] for row in rows], np.float64).T
    for name, values in zip(names[4:], columns):
        yield Series(f"watch 50 Hz {name}", "motion", path, times, np.ascontiguousarray(values))


def basic_motions(root):
    """A watch at 10 Hz, 40 consecutive recordings of ten seconds, six axes."""
    path = "motion/BasicMotions_TRAIN.ts"
    cases = []
    for line in open(f"{root}/{path}"):
        if line.strip() and line[0] not in "#@":
            cases.append([[float(x) for x in axis.split(",")] for axis in line.strip().split(":")[:-1]])
    times = pieces([len(case[0]) for case in cases], 10)
    for axis, name in enumerate(("ax", "ay", "az", "wx", "wy", "wz")):
        values = np.concatenate([np.array(case[axis]) for case in cases])
        yield Series(f"BasicMotions {name}", "motion", path, times, values)


def daqtometer(root):
    """Twelve hours of activity and light, one epoch per second."""
    path = "motion/pyactigraphy_test_sample_dqt.csv"
    rows = [row for row in csv.reader(open(f"{root}/{path}")) if len(row) == 3 and row[0][:2] == "20"]
    times = np.array([utc(row[0], "%Y-%m-%d %H:%M:%S") for row in rows], np.int64)
    for at, name in ((1, "activity"), (2, "light")):
        values = np.array([float(row[at]) for row in rows])
        yield Series(f"Daqtometer {name}", "actigraphy", path, times, values)


def condor(root):
    """Days of a wrist actigraph, one epoch per minute."""
    path = "motion/pyactigraphy_test_sample_atr.txt"
    rows = [line.strip().split(";") for line in open(f"{root}/{path}") if line.count(";") == 20]
    names, rows = rows[0], rows[1:]
    times = np.array([utc(row[0], "%d/%m/%Y %H:%M:%S") for row in rows], np.int64)
    for name in ("TEMPERATURE", "EXT TEMPERATURE", "PIM", "PIMn", "TAT", "ZCM", "LIGHT", "IR LIGHT"):
        values = np.array([float(row[names.index(name)]) for row in rows])
        yield Series(f"Condor {name}", "actigraphy", path, times, values)


READERS = [seglearn, basic_motions, daqtometer, condor]
