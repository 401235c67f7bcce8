#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Deterministic generator of a realistic Apple Health export.xml (HealthKit Export Version 13 or 14).

    gen_export_xml.py --records 480000 -o export.xml         # 199.7 MB, 231 days
    gen_export_xml.py --records 50000 --zip export.zip --gpx --ecg
    gen_export_xml.py --records 50000 --broken dtd12,ctrl    # defects of real exports

Same arguments -> same bytes (no clock, no hash randomisation). Memory is constant (streamed). No value belongs to a
real person: every value is drawn from a seeded stream.
--records counts top-level <Record> elements exactly (the children of <Correlation> are repeated inside it, as Apple
does, and are not counted twice).

Properties modelled on real exports:
  * records grouped by type, roughly in start order inside a type, phone and watch interleaved and OVERLAPPING for
    steps, distance and flights (so a naive sum double counts: the correct sum is in --manifest)
  * one fixed UTC offset for the whole file, whatever the season (Apple writes the exporting phone's offset); the real
    zone only in HKTimeZone metadata
  * device="<<HKDevice: 0x2816f4a00>, ..." with a heap address that changes although the device does not
  * NBSP in 'Apple Watch' source names, typographic apostrophe, non-ASCII third-party source
  * values: heart rate mostly integers, a few with 4 decimals; energy 3-6 decimals; distance 4-7 decimals; oxygen
    saturation as a fraction with unit "%"; glucose unit "mmol<180.1558800000541>/L"; kcal
  * HRV with HeartRateVariabilityMetadataList (times are local wall-clock strings with centiseconds)
  * blood pressure as Correlation and the same two Records at top level
  * sleep stages, stand hours, workouts with events, statistics, metadata, routes and activities
  * ActivitySummary rows, an Audiogram, a VisionPrescription, a ClinicalRecord, exact duplicates (0.05 %)
"""

import argparse
import bisect
import datetime as dt
import json
import math
import sys
import zipfile

sys.dont_write_bytecode = True  # avoids a __pycache__ in the repository

import export_objects
import export_records
from export_dtd import dtd
from export_records import Q, RATES

ME = (
    ' <Me HKCharacteristicTypeIdentifierDateOfBirth="1980-01-01" '
    'HKCharacteristicTypeIdentifierBiologicalSex="HKBiologicalSexNotSet" '
    'HKCharacteristicTypeIdentifierBloodType="HKBloodTypeNotSet" '
    'HKCharacteristicTypeIdentifierFitzpatrickSkinType="HKFitzpatrickSkinTypeNotSet" '
    'HKCharacteristicTypeIdentifierCardioFitnessMedicationsUse="None"/>\n'
)


class Generator:
    def __init__(self, a):
        self.a = a
        h, m = int(a.offset[1:3]), int(a.offset[3:5])
        self.offsec = (h * 3600 + m * 60) * (1 if a.offset[0] == '+' else -1)
        total = sum(r for _, r in RATES)
        self.days = max(1.0, a.records / total)
        self.start = int(dt.datetime.fromisoformat(a.start + 'T00:00:00+00:00').timestamp()) - self.offsec
        self.end = self.start + int(self.days * 86400)
        self.n = {t: int(r / total * a.records) for t, r in RATES}
        self.n[Q + 'BloodPressureDiastolic'] = self.n[Q + 'BloodPressureSystolic']
        self.n[Q + 'HeartRate'] += a.records - sum(self.n.values())
        self.day_texts = {}
        self.truth = {'records': 0, 'duplicates': 0, 'sum': {}, 'count': {}}
        self.truth.update(naive_steps=0, phone_steps=0, watch_steps=0)
        self.steps = []  # (start, end, steps, watch) for the merge oracle, only with --manifest
        self.routes = []

    def ts(self, t):
        """Apple's text of epoch second `t`, with the single offset of the file."""
        d, r = divmod(t + self.offsec, 86400)
        p = self.day_texts.get(d)
        if p is None:
            if len(self.day_texts) > 20000:
                self.day_texts.clear()
            p = self.day_texts[d] = dt.date.fromordinal(719163 + d).isoformat()
        return f'{p} {r // 3600:02d}:{r // 60 % 60:02d}:{r % 60:02d} {self.a.offset}'

    def device(self, rng, watch, t):
        """Source version and device text, with a software update every 120 days."""
        era = int((t - self.start) // (86400 * 120))
        pointer = 0x280000000 + (rng.getrandbits(6) << 12 | era << 5 | 0xA0)
        v = f'{(9 if watch else 16) + era // 3}.{era % 3 + 1}'
        if watch:
            name, model, hardware = 'Apple Watch', 'Watch', f'Watch6,{2 if era < 4 else 18}'
        else:
            name, model, hardware = 'iPhone', 'iPhone', 'iPhone14,2'
        text = f'&lt;&lt;HKDevice: 0x{pointer:x}&gt;, name:{name}, manufacturer:Apple Inc., model:{model}, '
        return v, text + f'hardware:{hardware}, software:{v}&gt;'

    def times(self, n, rng, awake=True):
        """`n` start seconds over the span, ascending in each day, with day-to-day variation."""
        done = 0
        days = max(1, math.ceil(self.days))
        for day in range(days):
            if done >= n:
                return
            left = days - day
            k = round((n - done) / left * (0.75 + 0.5 * rng.random())) if left > 1 else n - done
            k = min(k, n - done)
            if k <= 0:
                continue
            lo, hi = (6 * 3600 + 1800, 23 * 3600) if awake else (0, 86400)
            # Bursts: half of the records in 3 busy windows.
            windows = [rng.uniform(lo, hi - 3600) for _ in range(3)]
            xs = []
            for i in range(k):
                burst = i * 2 < k
                xs.append(int(windows[i % 3] + 3600 * rng.random() if burst else lo + (hi - lo) * rng.random()))
            for x in sorted(xs):
                yield self.start + day * 86400 + x
            done += k

    def rec(self, w, t, source, version, device, unit, d):
        """Writes one record and counts it; returns its text."""
        self.truth['records'] += 1
        self.count(t, d.value)
        text = f' <Record type="{t}" sourceName="{source}" sourceVersion="{version}"'
        text += f' device="{device}"' if device else ''
        text += f' unit="{unit}"' if unit else ''
        text += f' creationDate="{self.ts(d.created)}" startDate="{self.ts(d.start)}" endDate="{self.ts(d.end)}"'
        text += f' value="{d.value}"' + (f'>\n{d.kids} </Record>\n' if d.kids else '/>\n')
        w(text)
        return text

    def count(self, t, value):
        counts, sums = self.truth['count'], self.truth['sum']
        counts[t] = counts.get(t, 0) + 1
        try:
            sums[t] = sums.get(t, 0.0) + float(value)
        except ValueError:
            pass

    def merged_steps(self):
        """Reference sum: the watch has priority; a phone interval counts only for the fraction of its time that no
        watch interval covers. Duplicates count once. Intervals of one source are not merged."""
        cover = []
        for start, end, _, watch in sorted(self.steps):
            if watch and cover and start <= cover[-1][1]:
                cover[-1][1] = max(cover[-1][1], end)
            elif watch:
                cover.append([start, end])
        starts = [c[0] for c in cover]
        total = 0.0
        for start, end, n, watch in self.steps:
            if watch:
                total += n
                continue
            i = max(0, bisect.bisect_right(starts, start) - 1)
            hidden = 0
            while i < len(cover) and cover[i][0] < end:
                hidden += max(0, min(end, cover[i][1]) - max(start, cover[i][0]))
                i += 1
            total += n * (1 - hidden / (end - start))
        return total

    def broken_records(self, w, broken):
        dates = 'startDate="{0}" endDate="{0}"'.format
        if 'ctrl' in broken:  # U+000B in a third-party source name: not XML 1.0
            w(f' <Record type="{Q}DietaryWater" sourceName="Water\x0bApp" unit="mL" ')
            w(f'creationDate="{self.ts(self.start)}" {dates(self.ts(self.start))} value="250"/>\n')
        if 'future' in broken:  # a date in the future, entered by hand; seen in a real export
            w(f' <Record type="{Q}UVExposure" sourceName="Health" sourceVersion="12.3" unit="count" ')
            w(f'creationDate="{self.ts(self.end)}" {dates(self.ts(self.end + 11 * 31536000))} value="1"/>\n')

    def xml(self, out):
        broken = set(filter(None, self.a.broken.split(',')))
        buffer = []

        def w(x):
            buffer.append(x)
            if len(buffer) >= 4096:
                out.write(''.join(buffer).encode())
                buffer.clear()

        w('<?xml version="1.0" encoding="UTF-8"?>\n')
        w(dtd('12' if 'dtd12' in broken else str(self.a.version), 'dtd12' in broken))
        w(f'<HealthData locale="{self.a.locale}">\n <ExportDate value="{self.ts(self.end + 86400)}"/>\n' + ME)
        if not self.a.skip_records:
            for t, _ in RATES:
                export_records.type_records(self, w, t, self.n[t])
            self.broken_records(w, broken)
            export_records.correlations(self, w)
        export_objects.workouts(self, w)
        export_objects.tail(self, w)
        w('</HealthData>\n' if 'truncated' not in broken else ' <Record type="HKQuanti')
        out.write(''.join(buffer).encode())

    def zip(self, path):
        def info(name):
            i = zipfile.ZipInfo('apple_health_export/' + name, (2024, 1, 1, 0, 0, 0))
            i.compress_type = zipfile.ZIP_DEFLATED
            return i

        with zipfile.ZipFile(path, 'w', zipfile.ZIP_DEFLATED, compresslevel=6) as z:
            with z.open(info('export.xml'), 'w', force_zip64=True) as f:
                self.xml(f)
            if self.a.gpx:
                for name, start, dur in self.routes:
                    z.writestr(info(name.lstrip('/')), export_objects.gpx(self, name, start, dur))
            if self.a.ecg:
                z.writestr(info(f'electrocardiograms/ecg_{self.a.start}.csv'), export_objects.ecg(self))

    def write_manifest(self, path):
        self.truth['days'] = self.days
        self.truth['merged_steps_watch_first_prorated'] = round(self.merged_steps(), 3)
        with open(path, 'w') as f:
            json.dump(self.truth, f, indent=1, sort_keys=True)
            f.write('\n')


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--records', type=int, default=100000)
    p.add_argument('--skip-records', action='store_true', help='the other elements of an export with as many records')
    p.add_argument('-o', '--out', default='-', help='export.xml path, - for standard output')
    p.add_argument('--zip', help='write apple_health_export/export.xml into this zip instead')
    p.add_argument('--gpx', action='store_true', help='with --zip: add workout-routes/*.gpx (1 Hz)')
    p.add_argument('--ecg', action='store_true', help='with --zip: add one electrocardiograms/*.csv (512 Hz, 30 s)')
    p.add_argument('--manifest', help='write counts, sums and step truth as JSON')
    p.add_argument('--seed', default='1')
    p.add_argument('--start', default='2022-01-01')
    p.add_argument('--offset', default='+0200')
    p.add_argument('--zone', default='Europe/Zurich')
    p.add_argument('--locale', default='en_US')
    p.add_argument('--decimal', default='.', help="decimal separator in HRV times and ECG csv (',' in many locales)")
    p.add_argument('--version', type=int, default=14, choices=(13, 14))
    p.add_argument('--broken', default='', help='comma list of dtd12, ctrl, future, truncated')
    a = p.parse_args()
    g = Generator(a)
    if a.zip:
        g.zip(a.zip)
    elif a.out == '-':
        g.xml(sys.stdout.buffer)
    else:
        with open(a.out, 'wb') as f:
            g.xml(f)
    if a.manifest:
        g.write_manifest(a.manifest)


if __name__ == '__main__':
    main()
