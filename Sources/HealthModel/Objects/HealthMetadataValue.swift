// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A value of an object's metadata, with the type that it was given with.
///
/// Numbers keep their value exactly: whole numbers of every width become `integer` (or `unsigned`, beyond `Int.max`),
/// `Float` becomes `real`. A Boolean stays one.
package enum HealthMetadataValue: Hashable, Sendable {
    case string(String)
    case boolean(Bool)
    case integer(Int)
    case unsigned(UInt)
    case real(Double)
    case date(Date)
    case quantity(HKQuantity)
    case data(Data)
    /// What cannot be kept, by the name of its type; saving it is refused.
    case unsupported(String)

    /// The value that a program gave.
    package init(_ value: Any) {
        switch value {
        case let text as String: self = .string(text)
        // Before Swift's own numbers: a cast makes any of them of it that has its value, of 1 a Boolean.
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

    /// The value as a program gets it; nil for what was not kept.
    package var any: Any? {
        switch self {
        case .string(let text): text
        case .boolean(let flag): flag
        case .integer(let number): number
        case .unsigned(let number): number
        case .real(let number): number
        case .date(let date): date
        case .quantity(let quantity): quantity
        case .data(let data): data
        case .unsupported: nil
        }
    }

    /// What the value is, for a message: `a string`.
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

/// The metadata of an object. A dictionary is one reference, so that many objects share one.
package typealias HealthMetadataValues = [String: HealthMetadataValue]

extension HealthMetadataValues {
    /// The metadata that a program gave.
    package init(_ metadata: [String: Any]) { self = metadata.mapValues { HealthMetadataValue($0) } }

    /// The metadata as a program gets it.
    package var anyValues: [String: Any] { compactMapValues(\.any) }
}
