// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// An `NSPredicate` that carries a ``SamplePredicate``; the static functions of ``HKQuery`` return it.
///
/// `NSPredicate` is not `Sendable`, so a query extracts the value at creation.
package final class HealthPredicate: NSPredicate {
    package let value: SamplePredicate

    package init(_ value: SamplePredicate) {
        self.value = value
        super.init(value: false)
    }

    /// Returns whether the object is a health object, or a medication, that matches the predicate.
    package override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        switch object {
        case let object as HKObject: value.matches(object)
        case let medication as HKUserAnnotatedMedication: value.matches(medication)
        default: false
        }
    }

    package override func copy(with zone: NSZone? = nil) -> Any { self }
    package override var hash: Int { value.hashValue }
    package override func isEqual(_ object: Any?) -> Bool { (object as? HealthPredicate)?.value == value }
    package override var description: String { value.description }
}

extension SamplePredicate {
    /// Creates the meaning of a predicate; nil matches every object.
    ///
    /// Readable predicates are those of HealthKit's static functions, their compounds, and `NSPredicate(value:)`.
    ///
    /// - Throws: ``HKError/Code/errorInvalidArgument`` for a predicate with a block or with too many levels.
    /// - Complexity: O(parts).
    package init(_ predicate: NSPredicate?) throws(HKError) {
        self = try Self.readParts(predicate)
        if hasStrayActivityCondition { throw Self.strayActivityCondition }
    }

    /// Creates the meaning of a predicate that may have conditions on activities.
    static func readParts(_ predicate: NSPredicate?) throws(HKError) -> SamplePredicate {
        try read(predicate, depth: 0)
    }

    /// Limits the recursion: deeper predicates could overflow the stack.
    private static let maximumDepth = 200

    /// The number of levels of compound predicates.
    private var depth: Int {
        switch self {
        case .and(let parts), .or(let parts): 1 + (parts.map(\.depth).max() ?? 0)
        case .not(let part), .someActivity(let part): 1 + part.depth
        default: 0
        }
    }

    private static func read(_ predicate: NSPredicate?, depth: Int) throws(HKError) -> SamplePredicate {
        let inside = (predicate as? HealthPredicate)?.value.depth ?? 0
        guard depth + inside <= maximumDepth else {
            throw HKError(
                .errorInvalidArgument, reason: "the predicate is more than \(maximumDepth) levels deep",
                place: "NSPredicate", advice: "give one compound predicate all of its parts")
        }
        switch predicate {
        case nil: return .always(true)
        case let health as HealthPredicate:
            if let refusal = health.value.refusal { throw refusal }
            return health.value
        case let compound as NSCompoundPredicate:
            var parts: [SamplePredicate] = []
            for part in compound.subpredicates { parts.append(try read(part, depth: depth + 1)) }
            switch compound.compoundPredicateType {
            case .and: return .and(parts)
            case .or: return .or(parts)
            case .not: return .not(parts.first ?? .always(false))
            }
        case let predicate?:
            // A subclass from another module may compare equal to a constant without being one.
            let isPlain = type(of: predicate) == NSPredicate.self
            if isPlain, predicate == NSPredicate(value: true) { return .always(true) }
            if isPlain, predicate == NSPredicate(value: false) { return .always(false) }
            throw HKError(
                .errorInvalidArgument, reason: "a store cannot evaluate a predicate with a block",
                place: "NSPredicate", advice: "use HKQuery's factories, and filter the results of the query")
        }
    }
}

/// A caller's predicate, parsed once for a query.
package struct ReadPredicate: Hashable, Sendable {
    /// The meaning of the predicate, or the error of an unreadable predicate, which running the query throws.
    package let condition: Result<SamplePredicate, HKError>
    private let isGiven: Bool

    package init(_ predicate: NSPredicate?) {
        isGiven = predicate != nil
        condition = Result { () throws(HKError) in try SamplePredicate(predicate) }
    }

    /// The predicate; nil if none was given. An unreadable predicate is replaced by `NSPredicate(value: false)`.
    package var nsPredicate: NSPredicate? {
        guard isGiven else { return nil }
        return switch condition {
        case .success(let value): HealthPredicate(value)
        case .failure: NSPredicate(value: false)
        }
    }
}
