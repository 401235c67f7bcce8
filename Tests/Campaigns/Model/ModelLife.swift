// SPDX-License-Identifier: Apache-2.0

import FileSystem
import Kymograph
import TestSupport

/// A store on a simulated disk, and the arrays to compare it with.
final class ModelLife {
    /// A snapshot and its expected content.
    private struct Held {
        let snapshot: Snapshot
        let oracles: [String: Oracle]
        /// Statistics of each series over its whole range.
        let wholes: [String: [Aggregate]]

        init(_ snapshot: Snapshot, _ oracles: [String: Oracle]) {
            self.snapshot = snapshot
            self.oracles = oracles
            wholes = oracles.mapValues { $0.buckets([.min, .max]) }
        }
    }

    private var disk: FaultyDisk
    private var simulated: SimulatedStore
    private var oracles: [String: Oracle] = [:]
    private var names: [String] = []
    private var reader: TimeSeriesStore?
    /// The expected content of the reader.
    private var readerOracles: [String: Oracle] = [:]
    private var held: [Held] = []
    /// The expected content after each commit.
    private var versions: [[String: Oracle]] = []
    /// The number of operations for which the disk stays full.
    private var fullFor = 0

    private init() throws {
        disk = try FaultyDisk()
        disk.resetTrace(keep: false)
        simulated = try SimulatedStore(disk)
        try simulated.create()
    }

    deinit {
        reader?.close()
        simulated.close()
    }

    /// Runs operations. Returns a description of a failure, or nil.
    static func fault(_ operations: [ModelOperation], _ result: inout CampaignResult) -> String? {
        do {
            let life = try ModelLife()
            for (index, operation) in operations.enumerated() {
                do {
                    if let fault = try life.play(operation, &result) { return "operation \(index): \(fault)" }
                    try life.keepVersion()
                } catch {
                    return "operation \(index), \(operation.text): \(error)"
                }
            }
            return try life.compareAll()
        } catch {
            return "\(error)"
        }
    }

    private func play(_ operation: ModelOperation, _ result: inout CampaignResult) throws -> String? {
        if fullFor > 0 {
            fullFor -= 1
            if fullFor == 0 { disk.setCapacity(nil) }
        }
        do {
            return try change(operation) ?? ask(operation)
        } catch let error as StoreError {
            guard fullFor > 0 else { throw error }
            result.count("refused on a full disk: \(error.kind.rawValue)")
            return try recover(from: error, operation)
        }
    }

    /// Handles an error on a full disk: nothing of the call may be stored, unless its outcome is unknown.
    private func recover(from error: StoreError, _ operation: ModelOperation) throws -> String? {
        let isReopening: Bool = if case .reopen = operation { true } else { false }
        let mustReopen = [.outcomeUnknown, .writerFailed].contains(error.kind) || isReopening
        guard mustReopen || error.kind == .diskFull else { return "on a full disk: \(error)" }
        if mustReopen {
            disk.setCapacity(nil)
            fullFor = 0
            try simulated.open()
        }
        if try matches(oracles) { return nil }
        let before = (oracles, names)
        if error.kind == .outcomeUnknown {
            applyToModel(operation)
            if try matches(oracles) { return nil }
        }
        (oracles, names) = before
        return "after \(error.kind.rawValue) on a full disk the content is wrong"
    }

    private func matches(_ oracles: [String: Oracle]) throws -> Bool {
        try simulated.digest() == Self.digest(oracles)
    }

    private static func digest(_ oracles: [String: Oracle]) -> UInt64 {
        var model = StoreModel()
        for (name, oracle) in oracles {
            model.kinds[name] = oracle.kind
            model.samples[name] = oracle.samples
        }
        return model.digest
    }

    private func compareAll() throws -> String? {
        disk.setCapacity(nil)
        return try matches(oracles) ? nil : "at the end the content is wrong"
    }

    /// Of several commits of one operation only the first has an effect; sealing and merging have none.
    private func keepVersion() throws {
        let last = try simulated.opened().snapshot().sequence
        while versions.count <= last { versions.append(oracles) }
    }

    private func name(_ number: Int) -> String { names.isEmpty ? "none" : names[number % names.count] }

    private func id(_ name: String, _ snapshot: Snapshot) throws -> SeriesID {
        guard let series = snapshot.series(named: name) else { throw StoreError(.unknownSeries, "no series \(name)") }
        return series.id
    }
}

extension ModelLife {
    private func newSeries() -> (name: String, kind: SeriesKind) {
        // From the fifth on, requests repeat an existing series.
        let number = names.count % 5
        return ("canary \(number)", number % 2 == 0 ? .discrete : .cumulative)
    }

    /// Applies an operation to the model.
    private func applyToModel(_ operation: ModelOperation) {
        switch operation {
        case .series:
            let (name, kind) = newSeries()
            names.append(name)
            if oracles[name] == nil { oracles[name] = Oracle(kind: kind) }
        case .append(let series, let samples), .identified(let series, let samples, _):
            oracles[name(series)]?.append(samples)
        case .load(let parts), .group(let parts): for part in parts { oracles[name(part.series)]?.append(part.samples) }
        case .batch(let parts, let deletes, fails: false) where !names.isEmpty:
            for one in deletes { oracles[name(one.series)]?.remove { one.range.contains($0.start) } }
            for part in parts { oracles[name(part.series)]?.append(part.samples) }
        default:
            guard let deletion = operation.deletion(of: { oracles[name($0)]?.samples ?? [] }) else { return }
            oracles[name(deletion.series)]?.remove(where: deletion.isDeleted)
        }
    }

    /// Applies a change to the store and then to the model.
    private func change(_ operation: ModelOperation) throws -> String? {
        let store = try simulated.opened()
        let hasSeries = !names.isEmpty
        switch operation {
        case .series:
            let (name, kind) = newSeries()
            try store.series(name, kind: kind)
        case .append(let series, let samples) where hasSeries:
            try store.append(to: id(name(series), store.snapshot()), samples)
        case .refused(let series, let samples) where hasSeries: return try refuse(store, series, samples)
        case .group(let parts) where hasSeries:
            let snapshot = store.snapshot()
            try store.append(meeting: parts.map { (try id(name($0.series), snapshot), $0.samples) })
        case .identified(let series, let samples, let number) where hasSeries:
            if let fault = try append(store, series, samples, number) { return fault }
        case .load(let parts) where hasSeries: try load(store, parts, abortsAfter: nil)
        case .batch(let parts, let deletes, let fails) where hasSeries:
            if let fault = try write(store, parts, deletes, fails) { return fault }
        case .abortedLoad(let parts) where hasSeries:
            do {
                try load(store, parts, abortsAfter: parts.count / 2)
                return "an aborted load was committed"
            } catch is Abort {}
        case .deleteRange, .deleteMatching, .retain, .retainAge:
            if hasSeries, let fault = try delete(store, operation) { return fault }
        case .seal: try store.seal()
        case .keys(let number): try store.changeKeys(number)
        case .compact(let steps): if let fault = try compact(store, steps) { return fault }
        case .reopen: try simulated.open()
        case .crash(let model, let seed): try crash(model, seed)
        case .fillDisk(let room, let operations):
            disk.setCapacity(disk.usedBytes + room)
            fullFor = operations
        default: break
        }
        applyToModel(operation)
        return nil
    }

    /// Deletes from the store. The receipt must have the number of samples that the model loses.
    private func delete(_ store: TimeSeriesStore, _ operation: ModelOperation) throws -> String? {
        guard let deletion = operation.deletion(of: { oracles[name($0)]?.samples ?? [] }) else { return nil }
        let id = try id(name(deletion.series), store.snapshot())
        let receipt: DeletionReceipt
        switch operation {
        case .deleteRange(_, let range): receipt = try store.delete(from: id, startingIn: range)
        case .retain(_, let count): receipt = try store.retain(.count(count), in: id)
        case .retainAge(_, let age, let now): receipt = try store.retain(.age(nanoseconds: age, now: now), in: id)
        case .deleteMatching(_, let range, let every, byIdentity: false):
            receipt = try store.delete(from: id, startingIn: range) { ModelOperation.isDivided($0.sample, every) }
        case .deleteMatching(_, let range, let every, byIdentity: true):
            var chosen: [SampleIdentity] = []
            try store.snapshot().scan(id, over: range, including: .identity) { batch in
                for i in 0..<batch.count where ModelOperation.isDivided(batch[i], every) {
                    if let identity = batch.identity(at: i) { chosen.append(identity) }
                }
                return true
            }
            receipt = try store.delete(chosen, from: id, startingIn: range)
            if !receipt.unknown.isEmpty { return "identities from a scan were not found" }
        default: return nil
        }
        let wanted = oracles[name(deletion.series)]?.samples.count(where: deletion.isDeleted) ?? 0
        return receipt.count == wanted ? nil : "\(receipt.count) samples were deleted, expected \(wanted)"
    }

    /// Appends samples with identities, twice: the second append changes nothing.
    private func append(_ store: TimeSeriesStore, _ series: Int, _ samples: [Sample], _ number: Int64) throws -> String?
    {
        let id = try id(name(series), store.snapshot())
        let identities = samples.indices.map { SampleIdentity(high: number, low: Int64($0)) }
        let first = try store.append(to: id, samples, identities: identities)
        if first.added != samples.count || first.known != 0 { return "wrong receipt of an identified append: \(first)" }
        if fullFor > 0 { return nil }
        let again = try store.append(to: id, samples, identities: identities)
        let isRight = again.added == 0 && again.known == samples.count
        return isRight ? nil : "wrong receipt of a repeated append: \(again)"
    }

    /// Merges everything, or cancels after some merges. After a complete merge no deleted sample may take space.
    private func compact(_ store: TimeSeriesStore, _ steps: Int) throws -> String? {
        do throws(StoreError) {
            try store.compact { $0.steps < steps }
        } catch {
            guard error.kind == .cancelled, steps < .max else { throw error }
            return try matches(oracles) ? nil : "after a cancelled compaction the content is wrong"
        }
        let info = try store.info()
        if info.deletedSamples > 0 { return "after a compaction \(info.deletedSamples) deleted samples take space" }
        return try matches(oracles) ? nil : "after a compaction the content is wrong"
    }

    private struct Abort: Error {}

    /// Writes a batch. The receipt must have the numbers of samples that the model loses and gains.
    private func write(
        _ store: TimeSeriesStore, _ parts: [(series: Int, samples: [Sample])],
        _ deletes: [(series: Int, range: TimeRange)], _ fails: Bool
    ) throws -> String? {
        let snapshot = store.snapshot()
        let adds = try parts.map { (id: try id(name($0.series), snapshot), samples: $0.samples) }
        let ranges = try deletes.map { (id: try id(name($0.series), snapshot), range: $0.range) }
        let receipt: WriteReceipt
        do {
            receipt = try store.write { _ in
                var batch = WriteBatch()
                for (id, range) in ranges { batch.delete(.range(range), from: id) }
                for (id, samples) in adds {
                    var rows = SampleRows()
                    rows.starts = samples.map(\.start)
                    rows.ends = samples.map(\.end)
                    rows.values = samples.map(\.value)
                    batch.add(rows, to: .stored(id))
                }
                if fails { batch.inCommit = { _, _ in throw Abort() } }
                return batch
            }
        } catch is Abort {
            if !fails { throw Abort() }
            return try matches(oracles) ? nil : "a failed batch left changes"
        }
        if fails { return "a failed batch was committed" }
        var left = oracles
        let lost = deletes.map { one in left[name(one.series)]?.remove { one.range.contains($0.start) } ?? 0 }
        let gained = parts.reduce(0) { $0 + $1.samples.count }
        let isRight = receipt.deletions.map(\.count) == lost && receipt.added == gained
        return isRight ? nil : "wrong receipt of a batch: \(receipt), expected \(lost) lost, \(gained) gained"
    }

    private func load(
        _ store: TimeSeriesStore, _ parts: [(series: Int, samples: [Sample])], abortsAfter: Int?
    ) throws {
        let snapshot = store.snapshot()
        try store.bulkLoad { loader in
            for (index, part) in parts.enumerated() {
                if index == abortsAfter { throw Abort() }
                let (starts, ends) = (part.samples.map(\.start), part.samples.map(\.end))
                let values = part.samples.map(\.value)
                try loader.append(
                    to: id(name(part.series), snapshot), starts: starts.span, ends: ends.span, values: values.span)
            }
        }
    }

    private func refuse(_ store: TimeSeriesStore, _ series: Int, _ samples: [Sample]) throws -> String? {
        let before = store.snapshot().sequence
        do {
            try store.append(to: id(name(series), store.snapshot()), samples)
            return "invalid samples were accepted"
        } catch let error as StoreError where error.kind == .invalidSample {
            return store.snapshot().sequence == before ? nil : "a refused append made a commit"
        }
    }

    private func crash(_ model: CrashModel, _ seed: UInt64) throws {
        let image = try disk.crash(seed: seed, model)
        reader?.close()
        reader = nil
        simulated.close()
        fullFor = 0
        // A crash releases all snapshots.
        held = []
        disk = try FaultyDisk(image)
        disk.resetTrace(keep: false)
        simulated = try SimulatedStore(disk)
        try simulated.open()
    }
}

extension ModelLife {
    /// Runs a query and compares the answer.
    private func ask(_ operation: ModelOperation) throws -> String? {
        let store = try simulated.opened()
        let snapshot = store.snapshot()
        switch operation {
        case .reopen, .crash: return try matches(oracles) ? nil : "after reopening the content is wrong"
        case .openReader:
            reader = try TimeSeriesStore.open(at: SimulatedStore.path, mode: .readOnly, options: simulated.options)
            readerOracles = oracles
            return try compareReader()
        case .refreshReader:
            try reader?.refresh()
            readerOracles = oracles
            return try compareReader()
        case .holdSnapshot: held = (held + [Held(snapshot, oracles)]).suffix(3)
        case .compareHeld: return try compareHeld()
        case .info:
            let info = try store.info()
            let samples = oracles.values.reduce(0) { $0 + $1.samples.count }
            return info.samples == samples && info.series == oracles.count ? nil : "wrong info: \(info)"
        case .asOf(let series, let back): return try askPast(store, series, back)
        case .usage:
            for usage in try store.usage()
            where usage.samples - usage.deletedSamples != oracles[usage.series.name]?.samples.count {
                return "wrong usage: \(usage.samples) samples of \(usage.series.name)"
            }
        case .verify:
            if let problem = try store.verify().problems.first {
                return "verify reports \(problem.path): \(problem.message)"
            }
        default: return try askSeries(operation, snapshot, oracles)
        }
        return nil
    }

    private func askSeries(
        _ operation: ModelOperation, _ snapshot: Snapshot, _ oracles: [String: Oracle]
    ) throws -> String? {
        func target(_ number: Int) throws -> (SeriesID, Oracle)? {
            guard let oracle = oracles[name(number)] else { return nil }
            return (try id(name(number), snapshot), oracle)
        }
        switch operation {
        case .scan(let series, let range, let order, let limit):
            guard let (id, oracle) = try target(series) else { return nil }
            return try ModelAnswers.scan(snapshot, id, oracle, range, order, limit)
        case .read(let series, let range):
            guard let (id, oracle) = try target(series) else { return nil }
            return try ModelAnswers.read(snapshot, id, oracle, range)
        case .totals(let series):
            guard let (id, oracle) = try target(series) else { return nil }
            return try ModelAnswers.totals(snapshot, id, oracle)
        case .aggregate(let series, let range):
            guard let (id, oracle) = try target(series), !range.isEmpty else { return nil }
            let found = try snapshot.aggregate(of: id, over: range, computing: .all)
            return ModelAnswers.aggregates([found], oracle, [range.start, range.end])
        case .fixedBuckets(let series, let width, let anchor, let range):
            guard let (id, oracle) = try target(series) else { return nil }
            let buckets = Buckets.fixed(nanoseconds: width, anchor: anchor)
            let found = try snapshot.buckets(of: id, buckets, over: range, computing: .all)
            return ModelAnswers.aggregates(Array(found), oracle, ModelAnswers.steps(range, width, anchor))
        case .dailyBuckets(let series, let range):
            guard let (id, oracle) = try target(series) else { return nil }
            let buckets = Buckets.calendar(.days(1), zone: ModelAnswers.zone)
            let found = try snapshot.buckets(of: id, buckets, over: range, computing: .all)
            return ModelAnswers.aggregates(Array(found), oracle, ModelAnswers.midnights(range))
        default: return nil
        }
    }

    /// Queries a series as of an earlier commit. The answer must be that of then, or an error that the commit is not
    /// retained.
    private func askPast(_ store: TimeSeriesStore, _ series: Int, _ back: Int) throws -> String? {
        let now = store.snapshot()
        let commit = now.sequence - Int64(back) % (now.sequence + 1)
        let past: Snapshot
        do throws(StoreError) {
            past = try store.snapshot(asOf: commit)
        } catch {
            let oldest = try store.info().oldestCommit
            guard error.kind == .notRetained, commit < oldest else { throw error }
            return nil
        }
        guard let kind = oracles[name(series)]?.kind else { return nil }
        let id = try id(name(series), past)
        let oracle = versions[Int(commit)][name(series)] ?? Oracle(kind: kind)
        let whole = [TimeLimits.earliest, TimeLimits.latest]
        let fault =
            try ModelAnswers.totals(past, id, oracle)
            ?? ModelAnswers.scan(past, id, oracle, .all, .forward, .max)
            ?? ModelAnswers.read(past, id, oracle, .all)
            ?? ModelAnswers.aggregates(
                [past.aggregate(of: id, over: TimeRange(whole[0], whole[1]), computing: .all)], oracle, whole)
        return fault.map { "as of commit \(commit) of \(now.sequence): \($0)" }
    }

    private func compareReader() throws -> String? {
        guard let reader else { return nil }
        return try SimulatedStore.digest(of: reader) == Self.digest(readerOracles)
            ? nil : "a refreshed reader sees a wrong state"
    }

    /// Compares held snapshots and a reader that was not refreshed with their earlier content.
    private func compareHeld() throws -> String? {
        for one in held {
            for (name, oracle) in one.oracles {
                let id = try id(name, one.snapshot)
                if let fault = try ModelAnswers.scan(one.snapshot, id, oracle, .all, .forward, .max) {
                    return "a snapshot held since commit \(one.snapshot.sequence): \(fault)"
                }
                let all = try one.snapshot.aggregate(of: id, computing: .all)
                if let fault = ModelAnswers.aggregates(
                    [all], oracle, [.min, .max], wanted: one.wholes[name])
                {
                    return "a snapshot held since commit \(one.snapshot.sequence): \(fault)"
                }
            }
            if one.snapshot.series.count != one.oracles.count { return "wrong number of series in a held snapshot" }
        }
        return try compareReader()
    }
}
