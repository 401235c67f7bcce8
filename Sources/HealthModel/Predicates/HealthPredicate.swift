// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// An `NSPredicate` that carries a ``SamplePredicate``: what the factories of ``HKQuery`` return.
///
/// `NSPredicate` itself is not `Sendable`; a query takes the value out when it is made.
package final class HealthPredicate: NSPredicate {
    package let value: SamplePredicate

    package init(_ value: SamplePredicate) {
        self.value = value
        super.init(value: false)
    }

    /// Whether the object is a health object that the predicate means.
    package override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        (object as? HKObject).map(value.matches) ?? false
    }

    package override func copy(with zone: NSZone? = nil) -> Any { self }
    package override var hash: Int { value.hashValue }
    package override func isEqual(_ object: Any?) -> Bool { (object as? HealthPredicate)?.value == value }
    package override var description: String { value.description }
}

extension SamplePredicate {
    /// What a predicate means; nil is every object.
    ///
    /// Predicates of HealthKit's factories can be read, and compound predicates of such, and `NSPredicate(value:)`.
    ///
    /// - Throws: ``HKError/Code/errorInvalidArgument`` for a predicate with a block, which only a program can read.
    /// - Complexity: O(parts).
    package init(_ predicate: NSPredicate?) throws(HKError) {
        self = try Self.read(predicate, depth: 0)
    }

    /// Deeper ones would end the program where a recursion has no room.
    private static let maximumDepth = 200

    /// How many levels of compounds it has.
    private var depth: Int {
        switch self {
        case .and(let parts), .or(let parts): 1 + (parts.map(\.depth).max() ?? 0)
        case .not(let part): 1 + part.depth
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
            // A subclass of somebody else's may pass for a constant and not be one.
            let isPlain = type(of: predicate) == NSPredicate.self
            if isPlain, predicate == NSPredicate(value: true) { return .always(true) }
            if isPlain, predicate == NSPredicate(value: false) { return .always(false) }
            throw HKError(
                .errorInvalidArgument, reason: "a predicate with a block cannot be read by a store",
                place: "NSPredicate", advice: "use HKQuery's factories, and filter what the query gives")
        }
    }
}

/// A caller's predicate, read once: what a query keeps of it.
package struct ReadPredicate: Sendable {
    /// What it means; the error of one that a store cannot read, which the query that runs it throws.
    package let condition: Result<SamplePredicate, HKError>
    private let isGiven: Bool

    package init(_ predicate: NSPredicate?) {
        isGiven = predicate != nil
        do throws(HKError) {
            condition = .success(try SamplePredicate(predicate))
        } catch {
            condition = .failure(error)
        }
    }

    /// The predicate again, nil where none was given; of one that cannot be read, one that nothing fulfils.
    package var nsPredicate: NSPredicate? {
        guard isGiven else { return nil }
        return switch condition {
        case .success(let value): HealthPredicate(value)
        case .failure: NSPredicate(value: false)
        }
    }
}
