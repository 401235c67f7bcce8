// SPDX-License-Identifier: Apache-2.0

import HealthModel

/// The stored text of a device: an export's description without the leading address, for example `<<HKDevice: >,
/// name:Apple Watch, manufacturer:Apple, model:Watch, hardware:Watch4,2, software:5.1.1>`.
package struct DeviceDescription: Sendable, Equatable {
    package struct Field: Sendable, Equatable {
        /// The name: one of `names`.
        package var name: String
        /// The value, which may contain commas and colons.
        package var value: String
    }

    /// The fields, such as `name:`, in the order of the text.
    package private(set) var fields: [Field] = []

    /// Returns the value of a field; nil if the field is missing.
    package subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    private static let names = properties.map(\.name) + ["creation date"]

    /// Parses a description, with or without the address; nil for any other text.
    ///
    /// A value may contain commas and colons: a field ends only before `, ` and the name of another field.
    package init?(_ text: String) {
        if text.first == Self.mark {
            guard let fields = Self.counted(text) else { return nil }
            self.fields = fields
            return
        }
        guard text.hasPrefix("<<HKDevice: "), text.hasSuffix(">"), let head = text.firstIndex(of: ">") else {
            return nil
        }
        var rest = text[text.index(after: head)...].dropLast()
        while rest.hasPrefix(", "), let name = Self.names.first(where: { rest.dropFirst(2).hasPrefix($0 + ":") }) {
            let value = rest.dropFirst(2 + name.count + 1)
            var end = value.endIndex
            var at = value.startIndex
            while at < value.endIndex {
                if value[at] == ",", Self.startsField(value[at...]) {
                    end = at
                    break
                }
                at = value.index(after: at)
            }
            fields.append(Field(name: name, value: String(value[..<end])))
            rest = value[end...]
        }
        guard rest.isEmpty else { return nil }
    }

    private static func startsField(_ text: Substring) -> Bool {
        text.hasPrefix(", ") && names.contains { text.dropFirst(2).hasPrefix($0 + ":") }
    }

    // MARK: - Devices of programs

    private static let properties: [(name: String, property: HealthDeviceProperty)] = [
        ("name", .name), ("manufacturer", .manufacturer), ("model", .model), ("hardware", .hardwareVersion),
        ("firmware", .firmwareVersion), ("software", .softwareVersion), ("localIdentifier", .localIdentifier),
        ("UDIDeviceIdentifier", .udiDeviceIdentifier),
    ]

    init(_ device: HKDevice) {
        for one in Self.properties {
            if let value = device[one.property] { fields.append(Field(name: one.name, value: value)) }
        }
    }

    /// The text of the description. If a value would be parsed as two fields, the text has another form: it starts with
    /// a control character and states the byte count of each value.
    var text: String {
        let plain = "<<HKDevice: >" + fields.map { ", \($0.name):\($0.value)" }.joined() + ">"
        if Self(plain) == self { return plain }
        return String(Self.mark) + fields.map { "\($0.name)=\($0.value.utf8.count):\($0.value)" }.joined()
    }

    private static let mark: Character = "\u{1}"

    /// Parses the form with byte counts.
    private static func counted(_ text: String) -> [Field]? {
        var fields = [Field]()
        var bytes = Array(text.utf8).dropFirst()
        while let equals = bytes.firstIndex(of: UInt8(ascii: "=")) {
            guard let colon = bytes[equals...].firstIndex(of: UInt8(ascii: ":")),
                let count = Int(String(decoding: bytes[(equals + 1)..<colon], as: UTF8.self)), count >= 0,
                count < bytes.endIndex - colon
            else { return nil }
            let end = colon + 1 + count
            fields.append(
                Field(
                    name: String(decoding: bytes[..<equals], as: UTF8.self),
                    value: String(decoding: bytes[(colon + 1)..<end], as: UTF8.self)))
            bytes = bytes[end...]
        }
        return bytes.isEmpty ? fields : nil
    }
}

extension HKDevice {
    /// Creates a device from its stored text; a text that cannot be parsed becomes the name.
    convenience init(description text: String) {
        let found = DeviceDescription(text)
        self.init(
            name: found == nil ? text : found?["name"], manufacturer: found?["manufacturer"], model: found?["model"],
            hardwareVersion: found?["hardware"], firmwareVersion: found?["firmware"],
            softwareVersion: found?["software"], localIdentifier: found?["localIdentifier"],
            udiDeviceIdentifier: found?["UDIDeviceIdentifier"])
    }
}
