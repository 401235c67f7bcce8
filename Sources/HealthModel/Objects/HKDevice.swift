// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The device that made an object's data, as far as it is known. Two devices are equal when all they say is.
public final class HKDevice: NSObject, NSCopying, Sendable {
    /// What a person calls it.
    public let name: String?
    /// Who made it.
    public let manufacturer: String?
    /// Its model.
    public let model: String?
    /// The version of its hardware.
    public let hardwareVersion: String?
    /// The version of its firmware.
    public let firmwareVersion: String?
    /// The version of its software.
    public let softwareVersion: String?
    /// What the host that it talks to calls it; differs from host to host.
    public let localIdentifier: String?
    /// The device part of a unique device identifier, which regulators give.
    public let udiDeviceIdentifier: String?
    /// Whether all that it says can be kept: a store's texts have no NUL. Asked for each object, so found out once.
    let isStorable: Bool
    /// The bytes of all that it says.
    let textBytes: Int

    /// A device that says this of itself.
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

    /// This host: its name, its instruction set, its operating system.
    public static func local() -> HKDevice { ThisProgram.device }

    /// The device itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The properties that are known.
    public override var description: String {
        let known = HealthDeviceProperty.allCases.compactMap { property in
            self[property].map { "\(property.rawValue): \($0)" }
        }
        return "HKDevice(\(known.joined(separator: ", ")))"
    }

    /// Hashes name, model and identifiers.
    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(name)
        hasher.combine(model)
        hasher.combine(localIdentifier)
        hasher.combine(udiDeviceIdentifier)
        return hasher.finalize()
    }

    /// Whether the other object says the same, property by property.
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

/// What may be known of a device; the raw values are the keys of predicates.
package enum HealthDeviceProperty: String, Hashable, Sendable, CaseIterable {
    case name, manufacturer, model, hardwareVersion, firmwareVersion, softwareVersion, localIdentifier
    case udiDeviceIdentifier = "UDIDeviceIdentifier"
}

/// Names a device's name in a predicate.
public let HKDevicePropertyKeyName = HealthDeviceProperty.name.rawValue
/// Names a device's manufacturer in a predicate.
public let HKDevicePropertyKeyManufacturer = HealthDeviceProperty.manufacturer.rawValue
/// Names a device's model in a predicate.
public let HKDevicePropertyKeyModel = HealthDeviceProperty.model.rawValue
/// Names a device's hardware version in a predicate.
public let HKDevicePropertyKeyHardwareVersion = HealthDeviceProperty.hardwareVersion.rawValue
/// Names a device's firmware version in a predicate.
public let HKDevicePropertyKeyFirmwareVersion = HealthDeviceProperty.firmwareVersion.rawValue
/// Names a device's software version in a predicate.
public let HKDevicePropertyKeySoftwareVersion = HealthDeviceProperty.softwareVersion.rawValue
/// Names a device's local identifier in a predicate.
public let HKDevicePropertyKeyLocalIdentifier = HealthDeviceProperty.localIdentifier.rawValue
/// Names a device's unique device identifier in a predicate.
public let HKDevicePropertyKeyUDIDeviceIdentifier = HealthDeviceProperty.udiDeviceIdentifier.rawValue
