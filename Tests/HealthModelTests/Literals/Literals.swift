// SPDX-License-Identifier: Apache-2.0

import HealthModel
import Testing

/// Checks each case against its number, in both directions, and that no two cases have the same number.
func expectNumbers<Value: RawRepresentable & Equatable>(
    _ numbers: KeyValuePairs<Value, Value.RawValue>, sourceLocation: SourceLocation = #_sourceLocation
) where Value.RawValue: BinaryInteger {
    for (value, number) in numbers {
        #expect(value.rawValue == number, "\(value)", sourceLocation: sourceLocation)
        #expect(Value(rawValue: number) == value, "\(number)", sourceLocation: sourceLocation)
    }
    #expect(Set(numbers.map { Int($0.1) }).count == numbers.count, sourceLocation: sourceLocation)
}

/// Checks each constant against its text, in both directions.
func expectTexts<Value: RawRepresentable & Equatable>(
    _ texts: KeyValuePairs<Value, String>, prefix: String, sourceLocation: SourceLocation = #_sourceLocation
) where Value.RawValue == String {
    for (value, text) in texts {
        #expect(value.rawValue == prefix + text, sourceLocation: sourceLocation)
        #expect(Value(rawValue: prefix + text) == value, sourceLocation: sourceLocation)
    }
    #expect(Set(texts.map(\.1)).count == texts.count, sourceLocation: sourceLocation)
}
