# SPDX-License-Identifier: Apache-2.0
"""The <Record> elements of a synthetic export: a small function and a seeded random stream for each type.

A maker gets the generator `g`, a `Draft` with its start, and the random stream; it sets end, value, source and
children. The order of the draws is part of the data set's format: the same arguments give the same bytes.
"""

import random

WATCH = 'Alex’s Apple\u00a0Watch'
PHONE = 'Alex’s iPhone'
SCALE = 'Здоровье Scale'
Q = 'HKQuantityTypeIdentifier'
C = 'HKCategoryTypeIdentifier'

# (type, records per day); the order is the order of the types in the file.
RATES = [
    (Q + 'Height', 0.01),
    (Q + 'BodyMass', 0.9),
    (Q + 'BodyMassIndex', 0.9),
    (Q + 'HeartRate', 420),
    (Q + 'OxygenSaturation', 18),
    (Q + 'BloodPressureSystolic', 0.6),
    (Q + 'BloodPressureDiastolic', 0.6),
    (Q + 'RespiratoryRate', 26),
    (Q + 'BloodGlucose', 1.5),
    (Q + 'StepCount', 190),
    (Q + 'DistanceWalkingRunning', 210),
    (Q + 'BasalEnergyBurned', 250),
    (Q + 'ActiveEnergyBurned', 640),
    (Q + 'FlightsClimbed', 9),
    (Q + 'AppleExerciseTime', 32),
    (Q + 'AppleStandTime', 95),
    (Q + 'EnvironmentalAudioExposure', 24),
    (Q + 'HeadphoneAudioExposure', 12),
    (Q + 'WalkingSpeed', 14),
    (Q + 'WalkingStepLength', 14),
    (Q + 'WalkingDoubleSupportPercentage', 12),
    (Q + 'PhysicalEffort', 60),
    (Q + 'RestingHeartRate', 1),
    (Q + 'VO2Max', 0.2),
    (C + 'SleepAnalysis', 22),
    (C + 'AppleStandHour', 16),
    (C + 'MindfulSession', 0.5),
    (Q + 'HeartRateVariabilitySDNN', 6),
]
UNIT = {
    'HeartRate': 'count/min',
    'OxygenSaturation': '%',
    'BloodPressureSystolic': 'mmHg',
    'BloodPressureDiastolic': 'mmHg',
    'RespiratoryRate': 'count/min',
    'BloodGlucose': 'mmol&lt;180.1558800000541&gt;/L',
    'StepCount': 'count',
    'DistanceWalkingRunning': 'km',
    'BasalEnergyBurned': 'kcal',
    'ActiveEnergyBurned': 'kcal',
    'FlightsClimbed': 'count',
    'AppleExerciseTime': 'min',
    'AppleStandTime': 'min',
    'EnvironmentalAudioExposure': 'dBASPL',
    'HeadphoneAudioExposure': 'dBASPL',
    'WalkingSpeed': 'km/hr',
    'WalkingStepLength': 'cm',
    'WalkingDoubleSupportPercentage': '%',
    'PhysicalEffort': 'kcal/hr·kg',
    'RestingHeartRate': 'count/min',
    'VO2Max': 'mL/min·kg',
    'Height': 'cm',
    'BodyMass': 'kg',
    'BodyMassIndex': 'count',
    'HeartRateVariabilitySDNN': 'ms',
}
# Types that are also recorded at night.
NIGHT = (
    'HeartRate',
    'BasalEnergyBurned',
    'OxygenSaturation',
    'RespiratoryRate',
    'SleepAnalysis',
    'HeartRateVariabilitySDNN',
)
# Types not recorded by phone or watch, and therefore without duplicates.
SCALE_TYPES = ('BodyMass', 'BodyMassIndex', 'Height')
PRESSURE_TYPES = ('BloodPressureSystolic', 'BloodPressureDiastolic')
STAGES = ['AsleepCore', 'AsleepDeep', 'AsleepREM', 'Awake']


def num(x, d):
    """`x` with at most `d` decimals and no trailing zeros."""
    s = f'{x:.{d}f}'
    return s.rstrip('0').rstrip('.') if '.' in s else s


def entry(key, value):
    return f'  <MetadataEntry key="{key}" value="{value}"/>\n'


class Draft:
    """A record in preparation: times in epoch seconds, the value as text, children as XML."""

    def __init__(self, index, start, created):
        self.index, self.start, self.end, self.created = index, start, start, created
        self.value, self.kids, self.watch, self.steps = '1', '', True, 0


class Maker:
    """The makers of one type's records, with the state that a type keeps between records."""

    def __init__(self, g):
        self.g = g
        self.walk = 60.0

    def HeartRate(self, d, rng):
        h = ((d.start + self.g.offsec) % 86400) / 3600
        target = 58 if h < 7 else (140 if rng.random() < 0.08 else 78)
        self.walk += (target - self.walk) * 0.2 + rng.gauss(0, 3)
        self.walk = min(190.0, max(42.0, self.walk))
        d.value = str(int(self.walk)) if rng.random() > 0.02 else num(self.walk, 4)
        if rng.random() < 0.9:
            d.kids = entry('HKMetadataKeyHeartRateMotionContext', 0 if self.walk < 90 else rng.choice((0, 1, 2)))

    def StepCount(self, d, rng):
        d.watch = d.index % 2 == 0
        dur = int(rng.random() * (180 if d.watch else 590)) + 2
        d.end = d.start + dur
        d.steps = max(1, int(dur * (rng.uniform(0.3, 1.8) if d.watch else rng.uniform(0.02, 0.5))))
        d.value = str(d.steps)
        truth = self.g.truth
        truth['watch_steps' if d.watch else 'phone_steps'] += d.steps
        truth['naive_steps'] += d.steps
        if self.g.a.manifest:
            self.g.steps.append((d.start, d.end, d.steps, d.watch))

    def DistanceWalkingRunning(self, d, rng):
        d.watch = d.index % 2 == 0
        d.end = d.start + int(rng.random() * (60 if d.watch else 590)) + 2
        km = (d.end - d.start) * rng.uniform(0.0002, 0.0014) * (1 if d.watch else 0.3) + 1e-4
        d.value = num(km, rng.choice((4, 5, 6, 7)))

    def ActiveEnergyBurned(self, d, rng):
        d.end = d.start + int(rng.random() * 60) + 1
        d.value = num((d.end - d.start) * rng.uniform(0.001, 0.06) + 1e-3, rng.choice((3, 3, 4, 5, 6)))

    def BasalEnergyBurned(self, d, rng):
        d.end = d.start + int(rng.random() * 600) + 10
        d.value = num((d.end - d.start) * 0.0199 * rng.uniform(0.97, 1.03), rng.choice((3, 4, 5)))

    def SleepAnalysis(self, d, rng):
        d.end = d.start + int(rng.expovariate(1 / 1300)) + 30
        d.watch = rng.random() > 0.1
        d.value = 'HKCategoryValueSleepAnalysis' + (rng.choice(STAGES) if d.watch else 'InBed')
        d.kids = entry('HKTimeZone', self.g.a.zone)
        d.created = d.start + 30000

    def AppleStandHour(self, d, rng):
        d.start -= (d.start + self.g.offsec) % 3600
        d.end = d.created = d.start + 3600
        d.value = 'HKCategoryValueAppleStandHour' + ('Stood' if rng.random() < 0.7 else 'Idle')

    def MindfulSession(self, d, rng):
        d.end = d.start + 60 * rng.randint(1, 10)
        d.value = 'HKCategoryValueNotApplicable'

    def HeartRateVariabilitySDNN(self, d, rng):
        d.end = d.start + 60
        d.value = num(max(5, rng.gauss(45, 15)), rng.choice((3, 4, 4, 5)))
        tt = (d.start + self.g.offsec) % 86400 * 100 + rng.randrange(100)
        beats = []
        for _ in range(rng.randint(25, 60)):
            bpm = int(rng.gauss(62, 4))
            tt += 6000 // max(40, bpm)
            x = tt // 100
            clock = f'{x // 3600 % 24}:{x // 60 % 60:02d}:{x % 60:02d}{self.g.a.decimal}{tt % 100:02d}'
            beats.append(f'   <InstantaneousBeatsPerMinute bpm="{bpm}" time="{clock}"/>\n')
        name = 'HeartRateVariabilityMetadataList'
        d.kids = f'  <{name}>\n' + ''.join(beats) + f'  </{name}>\n'

    def OxygenSaturation(self, d, rng):
        d.value = num(rng.choice((0.94, 0.95, 0.96, 0.97, 0.98, 0.99, 1.0)), 2)
        if rng.random() < 0.5:
            d.kids = entry('HKMetadataKeyBarometricPressure', num(rng.uniform(95, 102), 3) + ' kPa')

    def RespiratoryRate(self, d, rng):
        d.value = num(rng.uniform(12, 19), 1)

    def BloodGlucose(self, d, rng):
        d.value = num(rng.uniform(4, 8), 2)
        d.kids = entry('HKWasUserEntered', 1) + entry('HKBloodGlucoseMealTime', rng.randint(1, 2))

    def FlightsClimbed(self, d, rng):
        d.watch = d.index % 3 != 0
        d.end = d.start + rng.randint(5, 200)
        d.value = str(rng.randint(1, 5))

    def AppleExerciseTime(self, d, rng):
        d.end = d.start + 60

    def AppleStandTime(self, d, rng):
        d.start -= d.start % 300
        d.end = d.start + 300
        d.value = str(rng.randint(1, 5))

    def EnvironmentalAudioExposure(self, d, rng):
        d.end = d.start + 1800
        d.value = num(rng.uniform(40, 85), 4)

    def HeadphoneAudioExposure(self, d, rng):
        d.watch = False
        d.end = d.start + rng.randint(60, 1700)
        d.value = num(rng.uniform(50, 82), 4)

    def WalkingSpeed(self, d, rng):
        d.watch = False
        d.end = d.start + rng.randint(10, 300)
        d.value = num(rng.uniform(2.5, 6), 3)

    def WalkingStepLength(self, d, rng):
        d.watch = False
        d.end = d.start + rng.randint(10, 300)
        d.value = str(rng.randint(55, 85))

    def WalkingDoubleSupportPercentage(self, d, rng):
        d.watch = False
        d.end = d.start + rng.randint(10, 300)
        d.value = num(rng.uniform(0.25, 0.33), 3)

    def PhysicalEffort(self, d, rng):
        d.end = d.start + rng.randint(60, 600)
        d.value = num(rng.uniform(1, 6), 1)

    def RestingHeartRate(self, d, rng):
        d.end = d.start + 40000
        d.value = str(rng.randint(50, 64))

    def VO2Max(self, d, rng):
        d.value = num(rng.uniform(38, 44), 2)
        d.kids = entry('HKVO2MaxTestType', 2)


def scale_value(name, rng):
    if name == 'BodyMass':
        return num(rng.uniform(71, 74), rng.choice((1, 2, 14)))
    return num(rng.uniform(22, 24), 4) if name == 'BodyMassIndex' else '179'


def pressure(g, i, n):
    """The start second and both values of blood pressure `i` of `n`, for the records and the correlation."""
    rng = random.Random(f'{g.a.seed}:bp:{i}')
    start = g.start + int((i - 0.5) / n * (g.end - g.start))
    return start, rng.randint(105, 140), rng.randint(62, 90)


def type_records(g, w, t, n):
    """Writes the `n` records of type `t`, a few of them twice, as after a re-import."""
    rng = random.Random(f'{g.a.seed}:{t}')
    name = t[24:]
    unit = UNIT.get(name)
    maker = Maker(g)
    dups = 0 if name in SCALE_TYPES + PRESSURE_TYPES else n // 2000
    for i, st in enumerate(g.times(n - dups, rng, awake=name not in NIGHT), start=1):
        d = Draft(i, st, st + 30 + int(rng.random() * 600))
        if name in SCALE_TYPES:
            d.value = scale_value(name, rng)
            d.kids = entry('HKWasUserEntered', 0) + entry('Modified Date', g.ts(d.created))
            g.rec(w, t, SCALE, '4050300', '', unit, d)
            continue
        if name in PRESSURE_TYPES:
            d.start, systolic, diastolic = pressure(g, i, n)
            d.end, d.created = d.start, d.start + 5
            d.value = str(systolic if name.endswith('Systolic') else diastolic)
            d.kids = entry('HKWasUserEntered', 1)
            g.rec(w, t, 'Health', '17.1', '', unit, d)
            continue
        getattr(maker, name)(d, rng)
        if d.created < d.end:
            d.created = d.end + 5
        version, device = g.device(rng, d.watch, d.start)
        text = g.rec(w, t, WATCH if d.watch else PHONE, version, device, unit, d)
        if dups and i % 1999 == 0:
            w(text)
            dups -= 1
            g.count(t, d.value)
            g.truth['records'] += 1
            g.truth['duplicates'] += 1
            if name == 'StepCount':
                g.truth['naive_steps'] += d.steps


def correlations(g, w):
    """Blood pressure as correlations; their two records are also at top level."""
    n = g.n[Q + 'BloodPressureSystolic']
    base = 'sourceName="Health" sourceVersion="17.1"'
    for i in range(1, n + 1):
        start, systolic, diastolic = pressure(g, i, n)
        dates = f'creationDate="{g.ts(start + 5)}" startDate="{g.ts(start)}" endDate="{g.ts(start)}"'
        w(f' <Correlation type="HKCorrelationTypeIdentifierBloodPressure" {base} {dates}>\n')
        w(entry('HKWasUserEntered', 1))
        for name, value in (('Systolic', systolic), ('Diastolic', diastolic)):
            w(f'  <Record type="{Q}BloodPressure{name}" {base} unit="mmHg" {dates} value="{value}">\n')
            w(' ' + entry('HKWasUserEntered', 1) + '  </Record>\n')
        w(' </Correlation>\n')
