// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The program or the device that saved an object.
///
/// Two sources are equal if their bundle identifiers are equal; names are for display and may change.
public final class HKSource: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// The display name: `Anna's Watch`, `Runkeeper`.
    public let name: String
    /// The bundle identifier: `com.example.runner`.
    public let bundleIdentifier: String

    /// Creates a source read from a store.
    package init(name: String, bundleIdentifier: String) {
        self.name = name
        self.bundleIdentifier = bundleIdentifier
    }

    /// Returns this program: the client that `KYMO_CLIENT` names, else its bundle identifier if it has a bundle, else
    /// the name of the process.
    public static func `default`() -> HKSource { ThisProgram.source }

    /// Returns the source itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Always true.
    public static var supportsSecureCoding: Bool { true }

    /// Encodes name and bundle identifier.
    public func encode(with coder: NSCoder) { coder.encode(SourceRecord(self), record: "source") }

    /// Decodes a source that `encode(with:)` encoded; nil if the archive has no source.
    public convenience init?(coder: NSCoder) {
        guard let record = coder.decode(SourceRecord.self, record: "source") else { return nil }
        self.init(name: record.name, bundleIdentifier: record.bundleIdentifier)
    }

    /// The name and the identifier.
    public override var description: String { "\(name) (\(bundleIdentifier))" }

    /// The hash of the bundle identifier.
    public override var hash: Int { bundleIdentifier.hashValue }

    /// Returns whether the other source has the same bundle identifier.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? HKSource else { return false }
        return other === self || other.bundleIdentifier == bundleIdentifier
    }
}

/// The source, revision and device of this process, computed once.
enum ThisProgram {
    static let source: HKSource = {
        let process = ProcessInfo.processInfo.processName
        let bundle = Bundle.main
        let name = bundle.object(forInfoDictionaryKey: "CFBundleName") as? String
        if let client = ProcessInfo.processInfo.environment["KYMO_CLIENT"], !client.isEmpty {
            return HKSource(name: name ?? client, bundleIdentifier: client)
        }
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
