// SPDX-License-Identifier: Apache-2.0

import Foundation

// Metadata: values that a store can keep, predefined keys with values of their kind, keys that a type asks for.
extension HealthSaveRules {
    static func checkMetadata(_ metadata: HealthMetadataValues?) throws(Violation) {
        guard let metadata, !metadata.isEmpty else { return }
        // Before anything that takes time in proportion to them.
        try checkSizes(metadata)
        if metadata.count == 1, let (key, value) = metadata.first {
            try checkEntry(key, value)
        } else {
            // The same one is told first whatever the dictionary's order is.
            for (key, value) in metadata.sorted(by: { $0.key < $1.key }) { try checkEntry(key, value) }
        }
        let hasIdentifier = metadata[HKMetadataKeySyncIdentifier] != nil
        guard hasIdentifier == (metadata[HKMetadataKeySyncVersion] != nil) else {
            let missing = hasIdentifier ? HKMetadataKeySyncVersion : HKMetadataKeySyncIdentifier
            throw Violation(
                "a sync identifier and a sync version come together, and one of them is missing",
                "add \(missing), or take the other away", property: "metadata[\(missing)]")
        }
    }

    /// Refuses keys and values that are too long. O(entries).
    private static func checkSizes(_ metadata: HealthMetadataValues) throws(Violation) {
        var all = 0
        var longest: (bytes: Int, key: String)?
        for (key, value) in metadata {
            let bytes = max(key.utf8.count, value.byteCount)
            all += key.utf8.count + value.byteCount
            // The same one is told whatever the dictionary's order is.
            if bytes > maximumTextBytes, (bytes, key) > (longest?.bytes ?? 0, longest?.key ?? "") {
                longest = (bytes, key)
            }
        }
        if let longest {
            let isKey = longest.key.utf8.count > maximumTextBytes
            throw Violation(
                "\(isKey ? "a key" : "the value") has \(longest.bytes) bytes, and a store keeps \(maximumTextBytes)",
                "give a shorter one", property: isKey ? "metadata" : "metadata[\(longest.key)]")
        }
        guard all <= maximumMetadataBytes else {
            throw Violation(
                "the metadata has \(all) bytes, and a store keeps \(maximumMetadataBytes) of an object",
                "give less", property: "metadata")
        }
    }

    private static func checkEntry(_ key: String, _ value: HealthMetadataValue) throws(Violation) {
        // Made only where it is told.
        var property: String { "metadata[\(key)]" }
        guard !key.isEmpty else {
            throw Violation("a key is empty", "give every value a key", property: "metadata")
        }
        if key == HKMetadataKeySyncIdentifier, case .string(let text) = value, text.utf8.contains(0) {
            throw Violation("the sync identifier has a NUL character", "give one without", property: property)
        }
        switch value {
        case .unsupported(let type):
            throw Violation(
                "the value is a \(type), which cannot be kept",
                "give a string, a number, a Boolean, a date, a quantity or data", property: property)
        case .real(let number) where !number.isFinite:
            throw Violation("the value is \(number), which is no number", "give a finite one", property: property)
        case .quantity(let quantity) where !quantity.value.isFinite:
            throw Violation("the value is \(quantity), which is no amount", "give a finite one", property: property)
        case .date(let date): try checkInBounds(date, property)
        default: break
        }
        guard let predefined = HealthMetadataKeys.predefined(key), !value.isOf(predefined.valueKind) else { return }
        throw Violation(
            "the value is \(value.kindName), and \(predefined.constant) takes \(predefined.valueKind.words)",
            "give that, or use a key of your own", property: property)
    }

    static func checkRequiredMetadata(_ sample: HKSample) throws(Violation) {
        guard let key = sample.sampleType.facts.requiredMetadata, sample.header.metadata?[key] == nil else { return }
        throw Violation(
            "samples of this type need metadata that this one does not have", "add \(key)",
            property: "metadata[\(key)]")
    }
}

extension HealthMetadataValue {
    /// The bytes of a text or of data; 0 for what has a fixed size.
    fileprivate var byteCount: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .data(let data): data.count
        default: 0
        }
    }

    /// Whether the value is of a predefined key's kind. A Boolean is a number that is 0 or 1, as in HealthKit.
    func isOf(_ kind: HealthMetadataKey.ValueKind) -> Bool {
        switch (kind, self) {
        case (.string, .string), (.date, .date), (.quantity, .quantity): true
        case (.number, .boolean), (.number, .integer), (.number, .unsigned), (.number, .real): true
        case (.boolean, .boolean): true
        case (.boolean, .integer(let number)): number == 0 || number == 1
        case (.boolean, .real(let number)): number == 0 || number == 1
        case (.enumeration, .integer), (.enumeration, .unsigned): true
        case (.enumeration, .real(let number)): Int(exactly: number) != nil
        // An enumeration's first two raw values may come as a Boolean from a bridge that has one class for both.
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
        case .enumeration: "a number that names a case"
        }
    }
}
