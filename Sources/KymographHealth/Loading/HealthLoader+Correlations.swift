// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthCatalog
import HealthModel

/// The correlations of a load before its commit.
struct PendingCorrelations {
    /// The maximum number of correlations and members that wait for the end of a load; further correlations are stored
    /// only as elements.
    static let limit = 1_000_000

    struct Waiting {
        let correlation: LoadedCorrelation
        let element: CorrelationBody.Element
        /// The row of the stored correlation that lacks a member; the new correlation replaces it. Nil if there is
        /// none.
        let replaced: Int64?
    }

    /// Correlations whose members are not resolved yet.
    var waiting: [Waiting] = []
    /// The number of waiting correlations and members.
    var weight = 0
    /// Samples of this load that may be members.
    var written = WrittenCandidates()
    /// Samples stored before the load that may be members, by hash.
    var stored: [UInt64: [SampleIdentity]] = [:]
    /// The number of stored correlations per digest that are not matched yet; nil until the first correlation.
    var left: [Int64: Int]?
    /// Stored correlations with a deleted member, by digest: their rows and their elements.
    var broken: [Int64: [(row: Int64, object: Int64)]] = [:]
    /// Stored elements without a correlation, by digest.
    var elements: [Int64: [Int64]] = [:]
    /// The rows that the commit inserts.
    var rows: [SavedObjectRow] = []
    /// The rows that the commit retires, because new correlations for the same elements replace them.
    var replaced: [Int64] = []
    var last: Int64

    init(last: Int64) { self.last = last }
}

extension HealthLoader {
    /// Adds a correlation and its XML, unless it is stored already.
    ///
    /// At the end of the load the correlation becomes an object whose members are samples.
    /// - Parameters:
    ///   - content: a canonical encoding of the element's content, independent of its spelling.
    ///   - xml: the element.
    /// - Returns: whether the element is new.
    package func add(
        correlation: LoadedCorrelation, content: [UInt8], xml: [UInt8]
    ) throws(HealthStoreError) -> Bool {
        if isBeforeHistory(correlation.end) { return false }
        if correlations.left == nil { try loadCorrelations() }
        let digest = HealthCatalog.digest(content)
        let written = HealthCatalog.digest(HeapAddress.stripped(xml))
        if let left = correlations.left?[digest], left > 0 {
            correlations.left?[digest] = left - 1
            _ = try isStored(written)
            return false
        }
        let broken = correlations.broken[digest]?.popLast()
        let isKnown = try isStored(written) || broken != nil
        let weight = correlation.members.count + 1
        let fits = correlations.weight + weight <= PendingCorrelations.limit
        let object: Int64
        if let broken, broken.object != CorrelationBody.Element.erased {
            object = broken.object
        } else if isKnown, broken == nil {
            // The element was stored by an earlier version, or exceeded the limit of waiting correlations.
            guard let id = correlations.elements[written]?.popLast() else { return false }
            object = id
        } else {
            object = try objects.append(
                xml, kind: .correlation, start: correlation.start, end: correlation.end, digest: written, to: bodies)
        }
        if fits {
            correlations.weight += weight
            correlations.waiting.append(
                .init(
                    correlation: correlation, element: .init(object: object, digest: digest), replaced: broken?.row))
        }
        return !isKnown
    }

    /// Reads the stored correlations, and which of them are incomplete.
    private func loadCorrelations() throws(HealthStoreError) {
        let outdated = try store.outdatedElements(in: baseline, series: storedSeries)
        var pending = correlations
        pending.left = [:]
        try store.catalog(()) { transaction in
            var taken: Set<Int64> = []
            try HealthCatalog.eachSavedObject(kind: SavedObjectKind.correlation.rawValue, transaction) { row in
                guard row.died == nil, let element = try CorrelationBody(row.body).element else { return }
                if outdated.contains(element.object) {
                    pending.broken[element.digest, default: []].append((row.id, element.object))
                } else {
                    pending.left?[element.digest, default: 0] += 1
                }
                taken.insert(element.object)
            }
            let elements = try HealthCatalog.objectIDs(kind: ImportedElementKind.correlation.rawValue, transaction)
            pending.elements = elements.mapValues { ids in ids.reversed().filter { !taken.contains($0) } }
        }
        correlations = pending
    }

    /// Sets the number of samples that are recorded as candidates for members. For tests of the limit.
    package func rememberMembers(upTo limit: Int) { correlations.written = WrittenCandidates(limit: limit) }

    /// Returns the members that are neither stored nor written. Some exports do not repeat members as separate records;
    /// the caller must then write these members.
    ///
    /// Returns an empty list if not every written sample is recorded, because the missing members are then unknown.
    /// - Ordering: after all other records are written.
    package func missingMembers() throws(HealthStoreError) -> [LoadedCorrelation.Member] {
        if correlations.waiting.isEmpty { return [] }
        try resolveMetadata()
        try findStored()
        if correlations.written.isFull { return [] }
        var missing = [LoadedCorrelation.Member]()
        for waiting in correlations.waiting where isWhole(waiting.correlation) {
            for member in waiting.correlation.members {
                let hash = hash(member)
                if correlations.stored[hash] == nil, correlations.written.identities(hash).isEmpty {
                    missing.append(member)
                }
            }
        }
        return missing
    }

    /// Returns whether all members have types whose samples are recorded as candidates.
    private func isWhole(_ correlation: LoadedCorrelation) -> Bool {
        correlation.members.allSatisfy { self.member($0.series).mayBeCorrelated }
    }

    private func hash(_ member: LoadedCorrelation.Member) -> UInt64 {
        SampleFields(
            series: id(of: member.series), start: member.start, end: member.end, value: member.value,
            created: member.created, provenance: member.provenance, metadata: metadataRow(member.metadata)
        ).hash
    }

    /// Searches for members among the samples stored before the load, series by series.
    private func findStored() throws(HealthStoreError) {
        var wanted: [SeriesID: [Int64: Set<UInt64>]] = [:]
        for waiting in correlations.waiting where isWhole(waiting.correlation) {
            for member in waiting.correlation.members {
                let hash = hash(member)
                // A replacing correlation may reuse the members of the replaced correlation.
                if waiting.replaced == nil, !correlations.written.identities(hash).isEmpty { continue }
                wanted[id(of: member.series), default: [:]][member.start, default: []].insert(hash)
            }
        }
        var found: [UInt64: [SampleIdentity]] = [:]
        for (series, starts) in wanted where baseline.count(of: series) > 0 {
            guard let first = starts.keys.min(), let last = starts.keys.max() else { continue }
            try inEngine { () throws(StoreError) in
                try baseline.scan([series], over: TimeRange(first, last &+ 1), columns: .all) {
                    batch throws(StoreError) in
                    for place in 0..<batch.count {
                        guard let hashes = starts[batch.start(at: place)] else { continue }
                        let sample = batch[place]
                        let hash = SampleFields(
                            series: series, start: sample.start, end: sample.end, value: sample.value,
                            created: batch.created.value(at: place) ?? HealthRows.noDate,
                            provenance: batch.provenance[place], metadata: batch.metadata[place]
                        ).hash
                        if hashes.contains(hash) { found[hash, default: []].append(batch.identities[place]) }
                    }
                    return true
                }
            }
        }
        correlations.stored = found
    }

    /// Makes objects of the correlations. A sample that is already a member of a correlation is used only if no other
    /// sample matches.
    ///
    /// - Ordering: after all records are written, including those of `missingMembers`.
    package func settleCorrelations() throws(HealthStoreError) {
        if correlations.waiting.isEmpty { return }
        var taken: Set<SampleIdentity> = []
        if !correlations.stored.isEmpty {
            let replaced = Set(correlations.waiting.lazy.compactMap(\.replaced))
            taken = try store.catalog(taken) { try CorrelationRecord.allMembers(but: replaced, $0) }
        }
        for waiting in correlations.waiting where isWhole(waiting.correlation) {
            let correlation = waiting.correlation
            var members = [CorrelationRecord.Member]()
            for member in correlation.members {
                let hash = hash(member)
                let candidates = (correlations.stored[hash] ?? []) + correlations.written.identities(hash)
                guard let one = candidates.first(where: { !taken.contains($0) }) ?? candidates.first else { continue }
                taken.insert(one)
                members.append(.init(type: self.member(member.series).type, identity: one, start: member.start))
            }
            // An incomplete correlation is stored only as an element.
            if members.count < correlation.members.count { continue }
            members.sort { ($0.start, $0.identity) < ($1.start, $1.identity) }
            if let replaced = waiting.replaced { correlations.replaced.append(replaced) }
            correlations.last += 1
            correlations.rows.append(
                SavedObjectRow(
                    id: correlations.last, uuid: SampleIdentity(ObjectIdentity.next()).bytes,
                    kind: SavedObjectKind.correlation.rawValue, type: correlation.type,
                    provenance: correlation.provenance, metadata: metadataRow(correlation.metadata),
                    start: correlation.start, end: correlation.end,
                    created: correlation.created == HealthRows.noDate ? nil : correlation.created,
                    body: CorrelationBody(members: members, element: waiting.element).bytes))
        }
        correlations.waiting = []
    }
}
