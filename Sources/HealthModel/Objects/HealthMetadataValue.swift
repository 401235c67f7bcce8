// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A metadata value with its original type.
///
/// Numbers keep their exact value: integers of every width become `integer` (or `unsigned` beyond `Int.max`), `Float`
/// becomes `real`. A Boolean stays a Boolean.
package enum HealthMetadataValue: Hashable, Sendable {
    case string(String)
    case boolean(Bool)
    case integer(Int)
    case unsigned(UInt)
    case real(Double)
    case date(Date)
    case quantity(HKQuantity)
    case data(Data)
    /// The type name of a value that cannot be stored; saving such an object fails.
    case unsupported(String)

    /// Creates the value of a program's metadata entry.
    package init(_ value: Any) {
        switch value {
        case let text as String: self = .string(text)
        // Before Swift's own numbers: a cast converts an NSNumber to any type that can hold its value, for instance 1
        // to Bool.
        case _ where Swift.type(of: value) is NSNumber.Type: self = Self.number(value)
        case let flag as Bool: self = .boolean(flag)
        case let number as Int: self = .integer(number)
        case let number as Double: self = .real(number)
        case let quantity as HKQuantity: self = .quantity(quantity)
        case let date as Date: self = .date(date)
        case let data as Data: self = .data(data)
        case let value as Self: self = value
        case let number as any BinaryInteger: self = Self.whole(number)
        case let number as Float: self = .real(Double(number))
        case let text as NSString: self = .string(text.description)
        case let date as NSDate: self = .date(Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate))
        default: self = .unsupported("\(type(of: value))")
        }
    }

    private static func whole(_ number: any BinaryInteger) -> Self {
        if let whole = Int(exactly: number) { return .integer(whole) }
        if let whole = UInt(exactly: number) { return .unsigned(whole) }
        return .unsupported("\(type(of: number))")
    }

    private static func number(_ value: Any) -> Self {
        guard let number = value as? NSNumber else { return .unsupported("\(type(of: value))") }
        return switch unsafe UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "c") where (0...1).contains(number.intValue), UInt8(ascii: "B"): .boolean(number.boolValue)
        case UInt8(ascii: "f"), UInt8(ascii: "d"): .real(number.doubleValue)
        case UInt8(ascii: "Q"): whole(number.uint64Value)
        default: whole(number.int64Value)
        }
    }

    /// The value returned to programs; nil for an unsupported value.
    ///
    /// A number is an `NSNumber`, because Foundation then casts it to each Swift type that can represent it. A Swift
    /// number in an `Any` casts only to its own type.
    package var any: Any? {
        switch self {
        case .string(let text): text
        case .boolean(let flag): NSNumber(value: flag)
        case .integer(let number): NSNumber(value: number)
        case .unsigned(let number): NSNumber(value: number)
        case .real(let number): NSNumber(value: number)
        case .date(let date): date
        case .quantity(let quantity): quantity
        case .data(let data): data
        case .unsupported: nil
        }
    }

    /// The kind of the value in messages: `a string`.
    package var kindName: String {
        switch self {
        case .string: "a string"
        case .boolean: "a Boolean"
        case .integer, .unsigned, .real: "a number"
        case .date: "a date"
        case .quantity: "a quantity"
        case .data: "data"
        case .unsupported(let type): "a \(type)"
        }
    }
}

/// The metadata of an object. A dictionary is one reference, so many objects can share one.
package typealias HealthMetadataValues = [String: HealthMetadataValue]

extension HealthMetadataValues {
    /// Creates metadata from a program's dictionary.
    package init(_ metadata: [String: Any]) { self = metadata.mapValues { HealthMetadataValue($0) } }

    /// The metadata returned to programs.
    package var anyValues: [String: Any] { compactMapValues(\.any) }
}
