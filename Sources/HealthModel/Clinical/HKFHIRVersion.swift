// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A release of FHIR, the standard of clinical records.
public struct HKFHIRRelease: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The name of the release: `R4`.
    public let rawValue: String

    /// Creates the release with this name, which may be unknown.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The second draft, versions 1.0.
    public static let dstu2 = HKFHIRRelease(rawValue: "DSTU2")
    /// Release 4, versions 4.
    public static let r4 = HKFHIRRelease(rawValue: "R4")
    /// Any other release.
    public static let unknown = HKFHIRRelease(rawValue: "Unknown")

    /// The name of the release.
    public var description: String { rawValue }
}

/// A version of FHIR, such as 4.0.1.
public final class HKFHIRVersion: NSObject, NSCopying, Sendable {
    /// The first number.
    public let majorVersion: Int
    /// The second number.
    public let minorVersion: Int
    /// The third number.
    public let patchVersion: Int
    /// The text: `4.0.1`.
    public let stringRepresentation: String

    /// Creates a version from its text.
    ///
    /// - Parameter versionString: three numbers with points: `4.0.1`.
    /// - Throws: ``HKError`` `errorInvalidArgument` for any other text.
    public convenience init(fromVersionString versionString: String) throws {
        let parts = versionString.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ (UInt16($0)) != nil && $0.first?.isNumber == true }) else {
            throw HKError(
                .errorInvalidArgument, reason: "'\(versionString.prefix(40))' is not a version of FHIR",
                place: "HKFHIRVersion", advice: "give three numbers with points, such as 4.0.1")
        }
        self.init(stored: versionString)
    }

    /// Creates the version of a stored text; numbers that the text does not have are 0.
    package init(stored text: String) {
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        majorVersion = numbers.first ?? 0
        minorVersion = numbers.count > 1 ? numbers[1] : 0
        patchVersion = numbers.count > 2 ? numbers[2] : 0
        stringRepresentation = text
        super.init()
    }

    /// Returns version 1.0.2.
    public static func primaryDSTU2() -> HKFHIRVersion { HKFHIRVersion(stored: "1.0.2") }
    /// Returns version 4.0.1.
    public static func primaryR4() -> HKFHIRVersion { HKFHIRVersion(stored: "4.0.1") }

    /// The release of the version.
    public var fhirRelease: HKFHIRRelease {
        switch (majorVersion, minorVersion) {
        case (1, 0): .dstu2
        case (4, 0): .r4
        default: .unknown
        }
    }

    /// Returns the object itself, which is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// The hash of the text.
    public override var hash: Int { stringRepresentation.hashValue }

    /// Returns whether the other version has the same text.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? HKFHIRVersion)?.stringRepresentation == stringRepresentation
    }

    /// The text.
    public override var description: String { stringRepresentation }
}
