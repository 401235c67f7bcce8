#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Generates Tests/HealthModelTests/Units/ConversionVectors.swift: conversions computed with exact fractions.

    Tools/tables/conversion-vectors.py

The script shares nothing with the Swift code: each unit is a fraction of its base unit, entered by hand from the
published definitions, and a result is the exact rational number, rounded once to the nearest double.
"""

import math
import random
import struct
from fractions import Fraction as F
from pathlib import Path

OUT = Path(__file__).resolve().parent.parent.parent / "Tests" / "HealthModelTests" / "Units" / "ConversionVectors.swift"

PI = F("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534")
GLUCOSE = F(180.1558800000541)  # the nearest double to the number in exports
LB = F("453.59237")
KCAL = F(4184)

# unit: (slope, offset) with base = slope * value + offset
UNITS = {
    "mg/dL": (F(1, 1000) / F(1, 10), 0),
    "g/L": (F(1), 0),
    "mmol<180.1558800000541>/L": (GLUCOSE / 1000, 0),
    "mol<12>": (F(12), 0), "mol<2>": (F(2), 0),
    "g": (F(1), 0), "kg": (F(1000), 0), "mcg": (F(1, 10**6), 0),
    "lb": (LB, 0), "oz": (F("28.349523125"), 0), "st": (F("6350.29318"), 0),
    "m": (F(1), 0), "km": (F(1000), 0), "cm": (F(1, 100), 0),
    "in": (F("0.0254"), 0), "ft": (F("0.3048"), 0), "yd": (F("0.9144"), 0), "mi": (F("1609.344"), 0),
    "L": (F(1), 0), "mL": (F(1, 1000), 0), "fl_oz_us": (F("0.0295735295625"), 0),
    "fl_oz_imp": (F("0.0284130625"), 0), "pt_us": (F("0.473176473"), 0), "pt_imp": (F("0.56826125"), 0),
    "cup_us": (F("0.2365882365"), 0), "cup_imp": (F("0.284130625"), 0),
    "Pa": (F(1), 0), "hPa": (F(100), 0), "mmHg": (F("133.32236842105263"), 0), "cmAq": (F("98.06649606299213"), 0),
    "atm": (F(101325), 0), "inHg": (F("3386.38816"), 0),
    "K": (F(1), F(0)), "mK": (F(1, 1000), F(0)), "degC": (F(1), F("273.15")), "degF": (F(5, 9), F("459.67") * F(5, 9)),
    "degC/min": (F(1, 60), 0), "degF/hr": (F(5, 9) / 3600, 0), "K/s": (F(1), 0),
    "J": (F(1), 0), "kJ": (F(1000), 0), "cal": (F("4.184"), 0), "kcal": (KCAL, 0), "Cal": (KCAL, 0),
    "kcal/hr·kg": (KCAL / (3600 * 1000), 0), "J/(kg*s)": (F(1, 1000), 0), "kJ/(d*lb)": (1000 / (86400 * LB), 0),
    "mL/min·kg": (F(1, 1000) / (60 * 1000), 0), "L/(hr*lb)": (1 / (3600 * LB), 0), "mL/(s*g)": (F(1, 1000), 0),
    "count/min": (F(1, 60), 0), "count/s": (F(1), 0), "%/d": (F(1, 86400), 0),
    "count": (F(1), 0), "%": (F(1), 0),
    "km/hr": (F(1000, 3600), 0), "m/s": (F(1), 0), "mi/hr": (F("1609.344") / 3600, 0), "ft/min": (F("0.3048") / 60, 0),
    "m^2": (F(1), 0), "in^2": (F("0.0254") ** 2, 0), "cm^3": (F(1, 10**6), 0), "yd^3": (F("0.9144") ** 3, 0),
    "rad": (F(1), 0), "deg": (PI / 180, 0), "mrad": (F(1, 1000), 0),
    "s": (F(1), 0), "ms": (F(1, 1000), 0), "min": (F(60), 0), "hr": (F(3600), 0), "d": (F(86400), 0),
}

PAIRS = """
mg/dL>mmol<180.1558800000541>/L mmol<180.1558800000541>/L>mg/dL g/L>mg/dL mmol<180.1558800000541>/L>g/L
mol<12>>mol<2> mol<2>>g lb>kg kg>lb oz>g g>oz st>lb lb>st mcg>oz kg>mcg
mi>km km>mi ft>in in>ft cm>in in>cm yd>m m>mi ft>yd
fl_oz_us>mL mL>fl_oz_us fl_oz_imp>fl_oz_us pt_us>L pt_imp>cup_imp cup_us>pt_us L>cup_us
mmHg>Pa Pa>mmHg mmHg>inHg inHg>mmHg cmAq>mmHg atm>mmHg hPa>inHg atm>cmAq
degF>degC degC>degF degC>K K>degF degF>K mK>degC degF>mK degC/min>K/s degF/hr>degC/min
kcal>kJ kJ>kcal cal>J Cal>kcal J>Cal
kcal/hr·kg>J/(kg*s) J/(kg*s)>kcal/hr·kg kcal/hr·kg>kJ/(d*lb) mL/min·kg>L/(hr*lb) mL/min·kg>mL/(s*g)
count/min>count/s count/s>count/min %/d>count/min %>count count>%
km/hr>m/s m/s>km/hr mi/hr>m/s m/s>mi/hr ft/min>km/hr
in^2>m^2 m^2>in^2 yd^3>cm^3 deg>rad rad>deg mrad>deg ms>min d>ms hr>d min>hr
""".split()


def bits(value):
    return struct.pack(">d", value).hex()


def rounded(exact, like):
    """The nearest double; an exact zero gets the sign of `like`."""
    return float(exact) if exact else math.copysign(0.0, like)


def values(random_source, affine):
    yield from [1.0, 98.6, 72.0]
    yield from [-40.0, 32.0] if affine else [5.55, 0.1]
    yield random_source.uniform(0, 1000)
    yield random_source.uniform(-1, 1) * 10.0 ** random_source.randint(-12, 12)


def main():
    random_source = random.Random(20240607)
    out = [
        "// SPDX-License-Identifier: Apache-2.0",
        "//",
        "// Conversions computed with exact fractions and rounded once.",
        "// Written by Tools/tables/conversion-vectors.py; change the script, not this file.",
        "",
        "/// A line `FROM > TO`, then pairs `VALUE:RESULT` of bit patterns in hexadecimal.",
        'let conversionVectors = """',
    ]
    for pair in PAIRS:
        source, target = next((a, b) for a in UNITS for b in UNITS if f"{a}>{b}" == pair)
        (slope, offset), (slope2, offset2) = UNITS[source], UNITS[target]
        cells = []
        for value in values(random_source, offset or offset2):
            exact = (slope * F(value) + offset - offset2) / slope2
            cells.append(f"{bits(value)}:{bits(rounded(exact, value))}")
        out.append(f"    {source} > {target}")
        out += ["    " + " ".join(cells[at:at + 3]) for at in range(0, len(cells), 3)]
    out.append('    """')
    OUT.write_text("\n".join(out) + "\n", encoding="utf-8")
    print(f"wrote {OUT.relative_to(OUT.parent.parent.parent)}")


main()
