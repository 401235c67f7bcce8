// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels

/// The samples of one write whose identities the caller gave, by identity, and what is found of them in the store.
struct IdentityRequest {
    /// Where the caller has a sample.
    private struct Place: Hashable, Comparable {
        let batch: Int
        let row: Int

        static func < (a: Place, b: Place) -> Bool { (a.batch, a.row) < (b.batch, b.row) }
    }

    /// An identity, and a sample that has it.
    private struct Entry {
        let identity: SampleIdentity
        let place: Place

        static func < (a: Entry, b: Entry) -> Bool {
            a.identity != b.identity ? a.identity < b.identity : a.place < b.place
        }
    }

    private let batches: [(series: SeriesID, rows: SampleRows)]
    private let rule: IdentityRule
    /// Ascending by identity; of the same identity the first sample first.
    private var entries: [Entry] = []
    /// The identities that are asked for.
    private(set) var identities = IdentityStretches()
    /// Samples that need not be stored: those that are, and those that are twice in the call.
    private var dropped: Set<Place> = []

    /// Checks the caller's samples against each other.
    ///
    /// - Complexity: O(samples) where their identities ascend, as those of a program do that makes them one after the
    ///   other; else O(n log n).
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
                // The first one in the caller's order is told.
                if let found, fault.map({ found.place < $0.place }) ?? true { fault = found }
            }
            from = to
        }
        if let fault { throw conflict(fault.place, fault.other) }
    }

    /// Puts the samples that have identities in order.
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

    /// Drops samples that are like the first one of their identity; gives the first that is not.
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

    /// Of samples that share an identity the first that starts, in its series, with one before.
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
                return (entry.place, "another sample of this call that starts with it")
            }
        }
        return nil
    }

    /// The first sample of an identity.
    private func place(of identity: SampleIdentity) -> Place? {
        var low = 0, high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].identity < identity { low = middle + 1 } else { high = middle }
        }
        return low < entries.count && entries[low].identity == identity ? entries[low].place : nil
    }

    var isEmpty: Bool { entries.isEmpty }
    /// Samples that are there, or twice in the call.
    var known: Int { dropped.count }

    /// Looks which samples a snapshot shows; where it shows another one of the same identity, that is an error.
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

    /// Looks where the samples should be, if they are there; what is not found is left.
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

    /// The samples that have to be stored, of those without identities all.
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

    /// Whether two samples are the same to the last bit: a zero is not a negative zero.
    private func isSame(_ place: Place, as other: Sample, of series: SeriesID) -> Bool {
        let one = sample(place)
        return batches[place.batch].series == series && one.start == other.start && one.end == other.end
            && one.value.bitPattern == other.value.bitPattern
    }

    private func conflict(_ place: Place, _ block: BlockBuffer, _ row: Int, _ series: SeriesID) -> StoreError {
        conflict(
            place,
            "\(series) has, from \(block.starts[row]) to \(block.end(at: row)) with the value \(block.values[row])")
    }

    private func conflict(_ place: Place, _ other: String) -> StoreError {
        let (series, rows) = batches[place.batch]
        return .taken(
            rows.identity(place.row), "sample \(place.row) of batch \(place.batch), of \(series),", other)
    }
}

extension StoreError {
    /// The error of a sample whose identity another one has.
    static func taken(_ identity: SampleIdentity, _ sample: String, _ other: String) -> StoreError {
        StoreError(
            .identityTaken,
            "\(sample) has the identity \(identity), which another sample has: \(other); delete that one first, or "
                + "give this one an identity of its own; nothing of this call was stored"
        ).naming(identity)
    }
}

extension SampleRows {
    /// The identity of a row that has one.
    func identity(_ row: Int) -> SampleIdentity {
        SampleIdentity(high: identityHigh.at(row), low: identityLow.at(row))
    }
}

extension Snapshot {
    /// Calls `body` for each sample of the files and the tail that may hold some identities, until it says false.
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
