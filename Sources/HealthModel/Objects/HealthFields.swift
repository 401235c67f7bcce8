// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// The content of a stored object as numbered values, in order; several values may have one number.
///
/// Classes that store a few properties convert to and from fields. The store encodes fields without the class, so that
/// a new class needs no encoding of its own. The numbers of a class are on disk: `Docs/Format/Catalog.md`.
package struct HealthFields: Hashable, Sendable {
    /// The value of a field.
    package indirect enum Value: Hashable, Sendable {
        case integer(Int64)
        case real(Double)
        case text(String)
        case quantity(HKQuantity)
        case date(Date)
        case data(Data)
        case fields(HealthFields)
    }

    /// A numbered value.
    package struct Field: Hashable, Sendable {
        package let number: Int
        package let value: Value

        package init(_ number: Int, _ value: Value) {
            self.number = number
            self.value = value
        }
    }

    /// The reason why fields are not the content of an object.
    package struct Fault: Error, Hashable {
        package let reason: String
        /// Whether a later version may have written the fields, because a value is unknown to this version.
        package var isNewer = false
    }

    package private(set) var all: [Field]

    package init(_ all: [Field] = []) { self.all = all }

    // MARK: Writing

    /// Appends a value, unless it is nil.
    package mutating func put(_ number: Int, _ value: Value?) {
        if let value { all.append(Field(number, value)) }
    }

    mutating func put(_ number: Int, _ integer: Int?) { put(number, integer.map { .integer(Int64($0)) }) }
    mutating func put(_ number: Int, _ real: Double?) { put(number, real.map { .real($0) }) }
    mutating func put(_ number: Int, _ text: String?) { put(number, text.map { .text($0) }) }
    mutating func put(_ number: Int, _ quantity: HKQuantity?) { put(number, quantity.map { .quantity($0) }) }
    mutating func put(_ number: Int, _ date: Date?) { put(number, date.map { .date($0) }) }
    mutating func put(_ number: Int, _ data: Data?) { put(number, data.map { .data($0) }) }
    mutating func put(_ number: Int, _ fields: HealthFields?) { put(number, fields.map { .fields($0) }) }

    // MARK: Reading

    /// Returns the converted values with a number, in order.
    ///
    /// - Parameter convert: returns nil for a value of another kind.
    /// - Throws: a fault for a value of another kind.
    private func values<T>(_ number: Int, _ convert: (Value) -> T?) throws(Fault) -> [T] {
        var found: [T] = []
        for field in all where field.number == number {
            guard let value = convert(field.value) else { throw Fault(reason: "field \(number) has the wrong kind") }
            found.append(value)
        }
        return found
    }

    func integers(_ number: Int) throws(Fault) -> [Int] {
        try values(number) { if case .integer(let value) = $0 { Int(exactly: value) } else { nil } }
    }

    func texts(_ number: Int) throws(Fault) -> [String] {
        try values(number) { if case .text(let value) = $0 { value } else { nil } }
    }

    func parts(_ number: Int) throws(Fault) -> [HealthFields] {
        try values(number) { if case .fields(let value) = $0 { value } else { nil } }
    }

    func integer(_ number: Int) throws(Fault) -> Int? { try integers(number).first }
    func text(_ number: Int) throws(Fault) -> String? { try texts(number).first }
    func part(_ number: Int) throws(Fault) -> HealthFields? { try parts(number).first }

    func real(_ number: Int) throws(Fault) -> Double? {
        try values(number) { if case .real(let value) = $0 { value } else { nil } }.first
    }

    func quantity(_ number: Int) throws(Fault) -> HKQuantity? {
        try values(number) { if case .quantity(let value) = $0 { value } else { nil } }.first
    }

    func date(_ number: Int) throws(Fault) -> Date? {
        try values(number) { if case .date(let value) = $0 { value } else { nil } }.first
    }

    func data(_ number: Int) throws(Fault) -> Data? {
        try values(number) { if case .data(let value) = $0 { value } else { nil } }.first
    }

    /// Returns the enumeration values with a number.
    ///
    /// - Throws: a fault for a raw value that this version does not know.
    func all<T: RawRepresentable<Int>>(_ number: Int, of type: T.Type) throws(Fault) -> [T] {
        var found: [T] = []
        for raw in try integers(number) {
            guard let value = T(rawValue: raw) else {
                throw Fault(reason: "\(raw) is an unknown \(T.self)", isNewer: true)
            }
            found.append(value)
        }
        return found
    }
}

/// Returns a value that fields must have.
///
/// - Throws: a fault if the value is missing.
func required<T>(_ value: T?, _ what: String) throws(HealthFields.Fault) -> T {
    guard let value else { throw HealthFields.Fault(reason: "\(what) is missing") }
    return value
}
