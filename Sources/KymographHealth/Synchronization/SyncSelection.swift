// SPDX-License-Identifier: Apache-2.0

import HealthCatalog
import HealthModel

/// The part of a store that a synchronisation exchanges. A part by types has no elements and files of imports, no
/// settings and no decisions; of the characteristics it has the selected ones.
package struct SyncSelection: Sendable, Hashable {
    /// The identifiers of the types; nil for all.
    package var types: Set<String>?
    /// The earliest start, in nanoseconds since 1970-01-01 UTC; nil for all times.
    package var from: Int64?

    /// Creates a selection. Correlations are selected with the types of their members, workouts with their routes.
    package init(types: Set<String>? = nil, from: Int64? = nil) {
        self.types = types.map(Self.complete)
        self.from = from
    }

    private static func complete(_ types: Set<String>) -> Set<String> {
        var all = types
        for type in types {
            all.formUnion((AuthorizationRules.members(of: type) ?? []).map(\.identifier))
        }
        if types.contains(HKCorrelationTypeIdentifier.food.rawValue) {
            all.formUnion(HealthTypes.all.map(\.identifier).filter { $0.hasPrefix(Self.dietary) })
        }
        if types.contains(HKWorkoutTypeIdentifier) { all.insert(HKWorkoutRouteTypeIdentifier) }
        return all
    }

    private static let dietary = "HKQuantityTypeIdentifierDietary"

    package var isWhole: Bool { types == nil && from == nil }

    /// Returns what is in both selections.
    package func intersection(_ other: SyncSelection) -> SyncSelection {
        var both = SyncSelection()
        both.types = if let types, let theirs = other.types { types.intersection(theirs) } else { types ?? other.types }
        both.from = [from, other.from].compactMap(\.self).max()
        return both
    }

    func contains(type: String) -> Bool { types?.contains(type) ?? true }

    func contains(_ type: String, start: Int64) -> Bool { contains(type: type) && start >= from ?? .min }

    /// A number that is equal for equal selections, and 0 for everything.
    var digest: Int64 {
        if isWhole { return 0 }
        let text = (types.map { $0.sorted() } ?? ["*"]).joined(separator: ",") + ";\(from ?? .min)"
        return HealthCatalog.digest(Array(text.utf8))
    }
}
