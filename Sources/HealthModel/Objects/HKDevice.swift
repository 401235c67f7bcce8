// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The device that recorded an object's data. Two devices are equal if all their properties are equal.
public final class HKDevice: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// The name given by a person.
    public let name: String?
    /// The manufacturer.
    public let manufacturer: String?
    /// The model.
    public let model: String?
    /// The hardware version.
    public let hardwareVersion: String?
    /// The firmware version.
    public let firmwareVersion: String?
    /// The software version.
    public let softwareVersion: String?
    /// The identifier assigned by the host that connects to the device; differs between hosts.
    public let localIdentifier: String?
    /// The device part of the unique device identifier (UDI) that regulators require.
    public let udiDeviceIdentifier: String?
    /// True if no property contains NUL, which a store's texts cannot hold. Computed once, read for each object.
    let isStorable: Bool
    /// The length of all properties in UTF-8 bytes.
    let textBytes: Int

    /// Creates a device with these properties.
    public init(
        name: String?, manufacturer: String?, model: String?, hardwareVersion: String?, firmwareVersion: String?,
        softwareVersion: String?, localIdentifier: String?, udiDeviceIdentifier: String?
    ) {
        self.name = name
        self.manufacturer = manufacturer
        self.model = model
        self.hardwareVersion = hardwareVersion
        self.firmwareVersion = firmwareVersion
        self.softwareVersion = softwareVersion
        self.localIdentifier = localIdentifier
        self.udiDeviceIdentifier = udiDeviceIdentifier
        let texts = [
            name, manufacturer, model, hardwareVersion, firmwareVersion, softwareVersion, localIdentifier,
            udiDeviceIdentifier,
        ]
        isStorable = texts.allSatisfy { !($0?.utf8.contains(0) ?? false) }
        textBytes = texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    }

    /// Returns this host: its name, instruction set and operating system.
    public static func local() -> HKDevice { ThisProgram.device }

    /// Returns the device itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Always true.
    public static var supportsSecureCoding: Bool { true }

    /// Encodes all properties.
    public func encode(with coder: NSCoder) { coder.encode(DeviceRecord(self), record: "device") }

    /// Decodes a device that `encode(with:)` encoded; nil if the archive has no device.
    public convenience init?(coder: NSCoder) {
        guard let device = coder.decode(DeviceRecord.self, record: "device")?.device else { return nil }
        self.init(
            name: device.name, manufacturer: device.manufacturer, model: device.model,
            hardwareVersion: device.hardwareVersion, firmwareVersion: device.firmwareVersion,
            softwareVersion: device.softwareVersion, localIdentifier: device.localIdentifier,
            udiDeviceIdentifier: device.udiDeviceIdentifier)
    }

    /// The properties with a value.
    public override var description: String {
        let known = HealthDeviceProperty.allCases.compactMap { property in
            self[property].map { "\(property.rawValue): \($0)" }
        }
        return "HKDevice(\(known.joined(separator: ", ")))"
    }

    /// The hash of name, model and identifiers.
    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(name)
        hasher.combine(model)
        hasher.combine(localIdentifier)
        hasher.combine(udiDeviceIdentifier)
        return hasher.finalize()
    }

    /// Returns whether all properties of the other device are equal.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? HKDevice else { return false }
        return other === self || HealthDeviceProperty.allCases.allSatisfy { self[$0] == other[$0] }
    }

    package subscript(_ property: HealthDeviceProperty) -> String? {
        switch property {
        case .name: name
        case .manufacturer: manufacturer
        case .model: model
        case .hardwareVersion: hardwareVersion
        case .firmwareVersion: firmwareVersion
        case .softwareVersion: softwareVersion
        case .localIdentifier: localIdentifier
        case .udiDeviceIdentifier: udiDeviceIdentifier
        }
    }
}

/// The properties of a device; the raw values are the keys of predicates.
package enum HealthDeviceProperty: String, Hashable, Sendable, CaseIterable {
    case name, manufacturer, model, hardwareVersion, firmwareVersion, softwareVersion, localIdentifier
    case udiDeviceIdentifier = "UDIDeviceIdentifier"
}

/// The key of a device's name in a predicate.
public let HKDevicePropertyKeyName = HealthDeviceProperty.name.rawValue
/// The key of a device's manufacturer in a predicate.
public let HKDevicePropertyKeyManufacturer = HealthDeviceProperty.manufacturer.rawValue
/// The key of a device's model in a predicate.
public let HKDevicePropertyKeyModel = HealthDeviceProperty.model.rawValue
/// The key of a device's hardware version in a predicate.
public let HKDevicePropertyKeyHardwareVersion = HealthDeviceProperty.hardwareVersion.rawValue
/// The key of a device's firmware version in a predicate.
public let HKDevicePropertyKeyFirmwareVersion = HealthDeviceProperty.firmwareVersion.rawValue
/// The key of a device's software version in a predicate.
public let HKDevicePropertyKeySoftwareVersion = HealthDeviceProperty.softwareVersion.rawValue
/// The key of a device's local identifier in a predicate.
public let HKDevicePropertyKeyLocalIdentifier = HealthDeviceProperty.localIdentifier.rawValue
/// The key of a device's unique device identifier in a predicate.
public let HKDevicePropertyKeyUDIDeviceIdentifier = HealthDeviceProperty.udiDeviceIdentifier.rawValue
