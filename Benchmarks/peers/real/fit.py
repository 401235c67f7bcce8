# SPDX-License-Identifier: Apache-2.0
"""The `record` messages of a FIT activity file: plain fields only, no developer fields and no subfields."""

import struct

from .series import SECOND

# 1989-12-31T00:00:00Z, the origin of FIT times in seconds.
FIT_EPOCH = 631_065_600
RECORD = 20
TIMESTAMP = 253
DEGREES = 180 / 2**31
# field number: (name, divisor, offset); positions are multiplied.
FIELDS = {
    0: ("latitude", None, 0),
    1: ("longitude", None, 0),
    2: ("altitude", 5, 500),
    3: ("heart rate", 1, 0),
    4: ("cadence", 1, 0),
    5: ("distance", 100, 0),
    6: ("speed", 1000, 0),
    7: ("power", 1, 0),
    13: ("temperature", 1, 0),
    73: ("speed", 1000, 0),
    78: ("altitude", 5, 500),
}
# base type: (struct code, size, invalid value)
TYPES = {
    0x00: ("B", 1, 0xFF), 0x01: ("b", 1, 0x7F), 0x02: ("B", 1, 0xFF), 0x83: ("h", 2, 0x7FFF),
    0x84: ("H", 2, 0xFFFF), 0x85: ("i", 4, 0x7FFFFFFF), 0x86: ("I", 4, 0xFFFFFFFF), 0x0A: ("B", 1, 0),
    0x8B: ("H", 2, 0), 0x8C: ("I", 4, 0),
}


def definition(data, at, developer):
    """A definition message's byte order, global number and fields, and the offset of its end."""
    order = ">" if data[at + 1] else "<"
    number, count = struct.unpack_from(order + "HB", data, at + 2)
    fields = [tuple(data[at + 5 + 3 * i : at + 8 + 3 * i]) for i in range(count)]
    at += 5 + 3 * count
    extra = 0
    if developer:
        extra = sum(data[at + 2 + 3 * i] for i in range(data[at]))
        at += 1 + 3 * data[at]
    return (order, number, fields, extra), at


def message(data, at, layout):
    """A data message's plain fields by number, and the offset of its end."""
    order, _, fields, extra = layout
    found = {}
    for number, size, base in fields:
        code, width, invalid = TYPES.get(base, (None, 0, None))
        if code and size == width:
            value = struct.unpack_from(order + code, data, at)[0]
            if value != invalid:
                found[number] = value
        at += size
    return found, at + extra


def records(path):
    """Time in nanoseconds and plain fields of each record message, in the order of the file."""
    data = open(path, "rb").read()
    at, end = data[0], data[0] + struct.unpack_from("<I", data, 4)[0]
    layouts, clock, rows = {}, 0, []
    while at < min(end, len(data)):
        head = data[at]
        at += 1
        if not head & 0x80 and head & 0x40:
            layouts[head & 15], at = definition(data, at, head & 0x20)
            continue
        compressed = head & 0x80
        layout = layouts[(head >> 5) & 3 if compressed else head & 15]
        found, at = message(data, at, layout)
        if compressed:
            clock += ((head & 31) - (clock & 31)) & 31
        clock = found.get(TIMESTAMP, clock)
        if layout[1] == RECORD:
            rows.append(((clock + FIT_EPOCH) * SECOND, plain(found)))
    return rows


def plain(found):
    """Fields by name, in the units of the FIT profile; positions in degrees."""
    values = {}
    for number, raw in found.items():
        if number in FIELDS:
            name, divisor, offset = FIELDS[number]
            values[name] = raw * DEGREES if divisor is None else raw / divisor - offset
    return values
