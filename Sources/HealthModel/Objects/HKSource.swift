// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The program or the device that saved an object.
///
/// Two sources are equal when their bundle identifiers are; names are for people and may change.
public final class HKSource: NSObject, NSCopying, Sendable {
    /// What a person calls it: `Anna's Watch`, `Runkeeper`.
    public let name: String
    /// What a program calls it: `com.example.runner`.
    public let bundleIdentifier: String

    /// A source that a store knows.
    package init(name: String, bundleIdentifier: String) {
        self.name = name
        self.bundleIdentifier = bundleIdentifier
    }

    /// This program: its bundle's identifier where it has a bundle, else the process's name.
    public static func `default`() -> HKSource { ThisProgram.source }

    /// The source itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The name and the identifier.
    public override var description: String { "\(name) (\(bundleIdentifier))" }

    /// Hashes the bundle identifier.
    public override var hash: Int { bundleIdentifier.hashValue }

    /// Whether the other object is the same source.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? HKSource else { return false }
        return other === self || other.bundleIdentifier == bundleIdentifier
    }
}

/// What this program says of itself; looked up once.
enum ThisProgram {
    static let source: HKSource = {
        let process = ProcessInfo.processInfo.processName
        let bundle = Bundle.main
        let name = bundle.object(forInfoDictionaryKey: "CFBundleName") as? String
        return HKSource(name: name ?? process, bundleIdentifier: bundle.bundleIdentifier ?? process)
    }()

    static let revision: HKSourceRevision = HKSourceRevision(
        source: source, version: Bundle.main.object(forInfoDictionaryKey: "CFBundleVersion") as? String,
        productType: machine, operatingSystemVersion: ProcessInfo.processInfo.operatingSystemVersion)

    static let device: HKDevice = HKDevice(
        name: ProcessInfo.processInfo.hostName, manufacturer: nil, model: "Linux", hardwareVersion: machine,
        firmwareVersion: nil, softwareVersion: ProcessInfo.processInfo.operatingSystemVersionString,
        localIdentifier: nil, udiDeviceIdentifier: nil)

    private static var machine: String {
        #if arch(x86_64)
            "x86_64"
        #elseif arch(arm64)
            "aarch64"
        #else
            "unknown"
        #endif
    }
}
