// SPDX-License-Identifier: Apache-2.0

import Catalog
import ChunkFormat
import Kernels
import Synchronization

/// What a commit was: its number in the store's order.
public struct CommitReceipt: Hashable, Sendable {
    /// The commit's number; a snapshot with this or a greater sequence shows it.
    public let sequence: Int64
}

extension TimeSeriesStore {
    /// The series of a name and labels; it is made, durably, if there is none.
    ///
    /// - Throws: `kindMismatch`, `readOnly`, `closed`, and what a commit may throw.
    @discardableResult
    public func series(
        _ name: String, labels: [String: String] = [:], kind: SeriesKind
    ) throws(StoreError) -> Series {
        try series([(name, labels, kind)])[0]
    }

    /// Several series at once, in one commit.
    package func series(
        _ wanted: [(name: String, labels: [String: String], kind: SeriesKind)]
    ) throws(StoreError) -> [Series] {
        if let known = try existing(wanted, in: published.withLock({ $0 })) { return known }
        return try withWriter { (writer) throws(StoreError) in
            var version = self.published.withLock { $0 }
            if let known = try self.existing(wanted, in: version) { return known }
            var commit = CatalogCommit(seq: writer.seq + 1)
            for one in wanted {
                let key = SeriesKey(name: one.name, labels: one.labels)
                if version.ids[key] != nil { continue }
                let series = try writer.reserve(key, one.kind, in: version)
                commit.series.append(
                    SeriesRow(id: series.id.rawValue, name: one.name, labels: one.labels, kind: one.kind.rawValue))
                version.add(series)
            }
            try writer.commit(commit)
            version.seq = commit.seq
            self.publish(version)
            return try self.existing(wanted, in: version) ?? []
        }
    }

    private func existing(
        _ wanted: [(name: String, labels: [String: String], kind: SeriesKind)], in version: Version
    ) throws(StoreError) -> [Series]? {
        var result = [Series]()
        for one in wanted {
            guard let id = version.ids[SeriesKey(name: one.name, labels: one.labels)], let series = version.series[id]
            else {
                return nil
            }
            guard series.kind == one.kind else {
                throw StoreError(
                    .kindMismatch,
                    "series \"\(one.name)\" is \(series.kind), not \(one.kind); use another name or labels")
            }
            result.append(series)
        }
        return result
    }

    /// Appends samples to a series, in any order, durably: when this returns, they are on the disk and new snapshots
    /// show them, all or none.
    ///
    /// - Parameters:
    ///   - starts: in nanoseconds since 1970-01-01 UTC.
    ///   - ends: not before the starts.
    ///   - values: finite; kept to the last bit.
    /// - Throws: `invalidSample`, `unknownSeries`, `readOnly`, `closed`, `diskFull`, `outcomeUnknown`,
    ///   `writerFailed`, `inputOutput`.
    /// - Complexity: one commit of the catalog; many samples go into a segment of their own.
    @discardableResult
    public func append(
        to id: SeriesID, starts: Span<Int64>, ends: Span<Int64>, values: Span<Double>
    ) throws(StoreError) -> CommitReceipt {
        try append([(id, try SampleRows(starts, ends, values))])
    }

    /// Appends points to a series. See `append(to:starts:ends:values:)`.
    @discardableResult
    public func append(
        to id: SeriesID, starts: Span<Int64>, values: Span<Double>
    ) throws(StoreError) -> CommitReceipt {
        try append([(id, try SampleRows(starts, values))])
    }

    /// Appends samples to a series. See `append(to:starts:ends:values:)`.
    @discardableResult
    public func append(to id: SeriesID, _ samples: [Sample]) throws(StoreError) -> CommitReceipt {
        try append([(id, try SampleRows(samples))])
    }

    /// Samples above which an append writes a segment rather than a row of the tail.
    private static let largeAppend = 32_768

    func append(
        _ batches: [(series: SeriesID, rows: SampleRows)], _ extra: ((CatalogTransaction) throws -> Void)? = nil
    ) throws(StoreError) -> CommitReceipt {
        let known = snapshot()
        for (id, rows) in batches where rows.count > 0 { _ = try known.known(id) }
        let total = batches.reduce(0) { $0 + $1.rows.count }
        if total > Self.largeAppend {
            return try bulkLoad(committing: extra) { loader throws(StoreError) in
                for (id, rows) in batches.sorted(by: { $0.series < $1.series }) { try loader.write(rows, to: id) }
            }
        }
        let receipt = try withWriter { (writer) throws(StoreError) in
            var version = self.published.withLock { $0 }
            if total == 0, extra == nil { return CommitReceipt(sequence: version.seq) }
            var commit = CatalogCommit(seq: writer.seq + 1)
            if total > 0 {
                var sorted = [(series: Int64, rows: SampleRows)]()
                for (id, rows) in batches where rows.count > 0 {
                    guard version.series[id.rawValue] != nil else { throw .unknown(id) }
                    var rows = rows
                    rows.sort()
                    if case .absent = rows.identityHigh {
                        rows.identityHigh = .constant(self.mint.withLock { $0.high })
                        rows.identityLow = .sequence(first: self.mint.withLock { $0.take(rows.count) })
                    }
                    sorted.append((id.rawValue, rows))
                }
                do throws(FormatError) {
                    commit.tail = try writer.tail.encode(sorted, seq: commit.seq)
                } catch {
                    throw StoreError(.invalidSample, error.what)
                }
            }
            let blocks = try commit.tail.map { body throws(StoreError) in
                try writer.tail.decode(body, seq: commit.seq)
            }
            try writer.commit(commit, extra)
            version.seq = commit.seq
            if let blocks { version.add(blocks, seq: commit.seq) }
            self.publish(version)
            return CommitReceipt(sequence: commit.seq)
        }
        // The samples are committed. Tidying up that fails does not change that; the next append tries again.
        if needsSealing { try? seal(everything: false) }
        return receipt
    }

    /// Runs with the writer, which no other thread has meanwhile.
    func withWriter<R: Sendable>(_ body: (inout Writer) throws(StoreError) -> R) throws(StoreError) -> R {
        try writer.withLock { held throws(StoreError) -> R in
            guard var mine = held else {
                throw self.mode == .readOnly
                    ? StoreError(.readOnly, "the store was opened for reading; open it for writing", path: self.path)
                    : StoreError.closedStore
            }
            held = nil
            defer { held = mine }
            return try body(&mine)
        }
    }

    /// Shows a version to new snapshots.
    func publish(_ version: Version) { published.withLock { $0 = version } }
}

extension SampleRows {
    /// Checked points of the caller.
    init(_ starts: Span<Int64>, _ values: Span<Double>) throws(StoreError) {
        self.init()
        guard starts.count == values.count else {
            throw StoreError(
                .invalidSample, "\(starts.count) starts and \(values.count) values; the columns must be equally long")
        }
        self.starts = Array(starts)
        self.values = Array(values)
        try check()
    }

    /// Checked columns of the caller.
    init(_ starts: Span<Int64>, _ ends: Span<Int64>, _ values: Span<Double>) throws(StoreError) {
        self.init()
        guard starts.count == values.count, starts.count == ends.count else {
            throw StoreError(
                .invalidSample,
                "\(starts.count) starts, \(ends.count) ends, \(values.count) values: the columns must be equally long"
            )
        }
        self.starts = Array(starts)
        self.values = Array(values)
        self.ends = Array(ends)
        if self.ends == self.starts { self.ends = [] }
        try check()
    }

    init(_ samples: [Sample]) throws(StoreError) {
        self.init()
        starts = samples.map(\.start)
        values = samples.map(\.value)
        if samples.contains(where: { $0.end != $0.start }) { ends = samples.map(\.end) }
        try check()
    }

    /// Refuses what no store may hold, naming the first sample that breaks a rule.
    package func check() throws(StoreError) {
        if !Kernel.allFinite(values, 0..<count), let i = values.firstIndex(where: { !$0.isFinite }) {
            throw StoreError(.invalidSample, "sample \(i) has the value \(values[i]); only finite values can be stored")
        }
        // In order of time the outermost samples answer for the others.
        if ends.isEmpty, Kernel.isAscending(starts, 0..<count) {
            if let first = starts.first, let last = starts.last, first >= TimeLimits.earliest, last <= TimeLimits.latest
            {
                return
            }
        }
        for i in 0..<count {
            let end = ends.isEmpty ? starts[i] : ends[i]
            if starts[i] < TimeLimits.earliest || end > TimeLimits.latest {
                throw StoreError(.invalidSample, "sample \(i) lies outside the years 1678 to 2261")
            }
            if end < starts[i] { throw StoreError(.invalidSample, "sample \(i) ends before it starts") }
        }
    }
}

extension Array {
    /// A copy of a span's elements.
    init(_ span: Span<Element>) where Element: BitwiseCopyable {
        self = unsafe span.withUnsafeBufferPointer { unsafe Array($0) }
    }
}
