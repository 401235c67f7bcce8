// SPDX-License-Identifier: Apache-2.0

import Foundation

// Metadata: storable values, predefined keys with values of their kind, keys required by a type.
extension HealthSaveRules {
    static func checkMetadata(_ metadata: HealthMetadataValues?) throws(Violation) {
        guard let metadata, !metadata.isEmpty else { return }
        // Before all checks whose time is proportional to the sizes.
        try checkSizes(metadata)
        if metadata.count == 1, let (key, value) = metadata.first {
            try checkEntry(key, value)
        } else {
            // Sorted, so that the first error does not depend on the order of the dictionary.
            for (key, value) in metadata.sorted(by: { $0.key < $1.key }) { try checkEntry(key, value) }
        }
        let hasIdentifier = metadata[HKMetadataKeySyncIdentifier] != nil
        guard hasIdentifier == (metadata[HKMetadataKeySyncVersion] != nil) else {
            let missing = hasIdentifier ? HKMetadataKeySyncVersion : HKMetadataKeySyncIdentifier
            throw Violation(
                "metadata needs a sync identifier and a sync version together; one is missing",
                "add \(missing), or remove the other key", property: "metadata[\(missing)]")
        }
    }

    /// Throws if keys or values are too long. O(entries).
    private static func checkSizes(_ metadata: HealthMetadataValues) throws(Violation) {
        var all = 0
        var longest: (bytes: Int, key: String)?
        for (key, value) in metadata {
            let bytes = max(key.utf8.count, value.byteCount)
            all += key.utf8.count + value.byteCount
            // Ties are broken by key, so that the error does not depend on the order of the dictionary.
            if bytes > maximumTextBytes, (bytes, key) > (longest?.bytes ?? 0, longest?.key ?? "") {
                longest = (bytes, key)
            }
        }
        if let longest {
            let isKey = longest.key.utf8.count > maximumTextBytes
            throw Violation(
                "\(isKey ? "a key" : "the value") has \(longest.bytes) bytes, the limit is \(maximumTextBytes)",
                "shorten it", property: isKey ? "metadata" : "metadata[\(longest.key)]")
        }
        guard all <= maximumMetadataBytes else {
            throw Violation(
                "the metadata has \(all) bytes, the limit of an object is \(maximumMetadataBytes)",
                "remove or shorten values", property: "metadata")
        }
    }

    private static func checkEntry(_ key: String, _ value: HealthMetadataValue) throws(Violation) {
        // Computed, so that only an error builds the string.
        var property: String { "metadata[\(key)]" }
        guard !key.isEmpty else {
            throw Violation("a key is empty", "give every value a key", property: "metadata")
        }
        if key == HKMetadataKeySyncIdentifier, case .string(let text) = value, text.utf8.contains(0) {
            throw Violation("the sync identifier has a NUL character", "remove the character", property: property)
        }
        switch value {
        case .unsupported(let type):
            throw Violation(
                "the value is a \(type), which a store cannot hold",
                "give a string, a number, a Boolean, a date, a quantity or data", property: property)
        case .real(let number) where !number.isFinite:
            throw Violation("the value is \(number), which is not finite", "give a finite number", property: property)
        case .quantity(let quantity) where !quantity.value.isFinite:
            throw Violation("the value is \(quantity), which is not finite", "give a finite amount", property: property)
        case .date(let date): try checkInBounds(date, property)
        default: break
        }
        guard let predefined = HealthMetadataKeys.predefined(key), !value.isOf(predefined.valueKind) else { return }
        throw Violation(
            "the value is \(value.kindName); \(predefined.constant) takes \(predefined.valueKind.words)",
            "give a value of that kind, or use a custom key", property: property)
    }

    static func checkRequiredMetadata(_ sample: HKSample) throws(Violation) {
        guard let key = sample.sampleType.facts.requiredMetadata, sample.header.metadata?[key] == nil else { return }
        throw Violation(
            "the sample lacks metadata that its type requires", "add \(key)",
            property: "metadata[\(key)]")
    }
}

extension HealthMetadataValue {
    /// The length of a string or data in bytes; 0 for values of fixed size.
    fileprivate var byteCount: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .data(let data): data.count
        default: 0
        }
    }

    /// Returns whether the value is of the kind of a predefined key. A Boolean is the number 0 or 1, as in HealthKit.
    func isOf(_ kind: HealthMetadataKey.ValueKind) -> Bool {
        switch (kind, self) {
        case (.string, .string), (.date, .date), (.quantity, .quantity): true
        case (.number, .boolean), (.number, .integer), (.number, .unsigned), (.number, .real): true
        case (.boolean, .boolean): true
        case (.boolean, .integer(let number)): number == 0 || number == 1
        case (.boolean, .real(let number)): number == 0 || number == 1
        case (.enumeration, .integer), (.enumeration, .unsigned): true
        case (.enumeration, .real(let number)): Int(exactly: number) != nil
        // Bridges with one class for numbers and Booleans pass the first two raw values of an enumeration as Booleans.
        case (.enumeration, .boolean): true
        default: false
        }
    }
}

extension HealthMetadataKey.ValueKind {
    fileprivate var words: String {
        switch self {
        case .string: "a string"
        case .number: "a number"
        case .boolean: "a Boolean"
        case .date: "a date"
        case .quantity: "a quantity"
        case .enumeration: "the raw value of an enumeration"
        }
    }
}
