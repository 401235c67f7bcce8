// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthCatalog
package import HealthModel

/// The sources that a person wants to count first, type by type, where several counted the same. It is kept among a
/// store's settings: `Docs/Format/Catalog.md`.
enum SourceOrder {
    /// More sources than these are of no person.
    static let limit = 1_000

    private static let prefix = "order."

    static func key(_ type: String) -> String { prefix + type }

    /// The bundle identifiers or names that were chosen, the first one first.
    static func chosen(for type: String, _ settings: [String: String]) -> [String] {
        guard let text = settings[key(type)] else { return [] }
        return (try? JSONDecoder().decode([String].self, from: Data(text.utf8))) ?? []
    }

    /// What a store keeps of a choice; nil for none.
    static func text(_ sources: [String]) -> String? {
        if sources.isEmpty { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return (try? encoder.encode(sources)).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension HealthStore {
    /// The sources of a type that has several, the one that counts first first, and how many of them were chosen.
    ///
    /// - Complexity: O(sources); a look at the end of each series.
    package func sourceOrder(of type: HealthType) throws(HealthStoreError) -> (sources: [HKSource], chosen: Int) {
        if mode != .readWrite { try refresh() }
        let view = try view()
        let order = try view.parts(of: type.identifier).byPriority([], view)
        return (order.map { view.tables.source($0.id) }, order.count(where: \.isNamed))
    }

    /// Chooses the sources of a type that count first, durably; none for the order that stores begin with.
    ///
    /// - Throws: `errorInvalidArgument` for a type whose sources are not merged, and for too many sources.
    package func prefer(_ sources: [HKSource], of type: HKQuantityType) throws(HKError) {
        guard type.aggregationStyle == .cumulative else {
            throw HKError(
                .errorInvalidArgument, reason: "sources of this type do not count the same", place: type.identifier,
                advice: "choose an order for a cumulative type")
        }
        guard sources.count <= SourceOrder.limit else {
            throw HKError(
                .errorInvalidArgument, reason: "\(sources.count) sources are too many", place: type.identifier,
                advice: "name at most \(SourceOrder.limit)")
        }
        let text = SourceOrder.text(sources.map(\.bundleIdentifier))
        try write { try HealthCatalog.set(setting: SourceOrder.key(type.identifier), to: text, $0) }
    }
}
