// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// In a predicate: any version of the source.
public let HKSourceRevisionAnyVersion = "HKSourceRevisionAnyVersion"
/// In a predicate: any product type.
public let HKSourceRevisionAnyProductType = "HKSourceRevisionAnyProductType"
/// In a predicate: any operating system.
public let HKSourceRevisionAnyOperatingSystem = OperatingSystemVersion(
    majorVersion: -1, minorVersion: -1, patchVersion: -1)

/// Which version of a source saved an object, on which product and system.
///
/// A store stamps it on every object that it saves. Objects that were not saved yet have this program's.
public final class HKSourceRevision: NSObject, NSCopying, Sendable {
    /// The program or device.
    public let source: HKSource
    /// Its version; nil where none is known.
    public let version: String?
    /// The product that it ran on, such as `iPhone14,5`; nil where none is known.
    public let productType: String?
    /// The system that it ran on; all zeros where none is known.
    public let operatingSystemVersion: OperatingSystemVersion

    /// A revision on this product and system.
    public init(
        source: HKSource, version: String?, productType: String?, operatingSystemVersion: OperatingSystemVersion
    ) {
        self.source = source
        self.version = version
        self.productType = productType
        self.operatingSystemVersion = operatingSystemVersion
    }

    /// A revision for predicates: on any product and any system.
    public convenience init(source: HKSource, version: String?) {
        self.init(
            source: source, version: version, productType: HKSourceRevisionAnyProductType,
            operatingSystemVersion: HKSourceRevisionAnyOperatingSystem)
    }

    /// This program, on this machine.
    package static var thisProgram: HKSourceRevision { ThisProgram.revision }

    /// The revision itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Source and version.
    public override var description: String { "\(source), version \(version ?? "unknown")" }

    /// Hashes source and version.
    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(source.bundleIdentifier)
        hasher.combine(version)
        return hasher.finalize()
    }

    /// Whether the other object is the same revision.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? HKSourceRevision else { return false }
        if other === self { return true }
        return source == other.source && version == other.version && productType == other.productType
            && Self.isSame(operatingSystemVersion, other.operatingSystemVersion)
    }

    /// Whether an object with the other revision is meant by this one; the constants for "any" mean every one.
    package func matches(_ other: HKSourceRevision) -> Bool {
        source == other.source
            && (version == HKSourceRevisionAnyVersion || version == other.version)
            && (productType == HKSourceRevisionAnyProductType || productType == other.productType)
            && (Self.isSame(operatingSystemVersion, HKSourceRevisionAnyOperatingSystem)
                || Self.isSame(operatingSystemVersion, other.operatingSystemVersion))
    }

    private static func isSame(_ a: OperatingSystemVersion, _ b: OperatingSystemVersion) -> Bool {
        (a.majorVersion, a.minorVersion, a.patchVersion) == (b.majorVersion, b.minorVersion, b.patchVersion)
    }
}
