# SPDX-License-Identifier: Apache-2.0
#
# Reads the workouts of an export, independently of Kymograph, by the rules in Docs/Guide/Import.md.
#
#     workouts.py EXPORT     prints one JSON list; EXPORT is an archive, a folder with an export.xml, or an XML
import datetime, fractions, json, os, re, sys, zipfile
import xml.etree.ElementTree as ET

path = sys.argv[1]
SECONDS = {"min": 60, "s": 1, "sec": 1, "hr": 3600, "ms": fractions.Fraction(1, 1000)}
DISTANCE = {
    "Cycling": "Cycling", "HandCycling": "Cycling", "Swimming": "Swimming", "Running": "WalkingRunning",
    "WheelchairWalkPace": "Wheelchair", "WheelchairRunPace": "Wheelchair", "DownhillSkiing": "DownhillSnowSports",
    "Snowboarding": "DownhillSnowSports", "CrossCountrySkiing": "CrossCountrySkiing", "Rowing": "Rowing",
    "PaddleSports": "PaddleSports", "SkatingSports": "SkatingSports",
}
QUANTITY = "HKQuantityTypeIdentifier"


def source():
    """The bytes of the XML, and a function that returns the bytes of a named file or nothing."""
    if zipfile.is_zipfile(path):
        archive = zipfile.ZipFile(path)
        names = archive.namelist()
        files = [n for n in names if n.endswith(".xml") and "cda" not in n]
        xml = max(files, key=lambda n: archive.getinfo(n).file_size)
        def find(name):
            found = [n for n in names if n.lower().endswith(name.lower().lstrip("/"))]
            return archive.read(found[0]) if found else None
        return archive.read(xml), find
    folder = path if os.path.isdir(path) else os.path.dirname(path)
    xml = os.path.join(path, "export.xml") if os.path.isdir(path) else path
    def find(name):
        place = os.path.join(folder, name.lstrip("/"))
        return open(place, "rb").read() if os.path.exists(place) else None
    return open(xml, "rb").read(), find


def time(text):
    """Nanoseconds of a date."""
    date, _, rest = text.partition(".")
    if rest:
        digits = re.match(r"\d+", rest).group(0)
        return time(date + rest[len(digits):]) + int(digits.ljust(9, "0"))
    text = text.replace("T", " ").replace("Z", " +0000")
    if text[-6] != " ":
        text = re.sub(r"(\d)([+-]\d+:?\d*)$", r"\1 \2", text)
    return int(datetime.datetime.strptime(text, "%Y-%m-%d %H:%M:%S %z").timestamp()) * 10**9


def length(element):
    """Nanoseconds of a duration; nothing without one."""
    text = element.get("duration")
    if text is None:
        return None
    return round(fractions.Fraction(text) * SECONDS[element.get("durationUnit", "min")] * 10**9)


def statistics(element):
    found = {}
    for one in element.findall("WorkoutStatistics"):
        numbers = {k: float(one.get(k)) for k in ("sum", "average", "minimum", "maximum") if one.get(k) is not None}
        found.setdefault(one.get("type"), dict(numbers, unit=one.get("unit")))
    return found


def events(element):
    return [[e.get("type"), time(e.get("date")), length(e) or 0] for e in element.findall("WorkoutEvent")]


def points(route, find):
    found = []
    for one in route.findall("Location"):
        number = lambda name: float(one.get(name, -1))
        found.append([time(one.get("date"))] + [number(n) for n in (
            "latitude", "longitude", "altitude", "horizontalAccuracy", "verticalAccuracy", "course", "speed")])
    for reference in route.findall("FileReference"):
        data = find(reference.get("path"))
        if data is None:
            continue
        text = re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", data.decode())
        text = re.sub(r'\sxsi:\w+="[^"]*"', "", text)
        for one in ET.fromstring(text).iter("trkpt"):
            value = lambda name, missing=-1.0: float(one.findtext(".//" + name, missing))
            found.append([time(one.findtext("time")), float(one.get("lat")), float(one.get("lon")), value("ele", 0.0),
                          value("hAcc"), value("vAcc"), value("course"), value("speed")])
    return sorted(found, key=lambda point: point[0])


xml, find = source()
text = re.sub(r"<!DOCTYPE.*?\]>", "", xml.decode(), flags=re.S)
if "<HealthData" not in text:
    text = "<HealthData>" + text + "</HealthData>"
workouts = []
for element in ET.fromstring(text.replace("\x0b", " ")).findall("Workout"):
    kind = element.get("workoutActivityType").removeprefix("HKWorkoutActivityType")
    stats = statistics(element)
    total = lambda name: None if element.get(name) is None else [float(element.get(name)), element.get(name + "Unit")]
    def summed(kind):
        one = stats.get(QUANTITY + kind, {})
        return [one["sum"], one["unit"]] if "sum" in one else None
    seen, all_events = set(), []
    for event in events(element):
        seen.add(tuple(event))
        all_events.append(event)
    parts = []
    for part in element.findall("WorkoutActivity"):
        for event in events(part):
            if tuple(event) not in seen:
                seen.add(tuple(event))
                all_events.append(event)
        parts.append({
            "uuid": part.get("uuid").replace("-", "").upper(), "start": time(part.get("startDate")),
            "end": time(part.get("endDate")), "duration": length(part), "statistics": statistics(part)})
    routes = sorted(filter(None, (points(r, find) for r in element.findall("WorkoutRoute"))), key=lambda r: r[0][0])
    unique = []
    for route in routes:
        if route not in unique:
            unique.append(route)
    workouts.append({
        "activity": "HKWorkoutActivityType" + kind, "start": time(element.get("startDate")),
        "end": time(element.get("endDate")), "duration": length(element), "source": element.get("sourceName"),
        "energy": total("totalEnergyBurned") or summed("ActiveEnergyBurned"),
        "distance": total("totalDistance") or summed("Distance" + DISTANCE.get(kind, "WalkingRunning")),
        "statistics": stats, "events": sorted(all_events, key=lambda e: e[1]), "activities": parts,
        "metadata": {e.get("key"): e.get("value") for e in element.findall("MetadataEntry")}, "routes": unique})
workouts.sort(key=lambda w: w["start"])
json.dump(workouts, sys.stdout)
