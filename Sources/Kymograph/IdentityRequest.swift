// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels

/// The samples of one write whose identities the caller gave, by identity, and what is found of them in the store.
struct IdentityRequest {
    /// Where the caller has a sample.
    private struct Place: Hashable {
        let batch: Int
        let row: Int
    }

    private let batches: [(series: SeriesID, rows: SampleRows)]
    private let rule: IdentityRule
    /// The first sample of each identity.
    private var first: [SampleIdentity: Place] = [:]
    /// Samples that need not be stored: those that are, and those that are twice in the call.
    private var dropped: Set<Place> = []

    /// Checks the caller's samples against each other.
    init(_ batches: [(series: SeriesID, rows: SampleRows)], _ rule: IdentityRule, isShared: Bool) throws(StoreError) {
        self.batches = batches
        self.rule = rule
        var marks = Set<SampleMark>()
        let identified = batches.enumerated().filter { !$0.element.rows.identityHigh.isAbsent }
        first.reserveCapacity(identified.reduce(0) { $0 + $1.element.rows.count })
        for (batch, (series, rows)) in identified {
            for row in 0..<rows.count {
                let identity = rows.identity(row)
                let here = Place(batch: batch, row: row)
                if isShared {
                    let mark = SampleMark(series: series.rawValue, start: rows.starts[row], identity: identity)
                    guard marks.insert(mark).inserted else {
                        throw conflict(here, "another sample of this call that starts with it")
                    }
                }
                guard let other = first[identity] else {
                    first[identity] = here
                    continue
                }
                if isShared { continue }
                guard rule == .known, isSame(here, as: sample(other), of: batches[other.batch].series) else {
                    throw conflict(here, "sample \(other.row) of batch \(other.batch) of this call")
                }
                dropped.insert(here)
            }
        }
    }

    var isEmpty: Bool { first.isEmpty }
    var identities: Set<SampleIdentity> { Set(first.keys) }
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
            guard left.contains(identity), let place = first[identity] else { return true }
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
        for (series, runs) in version.runs.sorted(by: { $0.key < $1.key }) {
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
