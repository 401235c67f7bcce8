#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the points of a FIT file as CSV, by the public description of the format.

An independent implementation for the tests of WorkoutFiles: it reads the whole file, field by field, with struct.

    Tests/Oracles/fit.py FILE.fit > FILE.csv

Columns: seconds since 1970, heart rate, distance, speed, cadence, power, latitude, longitude, altitude. Numbers are
Python's shortest texts of doubles; missing values are empty. Points are sorted by time, those of one time in the order
of the file.
"""
import struct
import sys

TYPES = {0: 'B', 1: 'b', 2: 'B', 3: 'h', 4: 'H', 5: 'i', 6: 'I', 8: 'f', 9: 'd', 10: 'B', 11: 'H', 12: 'I', 13: 'B',
         14: 'q', 15: 'Q', 16: 'Q'}
INVALID = {0: 0xFF, 1: 0x7F, 2: 0xFF, 3: 0x7FFF, 4: 0xFFFF, 5: 0x7FFFFFFF, 6: 0xFFFFFFFF, 10: 0, 11: 0, 12: 0,
           13: 0xFF, 14: 2**63 - 1, 15: 2**64 - 1, 16: 0}


def values(raw, kind, order):
    code = TYPES.get(kind)
    if code is None:
        return []
    size = struct.calcsize(code)
    found = [struct.unpack(order + code, raw[at:at + size])[0] for at in range(0, len(raw) - size + 1, size)]
    return [None if value == INVALID.get(kind) or value != value else value for value in found]


def messages(data):
    """Yields the message number and its fields: number -> (values, raw bytes)."""
    at = 0
    while at + 12 <= len(data) and data[at + 8:at + 12] == b'.FIT':
        end = at + data[at] + struct.unpack('<I', data[at + 4:at + 8])[0]
        at += data[at]
        kinds, stamp = {}, None
        while at < min(end, len(data)):
            header = data[at]
            at += 1
            if header & 0xC0 == 0x40:
                order = '>' if data[at + 1] else '<'
                number, count = struct.unpack(order + 'HB', data[at + 2:at + 5])
                fields = [tuple(data[at + 5 + 3 * i:at + 8 + 3 * i]) for i in range(count)]
                at += 5 + 3 * count
                extra = 0
                if header & 0x20:
                    extra = sum(data[at + 2 + 3 * i] for i in range(data[at]))
                    at += 1 + 3 * data[at]
                kinds[header & 15] = (number, order, fields, extra)
                continue
            if header & 0x80:
                local = header >> 5 & 3
                stamp += ((header & 31) - stamp) & 31
            else:
                local = header & 15
            number, order, fields, extra = kinds[local]
            if at + sum(size for _, size, _ in fields) + extra > len(data):
                return
            found = {}
            for field, size, kind in fields:
                found[field] = (values(data[at:at + size], kind & 31, order), data[at:at + size])
                at += size
            at += extra
            if 253 in found and found[253][0][0] is not None:
                stamp = found[253][0][0]
            yield number, found, stamp
        at += 2


def points(data):
    counter = None
    beats = None
    for number, fields, stamp in messages(data):
        def first(field, scale=1.0, offset=0.0):
            found = fields.get(field, ([None], b''))[0]
            return None if not found or found[0] is None else found[0] / scale - offset
        if number == 20 and stamp is not None:
            speed = first(73, 1000)
            speed = first(6, 1000) if speed is None else speed
            distance = first(5, 100)
            packed = fields.get(8, (None, b''))[1]
            if len(packed) == 3 and packed != b'\xff\xff\xff':
                bits = packed[1] >> 4 | packed[2] << 4
                counter = (bits, bits) if counter is None else (bits, counter[1] + ((bits - counter[0]) & 0xFFF))
                if speed is None:
                    speed = (packed[0] | (packed[1] & 15) << 8) / 100
                if distance is None:
                    distance = counter[1] / 16
            cadence = first(4)
            if cadence is not None:
                cadence += first(53, 128) or 0
            altitude = first(78, 5, 500)
            altitude = first(2, 5, 500) if altitude is None else altitude
            place = [first(0), first(1)]
            place = [None, None] if None in place else [part * (180 / 2**31) for part in place]
            row = [first(3) or None, distance, speed, cadence, first(7), place[0], place[1], altitude]
            if any(value is not None for value in row) or first(13) is not None:
                yield 631065600.0 + stamp, row
        if number == 132:
            rates = fields.get(6, ([], b''))[0]
            times = [time for time in fields.get(9, ([], b''))[0] if time is not None]
            if times:
                if first(253) is not None or beats is None:
                    beats = [631065600.0 + stamp + (first(0, 32768) or 0), times[0], times[0]]
            else:
                packed = fields.get(10, (None, b''))[1]
                last = beats[2]
                for place in range(0, len(packed) - len(packed) % 3, 3):
                    for bits in (packed[place] | (packed[place + 1] & 15) << 8,
                                 packed[place + 1] >> 4 | packed[place + 2] << 4):
                        last += (bits - last) & 0xFFF
                        times.append(last)
            beats[2] = times[-1]
            for rate, time in zip(rates, times):
                if rate:
                    yield beats[0] + (time - beats[1]) / 1024, [float(rate)] + [None] * 7


with open(sys.argv[1], 'rb') as file:
    found = sorted(points(file.read()), key=lambda point: point[0])
for time, row in found:
    print(','.join([repr(time)] + ['' if value is None else repr(float(value)) for value in row]))
