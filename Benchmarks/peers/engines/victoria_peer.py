# SPDX-License-Identifier: Apache-2.0
"""VictoriaMetrics, a server. It is lossy: it keeps milliseconds and rounds values to about 12 digits."""

import json
import math
import subprocess
import time

import numpy as np

from bench import clock
from install import victoria, victoria_package

from .base import Peer
from .server import Server

CHUNK = 20_000
FUNCTIONS = ("count_over_time", "sum_over_time", "min_over_time", "max_over_time")
SETTINGS = [
    "-retentionPeriod=100y", "-search.maxPointsPerTimeseries=200000", "-search.disableCache",
    "-search.maxSamplesPerQuery=2000000000", "-search.maxStalenessInterval=0", "-loggerLevel=WARN",
    "-search.latencyOffset=0s", "-search.maxQueryDuration=300s",
]


def program():
    """The server's binary: named by VICTORIA_METRICS, put beside the environment by install.py, or on the path."""
    found = victoria()
    if not found:
        raise FileNotFoundError("no victoria-metrics on the path; give the binary with VICTORIA_METRICS")
    return found


class VictoriaMetrics(Peer):
    title = "VictoriaMetrics"
    note = (
        "lossy: keeps milliseconds and rounds values, which changes ecg and dist; server on loopback, queried in JSON "
        "over a persistent connection; imported as prepared JSON lines of 20,000 samples, then force_flush and "
        "fsync: it has no log, so small appends are not durable; size after force_merge and a stop; nocache; buckets "
        "by aggr_over_time; cold includes the server's start")
    lossy = {"ecg": "times are milliseconds", "dist": "times are milliseconds, values are rounded"}
    loads_once = True

    def __init__(self, root, threads):
        super().__init__(root, threads)
        self.server = Server(f"{root}/log", threads)
        self.group, self.sizes, self.extents = None, {}, {}

    def version(self):
        answer = subprocess.run([program(), "-version"], capture_output=True, text=True)
        text = (answer.stdout + answer.stderr).strip().split("\n")[-1]
        # Debian's binary does not print its version; the package's name contains it.
        return text or victoria_package() or "unknown"

    @property
    def store(self):
        return f"{self.root}/store"

    def start(self):
        command = [program(), f"-storageDataPath={self.store}", f"-httpListenAddr=127.0.0.1:{self.server.port}"]
        self.server.start(command + SETTINGS, "/health")

    def stop(self):
        self.server.stop()

    def fresh(self, group):
        """All sets share one store."""

    def prepare(self, group, columns):
        self.extents[group] = (
            min(int(times[0]) for times, _ in columns.values()), max(int(times[-1]) for times, _ in columns.values()))
        bodies = []
        for series, (times, values) in columns.items():
            metric = json.dumps({"__name__": group, "s": str(series)})
            for at in range(0, len(times), CHUNK):
                numbers = json.dumps(values[at : at + CHUNK].tolist())
                stamps = json.dumps((times[at : at + CHUNK] // 1000).tolist())
                bodies.append(f'{{"metric":{metric},"values":{numbers},"timestamps":{stamps}}}\n'.encode())
        return bodies

    def ingest(self, group, prepared):
        for body in prepared:
            self.server.ask("POST", "/api/v1/import", body)
        self.server.get("/internal/force_flush")

    def sync(self, group):
        clock.sync_tree(self.store)

    def compact(self, group):
        """Merges the store and records its growth by this set."""
        time.sleep(1)
        self.server.get("/internal/force_merge")
        time.sleep(4)
        self.server.stop()
        total = sum(clock.tree_bytes(f"{self.store}/{part}") for part in ("data", "indexdb"))
        self.sizes[group] = total - sum(self.sizes.values())
        self.start()

    def size(self, group):
        return self.sizes[group]

    def open(self, group):
        self.group = group
        if not self.server.is_running:
            self.start()

    def forget(self):
        self.server.stop()

    def call(self):
        return self.server.result("/api/v1/query", query="1", nocache="1")

    # A function's window ends at an instant and includes it.

    @staticmethod
    def window(first, end):
        """The last millisecond before `end`, and the number of milliseconds since `first`."""
        low, high = -(-first // 1000), -(-end // 1000) - 1
        return high, max(1, high - low + 1)

    def instant(self, query, at):
        return self.server.result("/api/v1/query", query=query, time=f"{at / 1000:.3f}", nocache="1")

    def over(self, functions, series, length):
        names = ",".join(f'"{name}"' for name in functions)
        return f'aggr_over_time(({names}), {self.group}{{s="{series}"}}[{length}ms])'

    def aggregate(self, series):
        first, last = self.extents[self.group]
        at, length = self.window(first, last + 1)
        found = self.instant(self.over(FUNCTIONS, series, length), at)
        answers = {one["metric"]["rollup"]: float(one["value"][1]) for one in found}
        return [answers[name] for name in FUNCTIONS]

    def grouped(self, query, width):
        first, last = ((edge // width * width + width) // 1000 - 1 for edge in self.extents[self.group])
        found = self.server.result(
            "/api/v1/query_range", query=query, nocache="1", start=f"{first / 1000:.3f}", end=f"{last / 1000:.3f}",
            step=f"{width // 1_000_000}s")
        columns = {one["metric"]["rollup"]: np.array(one["values"], float) for one in found}
        counts = columns[FUNCTIONS[0]]
        counts = counts[counts[:, 1] > 0]
        starts = np.rint(counts[:, 0] * 1000 + 1).astype("i8") * 1000 - width
        return [starts, counts[:, 1]] + [columns[name][:, 1] for name in FUNCTIONS[1:]]

    def buckets(self, series, width):
        return self.grouped(self.over(FUNCTIONS, series, width // 1000), width)

    def buckets_of_all(self, width):
        parts = (
            f'label_set({join}({name}({self.group}[{width // 1000}ms])), "rollup", "{name}")'
            for join, name in zip(("sum", "sum", "min", "max"), FUNCTIONS))
        return self.grouped(f"union({','.join(parts)})", width)

    def total(self, series, first, end):
        at, length = self.window(first, end)
        found = self.instant(f'sum_over_time({self.group}{{s="{series}"}}[{length}ms])', at)
        return float(found[0]["value"][1]) if found else 0

    def export(self, series, **limits):
        lines = self.server.get(
            "/api/v1/export", reduce_mem_usage="0", **limits, **{"match[]": f'{self.group}{{s="{series}"}}'})
        parts = [json.loads(line) for line in lines.splitlines()]
        if not parts:
            return [], []
        times = np.concatenate([np.array(part["timestamps"], "i8") for part in parts]) * 1000
        return times, np.concatenate([np.array(part["values"], float) for part in parts])

    def read(self, series):
        return self.export(series)

    def between(self, series, first, end):
        at, length = self.window(first, end)
        return self.export(series, start=f"{(at - length + 1) / 1000:.3f}", end=f"{at / 1000:.3f}")

    def last(self, series):
        at = math.ceil(self.extents[self.group][1] / 1000) + 1
        names = '"tlast_over_time","last_over_time"'
        found = self.instant(f'aggr_over_time(({names}), {self.group}{{s="{series}"}}[1d])', at)
        answers = {one["metric"]["rollup"]: float(one["value"][1]) for one in found}
        return round(answers["tlast_over_time"] * 1000) * 1000, answers["last_over_time"]

    def begin_batches(self):
        raise NotImplementedError("has no log: an append is not durable when its call returns")
