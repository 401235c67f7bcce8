#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Deterministic generator of health-like time series (needs numpy; fixed seed).

    gen.py --out DIR [--scale F]

For each series it writes two raw little-endian column files: NAME.ts (int64, microseconds since the Unix epoch,
strictly ascending) and NAME.val (float64); and a manifest.json. --scale scales the duration (30 days -> 30*F days,
8 h -> 8*F h; the 'small' set: 1 M * F samples, at most those of hr_0).

Sets
  hr      8 subjects x 30 d, nominal 1 Hz, millisecond jitter (all times are multiples of 1000 us), about 20 % missing
          in gaps of hours, 0.3 % single losses; integer bpm: mean-reverting walk + day/night rhythm + bouts
  dist    8 subjects x 30 d, about 4 h a day in bouts, one per ~2.56 s with microsecond jitter; metres as
          full-precision doubles
  ecg     1 subject, 8 h, 512 Hz: t = t0 + floor(i * 1953.125 us), so the deltas are 1953 or 1954 us in a period-8
          pattern (512 Hz is not a whole number of microseconds); microvolt with 3 decimals
  energy  8 subjects x 30 d, one per ~60 s (+-2 s jitter), kcal, 3 decimals
  small   the first 1 M samples of hr_0
"""

import argparse
import hashlib
import json
import os

import numpy as np

SEED = 20260101
T0 = 1767225600_000000  # 2026-01-01T00:00:00Z in us
DAY = 86400


def ar1(e, a, x0=0.0, block=512):
    """x[t] = a*x[t-1] + e[t], in blocks."""
    n = len(e)
    pad = (-n) % block
    rows = np.concatenate([e, np.zeros(pad)]).reshape(-1, block)
    i = np.arange(block)
    d = i[:, None] - i[None, :]
    kernel = np.where(d >= 0, a ** np.maximum(d, 0), 0.0)
    y = rows @ kernel.T
    powers = a ** (i + 1)
    x = x0
    for b in range(len(y)):
        y[b] += powers * x
        x = y[b, -1]
    return y.reshape(-1)[:n]


def heart_rate(rng, days):
    n = int(days * DAY)
    i = np.arange(n, dtype=np.int64)
    jitter = np.clip(np.rint(rng.normal(0, 18, n)), -400, 400).astype(np.int64)  # ms
    ts = T0 + i * 1_000_000 + np.maximum(jitter, -400) * 1000
    ts[0] = max(ts[0], T0)
    keep = np.ones(n, bool)
    gaps = rng.poisson(2.0 * days)
    starts = rng.integers(0, n, gaps)
    lengths = (rng.exponential(2.65 * 3600, gaps)).astype(np.int64)
    for s, length in zip(starts, lengths):
        keep[s : s + length] = False
    keep &= rng.random(n) > 0.003
    tod = (i % DAY) / DAY
    rhythm = 66 + 11 * np.sin(2 * np.pi * (tod - 0.375)) + 3 * np.sin(4 * np.pi * tod)
    a = np.exp(-1 / 90.0)
    walk = ar1(rng.normal(0, 5.5 * np.sqrt(1 - a * a), n), a)
    bouts = np.zeros(n)
    for s in rng.integers(0, n, rng.poisson(1.5 * days)):
        length = int(rng.uniform(900, 3600))
        height = rng.uniform(25, 80)
        e = min(n, s + length)
        k = np.arange(e - s)
        shape = (1 - np.exp(-k / 120.0)) * np.where(k > length - 240, (length - k) / 240.0, 1)
        bouts[s:e] = np.maximum(bouts[s:e], height * shape)
    v = np.clip(np.rint(rhythm + walk + bouts), 38, 205).astype(np.float64)
    return ts[keep], v[keep]


def distance(rng, days):
    times, values = [], []
    for d in range(max(1, int(np.ceil(days)))):
        left = 4 * 3600 * rng.uniform(0.8, 1.2) * min(1.0, days - d)
        bouts = 8
        starts = np.sort(rng.uniform(6.5 * 3600, 21.5 * 3600, bouts))
        lengths = rng.dirichlet(np.ones(bouts) * 2) * left
        end = 0
        for s, length in zip(starts, lengths):
            s = max(s, end)
            m = max(2, int(length / 2.56))
            dt = np.rint((2.56 + rng.normal(0, 0.02, m)) * 1e6).astype(np.int64)
            times.append(T0 + d * DAY * 1_000_000 + int(s * 1e6) + np.cumsum(dt))
            end = s + dt.sum() / 1e6 + 5
            speed = rng.uniform(0.8, 1.6) + ar1(rng.normal(0, 0.05, m), 0.9)
            values.append(np.maximum(speed, 0.05) * dt / 1e6 * (1 + 0.03 * rng.standard_normal(m)))
    return np.concatenate(times), np.concatenate(values)


# Offset from the beat in s, width in s, height in uV.
WAVES = [
    (-0.20, 0.025, 120.0),
    (-0.035, 0.010, -110.0),
    (0.0, 0.011, 1150.0),
    (0.035, 0.011, -240.0),
    (0.26, 0.055, 300.0),
]


def ecg(rng, hours, fs=512):
    n = int(hours * 3600 * fs)
    i = np.arange(n, dtype=np.int64)
    ts = T0 + (i * 15625) // 8
    beats = int(hours * 3600 * 2.2) + 10
    rr = np.clip(0.86 + ar1(rng.normal(0, 0.025, beats), 0.85), 0.5, 1.4)
    beat_times = np.cumsum(rr)
    v = np.zeros(n)
    for offset, width, height in WAVES:
        h = int(4 * width * fs)
        k = np.arange(-h, h + 1)
        centre = beat_times + offset
        index = np.rint(centre * fs).astype(np.int64)
        ok = (index - h >= 0) & (index + h < n)
        centre, index = centre[ok], index[ok]
        heights = height * (1 + 0.05 * rng.standard_normal(len(centre)))
        at = index[:, None] + k[None, :]
        wave = heights[:, None] * np.exp(-0.5 * ((at / fs - centre[:, None]) / width) ** 2)
        np.add.at(v, at.ravel(), wave.ravel())
    t = i / fs
    v += 90 * np.sin(2 * np.pi * 0.24 * t) + 25 * np.sin(2 * np.pi * 0.05 * t + 1)
    v += 4 * np.sin(2 * np.pi * 50 * t) + rng.normal(0, 7, n)
    return ts, np.round(v, 3)


def energy(rng, days):
    n = int(days * 1440)
    i = np.arange(n, dtype=np.int64)
    ts = T0 + i * 60_000_000 + rng.integers(0, 2_000_000, n) // 1000 * 1000
    tod = (i % 1440) / 1440
    active = np.clip(ar1(rng.normal(0, 0.25, n), 0.93) + 0.5 * np.sin(2 * np.pi * (tod - 0.3)), 0, None)
    v = np.round(0.08 + 1.6 * active + 0.03 * rng.random(n), 3)
    return ts, v


class Writer:
    def __init__(self, out, scale):
        self.out = out
        self.manifest = {
            'seed': SEED,
            't0_us': T0,
            'scale': scale,
            'format': 'NAME.ts int64 LE us since epoch; NAME.val float64 LE',
            'sets': {},
            'series': {},
        }

    def put(self, set_name, name, ts, v):
        assert ts.dtype == np.int64 and v.dtype == np.float64 and len(ts) == len(v)
        assert np.all(np.diff(ts) > 0), name
        ts.astype('<i8').tofile(os.path.join(self.out, name + '.ts'))
        v.astype('<f8').tofile(os.path.join(self.out, name + '.val'))
        self.manifest['sets'].setdefault(set_name, []).append(name)
        self.manifest['series'][name] = {
            'n': len(ts),
            'first_us': int(ts[0]),
            'last_us': int(ts[-1]),
            'min': float(v.min()),
            'max': float(v.max()),
            'sum': float(v.sum()),
            'distinct_val': int(len(np.unique(v))),
            'sha256_ts': hashlib.sha256(ts.tobytes()).hexdigest()[:16],
            'sha256_val': hashlib.sha256(v.tobytes()).hexdigest()[:16],
        }
        print(name, self.manifest['series'][name], flush=True)

    def finish(self):
        series = self.manifest['series']
        for k, names in list(self.manifest['sets'].items()):
            self.manifest['sets'][k] = {'series': names, 'n': sum(series[x]['n'] for x in names)}
        with open(os.path.join(self.out, 'manifest.json'), 'w') as f:
            json.dump(self.manifest, f, indent=1)
        print({k: v['n'] for k, v in self.manifest['sets'].items()})


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--out', required=True, help='folder for the column files')
    p.add_argument('--scale', type=float, default=1.0)
    a = p.parse_args()
    os.makedirs(a.out, exist_ok=True)
    w = Writer(a.out, a.scale)
    days, hours = 30 * a.scale, 8 * a.scale
    for s in range(8):
        ts, v = heart_rate(np.random.default_rng([SEED, 1, s]), days)
        w.put('hr', f'hr_{s}', ts, v)
        if s == 0:
            m = min(len(ts), int(1_000_000 * a.scale))
            w.put('small', 'small_0', ts[:m].copy(), v[:m].copy())
    for s in range(8):
        w.put('dist', f'dist_{s}', *distance(np.random.default_rng([SEED, 2, s]), days))
    w.put('ecg', 'ecg_0', *ecg(np.random.default_rng([SEED, 3, 0]), hours))
    for s in range(8):
        w.put('energy', f'energy_{s}', *energy(np.random.default_rng([SEED, 4, s]), days))
    w.finish()


if __name__ == '__main__':
    main()
