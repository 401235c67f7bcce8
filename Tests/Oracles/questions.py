# SPDX-License-Identifier: Apache-2.0
#
# Answers the first questions of a person from an export, independently of Kymograph.
#
#     questions.py EXPORT.ZIP ZONE     prints one JSON object
import datetime, fractions, io, json, statistics, sys, zipfile, zoneinfo
import xml.etree.ElementTree as ET

archive, zone = zipfile.ZipFile(sys.argv[1]), zoneinfo.ZoneInfo(sys.argv[2])
name = next(n for n in archive.namelist() if n.endswith("export.xml"))
records, pressures = {}, 0


def time(text):
    return int(datetime.datetime.strptime(text, "%Y-%m-%d %H:%M:%S %z").timestamp())


depth = 0
for event, element in ET.iterparse(io.BytesIO(archive.read(name)), events=("start", "end")):
    if element.tag == "Correlation":
        depth += 1 if event == "start" else -1
        if event == "end" and element.get("type").endswith("BloodPressure"):
            pressures += 1
    # Records inside of a correlation are repeated outside of it.
    if event == "end" and element.tag == "Record" and depth == 0:
        kind = element.get("type").removeprefix("HKQuantityTypeIdentifier").removeprefix("HKCategoryTypeIdentifier")
        records.setdefault(kind, []).append(
            (time(element.get("startDate")), time(element.get("endDate")), element.get("value"),
             element.get("sourceName"), "Watch" in (element.get("device") or "")))


def merged(kind, first, last):
    """The total of a cumulative type from one second to another: at each moment the watch counts, else the phone."""
    seen, parts = set(), []
    for start, end, value, source, is_watch in records[kind]:
        if (start, end, value, source) not in seen:
            seen.add((start, end, value, source))
            parts.append((start, end, fractions.Fraction(value), 0 if is_watch else 1))
    parts = [p for p in parts if p[1] > first and p[0] < last]
    edges = sorted({first, last, *(min(max(e, first), last) for p in parts for e in p[:2])})
    total, active, parts = fractions.Fraction(0), [], sorted(parts)
    place = 0
    for left, right in zip(edges, edges[1:]):
        while place < len(parts) and parts[place][0] <= left:
            active.append(parts[place])
            place += 1
        active = [p for p in active if p[1] > left]
        if active:
            best = min(p[3] for p in active)
            total += sum(p[2] * (right - left) / (p[1] - p[0]) for p in active if p[3] == best)
    return float(total)


def midnight(day):
    return int(datetime.datetime(day.year, day.month, day.day, tzinfo=zone).timestamp())


day = datetime.timedelta(1)
monday = datetime.date(2022, 1, 3)
answers = {"steps": merged("StepCount", midnight(monday), midnight(monday + 7 * day))}
walk = "DistanceWalkingRunning"
answers["distance"] = merged(walk, midnight(monday), midnight(monday + 7 * day))
resting = [float(r[2]) for r in records["RestingHeartRate"]
           if datetime.datetime.fromtimestamp(r[0], zone).strftime("%Y-%m") == "2022-01"]
answers["resting"] = statistics.fmean(resting)
highest = max(records["HeartRate"], key=lambda r: (float(r[2]), -r[0]))
answers["pulse"] = {"value": float(highest[2]),
                    "clock": datetime.datetime.fromtimestamp(highest[0], zone).strftime("%Y-%m-%d %H:%M")}
weight = max(records["BodyMass"])
answers["pounds"] = float(weight[2]) / 0.45359237
glucose = [float(r[2]) for r in records["BloodGlucose"]]
answers["glucose"] = statistics.fmean(glucose) * 18.01558800000541
answers["pressures"] = pressures
rhythms = []
for entry in archive.namelist():
    if "electrocardiograms/" in entry and entry.endswith(".csv"):
        text = archive.read(entry).decode("utf-8-sig")
        rhythms += [line.split(",")[1].strip() for line in text.splitlines() if line.startswith("Classification")]
answers["rhythms"] = rhythms
json.dump(answers, sys.stdout)
