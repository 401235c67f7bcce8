// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Gives `NSPredicate` the initialisers with a format, which Foundation on Linux declares as unavailable. The protocol
/// is public because its members are; programs do not use it.
public protocol HealthPredicateFormat {}

extension NSPredicate: HealthPredicateFormat {}

extension HealthPredicateFormat {
    /// Creates a predicate from a format with HealthKit's key paths, as
    /// `NSPredicate(format: "metadata.%K != YES", HKMetadataKeyWasUserEntered)`.
    ///
    /// `Docs/Guide/PredicateFormats.md` lists key paths and operators. For any other format HealthKit raises an
    /// exception; here the query that receives the predicate reports `errorInvalidArgument` with the reason.
    ///
    /// - Parameter args: the values of `%@`, `%K`, `%d` and the other specifiers, in their order.
    public init(format predicateFormat: String, _ args: Any?...) {
        self.init(format: predicateFormat, argumentArray: args.map { $0 ?? NSNull() })
    }

    /// Creates a predicate from a format with HealthKit's key paths. See `init(format:_:)`.
    ///
    /// - Parameter arguments: the values of the specifiers, in their order; `NSNull` for nil.
    public init(format predicateFormat: String, argumentArray arguments: [Any]?) {
        let predicate = HealthPredicate(PredicateParser.parse(predicateFormat, arguments ?? []))
        // An initialiser of a protocol may return an object of a subclass. `Self` is `NSPredicate`; the one subclass
        // with such an initialiser in Foundation, a compound, contains the predicate.
        if let own = predicate as? Self {
            self = own
        } else if let compound = NSCompoundPredicate(andPredicateWithSubpredicates: [predicate]) as? Self {
            self = compound
        } else {
            preconditionFailure("NSPredicate(format:) creates no \(Self.self); call it on NSPredicate")
        }
    }
}
