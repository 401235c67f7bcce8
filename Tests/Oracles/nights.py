# SPDX-License-Identifier: Apache-2.0
#
# Computes nights from an export's XML, independently of Kymograph, by the definition in Docs/Guide/Nights.md.
#
#     nights.py EXPORT.XML ZONE SOURCE...     prints one JSON object; sources in order of priority
import datetime, json, sys, zoneinfo
import xml.etree.ElementTree as ET

path, zone, order = sys.argv[1], zoneinfo.ZoneInfo(sys.argv[2]), sys.argv[3:]
PREFIX = "HKCategoryValueSleepAnalysis"
STRENGTH = ["Awake", "AsleepDeep", "AsleepREM", "AsleepCore", "AsleepUnspecified"]


def time(text):
    return int(datetime.datetime.strptime(text, "%Y-%m-%d %H:%M:%S %z").timestamp())


records = []
for _, element in ET.iterparse(path):
    if element.tag == "Record" and element.get("type") == "HKCategoryTypeIdentifierSleepAnalysis":
        records.append(
            (time(element.get("startDate")), time(element.get("endDate")), element.get("value")[len(PREFIX):],
             order.index(element.get("sourceName"))))
    element.clear()


def evening(day):
    """The second at which the night to the day after begins."""
    return int(datetime.datetime(day.year, day.month, day.day, 18, tzinfo=zone).timestamp())


first = datetime.datetime.fromtimestamp(min(r[0] for r in records), zone).date() - datetime.timedelta(2)
last = datetime.datetime.fromtimestamp(max(r[1] for r in records), zone).date() + datetime.timedelta(2)
records.sort()
nights, day, place = {}, first, 0
while day <= last:
    begin, end = evening(day), evening(day + datetime.timedelta(1))
    day += datetime.timedelta(1)
    while place < len(records) and records[place][0] < begin - 4 * 86_400:
        place += 1
    cut = []
    for start, stop, value, source in records[place:]:
        if start >= end:
            break
        if stop > begin:
            cut.append((max(start, begin), min(stop, end), value, source))
    edges = sorted({edge for part in cut for edge in part[:2]})
    total = {}
    for left, right in zip(edges, edges[1:]):
        here = [part for part in cut if part[0] <= left and part[1] >= right]
        if any(part[2] == "InBed" for part in here):
            total["InBed"] = total.get("InBed", 0) + right - left
        stages = [part for part in here if part[2] in STRENGTH]
        if stages:
            winner = min(part[3] for part in stages)
            value = min((part[2] for part in stages if part[3] == winner), key=STRENGTH.index)
            total[value] = total.get(value, 0) + right - left
    if total:
        nights[str(day)] = total
json.dump(nights, sys.stdout)
