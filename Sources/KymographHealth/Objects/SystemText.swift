// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Versions of an operating system in the form of a store: `17.4.1`.
enum SystemText {
    /// Returns the text of a version; nil for 0.0.0, the value of an unknown version.
    static func text(_ version: OperatingSystemVersion) -> String? {
        if (version.majorVersion, version.minorVersion, version.patchVersion) == (0, 0, 0) { return nil }
        return "\(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
    }

    /// Parses a version; missing and invalid numbers are 0.
    static func version(_ text: String?) -> OperatingSystemVersion {
        let numbers = (text ?? "").split(separator: ".", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        return OperatingSystemVersion(
            majorVersion: numbers.first ?? 0, minorVersion: numbers.dropFirst().first ?? 0,
            patchVersion: numbers.dropFirst(2).first ?? 0)
    }
}
