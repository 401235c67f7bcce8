# SPDX-License-Identifier: Apache-2.0
"""The measurements of a peer. Every result is compared with the expected one before it is timed."""

import os
import time
import traceback

from . import clock
from .data import DAY, HOUR, MINUTE, numpy

if numpy is None:
    from . import plain_truth as truth
else:
    from . import truth

# Loading a set is repeated until this number of seconds has passed.
LOADING = 3.0
COLD_RUNS = 3
BATCH = 100


class Suite:
    """Measures one peer and collects rows and failures."""

    def __init__(self, peer, data, options):
        self.peer, self.data, self.options = peer, data, options
        self.rows, self.failures = [], []
        self.until = time.monotonic() + options.limit

    def attempt(self, identity, group, mode, body):
        """Runs a part; a failure is reported in place of its rows."""
        try:
            if time.monotonic() > self.until:
                raise NotImplementedError(f"not run: the limit of {self.options.limit:.0f} s was reached")
            body()
        except NotImplementedError as reason:
            self.failures.append(dict(id=identity, set=group, mode=mode, reason=str(reason) or "has no such operation"))
        except Exception as problem:
            if self.options.verbose:
                traceback.print_exc()
            kind = "" if isinstance(problem, AssertionError) else f"{type(problem).__name__}: "
            loss = f" ({self.peer.lossy[group]})" if group in self.peer.lossy else ""
            reason = f"{kind}{problem}".split("\n")[0][:200] + loss
            self.failures.append(dict(id=identity, set=group, mode=mode, reason=reason))
            self.shut()

    def shut(self):
        try:
            self.peer.close()
        except Exception:
            pass

    def run(self):
        sets = [name for name in self.options.sets if self.data.has(name)]
        loaded = []
        for name in sets:
            before = len(self.failures)
            self.attempt("ingest", name, "bulk", lambda: self.ingest(name))
            if len(self.failures) == before:
                loaded.append(name)
        self.peer.settle()
        for name in loaded:
            self.attempt("size", name, "all files", lambda: self.size(name))
        if loaded:
            self.attempt("call", loaded[0], "warm", lambda: self.call(loaded[0]))
        if "hr" in loaded:
            self.pulse()
        if "ecg" in loaded:
            self.wave()
        if "hr" in sets and self.options.commits:
            for size in (1, BATCH):
                self.attempt("ingest", "hr", f"durable-{size}", lambda: self.durable(size))

    def ingest(self, name):
        count = self.data.count(name)
        prepared = self.peer.prepare(name, self.data.columns(name))
        seconds = []
        while len(seconds) < self.options.runs and (not seconds or sum(seconds) < LOADING):
            self.peer.fresh(name)
            os.sync()
            with clock.quiet():
                seconds.append(clock.once(lambda: (self.peer.ingest(name, prepared), self.peer.sync(name))))
            if self.peer.loads_once:
                break
        self.peer.compact(name)
        self.peer.sync(name)
        row = clock.row("ingest", name, "bulk", seconds, samples=count)
        row["samples_per_s"] = count / row["median_s"]
        self.rows.append(row)

    def size(self, name):
        count, size = self.data.count(name), self.peer.size(name)
        self.rows.append(clock.row(
            "size", name, "all files", [0.0], samples=count, bytes=size, bytes_per_sample=size / count))

    def call(self, name):
        self.peer.open(name)
        seconds = clock.warm(self.peer.call, max(self.options.runs, 9))
        self.peer.close()
        self.rows.append(clock.row("call", name, "warm", seconds, samples=0))

    def query(self, identity, group, samples, body, check, questions=1, cold=False):
        """Times a query warm and, if requested and possible, with a cold file cache."""
        def measure():
            self.peer.open(group)
            begun = time.perf_counter()
            answer = body()
            known = time.perf_counter() - begun
            check(answer)
            del answer
            seconds = clock.warm(body, self.options.runs, questions, known)
            self.peer.close()
            self.rows.append(clock.row(identity, group, "warm", seconds, samples=samples))

        def measure_cold():
            seconds = []
            for _ in range(COLD_RUNS):
                self.peer.forget()
                clock.drop_caches()
                with clock.quiet():
                    seconds.append(clock.once(lambda: (self.peer.open(group), body())))
                self.peer.close()
            self.rows.append(clock.row(identity, group, "cold", seconds, samples=samples))

        self.attempt(identity, group, "warm", measure)
        if cold and self.options.cold:
            self.attempt(identity, group, "cold", measure_cold)

    def pulse(self):
        """Q1 to Q9, on the heart rate."""
        peer = self.peer
        times, values = self.data.series("hr_0")
        count = len(times)
        ranges, minutes = self.options.ranges, self.options.minutes
        whole = truth.aggregate(values)
        self.query("Q1", "hr", count, lambda: peer.aggregate(0), lambda r: truth.near(list(r), whole, "Q1"))
        for identity, width in (("Q2", DAY), ("Q3", HOUR), ("Q4", MINUTE)):
            wanted = truth.buckets(times, values, width)
            self.query(
                identity, "hr", count, lambda: peer.buckets(0, width),
                lambda r: truth.near_buckets(r, wanted, identity), cold=identity != "Q3")
        sums = truth.totals(times, values, ranges)
        self.query(
            "Q5", "hr", count, lambda: [peer.total(0, a, b) for a, b in ranges],
            lambda r: truth.near(r, sums, "Q5"), questions=len(ranges))
        self.query("Q6", "hr", count, lambda: peer.read(0), lambda r: truth.same(r, (times, values), "Q6"))
        self.query("Q7", "hr", 1, lambda: peer.last(0), lambda r: truth.near(list(r), (times[-1], values[-1]), "Q7"))
        parts = truth.between(times, values, minutes)

        def check(found):
            for part, wanted in zip(found, parts):
                truth.same(part, wanted, "Q8")

        self.query(
            "Q8", "hr", sum(len(part[0]) for part in parts) // len(parts),
            lambda: [peer.between(0, a, b) for a, b in minutes], check, questions=len(minutes))
        together = truth.merged(self.data.columns("hr"))
        days = truth.buckets(*together, DAY)
        self.query(
            "Q9", "hr", len(together[0]), lambda: peer.buckets_of_all(DAY),
            lambda r: truth.near_buckets(r, days, "Q9"))

    def wave(self):
        """Q10 and a complete read, on the electrocardiogram."""
        times, values = self.data.series("ecg_0")
        hours = truth.buckets(times, values, HOUR)
        self.query(
            "Q10", "ecg", len(times), lambda: self.peer.buckets(0, HOUR),
            lambda r: truth.near_buckets(r, hours, "Q10"))
        self.query(
            "Q6", "ecg", len(times), lambda: self.peer.read(0), lambda r: truth.same(r, (times, values), "Q6 of ecg"))

    def durable(self, size):
        """Small durable appends by one caller."""
        times, values = self.data.series("hr_0")
        self.peer.begin_batches()
        seconds, at, until = [], 0, time.perf_counter() + clock.LONGEST
        with clock.quiet():
            while len(seconds) < self.options.commits and at + size <= len(times):
                part = times[at : at + size], values[at : at + size]
                seconds.append(clock.once(lambda: self.peer.batch(*part)))
                at += size
                if time.perf_counter() > until:
                    break
        self.peer.end_batches(at)
        ordered = sorted(seconds)
        row = clock.row("ingest", "hr", f"durable-{size}", seconds, samples=size)
        row.update(p99_s=ordered[int(len(ordered) * 0.99)], samples_per_s=size * len(seconds) / sum(seconds))
        self.rows.append(row)
