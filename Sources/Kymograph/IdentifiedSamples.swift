// SPDX-License-Identifier: Apache-2.0

import ChunkFormat
import Kernels

/// Samples of one series whose identities the caller gives.
public struct IdentifiedSamples: Sendable {
    /// The series.
    public var series: SeriesID
    /// The samples, in any order.
    public var samples: [Sample]
    /// The identity of each sample.
    public var identities: [SampleIdentity]

    /// Samples with their identities, of which there must be as many.
    public init(series: SeriesID, samples: [Sample], identities: [SampleIdentity]) {
        self.series = series
        self.samples = samples
        self.identities = identities
    }
}

/// What an append with identities did.
public struct IdentifiedReceipt: Hashable, Sendable {
    /// The commit that stored the new samples, or the last one if there were none. A snapshot with this or a greater
    /// sequence shows all samples of the call.
    public let sequence: Int64
    /// Samples that were new.
    public let added: Int
    /// Samples that were there already, the same in everything; those that are twice in the call among them.
    public let known: Int
}

/// The samples of one append with identities, by identity, and what is found of them in the store.
struct IdentifiedRequest {
    private struct Wanted {
        let series: SeriesID
        let sample: Sample
        /// Where the caller has it.
        let batch: Int
        let place: Int
    }

    private let batches: [IdentifiedSamples]
    private var wanted: [SampleIdentity: Wanted] = [:]
    /// Those that are stored already.
    private var known: Set<SampleIdentity> = []

    /// Checks the caller's samples, and them against each other.
    init(_ batches: [IdentifiedSamples]) throws(StoreError) {
        self.batches = batches
        wanted.reserveCapacity(batches.reduce(0) { $0 + $1.samples.count })
        for (number, batch) in batches.enumerated() {
            guard batch.samples.count == batch.identities.count else {
                throw StoreError(
                    .invalidSample,
                    "\(batch.samples.count) samples and \(batch.identities.count) identities; give one for each sample")
            }
            _ = try SampleRows(batch.samples)
            for (place, identity) in batch.identities.enumerated() {
                let one = Wanted(series: batch.series, sample: batch.samples[place], batch: number, place: place)
                guard let other = wanted[identity] else {
                    wanted[identity] = one
                    continue
                }
                if other.series != one.series || !other.sample.isSame(one.sample) {
                    throw Self.conflict(one, identity, "sample \(other.place) of batch \(other.batch) of this call")
                }
            }
        }
    }

    var count: Int { batches.reduce(0) { $0 + $1.samples.count } }
    /// Samples that have to be stored.
    var added: Int { wanted.count - known.count }
    var series: Set<SeriesID> { Set(batches.lazy.filter { !$0.samples.isEmpty }.map(\.series)) }
    var identities: some Sequence<SampleIdentity> { wanted.keys }

    /// Looks which samples a snapshot shows; where it shows another one of the same identity, that is an error.
    mutating func look(_ candidates: [SampleIdentity], in snapshot: Snapshot) throws(StoreError) {
        known = []
        var left = Set(candidates)
        try lookInPlace(candidates, snapshot, &left)
        if !left.isEmpty { try lookEverywhere(left, snapshot) }
    }

    /// Looks where the samples should be, if they are there.
    private mutating func lookInPlace(
        _ candidates: [SampleIdentity], _ snapshot: Snapshot, _ left: inout Set<SampleIdentity>
    ) throws(StoreError) {
        var places: [BlockPlace: (block: FoundBlock, wanted: [SampleIdentity])] = [:]
        for identity in candidates {
            guard let one = wanted[identity] else { continue }
            let instant = TimeRange(one.sample.start, one.sample.start + 1)
            for block in try snapshot.blocks(of: [one.series], startingIn: instant, nil) {
                places[block.place, default: (block, [])].wanted.append(identity)
            }
        }
        let scratch = QueryScratch(nil)
        for (found, identities) in places.values {
            try found.load([.starts, .ends, .values, .identity], scratch)
            let block = scratch.block
            if block.identityHigh.isAbsent { continue }
            for identity in identities {
                guard let one = wanted[identity] else { continue }
                var row = Kernel.lowerBound(block.starts, 0..<block.count, one.sample.start)
                while row < block.count, block.starts[row] == one.sample.start {
                    if SampleIdentity(block, row) == identity {
                        left.remove(identity)
                        try compare(one, identity, one.series, block, row)
                    }
                    row += 1
                }
            }
        }
    }

    /// Looks for identities in all of the store: another sample has them, or one had that was deleted.
    private mutating func lookEverywhere(
        _ left: Set<SampleIdentity>, _ snapshot: Snapshot
    ) throws(StoreError) {
        let scratch = QueryScratch(nil)
        for series in snapshot.series {
            for found in try snapshot.blocks(of: [series.id], startingIn: .all, nil) {
                try found.load([.starts, .ends, .values, .identity], scratch)
                let block = scratch.block
                if block.identityHigh.isAbsent { continue }
                for row in 0..<block.count {
                    let identity = SampleIdentity(block, row)
                    guard left.contains(identity), let one = wanted[identity] else { continue }
                    try compare(one, identity, series.id, block, row)
                }
            }
        }
    }

    /// Notes a sample that is stored as it is wanted, and refuses one that is stored otherwise.
    private mutating func compare(
        _ one: Wanted, _ identity: SampleIdentity, _ series: SeriesID, _ block: BlockBuffer, _ row: Int
    ) throws(StoreError) {
        let stored = Sample(start: block.starts[row], end: block.end(at: row), value: block.values[row])
        guard series == one.series, stored.isSame(one.sample) else {
            throw Self.conflict(
                one, identity, "\(series) has, from \(stored.start) to \(stored.end) with the value \(stored.value)")
        }
        known.insert(identity)
    }

    private static func conflict(_ one: Wanted, _ identity: SampleIdentity, _ other: String) -> StoreError {
        StoreError(
            .identityTaken,
            "sample \(one.place) of batch \(one.batch), of \(one.series), has the identity \(identity), which another "
                + "sample has: \(other); delete that one first, or give this one an identity of its own; nothing of "
                + "this call was stored"
        ).naming(identity)
    }

    /// The samples that have to be stored, by series.
    func rows() -> [(series: SeriesID, rows: SampleRows)] {
        var taken = known
        taken.reserveCapacity(wanted.count)
        var columns: [SeriesID: (samples: [Sample], identities: [SampleIdentity])] = [:]
        for batch in batches {
            for (place, identity) in batch.identities.enumerated() where taken.insert(identity).inserted {
                columns[batch.series, default: ([], [])].samples.append(batch.samples[place])
                columns[batch.series, default: ([], [])].identities.append(identity)
            }
        }
        return columns.sorted { $0.key < $1.key }.map { series, column in
            var rows = SampleRows()
            rows.starts = column.samples.map(\.start)
            rows.values = column.samples.map(\.value)
            if column.samples.contains(where: { $0.end != $0.start }) { rows.ends = column.samples.map(\.end) }
            rows.identityHigh = .values(column.identities.map(\.high))
            rows.identityLow = .values(column.identities.map(\.low))
            return (series, rows)
        }
    }
}

extension Sample {
    /// Whether two samples are the same to the last bit: a zero is not a negative zero.
    fileprivate func isSame(_ other: Sample) -> Bool {
        start == other.start && end == other.end && value.bitPattern == other.value.bitPattern
    }
}
