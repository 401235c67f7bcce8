// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// Matches any version of the source in a predicate.
public let HKSourceRevisionAnyVersion = "HKSourceRevisionAnyVersion"
/// Matches any product type in a predicate.
public let HKSourceRevisionAnyProductType = "HKSourceRevisionAnyProductType"
/// Matches any operating system in a predicate.
public let HKSourceRevisionAnyOperatingSystem = OperatingSystemVersion(
    majorVersion: -1, minorVersion: -1, patchVersion: -1)

/// The version of a source, with the product and the system on which it saved an object.
///
/// The store sets the revision of each saved object. Unsaved objects have the revision of this program.
public final class HKSourceRevision: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// The program or device.
    public let source: HKSource
    /// The version; nil if unknown.
    public let version: String?
    /// The product, such as `iPhone14,5`; nil if unknown.
    public let productType: String?
    /// The operating system; all zeros if unknown.
    public let operatingSystemVersion: OperatingSystemVersion

    /// Creates a revision on a product and a system.
    public init(
        source: HKSource, version: String?, productType: String?, operatingSystemVersion: OperatingSystemVersion
    ) {
        self.source = source
        self.version = version
        self.productType = productType
        self.operatingSystemVersion = operatingSystemVersion
    }

    /// Creates a revision for predicates: any product and any system.
    public convenience init(source: HKSource, version: String?) {
        self.init(
            source: source, version: version, productType: HKSourceRevisionAnyProductType,
            operatingSystemVersion: HKSourceRevisionAnyOperatingSystem)
    }

    /// The revision of this program on this machine.
    package static var thisProgram: HKSourceRevision { ThisProgram.revision }

    /// Returns the revision itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Always true.
    public static var supportsSecureCoding: Bool { true }

    /// Encodes all properties.
    public func encode(with coder: NSCoder) { coder.encode(RevisionRecord(self), record: "revision") }

    /// Decodes a revision that `encode(with:)` encoded; nil if the archive has no revision.
    public convenience init?(coder: NSCoder) {
        guard let revision = coder.decode(RevisionRecord.self, record: "revision")?.revision else { return nil }
        self.init(
            source: revision.source, version: revision.version, productType: revision.productType,
            operatingSystemVersion: revision.operatingSystemVersion)
    }

    /// The source and the version.
    public override var description: String { "\(source), version \(version ?? "unknown")" }

    /// The hash of source and version.
    public override var hash: Int {
        var hasher = Hasher()
        hasher.combine(source.bundleIdentifier)
        hasher.combine(version)
        return hasher.finalize()
    }

    /// Returns whether all properties of the other revision are equal.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? HKSourceRevision else { return false }
        if other === self { return true }
        return source == other.source && version == other.version && productType == other.productType
            && Self.isSame(operatingSystemVersion, other.operatingSystemVersion)
    }

    /// Returns whether this revision, as part of a predicate, matches another; the "any" constants match every value.
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
