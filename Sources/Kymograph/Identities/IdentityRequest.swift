// SPDX-License-Identifier: Apache-2.0

import Bytes
import ChunkFormat
import Kernels

/// The samples of one write with identities supplied by the caller, and the samples already stored under these
/// identities.
struct IdentityRequest {
    /// The position of a sample in the caller's batches.
    private struct Place: Hashable, Comparable {
        let batch: Int
        let row: Int

        static func < (a: Place, b: Place) -> Bool { (a.batch, a.row) < (b.batch, b.row) }
    }

    /// An identity and the position of a sample that has it.
    private struct Entry {
        let identity: SampleIdentity
        let place: Place

        static func < (a: Entry, b: Entry) -> Bool {
            a.identity != b.identity ? a.identity < b.identity : a.place < b.place
        }
    }

    private let batches: [(series: SeriesID, rows: SampleRows)]
    private let rule: IdentityRule
    /// Ascending by identity; entries with the same identity are in the caller's order.
    private var entries: [Entry] = []
    /// The distinct identities of the samples.
    private(set) var identities = IdentityStretches()
    /// Samples that need not be stored: already stored samples, and repetitions within the call.
    private var dropped: Set<Place> = []

    /// Compares the caller's samples with each other. Throws `identityTaken` for a conflict.
    ///
    /// - Complexity: O(samples) if the identities ascend, for instance because a program generated them in order;
    ///   otherwise O(n log n).
    init(_ batches: [(series: SeriesID, rows: SampleRows)], _ rule: IdentityRule, isShared: Bool) throws(StoreError) {
        self.batches = batches
        self.rule = rule
        collect()
        var fault: (place: Place, other: String)?
        var from = 0
        while from < entries.count {
            var to = from + 1
            while to < entries.count, entries[to].identity == entries[from].identity { to += 1 }
            identities.append(entries[from].identity)
            if to - from > 1 {
                let found = isShared ? twinByStart(from..<to) : twin(from..<to)
                // The error reports the first conflict in the caller's order.
                if let found, fault.map({ found.place < $0.place }) ?? true { fault = found }
            }
            from = to
        }
        if let fault { throw conflict(fault.place, fault.other) }
    }

    /// Collects the samples with identities and sorts them by identity.
    private mutating func collect() {
        let identified = batches.enumerated().filter { !$0.element.rows.identityHigh.isAbsent }
        entries.reserveCapacity(identified.reduce(0) { $0 + $1.element.rows.count })
        var isAscending = true
        for (batch, (_, rows)) in identified {
            for row in 0..<rows.count {
                let identity = rows.identity(row)
                if let last = entries.last, identity < last.identity { isAscending = false }
                entries.append(Entry(identity: identity, place: Place(batch: batch, row: row)))
            }
        }
        if !isAscending { entries.sort(by: <) }
    }

    /// Drops samples that equal the first one with their identity. Returns the first different sample.
    private mutating func twin(_ group: Range<Int>) -> (place: Place, other: String)? {
        let first = entries[group.lowerBound].place
        for entry in entries[group].dropFirst() {
            guard rule == .known, isSame(entry.place, as: sample(first), of: batches[first.batch].series) else {
                return (entry.place, "sample \(first.row) of batch \(first.batch) of this call")
            }
            dropped.insert(entry.place)
        }
        return nil
    }

    /// Among samples that share an identity, returns the first whose series and start equal those of an earlier sample.
    private func twinByStart(_ group: Range<Int>) -> (place: Place, other: String)? {
        func mark(_ entry: Entry) -> (Int64, Int64) {
            let batch = batches[entry.place.batch]
            return (batch.series.rawValue, batch.rows.starts[entry.place.row])
        }
        if zip(entries[group], entries[group].dropFirst()).allSatisfy({ mark($0) < mark($1) }) { return nil }
        var marks = Set<SampleMark>()
        for entry in entries[group] {
            let (series, start) = mark(entry)
            if !marks.insert(SampleMark(series: series, start: start, identity: entry.identity)).inserted {
                return (entry.place, "another sample of this call with the same start")
            }
        }
        return nil
    }

    /// Returns the position of the first sample with an identity.
    private func place(of identity: SampleIdentity) -> Place? {
        let first = entries.indices.partitioningIndex { entries[$0].identity >= identity }
        return first < entries.count && entries[first].identity == identity ? entries[first].place : nil
    }

    var isEmpty: Bool { entries.isEmpty }
    /// The number of samples that are already stored or repeated in the call.
    var known: Int { dropped.count }

    /// Finds samples that a snapshot shows. Throws `identityTaken` if a different sample has the same identity.
    mutating func look(_ candidates: IdentityCandidates, in snapshot: Snapshot) throws(StoreError) {
        if candidates.identities.isEmpty { return }
        var left = candidates.identities
        if rule == .known { try lookInPlace(&left, snapshot) }
        if left.isEmpty { return }
        try snapshot.forEachIdentified(candidates) { block, row, series throws(StoreError) in
            let identity = SampleIdentity(block, row)
            guard left.contains(identity), let place = place(of: identity) else { return true }
            throw conflict(place, block, row, series)
        }
    }

    /// Searches at the starts of the samples, and removes the identities it finds from `left`.
    private mutating func lookInPlace(_ left: inout Set<SampleIdentity>, _ snapshot: Snapshot) throws(StoreError) {
        var blocks: [BlockPlace: (block: FoundBlock, wanted: [Place])] = [:]
        var missing: [SampleIdentity: Int] = [:]
        for (number, batch) in batches.enumerated() where !batch.rows.identityHigh.isAbsent {
            for row in 0..<batch.rows.count where left.contains(batch.rows.identity(row)) {
                let place = Place(batch: number, row: row)
                if dropped.contains(place) { continue }
                missing[batch.rows.identity(row), default: 0] += 1
                let start = batch.rows.starts[row]
                for block in try snapshot.blocks(of: [batch.series], startingIn: TimeRange(start, start + 1), nil) {
                    blocks[block.place, default: (block, [])].wanted.append(place)
                }
            }
        }
        let scratch = QueryScratch(nil)
        for (found, wanted) in blocks.values {
            try found.load([.starts, .ends, .values, .identity], scratch)
            let block = scratch.block
            if block.identityHigh.isAbsent { continue }
            for place in wanted {
                let (series, rows) = batches[place.batch]
                let identity = rows.identity(place.row)
                var row = Kernel.lowerBound(block.starts, 0..<block.count, rows.starts[place.row])
                while row < block.count, block.starts[row] == rows.starts[place.row] {
                    defer { row += 1 }
                    if SampleIdentity(block, row) != identity { continue }
                    let stored = Sample(start: block.starts[row], end: block.end(at: row), value: block.values[row])
                    guard isSame(place, as: stored, of: series) else { throw conflict(place, block, row, series) }
                    if dropped.insert(place).inserted { missing[identity, default: 0] -= 1 }
                }
            }
        }
        for (identity, count) in missing where count == 0 { left.remove(identity) }
    }

    /// Returns the samples to store, including all samples without identities.
    func left() -> [(series: SeriesID, rows: SampleRows)] {
        if dropped.isEmpty { return batches }
        return batches.enumerated().compactMap { number, batch in
            let kept = (0..<batch.rows.count).filter { !dropped.contains(Place(batch: number, row: $0)) }
            return kept.isEmpty ? nil : (batch.series, batch.rows.rows(kept))
        }
    }

    private func sample(_ place: Place) -> Sample {
        let rows = batches[place.batch].rows
        let (start, end) = rows.times(of: place.row)
        return Sample(start: start, end: end, value: rows.values[place.row])
    }

    /// Returns true if two samples are bitwise equal: 0 and -0 differ.
    private func isSame(_ place: Place, as other: Sample, of series: SeriesID) -> Bool {
        let one = sample(place)
        return batches[place.batch].series == series && one.start == other.start && one.end == other.end
            && one.value.bitPattern == other.value.bitPattern
    }

    private func conflict(_ place: Place, _ block: BlockBuffer, _ row: Int, _ series: SeriesID) -> StoreError {
        conflict(
            place,
            "\(series), from \(block.starts[row]) to \(block.end(at: row)) with the value \(block.values[row])")
    }

    private func conflict(_ place: Place, _ other: String) -> StoreError {
        let (series, rows) = batches[place.batch]
        return .taken(
            rows.identity(place.row), "sample \(place.row) of batch \(place.batch), of \(series),", other)
    }
}

extension StoreError {
    /// Returns the error for a sample whose identity another sample has.
    static func taken(_ identity: SampleIdentity, _ sample: String, _ other: String) -> StoreError {
        StoreError(
            .identityTaken,
            "\(sample) has the identity \(identity), which another sample has: \(other); delete the other sample, or "
                + "choose a new identity; this call stored nothing"
        ).naming(identity)
    }
}

extension SampleRows {
    /// Returns the identity of a row.
    /// - Requires: the row has an identity.
    func identity(_ row: Int) -> SampleIdentity {
        SampleIdentity(high: identityHigh.at(row), low: identityLow.at(row))
    }
}

extension Snapshot {
    /// Calls `body` for each sample in the candidates' segments and in the tail, until it returns false.
    func forEachIdentified(
        _ candidates: IdentityCandidates,
        _ body: (_ block: BlockBuffer, _ row: Int, _ series: SeriesID) throws(StoreError) -> Bool
    ) throws(StoreError) {
        let scratch = QueryScratch(nil)
        for (series, runs) in version.runs {
            let id = SeriesID(rawValue: series)
            let tombstones = version.tombstones(of: id)
            for run in runs {
                let mask = tombstones?.mask(over: run)
                var blocks = [FoundBlock]()
                switch run {
                case .tail(let block) where candidates.isInTail: blocks = [.tail(block, mask)]
                case .segment(let index) where candidates.files.contains(index.file.number):
                    blocks = try index.blocks(startingIn: .all, hiding: mask, nil).map { .segment(index, $0) }
                default: continue
                }
                for found in blocks {
                    try found.load([.starts, .ends, .values, .identity], scratch)
                    if scratch.block.identityHigh.isAbsent { continue }
                    for row in 0..<scratch.block.count where try !body(scratch.block, row, id) { return }
                }
            }
        }
    }
}
