# SPDX-License-Identifier: Apache-2.0
"""The elements of a synthetic export other than records: workouts, summaries, audiogram, prescription, route, ECG."""

import datetime as dt
import math
import random

from export_records import Q, WATCH, entry, num

KINDS = ('Running', 'Cycling', 'Walking', 'TraditionalStrengthTraining', 'Swimming')
ROUTE_KINDS = ('Running', 'Cycling', 'Walking')


def statistics(rng, kind, dur, dates):
    """The <WorkoutStatistics> lines of one workout."""

    def total(name, value, unit):
        return f'  <WorkoutStatistics type="{Q}{name}" {dates} sum="{value}" unit="{unit}"/>\n'

    kcal = dur / 60 * rng.uniform(5, 13)
    text = total('ActiveEnergyBurned', num(kcal, 3), 'kcal')
    text += total('BasalEnergyBurned', num(dur * 0.0199, 3), 'kcal')
    average, low, high = num(rng.uniform(110, 160), 3), rng.randint(70, 100), rng.randint(160, 188)
    text += f'  <WorkoutStatistics type="{Q}HeartRate" {dates} '
    text += f'average="{average}" minimum="{low}" maximum="{high}" unit="count/min"/>\n'
    if kind in ('Running', 'Walking'):
        text += total('DistanceWalkingRunning', num(dur * 0.0025, 5), 'km')
        text += total('StepCount', num(dur * 2.6, 3), 'count')
    if kind == 'Cycling':
        text += total('DistanceCycling', num(dur * 0.0062, 5), 'km')
    return text


def route_path(g, en):
    local = en + g.offsec
    half = 'am' if local % 86400 < 43200 else 'pm'
    return f'/workout-routes/route_{g.ts(en)[:10]}_{local // 3600 % 12 or 12}.{local // 60 % 60:02d}{half}.gpx'


def workout(g, w, rng, day):
    st = day - (day + g.offsec) % 86400 + rng.randint(7 * 3600, 20 * 3600)
    kind = rng.choice(KINDS)
    dur = rng.randint(900, 5400)
    en = st + dur
    cre = en + 3
    version, device = g.device(rng, True, st)
    dates = f'startDate="{g.ts(st)}" endDate="{g.ts(en)}"'
    minutes = repr(dur / 60 + rng.random() / 60)
    w(f' <Workout workoutActivityType="HKWorkoutActivityType{kind}" duration="{minutes}" durationUnit="min" ')
    w(f'sourceName="{WATCH}" sourceVersion="{version}" device="{device}" creationDate="{g.ts(cre)}" {dates}>\n')
    w(entry('HKIndoorWorkout', '1' if kind == 'TraditionalStrengthTraining' else '0'))
    w(entry('HKTimeZone', g.a.zone))
    w(entry('HKWeatherTemperature', f'{rng.randint(20, 90)} degF'))
    w(entry('HKWeatherHumidity', f'{rng.randint(20, 95) * 100} %'))
    w(entry('HKAverageMETs', f'{num(rng.uniform(2, 11), 5)} kcal/hr·kg'))
    w(entry('HKElevationAscended', f'{rng.randint(0, 60000)} cm'))
    seg = st
    while seg < en:
        d = min(en - seg, rng.randint(240, 420))
        w(f'  <WorkoutEvent type="HKWorkoutEventTypeSegment" date="{g.ts(seg)}" ')
        w(f'duration="{d / 60!r}" durationUnit="min"/>\n')
        seg += d
    stats = statistics(rng, kind, dur, dates)
    w(stats)
    w(f'  <WorkoutActivity uuid="{rng.getrandbits(128):032X}" {dates} duration="{dur / 60!r}" durationUnit="min">\n')
    w(''.join(' ' + line + '\n' for line in stats.splitlines()) + '  </WorkoutActivity>\n')
    if kind in ROUTE_KINDS:
        path = route_path(g, en)
        g.routes.append((path, st, dur))
        w(f'  <WorkoutRoute sourceName="{WATCH}" sourceVersion="{version}" creationDate="{g.ts(cre + 9)}" {dates}>\n')
        w(' ' + entry('HKMetadataKeySyncVersion', 2))
        w(f'   <FileReference path="{path}"/>\n  </WorkoutRoute>\n')
    w(' </Workout>\n')


def workouts(g, w):
    rng = random.Random(f'{g.a.seed}:workouts')
    n = int(g.days * 0.7)
    g.truth['workouts'] = n
    g.routes = []
    for i in range(n):
        workout(g, w, rng, g.start + int(g.days * 86400 * (i + 0.5) / max(1, n)))


def tail(g, w):
    """Activity summaries, and one of each rare element."""
    rng = random.Random(f'{g.a.seed}:tail')
    for d in range(int(g.days)):
        day = g.ts(g.start + d * 86400 + 3600)[:10]
        w(f' <ActivitySummary dateComponents="{day}" activeEnergyBurned="{num(rng.uniform(250, 900), 3)}" ')
        w('activeEnergyBurnedGoal="500" activeEnergyBurnedUnit="kcal" appleMoveTime="0" appleMoveTimeGoal="0" ')
        w(f'appleExerciseTime="{rng.randint(5, 90)}" appleExerciseTimeGoal="30" ')
        w(f'appleStandHours="{rng.randint(6, 16)}" appleStandHoursGoal="12"/>\n')
    t = g.ts(g.start + 86400)
    w(' <ClinicalRecord type="Observation" identifier="obs-1" sourceName="Example Clinic" ')
    w('sourceURL="https://fhir.example.org/R4/Observation/1" fhirVersion="4.0.1" ')
    w(f'receivedDate="{t}" resourceFilePath="/clinical-records/Observation-1.json"/>\n')
    w(' <Audiogram type="HKDataTypeIdentifierAudiogram" sourceName="Mimi" sourceVersion="1" ')
    w(f'creationDate="{t}" startDate="{t}" endDate="{t}">\n')
    for f in (250, 500, 1000, 2000, 4000, 8000):
        w(f'  <SensitivityPoint frequencyValue="{f}" frequencyUnit="Hz" leftEarValue="{rng.randint(0, 25)}" ')
        w(f'leftEarUnit="dBHL" rightEarValue="{rng.randint(0, 25)}" rightEarUnit="dBHL"/>\n')
    w(' </Audiogram>\n')
    w(f' <VisionPrescription type="Glasses" dateIssued="{t}" expirationDate="{t}" brand="None">\n')
    w('  <RightEye sphere="-1.25" sphereUnit="D"/>\n  <LeftEye sphere="-1.5" sphereUnit="D"/>\n')
    w(' </VisionPrescription>\n')


GPX_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<gpx version="1.1" creator="Apple Health Export" xmlns="http://www.topografix.com/GPX/1/1" '
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://www.topografix.com/GPX/1/1 '
    'http://www.topografix.com/GPX/1/1/gpx.xsd">\n'
    '  <metadata>\n    <time>{time}</time>\n  </metadata>\n  <trk>\n    <name>Route</name>\n    <trkseg>\n'
)


def gpx(g, path, st, dur):
    """A route at 1 Hz: a walk with a slowly turning course that begins in Zurich."""

    def iso(t):
        return dt.datetime.fromtimestamp(t, dt.timezone.utc).strftime('%Y-%m-%dT%H:%M:%SZ')

    rng = random.Random(f'{g.a.seed}:{path}')
    lat, lon, ele, c = 47.37, 8.54, 408.0, 90.0
    out = [GPX_HEAD.format(time=iso(g.end))]
    for i in range(dur):
        c = (c + rng.gauss(0, 4)) % 360
        v = max(0.2, rng.gauss(2.6, 0.3))
        lat += v * math.cos(math.radians(c)) / 111320
        lon += v * math.sin(math.radians(c)) / 75400
        ele += rng.gauss(0, 0.1)
        h_acc, v_acc = rng.uniform(1, 6), rng.uniform(1, 4)
        out.append(
            f'      <trkpt lon="{lon:.6f}" lat="{lat:.6f}"><ele>{ele:.6f}</ele><time>{iso(st + i)}</time>'
            f'<extensions><speed>{v:.6f}</speed><course>{c:.6f}</course>'
            f'<hAcc>{h_acc:.6f}</hAcc><vAcc>{v_acc:.6f}</vAcc></extensions></trkpt>\n'
        )
    return ''.join(out) + '    </trkseg>\n  </trk>\n</gpx>\n'


def ecg(g):
    """Thirty seconds of a synthetic heartbeat at 512 Hz, as the export's csv."""
    rng = random.Random(f'{g.a.seed}:ecg')
    out = [
        f'Name,\nDate of Birth,\nRecorded Date,{g.ts(g.start + 40000)}\nClassification,Sinus Rhythm\nSymptoms,\n'
        'Software Version,1.90\nDevice,"Watch6,2"\nSample Rate,512 hertz\n\n\nLead,Lead I\nUnit,µV\n\n'
    ]
    for i in range(512 * 30):
        t = (i % 470) / 512
        v = 1100 * math.exp(-(((t - 0.30) / 0.012) ** 2)) - 180 * math.exp(-(((t - 0.335) / 0.012) ** 2))
        v += 220 * math.exp(-(((t - 0.55) / 0.05) ** 2))
        v += 90 * math.exp(-(((t - 0.15) / 0.03) ** 2))
        v += rng.gauss(0, 8)
        out.append(f'{v:.3f}\n'.replace('.', g.a.decimal))
    return ''.join(out)
