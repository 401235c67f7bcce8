// SPDX-License-Identifier: Apache-2.0

import Catalog
import Foundation
import HealthCatalog

/// One of two compared stores, as of one commit.
struct ComparedStore {
    let store: HealthStore
    let view: HealthView

    init(_ store: HealthStore) throws(HealthStoreError) {
        self.store = store
        view = try store.currentView()
    }

    var commit: Int64 { view.snapshot.sequence }

    /// What identifies a series in any store.
    struct SeriesKey: Hashable, Comparable {
        /// The identifier of the type; the name of a series that no sample type has.
        let type: String
        let source: String
        let bundle: String?
        let unit: String?
        /// The labels of a series that no sample type has.
        var labels: [String: String] = [:]
        /// Whether the samples have identities that other stores keep. The engine gives the samples of other series
        /// identities of one store.
        var hasIdentities = true

        private var order: [String] {
            [type, source, bundle ?? "", unit ?? ""] + labels.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
        }

        static func < (a: SeriesKey, b: SeriesKey) -> Bool { a.order.lexicographicallyPrecedes(b.order) }
    }

    /// Returns the series with samples.
    func series() -> [SeriesKey: [SeriesID]] {
        var found: [SeriesKey: [SeriesID]] = [:]
        for one in view.snapshot.series where view.snapshot.count(of: one.id) > 0 {
            let key: SeriesKey
            if let row = view.tables.bySeries[one.id.rawValue] {
                let source = view.tables.sources[row.source]
                key = SeriesKey(type: row.type, source: source?.name ?? "", bundle: source?.bundle, unit: row.unit)
            } else {
                key = SeriesKey(
                    type: one.name, source: "", bundle: nil, unit: nil, labels: one.labels,
                    hasIdentities: false)
            }
            found[key, default: []].append(one.id)
        }
        return found
    }

    /// A property of an origin or an object, with its name.
    typealias Property = (name: String, value: String)

    /// Returns source, version and device of a provenance; 0 is none.
    func origin(_ provenance: Int64) throws(HealthStoreError) -> [Property] {
        guard let row = try view.tables.provenance(provenance) else { return [] }
        let source = view.tables.sources[row.source]
        let device = row.device.flatMap { view.tables.devices[$0] }
        let all: [(String, String?)] = [
            ("source", source?.name), ("bundle identifier", source?.bundle), ("version", row.version),
            ("device", device), ("product", row.product), ("system", row.system),
        ]
        return all.compactMap { name, value in value.map { (name, $0) } }
    }

    /// Returns the metadata of a set by key; 0 is the empty set. A negative number is that of the object to which a row
    /// belongs: the result is its identity.
    func metadata(_ number: Int64) throws(HealthStoreError) -> [Property] {
        if number == 0 { return [] }
        if number < 0 { return [("object", try owner(number)?.uuid.uuidString ?? "missing")] }
        guard let body = try metadataBody(number) else {
            throw HealthStoreError(.corrupt, "metadata set \(number) is missing")
        }
        return Self.properties(try HealthMetadata(decoding: body))
    }

    func metadataBody(_ number: Int64) throws(HealthStoreError) -> [UInt8]? {
        try store.catalog([UInt8]?.none) { try HealthCatalog.metadataBodies(ids: [number], $0)[number] }
    }

    /// Returns the object to which the rows with a mark belong.
    func owner(_ mark: Int64) throws(HealthStoreError) -> SampleIdentity? {
        let number = -max(mark, -.max)
        let rows = try store.catalog([SavedObjectRow]()) { try HealthCatalog.savedObjects(ids: [number], $0) }
        return rows.first.map { SampleIdentity($0.uuid) }
    }

    private static func properties(_ metadata: HealthMetadata) -> [Property] {
        var all: [Property] = metadata.entries.map { ("metadata " + $0.key, $0.value) }
        all += metadata.typed.sorted { $0.key < $1.key }.map { ("metadata " + $0.key, "\($0.value)") }
        all += metadata.attributes.map { ("attribute " + $0.key, $0.value) }
        all += metadata.children.map { ("element", $0) }
        if let beats = metadata.beats {
            all.append(("beats", beats.map { "\($0.bpm) at \($0.time)" }.joined(separator: ", ")))
        }
        if let text = metadata.valueText { all.append(("text of the value", text)) }
        if metadata.hasNoValue { all.append(("value in the export", "missing")) }
        if metadata.hasNoSource { all.append(("source in the export", "missing")) }
        return all
    }
}

/// Texts of differences.
enum ComparedText {
    /// The most characters of a value in a text.
    private static let most = 120

    /// Returns the properties that differ, each with both values.
    static func differences(_ first: [ComparedStore.Property], _ second: [ComparedStore.Property]) -> [String] {
        func values(_ all: [ComparedStore.Property]) -> [String: [String]] {
            Dictionary(grouping: all) { $0.name }.mapValues { $0.map(\.value) }
        }
        let (one, other) = (values(first), values(second))
        let names = (first + second).map(\.name)
        var seen: Set<String> = []
        let changed = names.filter { seen.insert($0).inserted && one[$0] != other[$0] }
        // The same entries in another order.
        if changed.isEmpty { return ["order of the metadata"] }
        return changed.map { difference($0, one[$0]?.joined(separator: ", "), other[$0]?.joined(separator: ", ")) }
    }

    static func difference(_ name: String, _ first: String?, _ second: String?) -> String {
        "\(name): \(shortened(first)) and \(shortened(second))"
    }

    private static func shortened(_ text: String?) -> String {
        guard let text else { return "nothing" }
        return text.count <= most ? text : text.prefix(most) + "..."
    }
}
