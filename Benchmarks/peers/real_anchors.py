#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bytes and rates of general compressors on the columns written by real_series.py.

    real_anchors.py --data DIR --out FILE [--runs N]

Needs numpy, pcodec, lz4 and zstandard. Every result is decompressed and compared. A rate is the best of the runs, in
samples per second, through the Python binding, for columns of at least 20,000 samples.
"""

import argparse
import json
import time

import lz4.block
import numpy as np
import zstandard
from pcodec import ChunkConfig, standalone

BLOCK = 1024
RATED = 20_000


def pcodec(level):
    config = ChunkConfig(compression_level=level)
    return (lambda column: standalone.simple_compress(column, config), standalone.simple_decompress)


def blocks(codec):
    """The same codec in independent chunks of a block's size."""
    encode, decode = codec

    def encode_all(column):
        return [encode(column[i : i + BLOCK]) for i in range(0, len(column), BLOCK)]

    return encode_all, lambda parts: np.concatenate([decode(part) for part in parts])


def raw(compress, expand):
    """A codec of bytes, for columns in their memory layout."""
    return (lambda column: (column.dtype, compress(column.tobytes())),
            lambda pair: np.frombuffer(expand(pair[1]), pair[0]))


def codecs():
    squeeze, expand = zstandard.ZstdCompressor(level=3), zstandard.ZstdDecompressor()
    return {
        "pcodec-8": pcodec(8),
        "pcodec-12": pcodec(12),
        "pcodec-8-blocks": blocks(pcodec(8)),
        "zstd-3": raw(squeeze.compress, expand.decompress),
        "lz4": raw(lz4.block.compress, lz4.block.decompress),
    }


def size(coded):
    if isinstance(coded, list):
        return sum(len(part) for part in coded)
    return len(coded[1]) if isinstance(coded, tuple) else len(coded)


def best(runs, body):
    times = []
    for _ in range(runs):
        begun = time.perf_counter()
        body()
        times.append(time.perf_counter() - begun)
    return min(times)


def measure(column, codec, runs):
    encode, decode = codec
    coded = encode(column)
    back = decode(coded)
    assert np.array_equal(back.view(np.int64), column.view(np.int64)), "the decompressed bits differ"
    result = dict(bytes=size(coded))
    if len(column) >= RATED:
        result["encode"] = len(column) / best(runs, lambda: encode(column))
        result["decode"] = len(column) / best(runs, lambda: decode(coded))
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    if options.runs < 1:
        parser.error("--runs must be at least 1")
    manifest = json.load(open(f"{options.data}/manifest.json"))
    found = {}
    for one in manifest["series"]:
        stem = f"{options.data}/{one['file']}"
        columns = dict(times=np.fromfile(stem + ".ts", "<i8"), values=np.fromfile(stem + ".val", "<f8"))
        found[one["name"]] = {
            codec: {name: measure(column, pair, options.runs) for name, column in columns.items()}
            for codec, pair in codecs().items()
        }
    with open(options.out, "w") as file:
        json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()
