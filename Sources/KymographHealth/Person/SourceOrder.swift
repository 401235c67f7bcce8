// SPDX-License-Identifier: Apache-2.0

import Foundation
import HealthCatalog
public import HealthModel

/// The person's source order of each type, for samples that several sources recorded. It is a setting of the store:
/// `Docs/Format/Catalog.md`.
enum SourceOrder {
    static let limit = 1_000

    private static let prefix = "order."

    static func key(_ type: String) -> String { prefix + type }

    /// Returns the chosen bundle identifiers or names, first the source of highest priority.
    static func chosen(for type: String, _ settings: [String: String]) -> [String] {
        guard let text = settings[key(type)] else { return [] }
        return (try? JSONDecoder().decode([String].self, from: Data(text.utf8))) ?? []
    }

    /// Returns the stored text of an order; nil for an empty one.
    static func text(_ sources: [String]) -> String? {
        if sources.isEmpty { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return (try? encoder.encode(sources)).map { String(decoding: $0, as: UTF8.self) }
    }
}

extension HealthType {
    /// Whether several sources that recorded the same time are merged: for amounts, and for sleep.
    package var mergesSources: Bool { isCumulative || isSleep }

    /// Whether this is `sleepAnalysis`, which is counted by night.
    package var isSleep: Bool { identifier == HKCategoryTypeIdentifier.sleepAnalysis.rawValue }
}

extension HealthStore {
    /// An order that names no source, so that all sources have the default order. No name contains this character.
    package static let defaultOrder = ["\u{0}"]

    /// Returns the sources of a type with samples by descending priority, and the number of chosen ones among them.
    ///
    /// - Parameter order: names or bundle identifiers; empty for the stored order.
    /// - Complexity: O(sources); reads the last sample of each series.
    package func sourceOrder(
        of type: HealthType, preferring order: [String] = []
    ) throws(HealthStoreError) -> (sources: [HKSource], chosen: Int) {
        let view = try currentView()
        let order = try view.parts(of: type.identifier).byPriority(order, view)
        return (order.map { view.tables.source($0.id) }, order.count(where: \.isNamed))
    }

    /// Sets the source order of a type, durably; an empty list restores the default order.
    ///
    /// - Throws: `errorInvalidArgument` for a type whose sources are not merged, and for too many sources.
    package func prefer(_ sources: [HKSource], of type: HealthType) throws(HKError) {
        guard type.mergesSources else {
            throw HKError(
                .errorInvalidArgument, reason: "sources of this type are not merged", place: type.identifier,
                advice: "choose an order for a cumulative type or for sleepAnalysis")
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

// The source order decides which samples count if a phone and a watch recorded the same activity:
// `Docs/Guide/Statistics.md`. In HealthKit the person sets the order in the Health app, and programs cannot read it.
extension HKHealthStore {
    /// Returns the chosen source order of a type; empty if none is chosen. Not part of HealthKit.
    ///
    /// - Throws: ``HKError``: `errorDatabaseInaccessible`.
    public func preferredSources(for type: HKSampleType) async throws -> [HKSource] {
        try await BlockingQueue.result { () throws(HKError) in
            // The names of other programs are for the person.
            if try self.store().access() != nil { return [] }
            let tables = try self.currentTables()
            return SourceOrder.chosen(for: type.identifier, tables.rows.settings).map { text in
                // The latest name of the program.
                let rows = tables.sources.values.filter { ($0.bundle ?? $0.name) == text }
                let name = rows.max { $0.id < $1.id }?.name ?? text
                return HKSource(name: name, bundleIdentifier: text)
            }
        }
    }

    /// Sets the source order of a type, durably, for all later statistics, nights and summaries; an empty list restores
    /// the default order. Other sources follow the given ones. Not part of HealthKit.
    ///
    /// - Throws: ``HKError``: `errorInvalidArgument` for a type that is neither cumulative nor `sleepAnalysis`, and for
    ///   more than 1,000 sources; `errorDatabaseInaccessible`.
    public func setPreferredSources(_ sources: [HKSource], for type: HKSampleType) async throws {
        let known = HealthTypes.type(for: type.identifier)
        try await BlockingQueue.result { () throws(HKError) in
            let store = try self.store()
            try store.requireOwner("the source order of \(type.identifier)")
            try store.prefer(sources, of: known)
        }
    }
}
