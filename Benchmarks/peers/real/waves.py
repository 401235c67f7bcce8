# SPDX-License-Identifier: Apache-2.0
"""Electrocardiograms and pulse waves: WFDB records, an npz file, OpenSignals text, CSV."""

import json
from datetime import datetime, timezone

import numpy as np

from .series import EPOCH, Series, ticks


def format212(path, channels):
    """12-bit samples, two in three bytes, as columns by channel."""
    raw = np.fromfile(path, np.uint8).reshape(-1, 3).astype(np.int32)
    first = raw[:, 0] | (raw[:, 1] & 0x0F) << 8
    second = raw[:, 2] | (raw[:, 1] & 0xF0) << 4
    flat = np.stack([first, second], 1).ravel()
    flat = np.where(flat >= 2048, flat - 4096, flat)
    return flat[: len(flat) // channels * channels].reshape(-1, channels).T


def signal_lines(path):
    """The record's rate and, for each signal, its gain, baseline and name, from a WFDB header."""
    lines = [line.split() for line in open(path) if line.strip() and not line.startswith("#")]
    rate = int(float(lines[0][2]))
    signals = []
    for fields in lines[1:]:
        gain = float(fields[2].split("/")[0].split("(")[0])
        signals.append((gain, int(fields[4]), fields[-1]))
    return rate, signals


def wfdb(root, record, title):
    """All signals of a record of 12-bit samples in the header's units."""
    rate, signals = signal_lines(f"{root}/ecg/{record}.hea")
    columns = format212(f"{root}/ecg/{record}.dat", len(signals))
    for (gain, baseline, name), column in zip(signals, columns):
        # Without a baseline in the header, the baseline of these records is the converter's zero.
        values = (column.astype(np.float64) - baseline) / gain
        group = "pulse wave" if name == "PLETH" else "respiration" if name == "RESP" else "ECG"
        yield Series(f"{title} {name}", group, f"ecg/{record}.dat", ticks(len(values), rate), values)


def mitbih100(root):
    return wfdb(root, "100", "MIT-BIH 100")


def challenge(root):
    return wfdb(root, "v102s", "CinC v102s")


def ptb(root):
    """The Frank leads of PTB record s0010: 16 bits, 1,000 Hz, 2,000 steps per millivolt."""
    raw = np.fromfile(f"{root}/ecg/s0010_re.xyz", "<i2").reshape(-1, 3).T
    for name, column in zip(("vx", "vy", "vz"), raw):
        values = column.astype(np.float64) / 2000
        yield Series(f"PTB s0010 {name}", "ECG", "ecg/s0010_re.xyz", ticks(len(values), 1000), values)


def scipy_ecg(root):
    """MIT-BIH record 208 as shipped with SciPy, in millivolts by its documentation."""
    counts = np.load(f"{root}/ecg/scipy_ecg.dat")["ecg"].astype(np.float64)
    yield Series("scipy ecg", "ECG", "ecg/scipy_ecg.dat", ticks(len(counts), 360), (counts - 1024) / 200)


def bitalino(root):
    """A BITalino recording: the converter's steps, and millivolts by its transfer function."""
    lines = open(f"{root}/ecg/pyhrv_SampleECG.txt").read().splitlines()
    header = next(iter(json.loads(lines[1].lstrip("# ")).values()))
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    counts = np.array([float(row[-1]) for row in rows])
    times = ticks(len(counts), int(header["sampling rate"]))
    yield Series("BITalino steps", "ECG", "ecg/pyhrv_SampleECG.txt", times, counts)
    millivolts = (counts / 1024 - 0.5) * 3.3 / 1100 * 1000
    yield Series("BITalino mV", "ECG", "ecg/pyhrv_SampleECG.txt", times, millivolts)


def pulse_waves(root):
    """HeartPy's examples: with a clock of milliseconds, with a floating-point timer, and without a clock."""
    rows = [line.strip().split(",") for line in open(f"{root}/heart/heartpy_data3.csv").read().split("\n")[1:] if line]
    times = [datetime.fromisoformat(row[0]).replace(tzinfo=timezone.utc) for row in rows]
    nanoseconds = np.array([round(t.timestamp() * 1000) * 1_000_000 for t in times], np.int64)
    values = np.array([float(row[1]) for row in rows])
    yield Series("HeartPy 3", "pulse wave", "heart/heartpy_data3.csv", nanoseconds, values)

    rows = [line.split(",") for line in open(f"{root}/heart/heartpy_data2.csv").read().split()[1:]]
    timer = np.array([float(row[0]) for row in rows])
    nanoseconds = EPOCH + np.rint(timer * 1e6).astype(np.int64)
    values = np.array([float(row[1]) for row in rows])
    yield Series("HeartPy 2", "pulse wave", "heart/heartpy_data2.csv", nanoseconds, values)

    values = np.array([float(word) for word in open(f"{root}/heart/heartpy_data.csv").read().split()])
    yield Series("HeartPy 1", "pulse wave", "heart/heartpy_data.csv", ticks(len(values), 100), values)


def european(root):
    """A minute or two of European ST-T record e0103 in millivolts."""
    values = np.array([float(word) for word in open(f"{root}/heart/heartpy_e0103.csv").read().split()])
    yield Series("European ST-T e0103", "ECG", "heart/heartpy_e0103.csv", ticks(len(values), 250), values)


READERS = [mitbih100, challenge, ptb, scipy_ecg, bitalino, european, pulse_waves]
