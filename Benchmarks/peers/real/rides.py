# SPDX-License-Identifier: Apache-2.0
"""Routes and activities: GPX, FIT, and the CSV supplied with FIT files."""

import csv
import xml.etree.ElementTree as xml
from collections import defaultdict
from datetime import datetime, timezone

from . import fit
from .series import EPOCH, SECOND, tidy

ROUTES = ["apple_route_2025-07-14_6.51pm", "apple_route_2024-12-26_3.04pm", "sweat_4801048867", "activity_5039744860"]
ACTIVITIES = [
    "activity-large-fenxi2-multisport", "2019-02-17-062644-ELEMNT-297E-195-0", "sweat_4801048867",
    "developer-types-sample", "activity-small-fenix2-run", "event_timestamp",
]
# Shorter series are too small to judge an encoding.
FEWEST = 500


def leaf(tag):
    return tag.rsplit("}", 1)[-1]


def nanoseconds(text):
    moment = datetime.fromisoformat(text.replace("Z", "+00:00")).astimezone(timezone.utc)
    return round(moment.timestamp() * 1000) * 1_000_000


def track(path):
    """Time and plain fields of each point."""
    rows = []
    for point in xml.parse(path).getroot().iter():
        if leaf(point.tag) != "trkpt":
            continue
        fields = {"latitude": float(point.get("lat")), "longitude": float(point.get("lon"))}
        time = None
        for part in point.iter():
            name, text = leaf(part.tag), (part.text or "").strip()
            if name == "time":
                time = nanoseconds(text)
            elif name in ("ele", "speed", "course", "hAcc", "vAcc", "hr", "atemp", "cad") and text:
                fields[name] = float(text)
        rows.append((time, fields))
    return rows


def columns(title, group, source, rows):
    """A series for each field with enough samples and more than one value."""
    found = defaultdict(list)
    for time, fields in rows:
        for name, value in fields.items():
            found[name].append((time, value))
    for name, pairs in found.items():
        if len(pairs) >= FEWEST and len({value for _, value in pairs}) > 1:
            yield tidy(f"{title} {name}", group, source, *zip(*pairs))


def routes(root):
    for name in ROUTES:
        yield from columns(f"GPX {name[:22]}", "route", f"routes/{name}.gpx", track(f"{root}/routes/{name}.gpx"))


def activities(root):
    for name in ACTIVITIES:
        path = f"fit/{name}.fit"
        yield from columns(f"FIT {name[:22]}", "activity", path, fit.records(f"{root}/{path}"))


def tables(root):
    """The CSV records: seconds from the device's start, and the fields as numbers."""
    path = "fit/compressed-speed-distance-records.csv"
    with open(f"{root}/{path}") as file:
        rows = [
            (
                EPOCH + int(row.pop("Timestamp")) * SECOND,
                {name.strip().lower().split(" [")[0]: float(text) for name, text in row.items() if text != "null"},
            )
            for row in csv.DictReader(file)
        ]
    yield from columns("FIT csv", "activity", path, rows)


READERS = [routes, activities, tables]
