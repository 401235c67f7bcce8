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
    /// - Throws: `kindMismatch`, `invalidArgument` (texts longer than ``Series/maximumTextBytes`` and
    ///   ``Series/maximumLabelBytes``), `readOnly`, `closed`, and what a commit may throw.
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
        try requireOwnProcess()
        for one in wanted { try SeriesKey(name: one.name, labels: one.labels).requireStorable() }
        if let known = try existing(wanted, in: published.withLock({ $0 })) { return known }
        return try withWriter { (writer) throws(StoreError) in
            if let known = try self.existing(wanted, in: self.published.withLock({ $0 })) { return known }
            self.forgetPromises(of: &writer)
            let made = try self.missing(wanted, &writer)
            let commit = CatalogCommit(seq: writer.seq + 1, series: SeriesRows(made.all.map(\.row)))
            try writer.commit(commit)
            self.publish { version in
                version.seq = commit.seq
                for one in made.all { version.add(one) }
            }
            return try self.existing(wanted, in: self.published.withLock { $0 }) ?? []
        }
    }

    /// New series for the names that the store lacks.
    private func missing(
        _ wanted: [(name: String, labels: [String: String], kind: SeriesKind)], _ writer: inout Writer
    ) throws(StoreError) -> SeriesTable {
        let version = published.withLock { $0 }
        var made = SeriesTable(sharingNamesOf: version.series)
        for one in wanted {
            let key = SeriesKey(name: one.name, labels: one.labels)
            if let known = made[key] {
                try known.require(one.kind)
            } else {
                let series = try writer.series(key, one.kind, in: version)
                if !version.series.has(series.id.rawValue) { made.add(series, key) }
            }
        }
        return made
    }

    private func existing(
        _ wanted: [(name: String, labels: [String: String], kind: SeriesKind)], in version: Version
    ) throws(StoreError) -> [Series]? {
        var result = [Series]()
        for one in wanted {
            guard let series = version.series[SeriesKey(name: one.name, labels: one.labels)] else { return nil }
            try series.require(one.kind)
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

    func append(
        _ batches: [(series: SeriesID, rows: SampleRows)], _ extra: ((CatalogTransaction) throws -> Void)? = nil
    ) throws(StoreError) -> CommitReceipt {
        try requireOutside()
        try checkSeries(batches)
        let total = batches.reduce(0) { $0 + $1.rows.count }
        if total > options.largeAppend {
            return try bulkLoad(committing: extra, expecting: total) { loader throws(StoreError) in
                for (id, rows) in batches.sorted(by: { $0.series < $1.series }) { try loader.write(rows, to: id) }
            }
        }
        let draft = try draft(batches)
        if total == 0 || extra != nil {
            let alone = PendingAppend(draft: draft, caller: nil)
            let receipt = try withWriter { (writer) throws(StoreError) in try self.commit([alone], &writer, extra) }
            tidyUp()
            return receipt
        }
        if let known = queue.enter(draft)?.wait() { return try known.get() }
        return try lead()
    }

    /// Appends as so many threads do whose calls meet, in one thread and in this order: one commit, if its bounds
    /// allow. At least one, none of them empty.
    @discardableResult
    package func append(
        meeting appends: [(series: SeriesID, samples: [Sample])]
    ) throws(StoreError) -> CommitReceipt {
        var drafts = [TailDraft]()
        for one in appends {
            let batches = [(series: one.series, rows: try SampleRows(one.samples))]
            try checkSeries(batches)
            drafts.append(try draft(batches))
        }
        var receipt = CommitReceipt(sequence: published.withLock { $0.seq })
        // The one that leads comes first, if it is not another thread's.
        for caller in drafts.map({ queue.enter($0) }) {
            if let known = caller?.wait() { receipt = try known.get() } else { receipt = try lead() }
        }
        return receipt
    }

    /// Encodes what is to be appended.
    func draft(_ batches: [(series: SeriesID, rows: SampleRows)]) throws(StoreError) -> TailDraft {
        let sorted = batches.filter { $0.rows.count > 0 }.map { ($0.series.rawValue, prepared($0.rows)) }
        do throws(FormatError) { return try encoders.draft(sorted) } catch {
            throw StoreError(.invalidSample, error.what)
        }
    }

    /// Commits what waits, this caller's append first, for all its callers.
    func lead() throws(StoreError) -> CommitReceipt {
        let group = commitGroup()
        if group.isLeft { leadForTasks() }
        group.tellAll(from: 1)
        tidyUp()
        return try group.outcome(of: 0).get()
    }

    /// Commits what waits as the one who leads, and passes that on.
    func commitGroup() -> CommittedGroup {
        queue.waitForCompany()
        var group = [PendingAppend]()
        // Of appends alone, which fail together, there is one outcome.
        var apart = [WaitingCaller.Outcome]()
        let result = Result { () throws(StoreError) in
            // What came while the writer was busy comes along.
            try withWriter { (writer) throws(StoreError) in
                group = queue.take()
                if group.contains(where: { $0.batch != nil }) {
                    apart = self.commitTogether(&group, nil, &writer)
                    return CommitReceipt(sequence: writer.seq)
                }
                return try commit(group, &writer, nil)
            }
        }
        if group.isEmpty { group = queue.take() }
        return CommittedGroup(
            appends: group, outcomes: apart.isEmpty ? [result] : apart, isLeft: queue.pass())
    }

    /// Makes one commit of some appends.
    func commit(
        _ group: [PendingAppend], _ writer: inout Writer, _ extra: ((CatalogTransaction) throws -> Void)?
    ) throws(StoreError) -> CommitReceipt {
        var commit = CatalogCommit(seq: writer.seq + 1)
        var blocks = [TailBlock]()
        if group.contains(where: { !$0.draft.parts.isEmpty }) {
            let row = try inFormat("tail") { () throws(FormatError) in
                try writer.tail.close(group.map(\.draft), seq: commit.seq)
            }
            commit.tail = row.body
            blocks = row.blocks
        } else if extra == nil {
            return CommitReceipt(sequence: writer.seq)
        }
        try writer.commit(commit, extra)
        telemetry.countAppends(group)
        // In place, so that a version that no snapshot holds is not copied: the tail may have thousands of rows.
        publish { version in
            // A refreshing of a shared store may have seen it first.
            if version.seq >= commit.seq { return }
            version.seq = commit.seq
            if !blocks.isEmpty { version.add(blocks, seq: commit.seq) }
        }
        return CommitReceipt(sequence: commit.seq)
    }

    /// After a commit: tidying up that fails does not change that it happened, and the next append tries again.
    func tidyUp() {
        guard needsSealing else { return }
        sealWhatIsDue()
        compactWhatIsDue()
    }

    /// Makes sure that all series are there.
    func checkSeries(_ batches: [(series: SeriesID, rows: SampleRows)]) throws(StoreError) {
        try requireOwnProcess()
        let unknown = published.withLock { version in
            batches.first { $0.rows.count > 0 && !version.series.has($0.series.rawValue) }?.series
        }
        if let unknown { throw .unknown(unknown) }
    }

    /// Rows in the order of a run; those without identities get new ones.
    private func prepared(_ rows: SampleRows) -> SampleRows {
        var rows = rows
        rows.sort()
        if case .absent = rows.identityHigh {
            let count = rows.count
            let (high, low) = mint.withLock { ($0.high, $0.take(count)) }
            rows.identityHigh = .constant(high)
            rows.identityLow = .sequence(first: low)
        }
        return rows
    }

    /// Refuses a call from a closure that runs while this thread has the writer.
    ///
    /// - Throws: `invalidArgument`.
    func requireOutside() throws(StoreError) { try writerOwner.refuse(StoreError.calledWhileWriting) }

    /// Runs with the writer, which no other thread has meanwhile.
    ///
    /// - Throws: `invalidArgument` where this thread has it, `readOnly`, `closed`, and what `body` throws.
    func withWriter<R: Sendable>(_ body: (inout Writer) throws(StoreError) -> R) throws(StoreError) -> R {
        try requireOwnProcess()
        try requireOutside()
        return try writer.withLock { held throws(StoreError) -> R in
            if mode == .shared {
                dropFailed(&held)
                if held == nil { held = try takeTurn() }
            }
            guard var mine = held else {
                throw self.mode == .readOnly
                    ? StoreError(.readOnly, "the store was opened for reading; open it for writing", path: self.path)
                    : StoreError.closedStore
            }
            held = nil
            defer { held = mode == .shared ? afterUse(mine) : mine }
            writerOwner.enter()
            defer { writerOwner.leave() }
            return try body(&mine)
        }
    }

    /// Shows a version to new snapshots.
    func publish(_ version: Version) { publish { $0 = version } }

    /// Shows the version as changed to new snapshots.
    func publish(_ change: (inout Version) -> Void) {
        let seq = published.withLock { version in
            change(&version)
            version.hold = slots.holdNewest(version.seq)
            return version.seq
        }
        notifier.ring(seq)
    }
}
